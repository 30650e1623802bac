//! The boot ROM's side of the bus: the functions of our own ROM work on the memory as the core that called sees it, and core 1
//! waits there to be launched.

use crate::bus::{Bus, Size};
use crate::flash::FlashChip;
use crate::io::Io;
use crate::rom::{Flags, HoldingPen, LaunchPort, PenState, RomCallContext};
use cortexm::{Core, Refusal};
use mcu::FaultKind;

/// Registers of the inter-core FIFO (RP2040 datasheet 2.3.1.7).
const FIFO_ST: u32 = 0x50;
const FIFO_WR: u32 = 0x54;
const FIFO_RD: u32 = 0x58;
const FIFO_VLD: u32 = 1;
const FIFO_RDY: u32 = 2;

/// How an endpoint uses its buffers: bits 30 to 28 of its control register (RP2040 datasheet 4.1.2.5.1).
const ENDPOINT_BUFFER_BITS: u32 = 7 << 28;

impl Bus {
    /// The chip ignores a write to its ROM. TinyUSB does one for every packet of endpoint 0, which has no control register: it
    /// reads the null pointer and writes back what it read with other buffer bits. That says nothing and is not reported.
    pub(super) fn note_rom_write(&mut self, address: u32, value: u32) {
        let there = self.peek(address, Size::Word).unwrap_or(0);
        if address != 0 || (value ^ there) & !ENDPOINT_BUFFER_BITS != 0 {
            self.io.ignored("ROM", "a write to the boot ROM changes nothing");
        }
    }
}

/// A call of a ROM function by a core.
#[derive(Debug)]
pub(crate) struct RomCall<'a> {
    pub(crate) core: &'a mut Core,
    pub(crate) bus: &'a mut Bus,
    /// The cycle that the call has come to: waiting for slow memory moves it on.
    pub(crate) cycle: u64,
    pub(crate) fault: Option<FaultKind>,
}

impl RomCall<'_> {
    fn load(&mut self, address: u32, size: Size) -> u32 {
        let (id, pc) = (self.core.id, self.core.r[cortexm::PC]);
        let mut end = self.cycle;
        let loaded = self.bus.load(id, pc, address, size, &mut end);
        // The cycles of memory without wait states are part of the function's own.
        self.cycle = end.saturating_sub(2).max(self.cycle);
        loaded.unwrap_or_else(|refusal| {
            self.refused(refusal);
            0
        })
    }

    fn store(&mut self, address: u32, size: Size, value: u32) {
        let (id, pc) = (self.core.id, self.core.r[cortexm::PC]);
        let mut end = self.cycle;
        let stored = self.bus.store(id, pc, address, size, value, &mut end);
        self.cycle = end.saturating_sub(2).max(self.cycle);
        if let Err(refusal) = stored {
            self.refused(refusal);
        }
    }

    fn refused(&mut self, refusal: Refusal) {
        if let Refusal::Fault(fault) = refusal {
            self.fault.get_or_insert(fault);
        }
    }
}

impl RomCallContext for RomCall<'_> {
    fn reg(&self, number: usize) -> u32 {
        self.core.r[number & 15]
    }

    fn set_reg(&mut self, number: usize, value: u32) {
        self.core.r[number & 15] = value;
    }

    fn set_flags(&mut self, flags: Flags) {
        let bits = [(flags.n, 31), (flags.z, 30), (flags.c, 29), (flags.v, 28)];
        self.core.set_apsr(bits.into_iter().map(|(flag, bit)| u32::from(flag) << bit).sum());
    }

    fn read8(&mut self, address: u32) -> u8 {
        self.load(address, Size::Byte) as u8
    }

    fn read16(&mut self, address: u32) -> u16 {
        self.load(address, Size::Half) as u16
    }

    fn read32(&mut self, address: u32) -> u32 {
        self.load(address, Size::Word)
    }

    fn write8(&mut self, address: u32, value: u8) {
        self.store(address, Size::Byte, u32::from(value));
    }

    fn write16(&mut self, address: u32, value: u16) {
        self.store(address, Size::Half, u32::from(value));
    }

    fn write32(&mut self, address: u32, value: u32) {
        self.store(address, Size::Word, value);
    }

    fn faulted(&self) -> bool {
        self.fault.is_some()
    }

    fn flash(&mut self) -> &mut FlashChip {
        self.bus.ssi.flash_mut()
    }

    fn io(&mut self) -> &mut Io {
        self.bus.io.now = self.bus.io.now.max(self.bus.clock.time_of(self.cycle));
        &mut self.bus.io
    }
}

/// Core 1's end of the inter-core FIFO.
struct Port<'a>(&'a mut Bus);

impl LaunchPort for Port<'_> {
    fn receive(&mut self) -> Option<u32> {
        let (sio, io) = (&mut self.0.blocks.sio, &mut self.0.io);
        (sio.peek(1, FIFO_ST, io) & FIFO_VLD != 0).then(|| sio.read(1, FIFO_RD, io))
    }

    fn send(&mut self, word: u32) -> bool {
        let (sio, io) = (&mut self.0.blocks.sio, &mut self.0.io);
        if sio.peek(1, FIFO_ST, io) & FIFO_RDY == 0 {
            return false;
        }
        sio.write(1, FIFO_WR, word, io);
        self.0.events[0] = true;
        true
    }
}

impl Bus {
    /// Core 1 in the ROM looks at what came for it.
    pub(crate) fn step_pen(&mut self) -> PenState {
        let mut pen = std::mem::replace(&mut self.pen, HoldingPen::new());
        let state = pen.step(&mut Port(self));
        self.pen = pen;
        self.settle();
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Setup;

    #[test]
    fn a_write_to_the_rom_is_reported_unless_it_only_sets_endpoint_bits_at_the_null_pointer() {
        let mut bus = Bus::new(&Setup::default()).expect("the default setup is valid");
        let there = bus.peek(0, Size::Word).expect("the boot ROM is there");
        let mut cycle = 0;
        let mut reports = |address: u32, value: u32| {
            bus.store(0, 0x1000_0100, address, Size::Word, value, &mut cycle).expect("the chip ignores it");
            bus.io.unknown_accesses().count()
        };
        assert_eq!(reports(0, there ^ 1 << 29), 0);
        assert_eq!(reports(4, there), 1);
        assert_eq!(reports(0, there ^ 1), 2);
        assert!(bus.io.unknown_accesses().all(|access| access.ignored), "the chip does the same");
    }

    #[test]
    fn clearing_bits_of_a_block_in_reset_is_not_reported() {
        const SSPCR1: u32 = 0x4003_c004;
        let mut bus = Bus::new(&Setup::default()).expect("the default setup is valid");
        let mut cycle = 0;
        let mut reports = |address: u32| {
            bus.store(0, 0x1000_0100, address, Size::Word, 2, &mut cycle).expect("there is a register");
            bus.io.unknown_accesses().count()
        };
        assert_eq!(reports(SSPCR1 + 0x3000), 0);
        assert_eq!(reports(SSPCR1), 1);
    }
}
