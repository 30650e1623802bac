//! The stage of a pair of SiK radios: bytes that come in on one UART wait for a transmit window, go out in packets, and
//! leave on the other UART. What comes in while other bytes wait goes out behind them, in the same packets. One walk over
//! the windows, as far as virtual time has come, gives the times of all parts.
//!
//! The peer has nothing to say: in its window it sends statistics when they are due, and a packet of no bytes, which
//! gives the rest of the window away. So does the sender when its own window finds it empty; then it has no further
//! chance before the next window, whatever comes in. Lost packets, data in the other direction and the end of the
//! sender's buffer are left out.

use units::Picoseconds;

use super::rounds::{Rounds, Unknowns};
use super::stream::Stream;
use super::timing::Timing;
use crate::budget::Budget;
use crate::stage::{Cause, GateClock, Load, Part, Passage, Stage, Visit};

/// Points over which the budget averages the unknown phases.
const BUDGET_POINTS: i64 = 4_096;
/// No message that fits the sender's buffer needs more.
const MAX_DECISIONS: i64 = 100_000;

/// Two radios that take turns.
#[derive(Debug)]
pub(super) struct TdmRadios {
    timing: Timing,
    clock: GateClock,
    unknowns: Option<Unknowns>,
    stream: Stream,
}

impl TdmRadios {
    pub(super) fn new(timing: Timing) -> Self {
        let clock = GateClock::new("half-round", Picoseconds::new(timing.half_round));
        Self { timing, clock, unknowns: None, stream: Stream::default() }
    }

    fn settle(&mut self, visit: &mut Visit<'_>) -> Unknowns {
        self.clock.settle(visit.random);
        let period = Picoseconds::new(self.timing.statistics_period);
        *self.unknowns.get_or_insert_with(|| Unknowns {
            even_is_own: visit.random.below(2) == 0,
            peer_statistics: visit.random.time_below(period).ps(),
            own_statistics: visit.random.time_below(period).ps(),
        })
    }
}

impl Stage for TdmRadios {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("bytes in on the radio's UART", Cause::Bus),
            Part::new("wait for a transmit window", Cause::Gate),
            Part::new("statistics and packets of no bytes", Cause::Protocol),
            Part::new("packets on the air", Cause::Air),
            Part::new("packets sent again", Cause::Protocol),
            Part::new("bytes out on the other UART", Cause::Bus),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let unknowns = self.settle(visit);
        let rounds = Rounds::new(&self.timing, &self.clock, unknowns);
        if visit.stays == 0 && !self.stream.holds(visit.message) {
            let bit_clock = visit.random.time_below(self.timing.bit_out()).ps();
            self.stream.add(&rounds, visit.message, visit.now, visit.load.payload_bytes, bit_clock);
        }
        self.stream.advance(&rounds, visit.now.ps());
        let until = Picoseconds::new;
        match self.stream.step(visit.message, visit.stays as usize) {
            None => Passage::Wait { until: until(self.stream.next_decision(&rounds)) },
            Some((part, time, false)) => Passage::Stay { part, until: until(time) },
            Some((part, time, true)) => {
                self.stream.remove(visit.message);
                Passage::Leave { part, at: until(time) }
            }
        }
    }

    fn backlog(&self) -> usize {
        self.stream.backlog(&self.timing)
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        for point in 0..BUDGET_POINTS {
            // A lattice of four dimensions; the factors are odd and far from each other's multiples.
            let share = |factor: i64, period: i64| {
                (i128::from(period) * i128::from(point * factor % BUDGET_POINTS) / i128::from(BUDGET_POINTS))
                    as i64
            };
            let mut clock = self.clock.clone();
            clock.lock(Picoseconds::new(share(1, self.timing.half_round)), 0);
            let unknowns = Unknowns {
                even_is_own: point * 1_571 % BUDGET_POINTS < BUDGET_POINTS / 2,
                peer_statistics: share(2_663, self.timing.statistics_period),
                own_statistics: share(3_367, self.timing.statistics_period),
            };
            let rounds = Rounds::new(&self.timing, &clock, unknowns);
            let mut stream = Stream::default();
            stream.add(&rounds, 0, Picoseconds::ZERO, load.payload_bytes, self.timing.bit_out().ps() / 2);
            let mut decisions = 0..MAX_DECISIONS;
            while !stream.is_delivered(0) && decisions.next().is_some() {
                stream.advance(&rounds, stream.next_decision(&rounds));
            }
            let mut since = 0;
            for &(part, until) in stream.timeline(0) {
                budget.add_weighted(part, Picoseconds::new(until - since), 1.0 / BUDGET_POINTS as f64);
                since = until;
            }
        }
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}
