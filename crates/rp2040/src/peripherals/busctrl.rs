//! Bus priority and the four performance counters of the crossbar (RP2040 datasheet 2.1.5). The bus reports its
//! accesses with [`BusCtrl::count`], and need not while [`BusCtrl::is_counting`] says that nobody listens.

use super::Peripheral;
use crate::io::Io;

const BUS_PRIORITY: u32 = 0x00;
const BUS_PRIORITY_ACK: u32 = 0x04;
const PERFCTR0: u32 = 0x08;
const PERFSEL3: u32 = 0x24;

/// PROC0, PROC1, DMA_R and DMA_W.
const PRIORITY_BITS: u32 = 0x1111;
const COUNTER_MAX: u32 = 0x00ff_ffff;
/// PERFSEL after reset, which selects nothing.
const SELECT_NOTHING: u32 = 0x1f;

/// A downstream port of the crossbar: in PERFSEL its number counts contested accesses, the number after it all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BusPort {
    Apb = 0x00,
    FastPeri = 0x02,
    Sram5 = 0x04,
    Sram4 = 0x06,
    Sram3 = 0x08,
    Sram2 = 0x0a,
    Sram1 = 0x0c,
    Sram0 = 0x0e,
    XipMain = 0x10,
    Rom = 0x12,
}

/// Who has high priority on the bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BusPriority {
    /// Core 0 and core 1.
    pub cores: [bool; 2],
    /// The DMA when it reads.
    pub dma_read: bool,
    /// The DMA when it writes.
    pub dma_write: bool,
}

/// The bus control block.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct BusCtrl {
    priority: u32,
    counters: [u32; 4],
    selects: [u32; 4],
    /// A bit for each event that a counter selects.
    selected: u32,
}

impl Default for BusCtrl {
    fn default() -> Self {
        Self::new()
    }
}

impl BusCtrl {
    /// The state after reset.
    pub fn new() -> Self {
        Self { priority: 0, counters: [0; 4], selects: [SELECT_NOTHING; 4], selected: 0 }
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if matches!(offset, 0x08 | 0x10 | 0x18 | 0x20) { u32::MAX } else { 0 }
    }

    /// Who has high priority.
    pub fn priority(&self) -> BusPriority {
        let bit = |n: u32| self.priority >> n & 1 == 1;
        BusPriority { cores: [bit(0), bit(4)], dma_read: bit(8), dma_write: bit(12) }
    }

    /// Whether any counter counts anything.
    #[inline]
    pub fn is_counting(&self) -> bool {
        self.selected != 0
    }

    /// Whether any counter counts accesses to something else than the two banks that have no other bank beside them in the order of
    /// addresses. An SDK draws random numbers from a counter of one of these, and lets it run.
    #[inline]
    pub(crate) fn counts_besides_scratch(&self) -> bool {
        const SCRATCH: u32 = 0b11 << BusPort::Sram4 as u32 | 0b11 << BusPort::Sram5 as u32;
        self.selected & !SCRATCH != 0
    }

    /// Counts accesses to a port, of which some had to wait for another master.
    #[inline]
    pub fn count(&mut self, port: BusPort, accesses: u32, contested: u32) {
        if self.selected >> port as u32 & 0b11 == 0 {
            return;
        }
        for (counter, &select) in self.counters.iter_mut().zip(&self.selects) {
            // The number of a port is even.
            if select ^ port as u32 <= 1 {
                let by = if select & 1 == 0 { contested } else { accesses };
                *counter = counter.saturating_add(by).min(COUNTER_MAX);
            }
        }
    }
}

impl Peripheral for BusCtrl {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > PERFSEL3 {
            io.unknown("BUSCTRL", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            BUS_PRIORITY => self.priority,
            BUS_PRIORITY_ACK => 1,
            PERFCTR0..=PERFSEL3 => {
                let n = ((offset - PERFCTR0) / 8) as usize;
                if offset & 4 == 0 { self.counters[n] } else { self.selects[n] }
            }
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            BUS_PRIORITY => self.priority = value & PRIORITY_BITS,
            BUS_PRIORITY_ACK => {}
            PERFCTR0..=PERFSEL3 => {
                let n = ((offset - PERFCTR0) / 8) as usize;
                if offset & 4 == 0 {
                    // Any value clears a counter.
                    self.counters[n] = 0;
                } else {
                    self.selects[n] = value & SELECT_NOTHING;
                    let events = self.selects.iter().filter(|&&select| select <= BusPort::Rom as u32 + 1);
                    self.selected = events.fold(0, |selected, select| selected | 1 << select);
                }
            }
            _ => io.unknown("BUSCTRL", "no such register", true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PERFSEL0: u32 = 0x0c;
    const PERFCTR1: u32 = 0x10;
    const PERFSEL1: u32 = 0x14;

    #[test]
    fn a_counter_counts_what_it_selects_and_nothing_else() {
        let (mut busctrl, mut io) = (BusCtrl::new(), Io::default());
        assert!(!busctrl.is_counting());
        busctrl.write(PERFSEL0, 0x0f, &mut io);
        busctrl.write(PERFSEL1, 0x0e, &mut io);
        assert!(busctrl.is_counting());
        busctrl.count(BusPort::Sram0, 10, 3);
        busctrl.count(BusPort::Sram1, 99, 99);
        busctrl.count(BusPort::XipMain, 99, 99);
        assert_eq!(busctrl.read(PERFCTR0, &mut io), 10);
        assert_eq!(busctrl.read(PERFCTR1, &mut io), 3);
        busctrl.write(PERFCTR0, 123, &mut io);
        assert_eq!(busctrl.read(PERFCTR0, &mut io), 0);
    }

    #[test]
    fn counters_saturate_at_24_bits() {
        let (mut busctrl, mut io) = (BusCtrl::new(), Io::default());
        busctrl.write(PERFSEL0, 0x13, &mut io);
        for _ in 0..3 {
            busctrl.count(BusPort::Rom, u32::MAX, 0);
        }
        assert_eq!(busctrl.read(PERFCTR0, &mut io), 0x00ff_ffff);
    }

    #[test]
    fn priorities_are_taken_over_at_once() {
        let (mut busctrl, mut io) = (BusCtrl::new(), Io::default());
        busctrl.write(BUS_PRIORITY, 0x1010, &mut io);
        assert_eq!(busctrl.read(BUS_PRIORITY_ACK, &mut io), 1);
        let expected = BusPriority { cores: [false, true], dma_read: false, dma_write: true };
        assert_eq!(busctrl.priority(), expected);
    }

    proptest! {
        #[test]
        fn random_traffic_never_panics(writes in prop::collection::vec((0u32..12, any::<u32>()), 1..50)) {
            let (mut busctrl, mut io) = (BusCtrl::new(), Io::default());
            for (word, value) in writes {
                busctrl.write(word * 4, value, &mut io);
                busctrl.count(BusPort::Rom, value, value);
                busctrl.count(BusPort::Apb, value, value);
                busctrl.read(word * 4, &mut io);
            }
        }
    }
}
