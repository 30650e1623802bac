//! When the bytes of an event arrived, where a seat knows it better than that it was just now ([`Machine::arrived`]).
//!
//! [`Machine::arrived`]: crate::Machine::arrived

use units::Picoseconds;

/// The time of the event that is being taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Arrival(Option<Picoseconds>);

impl Arrival {
    /// A seat knows it of the event that follows.
    pub(crate) fn set(&mut self, at: Picoseconds) {
        self.0 = Some(at);
    }

    /// The event is taken.
    pub(crate) fn clear(&mut self) {
        self.0 = None;
    }

    /// When it was, and not before a message began: what comes before its question is no answer, whatever the clocks say.
    pub(crate) fn time(self, now: Picoseconds, begun: Picoseconds) -> Picoseconds {
        self.0.map_or(now, |at| at.max(begun).min(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrival_is_neither_before_its_question_nor_after_now_whatever_the_clocks_say() {
        let [begun, between, now] = [10, 20, 30].map(Picoseconds::new);
        for (stamp, told) in [(5, begun), (20, between), (99, now)] {
            assert_eq!(Arrival(Some(Picoseconds::new(stamp))).time(now, begun), told);
        }
        assert_eq!(Arrival(None).time(now, begun), now);
    }
}
