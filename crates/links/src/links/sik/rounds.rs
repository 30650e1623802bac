//! Which transmit window opens when, and for whom: the two radios take turns, and each has its own timer that makes
//! it send statistics. Hops, lost synchronisation and the sub-microsecond jitter of the main loops are left out.

use units::Picoseconds;

use super::timing::Timing;
use crate::stage::GateClock;

const BILLION: i128 = 1_000_000_000;

/// What a run does not know of the radios' clocks besides the half-round's phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknowns {
    /// Whether the windows of even number are the sender's.
    pub(super) even_is_own: bool,
    /// When the peer's statistics timer ran out once.
    pub(super) peer_statistics: i64,
    /// When the sender's did.
    pub(super) own_statistics: i64,
}

/// A transmit window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) opens: i64,
    /// Whether it is the sender's own.
    pub(super) own: bool,
    /// Whether its owner has statistics to send, if it finds nothing better.
    pub(super) statistics: bool,
}

/// The windows of a run.
#[derive(Debug)]
pub(super) struct Rounds<'a> {
    timing: &'a Timing,
    phase: i64,
    scaled_period: i128,
    unknowns: Unknowns,
}

impl<'a> Rounds<'a> {
    /// # Panics
    /// When the clock's phase is neither locked nor settled.
    pub(super) fn new(timing: &'a Timing, clock: &GateClock, unknowns: Unknowns) -> Self {
        let phase = clock.phase().expect("a gate's phase is settled before it is asked");
        let scaled_period = i128::from(clock.period().ps()) * (BILLION + i128::from(clock.drift_ppb()));
        Self { timing, phase: phase.ps(), scaled_period, unknowns }
    }

    pub(super) fn timing(&self) -> &Timing {
        self.timing
    }

    /// The number of the window that was the last to open by `now`.
    pub(super) fn number(&self, now: Picoseconds) -> i64 {
        (i128::from(now.ps() - self.phase) * BILLION).div_euclid(self.scaled_period) as i64
    }

    pub(super) fn window(&self, number: i64) -> Window {
        let opens = self.opening(number);
        let own = (number.rem_euclid(2) == 0) == self.unknowns.even_is_own;
        let timer = if own { self.unknowns.own_statistics } else { self.unknowns.peer_statistics };
        let runs_out = |now: i64| (now - timer).div_euclid(self.timing.statistics_period);
        let statistics = runs_out(opens) != runs_out(opens - 2 * self.timing.half_round);
        Window { opens, own, statistics }
    }

    fn opening(&self, number: i64) -> i64 {
        self.phase + (i128::from(number) * self.scaled_period).div_euclid(BILLION) as i64
    }
}
