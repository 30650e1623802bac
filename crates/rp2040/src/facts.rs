//! What the datasheet says of the RP2040's pins, interrupts and clocks, for whoever draws a board around it.

use mcu::Facts;

use crate::pins::PIN_COUNT;
use crate::report::INTERRUPTS;

/// The facts of the RP2040.
pub static FACTS: Facts = Facts {
    name: "rp2040",
    gpio_count: PIN_COUNT as u8,
    // RP2040 datasheet 4.9.1.
    adc_gpios: 26..=29,
    // RP2040 datasheet 2.16.1.
    crystal_hz: 1_000_000..=15_000_000,
    flash_bytes: 64 << 10..=16 << 20,
    interrupts: &INTERRUPTS,
    spi_receives: |gpio| port(gpio, 4, 0, spi_port),
    spi_transmits: |gpio| port(gpio, 4, 3, spi_port),
    uart_transmits: |gpio| port(gpio, 4, 0, uart_port),
    uart_receives: |gpio| port(gpio, 4, 1, uart_port),
    i2c_data: |gpio| port(gpio, 2, 0, |gpio| gpio >> 1 & 1),
};

/// The port at a GPIO whose number leaves this remainder (RP2040 datasheet 1.4.3).
fn port(gpio: u8, divisor: u8, remainder: u8, port: fn(u8) -> u8) -> Option<u8> {
    (u32::from(gpio) < PIN_COUNT && gpio % divisor == remainder).then(|| port(gpio))
}

/// SPI0 has GPIO 0 to 7 and 16 to 23, SPI1 the others.
fn spi_port(gpio: u8) -> u8 {
    gpio >> 3 & 1
}

/// UART0 has GPIO 0 to 3, 12 to 19 and 28 up, UART1 4 to 11 and 20 to 27.
fn uart_port(gpio: u8) -> u8 {
    (gpio + 4) >> 3 & 1
}

#[cfg(test)]
mod tests {
    use super::FACTS;

    fn gpios(of: fn(u8) -> Option<u8>, port: u8) -> Vec<u8> {
        (0..=u8::MAX).filter(|&gpio| of(gpio) == Some(port)).collect()
    }

    #[test]
    fn ports_of_pins_are_those_of_the_datasheet() {
        // RP2040 datasheet 1.4.3, table 2.
        assert_eq!(gpios(FACTS.spi_receives, 0), [0, 4, 16, 20]);
        assert_eq!(gpios(FACTS.spi_transmits, 1), [11, 15, 27]);
        assert_eq!(gpios(FACTS.uart_transmits, 0), [0, 12, 16, 28]);
        assert_eq!(gpios(FACTS.uart_receives, 1), [5, 9, 21, 25]);
        assert_eq!(gpios(FACTS.i2c_data, 0), [0, 4, 8, 12, 16, 20, 24, 28]);
        assert_eq!(gpios(FACTS.i2c_data, 1), [2, 6, 10, 14, 18, 22, 26]);
    }
}
