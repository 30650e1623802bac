//! The data space as instructions reach it: registers, I/O and RAM at one range of addresses, and the stack in it. An access to
//! I/O takes place in the last cycle of its instruction.

use super::alu::I;
use super::instruction::{Pointer, Step, X, Y, Z};
use super::{Attached, Bus, Core, EIND, FIRST_IO, Halt, RAMPZ, SPH, SPL, SREG};

impl Core {
    #[inline(always)]
    fn pointer(&mut self, pointer: Pointer) -> u16 {
        debug_assert!(matches!(pointer.base, X | Y | Z));
        let value = self.pair(pointer.base);
        match pointer.step {
            Step::Stays => value,
            Step::Up => {
                self.set_pair(pointer.base, value.wrapping_add(1));
                value
            }
            Step::Down => {
                let value = value.wrapping_sub(1);
                self.set_pair(pointer.base, value);
                value
            }
        }
    }

    #[inline(always)]
    pub(super) fn load_by<const W: bool>(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        d: u8,
        pointer: Pointer,
    ) -> u32 {
        let address = self.pointer(pointer);
        let value = self.load::<W>(at, address, 1);
        self.set(d, value);
        2
    }

    #[inline(always)]
    pub(super) fn store_by<const W: bool>(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        r: u8,
        pointer: Pointer,
    ) -> u32 {
        let value = self.get(r);
        let address = self.pointer(pointer);
        self.store::<W>(at, address, value, 1);
        2
    }

    /// Reads the data space, in a cycle of the instruction.
    #[inline(always)]
    pub(super) fn load<const W: bool>(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        address: u16,
        cycle: u64,
    ) -> u8 {
        if W && at.watch.watches(address, false) {
            self.stop(Halt::Watchpoint { address, write: false });
        }
        match at.memories.ram.get(usize::from(address.wrapping_sub(self.layout.ram_start))) {
            Some(byte) => *byte,
            None => self.load_register(at.bus, address, cycle),
        }
    }

    #[inline(never)]
    fn load_register(&mut self, bus: &mut impl Bus, address: u16, cycle: u64) -> u8 {
        match address {
            0..FIRST_IO => self.r[usize::from(address)],
            SPL => self.sp as u8,
            SPH => (self.sp >> 8) as u8,
            SREG => self.sreg,
            RAMPZ if self.layout.has_rampz => self.rampz,
            EIND if self.layout.long_pc => self.eind,
            _ if address < self.layout.ram_start => {
                bus.accessed_from(self.pc);
                bus.read(address, self.cycle + cycle)
            }
            _ => {
                bus.accessed_from(self.pc);
                bus.outside_ram(address);
                0
            }
        }
    }

    /// Writes the data space, in a cycle of the instruction.
    #[inline(always)]
    pub(super) fn store<const W: bool>(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        address: u16,
        value: u8,
        cycle: u64,
    ) {
        if W && at.watch.watches(address, true) {
            self.stop(Halt::Watchpoint { address, write: true });
        }
        match at.memories.ram.get_mut(usize::from(address.wrapping_sub(self.layout.ram_start))) {
            Some(byte) => *byte = value,
            None => self.store_register(at.bus, address, value, cycle),
        }
    }

    #[inline(never)]
    fn store_register(&mut self, bus: &mut impl Bus, address: u16, value: u8, cycle: u64) {
        match address {
            0..FIRST_IO => self.r[usize::from(address)] = value,
            SPL => self.sp = self.sp & 0xff00 | u16::from(value),
            SPH => self.sp = self.sp & 0x00ff | u16::from(value) << 8,
            SREG => {
                // The compilers' prologues count on it: they write SREG between the two halves of SP.
                self.holds_off = value & !self.sreg & I != 0;
                self.sreg = value;
                self.limit = 0;
            }
            RAMPZ if self.layout.has_rampz => self.rampz = value,
            EIND if self.layout.long_pc => self.eind = value,
            _ if address < self.layout.ram_start => {
                bus.accessed_from(self.pc);
                if bus.write(address, value, self.cycle + cycle) {
                    self.limit = 0;
                }
            }
            _ => self.stop(Halt::OutsideRam(address)),
        }
    }

    #[inline(always)]
    pub(super) fn push<const W: bool>(&mut self, at: &mut Attached<'_, '_, impl Bus>, value: u8) {
        let address = self.sp;
        self.store::<W>(at, address, value, 1);
        self.sp = address.wrapping_sub(1);
        if address == self.stack_floor {
            self.stop(Halt::StackOverflow);
        }
    }

    #[inline(always)]
    pub(super) fn pop<const W: bool>(&mut self, at: &mut Attached<'_, '_, impl Bus>) -> u8 {
        self.sp = self.sp.wrapping_add(1);
        self.load::<W>(at, self.sp, 1)
    }

    pub(super) fn call<const W: bool>(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        back: u32,
        target: u32,
    ) -> u32 {
        self.push_return::<W>(at, back);
        self.link = back << 1;
        target
    }

    /// Pushes a return address, its lowest byte first.
    pub(super) fn push_return<const W: bool>(&mut self, at: &mut Attached<'_, '_, impl Bus>, back: u32) {
        let bytes = back.to_le_bytes();
        for byte in &bytes[..usize::from(self.return_bytes())] {
            self.push::<W>(at, *byte);
        }
    }

    pub(super) fn pop_return<const W: bool>(&mut self, at: &mut Attached<'_, '_, impl Bus>) -> u32 {
        (0..self.return_bytes()).fold(0, |back, _| back << 8 | u32::from(self.pop::<W>(at)))
    }
}
