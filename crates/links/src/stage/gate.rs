//! Gates: what lets a message through only at certain times. A gate has a period, a drift in parts per billion
//! and a phase that is either given (this run) or drawn from the stage's random stream (phase-free).

use sim::RandomStream;
use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

const BILLION: i128 = 1_000_000_000;

/// When a gate opens: at phase + floor(n · period · (1 + drift)), never from an accumulated rounded period.
#[derive(Debug, Clone)]
pub struct GateClock {
    name: String,
    period: Picoseconds,
    drift_ppb: i64,
    phase: Option<Picoseconds>,
}

impl GateClock {
    /// A gate of unknown phase and no drift.
    ///
    /// # Panics
    /// When the period is not positive.
    pub fn new(name: impl Into<String>, period: Picoseconds) -> Self {
        assert!(period > Picoseconds::ZERO, "a gate opens more than once");
        Self { name: name.into(), period, drift_ppb: 0, phase: None }
    }

    /// The name under which a run may fix its phase.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The nominal period.
    pub fn period(&self) -> Picoseconds {
        self.period
    }

    /// How much longer than nominal its period is, in parts per billion of the run's clock.
    pub fn drift_ppb(&self) -> i64 {
        self.drift_ppb
    }

    /// The phase, once it is given or drawn.
    pub fn phase(&self) -> Option<Picoseconds> {
        self.phase
    }

    /// Fixes an opening and the drift.
    pub fn lock(&mut self, phase: Picoseconds, drift_ppb: i64) {
        self.phase = Some(phase);
        self.drift_ppb = drift_ppb;
    }

    /// Draws the phase, if it is not known yet.
    pub fn settle(&mut self, random: &mut RandomStream) -> Picoseconds {
        let period = self.period;
        *self.phase.get_or_insert_with(|| random.time_below(period))
    }

    /// The first opening at or after `now`.
    ///
    /// # Panics
    /// When the phase is neither locked nor settled.
    pub fn next(&self, now: Picoseconds) -> Picoseconds {
        let phase = self.phase.expect("a gate's phase is settled before it is asked");
        let since = (now - phase).ps();
        if self.drift_ppb == 0 {
            let period = self.period.ps();
            return phase
                + Picoseconds::new(
                    since.div_euclid(period) * period
                        + if since.rem_euclid(period) == 0 { 0 } else { period },
                );
        }
        let scaled = i128::from(self.period.ps()) * (BILLION + i128::from(self.drift_ppb));
        let n = (i128::from(since) * BILLION + scaled - 1).div_euclid(scaled);
        let opening = |n: i128| phase + Picoseconds::new((n * scaled).div_euclid(BILLION) as i64);
        // The floor in `opening` may put opening n a picosecond before `now`.
        if opening(n) < now { opening(n + 1) } else { opening(n) }
    }
}

/// Waits until the gate opens.
#[derive(Debug)]
pub struct Gate {
    part: Part,
    clock: GateClock,
}

impl Gate {
    /// A wait named `wait` for a gate.
    pub fn new(wait: impl Into<String>, clock: GateClock) -> Self {
        Self { part: Part::new(wait, Cause::Gate), clock }
    }
}

impl Stage for Gate {
    fn parts(&self) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        self.clock.settle(visit.random);
        Passage::Leave { part: 0, at: self.clock.next(visit.now) }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, Picoseconds::new(self.clock.period.ps() / 2));
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_message_at_the_very_opening_goes_through_at_once() {
        let mut clock = GateClock::new("slot", Picoseconds::from_ns(100));
        clock.lock(Picoseconds::from_ns(30), 0);
        assert_eq!(clock.next(Picoseconds::from_ns(30)), Picoseconds::from_ns(30));
        assert_eq!(clock.next(Picoseconds::from_ns(31)), Picoseconds::from_ns(130));
        assert_eq!(clock.next(Picoseconds::from_ns(-75)), Picoseconds::from_ns(-70));
    }

    #[test]
    fn a_slow_clock_opens_later_and_later() {
        let mut clock = GateClock::new("tick", Picoseconds::new(10_000_000_000));
        clock.lock(Picoseconds::ZERO, 20_000);
        // 20 ppm of 100 s are 2 ms.
        let near = Picoseconds::new(100_000_000_000_000);
        assert_eq!(clock.next(near), near + Picoseconds::new(2_000_000_000));
    }

    proptest! {
        #[test]
        fn the_next_opening_is_less_than_a_period_away(
            period in 2i64..1_000_000_000_000, drift in -200_000i64..200_000,
            phase in -1_000_000_000_000i64..1_000_000_000_000, now in -1_000_000_000_000_000i64..1_000_000_000_000_000,
        ) {
            let mut clock = GateClock::new("gate", Picoseconds::new(period));
            clock.lock(Picoseconds::new(phase), drift);
            let wait = (clock.next(Picoseconds::new(now)) - Picoseconds::new(now)).ps();
            prop_assert!(wait >= 0 && wait <= period + period / 5_000 + 1, "{wait}");
        }
    }
}
