//! PIO: two blocks of four state machines that run little programs on the pins (RP2040 datasheet chapter 3). A block
//! runs at clk_sys and is exact to the cycle: cycle n is an edge of that clock, and what an instruction writes is at the
//! pins on it.
//!
//! The block asks to be woken at the next cycle in which any state machine has something to do. A register access finds
//! every cycle done that began up to then, and what it writes is there for the cycle after it.
//!
//! Where the datasheet is silent: a sticky output of a disabled state machine is not asserted; a written instruction
//! that stalls is tried again at the ticks of its machine, and in every cycle while that is disabled; a flag that is
//! raised and cleared in one cycle stays raised; OUT_STICKY holds levels and directions alike, INLINE_OUT_EN concerns
//! OUT alone.

mod access;
mod ahead;
mod apart;
mod beside;
mod block;
mod burst;
mod clocked;
mod counting;
mod cycle;
mod decoded;
pub(crate) mod divider;
mod early;
pub(crate) mod edges;
pub(crate) mod even_words;
mod execute;
mod fifo;
mod foreseen;
mod going_on;
mod inputs;
pub(crate) mod intake;
mod level_words;
mod loops;
pub(crate) mod many_taken_in;
pub(crate) mod many_words;
mod moved;
mod own_sides;
mod quickly;
pub(crate) mod reach;
mod registers;
mod rounds;
pub(crate) mod row;
mod spare;
mod state_machine;
mod straight;
#[cfg(test)]
mod tests;
mod unnoticed;
mod words;
mod written;

use std::cell::RefCell;

use ahead::Ahead;
use apart::Apart;
use beside::Aside;
use block::{BLOCKS, Block, block_number};
use burst::RowOfLevels;
use cycle::{Cycle, PinWrites};
use decoded::Decoded;
use edges::ClockEdges;
pub(crate) use going_on::GoingOn;
use inputs::Inputs;
use reach::{Heard, KnownReaches};
use spare::Spare;
use state_machine::{NEVER, Stall, StateMachine};
use units::Picoseconds;

use crate::Io;
use crate::lines::Dreq;
use crate::peripherals::Source;
use crate::pins::{ALL_PINS, Function};

const MACHINES: usize = 4;
/// Cycles are counted from here, so that a history can reach back.
const FIRST_CYCLE: u64 = 16;

/// An enable and a force register of an interrupt line.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct InterruptLine {
    enabled: u32,
    forced: u32,
}

fn all_pins() -> u32 {
    ALL_PINS
}

/// A PIO block.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Pio {
    #[serde(with = "block_number")]
    block: &'static Block,
    machines: [StateMachine; MACHINES],
    program: [u16; 32],
    inputs: Inputs,
    flags: u8,
    debug: u32,
    levels: u32,
    enables: u32,
    interrupts: [InterruptLine; 2],
    edges: ClockEdges,
    /// The cycle that it asked to be woken at, and when that is.
    armed: u64,
    armed_at: Picoseconds,
    /// Before its first access the block does nothing and looks at nothing.
    started: bool,
    lines_stale: bool,
    /// While it runs unnoticed: no instruction looks at pins, so that their levels need not be kept.
    #[serde(skip)]
    looks_away: bool,
    /// The pins that its programs may move meanwhile.
    #[serde(skip)]
    may_move: u32,
    /// These and all that are one net with them; otherwise any.
    #[serde(skip, default = "all_pins")]
    nets_moved: u32,
    /// The pins of which somebody outside is told on the way.
    #[serde(skip)]
    heard: Heard,
    /// Room for levels that are told in a row.
    #[serde(skip)]
    row: RowOfLevels,
    /// A machine that follows the others later, and the cycles that it finds carried out a picosecond before their edge.
    #[serde(skip)]
    aside: Option<Aside>,
    #[serde(skip)]
    met: Vec<(u64, Picoseconds)>,
    /// A flag of FDEBUG was raised since that was last asked.
    #[serde(skip)]
    debug_rose: bool,
    /// While it runs unnoticed: somebody waits for a change of its flags, and whether one came.
    #[serde(skip)]
    heeds_flags: bool,
    #[serde(skip)]
    flags_moved: bool,
    /// Levels that are known before they come, and what is known of those that were foretold last.
    #[serde(skip)]
    ahead: Option<Ahead>,
    #[serde(skip)]
    known_ahead: Option<Ahead>,
    /// Of these: the first step with which a pin is low.
    #[serde(skip)]
    known_low: Option<(u64, u32, usize)>,
    /// The programs of the machines, decoded since a register was last written.
    #[serde(skip)]
    decoded: [Option<Box<Decoded>>; MACHINES],
    /// What they were before that: a machine may be set to what it was.
    #[serde(skip)]
    spare: [Spare; MACHINES],
    #[serde(skip)]
    known_reaches: RefCell<KnownReaches>,
    /// A machine that is ahead of the block.
    #[serde(skip)]
    apart: Option<Box<Apart>>,
    /// Before this cycle no word moves that the FIFOs do not show yet, as long as the block is not led on.
    #[serde(skip)]
    words_known_before: u64,
}

impl Pio {
    /// Block 0 or 1 after reset.
    ///
    /// # Panics
    /// With another number.
    pub fn new(block: u8) -> Self {
        Self {
            block: &BLOCKS[usize::from(block)],
            machines: [0, 1, 2, 3].map(StateMachine::new),
            program: [0; 32],
            inputs: Inputs::default(),
            flags: 0,
            debug: 0,
            levels: 0,
            enables: 0,
            interrupts: [InterruptLine::default(); 2],
            edges: ClockEdges::new(0, FIRST_CYCLE, Picoseconds::ZERO),
            armed: NEVER,
            armed_at: Picoseconds::ZERO,
            started: false,
            lines_stale: true,
            looks_away: false,
            may_move: 0,
            nets_moved: ALL_PINS,
            heard: Heard::default(),
            row: RowOfLevels::default(),
            aside: None,
            met: Vec::new(),
            debug_rose: false,
            heeds_flags: false,
            flags_moved: false,
            ahead: None,
            known_ahead: None,
            known_low: None,
            decoded: Default::default(),
            spare: Default::default(),
            known_reaches: RefCell::default(),
            apart: None,
            words_known_before: 0,
        }
    }

    /// Puts the block back into the state after reset, and with it what it drives.
    pub fn reset(&mut self, io: &mut Io) {
        io.pins.drive(io.now, self.block.function, ALL_PINS, 0, 0);
        io.cancel(self.block.source);
        for n in 0..2 * MACHINES as u8 {
            io.lines.set_dreq(Dreq(self.block.dreq_tx0 + n), false);
        }
        for irq in self.block.irqs {
            io.lines.set_irq(irq, false);
        }
        *self = Self { block: self.block, ..Self::new(0) };
    }

    /// Pin inputs changed, just now.
    pub fn inputs_changed(&mut self, changed: u32, io: &mut Io) {
        if !self.started || changed == 0 {
            return;
        }
        let now = self.catch_up_with_pins(io);
        if io.moved_unnoticed {
            self.observe_late(now, io);
        }
        self.observe(now, io);
        self.finish(now, io);
    }

    /// Takes in changes of the inputs that were made while nobody noticed, as far as a synchroniser still knows of them.
    fn observe_late(&mut self, now: u64, io: &Io) {
        for (at, levels) in io.pins.inputs_of_late() {
            let cycle = self.edges.cycle_at(at);
            if cycle < now {
                self.inputs.record_late(cycle, levels);
            }
        }
    }

    /// Tells outside of every change of these pins from here on, whoever leads the block on.
    pub(crate) fn set_heard(&mut self, heard: Heard) {
        self.heard = heard;
    }

    /// clk_sys got another frequency, just now.
    pub fn clocks_changed(&mut self, io: &mut Io) {
        if self.started {
            let now = self.catch_up(io);
            self.finish(now, io);
        }
    }

    /// Does everything up to now, and gives the number of the present cycle. One that is a picosecond ahead may be executed later: it
    /// does not see what just came at the pins.
    fn catch_up_with_pins(&mut self, io: &mut Io) -> u64 {
        self.join(io);
        if io.clocks.sys_hz != self.edges.hz() {
            return self.catch_up(io);
        }
        self.run_through(self.edges.last_at(io.now), io);
        self.edges.cycle_at(io.now)
    }

    /// Does everything up to and including the present cycle, and gives its number.
    fn catch_up(&mut self, io: &mut Io) -> u64 {
        self.join(io);
        if !self.started {
            self.started = true;
            self.edges = ClockEdges::new(io.clocks.sys_hz, FIRST_CYCLE, io.now);
            self.inputs.settle(io.pins.inputs());
        }
        let mut now = self.edges.cycle_at(io.now);
        // Accesses lie a cycle apart at least; where they do not, a written instruction must not be lost.
        let forced = self.machines.iter().filter_map(StateMachine::forced_at).max();
        self.run_through(forced.map_or(now, |cycle| cycle.max(now)), io);
        if io.clocks.sys_hz != self.edges.hz() {
            self.edges.retime(io.clocks.sys_hz, io.now);
            self.armed = NEVER;
            now = self.edges.cycle_at(io.now);
        }
        now
    }

    /// The appointment came: in its cycle something is due, and nothing before.
    fn run_armed(&mut self, io: &mut Io) {
        let armed = std::mem::replace(&mut self.armed, NEVER);
        if self.apart.is_some()
            || armed == NEVER
            || self.armed_at != io.now
            || io.clocks.sys_hz != self.edges.hz()
        {
            let now = self.catch_up(io);
            return self.finish(now, io);
        }
        self.run_cycle(armed, io);
        self.finish(armed, io);
    }

    fn run_through(&mut self, cycle: u64, io: &mut Io) {
        // Every pass handles a later cycle than the one before, so this ends.
        loop {
            let next = self.next_due();
            if next > cycle || next == NEVER {
                return;
            }
            self.run_cycle(next, io);
        }
    }

    #[inline]
    fn next_due(&self) -> u64 {
        let [a, b, c, d] = &self.machines;
        a.due.min(b.due).min(c.due.min(d.due))
    }

    /// One cycle of the state machines that have something to do in it. They all see the flags and pins as they were
    /// before it. Of several that write a pin the highest-numbered wins (RP2040 datasheet 3.5.6.1).
    #[inline]
    fn run_cycle(&mut self, number: u64, io: &mut Io) {
        self.observe_ahead(number, io);
        let mut cycle = Cycle::new(number, &self.program, &self.inputs, self.flags);
        let mut driven = (self.levels, self.enables);
        for (machine, decoded) in self.machines.iter_mut().zip(&self.decoded) {
            let is_due = machine.due == number;
            if is_due {
                cycle.writes = PinWrites::default();
                if !decoded.as_ref().is_some_and(|decoded| machine.step_quickly(decoded, &mut cycle)) {
                    machine.step(&mut cycle);
                }
                if cycle.debug != 0 {
                    let debug = std::mem::take(&mut cycle.debug) << machine.index;
                    self.debug_rose |= debug & !self.debug != 0;
                    self.debug |= debug;
                }
            }
            if machine.config.out_sticky && machine.enabled {
                driven = machine.sticky.after(driven);
            }
            if is_due {
                driven = cycle.writes.after(driven);
            }
        }
        let wrote = cycle.wrote;
        self.lines_stale |= cycle.fifo_moved;
        let flags = self.flags & !cycle.flags_cleared | cycle.flags_set;
        if flags != self.flags {
            self.set_flags(flags, number);
        }
        if wrote {
            self.drive(driven.0 & ALL_PINS, driven.1 & ALL_PINS, number, io);
        }
    }

    fn set_flags(&mut self, flags: u8, cycle: u64) {
        self.flags = flags;
        (self.lines_stale, self.flags_moved) = (true, true);
        self.wake_stalled(cycle, |stall| stall == Stall::Irq);
    }

    fn drive(&mut self, levels: u32, enables: u32, cycle: u64, io: &mut Io) {
        let changed = (levels ^ self.levels) | (enables ^ self.enables);
        if changed == 0 {
            return;
        }
        let at = self.time_of(cycle).unwrap_or(io.now).min(io.now);
        self.drive_changed(at, (levels, enables), changed, cycle, io);
    }

    /// The levels and directions of some pins changed in a cycle, which is carried out at a time.
    fn drive_changed(
        &mut self,
        at: Picoseconds,
        (levels, enables): (u32, u32),
        changed: u32,
        cycle: u64,
        io: &mut Io,
    ) {
        (self.levels, self.enables) = (levels, enables);
        io.pins.drive(at, self.block.function, changed, levels, enables);
        if !self.looks_away {
            self.observe(cycle, io);
        }
        if self.heard.pins & io.pins.changed() != 0 {
            io.tell_outside();
            if !self.looks_away {
                self.observe(cycle, io);
            }
        }
    }

    fn observe(&mut self, cycle: u64, io: &Io) {
        let inputs = io.pins.inputs();
        let levels = match (self.ahead, &io.foretold) {
            // The pins come later to what is known already.
            (Some(_), Some(course)) => {
                let mask = course.foretold().mask();
                inputs & !mask | self.inputs.newest() & mask
            }
            _ => inputs,
        };
        self.see(cycle, levels);
    }

    /// The pins have other levels after the edge of a cycle.
    fn see(&mut self, cycle: u64, levels: u32) {
        let changed = self.inputs.record(cycle, levels);
        if changed == 0 {
            return;
        }
        for machine in &mut self.machines {
            if let Some(Stall::Pins(mask)) = machine.stall
                && mask & changed != 0
            {
                machine.look_again_from(self.inputs.visible_from(cycle, changed & mask));
            }
        }
    }

    fn wake_stalled(&mut self, cycle: u64, on: impl Fn(Stall) -> bool) {
        for machine in &mut self.machines {
            if machine.stall.is_some_and(&on) {
                machine.wake_up(cycle);
            }
        }
    }

    /// Tells the neighbours what has changed, and asks to be woken.
    fn finish(&mut self, now: u64, io: &mut Io) {
        self.words_known_before = 0;
        if self.lines_stale {
            self.update_lines(io);
        }
        let clocks = io.pins.selected(Function::Clock) | io.pins.clocked;
        if clocks != 0 {
            self.await_clocks(clocks, io);
        }
        self.edges.follow(now);
        let next = self.next_due();
        if next == self.armed {
            return;
        }
        self.armed = next;
        match self.edges.time_of(next).filter(|_| next != NEVER) {
            Some(at) => {
                self.armed_at = at;
                io.wake_at(self.block.source, at);
            }
            None => io.cancel(self.block.source),
        }
    }

    /// A clock at a pin has edges while a machine waits for one.
    fn await_clocks(&self, clocks: u32, io: &mut Io) {
        let awaited = self.machines.iter().fold(0, |pins, machine| match machine.stall {
            Some(Stall::Pins(mask)) => pins | mask,
            _ => pins,
        });
        if io.pins.await_pins(self.block.index(), awaited & clocks) {
            io.wake_at(Source::Clocks, io.now);
        }
    }

    fn update_lines(&mut self, io: &mut Io) {
        self.lines_stale = false;
        let raw = self.raw_interrupts();
        // Requests stand for the same as interrupts of FIFOs do, but those of the transmit FIFOs come first.
        let requests = raw >> MACHINES & 0xf | (raw & 0xf) << MACHINES;
        io.lines.set_dreqs(0xff << self.block.dreq_tx0, u64::from(requests) << self.block.dreq_tx0);
        for (line, irq) in self.interrupts.iter().zip(self.block.irqs) {
            io.lines.set_irq(irq, raw & line.enabled | line.forced != 0);
        }
    }

    /// INTR.
    fn raw_interrupts(&self) -> u32 {
        let mut raw = u32::from(self.flags & 0xf) << 8;
        for (machine, n) in self.machines.iter().zip(0..) {
            raw |= u32::from(!machine.receive.is_empty()) << n;
            raw |= u32::from(!machine.transmit.is_full()) << (4 + n);
        }
        raw
    }
}
