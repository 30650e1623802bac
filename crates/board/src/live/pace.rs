//! Keeps the virtual clock at the wall's pace. Where the host is too slow, what was lost is given up: the virtual clock goes
//! on from where it is, and somebody is told.

use std::time::{Duration, Instant};

use units::{PS_PER_MS, PS_PER_NS, Picoseconds};

/// So far behind, a board makes up for it by running faster than the wall for a while.
const PATIENCE: Picoseconds = Picoseconds::new(200 * PS_PER_MS);
/// A machine that does something else as well is this late now and then; more than that is told.
const NOTABLE: Picoseconds = Picoseconds::new(20 * PS_PER_MS);
/// A complaint comes this often at most.
const SILENCE: Duration = Duration::from_secs(5);

/// Two clocks, and how well one follows the other.
#[derive(Debug, Clone)]
pub struct Pace {
    began: Instant,
    /// The virtual time at `began` of the wall, moved on by what was given up.
    origin: Picoseconds,
    /// Virtual time that was given up because the host was too slow.
    given_up: Picoseconds,
    /// How far behind the virtual clock was where it caught up again.
    caught_up: Picoseconds,
    complained: Option<Instant>,
}

impl Pace {
    /// Both clocks run from here.
    pub fn from(virtual_now: Picoseconds) -> Self {
        let (given_up, caught_up) = (Picoseconds::ZERO, Picoseconds::ZERO);
        Self { began: Instant::now(), origin: virtual_now, given_up, caught_up, complained: None }
    }

    /// Where the virtual clock should be.
    pub fn present(&self) -> Picoseconds {
        self.origin + self.elapsed()
    }

    /// How long both clocks have run, by the wall's.
    pub fn elapsed(&self) -> Picoseconds {
        let passed = i64::try_from(self.began.elapsed().as_nanos()).unwrap_or(i64::MAX / PS_PER_NS);
        Picoseconds::from_ns(passed.min(i64::MAX / PS_PER_NS / 2))
    }

    /// How much virtual time was given up so far.
    pub fn given_up(&self) -> Picoseconds {
        self.given_up
    }

    /// A sentence where the virtual clock was behind for a moment and caught up again: what was measured from outside
    /// meanwhile is too long by as much.
    pub(super) fn told_of_catching_up(&self) -> Option<String> {
        (self.caught_up >= NOTABLE).then(|| {
            format!(
                "the board's clock was up to {} late for a moment and caught up, so times measured from outside are too \
                 long by as much",
                self.caught_up
            )
        })
    }

    /// Takes note of how far the virtual clock is behind; a sentence when it cannot make up for it.
    pub(super) fn heed(&mut self, lag: Picoseconds) -> Option<String> {
        if lag <= PATIENCE {
            self.caught_up = self.caught_up.max(lag);
            return None;
        }
        self.origin = self.origin - lag;
        self.given_up = self.given_up + lag;
        if self.complained.is_some_and(|at| at.elapsed() < SILENCE) {
            return None;
        }
        self.complained = Some(Instant::now());
        Some(format!(
            "this machine is too slow for real time: the board's clock has stood still for {} in all, so times measured \
             from outside are too long",
            self.given_up
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_lag_is_made_up_for_and_a_large_one_given_up() {
        let mut pace = Pace::from(Picoseconds::ZERO);
        assert_eq!(pace.heed(PATIENCE), None);
        assert_eq!((pace.given_up(), pace.caught_up), (Picoseconds::ZERO, PATIENCE));
        let late = PATIENCE + Picoseconds::new(1);
        let before = pace.origin;
        assert!(pace.heed(late).expect("it is told").contains("too slow for real time"));
        assert_eq!((pace.given_up(), before - pace.origin), (late, late));
        assert_eq!(pace.heed(late), None, "not again at once");
        assert_eq!(pace.given_up(), late + late);
    }
}
