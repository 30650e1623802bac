//! The chips, as tables of facts ([`Part`]): memories, ports, vectors, and which timers and USARTs they have. Their registers
//! stand at the same addresses in all of them (`registers`).
//!
//! Addresses and vectors are those of avr-libc 2.0.0's `avr/iom328p.h`, `avr/iom1284p.h` and `avr/iomxx0_1.h`, pins those of
//! the datasheets' "Alternate Port Functions".

mod atmega1284p;
mod atmega2560;
mod atmega328p;
pub(crate) mod bits;
pub(crate) mod power;
pub(crate) mod registers;
pub(crate) mod sources;

pub(crate) use atmega328p::ATMEGA328P;
pub(crate) use atmega1284p::ATMEGA1284P;
pub(crate) use atmega2560::ATMEGA2560;

use crate::peripherals::adc_inputs::AdcInputs;

/// No pin of the board.
pub(crate) const NO_PIN: u8 = 0xff;

/// All of them, the smallest first.
pub(crate) static PARTS: [&Part; 3] = [&ATMEGA328P, &ATMEGA1284P, &ATMEGA2560];

/// A chip.
#[derive(Debug)]
pub(crate) struct Part {
    /// As board files name it.
    pub(crate) name: &'static str,
    /// As sentences name it.
    pub(crate) title: &'static str,
    /// The bytes that identify it.
    pub(crate) signature: [u8; 3],
    /// Bytes of flash, a power of two.
    pub(crate) flash_bytes: u32,
    /// Bytes of a page of flash.
    pub(crate) page_bytes: u32,
    /// The bytes of flash that a boot loader may have, the smallest first (BOOTSZ).
    pub(crate) boot_bytes: [u32; 4],
    /// Bytes of EEPROM.
    pub(crate) eeprom_bytes: u16,
    /// The first address of RAM in the data space, and its bytes.
    pub(crate) ram_start: u16,
    pub(crate) ram_bytes: u16,
    /// Whether the program counter has 22 bits.
    pub(crate) long_pc: bool,
    /// Its ports.
    pub(crate) ports: &'static [Port],
    /// How many GPIO numbers there are.
    pub(crate) gpio_count: u8,
    /// The source of each vector, that of vector 1 first.
    pub(crate) order: &'static [u8],
    /// What each vector is called.
    pub(crate) vectors: &'static [&'static str],
    /// SCK, MOSI, MISO and SS.
    pub(crate) spi: [u8; 4],
    /// RXD and TXD of each USART.
    pub(crate) usarts: &'static [[u8; 2]],
    /// The pins of each timer.
    pub(crate) timers: &'static [TimerPins],
    /// INT0 and on.
    pub(crate) external: &'static [u8],
    /// The pins of PCINT, 8 for each mask register.
    pub(crate) changes: &'static [[u8; 8]],
    /// DIDRn, which switch digital inputs off.
    pub(crate) input_disables: &'static [InputDisable],
    /// Registers of which it lacks bits that others of the chips have, by their address, with the bits that it has.
    pub(crate) narrow: &'static [(u16, u8)],
    /// PRR, or PRR0 and PRR1.
    pub(crate) power: &'static [power::PowerReduction],
    /// SDA and SCL.
    pub(crate) twi: [u8; 2],
    /// The GPIOs with an ADC input, by channel.
    pub(crate) adc_gpios: std::ops::RangeInclusive<u8>,
    /// What the ADC's multiplexer selects.
    pub(crate) adc_inputs: AdcInputs,
}

/// A port.
#[derive(Debug)]
pub(crate) struct Port {
    /// Its letter.
    pub(crate) letter: u8,
    /// The GPIO number of each of its bits.
    pub(crate) gpios: [u8; 8],
}

/// A register that switches digital inputs off.
#[derive(Debug)]
pub(crate) struct InputDisable {
    /// Its address in the data space.
    pub(crate) register: u16,
    /// The port as its registers stand: 0 for A, and 9 for K, since there is no port I.
    pub(crate) port: u8,
    /// The bit of the port that its bit 0 is for.
    pub(crate) first: u8,
    /// The bits that it has.
    pub(crate) mask: u8,
}

/// The pins of a timer.
#[derive(Debug)]
pub(crate) struct TimerPins {
    /// OCnA, OCnB and OCnC.
    pub(crate) outputs: [u8; 3],
    /// ICPn.
    pub(crate) capture: u8,
    /// Tn.
    pub(crate) clock: u8,
}

impl Part {
    /// The last address of RAM.
    pub(crate) fn ram_end(&self) -> u16 {
        self.ram_start + (self.ram_bytes - 1)
    }

    /// The words of a vector.
    pub(crate) fn vector_words(&self) -> u32 {
        2
    }

    /// Where the largest boot section begins. Whatever BOOTSZ says, flash below can be read only while none of it is written.
    pub(crate) fn largest_boot_section(&self) -> u32 {
        let [.., most_bytes] = self.boot_bytes;
        self.flash_bytes - most_bytes
    }

    /// What a GPIO is called, as `PB5`.
    pub(crate) fn pin_name(&self, gpio: u8) -> String {
        for port in self.ports {
            if let Some(bit) = port.gpios.iter().position(|&own| own == gpio) {
                return format!("P{}{bit}", char::from(port.letter));
            }
        }
        format!("GP{gpio}")
    }
}

/// Eight GPIOs in a row.
const fn row(first: u8) -> [u8; 8] {
    [first, first + 1, first + 2, first + 3, first + 4, first + 5, first + 6, first + 7]
}
