//! Words of a row that are like the one before: of the same length, given the same way, and answered at the same line. What follows
//! from that is known once, and each word is little more than its bits.

use mcu::Said;
use units::Picoseconds;

use super::clocked::{AroundPulses, Times, Told};
use super::early::Early;
use super::loops::Loop;
use super::rounds::{Rounds, written_first};
use super::row::{Pins, Row, Word, WordTimes};
use super::state_machine::StateMachine;
use super::{Io, MACHINES, Pio};
use crate::peripherals::dma::LATENCY_CYCLES;

/// What such words have in common.
pub(crate) struct EvenWords {
    /// The rounds of a word, and the cycles from one to the next.
    pub(super) rounds: Rounds,
    pub(super) cycles: u64,
    /// What stands around the pulses.
    pub(super) around: AroundPulses,
    /// The rounds after which IN sees what is said in them.
    late: u32,
    /// Whether a word is given with each that is taken.
    pub(crate) gives: bool,
}

/// What came of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    /// It was like the one before.
    Even,
    /// It was not, and the system has heard of it.
    Other,
    /// It did not pass as a whole: the row ended before.
    Nothing,
}

impl Pio {
    /// What the word that a row passed last and those that follow have in common; nothing where they differ.
    pub(crate) fn even_words(&self, row: &Row, io: &Io) -> Option<EvenWords> {
        let machine = &self.machines[row.n];
        let looped = row.decoded.known_loop_at(machine.pc)?;
        let (Pins::Clock { before: Some(told), .. }, Some((word, _))) = (&row.pins, &row.next) else {
            return None;
        };
        let Rounds { count, first_tick } = word.rounds;
        let is_whole = machine.isr == 0
            && told.count == count
            && told.is_long()
            && machine.osr_count == 0
            && machine.isr_count == 0;
        if !is_whole || !machine.divider.is_even() || told.is_recorded(io) || first_tick != looped.last_delay
        {
            return None;
        }
        let cycle = |tick: u64| machine.divider.after(first_tick + tick);
        let period = cycle(looped.ticks) - cycle(0);
        let late = match (looped.into, told.shape.into) {
            (Some(into), Some(pin)) => {
                let (spoken, _) = told.said_at_pin(pin)?;
                let visible = self.inputs.visible_from(spoken, 1 << pin);
                let seen = told.times.cycle(0, into.tick);
                u32::try_from(visible.saturating_sub(seen).div_ceil(period))
                    .ok()
                    .filter(|&late| late < count)?
            }
            _ => 0,
        };
        let cycles = period * u64::from(count);
        Some(EvenWords {
            rounds: word.rounds,
            cycles,
            around: AroundPulses::of(io),
            late,
            gives: word.gives.is_some(),
        })
    }

    /// Passes a word as [`Pio::pass_word`] does, but the system is to hear of it later ([`Pio::end_even_words`]).
    #[inline]
    pub(crate) fn pass_even_word(&mut self, row: &mut Row, even: &EvenWords, io: &mut Io) -> Passed {
        let machine = &self.machines[row.n];
        let (Some(looped), Some((word, times)), Pins::Clock { shape, before: Some(before), skipped }) =
            (row.decoded.known_loop_at(machine.pc), row.next, &mut row.pins)
        else {
            return Passed::Nothing;
        };
        if !self.may_pass(row.n, &word) {
            row.next = None;
            return Passed::Nothing;
        }
        let first_tick = even.rounds.first_tick;
        let when = Times { divider: machine.divider, early: row.early, first_tick, ticks: looped.ticks };
        let written = written_first(machine.osr, machine.config.out_right);
        let count = even.rounds.count;
        let answer = self.ask(shape, &when, count, (before.last_written(), written), even.around, io);
        if answer.count < count || !before.moves_as(answer.said) {
            let told = Told { shape: *shape, times: when, count: answer.count, written, said: answer.said };
            row.next = None;
            let goes_on = answer.count != 0 && self.pass_told(row, (word, times), told, io);
            return if goes_on { Passed::Other } else { Passed::Nothing };
        }
        let levels = |said: Option<Said>| said.map_or(0, |said| said.line.levels);
        let received = received(levels(before.said), levels(answer.said), even);
        skipped.get_or_insert_with(|| self.skip_from_here(before, io)).add(before, count);
        (before.times, before.written, before.said) = (when, written, answer.said);
        row.reached = Some(word.gives.unwrap_or(word.takes));
        self.machines[row.n].end_even_word(looped, even, received);
        row.early = Early::default();
        row.next = self.word_after(row.n, looped, word, even);
        Passed::Even
    }

    /// Even words have passed, the last one at these times, and the DMA has heard of it.
    pub(crate) fn end_even_words(&mut self, row: &Row, passed: WordTimes, io: &mut Io) {
        self.lines_stale = false;
        io.now = io.now.max(passed.takes).max(passed.ends);
        let machine = &self.machines[row.n];
        io.lines.set_dreq(self.dreq(row.n), !machine.transmit.is_full());
        io.lines.set_dreq(self.dreq(row.n + MACHINES), !machine.receive.is_empty());
        io.lines.take_dreq_rose();
    }

    /// The word that passed last.
    pub(crate) fn word_before(&self, row: &Row, even: &EvenWords) -> Option<WordTimes> {
        let (word, _) = row.next?;
        self.times_of(word.takes - even.cycles, word.gives.map(|gives| gives - even.cycles))
    }

    /// The word that a machine gave is handed over.
    #[inline]
    pub(crate) fn hand_over_evenly(&mut self, row: &Row) -> u32 {
        self.machines[row.n].receive.pop().unwrap_or_default()
    }

    /// A machine is handed a word.
    #[inline]
    pub(crate) fn be_handed_evenly(&mut self, row: &Row, word: u32) {
        let took = self.machines[row.n].transmit.push(word);
        debug_assert!(took, "it asked for a word");
    }

    /// The system reaches for a FIFO, a latency after the last word was taken, or given: it may find the edge there that is a picosecond
    /// ahead.
    #[inline]
    pub(crate) fn meet_evenly(&self, row: &mut Row, even: &EvenWords, at: Picoseconds, is_given: bool) {
        let Some((word, _)) = row.next else { return };
        let asked = if is_given { word.gives.unwrap_or(word.takes) } else { word.takes } - even.cycles;
        let cycle = asked + LATENCY_CYCLES;
        if self.edges.time_of(cycle).is_some_and(|edge| edge > at) {
            row.early.add(cycle, at);
        }
    }

    /// The word that follows on one that was passed.
    #[inline]
    pub(super) fn word_after(
        &self,
        n: usize,
        looped: &Loop,
        word: Word,
        even: &EvenWords,
    ) -> Option<(Word, WordTimes)> {
        if looped.counted(&self.machines[n]) < u64::from(even.rounds.count) {
            return None;
        }
        let takes = word.takes + even.cycles;
        let gives = word.gives.map(|gives| gives + even.cycles);
        let times = self.times_of(takes, gives)?;
        Some((Word { rounds: even.rounds, takes, gives }, times))
    }
}

impl StateMachine {
    /// Leaves the machine as the rounds of a word do, with the next one in the OSR and none in the ISR.
    #[inline]
    pub(super) fn end_even_word(&mut self, looped: &Loop, even: &EvenWords, received: u32) {
        let count = even.rounds.count;
        looped.count_down(self, count);
        self.remember_written(looped, count);
        self.osr = self.transmit.pop().unwrap_or_default();
        if even.gives {
            let first = received >> (32 - count);
            let word = if self.config.in_right { first.reverse_bits() } else { first };
            let pushed = self.receive.push(word);
            debug_assert!(pushed, "rounds end before a word finds no room");
        }
        self.divider.put_off(even.cycles);
    }
}

/// What IN sees in a word: the end of the levels that were said in the word before, and the beginning of those that are said in
/// this one.
#[inline]
pub(super) fn received(before: u32, said: u32, even: &EvenWords) -> u32 {
    match even.late {
        0 => said,
        late => before << (even.rounds.count - late) & u32::MAX << (32 - late) | said >> late,
    }
}
