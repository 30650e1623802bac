//! A machine that is led on by itself before each look at its FIFOs, while the block stays behind: what it does to pins is told once the
//! block is led on. Nobody notices the pins, so that nobody notices that. A core that feeds such a machine word by word goes on without a
//! stop at each of them.

use units::Picoseconds;

use super::burst::Untold;
use super::cycle::Cycle;
use super::reach::{Heard, Reach};
use super::registers::TXF0;
use super::{ALL_PINS, Io, NEVER, Pio};

/// The machine that is ahead of its block, what it did to levels, and the last cycle in which it did anything.
#[derive(Debug, Clone)]
pub(super) struct Apart {
    n: usize,
    /// The cycle before which no other machine does anything.
    before: u64,
    reach: Reach,
    untold: Untold,
    reached: Option<u64>,
}

impl Pio {
    /// Leads a machine of a block that is behind up to and including a time, so that its FIFOs show what they would. False where another
    /// machine has anything to do by then, or somebody has to hear of this one.
    pub(crate) fn runs_apart(&mut self, at: Picoseconds, io: &mut Io) -> bool {
        let is_known = io.clocks.sys_hz == self.edges.hz() && !self.lines_stale;
        let Some(last) = self.edges.apart_at(at).filter(|_| is_known) else { return false };
        if self.apart.is_none() {
            self.apart = self.set_out_apart(last, io);
        }
        let Some(mut apart) = self.apart.take_if(|apart| last < apart.before) else { return false };
        self.run_apart(&mut apart, last, io);
        self.apart = Some(apart);
        if self.lines_stale {
            self.update_lines(io);
        }
        self.words_known_before = self.next_due();
        last < self.words_known_before
    }

    /// Nothing where the machine does more than to move words and levels.
    fn set_out_apart(&mut self, last: u64, io: &Io) -> Option<Box<Apart>> {
        let (n, _) = self.goes_alone(last).filter(|&(_, alone)| alone == last && io.foretold.is_none())?;
        let before = self.others(n).map(|other| other.due).min().unwrap_or(NEVER);
        let reach = self.reach();
        if reach.looks_at_pins || reach.flags || reach.turns_pins {
            return None;
        }
        self.go_unnoticed((&reach, Heard::default()), io);
        let untold = self.begin_burst(n, io).filter(Untold::is_told_in_sum);
        self.go_noticed();
        Some(Box::new(Apart { n, before, reach, untold: untold?, reached: None }))
    }

    fn run_apart(&mut self, apart: &mut Apart, last: u64, io: &mut Io) {
        let n = apart.n;
        if self.machines[n].due > last {
            return;
        }
        self.go_unnoticed((&apart.reach, Heard::default()), io);
        let mut decoded = self.take_decoded(n);
        while self.machines[n].due <= last {
            (self.debug_rose, self.flags_moved) = (false, false);
            let reached = self.burst_untold(n, &mut decoded, &mut apart.untold, (last, false), io);
            apart.reached = Some(reached.unwrap_or(self.machines[n].due));
            match reached {
                Some(_) => self.machines[n].reschedule(),
                None => self.step_apart(n, &mut apart.untold),
            }
        }
        self.decoded[n] = Some(decoded);
        self.go_noticed();
        self.debug_rose = false;
    }

    /// One cycle of the machine, whatever it is about.
    fn step_apart(&mut self, n: usize, untold: &mut Untold) {
        let machine = &mut self.machines[n];
        let due = machine.due;
        let mut cycle = Cycle::new(due, &self.program, &self.inputs, self.flags);
        machine.step(&mut cycle);
        self.debug |= cycle.debug << machine.index;
        self.lines_stale |= cycle.fifo_moved;
        let (levels, _) = cycle.writes.after((untold.levels(), self.enables));
        untold.move_to(levels & ALL_PINS, due);
    }

    /// Whether the machine that is ahead, if there is one, stands in a loop.
    pub(super) fn apart_in_loop(&self) -> bool {
        self.apart.as_ref().is_none_or(|apart| {
            let decoded = self.decoded[apart.n].as_ref();
            decoded.is_some_and(|decoded| decoded.has_loop_at(self.machines[apart.n].pc))
        })
    }

    /// Gives a word that is written at an offset to the machine that is ahead, whatever that is about; false, with the word not given, where
    /// it is another's or finds no room.
    pub(crate) fn takes_word_apart(&mut self, offset: u32, word: u32, at: Picoseconds, io: &mut Io) -> bool {
        let Some(n) = self.apart.as_ref().map(|apart| apart.n) else { return false };
        let is_own = offset == TXF0 + 4 * n as u32;
        if !is_own || !self.runs_apart(at, io) || self.machines[n].transmit.is_full() {
            return false;
        }
        self.transmit(n, word, self.edges.cycle_at(at));
        self.update_lines(io);
        self.words_known_before = 0;
        true
    }

    /// The block catches up with a machine that is ahead: its pins have moved. Gives the last cycle in which it did anything, where there
    /// is such a machine.
    pub(super) fn join(&mut self, io: &mut Io) -> Option<u64> {
        let apart = self.apart.take()?;
        let Apart { reach, mut untold, reached, .. } = *apart;
        let reached = reached.unwrap_or_else(|| self.edges.last_at(io.now));
        self.go_unnoticed((&reach, Heard::default()), io);
        self.tell(&mut untold, reached, io);
        self.go_noticed();
        io.moved_unnoticed = true;
        Some(reached)
    }
}
