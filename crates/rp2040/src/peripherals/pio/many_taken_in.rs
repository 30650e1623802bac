//! Words that a machine takes in from pins whose levels were foretold, many at a time: they come evenly, and a channel of the DMA takes
//! each of them before the next, so that nobody is asked between them.

use units::Picoseconds;

use super::execute::shifted_in;
use super::intake::Intake;
use super::{Io, Pio};
use crate::peripherals::dma::LATENCY_CYCLES;

/// The cycles in which a word waits for its channel, and those that the transfer takes.
const TAKEN_WITHIN_CYCLES: u64 = LATENCY_CYCLES + 2;

/// Words of an intake that come evenly, from the next one on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvenIntake {
    /// How many are known.
    pub(crate) count: usize,
    /// The cycles from one to the next, and from one round to the next.
    word_cycles: u64,
    round_cycles: u64,
}

/// What a shift register holds that was empty before bits were shifted in, so many of each.
#[inline(always)]
fn joined(all: impl Iterator<Item = u32>, count: u8, to_the_right: bool) -> u32 {
    match to_the_right {
        true => all.fold(0, |isr, bits| shifted_in(isr, bits, count, true)),
        false => all.fold(0, |isr, bits| shifted_in(isr, bits, count, false)),
    }
}

impl Pio {
    /// The words that come evenly up to and including `until`, if each finds an empty FIFO; nothing where no two do.
    pub(crate) fn even_intake(&self, intake: &Intake, until: Picoseconds) -> Option<EvenIntake> {
        let word = intake.next?;
        let machine = &self.machines[intake.n];
        let looped = intake.decoded.known_loop_at(machine.pc)?;
        let first_read = word.rounds.first_tick + looped.into?.tick;
        let round_cycles = machine.divider.even_cycles(first_read, looped.ticks)?;
        let begins = machine.delay == looped.last_delay
            && machine.isr_count == 0
            && machine.receive.is_empty()
            && looped.written.is_none();
        let word_cycles = round_cycles * u64::from(word.rounds.count);
        if !begins || word_cycles <= TAKEN_WITHIN_CYCLES {
            return None;
        }
        let counted = looped.rounds_inside(machine) / u64::from(word.rounds.count);
        let in_time = self.edges.last_at(until).checked_sub(word.cycle)? / word_cycles + 1;
        let count = usize::try_from(counted.min(in_time)).unwrap_or(usize::MAX);
        (count > 1).then_some(EvenIntake { count, word_cycles, round_cycles })
    }

    /// Takes words in, each of which has left the FIFO before the next one comes; false, before anything has happened, where the levels
    /// are not known.
    pub(crate) fn take_many_in(
        &mut self,
        intake: &mut Intake,
        even: &EvenIntake,
        words: &mut [u32],
        io: &mut Io,
    ) -> bool {
        let Some(cycle) = self.read_many(intake, even, words, io) else { return false };
        let Intake { n, decoded, next, reached, .. } = intake;
        let machine = &mut self.machines[*n];
        let Some(looped) = decoded.known_loop_at(machine.pc) else { return false };
        machine.receive.pass(words);
        let rounds = (even.word_cycles / even.round_cycles) as u32 * words.len() as u32;
        looped.count_down(machine, rounds);
        machine.end_quickly(u64::from(rounds) * looped.ticks, looped.last_delay);
        *reached = Some(cycle);
        io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
        *next = self.next_taken_in(*n, decoded);
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
            Some(mut row) => {
                for word in &mut *words {
                    let bits = row.by_ref().take(rounds).map(|levels| levels.rotate_right(base));
                    *word = joined(bits, into.bits, machine.config.in_right);
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
