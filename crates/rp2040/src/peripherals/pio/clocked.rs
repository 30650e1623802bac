//! Rounds of a loop that give a clock to somebody outside and move bits with it, out on one line, in on another, or both. He is told
//! of the pulses as one thing, and what he answers is seen, and moves his line, when it would have.

use mcu::{Answer, ClockPulses, DataLine, Edge, Said};
use units::Picoseconds;

use super::burst::Untold;
use super::divider::Divider;
use super::edges::ClockEdges;
use super::inputs::KEPT;
use super::loops::{Loop, Move};
use super::rounds::{Rounds, written_first};
use super::{ALL_PINS, Io, Pio};

/// Rounds that are gone through edge by edge: as many as there are changes that anybody remembers, two in each at least.
const ROUNDS_AT_END: u32 = KEPT.div_ceil(2) as u32;
const _: () = assert!(2 * ROUNDS_AT_END as usize >= KEPT && KEPT >= crate::pins::CHANGES_KEPT);

/// What the pins of a loop do in a round, where it clocks bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    clock: u8,
    rise: u64,
    fall: u64,
    /// The pin to which OUT brings its bit, and whether it does so before the clock rises.
    out: Option<(u8, bool)>,
    /// The pin at which IN looks.
    into: Option<u8>,
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
    /// The level of what OUT moves, among others.
    pub(super) fn sent_of(&self, levels: u32) -> u32 {
        self.out.map_or(0, |(pin, _)| levels >> pin & 1)
    }

    /// Of a loop in which the pins of `heard` are told of.
    fn of(looped: &Loop, heard: u32, in_base: u8) -> Option<Self> {
        let (fixed, data) = looped.pins();
        let clock = fixed & heard;
        if !clock.is_power_of_two() || fixed != clock || data & heard != 0 {
            return None;
        }
        let (rise, fall) = edges_of(looped.moves(), clock)?;
        let out = match looped.out {
            Some(out) if out.at_pins && out.bits == 1 && data.is_power_of_two() => {
                Some((data.trailing_zeros() as u8, out.tick <= rise))
            }
            None => None,
            _ => return None,
        };
        let into = match looped.into {
            Some(into) if into.at_pins && into.bits == 1 && (clock | data) >> in_base & 1 == 0 => {
                Some(in_base)
            }
            None => None,
            _ => return None,
        };
        let clock = clock.trailing_zeros() as u8;
        (out.is_some() || into.is_some()).then_some(Self { clock, rise, fall, out, into })
    }

    fn clock_mask(&self) -> u32 {
        1 << self.clock
    }

    fn out_mask(&self) -> u32 {
        self.out.map_or(0, |(pin, _)| 1 << pin)
    }

    fn falls_first(&self) -> bool {
        self.fall < self.rise
    }
}

/// The ticks of a round in which a clock rises and falls, where it does each once.
fn edges_of(moves: &[Move], clock: u32) -> Option<(u64, u64)> {
    let writes =
        || moves.iter().filter(|one| one.mask & clock != 0).map(|one| (one.tick, one.levels & clock != 0));
    // A round begins with the level with which the one before ended.
    let (_, mut level) = writes().next_back()?;
    let (mut rise, mut fall) = (None, None);
    for (tick, next) in writes() {
        let edge = if next { &mut rise } else { &mut fall };
        if next != level && edge.replace(tick).is_some() {
            return None;
        }
        level = next;
    }
    rise.zip(fall)
}

/// Pulses of which somebody outside was told, and what he answered; the pins have not moved yet.
pub(super) struct Told {
    shape: Shape,
    times: Times,
    pub(super) count: u32,
    /// What OUT writes in each round, the first in the highest bit.
    written: u32,
    said: Option<Said>,
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

    /// The levels after a move of a round.
    fn levels_after(&self, one: &Move, round: u32, levels: u32) -> u32 {
        let written = match self.shape.out {
            Some((pin, _)) if one.shifts_out => levels & !one.data_mask | bit(self.written, round) << pin,
            _ => levels,
        };
        written & !one.mask | one.levels
    }

    /// The tick of a round at which he speaks.
    fn spoken(&self, said: &Said) -> u64 {
        if said.at_rise { self.shape.rise } else { self.shape.fall }
    }

    /// What he says at a tick of a round: the pin and its level.
    fn said_at(&self, round: u32, tick: u64) -> Option<(u8, bool)> {
        let said = self.said.as_ref().filter(|said| self.spoken(said) == tick)?;
        Some((said.line.pin, bit(said.line.levels, round) == 1))
    }

    fn said_mask(&self) -> u32 {
        self.said.map_or(0, |said| 1 << said.line.pin)
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
        let told = self.tell_pulses(n, looped, (&shape, shape.sent_of(self.levels)), rounds, io)?;
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
        let begins =
            untold.is_told(self.levels) && (self.levels & shape.clock_mask() != 0) == shape.falls_first();
        let sends = shape.out_mask() & !untold.visible() == 0;
        let sees = shape
            .into
            .is_none_or(|pin| machine.divider.is_even() && io.pins.left_to_outside() >> pin & 1 == 1);
        (begins && sends && sees).then_some(shape)
    }

    /// Tells of the pulses of rounds, before which OUT's line was at `before`; nothing where none of them was taken.
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
        let may_drive = io.pins.left_to_outside();
        let pulses = ClockPulses {
            clock: shape.clock,
            falls_first: shape.falls_first(),
            count: rounds.count,
            sent: shape.out.map(|(pin, is_before)| DataLine {
                pin,
                levels: if is_before { written } else { before << 31 | written >> 1 },
            }),
            levels: io.pins.levels(),
            may_drive,
            may_pull: may_drive & io.pins.plain(),
            times: &at,
        };
        let Answer { count, said } = io.outside.pulses(&pulses, &mut io.reactions);
        let count = count.min(rounds.count);
        (count != 0).then_some(Told { shape: *shape, times, count, written, said })
    }

    /// What IN sees in each round: the answer as many cycles later as an input takes, and before that what was there.
    fn received_bits(&self, looped: &Loop, told: &Told, io: &Io) -> u32 {
        let Told { shape, times, .. } = told;
        let (Some(into), Some(pin)) = (looped.into, shape.into) else { return 0 };
        let period = times.cycle(1, 0) - times.cycle(0, 0);
        let seen = times.cycle(0, into.tick);
        let before = |round: u32| self.inputs.seen(seen + u64::from(round) * period) >> pin & 1;
        // The first round that sees what follows on that.
        let (spoken, levels) = match told.said.as_ref().filter(|said| said.line.pin == pin) {
            Some(said) => (times.cycle(0, told.spoken(said)), said.line.levels),
            None => (times.cycle(0, 0), 0u32.wrapping_sub(io.pins.inputs() >> pin & 1)),
        };
        let visible = self.inputs.visible_from(spoken, 1 << pin);
        let late = visible.saturating_sub(seen).div_ceil(period) as u32;
        let early = (0..late.min(32)).fold(0, |bits, round| bits | before(round) << (31 - round));
        early | levels.checked_shr(late).unwrap_or(0)
    }

    /// Moves all lines. All but the last rounds are done at once.
    pub(super) fn move_in_pulses(&mut self, looped: &Loop, told: &Told, io: &mut Io) {
        let Told { shape, times, .. } = told;
        let skipped = told.count.saturating_sub(ROUNDS_AT_END);
        if skipped != 0 {
            self.skip_pulses(looped, told, skipped, io);
        }
        let heard = std::mem::take(&mut self.heard);
        for round in skipped..told.count {
            for one in looped.moves() {
                let cycle = times.cycle(round, one.tick);
                self.drive_at(told.levels_after(one, round, self.levels), self.enables, cycle, io);
                if let Some((pin, level)) = told.said_at(round, one.tick) {
                    self.answer(told, (pin, level), cycle, io);
                }
            }
        }
        io.pins.take_changed_of(shape.clock_mask());
        self.heard = heard;
    }

    /// Moves all lines in the first rounds, of which nobody remembers but that they moved.
    pub(super) fn skip_pulses(&mut self, looped: &Loop, told: &Told, rounds: u32, io: &mut Io) {
        let heard = std::mem::take(&mut self.heard);
        let recorded = io.pins.recorded();
        if recorded & (told.shape.clock_mask() | told.shape.out_mask() | told.said_mask()) != 0 {
            self.keep_edges(looped, told, rounds, io);
        }
        io.pins.record(0);
        self.move_once(told, rounds, io);
        io.pins.record(recorded);
        self.heard = heard;
    }

    /// Keeps the edges of the first rounds.
    fn keep_edges(&self, looped: &Loop, told: &Told, rounds: u32, io: &mut Io) {
        let own = told.shape.clock_mask() | told.shape.out_mask();
        let mut levels = self.levels & own | io.pins.levels() & told.said_mask();
        for round in 0..rounds {
            for one in looped.moves() {
                let at = told.times.at(round, one.tick);
                let next = told.levels_after(one, round, levels) & own | levels & !own;
                // Of one instant the lower pin comes first, and what is answered last.
                keep_moved(at, levels, next, io);
                levels = next;
                if let Some((pin, level)) = told.said_at(round, one.tick) {
                    let next = levels & !(1 << pin) | u32::from(level) << pin;
                    keep_moved(at, levels, next, io);
                    levels = next;
                }
            }
        }
    }

    /// Somebody outside moves a pin in answer to the edge of a cycle.
    fn answer(&mut self, told: &Told, (pin, level): (u8, bool), cycle: u64, io: &mut Io) {
        io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
        match told.said {
            Some(Said { is_pulled: false, .. }) => io.pins.drive_outside(io.now, pin, Some(level)),
            _ => io.pins.pull_outside(io.now, pin, Some(level)),
        }
        if !self.looks_away {
            self.observe(cycle, io);
        }
    }

    /// Moves the pins to where they are behind the first rounds, and notes what they did until then.
    fn move_once(&mut self, told: &Told, rounds: u32, io: &mut Io) {
        let Told { shape, times, .. } = told;
        let before = io.pins.inputs_changed();
        let last = times.cycle(rounds - 1, shape.rise.max(shape.fall));
        let (mut changed, mut pulsed) = (shape.clock_mask(), shape.clock_mask());
        let mut note = |pin: u8, bits: u32, from: u32| {
            let moves = (bits ^ (from << 31 | bits >> 1)) & (u32::MAX << (32 - rounds));
            changed |= u32::from(moves != 0) << pin;
            pulsed |= u32::from(moves.count_ones() > 1) << pin;
        };
        if let Some((pin, _)) = shape.out {
            note(pin, told.written, self.levels >> pin & 1);
            let levels = self.levels & !(1 << pin) | bit(told.written, rounds - 1) << pin;
            self.drive_at(levels & ALL_PINS, self.enables, last, io);
        }
        if let Some(Said { line: DataLine { pin, levels }, .. }) = told.said {
            note(pin, levels, io.pins.inputs() >> pin & 1);
            self.answer(told, (pin, bit(levels, rounds - 1) == 1), last, io);
        }
        io.pins.note_changes(changed, before & changed | pulsed);
    }
}

/// Keeps the edges of the pins whose levels are others from a time on.
fn keep_moved(at: Picoseconds, before: u32, after: u32, io: &mut Io) {
    let mut moved = before ^ after;
    let pins = std::iter::from_fn(|| {
        let pin = (moved != 0).then(|| moved.trailing_zeros() as u8)?;
        moved &= moved - 1;
        Some(pin)
    });
    io.pins.add_edges(pins.map(|pin| Edge { at, pin, level: after >> pin & 1 == 1 }));
}

/// One of 32 bits, of which the first is the highest.
fn bit(bits: u32, number: u32) -> u32 {
    bits >> (31 - number) & 1
}
