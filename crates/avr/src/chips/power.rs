//! What each bit of PRR0 and PRR1 stops (avr-libc's headers; datasheets, "PRR0" and "PRR1"). The ATmega328P calls its only one PRR.

/// A peripheral whose clock can be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Module {
    Adc,
    Spi,
    Timer(u8),
    Twi,
    Usart(u8),
}

/// The bits of a register, bit 0 first; a reserved one stops nothing.
pub(crate) type PowerReduction = [Option<Module>; 8];

const fn first(bit_4: Option<Module>) -> PowerReduction {
    use Module::{Adc, Spi, Timer, Twi, Usart};
    [Some(Adc), Some(Usart(0)), Some(Spi), Some(Timer(1)), bit_4, Some(Timer(0)), Some(Timer(2)), Some(Twi)]
}

pub(super) static OF_ATMEGA328P: [PowerReduction; 1] = [first(None)];

pub(super) static OF_ATMEGA1284P: [PowerReduction; 2] =
    [first(Some(Module::Usart(1))), [Some(Module::Timer(3)), None, None, None, None, None, None, None]];

pub(super) static OF_ATMEGA2560: [PowerReduction; 2] = [
    first(None),
    [
        Some(Module::Usart(1)),
        Some(Module::Usart(2)),
        Some(Module::Usart(3)),
        Some(Module::Timer(3)),
        Some(Module::Timer(4)),
        Some(Module::Timer(5)),
        None,
        None,
    ],
];
