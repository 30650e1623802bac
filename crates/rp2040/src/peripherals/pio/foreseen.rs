//! Words that somebody brings to a machine which goes round in a loop. As long as its FIFO is never empty it is known when the machine
//! takes each of them. The FIFO need not wait until the machine has come that far: what it took meanwhile is put aside, and the machine
//! finds it there. Whoever fills the FIFO word by word, and looks at its level, leaves the machine behind in this way.

use units::Picoseconds;

use super::burst::Untold;
use super::loops::Loop;
use super::rounds::{ROUNDS_AT_END, written_first};
use super::state_machine::{Stall, StateMachine};
use super::{Io, NEVER, Pio};

/// So many words are put aside at the most.
const MOST_WORDS: usize = 2048;
/// Fewer are gone through one by one as quickly.
const FEWEST_WORDS: usize = 2;

/// Words that were taken out of a FIFO before the machine came to where it takes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Foreseen {
    /// The first words of these have been taken.
    words: Vec<u32>,
    taken: usize,
    /// The cycle in which the next word is taken that is not among them, and those from one word to the next.
    next: u64,
    period: u64,
}

/// How words move in a loop.
struct Course {
    /// The rounds that are left of the word under way, and those of each other.
    first: u32,
    whole: u32,
    /// The cycle in which the next word is taken, and the cycles from one to the next.
    takes: u64,
    period: u64,
}

impl Foreseen {
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn left(&self) -> &[u32] {
        &self.words[self.taken..]
    }

    /// The first words have been taken.
    fn pass(&mut self, words: usize) {
        self.taken += words;
        if self.taken == self.words.len() {
            self.words.clear();
            self.taken = 0;
        }
    }
}

impl StateMachine {
    /// Whether there is a word to take.
    #[inline(always)]
    pub(super) fn has_word(&self) -> bool {
        !self.foreseen.is_empty() || !self.transmit.is_empty()
    }

    /// Takes a word; gives whether the FIFO has moved with it.
    #[inline]
    pub(super) fn take_word(&mut self) -> Option<(u32, bool)> {
        match self.foreseen.left().first() {
            None => self.transmit.pop().map(|word| (word, true)),
            Some(&word) => {
                self.foreseen.pass(1);
                Some((word, false))
            }
        }
    }

    /// The cycle in which it takes the first word that was not put aside yet.
    #[inline]
    pub(super) fn next_unforeseen(&self) -> Option<u64> {
        (!self.foreseen.is_empty()).then_some(self.foreseen.next)
    }

    /// Puts the words aside that it takes up to and including a cycle in a loop; gives the cycle in which it takes the first one that is
    /// still to come to where it is taken, and nothing where that is not known.
    fn foresee(&mut self, looped: &Loop, cycle: u64) -> Option<u64> {
        if self.foreseen.is_empty() {
            let course = self.course_of(looped)?;
            (self.foreseen.next, self.foreseen.period) = (course.takes, course.period);
        }
        while self.foreseen.next <= cycle {
            if self.foreseen.words.len() == MOST_WORDS {
                return None;
            }
            let word = self.transmit.pop()?;
            self.foreseen.words.push(word);
            self.foreseen.next += self.foreseen.period;
        }
        Some(self.foreseen.next)
    }

    /// How words move, where it does nothing else in a loop without end.
    fn course_of(&self, looped: &Loop) -> Option<Course> {
        let out = looped.only_out().filter(|_| self.config.autopull)?;
        if !self.may_burst() || !self.is_between_instructions() || self.wants_refill() {
            return None;
        }
        let rounds = |bits: u8| {
            let is_whole = bits != 0 && bits.is_multiple_of(out.bits);
            is_whole.then(|| u32::from(bits / out.bits))
        };
        let first = rounds(self.config.pull_threshold.checked_sub(self.osr_count)?)?;
        let whole = rounds(self.config.pull_threshold)?;
        let tick = self.delay + u64::from(first - 1) * looped.ticks + out.tick;
        let period = self.divider.even_cycles(tick, u64::from(whole) * looped.ticks)?;
        Some(Course { first, whole, takes: self.divider.after(tick), period })
    }

    /// How many words that were put aside may pass of which nobody remembers more than a sum: the rounds behind them, up to and including
    /// cycle `last`, have all changes that are remembered.
    fn words_to_sum(&self, looped: &Loop, course: &Course, last: u64) -> usize {
        let ticks_of_first = self.delay + u64::from(course.first) * looped.ticks;
        let behind_first = self.divider.ticks_through(last).checked_sub(ticks_of_first);
        let complete = behind_first.map_or(0, |ticks| 1 + ticks / (u64::from(course.whole) * looped.ticks));
        let words = complete.saturating_sub(ROUNDS_AT_END.div_ceil(course.whole).into());
        let most = self.foreseen.left().len();
        usize::try_from(words).unwrap_or(most).min(most)
    }
}

impl Pio {
    /// Whether it is known which words the machines move up to and including a time, so that the FIFOs show these from here on, and an
    /// access then would find no cycle that is a picosecond ahead.
    #[inline]
    pub(crate) fn foresees_words(&mut self, at: Picoseconds, io: &mut Io) -> bool {
        let Some(cycle) = self.edges.apart_at(at) else { return false };
        if cycle >= self.words_known_before && self.apart_in_loop() {
            self.words_known_before = if self.lines_stale { 0 } else { self.foresee_words(cycle, io) };
        }
        cycle < self.words_known_before
    }

    /// Whether that is known already.
    #[inline]
    pub(crate) fn knows_words(&self, at: Picoseconds) -> bool {
        self.edges.apart_at(at).is_some_and(|cycle| cycle < self.words_known_before)
    }

    /// The cycle before which it is known.
    fn foresee_words(&mut self, cycle: u64, io: &mut Io) -> u64 {
        let mut known = NEVER;
        for n in 0..self.machines.len() {
            let machine = &self.machines[n];
            if machine.due != NEVER {
                known = known.min(self.foresee_words_of(n, cycle, io));
            } else if machine.enabled && machine.stall != Some(Stall::Fifo) {
                // Another one may wake it, and it may move a word at once.
                return self.next_due();
            }
        }
        known
    }

    /// The same of one machine that has anything to do.
    #[inline]
    fn foresee_words_of(&mut self, n: usize, cycle: u64, io: &mut Io) -> u64 {
        let (machine, Some(decoded)) = (&mut self.machines[n], &self.decoded[n]) else {
            return self.machines[n].due;
        };
        let next = machine.next_word(decoded);
        if next > cycle {
            return next;
        }
        let Some(looped) = decoded.known_loop_at(machine.pc) else { return next };
        let next = machine.foresee(looped, cycle).unwrap_or(next);
        let has_room = !machine.transmit.is_full();
        io.lines.set_dreq(self.dreq(n), has_room);
        next
    }

    /// Goes through words that were put aside, of which nobody remembers more than the sum of what the pins did, up to the beginning of
    /// a round; nothing, before anything has happened, where the words that follow up to and including cycle `last` are too few for that.
    pub(super) fn pass_foreseen(
        &mut self,
        n: usize,
        looped: &Loop,
        last: u64,
        untold: &mut Untold,
    ) -> Option<u64> {
        let machine = &mut self.machines[n];
        if machine.foreseen.left().len() < FEWEST_WORDS || !untold.tells_sums_of(looped) {
            return None;
        }
        let course = machine.course_of(looped)?;
        let words = machine.words_to_sum(looped, &course, last);
        if words < FEWEST_WORDS {
            return None;
        }
        let mut rounds = course.first;
        for number in 0..words {
            untold.skip(looped, written_first(machine.osr, machine.config.out_right), rounds);
            if number + 1 == words {
                machine.remember_written(looped, rounds);
            }
            machine.osr = machine.foreseen.left()[number];
            rounds = course.whole;
        }
        machine.osr_count = 0;
        machine.foreseen.pass(words);
        let rounds = u64::from(course.first) + (words as u64 - 1) * u64::from(course.whole);
        let tick = machine.delay + (rounds - 1) * looped.ticks + looped.last_tick;
        let reached = machine.divider.after(tick);
        machine.end_quickly(tick + 1, looped.last_delay);
        Some(reached)
    }
}
