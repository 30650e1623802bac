//! A station that leaves its channel from time to time to look for other networks: within a scan it is away for one
//! dwell after the other and comes home in between. What it has to send or receive waits until it is home.

use units::Picoseconds;

use super::{Cause, GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// Channels that are scanned alike.
#[derive(Debug, Clone, Copy)]
pub struct Dwells {
    /// How many.
    pub count: i64,
    /// Away on each.
    pub away: Picoseconds,
}

/// Waits until the station is on its channel.
#[derive(Debug)]
pub struct BackgroundScan {
    clock: GateClock,
    home: Picoseconds,
    dwells: Vec<Dwells>,
}

impl BackgroundScan {
    /// A scan every `period`: the dwells in their order, each followed by `home` on the station's own channel.
    ///
    /// # Panics
    /// When a scan lasts longer than the period.
    pub fn new(period: Picoseconds, home: Picoseconds, dwells: Vec<Dwells>) -> Self {
        let scan_ps: i64 = dwells.iter().map(|dwell| dwell.count * (dwell.away + home).ps()).sum();
        assert!(scan_ps < period.ps(), "a scan ends before the next one");
        Self { clock: GateClock::new("background scan", period), home, dwells }
    }

    /// How long the station stays away, `since` after the scan's start.
    fn away_for(&self, since: Picoseconds) -> Picoseconds {
        // A slow clock puts the next start a little further away than a nominal period.
        let mut left = since.ps().max(0);
        for dwell in &self.dwells {
            let cycle = (dwell.away + self.home).ps();
            if left < dwell.count * cycle {
                return Picoseconds::new((dwell.away.ps() - left % cycle).max(0));
            }
            left -= dwell.count * cycle;
        }
        Picoseconds::ZERO
    }
}

impl Stage for BackgroundScan {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("away for a background scan", Cause::Gate)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        self.clock.settle(visit.random);
        // The next scan's start, seen from one picosecond on, lies a period after the last one's.
        let next = self.clock.next(visit.now + Picoseconds::new(1));
        let since = visit.now + self.clock.period() - next;
        Passage::Leave { part: 0, at: visit.now + self.away_for(since) }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        let period_ps = self.clock.period().ps() as f64;
        for dwell in &self.dwells {
            let share = dwell.count as f64 * dwell.away.ps() as f64 / period_ps;
            budget.add_weighted(0, Picoseconds::new(dwell.away.ps() / 2), share);
        }
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Picoseconds {
        Picoseconds::from_ns(n * 1_000_000)
    }

    #[test]
    fn the_station_is_away_for_a_dwell_and_home_before_the_next() {
        let dwells = vec![Dwells { count: 2, away: ms(90) }, Dwells { count: 1, away: ms(130) }];
        let scan = BackgroundScan::new(ms(60_000), ms(40), dwells);
        let waits = [0, 50, 90, 129, 130, 260, 300, 390, 500]
            .map(|since| scan.away_for(ms(since)).ps() / 1_000_000_000);
        assert_eq!(waits, [90, 40, 0, 0, 90, 130, 90, 0, 0]);
    }
}
