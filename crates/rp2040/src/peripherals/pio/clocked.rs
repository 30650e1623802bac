//! Rounds of a loop that give a clock to somebody outside and move bits with it. He is told of the pulses as one thing, and what
//! he answers is seen, and moves the line, when it would have.

use mcu::{Answer, ClockPulses, Edge};
use units::Picoseconds;

use super::burst::Untold;
use super::divider::Divider;
use super::edges::ClockEdges;
use super::inputs::KEPT;
use super::loops::Loop;
use super::rounds::{Rounds, written_first};
use super::{ALL_PINS, Io, Pio};

/// Rounds that are gone through edge by edge: as many as there are changes that anybody remembers, two in each at least.
const ROUNDS_AT_END: u32 = KEPT.div_ceil(2) as u32;
const _: () = assert!(2 * ROUNDS_AT_END as usize >= KEPT && KEPT >= crate::pins::CHANGES_KEPT);

/// What the pins of a loop do in a round, where it clocks bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    clock: u8,
    data: u8,
    rise: u64,
    fall: u64,
    /// The loop writes the data, before the clock rises or after.
    writes: Option<bool>,
}

/// When things are.
struct Times {
    divider: Divider,
    edges: ClockEdges,
    first_tick: u64,
    ticks: u64,
}

impl Times {
    fn cycle(&self, round: u32, tick: u64) -> u64 {
        self.divider.after(self.first_tick + u64::from(round) * self.ticks + tick)
    }

    fn at(&self, round: u32, tick: u64) -> Picoseconds {
        self.edges.time_of(self.cycle(round, tick)).unwrap_or_default()
    }
}

impl Shape {
    /// The level of the data among others.
    pub(super) fn data_of(&self, levels: u32) -> u32 {
        levels >> self.data & 1
    }

    /// Of a loop in which the pins of `heard` are told of.
    fn of(looped: &Loop, heard: u32, in_base: u8) -> Option<Self> {
        let (fixed, data) = looped.pins();
        let clock = fixed & heard;
        if !clock.is_power_of_two() || data & heard != 0 {
            return None;
        }
        let mut writes = looped.moves().iter().filter(|one| one.mask & clock != 0);
        let rise = writes.next().filter(|one| one.levels & clock != 0)?.tick;
        let fall = writes.next().filter(|one| one.levels & clock == 0)?.tick;
        if writes.next().is_some() {
            return None;
        }
        let into = looped.into.filter(|into| into.at_pins && into.bits == 1);
        let (data, writes) = match (looped.out, into) {
            (Some(out), None) if out.at_pins && out.bits == 1 && data.is_power_of_two() => {
                (data.trailing_zeros() as u8, Some(out.tick <= rise))
            }
            (None, Some(_)) => (in_base, None),
            _ => return None,
        };
        let moves_alone = fixed == clock;
        moves_alone.then_some(Self { clock: clock.trailing_zeros() as u8, data, rise, fall, writes })
    }
}

/// Pulses of which somebody outside was told, and what he answered; the pins have not moved yet.
pub(super) struct Told {
    shape: Shape,
    times: Times,
    pub(super) count: u32,
    /// What OUT writes in each round, the first in the highest bit.
    written: u32,
    answer: Answer,
}

impl Told {
    /// What OUT wrote last.
    pub(super) fn last_written(&self) -> u32 {
        bit(self.written, self.count - 1)
    }

    /// Whether their last ones are all the changes that anybody remembers.
    pub(super) fn is_long(&self) -> bool {
        self.count >= ROUNDS_AT_END
    }

    /// The tick of a round at which he answers.
    fn spoken(&self) -> u64 {
        if self.answer.at_rise { self.shape.rise } else { self.shape.fall }
    }
}

impl Pio {
    /// Tells of the pulses of a loop, and moves the pins as it does; gives the bits that IN sees, the first in the highest bit.
    /// Nothing, before anything has happened, where that is to be done edge by edge. There may be fewer rounds than asked for.
    pub(super) fn pulse(
        &mut self,
        n: usize,
        looped: &Loop,
        rounds: &mut Rounds,
        untold: &mut Untold,
        io: &mut Io,
    ) -> Option<u32> {
        let shape = self.shape_of(n, looped, untold, io)?;
        let told = self.tell_pulses(n, looped, (&shape, shape.data_of(self.levels)), rounds, io)?;
        rounds.count = told.count;
        let received = self.received_bits(looped, &told, io);
        self.move_in_pulses(looped, &told, io);
        untold.start_at(self.levels);
        Some(received)
    }

    /// How the rounds of a loop give a clock that is heard; nothing where they are told edge by edge.
    pub(super) fn shape_of(&self, n: usize, looped: &Loop, untold: &Untold, io: &Io) -> Option<Shape> {
        let machine = &self.machines[n];
        let shape = Shape::of(looped, self.heard & untold.visible(), machine.config.in_base)?;
        let (clock, data) = (1u32 << shape.clock, 1u32 << shape.data);
        let is_clear = untold.is_told(self.levels) && self.levels & clock == 0;
        let has_line = io.pins.plain() & data != 0
            && match shape.writes.is_some() {
                true => untold.visible() & data != 0,
                false => machine.divider.is_even() && !io.pins.drives(shape.data),
            };
        (is_clear && has_line).then_some(shape)
    }

    /// Tells of the pulses of rounds, before which the line was at `before`; nothing where none of them was taken.
    pub(super) fn tell_pulses(
        &self,
        n: usize,
        looped: &Loop,
        (shape, before): (&Shape, u32),
        rounds: &Rounds,
        io: &mut Io,
    ) -> Option<Told> {
        let machine = &self.machines[n];
        let times = Times {
            divider: machine.divider,
            edges: self.edges,
            first_tick: rounds.first_tick,
            ticks: looped.ticks,
        };
        let written = written_first(machine.osr, machine.config.out_right);
        let at = |pulse: u32| [times.at(pulse, shape.rise), times.at(pulse, shape.fall)];
        let pulses = ClockPulses {
            clock: shape.clock,
            data: shape.data,
            count: rounds.count,
            sent: shape.writes.map(|is_before| if is_before { written } else { before << 31 | written >> 1 }),
            times: &at,
        };
        let answer = io.outside.pulses(&pulses, &mut io.reactions);
        let count = answer.count.min(rounds.count);
        (count != 0).then_some(Told { shape: *shape, times, count, written, answer })
    }

    /// What IN sees in each round: the answer as many cycles later as an input takes, and before that what was there.
    fn received_bits(&self, looped: &Loop, told: &Told, io: &Io) -> u32 {
        let Told { shape, times, answer, .. } = told;
        let Some(into) = looped.into.filter(|_| shape.writes.is_none()) else { return 0 };
        let period = times.cycle(1, 0) - times.cycle(0, 0);
        let (seen, spoken) = (times.cycle(0, into.tick), times.cycle(0, told.spoken()));
        // The first round that sees the first answer.
        let visible = self.inputs.visible_from(spoken, 1 << shape.data);
        let late = visible.saturating_sub(seen).div_ceil(period) as u32;
        let before = |round: u32| self.inputs.seen(seen + u64::from(round) * period) >> shape.data & 1;
        let early = (0..late.min(32)).fold(0, |bits, round| bits | before(round) << (31 - round));
        let levels = answer.levels.unwrap_or_else(|| {
            let level = io.pins.inputs() >> shape.data & 1;
            0u32.wrapping_sub(level)
        });
        early | levels.checked_shr(late).unwrap_or(0)
    }

    /// Moves clock and data. All but the last rounds are done at once.
    pub(super) fn move_in_pulses(&mut self, looped: &Loop, told: &Told, io: &mut Io) {
        let Told { shape, times, .. } = told;
        let skipped = told.count.saturating_sub(ROUNDS_AT_END);
        if skipped != 0 {
            self.skip_pulses(looped, told, skipped, io);
        }
        let heard = std::mem::take(&mut self.heard);
        for round in skipped..told.count {
            for one in looped.moves() {
                let mut levels = self.levels;
                if one.shifts_out {
                    levels = levels & !one.data_mask | bit(told.written, round) << shape.data;
                }
                let cycle = times.cycle(round, one.tick);
                self.drive_at(levels & !one.mask | one.levels, self.enables, cycle, io);
                if let Some(levels) = told.answer.levels.filter(|_| one.tick == told.spoken()) {
                    self.pull(shape.data, bit(levels, round) == 1, cycle, io);
                }
            }
        }
        io.pins.take_changed_of(1 << shape.clock);
        self.heard = heard;
    }

    /// Moves clock and data in the first rounds, of which nobody remembers but that they moved.
    pub(super) fn skip_pulses(&mut self, looped: &Loop, told: &Told, rounds: u32, io: &mut Io) {
        let heard = std::mem::take(&mut self.heard);
        let recorded = io.pins.recorded();
        if recorded & (1 << told.shape.clock | 1 << told.shape.data) != 0 {
            self.keep_edges(looped, told, rounds, io);
        }
        io.pins.record(0);
        self.move_once(told, rounds, io);
        io.pins.record(recorded);
        self.heard = heard;
    }

    /// Keeps the edges of the first rounds.
    fn keep_edges(&self, looped: &Loop, told: &Told, rounds: u32, io: &mut Io) {
        let Told { shape, times, .. } = told;
        let edge = |at, pin: u8, level: u32| Edge { at, pin, level: level >> pin & 1 == 1 };
        let (clock, data) = (1 << shape.clock, 1 << shape.data);
        let line = if shape.writes.is_some() { self.levels } else { io.pins.inputs() };
        let mut levels = self.levels & clock | line & data;
        for round in 0..rounds {
            for one in looped.moves() {
                let at = times.at(round, one.tick);
                let mut next = levels & !(one.mask & clock) | one.levels & clock;
                if one.shifts_out {
                    next = next & !data | bit(told.written, round) << shape.data;
                }
                // Of one instant the lower pin comes first, and what is answered last.
                let own = [shape.clock.min(shape.data), shape.clock.max(shape.data)];
                let moved = own.into_iter().filter(|pin| (next ^ levels) >> pin & 1 == 1);
                io.pins.add_edges(moved.map(|pin| edge(at, pin, next)));
                levels = next;
                if let Some(said) = told.answer.levels.filter(|_| one.tick == told.spoken()) {
                    let next = levels & !data | bit(said, round) << shape.data;
                    let moved = (next ^ levels) & data != 0;
                    io.pins.add_edges(moved.then(|| edge(at, shape.data, next)));
                    levels = next;
                }
            }
        }
    }

    /// Somebody outside pulls a pin in answer to the edge of a cycle.
    fn pull(&mut self, pin: u8, level: bool, cycle: u64, io: &mut Io) {
        io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
        io.pins.pull_outside(io.now, pin, Some(level));
        if !self.looks_away {
            self.observe(cycle, io);
        }
    }

    /// Moves the pins to where they are behind the first rounds, and notes what they did until then.
    fn move_once(&mut self, told: &Told, rounds: u32, io: &mut Io) {
        let Told { shape, times, .. } = told;
        let before = io.pins.inputs_changed();
        let last = times.cycle(rounds - 1, shape.rise.max(shape.fall));
        let data = match (shape.writes, told.answer.levels) {
            (Some(_), _) => Some((told.written, self.levels >> shape.data & 1)),
            (None, Some(levels)) => Some((levels, io.pins.inputs() >> shape.data & 1)),
            (None, None) => None,
        };
        let (mut changed, mut pulsed) = (1 << shape.clock, 1 << shape.clock);
        if let Some((bits, from)) = data {
            let moves = (bits ^ (from << 31 | bits >> 1)) & (u32::MAX << (32 - rounds));
            changed |= u32::from(moves != 0) << shape.data;
            pulsed |= u32::from(moves.count_ones() > 1) << shape.data;
            let level = bit(bits, rounds - 1);
            if shape.writes.is_some() {
                let levels = self.levels & !(1 << shape.data) | level << shape.data;
                self.drive_at(levels & ALL_PINS, self.enables, last, io);
            } else {
                self.pull(shape.data, level == 1, last, io);
            }
        }
        io.pins.note_changes(changed, before & changed | pulsed);
    }
}

/// One of 32 bits, of which the first is the highest.
fn bit(bits: u32, number: u32) -> u32 {
    bits >> (31 - number) & 1
}
