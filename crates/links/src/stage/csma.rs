//! Unslotted CSMA/CA of IEEE 802.15.4: random back-off, clear channel assessment, turnaround. Other stations are a probability that an assessment finds the channel busy, not stations of their own.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// The attributes of the algorithm, as the standard names them.
#[derive(Debug, Clone, Copy)]
pub struct CsmaTiming {
    /// macMinBE: the first back-off is drawn from 0 to 2^this - 1 units.
    pub min_exponent: u32,
    /// macMaxBE.
    pub max_exponent: u32,
    /// macMaxCSMABackoffs: busy assessments in a row that are still forgiven.
    pub max_backoffs: u32,
    /// aUnitBackoffPeriod.
    pub unit: Picoseconds,
    /// How long an assessment takes.
    pub assessment: Picoseconds,
    /// aTurnaroundTime.
    pub turnaround: Picoseconds,
    /// The probability that an assessment finds the channel busy.
    pub busy: f64,
}

const BACKOFF: usize = 0;
const ASSESSMENT: usize = 1;
const TURNAROUND: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Due {
    Backoff,
    Assessment,
    Verdict,
}

/// Gets a frame's turn on the channel.
#[derive(Debug)]
pub struct CsmaCa {
    timing: CsmaTiming,
    due: Due,
    busy_so_far: u32,
}

impl CsmaCa {
    /// A station that has nothing to send yet.
    pub fn new(timing: CsmaTiming) -> Self {
        Self { timing, due: Due::Backoff, busy_so_far: 0 }
    }
}

impl CsmaTiming {
    fn units(&self, round: u32) -> u64 {
        1 << self.min_exponent.saturating_add(round).min(self.max_exponent.max(self.min_exponent))
    }

    fn mean_backoff(&self, round: u32) -> Picoseconds {
        Picoseconds::new((self.units(round) - 1) as i64 * self.unit.ps() / 2)
    }
}

impl Stage for CsmaCa {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("random back-off", Cause::Protocol),
            Part::new("clear channel assessment", Cause::Protocol),
            Part::new("turnaround before sending", Cause::Protocol),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let now = visit.now;
        if visit.stays == 0 {
            (self.due, self.busy_so_far) = (Due::Backoff, 0);
        }
        if self.due == Due::Verdict {
            if !(self.timing.busy > 0.0 && visit.random.chance(self.timing.busy)) {
                return Passage::Leave { part: TURNAROUND, at: now + self.timing.turnaround };
            }
            self.busy_so_far += 1;
            if self.busy_so_far > self.timing.max_backoffs {
                return Passage::Lost { part: ASSESSMENT, at: now };
            }
            self.due = Due::Backoff;
        }
        if self.due == Due::Backoff {
            self.due = Due::Assessment;
            let units = visit.random.below(self.timing.units(self.busy_so_far)) as i64;
            if units > 0 {
                let until = now + Picoseconds::new(units * self.timing.unit.ps());
                return Passage::Stay { part: BACKOFF, until };
            }
        }
        self.due = Due::Verdict;
        Passage::Stay { part: ASSESSMENT, until: now + self.timing.assessment }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        budget.add(TURNAROUND, self.timing.turnaround);
        let delivered = 1.0 - self.loss(load);
        // Round k takes place, for a frame that gets through, where k assessments found the channel busy before.
        for round in 0..=self.timing.max_backoffs {
            let reached = libm::pow(self.timing.busy, f64::from(round));
            let share = if delivered > 0.0 { (reached - self.loss(load)) / delivered } else { 0.0 };
            budget.add_weighted(BACKOFF, self.timing.mean_backoff(round), share);
            budget.add_weighted(ASSESSMENT, self.timing.assessment, share);
        }
    }

    fn budget_of_loss(&self, _load: &Load, budget: &mut Budget<'_>) {
        for round in 0..=self.timing.max_backoffs {
            budget.add(BACKOFF, self.timing.mean_backoff(round));
            budget.add(ASSESSMENT, self.timing.assessment);
        }
    }

    fn loss(&self, _load: &Load) -> f64 {
        libm::pow(self.timing.busy, f64::from(self.timing.max_backoffs) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Program, Schedule, Simulation, Steps};

    fn timing(busy: f64) -> CsmaTiming {
        let us = |us: i64| Picoseconds::from_ns(us * 1000);
        CsmaTiming {
            min_exponent: 3,
            max_exponent: 5,
            max_backoffs: 4,
            unit: us(320),
            assessment: us(128),
            turnaround: us(192),
            busy,
        }
    }

    fn latencies_us(busy: f64, messages: u64) -> Vec<Option<i64>> {
        let channel = CsmaCa::new(timing(busy));
        let schedule = Schedule::Fixed { period: Picoseconds::new(1_000_000_000_000) };
        let program = Program::from(Steps::new().stage(channel));
        let samples = Simulation::new(program, 1, &schedule, messages, 3, "test", 0).run();
        samples
            .iter()
            .map(|sample| sample.done.map(|done| (done - sample.trigger).ps() / 1_000_000))
            .collect()
    }

    #[test]
    fn a_free_channel_is_reached_after_0_to_7_units_of_320_us() {
        let mut counts = [0u32; 8];
        for latency in latencies_us(0.0, 16_000) {
            let backoff = latency.unwrap() - 128 - 192;
            assert_eq!(backoff % 320, 0);
            counts[(backoff / 320) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (1_800..2_200).contains(count)), "{counts:?}");
    }

    #[test]
    fn five_busy_assessments_in_a_row_lose_the_frame() {
        let latencies = latencies_us(0.5, 40_000);
        let lost = latencies.iter().filter(|latency| latency.is_none()).count() as f64 / 40_000.0;
        assert!((lost - 1.0 / 32.0).abs() < 0.003, "{lost}");
    }

    #[test]
    fn later_back_offs_are_longer_up_to_the_largest_exponent() {
        let means: Vec<i64> = (0..5).map(|round| timing(0.0).mean_backoff(round).ps() / 1_000_000).collect();
        assert_eq!(means, [1120, 2400, 4960, 4960, 4960]);
    }
}
