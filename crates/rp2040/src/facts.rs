//! What the datasheet says of the RP2040's pins, interrupts and clocks, for whoever draws a board around it.

use mcu::{CodeMemory, Facts, Waker};

use crate::image::Images;
use crate::pins::PIN_COUNT;
use crate::report::INTERRUPTS;
use crate::seam::GDB;

/// The button at the flash's chip select, which firmware may read.
pub(crate) const BOOTSEL: &str = "BOOTSEL";

/// SysTick (ARMv6-M Architecture Reference Manual B1.5.2), and the first interrupt.
const SYSTICK: u8 = 15;
const FIRST_INTERRUPT: u8 = 16;

/// Where boot2 is copied to and runs (RP2040 datasheet 2.8.1.3.1).
const BOOT2: std::ops::Range<u32> = 0x2004_1f00..0x2004_2000;

/// The GPIOs of CLOCK GPOUT0 to GPOUT3 (RP2040 datasheet 1.4.3).
pub(crate) const CLOCK_OUTPUTS: [u8; 4] = [21, 23, 24, 25];
/// Those of CLOCK GPIN0 and GPIN1.
pub(crate) const CLOCK_INPUTS: [u8; 2] = [20, 22];

/// The facts of the RP2040.
pub static FACTS: Facts = Facts {
    name: "rp2040",
    title: "RP2040",
    cores: 2,
    gpio_count: PIN_COUNT as u8,
    pin_name: |gpio| format!("GP{gpio}"),
    // RP2040 datasheet 4.9.1.
    adc_gpios: 26..=29,
    // RP2040 datasheet 2.16.1.
    crystal_hz: 1_000_000..=15_000_000,
    // A Raspberry Pi Pico has both.
    usual_crystal_hz: 12_000_000,
    flash_bytes: 64 << 10..=16 << 20,
    usual_flash_bytes: 2 << 20,
    rom_bytes: 16 << 10,
    buttons: &[BOOTSEL],
    interrupts: &INTERRUPTS,
    spi_ports: 2,
    spi_receives: |gpio| port(gpio, 4, 0, spi_port),
    spi_transmits: |gpio| port(gpio, 4, 3, spi_port),
    spi_clocks: |gpio| port(gpio, 4, 2, spi_port),
    joins_boards: true,
    clock_name: "clk_sys",
    // SCK of the PL022 is clk_peri by CPSDVSR, which is 2 at least (RP2040 datasheet 4.4.3.4).
    least_spi_divider: 2,
    dma_channels: 12,
    uart_transmits: |gpio| port(gpio, 4, 0, uart_port),
    uart_receives: |gpio| port(gpio, 4, 1, uart_port),
    i2c_ports: 2,
    i2c_data: |gpio| port(gpio, 2, 0, |gpio| gpio >> 1 & 1),
    clock_outputs: &CLOCK_OUTPUTS,
    clock_inputs: &CLOCK_INPUTS,
    has_usb: true,
    has_board_window: true,
    exception,
    code_memory,
    gdb: GDB,
    images: &Images,
};

/// The name of an exception (ARMv6-M Architecture Reference Manual B1.5.2, RP2040 datasheet 2.3.2).
fn exception(number: u8) -> String {
    match number {
        2 => "NMI".to_owned(),
        3 => "HardFault".to_owned(),
        11 => "SVCall".to_owned(),
        14 => "PendSV".to_owned(),
        SYSTICK => "SysTick".to_owned(),
        FIRST_INTERRUPT.. => FACTS.interrupt_name(number - FIRST_INTERRUPT).to_owned(),
        other => format!("exception {other}"),
    }
}

/// What an exception means for an image that it interrupts or wakes.
pub(crate) fn waker(exception: u8) -> Waker {
    let line = exception.checked_sub(FIRST_INTERRUPT).map(usize::from);
    match line.and_then(|line| INTERRUPTS.get(line)).copied() {
        _ if exception == SYSTICK => Waker::Timer,
        Some(name) if ["TIMER", "PWM", "RTC"].iter().any(|timer| name.starts_with(timer)) => Waker::Timer,
        Some(name) if name.starts_with("IO_IRQ") => Waker::Pin,
        name => Waker::Other(name),
    }
}

/// The memory that an address of code lies in (RP2040 datasheet 2.2).
fn code_memory(address: u32) -> CodeMemory {
    let (name, is_one) = match address >> 24 {
        0x00 => ("boot ROM", true),
        0x10..=0x13 => ("flash", false),
        0x15 => ("XIP SRAM", false),
        _ if BOOT2.contains(&address) => ("boot2", true),
        0x20 | 0x21 => ("RAM", false),
        _ => ("no memory", false),
    };
    CodeMemory { name, is_one }
}

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
    use mcu::Waker;

    use super::{FACTS, FIRST_INTERRUPT, SYSTICK, waker};

    fn gpios(of: fn(u8) -> Option<u8>, port: u8) -> Vec<u8> {
        (0..=u8::MAX).filter(|&gpio| of(gpio) == Some(port)).collect()
    }

    #[test]
    fn the_exception_says_what_ended_a_sleep() {
        assert_eq!(waker(SYSTICK), Waker::Timer);
        assert_eq!(waker(FIRST_INTERRUPT), Waker::Timer);
        assert_eq!(waker(FIRST_INTERRUPT + 13), Waker::Pin);
        assert_eq!(waker(FIRST_INTERRUPT + 11), Waker::Other(Some("DMA_IRQ_0")));
        assert_eq!(waker(FIRST_INTERRUPT - 2), Waker::Other(None));
    }

    #[test]
    fn ports_of_pins_are_those_of_the_datasheet() {
        // RP2040 datasheet 1.4.3, table 2.
        assert_eq!(gpios(FACTS.spi_receives, 0), [0, 4, 16, 20]);
        assert_eq!(gpios(FACTS.spi_transmits, 1), [11, 15, 27]);
        assert_eq!(gpios(FACTS.spi_clocks, 0), [2, 6, 18, 22]);
        assert_eq!(gpios(FACTS.spi_clocks, 1), [10, 14, 26]);
        assert_eq!(gpios(FACTS.uart_transmits, 0), [0, 12, 16, 28]);
        assert_eq!(gpios(FACTS.uart_receives, 1), [5, 9, 21, 25]);
        assert_eq!(gpios(FACTS.i2c_data, 0), [0, 4, 8, 12, 16, 20, 24, 28]);
        assert_eq!(gpios(FACTS.i2c_data, 1), [2, 6, 10, 14, 18, 22, 26]);
    }
}
