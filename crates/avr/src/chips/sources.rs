//! The sources of interrupts, by numbers that are the same for every chip; which vector each has, a chip's table says.

/// INT0 to INT7.
pub(crate) const INT: u8 = 0;
/// PCINT0 to PCINT3.
pub(crate) const PCINT: u8 = 8;
pub(crate) const WATCHDOG: u8 = 12;
/// Five of each timer.
const TIMER: u8 = 13;
pub(crate) const SPI: u8 = 43;
/// Three of each USART.
const USART: u8 = 44;
pub(crate) const COMPARATOR: u8 = 56;
pub(crate) const ADC: u8 = 57;
pub(crate) const EEPROM: u8 = 58;
pub(crate) const TWI: u8 = 59;
pub(crate) const SPM: u8 = 60;
pub(crate) const COUNT: usize = 61;

/// Those of a timer.
pub(crate) const CAPTURE: u8 = 0;
pub(crate) const COMPARE_A: u8 = 1;
pub(crate) const OVERFLOW: u8 = 4;
/// Those of a USART.
pub(crate) const RECEIVED: u8 = 0;
pub(crate) const EMPTY: u8 = 1;
pub(crate) const SENT: u8 = 2;

pub(crate) const fn timer(number: u8, which: u8) -> u8 {
    TIMER + 5 * number + which
}

pub(crate) const fn usart(number: u8, which: u8) -> u8 {
    USART + 3 * number + which
}

/// Which timer a source belongs to, and which of its it is.
pub(crate) fn as_timer(source: u8) -> Option<(usize, u8)> {
    let offset = source.checked_sub(TIMER)?;
    (source < SPI).then(|| (usize::from(offset / 5), offset % 5))
}

/// The same for a USART.
pub(crate) fn as_usart(source: u8) -> Option<(usize, u8)> {
    let offset = source.checked_sub(USART)?;
    (source < COMPARATOR).then(|| (usize::from(offset / 3), offset % 3))
}
