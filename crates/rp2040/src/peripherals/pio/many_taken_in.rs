//! Words that a machine takes in from pins whose levels were foretold, many at a time: they come evenly, and a channel of the DMA takes
//! each of them before the next, so that nobody is asked between them.

use units::Picoseconds;

use super::execute::shifted_in;
use super::intake::Intake;
use super::registers::mask;
use super::{Io, Pio};
use crate::peripherals::dma::LATENCY_CYCLES;

/// The cycles in which a word waits for its channel, and those that the transfer takes.
const TAKEN_WITHIN_CYCLES: u64 = LATENCY_CYCLES + 2;

/// Words of an intake that come evenly, from the next one on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvenIntake {
    /// How many are known.
    pub(crate) count: usize,
    /// The cycles from one to the next.
    word_cycles: u64,
}

/// What a shift register holds that was empty before bits were shifted in, so many of each.
#[inline(always)]
fn joined(all: impl Iterator<Item = u32>, count: u8, to_the_right: bool) -> u32 {
    match to_the_right {
        true => all.fold(0, |isr, bits| shifted_in(isr, bits, count, true)),
        false => all.fold(0, |isr, bits| shifted_in(isr, bits, count, false)),
    }
}

/// The same of bits that lie at a place in steps of what was foretold, four to a word: those of two steps are joined, and then those of
/// four.
fn join_fours(words: &mut [u32], steps: &[u8], (place, count): (u32, u8), to_the_right: bool) {
    let count = u32::from(count);
    let low = |bits: u32| u32::MAX >> (32 - bits);
    let (one, first, pair) = (low(count) * 0x0101_0101, low(count) * 0x0001_0001, low(2 * count));
    let shifted = if to_the_right { 32 - 4 * count } else { 0 };
    for (word, &steps) in words.iter_mut().zip(steps.as_chunks().0) {
        // The first step in the lowest bits, or else in the highest.
        let steps = if to_the_right { u32::from_le_bytes(steps) } else { u32::from_be_bytes(steps) };
        let ones = steps >> place & one;
        let pairs = ones & first | ones >> (8 - count) & first << count;
        *word = (pairs & pair | (pairs >> 16 & pair) << (2 * count)) << shifted;
    }
}

/// The same, a word of so many rounds after the other.
fn join_steps(
    words: &mut [u32],
    (steps, rounds): (&[u8], usize),
    (place, count): (u32, u8),
    to_the_right: bool,
) {
    if rounds == 4 {
        return join_fours(words, steps, (place, count), to_the_right);
    }
    let (mask, count) = (mask(count) as u8, u32::from(count));
    let bits = |step: u8| u64::from(step >> place & mask);
    for (word, steps) in words.iter_mut().zip(steps.chunks_exact(rounds)) {
        *word = if to_the_right {
            let place_of = |(all, place): (u64, u32), &step: &u8| (all | bits(step) << place, place + count);
            let (all, places) = steps.iter().fold((0, 0), place_of);
            (all << (32 - places)) as u32
        } else {
            steps.iter().fold(0, |all, &step| all << count | bits(step)) as u32
        };
    }
}

impl Pio {
    /// The words that come evenly up to and including `until`, if each finds an empty FIFO; nothing where no two do.
    pub(crate) fn even_intake(&self, intake: &Intake, until: Picoseconds) -> Option<EvenIntake> {
        let (word, (left, word_cycles)) = (intake.next?, intake.follow?);
        if !self.machines[intake.n].receive.is_empty() || word_cycles <= TAKEN_WITHIN_CYCLES {
            return None;
        }
        let in_time = self.edges.last_at(until).checked_sub(word.cycle)? / word_cycles;
        let count = usize::try_from(1 + left.min(in_time)).unwrap_or(usize::MAX);
        (count > 1).then_some(EvenIntake { count, word_cycles })
    }

    /// When such a word comes, counted from the next one.
    pub(crate) fn comes_at(&self, intake: &Intake, even: &EvenIntake, number: usize) -> Option<Picoseconds> {
        self.edges.time_of(intake.next?.cycle + number as u64 * even.word_cycles)
    }

    /// How many words the FIFO of a machine holds that takes them in.
    pub(crate) fn depth_of_intake(&self, n: usize) -> usize {
        self.machines[n].config.receive_depth.into()
    }

    /// Whether a machine was put aside.
    pub(crate) fn has_aside(&self) -> bool {
        self.aside.is_some()
    }

    /// Takes words in, each of which has left the FIFO before the next one comes; false, before anything has happened, where the levels
    /// are not known. Each is reached for so long after it came.
    pub(crate) fn take_many_in(
        &mut self,
        intake: &mut Intake,
        even: &EvenIntake,
        (words, latency): (&mut [u32], Picoseconds),
        io: &mut Io,
    ) -> bool {
        let Some(word) = intake.next else { return false };
        let Some(cycle) = self.read_many(intake, even, words, io) else { return false };
        if self.aside.is_some() {
            self.note_meetings((word.cycle, even.word_cycles), words.len(), latency);
        }
        let Intake { n, decoded, reached, .. } = intake;
        let machine = &mut self.machines[*n];
        let Some(looped) = decoded.known_loop_at(machine.pc) else { return false };
        machine.receive.pass(words);
        let rounds = word.rounds.count * words.len() as u32;
        looped.count_down(machine, rounds);
        machine.end_quickly(u64::from(rounds) * looped.ticks, looped.last_delay);
        *reached = Some(cycle);
        io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
        self.go_to_next(intake, &word, words.len() as u64);
        true
    }

    /// What the words are; gives the cycle in which the last one is complete.
    fn read_many(&self, intake: &mut Intake, even: &EvenIntake, words: &mut [u32], io: &Io) -> Option<u64> {
        let word = intake.next?;
        let machine = &self.machines[intake.n];
        let into = intake.decoded.known_loop_at(machine.pc)?.into?;
        let (base, rounds) = (u32::from(machine.config.in_base), word.rounds.count as usize);
        let foretold = io.foretold.as_ref()?.foretold();
        let levels = intake.seen.as_mut()?;
        match levels.row(foretold, rounds * words.len()) {
            Some(row) => {
                if let Some((steps, place)) = row.steps(base, into.bits) {
                    let to_the_right = machine.config.in_right;
                    join_steps(words, (steps, rounds), (place, into.bits), to_the_right);
                } else {
                    for (word, row) in words.iter_mut().zip(row.chunks(rounds)) {
                        let bits = row.levels().map(|levels| levels.rotate_right(base));
                        *word = joined(bits, into.bits, machine.config.in_right);
                    }
                }
            }
            None => {
                for word in &mut *words {
                    let bits = (0..rounds).map(|_| levels.next(foretold).rotate_right(base));
                    *word = joined(bits, into.bits, machine.config.in_right);
                }
            }
        }
        Some(word.cycle + (words.len() as u64 - 1) * even.word_cycles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn four_steps_are_joined_as_they_would_be_shifted_in_one_by_one(
            steps in prop::collection::vec(any::<u8>(), 4..200), place in 0u32..8, most in 1u8..=8, to_the_right: bool,
        ) {
            let count = most.min(8 - place as u8);
            let mut words = vec![0; steps.len() / 4];
            join_fours(&mut words, &steps, (place, count), to_the_right);
            for (word, steps) in words.iter().zip(steps.chunks(4)) {
                let bits = steps.iter().map(|&step| u32::from(step >> place));
                prop_assert_eq!(*word, joined(bits, count, to_the_right));
            }
        }
    }
}
