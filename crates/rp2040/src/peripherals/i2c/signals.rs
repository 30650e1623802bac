//! The controller's work at the pins, bit by bit, where somebody else is on the bus: another block of this chip, software at
//! other pins, or another board. It takes the same time as a step that is spoken in bytes, and longer where a target holds SCL
//! low. Where another controller says a low that this one does not, the bus is lost to it.

use std::collections::VecDeque;

use super::I2c;
use super::controller::Step;
use super::open_drain::{Change, RELEASED};
use super::registers::*;
use super::scl::Beat;
use crate::io::Io;

/// What a step is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Symbol {
    Start,
    RepeatedStart,
    /// A byte from the controller, and the acknowledgement for it.
    Write(u8),
    /// A byte from the target.
    Read,
    /// The controller's acknowledgement for it.
    Acknowledgement(bool),
    Stop,
}

impl Symbol {
    /// How often SCL rises in it.
    pub(super) fn bits(self) -> u8 {
        match self {
            Self::Start => 0,
            Self::RepeatedStart | Self::Acknowledgement(_) | Self::Stop => 1,
            Self::Read => 8,
            Self::Write(_) => 9,
        }
    }
}

/// Where in a symbol the controller is; all but `Rising` end with an appointment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
enum Phase {
    /// Until the bus has been free for long enough.
    #[default]
    Free,
    /// SDA is low and SCL still high.
    Start,
    /// SCL is low and SDA still has its level of the bit before.
    Hold,
    /// SCL is low and SDA has its level.
    Low,
    /// SCL was let go, and somebody still holds it low.
    Rising,
    /// SCL is high.
    High,
}

/// The symbols that are left of the step under way.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Signals {
    symbols: VecDeque<Symbol>,
    phase: Phase,
    /// Bits of the symbol that are over.
    bits: u8,
    /// What SDA was at each of them, the last one lowest.
    heard: u16,
    /// Bytes of this step that were written.
    written: u8,
}

impl Signals {
    /// Whether the last byte was acknowledged.
    pub(super) fn acknowledged(&self) -> bool {
        self.heard & 1 == 0
    }

    /// The byte that was read last.
    pub(super) fn byte(&self) -> u8 {
        self.heard as u8
    }

    /// Whether it was the second byte of a step that went without acknowledgement.
    pub(super) fn ended_at_second(&self) -> bool {
        self.written == 2
    }
}

impl I2c {
    /// Begins a step at the pins.
    pub(super) fn signal(&mut self, step: Step, io: &mut Io) {
        let symbols = match step {
            Step::Rest => return,
            Step::Address(_) => self.address_symbols(),
            Step::Data(command) if command & CMD_READ != 0 => vec![Symbol::Read],
            Step::Data(command) => vec![Symbol::Write(command as u8)],
            Step::Acknowledgement { acknowledged, .. } => vec![Symbol::Acknowledgement(acknowledged)],
            Step::Stop(_) => vec![Symbol::Stop],
        };
        self.bus.step = step;
        self.bus.signals = Signals { symbols: symbols.into(), ..Signals::default() };
        self.begin_symbol(io);
    }

    fn begin_symbol(&mut self, io: &mut Io) {
        let Some(symbol) = self.bus.signals.symbols.front() else { return self.end_step(io) };
        self.bus.signals.bits = 0;
        if *symbol == Symbol::Start {
            self.enter(Phase::Free, 0, io);
        } else {
            self.begin_bit(io);
        }
    }

    fn begin_bit(&mut self, io: &mut Io) {
        self.enter(Phase::Hold, self.hold_cycles(), io);
    }

    /// From SCL's fall until SDA may move.
    fn hold_cycles(&self) -> u64 {
        u64::from(self.sda_hold & 0xffff).clamp(1, self.scl().low - 1)
    }

    fn enter(&mut self, phase: Phase, cycles: u64, io: &mut Io) {
        self.bus.signals.phase = phase;
        self.wake_after_cycles(cycles, io);
    }

    /// The appointment of a phase has come.
    pub(super) fn end_phase(&mut self, io: &mut Io) {
        match self.bus.signals.phase {
            Phase::Free => self.start_when_free(io),
            Phase::Start => {
                self.controller_scl(false, io);
                self.end_symbol(io);
            }
            Phase::Hold => {
                let level = self.bit_level();
                self.controller_sda(level, io);
                let rest = self.scl().low - self.hold_cycles();
                self.enter(Phase::Low, rest, io);
            }
            Phase::Low => {
                self.controller_scl(true, io);
                self.bus.signals.phase = Phase::Rising;
                if self.levels(io).scl {
                    self.clock_is_high(io);
                }
            }
            Phase::Rising => {}
            Phase::High => self.end_bit(io),
        }
    }

    /// Another controller may have begun while this one kept the pause between a stop and a start: then its command waits.
    fn start_when_free(&mut self, io: &mut Io) {
        if self.is_bus_free(io) || self.begins_now(io) {
            self.begin_start(io);
            return;
        }
        if let Step::Address(command) = std::mem::take(&mut self.bus.step) {
            self.tx.push_front(command);
        }
        self.bus.held = false;
    }

    fn begin_start(&mut self, io: &mut Io) {
        self.controller_sda(false, io);
        let cycles = self.scl().start();
        self.enter(Phase::Start, cycles, io);
    }

    /// What SDA is to be in the next bit.
    fn bit_level(&self) -> bool {
        let signals = &self.bus.signals;
        match (signals.symbols.front(), signals.bits) {
            (Some(Symbol::Write(byte)), bit @ 0..8) => byte >> (7 - bit) & 1 == 1,
            (Some(Symbol::Acknowledgement(acknowledged)), _) => !acknowledged,
            (Some(Symbol::Stop), _) => false,
            _ => true,
        }
    }

    fn clock_is_high(&mut self, io: &mut Io) {
        let sda = self.levels(io).sda;
        let signals = &mut self.bus.signals;
        let says = matches!(signals.symbols.front(), Some(Symbol::Write(_))) && signals.bits < 8;
        signals.heard = signals.heard << 1 | u16::from(sda);
        if says && !sda && self.lines.controller.sda {
            return self.lose_bus(io);
        }
        let cycles = self.scl().high;
        self.enter(Phase::High, cycles, io);
    }

    fn end_bit(&mut self, io: &mut Io) {
        let Some(symbol) = self.bus.signals.symbols.front().copied() else { return };
        match symbol {
            Symbol::RepeatedStart => self.begin_start(io),
            Symbol::Stop => {
                self.controller_sda(true, io);
                self.end_symbol(io);
            }
            _ => {
                self.controller_scl(false, io);
                self.bus.signals.bits += 1;
                if self.bus.signals.bits == symbol.bits() { self.end_symbol(io) } else { self.begin_bit(io) }
            }
        }
    }

    fn end_symbol(&mut self, io: &mut Io) {
        let signals = &mut self.bus.signals;
        if let Some(Symbol::Write(_)) = signals.symbols.pop_front() {
            signals.written += 1;
            if !signals.acknowledged() {
                signals.symbols.clear();
            }
        }
        self.begin_symbol(io);
    }

    /// Another controller has the bus: this one lets go of it and says so.
    fn lose_bus(&mut self, io: &mut Io) {
        self.lines.controller = RELEASED;
        self.pull(io);
        self.bus.step = Step::Rest;
        self.bus.held = false;
        self.flush(ABRT_ARB_LOST);
    }

    /// A line moved: a clock that was stretched has risen, or another controller has ended its own high period, which ends that of
    /// all; after a stop the bus stays free for a while.
    pub(super) fn controller_notices(&mut self, change: Change, io: &mut Io) {
        let under_way = self.bus.on_pins && self.bus.step != Step::Rest;
        match (change, self.bus.signals.phase) {
            (Change::ClockRises, Phase::Rising) if under_way => self.clock_is_high(io),
            (Change::ClockFalls, Phase::High) if under_way && self.lines.controller.scl => {
                io.cancel(super::SOURCE[usize::from(self.port)]);
                self.bus.beat = Beat::new(io.now, io.clocks.sys_hz).unwrap_or_default();
                self.end_bit(io);
            }
            // After a stop of its own it keeps that time anyway.
            (Change::Stop, _) if !self.bus.is_active() && self.bus.beat.time() <= io.now => {
                let free = self.scl().free();
                self.bus.beat = Beat::new(io.now, io.clocks.sys_hz).unwrap_or_default();
                self.bus.beat.advance(free);
            }
            _ => {}
        }
    }

    fn controller_sda(&mut self, level: bool, io: &mut Io) {
        self.lines.controller.sda = level;
        self.pull(io);
    }

    fn controller_scl(&mut self, level: bool, io: &mut Io) {
        self.lines.controller.scl = level;
        self.pull(io);
    }
}
