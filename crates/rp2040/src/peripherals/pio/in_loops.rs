//! Blocks of which each machine goes round in a loop for a while, reading pins whose levels were foretold or moving pins, or waits for a
//! word that nobody brings: it is known how long so.

use units::Picoseconds;

use super::reach::Reach;
use super::state_machine::StateMachine;
use super::{Io, Pio};

/// How the machines of such a block go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InLoops {
    /// What those in loops may do, and the requests that they may raise.
    pub(crate) reach: Reach,
    pub(crate) requests: u64,
    /// The requests with which the others ask for words.
    pub(crate) waiting: u64,
    /// When the first machine may leave its loop.
    pub(crate) until: Picoseconds,
}

impl Pio {
    /// How the machines go on; nothing where one of them does more than go round, or where a FIFO interrupts.
    pub(crate) fn stays_in_loops(&mut self, io: &Io) -> Option<InLoops> {
        if !self
            .machines
            .iter()
            .all(|one| one.is_at_rest() || one.waits_for_word() || one.goes_through_program())
        {
            return None;
        }
        self.decode();
        self.look_ahead(io);
        let found = self.find_loops(io);
        self.forget_levels();
        found
    }

    fn find_loops(&mut self, io: &Io) -> Option<InLoops> {
        let (mut machines, mut waiting, mut reads, mut moves) = (0, 0, 0, 0);
        let mut until = Picoseconds::new(i64::MAX);
        for n in 0..self.machines.len() {
            let machine = &self.machines[n];
            if machine.is_at_rest() {
                continue;
            }
            if machine.waits_for_word() {
                waiting |= 1u64 << self.dreq(n).0;
                continue;
            }
            self.find_sure_jumps(n, io);
            let machine = &self.machines[n];
            let looped = self.decoded[n].as_mut()?.loop_at(machine.pc)?;
            let ticks = Some(looped.ticks_inside(machine)).filter(|&ticks| ticks != 0)?;
            until = until.min(self.edges.time_of(machine.divider.after(machine.delay + ticks))?);
            reads |= looped.reads(&machine.config);
            moves |= looped.moves_from(self.levels);
            machines |= 1 << n;
        }
        let reach = Reach::of_loops(machines, moves, reads != 0);
        let is_apart = machines != 0 && reads & io.pins.wired_with(moves) == 0 && !self.may_interrupt(&reach);
        is_apart.then(|| InLoops { reach, requests: self.requests(&reach), waiting, until })
    }
}

impl StateMachine {
    fn goes_through_program(&self) -> bool {
        self.enabled && !self.executes_written() && self.is_between_instructions() && !self.config.out_sticky
    }
}
