//! Counts bytes over time, in whole and in intervals of a fixed length, or from one arrival to another.

use units::{PS_PER_S, Picoseconds};

/// Intervals that are kept; later bytes count in the whole only.
const MOST_INTERVALS: usize = 100_000;

/// What passed between two points in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// From here.
    pub start: Picoseconds,
    /// To here.
    pub end: Picoseconds,
    /// So many bytes.
    pub bytes: u64,
}

impl Interval {
    /// Bits a second; nothing in no time.
    pub fn bits_per_second(&self) -> Option<u64> {
        let bits = u128::from(self.bytes) * 8 * u128::from(PS_PER_S.unsigned_abs());
        let time = u128::try_from((self.end - self.start).ps()).ok()?;
        u64::try_from(bits.checked_div(time)?).ok()
    }
}

/// Counts bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    period: Option<Picoseconds>,
    whole: Option<Interval>,
    part: Option<Interval>,
    intervals: Vec<Interval>,
}

impl Meter {
    /// A meter that also reports intervals of a length, if it is positive.
    pub(crate) fn new(period: Option<Picoseconds>) -> Self {
        Self { period: period.filter(|period| *period > Picoseconds::ZERO), ..Self::default() }
    }

    /// Time begins to count.
    pub(crate) fn start(&mut self, now: Picoseconds) {
        let interval = Interval { start: now, end: now, bytes: 0 };
        self.whole.get_or_insert(interval);
        self.part.get_or_insert(interval);
    }

    pub(crate) fn count(&mut self, now: Picoseconds, bytes: u64) {
        self.start(now);
        self.close_intervals(now);
        if let (Some(whole), Some(part)) = (&mut self.whole, &mut self.part) {
            whole.end = now;
            whole.bytes += bytes;
            part.end = now;
            part.bytes += bytes;
        }
    }

    fn close_intervals(&mut self, now: Picoseconds) {
        let (Some(period), Some(part)) = (self.period, &mut self.part) else { return };
        while now - part.start >= period && self.intervals.len() < MOST_INTERVALS {
            let end = part.start + period;
            self.intervals.push(Interval { end, ..*part });
            *part = Interval { start: end, end, bytes: 0 };
        }
    }

    /// Time ends to count; the rest becomes a shorter interval.
    pub(crate) fn finish(&mut self, now: Picoseconds) {
        self.count(now, 0);
        if let Some(part) = self.part.filter(|part| self.period.is_some() && part.end > part.start) {
            self.intervals.push(part);
        }
    }

    /// From the start to the last count.
    pub(crate) fn whole(&self) -> Option<Interval> {
        self.whole
    }

    pub(crate) fn intervals(&self) -> &[Interval] {
        &self.intervals
    }
}

/// Counts bytes in intervals that begin and end with an arrival. The rate of bytes that come now and then is right over any
/// number of them; intervals of a fixed length would make it a matter of how many of the last pause are counted.
#[derive(Debug, Clone)]
pub(crate) struct ArrivalMeter {
    shortest: Picoseconds,
    part: Option<Interval>,
    intervals: Vec<Interval>,
}

impl ArrivalMeter {
    /// A meter with intervals that have a length at least.
    pub(crate) fn new(shortest: Picoseconds) -> Self {
        Self { shortest, part: None, intervals: Vec::new() }
    }

    /// Bytes have come; those of the first arrival came over a time that nobody knows.
    pub(crate) fn count(&mut self, now: Picoseconds, bytes: u64) {
        let next = Interval { start: now, end: now, bytes: 0 };
        let Some(part) = &mut self.part else {
            self.part = Some(next);
            return;
        };
        part.end = now;
        part.bytes += bytes;
        if now - part.start >= self.shortest && self.intervals.len() < MOST_INTERVALS {
            self.intervals.push(std::mem::replace(part, next));
        }
    }

    pub(crate) fn intervals(&self) -> &[Interval] {
        &self.intervals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_fall_into_their_intervals_and_silence_leaves_empty_ones() {
        let ps = Picoseconds::new;
        let mut meter = Meter::new(Some(ps(10)));
        meter.start(ps(100));
        for (at, bytes) in [(101, 1), (109, 2), (110, 4), (135, 8)] {
            meter.count(ps(at), bytes);
        }
        meter.finish(ps(138));
        let bytes: Vec<_> = meter.intervals().iter().map(|part| (part.start.ps(), part.bytes)).collect();
        assert_eq!(bytes, [(100, 3), (110, 4), (120, 0), (130, 8)]);
        assert_eq!(meter.intervals()[3].end, ps(138));
        assert_eq!(meter.whole(), Some(Interval { start: ps(100), end: ps(138), bytes: 15 }));
    }

    #[test]
    fn bytes_that_come_now_and_then_have_their_rate_in_every_interval() {
        let ps = Picoseconds::new;
        let mut meter = ArrivalMeter::new(ps(10));
        for at in [100, 203, 300, 304, 309, 315] {
            meter.count(ps(at), 7);
        }
        let seen: Vec<_> =
            meter.intervals().iter().map(|part| (part.start.ps(), part.end.ps(), part.bytes)).collect();
        assert_eq!(seen, [(100, 203, 7), (203, 300, 7), (300, 315, 21)]);
    }

    #[test]
    fn a_megabyte_in_a_second_is_eight_million_bits_a_second() {
        let second = Interval { start: Picoseconds::ZERO, end: Picoseconds::new(PS_PER_S), bytes: 1_000_000 };
        assert_eq!(second.bits_per_second(), Some(8_000_000));
        assert_eq!(Interval { end: Picoseconds::ZERO, ..second }.bits_per_second(), None);
    }
}
