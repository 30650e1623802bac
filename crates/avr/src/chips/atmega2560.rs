//! The ATmega2560. Of its 86 pins a board reaches 32, as pins have a bit each in 32: those that an Ethernet shield and the
//! headers beside it use. PA0 and 1 are 0 and 1, PB0 is 2, PD0 to 3 are 10 to 13, PE0 is 14, PF0 to 3 are 22 to 25, PG5 is 26,
//! PH3 to 6 are 27 to 30, and PL0 is 31. The others keep what is written, and are on nothing.

use super::sources::{self, CAPTURE, COMPARE_A, EMPTY, OVERFLOW, RECEIVED, SENT, timer, usart};
use super::{NO_PIN, Part, Port, TimerPins, row};

const B: u8 = 2;
const D: u8 = 10;
const E: u8 = 14;
const F: u8 = 22;
const G5: u8 = 26;
const H3: u8 = 27;
const N: u8 = NO_PIN;
const NONE: [u8; 8] = [N; 8];

const fn compares(number: u8) -> [u8; 5] {
    [
        timer(number, CAPTURE),
        timer(number, COMPARE_A),
        timer(number, COMPARE_A + 1),
        timer(number, COMPARE_A + 2),
        timer(number, OVERFLOW),
    ]
}

const T1: [u8; 5] = compares(1);
const T3: [u8; 5] = compares(3);
const T4: [u8; 5] = compares(4);
const T5: [u8; 5] = compares(5);

pub(crate) static ATMEGA2560: Part = Part {
    name: "atmega2560",
    title: "ATmega2560",
    signature: [0x1e, 0x98, 0x01],
    flash_bytes: 256 << 10,
    page_bytes: 256,
    boot_bytes: [1024, 2048, 4096, 8192],
    eeprom_bytes: 4096,
    ram_start: 0x200,
    ram_bytes: 8192,
    long_pc: true,
    ports: &[
        Port { letter: b'A', gpios: [0, 1, N, N, N, N, N, N] },
        Port { letter: b'B', gpios: row(B) },
        Port { letter: b'C', gpios: NONE },
        Port { letter: b'D', gpios: [D, D + 1, D + 2, D + 3, N, N, N, N] },
        Port { letter: b'E', gpios: row(E) },
        Port { letter: b'F', gpios: [F, F + 1, F + 2, F + 3, N, N, N, N] },
        Port { letter: b'G', gpios: [N, N, N, N, N, G5, N, N] },
        Port { letter: b'H', gpios: [N, N, N, H3, H3 + 1, H3 + 2, H3 + 3, N] },
        Port { letter: b'J', gpios: NONE },
        Port { letter: b'K', gpios: NONE },
        Port { letter: b'L', gpios: [31, N, N, N, N, N, N, N] },
    ],
    gpio_count: 32,
    order: &[
        sources::INT,
        sources::INT + 1,
        sources::INT + 2,
        sources::INT + 3,
        sources::INT + 4,
        sources::INT + 5,
        sources::INT + 6,
        sources::INT + 7,
        sources::PCINT,
        sources::PCINT + 1,
        sources::PCINT + 2,
        sources::WATCHDOG,
        timer(2, COMPARE_A),
        timer(2, COMPARE_A + 1),
        timer(2, OVERFLOW),
        T1[0], T1[1], T1[2], T1[3], T1[4],
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
        T3[0], T3[1], T3[2], T3[3], T3[4],
        usart(1, RECEIVED),
        usart(1, EMPTY),
        usart(1, SENT),
        sources::TWI,
        sources::SPM,
        T4[0], T4[1], T4[2], T4[3], T4[4],
        T5[0], T5[1], T5[2], T5[3], T5[4],
        usart(2, RECEIVED),
        usart(2, EMPTY),
        usart(2, SENT),
        usart(3, RECEIVED),
        usart(3, EMPTY),
        usart(3, SENT),
    ],
    vectors: &[
        "INT0", "INT1", "INT2", "INT3", "INT4", "INT5", "INT6", "INT7", "PCINT0", "PCINT1", "PCINT2", "WDT",
        "TIMER2_COMPA", "TIMER2_COMPB", "TIMER2_OVF", "TIMER1_CAPT", "TIMER1_COMPA", "TIMER1_COMPB",
        "TIMER1_COMPC", "TIMER1_OVF", "TIMER0_COMPA", "TIMER0_COMPB", "TIMER0_OVF", "SPI_STC", "USART0_RX",
        "USART0_UDRE", "USART0_TX", "ANALOG_COMP", "ADC", "EE_READY", "TIMER3_CAPT", "TIMER3_COMPA",
        "TIMER3_COMPB", "TIMER3_COMPC", "TIMER3_OVF", "USART1_RX", "USART1_UDRE", "USART1_TX", "TWI",
        "SPM_READY", "TIMER4_CAPT", "TIMER4_COMPA", "TIMER4_COMPB", "TIMER4_COMPC", "TIMER4_OVF",
        "TIMER5_CAPT", "TIMER5_COMPA", "TIMER5_COMPB", "TIMER5_COMPC", "TIMER5_OVF", "USART2_RX",
        "USART2_UDRE", "USART2_TX", "USART3_RX", "USART3_UDRE", "USART3_TX",
    ],
    spi: [B + 1, B + 2, B + 3, B],
    usarts: &[[E, E + 1], [D + 2, D + 3], [N, N], [N, N]],
    timers: &[
        TimerPins { outputs: [B + 7, G5, N], capture: N, clock: N },
        TimerPins { outputs: [B + 5, B + 6, B + 7], capture: N, clock: N },
        TimerPins { outputs: [B + 4, H3 + 3, N], capture: N, clock: N },
        TimerPins { outputs: [E + 3, E + 4, E + 5], capture: E + 7, clock: E + 6 },
        TimerPins { outputs: [H3, H3 + 1, H3 + 2], capture: 31, clock: N },
        TimerPins { outputs: [N, N, N], capture: N, clock: N },
    ],
    external: &[D, D + 1, D + 2, D + 3, E + 4, E + 5, E + 6, E + 7],
    changes: &[row(B), [E, N, N, N, N, N, N, N], NONE],
    twi: [D + 1, D],
    adc_gpios: F..=F + 3,
};
