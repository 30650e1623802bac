//! The receiver of a USART on a line from another board: characters from changes of level, each bit sampled in its middle. A
//! falling edge that is still low half a bit later is a start bit (ATmega328P datasheet, "Asynchronous Data Recovery").
//!
//! Nothing of a character shows in the chip before its stop bit is over. So the line need not be known up to the present: the
//! receiver says how far the chip may run with what is known ([`Seen::Unknown`]). Where nothing is under way that is up to a
//! character that would begin just now.
//!
//! Left out: that start bits are found with a sixteenth of a bit, and the majority of three samples.

use std::collections::VecDeque;

use mcu::Edge;
use units::{PS_PER_S, Picoseconds};

use crate::peripherals::usart::{FRAME_ERROR, PARITY_ERROR, Shape};

/// An instruction and the entry of a handler may take so many cycles, which the chip must not be ahead of its line.
const MARGIN_CYCLES: u64 = 10;

/// How characters are received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reception {
    pub(crate) shape: Shape,
    pub(crate) hz: u64,
}

impl Reception {
    fn cycles(&self, halves: u64) -> Picoseconds {
        self.time_of(halves * self.shape.bit_cycles / 2)
    }

    fn time_of(&self, cycles: u64) -> Picoseconds {
        let ps = u128::from(cycles) * PS_PER_S as u128 / u128::from(self.hz);
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX / 4))
    }

    fn bits_before_stop(&self) -> u64 {
        1 + self.shape.data_bits + u64::from(self.shape.parity.is_some())
    }

    /// From the beginning of a character to the middle of its stop bit.
    fn until_stop_sample(&self) -> Picoseconds {
        self.cycles(2 * self.bits_before_stop() + 1)
    }
}

/// What can be said of the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is there.
    Character {
        /// When its stop bit is sampled.
        sampled: Picoseconds,
        /// When its stop bit is over.
        whole: Picoseconds,
        byte: u8,
        /// As UCSRnA has them.
        errors: u8,
    },
    /// The chip may run up to this time; then more of the line has to be known.
    Unknown(Picoseconds),
    /// The receiver is off.
    Nothing,
}

/// The end of a line.
#[derive(Debug)]
pub(crate) struct Receiver {
    /// The level before the first of the edges.
    level: bool,
    /// In the order of time.
    edges: VecDeque<(Picoseconds, bool)>,
    /// Up to and including this time the edges are all that there are.
    known_to: Picoseconds,
    /// Characters begin after this time.
    idle_from: Picoseconds,
    /// How characters are received that begin from a time on, the last one for good.
    receptions: VecDeque<(Picoseconds, Option<Reception>)>,
}

impl Receiver {
    /// The end of a line that was idle until now.
    pub(crate) fn new(at: Picoseconds, reception: Option<Reception>) -> Self {
        let before = Picoseconds::new(at.ps() - 1);
        let receptions = VecDeque::from([(at, reception)]);
        Self { level: true, edges: VecDeque::new(), known_to: before, idle_from: before, receptions }
    }

    /// Characters that begin from now on are received like that.
    pub(crate) fn set(&mut self, at: Picoseconds, reception: Option<Reception>) {
        if self.receptions.back().is_some_and(|last| last.1 != reception) {
            self.receptions.push_back((at, reception));
        }
    }

    /// More is known of the line.
    pub(crate) fn hear(&mut self, edges: &[Edge], known_to: Picoseconds) {
        self.edges.extend(edges.iter().map(|edge| (edge.at, edge.level)));
        self.known_to = self.known_to.max(known_to);
        if self.edges.is_empty() {
            self.forget(self.known_to);
        }
    }

    /// A character was received, whose stop bit was sampled then.
    pub(crate) fn take(&mut self, sampled: Picoseconds) {
        self.forget(sampled);
    }

    fn forget(&mut self, to: Picoseconds) {
        self.idle_from = self.idle_from.max(to);
        let passed = self.edges.partition_point(|(at, _)| *at <= to);
        if let Some((_, level)) = self.edges.drain(..passed).next_back() {
            self.level = level;
        }
        while self.receptions.get(1).is_some_and(|(since, _)| *since <= to) {
            self.receptions.pop_front();
        }
    }

    fn reception_at(&self, at: Picoseconds) -> Option<Reception> {
        let valid = self.receptions.iter().rev().find(|(since, _)| *since <= at);
        valid.or(self.receptions.front()).and_then(|(_, reception)| *reception)
    }

    fn level_at(&self, at: Picoseconds) -> bool {
        self.edges.iter().take_while(|(edge, _)| *edge <= at).last().map_or(self.level, |(_, level)| *level)
    }

    /// What comes next on the line.
    pub(crate) fn look(&self) -> Seen {
        let (mut level, mut from) = (self.level, self.idle_from);
        for &(at, now) in &self.edges {
            let falls = std::mem::replace(&mut level, now) && !now;
            if !falls || at <= from {
                continue;
            }
            let Some(reception) = self.reception_at(at) else { continue };
            if at + reception.until_stop_sample() > self.known_to {
                return Seen::Unknown(at + reception.until_stop_sample() - reception.time_of(MARGIN_CYCLES));
            }
            let middle = at + reception.cycles(1);
            if self.level_at(middle) {
                // No start bit, but a glitch.
                from = middle;
                continue;
            }
            return self.character(at, reception);
        }
        self.needed_at().map_or(Seen::Nothing, Seen::Unknown)
    }

    fn character(&self, start: Picoseconds, reception: Reception) -> Seen {
        let stop = reception.bits_before_stop();
        let level = |bit: u64| self.level_at(start + reception.cycles(2 * bit + 1));
        let word =
            (0..reception.shape.data_bits).fold(0u16, |word, bit| word | u16::from(level(1 + bit)) << bit);
        let is_right = reception.shape.parity.is_none_or(|odd| {
            let ones = word.count_ones() + u32::from(level(stop - 1));
            (ones % 2 == 1) == odd
        });
        let framing = if level(stop) { 0 } else { FRAME_ERROR };
        Seen::Character {
            sampled: start + reception.until_stop_sample(),
            whole: start + reception.cycles(2 * stop + 2),
            byte: word as u8,
            errors: framing | if is_right { 0 } else { PARITY_ERROR },
        }
    }

    /// When more has to be known of a line on which nothing is under way.
    fn needed_at(&self) -> Option<Picoseconds> {
        let earliest = |&(since, reception): &(Picoseconds, Option<Reception>)| {
            reception.map(|one| {
                let ahead = one.until_stop_sample() - one.cycles(2) - one.time_of(MARGIN_CYCLES);
                since.max(self.known_to) + ahead
            })
        };
        self.receptions.iter().filter_map(earliest).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8 data bits, even parity, 16 cycles a bit at 16 MHz: a bit is a microsecond.
    const RECEPTION: Reception = Reception {
        shape: Shape { bit_cycles: 16, data_bits: 8, parity: Some(false), stop_bits: 1 },
        hz: 16_000_000,
    };

    fn us(count: i64) -> Picoseconds {
        Picoseconds::new(count * 1_000_000)
    }

    /// The changes of level of a frame's bits from a time on, the first lowest.
    fn edges(from_us: i64, bits: u16, count: i64) -> Vec<Edge> {
        let level = |bit: i64| bit < 0 || bits >> bit & 1 == 1;
        let changes = (0..count).filter(|&bit| level(bit) != level(bit - 1));
        changes.map(|bit| Edge { at: us(from_us + bit), pin: 0, level: level(bit) }).collect()
    }

    fn heard(bits: u16) -> Seen {
        let mut receiver = Receiver::new(us(0), Some(RECEPTION));
        receiver.hear(&edges(5, bits, 11), us(16));
        receiver.look()
    }

    #[test]
    fn a_character_is_whole_when_its_stop_bit_is_over() {
        // Stop, parity, 0x35 and start: it has four ones, so that an even parity bit is 0.
        let seen = heard(0b100_0110_1010);
        assert_eq!(
            seen,
            Seen::Character { sampled: Picoseconds::new(15_500_000), whole: us(16), byte: 0x35, errors: 0 }
        );
    }

    #[test]
    fn a_wrong_parity_and_a_low_stop_bit_are_told() {
        let errors = |bits| match heard(bits) {
            Seen::Character { errors, .. } => errors,
            seen => panic!("{seen:?}"),
        };
        assert_eq!(errors(0b110_0110_1010), PARITY_ERROR);
        assert_eq!(errors(0b000_0110_1010), FRAME_ERROR);
    }

    #[test]
    fn a_glitch_is_no_start_bit() {
        let mut receiver = Receiver::new(us(0), Some(RECEPTION));
        let glitch = [(us(5), false), (us(5) + Picoseconds::new(400_000), true)];
        receiver.hear(&glitch.map(|(at, level)| Edge { at, pin: 0, level }), us(40));
        assert!(matches!(receiver.look(), Seen::Unknown(at) if at > us(40)));
    }

    #[test]
    fn an_idle_line_is_needed_again_before_a_character_could_show() {
        let mut receiver = Receiver::new(us(0), Some(RECEPTION));
        receiver.hear(&[], us(100));
        let Seen::Unknown(at) = receiver.look() else { panic!("nothing is under way") };
        assert!(at > us(100) && at < us(110), "{at}");
        receiver.set(us(100), None);
        receiver.hear(&[], us(200));
        assert_eq!(receiver.look(), Seen::Nothing);
    }
}
