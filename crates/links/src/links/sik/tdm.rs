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
use super::stream::{Step, Stream};
use super::timing::Timing;
use crate::budget::Budget;
use crate::stage::{Cause, GateClock, Load, Part, Passage, Stage, Visit};

/// Points over which the budget averages the unknown phases.
const BUDGET_POINTS: i64 = 4_096;
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

    /// What becomes of a message that finds the radios idle, at phases that fill their space evenly: until when it is in
    /// which part, or nothing where its rest is given up.
    fn alone_at_all_phases(&self, load: &Load) -> impl Iterator<Item = Option<Vec<(usize, i64)>>> {
        let payload_bytes = load.payload_bytes;
        (0..BUDGET_POINTS).map(move |point| {
            // A lattice of four dimensions; the factors are odd and far from each other's multiples.
            let share = |factor: i64, period: i64| {
                let place = i128::from(point * factor % BUDGET_POINTS);
                (i128::from(period) * place / i128::from(BUDGET_POINTS)) as i64
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
            stream.add(&rounds, 0, Picoseconds::ZERO, payload_bytes, self.timing.bit_out().ps() / 2);
            stream.advance(&rounds, i64::MAX);
            stream.delivered(0)
        })
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
        let step = self.stream.step(&rounds, visit.message, visit.stays as usize);
        if matches!(step, Step::Last { .. } | Step::Lost { .. }) {
            self.stream.remove(visit.message);
        }
        match step {
            Step::Open { look } => Passage::Wait { until: until(look) },
            Step::Part { part, until: time } => Passage::Stay { part, until: until(time) },
            Step::Last { part, until: time } => Passage::Leave { part, at: until(time) },
            Step::Lost { part, until: time } => Passage::Lost { part, at: until(time) },
        }
    }

    fn backlog(&self) -> usize {
        self.stream.backlog(&self.timing)
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let delivered: Vec<Vec<(usize, i64)>> = self.alone_at_all_phases(load).flatten().collect();
        for timeline in &delivered {
            let mut since = 0;
            for &(part, until) in timeline {
                budget.add_weighted(part, Picoseconds::new(until - since), 1.0 / delivered.len() as f64);
                since = until;
            }
        }
    }

    fn loss(&self, load: &Load) -> f64 {
        self.alone_at_all_phases(load).filter(Option::is_none).count() as f64 / BUDGET_POINTS as f64
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}
