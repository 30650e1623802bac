//! What a chip's datasheet says of the outside of its package, for whoever draws a board around it.

use std::ops::RangeInclusive;

use crate::GdbFacts;
use crate::image::ChipImages;

/// The facts of a chip.
#[derive(Debug)]
pub struct Facts {
    /// As board files name it.
    pub name: &'static str,
    /// As sentences name it.
    pub title: &'static str,
    /// The number of its cores.
    pub cores: usize,
    /// GPIO 0 up to the one before this number.
    pub gpio_count: u8,
    /// What a GPIO is called where a board gives it no name, as `GP25`.
    pub pin_name: fn(u8) -> String,
    /// The GPIO of each ADC input.
    pub adc_gpios: RangeInclusive<u8>,
    /// What its oscillator takes for a crystal.
    pub crystal_hz: RangeInclusive<u64>,
    /// The crystal of a board whose file names none.
    pub usual_crystal_hz: u64,
    /// The sizes of flash that it can have: powers of two.
    pub flash_bytes: RangeInclusive<u64>,
    /// The flash of a board whose file names none.
    pub usual_flash_bytes: u32,
    /// The size of its boot ROM; 0 without one.
    pub rom_bytes: u64,
    /// Buttons that every board with this chip has, because they are at pins of its own.
    pub buttons: &'static [&'static str],
    /// The names of its interrupt lines; those behind them only software pends.
    pub interrupts: &'static [&'static str],
    /// What its datasheet calls the clock of its processor.
    pub clock_name: &'static str,
    /// The least by which its SPI divides a clock to SCK.
    pub least_spi_divider: u64,
    /// Channels of DMA, which could move bytes in the processor's place.
    pub dma_channels: u8,
    /// How many SPI ports it has.
    pub spi_ports: u8,
    /// The SPI port that may receive at a GPIO.
    pub spi_receives: fn(u8) -> Option<u8>,
    /// The SPI port that may transmit at a GPIO.
    pub spi_transmits: fn(u8) -> Option<u8>,
    /// The SPI port that may have SCK at a GPIO.
    pub spi_clocks: fn(u8) -> Option<u8>,
    /// Whether serial lines and wires to another board may begin and end at its pins ([`crate::Lines`]).
    pub joins_boards: bool,
    /// The UART that may transmit at a GPIO.
    pub uart_transmits: fn(u8) -> Option<u8>,
    /// The UART that may receive at a GPIO.
    pub uart_receives: fn(u8) -> Option<u8>,
    /// How many I2C ports it has.
    pub i2c_ports: u8,
    /// The I2C port that may have SDA at a GPIO, and SCL at the next one.
    pub i2c_data: fn(u8) -> Option<u8>,
    /// The GPIOs at which it gives a clock of its own to other chips ([`crate::Outside::clock_output`]).
    pub clock_outputs: &'static [u8],
    /// The GPIOs at which it can take a clock of another chip's for one of its own ([`crate::Pins::give_clock`]).
    pub clock_inputs: &'static [u8],
    /// Whether it has a USB device controller ([`crate::Outside::usb_frame`]).
    pub has_usb: bool,
    /// Whether its address space has a window that is the board's ([`crate::Outside::memory_read`]).
    pub has_board_window: bool,
    /// The name of an exception by its number, interrupts among them.
    pub exception: fn(u8) -> String,
    /// The memory that an address of code lies in.
    pub code_memory: fn(u32) -> CodeMemory,
    /// How GDB's protocol describes it.
    pub gdb: GdbFacts,
    /// What its images are.
    pub images: &'static dyn ChipImages,
}

impl Facts {
    /// The last GPIO.
    pub fn last_gpio(&self) -> u8 {
        self.gpio_count - 1
    }

    /// All GPIOs, a bit each.
    pub fn all_pins(&self) -> u32 {
        u32::MAX >> (u32::BITS - u32::from(self.gpio_count))
    }

    /// The name of an interrupt line.
    pub fn interrupt_name(&self, line: u8) -> &'static str {
        self.interrupts.get(usize::from(line)).copied().unwrap_or("software interrupt")
    }
}

/// A memory that code lies in, for code that has no name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeMemory {
    /// What it is called.
    pub name: &'static str,
    /// Whether all of it is one piece of code, so that no address is needed to tell what is meant.
    pub is_one: bool,
}
