//! The ATmega328P. Its GPIO numbers are those of ports B, C and D in a row: PB0 is 0, PC0 is 8, PD0 is 16.

use super::sources::{self, CAPTURE, COMPARE_A, EMPTY, OVERFLOW, RECEIVED, SENT, timer, usart};
use super::{NO_PIN, Part, Port, TimerPins, row};

const B: u8 = 0;
const C: u8 = 8;
const D: u8 = 16;

pub(crate) static ATMEGA328P: Part = Part {
    name: "atmega328p",
    title: "ATmega328P",
    signature: [0x1e, 0x95, 0x0f],
    flash_bytes: 32 << 10,
    page_bytes: 128,
    boot_bytes: [512, 1024, 2048, 4096],
    eeprom_bytes: 1024,
    ram_start: 0x100,
    ram_bytes: 2048,
    long_pc: false,
    ports: &[
        Port { letter: b'B', gpios: row(B) },
        // PC7 does not exist; PC6 is RESET on every board.
        Port { letter: b'C', gpios: [C, C + 1, C + 2, C + 3, C + 4, C + 5, C + 6, NO_PIN] },
        Port { letter: b'D', gpios: row(D) },
    ],
    gpio_count: 24,
    order: &[
        sources::INT,
        sources::INT + 1,
        sources::PCINT,
        sources::PCINT + 1,
        sources::PCINT + 2,
        sources::WATCHDOG,
        timer(2, COMPARE_A),
        timer(2, COMPARE_A + 1),
        timer(2, OVERFLOW),
        timer(1, CAPTURE),
        timer(1, COMPARE_A),
        timer(1, COMPARE_A + 1),
        timer(1, OVERFLOW),
        timer(0, COMPARE_A),
        timer(0, COMPARE_A + 1),
        timer(0, OVERFLOW),
        sources::SPI,
        usart(0, RECEIVED),
        usart(0, EMPTY),
        usart(0, SENT),
        sources::ADC,
        sources::EEPROM,
        sources::COMPARATOR,
        sources::TWI,
        sources::SPM,
    ],
    vectors: &[
        "INT0", "INT1", "PCINT0", "PCINT1", "PCINT2", "WDT", "TIMER2_COMPA", "TIMER2_COMPB", "TIMER2_OVF",
        "TIMER1_CAPT", "TIMER1_COMPA", "TIMER1_COMPB", "TIMER1_OVF", "TIMER0_COMPA", "TIMER0_COMPB",
        "TIMER0_OVF", "SPI_STC", "USART_RX", "USART_UDRE", "USART_TX", "ADC", "EE_READY", "ANALOG_COMP",
        "TWI", "SPM_READY",
    ],
    spi: [B + 5, B + 3, B + 4, B + 2],
    usarts: &[[D, D + 1]],
    timers: &[
        TimerPins { outputs: [D + 6, D + 5, NO_PIN], capture: NO_PIN, clock: D + 4 },
        TimerPins { outputs: [B + 1, B + 2, NO_PIN], capture: B, clock: D + 5 },
        TimerPins { outputs: [B + 3, D + 3, NO_PIN], capture: NO_PIN, clock: NO_PIN },
    ],
    external: &[D + 2, D + 3],
    changes: &[row(B), [C, C + 1, C + 2, C + 3, C + 4, C + 5, C + 6, NO_PIN], row(D)],
    twi: [C + 4, C + 5],
    adc_gpios: C..=C + 5,
};
