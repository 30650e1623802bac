//! Words that a machine takes in from pins whose levels were foretold, one after the other: it goes round in a loop that does nothing
//! but read, and it is known when each word is complete and what it is.

use units::Picoseconds;

use super::ahead::LevelsSeen;
use super::decoded::Decoded;
use super::registers::mask;
use super::rounds::Rounds;
use super::{Io, MACHINES, Pio};

/// A machine on its way from word to word, at the beginning of its loop.
pub(crate) struct Intake {
    pub(crate) n: usize,
    pub(super) decoded: Box<Decoded>,
    pub(super) next: Option<Word>,
    /// What its words see, where that is known for all of them, and the first step that none has seen.
    pub(super) seen: Option<LevelsSeen>,
    ahead: usize,
    /// Of how many words behind the next one it is known that they come, so many cycles apart.
    pub(super) follow: Option<(u64, u64)>,
    /// The last cycle in which something was done.
    pub(super) reached: Option<u64>,
}

/// A word that is about to be complete: the rounds up to it, the cycle of the last IN, and when that is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) rounds: Rounds,
    pub(super) cycle: u64,
    at: Picoseconds,
}

impl Decoded {
    /// Whether a loop is known at a place that does nothing but read pins.
    pub(super) fn only_reads_at(&self, place: u8) -> bool {
        self.known_loop_at(place).is_some_and(|looped| {
            let reads = looped.into.is_some_and(|into| into.at_pins && into.is_last);
            reads && looped.out.is_none() && looped.moves().is_empty()
        })
    }
}

impl Pio {
    /// The next word that machine `n` takes in, if one is complete by a time.
    pub(super) fn next_by(&self, n: usize, at: Picoseconds) -> Option<Word> {
        let decoded = self.decoded[n].as_ref().filter(|decoded| decoded.only_reads_at(self.machines[n].pc));
        self.next_taken_in(n, decoded?).filter(|word| word.at <= at)
    }

    /// Sets out on the words of machine `n`, of which one is complete up to and including `until`; nothing where it does anything else.
    /// Whoever gets an intake has to end it before anything else happens to the block.
    pub(crate) fn begin_intake(&mut self, n: usize, until: Picoseconds, io: &Io) -> Option<Intake> {
        if self.ahead.is_none() || self.lines_stale || io.clocks.sys_hz != self.edges.hz() {
            return None;
        }
        let word = self.next_by(n, until).filter(|_| self.works_alone() == Some(n))?;
        let decoded = self.decoded[n].take()?;
        self.observe_ahead(self.machines[n].due.min(self.due_aside()), io);
        let seen = self.seen_by_words(n, &decoded, &word, io);
        let follow = self.words_behind(n, &decoded, &word);
        Some(Intake { n, decoded, next: Some(word), seen, ahead: self.next_ahead(), follow, reached: None })
    }

    fn seen_by_words(&self, n: usize, decoded: &Decoded, word: &Word, io: &Io) -> Option<LevelsSeen> {
        let machine = &self.machines[n];
        let looped = decoded.known_loop_at(machine.pc)?;
        let into = looped.into?;
        let first_read = word.rounds.first_tick + into.tick;
        let round_cycles = machine.divider.even_cycles(first_read, looped.ticks)?;
        let pins = mask(into.bits).rotate_left(machine.config.in_base.into());
        self.levels_seen((machine.divider.after(first_read), round_cycles), pins, io)
    }

    pub(super) fn next_taken_in(&self, n: usize, decoded: &Decoded) -> Option<Word> {
        let machine = &self.machines[n];
        let looped = decoded.known_loop_at(machine.pc)?;
        let into = looped.into?;
        let config = &machine.config;
        let left =
            config.push_threshold.checked_sub(machine.isr_count).filter(|&left| left % into.bits == 0)?;
        let count = u64::from(left / into.bits);
        let is_whole = config.autopush && count != 0 && looped.rounds(machine, count) == count;
        if !is_whole || machine.receive.is_full() || !machine.is_between_instructions() {
            return None;
        }
        let rounds = Rounds { count: count as u32, first_tick: machine.delay };
        let cycle = machine.divider.after(rounds.first_tick + (count - 1) * looped.ticks + into.tick);
        Some(Word { rounds, cycle, at: self.edges.time_of(cycle)? })
    }

    /// When the next word is complete; nothing where the intake ends before.
    #[inline]
    pub(crate) fn next_of_intake(&self, intake: &Intake) -> Option<Picoseconds> {
        intake.next.map(|word| word.at)
    }

    /// Whether an access at a time before the next word finds that already, as its cycle is a picosecond ahead.
    #[inline]
    pub(crate) fn meets_word(&self, intake: &Intake, at: Picoseconds) -> bool {
        intake.next.is_some_and(|word| self.edges.cycle_at(at) >= word.cycle)
    }

    /// Takes the next word in, of which the system hears; false where it is not known, before anything has happened.
    pub(crate) fn take_word_in(&mut self, intake: &mut Intake, io: &mut Io) -> bool {
        let Some(word) = intake.next else { return false };
        let Intake { n, decoded, seen, ahead, reached, .. } = intake;
        let Some(looped) = decoded.known_loop_at(self.machines[*n].pc) else { return false };
        let Some(into) = looped.into else { return false };
        let received = match (seen, &io.foretold) {
            (Some(seen), Some(course)) => {
                let (base, foretold) = (u32::from(self.machines[*n].config.in_base), course.foretold());
                let bits = (0..word.rounds.count).map(|_| seen.next(foretold).rotate_right(base));
                Some(first_in_highest(bits, into.bits))
            }
            _ => self.foretold_input(*n, into, looped, (&word.rounds, ahead), io),
        };
        let Some(received) = received else { return false };
        *reached = Some(self.end_rounds(*n, looped, &word.rounds, received));
        self.lines_stale = false;
        io.now = io.now.max(word.at);
        io.lines.set_dreq(self.dreq(*n + MACHINES), true);
        self.go_to_next(intake, &word, 1);
        true
    }

    /// Some words were taken in, the first of which was the next one.
    pub(super) fn go_to_next(&self, intake: &mut Intake, first: &Word, count: u64) {
        let machine = &self.machines[intake.n];
        intake.next = match &mut intake.follow {
            Some((left, cycles)) if *left >= count && !machine.receive.is_full() => {
                *left -= count;
                let cycle = first.cycle + count * *cycles;
                let rounds = Rounds { count: first.rounds.count, first_tick: machine.delay };
                self.edges.time_of(cycle).map(|at| Word { rounds, cycle, at })
            }
            _ => {
                let next = self.next_taken_in(intake.n, &intake.decoded);
                intake.follow = next.and_then(|next| self.words_behind(intake.n, &intake.decoded, &next));
                next
            }
        };
    }

    /// How many words come evenly behind one that begins with the machine's next round, and how many cycles apart.
    fn words_behind(&self, n: usize, decoded: &Decoded, word: &Word) -> Option<(u64, u64)> {
        let machine = &self.machines[n];
        let looped = decoded.known_loop_at(machine.pc)?;
        let first_read = word.rounds.first_tick + looped.into?.tick;
        let round_cycles = machine.divider.even_cycles(first_read, looped.ticks)?;
        let begins = machine.delay == looped.last_delay && machine.isr_count == 0 && looped.written.is_none();
        let rounds = u64::from(word.rounds.count);
        begins.then(|| ((looped.rounds_inside(machine) / rounds).saturating_sub(1), round_cycles * rounds))
    }

    /// Ends an intake: it is known what comes next. Gives the last cycle in which the machine has gone on.
    pub(crate) fn end_intake(&mut self, intake: Intake, io: &mut Io) -> Option<u64> {
        let Intake { n, decoded, reached, .. } = intake;
        self.decoded[n] = Some(decoded);
        let reached = reached?;
        self.machines[n].reschedule();
        self.finish(reached, io);
        Some(reached)
    }
}

/// So many bits of each, the first in the highest bits.
fn first_in_highest(all: impl Iterator<Item = u32>, count: u8) -> u32 {
    let join =
        |(joined, bits), one| (joined << count | u64::from(one & mask(count)), bits + u32::from(count));
    let (joined, bits) = all.fold((0u64, 0), join);
    (joined << (32 - bits)) as u32
}
