//! Even words that somebody outside takes many at a time. Where and when each of them moves is known from the first on, so that they
//! pass as memory that is copied: nobody is asked between them.

use mcu::{ClockWords, DataLine, Said};
use units::Picoseconds;

use super::clocked::{AroundPulses, Shape, Times, bit};
use super::early::Early;
use super::even_words::{EvenWords, received};
use super::loops::Loop;
use super::rounds::written_first;
use super::row::{Pins, Row, Word, WordTimes};
use super::{Io, Pio};
use crate::peripherals::dma::LATENCY_CYCLES;
use crate::peripherals::dma::flow::Steps;

/// The levels of a line in each word, the first in the highest bit.
type Levels = [u32; ClockWords::MOST];

/// Words that passed, and the times of the last one and of the one before.
pub(crate) struct ManyPassed {
    pub(crate) count: usize,
    pub(crate) moved: WordTimes,
    pub(crate) last: WordTimes,
}

/// The words of a row from one on, before they pass.
struct Course<'a> {
    pio: &'a Pio,
    row: &'a Row,
    even: &'a EvenWords,
    steps: &'a Steps,
    shape: &'a Shape,
    looped: &'a Loop,
    first: Word,
}

impl Pio {
    /// How many words of a row end up to and including `until`, if somebody brings and takes them.
    pub(crate) fn words_until(&self, row: &Row, even: &EvenWords, until: Picoseconds) -> usize {
        let machine = &self.machines[row.n];
        let (Some((word, _)), Some(looped)) = (row.next, row.decoded.known_loop_at(machine.pc)) else {
            return 0;
        };
        let counted = looped.counted(machine) / u64::from(even.rounds.count);
        let left = self.edges.last_at(until).checked_sub(word.gives.unwrap_or(word.takes));
        let in_time = left.map_or(0, |left| left / even.cycles + 1);
        usize::try_from(counted.min(in_time)).unwrap_or(usize::MAX)
    }

    /// Passes words, before each of which the DMA brings one and, where the machine gives any, takes one, which is put into `taken`.
    /// The system is to hear of them later ([`Pio::end_even_words`]). Nothing, before anything has happened, where none is taken
    /// outside.
    pub(crate) fn pass_many(
        &mut self,
        row: &mut Row,
        (even, steps): (&EvenWords, &Steps),
        (brought, taken): (&[u32], &mut [u32]),
        io: &mut Io,
    ) -> Option<ManyPassed> {
        let (first, _) = row.next?;
        let looped = row.decoded.known_loop_at(self.machines[row.n].pc)?;
        let Pins::Clock { shape, before: Some(before), .. } = &row.pins else { return None };
        let course = Course { pio: self, row, even, steps, shape, looped, first };
        let (mut written, mut answers) = ([0; ClockWords::MOST], [0; ClockWords::MOST]);
        course.write_out(brought, &mut written);
        let (said, level) = (before.said?, before.last_written());
        // Without a time for the last one nobody is told of any.
        course.passed_at(brought.len())?;
        let count = course.tell((said, level), &written[..brought.len()], &mut answers, io);
        let last = count.checked_sub(1)?;
        let passed = ManyPassed { count, moved: course.passed_at(last)?, last: course.passed_at(count)? };
        let (times, word) = (course.times(last), course.word(last));
        self.skip_many(row, even, (&written[..last], &answers), io);
        if let Pins::Clock { before: Some(before), .. } = &mut row.pins {
            (before.times, before.written) = (times, written[last]);
            before.said = Some(said_again(said, answers[last]));
        }
        let looped = row.decoded.known_loop_at(self.machines[row.n].pc)?;
        let machine = &mut self.machines[row.n];
        let mut levels = said.line.levels;
        for ((&brought, &answer), taken) in brought[..count].iter().zip(&answers).zip(taken) {
            machine.transmit.push(brought);
            if even.gives {
                *taken = machine.receive.pop().unwrap_or_default();
            }
            machine.end_even_word(looped, even, received(levels, answer, even));
            levels = answer;
        }
        (row.reached, row.early) = (Some(word.gives.unwrap_or(word.takes)), Early::default());
        row.next = self.word_after(row.n, looped, word, even);
        Some(passed)
    }

    /// Of the word before and of all these nobody remembers more than their sum.
    fn skip_many(&self, row: &mut Row, even: &EvenWords, (written, answers): (&[u32], &Levels), io: &Io) {
        let Pins::Clock { shape, before: Some(before), skipped } = &mut row.pins else { return };
        let rounds = even.rounds.count;
        let skipped = skipped.get_or_insert_with(|| self.skip_from_here(before, io));
        skipped.add(before, rounds);
        for (&written, &answer) in written.iter().zip(answers) {
            let said = before.said.map(|said| said_again(said, answer));
            skipped.add_levels(shape, (written, said), rounds);
        }
        skipped.put_off(written.len() as u64 * even.cycles);
    }
}

impl Course<'_> {
    /// What OUT writes in each word, the DMA bringing these behind what it brought before.
    fn write_out(&self, brought: &[u32], written: &mut Levels) {
        let machine = &self.pio.machines[self.row.n];
        let (mut fifo, mut osr) = (machine.transmit, machine.osr);
        for (&word, written) in brought.iter().zip(written) {
            *written = written_first(osr, machine.config.out_right);
            fifo.push(word);
            osr = fifo.pop().unwrap_or_default();
        }
    }

    /// Tells of the words, behind what was said and the level that OUT's line had; gives how many were taken.
    fn tell(
        &self,
        (said, mut level): (Said, u32),
        written: &[u32],
        answers: &mut Levels,
        io: &mut Io,
    ) -> usize {
        let Some((sent_pin, _)) = self.shape.out else { return 0 };
        let mut sent = [0; ClockWords::MOST];
        for (&written, sent) in written.iter().zip(&mut sent) {
            *sent = self.shape.levels_sent(level, written);
            level = bit(written, self.even.rounds.count - 1);
        }
        let edges = &self.pio.edges;
        let at = |word: usize, pulse: u32| {
            let times = self.times(word);
            [self.shape.rise, self.shape.fall].map(|tick| times.at(edges, pulse, tick))
        };
        let AroundPulses { levels, may_drive, may_pull } = self.even.around;
        let words = ClockWords {
            clock: self.shape.clock,
            falls_first: self.shape.falls_first(),
            count: self.even.rounds.count,
            sent_pin,
            sent: &sent[..written.len()],
            said,
            levels,
            may_drive,
            may_pull,
            times: &at,
        };
        io.outside.words(&words, &mut answers[..written.len()], &mut io.reactions).min(written.len())
    }

    /// When things are in a word: the system may reach for a FIFO a picosecond before an edge of it.
    fn times(&self, number: usize) -> Times {
        let mut divider = self.pio.machines[self.row.n].divider;
        divider.put_off(number as u64 * self.even.cycles);
        let mut early = Early::default();
        if let Some(before) = self.passed_at(number) {
            let word = self.word(number);
            let mut meet = |cycle: u64, at| {
                let cycle = cycle - self.even.cycles + LATENCY_CYCLES;
                if self.pio.edges.time_of(cycle).is_some_and(|edge| edge > at) {
                    early.add(cycle, at);
                }
            };
            meet(word.takes, self.steps.feeds_at(before.takes));
            if let Some(gives) = word.gives {
                meet(gives, self.steps.empties_at(before.takes, before.ends));
            }
        }
        Times { divider, early, first_tick: self.even.rounds.first_tick, ticks: self.looped.ticks }
    }

    fn word(&self, number: usize) -> Word {
        let passed = number as u64 * self.even.cycles;
        let gives = self.first.gives.map(|gives| gives + passed);
        Word { takes: self.first.takes + passed, gives, ..self.first }
    }

    /// The times of the last word when so many have passed.
    fn passed_at(&self, count: usize) -> Option<WordTimes> {
        let Word { takes, gives, .. } = self.word(count);
        self.pio.times_of(takes - self.even.cycles, gives.map(|gives| gives - self.even.cycles))
    }
}

/// What is said on the same line in the same way.
fn said_again(said: Said, levels: u32) -> Said {
    Said { line: DataLine { levels, ..said.line }, ..said }
}
