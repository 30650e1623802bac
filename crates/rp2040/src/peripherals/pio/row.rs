//! Words that a loop shifts out one after the other, while somebody brings them, and those that it shifts in at the same time, if it
//! does: each is done in one go, up to and including the OUT that takes the next one and the IN that gives one. The pins follow
//! later, and what they do in all words but the last is told in its sum.

use units::Picoseconds;

use super::burst::{TOLD, Untold};
use super::clocked::{Shape, Told};
use super::decoded::Decoded;
use super::divider::Divider;
use super::early::Early;
use super::level_words::Evenly;
use super::loops::{Loop, Shift};
use super::moved::Skipped;
use super::reach::{Heard, Reach};
use super::rounds::{Rounds, written_first};
use super::state_machine::StateMachine;
use super::{Io, MACHINES, NEVER, Pio};
use crate::peripherals::dma::LATENCY_CYCLES;

/// Changes after which those who hear of them later do.
const MOST_IN_ROW: usize = 1024;
/// Rounds of the shortest word, whose changes are all that anybody remembers.
const FEWEST_ROUNDS: u32 = TOLD as u32 + 1;

/// A machine on its way from word to word. It stands at the beginning of its loop.
pub(crate) struct Row {
    pub(super) n: usize,
    pub(super) decoded: Box<Decoded>,
    pub(super) pins: Pins,
    pub(super) early: Early,
    pub(super) next: Option<(Word, WordTimes)>,
    /// The last cycle in which something was done.
    pub(super) reached: Option<u64>,
}

/// When a row takes its next word, and when it gives one, with which this one ends; the same where it gives none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordTimes {
    pub(crate) takes: Picoseconds,
    pub(crate) ends: Picoseconds,
}

/// What is left of a machine's word: its rounds, and the cycles in which the next word is taken and one is given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    pub(super) rounds: Rounds,
    pub(super) takes: u64,
    pub(super) gives: Option<u64>,
}

/// What was done and does not show at the pins yet.
pub(super) enum Pins {
    /// Nobody hears of them before the end: levels that are told, and the word before.
    Unheard(Untold, Option<(Rounds, Divider, u32)>),
    /// Somebody hears of each change, later, or of whole words, where these come evenly.
    InRow(Untold, Option<Evenly>),
    /// They are told as the pulses of a clock: those of the word before, and what they did in those before that.
    Clock { shape: Shape, before: Option<Told>, skipped: Option<Skipped> },
}

/// The system reaches for a FIFO: the cycle that it finds before its edge, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meeting(Option<(u64, Picoseconds)>);

impl Pio {
    /// Sets out on a row of words of machine `n`, of which one is complete up to and including `until`; nothing where it is not in a
    /// loop for that. Whoever gets one has to end it before anything else happens to the block.
    pub(crate) fn begin_row(
        &mut self,
        n: usize,
        (reach, heard): (&Reach, Heard),
        until: Picoseconds,
        io: &Io,
    ) -> Option<Row> {
        let machine = &self.machines[n];
        let looped = self.decoded[n].as_ref()?.known_loop_at(machine.pc)?;
        let next = self.next_of(machine, looped)?;
        let goes_on = machine.is_between_instructions()
            && machine.foreseen.is_empty()
            && self.apart.is_none()
            && !machine.wants_refill()
            && !self.lines_stale;
        if !goes_on || io.clocks.sys_hz != self.edges.hz() || next.1.ends > until {
            return None;
        }
        let decoded = self.decoded[n].take()?;
        self.go_unnoticed((reach, heard), io);
        let pins = match decoded.known_loop_at(self.machines[n].pc) {
            Some(looped) if self.works_alone() == Some(n) => self.pins_of_row(n, looped, io),
            _ => None,
        };
        let Some(pins) = pins else {
            self.decoded[n] = Some(decoded);
            self.go_noticed();
            return None;
        };
        Some(Row { n, decoded, pins, early: Early::default(), next: Some(next), reached: None })
    }

    fn pins_of_row(&mut self, n: usize, looped: &Loop, io: &Io) -> Option<Pins> {
        let mut untold = self.begin_burst(n, io)?;
        let bits = looped.out.map_or(1, |out| u32::from(out.bits));
        if u32::from(self.machines[n].config.pull_threshold) / bits < FEWEST_ROUNDS {
            return None;
        }
        match self.shape_of(n, looped, &untold, io) {
            Some(shape) => Some(Pins::Clock { shape, before: None, skipped: None }),
            None if looped.into.is_some() => None,
            None if untold.is_told_in_row() => {
                self.give_room(&mut untold);
                let evenly = self.evenly(n, looped, &untold);
                Some(Pins::InRow(untold, evenly))
            }
            None => untold.tells_sums_of(looped).then_some(Pins::Unheard(untold, None)),
        }
    }

    /// When the row passes its next word; nothing where it ends before.
    #[inline]
    pub(crate) fn next_of_row(&self, row: &Row) -> Option<WordTimes> {
        row.next.map(|(_, times)| times)
    }

    fn next_of(&self, machine: &StateMachine, looped: &Loop) -> Option<(Word, WordTimes)> {
        let word = next_word(machine, looped)?;
        Some((word, self.times_of(word.takes, word.gives)?))
    }

    /// When a word is taken, and the one given that ends with it.
    #[inline]
    pub(super) fn times_of(&self, takes: u64, gives: Option<u64>) -> Option<WordTimes> {
        let takes: Picoseconds = self.edges.time_of(takes)?;
        let ends = gives.map_or(Some(takes), |cycle| self.edges.time_of(cycle))?;
        Some(WordTimes { takes, ends })
    }

    /// The system is about to reach for a FIFO at a time before the row's next word; nothing where the row cannot go on then.
    pub(crate) fn meeting(&self, row: &Row, at: Picoseconds) -> Option<Meeting> {
        let Some(cycle) = self.met_early(at) else { return Some(Meeting(None)) };
        let is_told = matches!(row.pins, Pins::Clock { .. } | Pins::InRow(..)) && row.early.has_room();
        let is_before = row.next.is_some_and(|(word, _)| cycle < word.takes);
        (is_told && is_before).then_some(Meeting(Some((cycle, at))))
    }

    /// Whether the row tells somebody outside of its pulses, and no cycle of its word was carried out early.
    pub(crate) fn is_told_in_step(&self, row: &Row) -> bool {
        matches!(row.pins, Pins::Clock { .. }) && row.early.is_empty()
    }

    /// Whether the FIFOs of the row's machine ask for one word each: to be brought one, and to be relieved of one.
    #[inline]
    pub(crate) fn asks_for_one(&self, row: &Row, is_emptied: bool) -> bool {
        let machine = &self.machines[row.n];
        machine.transmit.lacks_one() && (!is_emptied || machine.receive.level() == 1)
    }

    /// The system reaches for a FIFO of a row that is in step.
    #[inline]
    pub(crate) fn meet_in_step(&self, row: &mut Row, at: Picoseconds) {
        if let Some(cycle) = self.met_early(at) {
            row.early.add(cycle, at);
        }
    }

    /// It did so.
    #[inline]
    pub(crate) fn meet(row: &mut Row, meeting: Meeting) {
        if let Some((cycle, at)) = meeting.0 {
            row.early.add(cycle, at);
        }
    }

    /// Goes on up to and including the instruction that takes the next word, and to the end of the word, of which the system is to
    /// hear later ([`Pio::give_word`]); false when the row ended before.
    pub(crate) fn pass_word(&mut self, row: &mut Row, io: &mut Io) -> bool {
        let n = row.n;
        let machine = &self.machines[n];
        let Some(looped) = row.decoded.known_loop_at(machine.pc) else { return false };
        let Some((word, times)) = row.next.take() else { return false };
        if !self.may_pass(n, &word) {
            return false;
        }
        match &mut row.pins {
            Pins::Unheard(untold, before) => {
                if let Some((rounds, _, osr)) = before.replace((word.rounds, machine.divider, machine.osr)) {
                    untold.skip(looped, written_first(osr, machine.config.out_right), rounds.count);
                }
                row.reached = Some(self.end_rounds(n, looped, &word.rounds, 0));
                self.word_passed(row, times, io);
                true
            }
            Pins::InRow(untold, evenly) => {
                self.met.extend(row.early.all());
                self.pass_levels(n, (looped, &word), (untold, evenly.as_ref()), io);
                row.reached = Some(self.end_rounds(n, looped, &word.rounds, 0));
                if untold.changes_in_row() > MOST_IN_ROW {
                    self.end_levels(n, looped, (untold, evenly.as_ref()), io);
                    self.tell(untold, word.takes, io);
                    self.met.clear();
                }
                self.word_passed(row, times, io);
                true
            }
            Pins::Clock { shape, before, .. } => {
                let level = before.as_ref().map_or(shape.sent_of(self.levels), Told::last_written);
                let told = self.tell_pulses(n, looped, (shape, (level, row.early)), &word.rounds, io);
                told.is_some_and(|told| self.pass_told(row, (word, times), told, io))
            }
        }
    }

    /// Whether a machine has a word to take, and room for the one that it gives.
    #[inline]
    pub(super) fn may_pass(&self, n: usize, word: &Word) -> bool {
        let machine = &self.machines[n];
        !machine.transmit.is_empty() && (word.gives.is_none() || !machine.receive.is_full())
    }

    /// Goes on over a word whose pulses were told; false when those were not all.
    pub(super) fn pass_told(
        &mut self,
        row: &mut Row,
        (word, times): (Word, WordTimes),
        told: Told,
        io: &mut Io,
    ) -> bool {
        let n = row.n;
        let (Pins::Clock { before, skipped, .. }, Some(looped)) =
            (&mut row.pins, row.decoded.known_loop_at(self.machines[n].pc))
        else {
            return false;
        };
        let rounds = Rounds { count: told.count, ..word.rounds };
        let received = self.received_bits(looped, &told, before.as_ref(), io);
        if let Some(before) = before {
            self.pass_pulses(looped, before, &told, skipped, io);
        }
        *before = Some(told);
        let reached = self.end_rounds(n, looped, &rounds, received);
        row.reached = Some(reached);
        if rounds.count < word.rounds.count {
            return false;
        }
        debug_assert!(reached == word.gives.unwrap_or(word.takes));
        self.word_passed(row, times, io);
        true
    }

    fn word_passed(&mut self, row: &mut Row, times: WordTimes, io: &mut Io) {
        let n = row.n;
        (self.lines_stale, row.early) = (false, Early::default());
        io.now = io.now.max(times.takes);
        io.lines.set_dreq(self.dreq(n), true);
        let machine = &self.machines[n];
        row.next = row.decoded.known_loop_at(machine.pc).and_then(|looped| self.next_of(machine, looped));
    }

    /// Pulses were told behind others, of which nobody remembers more than their sum where these are enough.
    fn pass_pulses(
        &mut self,
        looped: &Loop,
        before: &Told,
        told: &Told,
        skipped: &mut Option<Skipped>,
        io: &mut Io,
    ) {
        if !told.is_long() {
            if let Some(skipped) = skipped.take() {
                self.move_skipped(&skipped, before, io);
            }
            return self.move_in_pulses(looped, before, io);
        }
        if before.is_recorded(io) {
            return self.skip_pulses(looped, before, before.count, io);
        }
        skipped.get_or_insert_with(|| self.skip_from_here(before, io)).add(before, before.count);
        if !told.moves_as(before.said)
            && let Some(skipped) = skipped.take()
        {
            self.move_skipped(&skipped, before, io);
        }
    }

    /// The system hears of the word that the row gave with the one that it passed last, if it did.
    pub(crate) fn give_word(&self, row: &Row, passed: WordTimes, io: &mut Io) {
        if !self.machines[row.n].receive.is_empty() {
            io.now = io.now.max(passed.ends);
            io.lines.set_dreq(self.dreq(row.n + MACHINES), true);
        }
    }

    /// Ends a row: the pins have moved, and it is known what comes next. Gives whether the machine has gone on.
    pub(crate) fn end_row(&mut self, row: Row, io: &mut Io) -> bool {
        let Row { n, decoded, pins, early, reached, .. } = row;
        if let (Some(reached), Some(looped)) = (reached, decoded.known_loop_at(self.machines[n].pc)) {
            match pins {
                Pins::Unheard(mut untold, word) => {
                    if let Some((rounds, divider, osr)) = word {
                        self.move_pins(n, looped, &rounds, (divider, osr), &mut untold, io);
                    }
                    self.tell(&mut untold, reached, io);
                }
                Pins::InRow(mut untold, evenly) => {
                    self.end_levels(n, looped, (&mut untold, evenly.as_ref()), io);
                    self.tell(&mut untold, reached, io);
                    self.take_room_back(untold);
                    self.met.clear();
                }
                Pins::Clock { before: Some(told), skipped, .. } => {
                    if let Some(skipped) = skipped {
                        self.move_skipped(&skipped, &told, io);
                    }
                    self.move_in_pulses(looped, &told, io);
                }
                Pins::Clock { before: None, .. } => {}
            }
        }
        self.decoded[n] = Some(decoded);
        if let Some(reached) = reached {
            io.now = io.now.max(self.edges.time_of(reached).unwrap_or(io.now));
            self.machines[n].reschedule();
        }
        let met = early.all().filter(|&(cycle, _)| reached.is_none_or(|reached| cycle > reached));
        let last = met.fold(reached, |_, (cycle, at)| {
            self.run_early(cycle, at, io);
            Some(cycle)
        });
        self.go_noticed();
        if let Some(last) = last {
            self.finish(last, io);
        }
        last.is_some()
    }

    /// Does everything up to and including a cycle, in which the system reached for a FIFO before its edge.
    fn run_early(&mut self, cycle: u64, at: Picoseconds, io: &mut Io) {
        loop {
            let next = self.next_due();
            if next > cycle || next == NEVER {
                return;
            }
            let edge = self.edges.time_of(next).filter(|_| next < cycle);
            io.now = io.now.max(edge.unwrap_or(at));
            self.run_cycle(next, io);
        }
    }
}

/// The word under way of a machine, if the loop goes through all of its rounds, and the words on both sides end with the same one. A
/// word that is given follows so soon on the one that is taken that the DMA brings no other between.
fn next_word(machine: &StateMachine, looped: &Loop) -> Option<Word> {
    let (out, into) = looped.shifts_at_end()?;
    let config = &machine.config;
    let count = whole_rounds(out, config.pull_threshold, machine.osr_count).filter(|_| config.autopull)?;
    let gives = |into: Shift| {
        let own = whole_rounds(into, config.push_threshold, machine.isr_count)?;
        (config.autopush && own == count).then_some(into)
    };
    let into = match into {
        Some(into) => Some(gives(into)?),
        None => None,
    };
    let rounds = Rounds { count, first_tick: machine.delay };
    let last_round = rounds.first_tick + u64::from(count - 1) * looped.ticks;
    let cycle = |shift: Shift| machine.divider.after(last_round + shift.tick);
    let (takes, gives) = (cycle(out), into.map(cycle));
    let is_soon = gives.is_none_or(|gives| gives < takes + LATENCY_CYCLES);
    (is_soon && looped.counted(machine) >= u64::from(count)).then_some(Word { rounds, takes, gives })
}

/// The rounds in which a word becomes complete of which some bits are shifted.
fn whole_rounds(shift: Shift, threshold: u8, shifted: u8) -> Option<u32> {
    let left = threshold.checked_sub(shifted).filter(|&left| left != 0)?;
    (left % shift.bits == 0).then_some(u32::from(left / shift.bits))
}
