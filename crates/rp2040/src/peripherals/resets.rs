//! Subsystem resets (RP2040 datasheet 2.14): which blocks are held in their state after reset. Which register block
//! belongs to a bit is known to the bus, which asks [`Resets::take_reset`] after each write.
//!
//! Left out: the few cycles until RESET_DONE follows, and that the blocks with a clock of their own (UART, SPI, USB,
//! ADC, RTC) are done only once that clock runs.

use super::Peripheral;
use crate::io::Io;

const RESET: u32 = 0x0;
const WDSEL: u32 = 0x4;
const RESET_DONE: u32 = 0x8;

/// Every block that there is.
pub const ALL_BLOCKS: u32 = 0x01ff_ffff;

/// The bit of each block in RESET (RP2040 datasheet 2.14.3).
#[allow(missing_docs)]
pub mod block {
    pub const ADC: u32 = 1 << 0;
    pub const BUSCTRL: u32 = 1 << 1;
    pub const DMA: u32 = 1 << 2;
    pub const I2C0: u32 = 1 << 3;
    pub const I2C1: u32 = 1 << 4;
    pub const IO_BANK0: u32 = 1 << 5;
    pub const IO_QSPI: u32 = 1 << 6;
    pub const JTAG: u32 = 1 << 7;
    pub const PADS_BANK0: u32 = 1 << 8;
    pub const PADS_QSPI: u32 = 1 << 9;
    pub const PIO0: u32 = 1 << 10;
    pub const PIO1: u32 = 1 << 11;
    pub const PLL_SYS: u32 = 1 << 12;
    pub const PLL_USB: u32 = 1 << 13;
    pub const PWM: u32 = 1 << 14;
    pub const RTC: u32 = 1 << 15;
    pub const SPI0: u32 = 1 << 16;
    pub const SPI1: u32 = 1 << 17;
    pub const SYSCFG: u32 = 1 << 18;
    pub const SYSINFO: u32 = 1 << 19;
    pub const TBMAN: u32 = 1 << 20;
    pub const TIMER: u32 = 1 << 21;
    pub const UART0: u32 = 1 << 22;
    pub const UART1: u32 = 1 << 23;
    pub const USBCTRL: u32 = 1 << 24;
}

/// The reset controller.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Resets {
    held: u32,
    watchdog_select: u32,
    begun: u32,
}

impl Default for Resets {
    fn default() -> Self {
        Self::new()
    }
}

impl Resets {
    /// The state after power-on: every block is held in reset.
    pub fn new() -> Self {
        Self { held: ALL_BLOCKS, watchdog_select: 0, begun: 0 }
    }

    /// Takes the blocks (see [`block`]) that went into reset since the last call: they go back to their state after
    /// reset.
    pub fn take_reset(&mut self) -> u32 {
        std::mem::take(&mut self.begun)
    }

    /// The blocks that are held in reset now.
    pub fn held(&self) -> u32 {
        self.held
    }

    /// The watchdog fired: the blocks that WDSEL names go into reset.
    pub fn watchdog_fired(&mut self) {
        self.hold(self.held | self.watchdog_select);
    }

    fn hold(&mut self, blocks: u32) {
        self.begun |= blocks & !self.held;
        self.held = blocks;
    }
}

impl Peripheral for Resets {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        if offset > RESET_DONE {
            io.unknown("RESETS", "no such register", false);
        }
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            RESET => self.held,
            WDSEL => self.watchdog_select,
            RESET_DONE => !self.held & ALL_BLOCKS,
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            RESET => self.hold(value & ALL_BLOCKS),
            WDSEL => self.watchdog_select = value & ALL_BLOCKS,
            RESET_DONE => {}
            _ => io.unknown("RESETS", "no such register", true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_block_starts_in_reset_and_leaves_it_when_its_bit_is_cleared() {
        let (mut resets, mut io) = (Resets::new(), Io::default());
        assert_eq!(resets.read(RESET_DONE, &mut io), 0);
        resets.write(RESET, ALL_BLOCKS & !block::TIMER, &mut io);
        assert_eq!(resets.read(RESET_DONE, &mut io), block::TIMER);
        assert_eq!(resets.take_reset(), 0);
    }

    #[test]
    fn a_block_is_reset_once_when_its_bit_is_set() {
        let (mut resets, mut io) = (Resets::new(), Io::default());
        resets.write(RESET, 0, &mut io);
        resets.write(RESET, block::SPI0 | block::UART1, &mut io);
        resets.write(RESET, block::SPI0, &mut io);
        assert_eq!(resets.take_reset(), block::SPI0 | block::UART1);
        assert_eq!(resets.take_reset(), 0);
        assert_eq!(resets.held(), block::SPI0);
    }

    #[test]
    fn the_watchdog_resets_what_wdsel_names() {
        let (mut resets, mut io) = (Resets::new(), Io::default());
        resets.write(RESET, 0, &mut io);
        resets.write(WDSEL, block::PWM, &mut io);
        resets.watchdog_fired();
        assert_eq!(resets.take_reset(), block::PWM);
    }

    proptest! {
        #[test]
        fn random_traffic_never_panics(writes in prop::collection::vec((0u32..1024, any::<u32>()), 1..50)) {
            let (mut resets, mut io) = (Resets::new(), Io::default());
            for (word, value) in writes {
                resets.write(word * 4, value, &mut io);
                resets.read(word * 4, &mut io);
                prop_assert_eq!(resets.take_reset() & !ALL_BLOCKS, 0);
            }
        }
    }
}
