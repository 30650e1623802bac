//! A clock at a pin, by its frequency and a time from which it is known. Its edges are made only while somebody looks at the pin;
//! otherwise nobody is woken for them, and the pin stays low. High and low last equally long.

use units::{Hertz, Picoseconds};

/// Half periods from a time on, the first of them low.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Square {
    pub(super) hz: u64,
    pub(super) start: Picoseconds,
    /// Half periods since `start`; nothing while nobody looks.
    halves: Option<u64>,
}

impl Square {
    pub(super) fn new(hz: u64, start: Picoseconds) -> Self {
        Self { hz, start, halves: None }
    }

    /// When a half period ends, counted from one: the odd ones end with a rising edge.
    pub(super) fn edge(&self, halves: u64) -> Option<Picoseconds> {
        let after = Hertz::new(self.hz.checked_mul(2)?)?.try_edge(halves)?;
        self.start.ps().checked_add(after.ps()).map(Picoseconds::new)
    }

    /// The first rising edge at a time or later.
    pub(super) fn rise_from(&self, at: Picoseconds) -> Option<Picoseconds> {
        // Half periods are cut to whole picoseconds, so that their number may be one short.
        let first = self.halves_until(at).saturating_sub(1) | 1;
        [first, first.checked_add(2)?].into_iter().filter_map(|n| self.edge(n)).find(|&rise| rise >= at)
    }

    pub(super) fn next_edge(&self) -> Option<Picoseconds> {
        self.edge(self.halves?.checked_add(1)?)
    }

    /// Whether somebody looks.
    pub(super) fn is_watched(&self) -> bool {
        self.halves.is_some()
    }

    /// Somebody looks from here on, or nobody does: the next edge rises, as the pin was low while nobody looked.
    pub(super) fn watch(&mut self, now: Picoseconds, is_watched: bool) {
        self.halves = is_watched.then(|| self.halves_until(now).next_multiple_of(2));
    }

    /// Makes the edge that is due: the level from then on; nothing where none is.
    pub(super) fn take_edge(&mut self, now: Picoseconds) -> Option<bool> {
        self.next_edge().filter(|&at| at <= now)?;
        let halves = self.halves.as_mut()?;
        *halves += 1;
        Some(*halves & 1 == 1)
    }

    /// How many half periods have ended at a time.
    fn halves_until(&self, at: Picoseconds) -> u64 {
        let gone_ps = u128::try_from((at - self.start).ps()).unwrap_or(0);
        u64::try_from(gone_ps * u128::from(self.hz) * 2 / units::PS_PER_S as u128).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_rise_from_a_time_on_is_an_edge_and_there_is_none_between(
            hz in 1_000u64..125_000_000,
            start in 0i64..1_000_000,
            at in 0i64..1_000_000_000,
        ) {
            let square = Square::new(hz, Picoseconds::new(start));
            let at = Picoseconds::new(at);
            let rise = square.rise_from(at).unwrap();
            let number = (0..).map(|n| 2 * n + 1).find(|&n| square.edge(n).unwrap() >= at).unwrap();
            prop_assert_eq!(Some(rise), square.edge(number));
        }
    }
}
