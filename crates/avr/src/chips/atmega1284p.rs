//! The ATmega1284P. Its GPIO numbers are those of ports A to D in a row: PA0 is 0, PB0 is 8, PC0 is 16, PD0 is 24.

use super::sources::{self, CAPTURE, COMPARE_A, EMPTY, OVERFLOW, RECEIVED, SENT, timer, usart};
use super::{NO_PIN, Part, Port, TimerPins, row};

const A: u8 = 0;
const B: u8 = 8;
const C: u8 = 16;
const D: u8 = 24;

pub(crate) static ATMEGA1284P: Part = Part {
    name: "atmega1284p",
    title: "ATmega1284P",
    signature: [0x1e, 0x97, 0x05],
    flash_bytes: 128 << 10,
    page_bytes: 256,
    boot_bytes: [1024, 2048, 4096, 8192],
    eeprom_bytes: 4096,
    ram_start: 0x100,
    ram_bytes: 16 << 10,
    long_pc: false,
    ports: &[
        Port { letter: b'A', gpios: row(A) },
        Port { letter: b'B', gpios: row(B) },
        Port { letter: b'C', gpios: row(C) },
        Port { letter: b'D', gpios: row(D) },
    ],
    gpio_count: 32,
    order: &[
        sources::INT,
        sources::INT + 1,
        sources::INT + 2,
        sources::PCINT,
        sources::PCINT + 1,
        sources::PCINT + 2,
        sources::PCINT + 3,
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
        sources::COMPARATOR,
        sources::ADC,
        sources::EEPROM,
        sources::TWI,
        sources::SPM,
        usart(1, RECEIVED),
        usart(1, EMPTY),
        usart(1, SENT),
        timer(3, CAPTURE),
        timer(3, COMPARE_A),
        timer(3, COMPARE_A + 1),
        timer(3, OVERFLOW),
    ],
    vectors: &[
        "INT0", "INT1", "INT2", "PCINT0", "PCINT1", "PCINT2", "PCINT3", "WDT", "TIMER2_COMPA",
        "TIMER2_COMPB", "TIMER2_OVF", "TIMER1_CAPT", "TIMER1_COMPA", "TIMER1_COMPB", "TIMER1_OVF",
        "TIMER0_COMPA", "TIMER0_COMPB", "TIMER0_OVF", "SPI_STC", "USART0_RX", "USART0_UDRE", "USART0_TX",
        "ANALOG_COMP", "ADC", "EE_READY", "TWI", "SPM_READY", "USART1_RX", "USART1_UDRE", "USART1_TX",
        "TIMER3_CAPT", "TIMER3_COMPA", "TIMER3_COMPB", "TIMER3_OVF",
    ],
    spi: [B + 7, B + 5, B + 6, B + 4],
    usarts: &[[D, D + 1], [D + 2, D + 3]],
    timers: &[
        TimerPins { outputs: [B + 3, B + 4, NO_PIN], capture: NO_PIN, clock: B },
        TimerPins { outputs: [D + 5, D + 4, NO_PIN], capture: D + 6, clock: B + 1 },
        TimerPins { outputs: [D + 7, D + 6, NO_PIN], capture: NO_PIN, clock: NO_PIN },
        TimerPins { outputs: [B + 6, B + 7, NO_PIN], capture: B + 5, clock: D },
    ],
    external: &[D + 2, D + 3, B + 2],
    changes: &[row(A), row(B), row(C), row(D)],
    twi: [C + 1, C],
    adc_gpios: A..=A + 7,
};
