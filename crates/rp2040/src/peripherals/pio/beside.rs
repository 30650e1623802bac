//! A machine that is put aside while another one takes words in, and follows later: neither has to do with what the other one does until
//! then, so that each is led through its own loop.

use units::Picoseconds;

use super::decoded::Decoded;
use super::reach::{Heard, Reach};
use super::state_machine::StateMachine;
use super::{Io, NEVER, Pio};

/// A machine that was put aside, and when it is due.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aside {
    machine: usize,
    due: u64,
}

impl Pio {
    /// The machine that goes round in a loop in which it does nothing but read levels that were foretold.
    pub(crate) fn reads_foretold(&self) -> Option<usize> {
        let reads = |one: &StateMachine| {
            let decoded = self.decoded[usize::from(one.index)].as_ref();
            one.due != NEVER && decoded.is_some_and(|decoded| decoded.only_reads_at(one.pc))
        };
        self.machines.iter().position(reads)
    }

    /// The only machine that goes on beside machine `n`.
    pub(crate) fn goes_on_beside(&self, n: usize) -> Option<usize> {
        let goes_on = |one: &&StateMachine| one.due != NEVER && usize::from(one.index) != n;
        let mut others = self.machines.iter().filter(goes_on);
        let found = others.next().map(|one| usize::from(one.index));
        found.filter(|_| others.next().is_none())
    }

    /// Up to when, at the most up to `until`, machine `n` takes in words while the other one only moves pins and takes words that it has, or
    /// none where the DMA feeds it. Nothing where no word is complete by then.
    pub(crate) fn known_beside(
        &self,
        n: usize,
        (other, is_fed): (usize, bool),
        until: Picoseconds,
    ) -> Option<Picoseconds> {
        let decoded = self.decoded[other].as_ref()?;
        let before = self.machines[other].goes_on_before(decoded, &self.program, is_fed)?;
        let until = until.min(self.edges.time_of(before - 1)?);
        self.next_by(n, until).map(|_| until)
    }

    /// Puts a machine aside; false where what it does has to be told at once. Whoever did so has to let it follow before anything else
    /// happens to the block.
    pub(crate) fn put_aside(&mut self, n: usize, (reach, heard): (&Reach, Heard), io: &Io) -> bool {
        if self.lines_stale || !self.is_told_later(n, (reach, heard), io) {
            return false;
        }
        let due = std::mem::replace(&mut self.machines[n].due, NEVER);
        self.aside = Some(Aside { machine: n, due });
        true
    }

    /// Whether the times of what a machine does at pins are told with it: of what is told at once the time is now.
    fn is_told_later(&mut self, n: usize, (reach, heard): (&Reach, Heard), io: &Io) -> bool {
        (self.may_move, self.heard) = (reach.pins, heard);
        let untold = self.begin_burst(n, io);
        self.heard = Heard::default();
        untold.is_some_and(|untold| !untold.is_told_at_once())
    }

    /// The system reaches for a FIFO at a time, and carries out the cycle that is a picosecond ahead.
    pub(crate) fn note_meeting(&mut self, at: Picoseconds) {
        if self.aside.is_some()
            && let Some(cycle) = self.met_early(at)
        {
            self.met.push((cycle, at));
        }
    }

    /// The cycle in which a machine is due first that was put aside.
    pub(super) fn due_aside(&self) -> u64 {
        self.aside.map_or(NEVER, |aside| aside.due)
    }

    /// The same of many words, so long after each of them.
    pub(super) fn note_meetings(&mut self, (first, apart): (u64, u64), count: usize, latency: Picoseconds) {
        for cycle in (0..count as u64).map(|n| first + n * apart) {
            if let Some(at) = self.edges.time_of(cycle) {
                self.note_meeting(at + latency);
            }
        }
    }

    /// Lets a machine follow that was put aside, through the last cycle in which the other one did anything, and both through those that
    /// were carried out early. Gives whether there was any.
    pub(crate) fn let_follow(
        &mut self,
        last: Option<u64>,
        (reach, heard): (&Reach, Heard),
        io: &mut Io,
    ) -> bool {
        let Some(Aside { machine, due }) = self.aside.take() else { return false };
        self.machines[machine].due = due;
        let Some(through) = last.max(self.met.last().map(|&(cycle, _)| cycle)) else { return false };
        self.go_unnoticed((reach, heard), io);
        (self.debug_rose, self.flags_moved) = (false, false);
        let last = last.unwrap_or(0);
        while self.machines[machine].due <= last && self.burst(machine, last, false, io).is_some() {}
        while self.next_due() <= through {
            let next = self.next_due();
            io.now = io.now.max(self.time_of(next).unwrap_or(io.now));
            self.run_cycle(next, io);
        }
        self.go_noticed();
        self.met.clear();
        self.finish(through, io);
        true
    }

    /// When a cycle was carried out, or will be.
    #[inline]
    pub(super) fn time_of(&self, cycle: u64) -> Option<Picoseconds> {
        if self.met.is_empty() { self.edges.time_of(cycle) } else { self.time_of_met(cycle) }
    }

    fn time_of_met(&self, cycle: u64) -> Option<Picoseconds> {
        match self.met.binary_search_by_key(&cycle, |&(met, _)| met) {
            Ok(place) => Some(self.met[place].1),
            Err(_) => self.edges.time_of(cycle),
        }
    }
}

impl StateMachine {
    /// The cycle before which it does nothing but to move pins and to take words that its FIFO has, or none where somebody feeds it.
    fn goes_on_before(&self, decoded: &Decoded, program: &[u16; 32], is_fed: bool) -> Option<u64> {
        if !self.may_burst()
            || !self.is_between_instructions()
            || !self.foreseen.is_empty()
            || self.wants_refill()
        {
            return None;
        }
        let words = if is_fed { 0 } else { self.transmit.level().into() };
        let looped = decoded.known_loop_at(self.pc).filter(|looped| looped.into.is_none());
        let inside = looped.and_then(|looped| looped.ticks_of_words(self, words, true));
        let ticks = inside.or_else(|| self.ticks_to_word(decoded, program))?;
        Some(self.divider.after(self.delay + ticks))
    }
}
