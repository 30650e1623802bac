//! What the core is ruled by: reset flags, sleep modes, the place of the vectors and the clock's prescaler (ATmega328P
//! datasheet, "System Clock and Clock Options", "Power Management and Sleep Modes", "System Control and Reset").

use std::collections::BTreeMap;

const PUD: u8 = 1 << 4;
const IVSEL: u8 = 1 << 1;
const IVCE: u8 = 1 << 0;
const CLKPCE: u8 = 1 << 7;
const WINDOW_CYCLES: u64 = 4;

/// MCUSR.
pub(crate) const POWER_ON: u8 = 1 << 0;
pub(crate) const EXTERNAL: u8 = 1 << 1;
pub(crate) const WATCHDOG: u8 = 1 << 3;

/// What of the clocks runs in a sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum SleepMode {
    /// All but the core's.
    Idle,
    /// The ADC's.
    AdcNoiseReduction,
    /// None; the crystal stops.
    PowerDown,
    /// None; the crystal goes on (standby).
    Standby,
}

impl SleepMode {
    /// Whether timers, USARTs and the SPI stand still.
    pub(crate) fn stops_peripherals(self) -> bool {
        self != Self::Idle
    }

    /// Whether the ADC stands still, too ("Active Clock Domains and Wake-up Sources").
    pub(crate) fn stops_adc(self) -> bool {
        matches!(self, Self::PowerDown | Self::Standby)
    }
}

/// The registers.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct System {
    pub(crate) reset_flags: u8,
    sleep: u8,
    control: u8,
    vectors_until: u64,
    prescaler: u8,
    prescaler_until: u64,
    /// Registers that keep what is written, by their address.
    plain: BTreeMap<u16, u8>,
}

impl System {
    pub(crate) fn powered_on() -> Self {
        Self { reset_flags: POWER_ON, ..Self::default() }
    }

    pub(crate) fn reset(&mut self, cause: u8) {
        *self = Self { reset_flags: self.reset_flags | cause, ..Self::default() };
    }

    pub(crate) fn sleep_mode(&self) -> SleepMode {
        match self.sleep >> 1 & 7 {
            0 => SleepMode::Idle,
            1 => SleepMode::AdcNoiseReduction,
            6 | 7 => SleepMode::Standby,
            // Power-save differs by timer 2 on a clock of its own, which is not here.
            _ => SleepMode::PowerDown,
        }
    }

    pub(crate) fn may_sleep(&self) -> bool {
        self.sleep & 1 != 0
    }

    pub(crate) fn vectors_are_in_boot_section(&self) -> bool {
        self.control & IVSEL != 0
    }

    pub(crate) fn pull_ups_are_off(&self) -> bool {
        self.control & PUD != 0
    }

    pub(crate) fn read_sleep(&self) -> u8 {
        self.sleep
    }

    pub(crate) fn write_sleep(&mut self, value: u8) {
        self.sleep = value & 0xf;
    }

    pub(crate) fn read_control(&self) -> u8 {
        self.control
    }

    /// IVSEL can be changed for 4 cycles after IVCE was written.
    pub(crate) fn write_control(&mut self, value: u8, cycle: u64) {
        let vectors = if cycle < self.vectors_until { value & IVSEL } else { self.control & IVSEL };
        if value & IVCE != 0 {
            self.vectors_until = cycle + 1 + WINDOW_CYCLES;
        }
        self.control = value & !(IVSEL | IVCE) | vectors;
    }

    pub(crate) fn read_prescaler(&self) -> u8 {
        self.prescaler
    }

    /// The division that the clock has from here on, where it changes.
    pub(crate) fn write_prescaler(&mut self, value: u8, cycle: u64) -> Option<u64> {
        if value == CLKPCE {
            self.prescaler_until = cycle + 1 + WINDOW_CYCLES;
            return None;
        }
        if cycle >= self.prescaler_until {
            return None;
        }
        self.prescaler = (value & 0xf).min(8);
        Some(1 << self.prescaler)
    }

    pub(crate) fn read_plain(&self, address: u16) -> u8 {
        self.plain.get(&address).copied().unwrap_or(0)
    }

    pub(crate) fn write_plain(&mut self, address: u16, value: u8) {
        self.plain.insert(address, value);
    }
}
