//! The watchdog (ATmega328P datasheet, "Watchdog Timer"): interrupt, reset, or the one after the other, in 2048 to 1048576
//! periods of its oscillator of 128 kHz, which is taken to be exact. WDCE opens a window of 4 cycles for WDE and the prescaler.

use super::NEVER;

const WDIF: u8 = 1 << 7;
const WDIE: u8 = 1 << 6;
const WDP3: u8 = 1 << 5;
const WDCE: u8 = 1 << 4;
const WDE: u8 = 1 << 3;
const PRESCALER: u8 = WDP3 | 7;
const WINDOW_CYCLES: u64 = 4;
const LEAST_PERIODS: u64 = 2048;
const LARGEST: u8 = 9;
const OSCILLATOR_HZ: u64 = 128_000;

/// The watchdog.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Watchdog {
    control: u8,
    window_until: u64,
    expires: u64,
}

/// What its end means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expired {
    Interrupt,
    Reset,
}

impl Watchdog {
    pub(crate) fn new() -> Self {
        Self { control: 0, window_until: 0, expires: NEVER }
    }

    /// After a reset by itself it goes on with the shortest time: WDRF keeps WDE set.
    pub(crate) fn reset(&mut self, cycle: u64, hz: u64, by_itself: bool) {
        self.control = if by_itself { WDE } else { 0 };
        self.window_until = 0;
        self.restart(cycle, hz);
    }

    pub(crate) fn next(&self) -> u64 {
        self.expires
    }

    pub(crate) fn interrupts(&self) -> bool {
        self.control & (WDIF | WDIE) == WDIF | WDIE
    }

    /// Its handler is entered: with WDE set, its next end is a reset.
    pub(crate) fn acknowledge(&mut self) {
        self.control &= !WDIF;
        if self.control & WDE != 0 {
            self.control &= !WDIE;
        }
    }

    /// WDR.
    pub(crate) fn restart(&mut self, cycle: u64, hz: u64) {
        let exponent = (self.control & 7 | (self.control & WDP3) >> 2).min(LARGEST);
        let periods = LEAST_PERIODS << exponent;
        let runs = self.control & (WDE | WDIE) != 0;
        self.expires = if runs { cycle + (periods * hz).div_ceil(OSCILLATOR_HZ) } else { NEVER };
    }

    pub(crate) fn expire(&mut self, cycle: u64, hz: u64) -> Option<Expired> {
        if self.expires > cycle {
            return None;
        }
        self.restart(cycle, hz);
        if self.control & WDIE != 0 {
            self.control |= WDIF;
            return Some(Expired::Interrupt);
        }
        Some(Expired::Reset)
    }

    pub(crate) fn read(&self, cycle: u64) -> u8 {
        self.control | if cycle < self.window_until { WDCE } else { 0 }
    }

    /// `kept` says that WDRF is set, which keeps WDE.
    pub(crate) fn write(&mut self, value: u8, cycle: u64, hz: u64, kept: bool) {
        let flag = self.control & WDIF & !value;
        let mut control = self.control & (WDE | PRESCALER) | value & WDIE | flag;
        if cycle < self.window_until {
            control = value & (WDIE | WDE | PRESCALER) | flag;
        }
        // WDE can always be set.
        control |= value & WDE | if kept { WDE } else { 0 };
        if value & (WDCE | WDE) == WDCE | WDE {
            self.window_until = cycle + 1 + WINDOW_CYCLES;
        }
        let before = std::mem::replace(&mut self.control, control);
        if (before ^ control) & (WDE | WDIE | PRESCALER) != 0 {
            self.restart(cycle, hz);
        }
    }
}
