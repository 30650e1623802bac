//! What a chip's datasheet says of the outside of its package, for whoever draws a board around it.

use std::ops::RangeInclusive;

/// The facts of a chip.
#[derive(Debug)]
pub struct Facts {
    /// As board files name it.
    pub name: &'static str,
    /// GPIO 0 up to the one before this number.
    pub gpio_count: u8,
    /// The GPIO of each ADC input.
    pub adc_gpios: RangeInclusive<u8>,
    /// What its oscillator takes for a crystal.
    pub crystal_hz: RangeInclusive<u64>,
    /// The sizes of flash chips that its boot ROM knows.
    pub flash_bytes: RangeInclusive<u64>,
    /// The names of its interrupt lines; those behind them only software pends.
    pub interrupts: &'static [&'static str],
    /// The SPI port that may receive at a GPIO.
    pub spi_receives: fn(u8) -> Option<u8>,
    /// The SPI port that may transmit at a GPIO.
    pub spi_transmits: fn(u8) -> Option<u8>,
    /// The UART that may transmit at a GPIO.
    pub uart_transmits: fn(u8) -> Option<u8>,
    /// The UART that may receive at a GPIO.
    pub uart_receives: fn(u8) -> Option<u8>,
    /// The I2C port that may have SDA at a GPIO, and SCL at the next one.
    pub i2c_data: fn(u8) -> Option<u8>,
}
