//! The peripherals, a file each. They never know each other: what passes between them are lines, pins and clocks
//! ([`crate::Io`]); the bus (`crate::bus`) owns them all and leads accesses and events to them.

pub mod adc;
pub mod busctrl;
pub mod clocks;
pub mod dma;
pub mod i2c;
pub mod io_bank0;
pub mod pads;
pub mod pio;
pub mod psm;
pub mod pwm;
pub mod resets;
pub mod rtc;
pub mod sio;
pub mod spi;
pub mod system;
pub mod timer;
pub mod uart;
pub mod usb;
pub mod watchdog;

use crate::io::Io;

/// A block of registers on the bus.
pub trait Peripheral {
    /// Reads the register at `offset` (a multiple of 4, below 0x1000), with the effects that reading has.
    fn read(&mut self, offset: u32, io: &mut Io) -> u32;

    /// What reading would give, without its effects: for the atomic aliases and for whoever looks from outside.
    fn peek(&self, offset: u32, io: &Io) -> u32;

    /// Writes the register at `offset` (a multiple of 4, below 0x1000).
    fn write(&mut self, offset: u32, value: u32, io: &mut Io);

    /// The time came that was asked for with [`Io::wake_at`] under `source`.
    fn wake(&mut self, source: Source, io: &mut Io) {
        let _ = (source, io);
    }
}

macro_rules! sources {
    ($($name:ident),* $(,)?) => {
        /// Who asks to be woken. Of events at one instant the earlier in this list comes first.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[allow(missing_docs)]
        pub enum Source { $($name),* }

        impl Source {
            const ALL: &'static [Self] = &[$(Self::$name),*];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();
        }
    };
}

sources!(
    Outside,
    Foretold,
    Clocks,
    Watchdog,
    Timer,
    SysTick0,
    SysTick1,
    Rtc,
    Pwm,
    Adc,
    Uart0,
    Uart1,
    Uart0Receive,
    Uart1Receive,
    Spi0,
    Spi1,
    I2c0,
    I2c1,
    Usb,
    UsbHost,
    Ssi,
    Flash,
    Pio0,
    Pio1,
    IoBank0,
    Dma,
    Typed0,
    Typed1,
    Sampler,
    Uart0Line,
    Uart1Line,
    Uart0Bits,
    Uart1Bits,
    Spi0Bits,
    Spi1Bits,
    I2c0Target,
    I2c1Target,
);

impl Source {
    /// Its place in the agenda.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The source at a place in the agenda.
    ///
    /// # Panics
    /// When there is none.
    pub fn from_index(index: usize) -> Self {
        Self::ALL[index]
    }
}
