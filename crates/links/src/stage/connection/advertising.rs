//! Advertising that goes on while a connection lasts: the peripheral's radio is away for its events, which drift
//! against the connection's because each interval gets a random delay.
//!
//! Source: Bluetooth Core Specification 5.4, Vol 6 Part B, 4.4.2.2.1 (advDelay of 0 to 10 ms).

use sim::RandomStream;
use units::Picoseconds;

/// After a longer pause than this many intervals the advertising's phase is drawn anew.
const FORGOTTEN_AFTER: i64 = 64;

/// How a peripheral advertises.
#[derive(Debug, Clone, Copy)]
pub struct Advertising {
    /// The interval, without the random delay.
    pub interval: Picoseconds,
    /// The most that is added to each interval.
    pub delay: Picoseconds,
    /// How long one event takes on all its channels.
    pub length: Picoseconds,
    /// How long before an advertising event the radio is given up, beyond the time that the connection event needs.
    pub lead: Picoseconds,
}

/// The advertising events, as they come.
#[derive(Debug)]
pub(super) struct AdvertisingEvents {
    plan: Advertising,
    /// The event under way, or the next one.
    start: Option<Picoseconds>,
}

impl AdvertisingEvents {
    pub(super) fn new(plan: Advertising) -> Self {
        Self { plan, start: None }
    }

    /// The first event that is not over at a time.
    pub(super) fn at(&mut self, time: Picoseconds, random: &mut RandomStream) -> Picoseconds {
        let far = Picoseconds::new(self.plan.interval.ps() * FORGOTTEN_AFTER);
        let mut start = match self.start {
            Some(start) if time - start < far => start,
            _ => self.anew(time, random),
        };
        while start + self.plan.length <= time {
            start = self.following(start, random);
        }
        self.start = Some(start);
        start
    }

    /// The event under way or next, at a time of which nothing is known.
    fn anew(&self, time: Picoseconds, random: &mut RandomStream) -> Picoseconds {
        let interval = self.plan.interval + random.time_below(self.plan.delay);
        let last = time - random.time_below(interval);
        if last + self.plan.length > time { last } else { last + interval }
    }

    fn following(&self, start: Picoseconds, random: &mut RandomStream) -> Picoseconds {
        start + self.plan.interval + random.time_below(self.plan.delay)
    }

    /// Whether advertising takes the radio before a time. It then is cut short by the next connection event, which the
    /// controller puts first: no event after a broken one was missed.
    pub(super) fn breaks_before(&mut self, time: Picoseconds, random: &mut RandomStream) -> bool {
        let start = self.at(time, random);
        if start >= time {
            return false;
        }
        self.start = Some(self.following(start, random));
        true
    }

    /// Whether a connection event that starts now, and needs the radio for a time, does not have it.
    pub(super) fn covers(
        &mut self,
        anchor: Picoseconds,
        needed: Picoseconds,
        random: &mut RandomStream,
    ) -> bool {
        self.at(anchor, random) - self.plan.lead - needed <= anchor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sixty() -> AdvertisingEvents {
        AdvertisingEvents::new(Advertising {
            interval: Picoseconds::from_ns(60_000_000),
            delay: Picoseconds::from_ns(10_000_000),
            length: Picoseconds::from_ns(4_500_000),
            lead: Picoseconds::ZERO,
        })
    }

    #[test]
    fn events_follow_each_other_as_the_specification_demands() {
        let mut random = RandomStream::named(1, "advertising");
        let mut events = sixty();
        let mut last = events.at(Picoseconds::ZERO, &mut random);
        let first = last;
        for _ in 0..10_000 {
            let next = events.at(last + Picoseconds::from_ns(5_000_000), &mut random);
            let interval_ps = (next - last).ps();
            assert!((60_000_000_000..70_000_000_000).contains(&interval_ps), "{interval_ps}");
            last = next;
        }
        // The sniffer file of esp32-nimble has 65.1 ms on average before the connection.
        assert!(((last - first).ps() / 10_000 - 65_000_000_000).abs() < 100_000_000);
    }

    #[test]
    fn the_radio_is_away_for_the_share_that_advertising_takes() {
        let mut random = RandomStream::named(2, "advertising");
        let mut events = sixty();
        let n = 100_000;
        let away = (0..n)
            .filter(|&k| {
                events.covers(Picoseconds::from_ns(30_000_000 * i64::from(k)), Picoseconds::ZERO, &mut random)
            })
            .count();
        let share = away as f64 / f64::from(n);
        assert!((share - 4.5 / 65.0).abs() < 0.004, "{share}");
    }

    #[test]
    fn a_long_pause_costs_no_long_search() {
        let mut random = RandomStream::named(3, "advertising");
        let mut events = sixty();
        events.at(Picoseconds::ZERO, &mut random);
        let century = Picoseconds::new(i64::MAX / 4);
        assert!(events.at(century, &mut random) + Picoseconds::from_ns(4_500_000) > century);
    }
}
