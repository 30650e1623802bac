//! Blocks of which each machine goes on for a while without being noticed: round in a loop in which it reads pins whose levels were
//! foretold, or through instructions that only move pins and words, or it waits for a word that nobody brings or for pins that stay. It is
//! known how long so.

use super::reach::Reach;
use super::state_machine::{Stall, StateMachine};
use super::{Io, NEVER, Pio};
use units::Picoseconds;

/// How the machines of such a block go on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GoingOn {
    /// What those that go on may do, and the requests that they may raise.
    pub(crate) reach: Reach,
    pub(crate) requests: u64,
    /// The requests with which others ask for words, and the pins that the rest waits for.
    pub(crate) waiting: u64,
    pub(crate) awaits: u32,
    /// When the first machine may do anything else.
    pub(crate) until: Picoseconds,
}

/// What a machine does before it may be noticed.
struct Way {
    ticks: u64,
    reads: u32,
    moves: u32,
}

impl Pio {
    /// How the machines go on; nothing where one of them may be noticed at once, or where a FIFO interrupts. Somebody has to hear `at_once`
    /// of some pins.
    pub(crate) fn goes_on_unnoticed(&mut self, at_once: u32, io: &Io) -> Option<GoingOn> {
        if self.apart.is_some() {
            return None;
        }
        let goes_on = |one: &StateMachine| {
            one.is_at_rest()
                || one.waits_for_word()
                || one.awaited_pins().is_some()
                || one.goes_through_program()
        };
        if !self.machines.iter().all(goes_on) {
            return None;
        }
        self.decode();
        self.look_ahead(io);
        let found = self.find_going_on(at_once, io);
        self.forget_levels();
        found
    }

    /// The machines that have anything to do, a bit each.
    pub(crate) fn going_on(&self) -> u8 {
        self.machines.iter().filter(|one| one.due != NEVER).fold(0, |all, one| all | 1 << one.index)
    }

    fn find_going_on(&mut self, at_once: u32, io: &Io) -> Option<GoingOn> {
        let (mut machines, mut waiting, mut awaits, mut reads, mut moves) = (0, 0, 0, 0, 0);
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
            if let Some(pins) = machine.awaited_pins() {
                awaits |= pins;
                continue;
            }
            let way = self.way_of(n, at_once, io)?;
            let machine = &self.machines[n];
            until = until.min(self.edges.time_of(machine.divider.after(machine.delay + way.ticks))?);
            reads |= way.reads;
            moves |= way.moves;
            machines |= 1 << n;
        }
        if let Some(course) = io.foretold.as_ref().filter(|course| course.foretold().mask() & awaits != 0) {
            until = until.min(course.next_change()?);
        }
        let reads = reads | awaits;
        let reach = Reach::of_loops(machines, moves, reads != 0);
        let is_apart = machines != 0 && reads & io.pins.wired_with(moves) == 0 && !self.may_interrupt(&reach);
        is_apart.then(|| GoingOn { reach, requests: self.requests(&reach), waiting, awaits, until })
    }

    /// What a machine does that goes through its program; nothing where it may be noticed at once.
    fn way_of(&mut self, n: usize, at_once: u32, io: &Io) -> Option<Way> {
        self.find_sure_jumps(n, io);
        let (machine, levels) = (&self.machines[n], self.levels);
        let decoded = self.decoded[n].as_mut()?;
        let is_in_order = machine.is_between_instructions();
        let looped = decoded.loop_at(machine.pc).filter(|_| is_in_order);
        let inside = looped.map(|looped| Way {
            ticks: looped.ticks_inside(machine),
            reads: looped.reads(&machine.config),
            moves: looped.moves_from(levels),
        });
        let (ticks, moves) = decoded.straight_way(machine.pc, levels, at_once);
        // Where it is about to do anything else, its delay passes first.
        Some(inside.filter(|inside| inside.ticks > ticks).unwrap_or(Way { ticks, reads: 0, moves }))
    }
}

impl StateMachine {
    fn goes_through_program(&self) -> bool {
        let has_begun = self.begun || self.in_shifted || self.irq_waiting || self.stall.is_some();
        self.enabled && !self.executes_written() && !has_begun && !self.config.out_sticky
    }

    /// The pins that a machine waits for, if it does nothing before they change.
    fn awaited_pins(&self) -> Option<u32> {
        match self.stall {
            Some(Stall::Pins(pins)) if self.due == NEVER && self.enabled && !self.config.out_sticky => {
                Some(pins)
            }
            _ => None,
        }
    }
}
