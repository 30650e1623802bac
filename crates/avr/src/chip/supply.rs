//! What the chip's supply feels of its core: how long it runs, and how long it is in each of its sleeps.

use mcu::SupplyState;
use units::Picoseconds;

use super::{Asleep, Avr};
use crate::peripherals::system::SleepMode;

/// Sleeps of one mode that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Slumber {
    time: Picoseconds,
    cycles: u64,
}

/// The modes, as indices have them, by their names in the datasheet; idle is what other chips call asleep.
const MODES: [(SleepMode, &str); 4] = [
    (SleepMode::Idle, "asleep"),
    (SleepMode::AdcNoiseReduction, "ADC noise reduction"),
    (SleepMode::PowerDown, "power-down"),
    (SleepMode::Standby, "standby"),
];

impl Avr {
    /// The core sleeps no longer; what it did until now, if it slept.
    pub(crate) fn end_sleep(&mut self) -> Option<Asleep> {
        let asleep = self.state.asleep?;
        self.state.slept = self.slept();
        self.state.asleep = None;
        Some(asleep)
    }

    fn slept(&self) -> [Slumber; MODES.len()] {
        let mut slept = self.state.slept;
        if let Some(Asleep { mode, since }) = self.state.asleep {
            let clock = &self.io.devices.clock;
            let until = self.state.core.cycle;
            let place = MODES.iter().position(|(known, _)| *known == mode).expect("every mode is listed");
            slept[place].time = slept[place].time + (clock.time(until) - clock.time(since));
            slept[place].cycles += until - since;
        }
        slept
    }

    /// All states, which together are all time.
    pub(crate) fn supply_states(&self) -> Vec<SupplyState> {
        let slept = self.slept();
        let time = slept.iter().fold(self.state.now, |left, one| left - one.time);
        let cycles = slept.iter().fold(self.state.core.cycle, |left, one| left.saturating_sub(one.cycles));
        let running =
            SupplyState { state: "running", time: time.max(Picoseconds::ZERO), cycles, core_cycles: cycles };
        let asleep = MODES.iter().zip(slept).map(|((_, state), one)| SupplyState {
            state,
            time: one.time,
            cycles: one.cycles,
            core_cycles: 0,
        });
        std::iter::once(running).chain(asleep).collect()
    }
}
