//! What the chip's supply feels: how long it was off, starting and on, and what each state of its radio draws.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

/// Whether the chip has power and its firmware runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Phase {
    #[default]
    Off,
    Boot,
    On,
}

/// How long the chip was in each phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhaseTimes {
    /// WL_REG_ON was low.
    pub off: Picoseconds,
    /// It had power, and its firmware did not run yet.
    pub boot: Picoseconds,
    /// Its firmware ran.
    pub on: Picoseconds,
}

/// The phases in time.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Phases {
    now: Phase,
    since: Picoseconds,
    before: PhaseTimes,
}

impl Phases {
    pub(crate) fn enter(&mut self, at: Picoseconds, phase: Phase) {
        if phase != self.now {
            self.before = self.until(at);
            (self.now, self.since) = (phase, at);
        }
    }

    pub(crate) fn until(&self, at: Picoseconds) -> PhaseTimes {
        let mut times = self.before;
        let time = match self.now {
            Phase::Off => &mut times.off,
            Phase::Boot => &mut times.boot,
            Phase::On => &mut times.on,
        };
        *time = *time + (at - self.since).max(Picoseconds::ZERO);
        times
    }
}

/// What a state of the radio draws, and where that is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Current {
    /// Of the radio: off, boot, awake, doze, transmit or receive.
    pub state: &'static str,
    /// At 3.3 V.
    pub milliamperes: f64,
    /// Who says so.
    pub source: &'static str,
}

/// The currents of the states.
pub const CURRENTS: [Current; 6] = [
    Current { state: "off", milliamperes: 0.0, source: "declared: WL_REG_ON is low" },
    Current { state: "boot", milliamperes: 36.0, source: "declared: as awake" },
    Current { state: "awake", milliamperes: 36.0, source: "published: a Pico W without power save, idle" },
    Current {
        state: "doze",
        milliamperes: 1.63,
        source: "fitted on 2 mA published for an idle Pico W in PM2, beacons at a DTIM period of 2 taken off",
    },
    Current {
        state: "transmit",
        milliamperes: 260.0,
        source: "declared: nobody has published it for this board",
    },
    Current {
        state: "receive",
        milliamperes: 36.0,
        source: "declared: as awake, where the receiver is on too",
    },
];

/// What a state of the radio draws, in milliamperes.
fn milliamperes(state: &str) -> f64 {
    CURRENTS.iter().find(|current| current.state == state).map_or(0.0, |current| current.milliamperes)
}

/// What a radio that dozes draws less than one that is awake.
pub fn saved_by_dozing() -> f64 {
    milliamperes("awake") - milliamperes("doze")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_add_up_to_all_time() {
        let ms = |count: i64| Picoseconds::new(count * units::PS_PER_MS);
        let mut phases = Phases::default();
        phases.enter(ms(10), Phase::Boot);
        phases.enter(ms(10), Phase::Boot);
        phases.enter(ms(30), Phase::On);
        phases.enter(ms(60), Phase::Off);
        let expected = PhaseTimes { off: ms(10 + 40), boot: ms(20), on: ms(30) };
        assert_eq!(phases.until(ms(100)), expected);
    }
}
