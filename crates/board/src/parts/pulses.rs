//! A signal generator at a pin. The time between pulses varies, so that they meet whatever a board does periodically at every phase.

use sim::RandomStream;
use units::Picoseconds;

use super::{Around, Part, Wiring};

/// A pulse is high for one in so many parts of the period, and no longer than [`LONGEST_HIGH`].
const PERIOD_PARTS: i64 = 4;
const LONGEST_HIGH: Picoseconds = Picoseconds::new(units::PS_PER_MS);

/// Pulses on a pin.
#[derive(Debug, Clone)]
pub struct Pulses {
    pin: u8,
    period: Picoseconds,
    by: Picoseconds,
    random: RandomStream,
    is_high: bool,
    /// The beginning of the last pulse.
    begin: Picoseconds,
    /// The next edge.
    next: Picoseconds,
}

impl Pulses {
    /// The first pulse is at `from`; two are a period apart and up to `by` more.
    pub fn new(pin: u8, from: Picoseconds, (period, by): (Picoseconds, Picoseconds), seed: u64) -> Self {
        let random = RandomStream::named(seed, "pulses");
        Self { pin, period, by, random, is_high: false, begin: from, next: from }
    }

    /// The pin, and the level that it has until the first pulse.
    pub(in super::super) fn begins(&self) -> (u8, bool) {
        (self.pin, self.is_high)
    }
}

impl Part for Pulses {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        wiring.timed();
    }

    fn next_event(&self) -> Option<Picoseconds> {
        Some(self.next)
    }

    /// Every edge up to a time.
    fn advance(&mut self, at: Picoseconds, around: &mut Around<'_>) {
        while self.next <= at {
            self.is_high = !self.is_high;
            around.drive(self.pin, Some(self.is_high));
            if self.is_high {
                self.begin = self.next;
                self.next = self.begin + LONGEST_HIGH.min(Picoseconds::new(self.period.ps() / PERIOD_PARTS));
            } else {
                self.next = self.begin + self.period + self.random.time_below(self.by);
            }
        }
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use mcu::Reaction;
    use units::PS_PER_S;

    use super::super::outputs::Outputs;
    use super::*;

    fn ms(ms: i64) -> Picoseconds {
        Picoseconds::new(ms * units::PS_PER_MS)
    }

    fn begins(seed: u64) -> Vec<Picoseconds> {
        let mut pulses = Pulses::new(2, ms(1000), (ms(15), ms(10)), seed);
        let mut found = Vec::new();
        while pulses.next < Picoseconds::new(3 * PS_PER_S) {
            let at = pulses.next;
            let mut reactions = Vec::new();
            pulses.advance(
                at,
                &mut Around {
                    levels: 0,
                    lan: None,
                    outputs: &mut Outputs::behind(0),
                    reactions: &mut reactions,
                },
            );
            assert_eq!(reactions, [Reaction::Pin { pin: 2, level: Some(pulses.is_high) }]);
            found.extend(pulses.is_high.then_some(at));
        }
        found
    }

    #[test]
    fn pulses_are_a_period_apart_and_up_to_so_much_more() {
        let begins = begins(7);
        assert_eq!(begins[0], ms(1000));
        assert!((95..=105).contains(&begins.len()), "{} in two seconds", begins.len());
        let apart: Vec<Picoseconds> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(apart.iter().all(|&one| one >= ms(15) && one < ms(25)), "{apart:?}");
        assert!(apart.iter().any(|&one| one < ms(17)) && apart.iter().any(|&one| one > ms(23)));
    }

    #[test]
    fn a_seed_gives_the_same_pulses_again_and_another_gives_others() {
        assert_eq!(begins(7), begins(7));
        assert_ne!(begins(7), begins(8));
    }
}
