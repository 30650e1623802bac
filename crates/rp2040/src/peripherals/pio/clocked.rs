//! Rounds of a loop that give a clock to somebody outside and move bits with it, out on one line, in on another, or both. He is told
//! of the pulses as one thing, and what he answers is seen, and moves his line, when it would have.

use mcu::{Answer, ClockPulses, DataLine, Said};
use units::Picoseconds;

use super::burst::Untold;
use super::divider::Divider;
use super::early::Early;
use super::edges::ClockEdges;
use super::loops::{Loop, Move};
use super::moved::ROUNDS_AT_END;
use super::rounds::{Rounds, written_first};
use super::{Io, Pio};

/// What the pins of a loop do in a round, where it clocks bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) clock: u8,
    pub(super) rise: u64,
    pub(super) fall: u64,
    /// The pin to which OUT brings its bit, and whether it does so before the clock rises.
    pub(super) out: Option<(u8, bool)>,
    /// The pin at which IN looks.
    pub(super) into: Option<u8>,
}

/// When things are.
pub(super) struct Times {
    pub(super) divider: Divider,
    pub(super) early: Early,
    pub(super) first_tick: u64,
    pub(super) ticks: u64,
}

impl Times {
    pub(super) fn cycle(&self, round: u32, tick: u64) -> u64 {
        self.divider.after(self.first_tick + u64::from(round) * self.ticks + tick)
    }

    pub(super) fn at(&self, edges: &ClockEdges, round: u32, tick: u64) -> Picoseconds {
        self.time_of(edges, self.cycle(round, tick))
    }

    pub(super) fn time_of(&self, edges: &ClockEdges, cycle: u64) -> Picoseconds {
        self.early.time_of(cycle).or_else(|| edges.time_of(cycle)).unwrap_or_default()
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

    /// The levels of OUT's line when each pulse rises, where it writes these bits behind the level `before`.
    pub(super) fn levels_sent(&self, before: u32, written: u32) -> u32 {
        match self.out {
            Some((_, false)) => before << 31 | written >> 1,
            _ => written,
        }
    }

    pub(super) fn clock_mask(&self) -> u32 {
        1 << self.clock
    }

    pub(super) fn out_mask(&self) -> u32 {
        self.out.map_or(0, |(pin, _)| 1 << pin)
    }

    pub(super) fn falls_first(&self) -> bool {
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

/// The pins around pulses that are told.
#[derive(Debug, Clone, Copy)]
pub(super) struct AroundPulses {
    pub(super) levels: u32,
    pub(super) may_drive: u32,
    pub(super) may_pull: u32,
}

impl AroundPulses {
    pub(super) fn of(io: &Io) -> Self {
        let may_drive = io.pins.left_to_outside();
        Self { levels: io.pins.levels(), may_drive, may_pull: may_drive & io.pins.plain() }
    }
}

/// Pulses of which somebody outside was told, and what he answered; the pins have not moved yet.
pub(super) struct Told {
    pub(super) shape: Shape,
    pub(super) times: Times,
    pub(super) count: u32,
    /// What OUT writes in each round, the first in the highest bit.
    pub(super) written: u32,
    pub(super) said: Option<Said>,
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
    pub(super) fn levels_after(&self, one: &Move, round: u32, levels: u32) -> u32 {
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

    /// What he says at a pin, with the cycle of the first pulse in which he does.
    pub(super) fn said_at_pin(&self, pin: u8) -> Option<(u64, u32)> {
        let said = self.said.as_ref().filter(|said| said.line.pin == pin)?;
        Some((self.times.cycle(0, self.spoken(said)), said.line.levels))
    }

    /// What he says at a tick of a round: the pin and its level.
    pub(super) fn said_at(&self, round: u32, tick: u64) -> Option<(u8, bool)> {
        let said = self.said.as_ref().filter(|said| self.spoken(said) == tick)?;
        Some((said.line.pin, bit(said.line.levels, round) == 1))
    }

    pub(super) fn said_mask(&self) -> u32 {
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
        let before = (shape.sent_of(self.levels), Early::default());
        let told = self.tell_pulses(n, looped, (&shape, before), rounds, io)?;
        rounds.count = told.count;
        let received = self.received_bits(looped, &told, None, io);
        self.move_in_pulses(looped, &told, io);
        untold.start_at(self.levels);
        Some(received)
    }

    /// How the rounds of a loop give a clock that is heard; nothing where they are told edge by edge.
    pub(super) fn shape_of(&self, n: usize, looped: &Loop, untold: &Untold, io: &Io) -> Option<Shape> {
        let machine = &self.machines[n];
        let shape = Shape::of(looped, self.heard.pins & untold.visible(), machine.config.in_base)?;
        let begins =
            untold.is_told(self.levels) && (self.levels & shape.clock_mask() != 0) == shape.falls_first();
        let sends = shape.out_mask() & !untold.visible() == 0;
        let sees = shape
            .into
            .is_none_or(|pin| machine.divider.is_even() && io.pins.left_to_outside() >> pin & 1 == 1);
        (begins && sends && sees).then_some(shape)
    }

    /// Tells of the pulses of rounds, before which OUT's line was at `before`, and of which some cycles were carried out early; nothing
    /// where none of them was taken.
    pub(super) fn tell_pulses(
        &self,
        n: usize,
        looped: &Loop,
        (shape, (before, early)): (&Shape, (u32, Early)),
        rounds: &Rounds,
        io: &mut Io,
    ) -> Option<Told> {
        let machine = &self.machines[n];
        let times =
            Times { divider: machine.divider, early, first_tick: rounds.first_tick, ticks: looped.ticks };
        let written = written_first(machine.osr, machine.config.out_right);
        let around = AroundPulses::of(io);
        let Answer { count, said } = self.ask(shape, &times, rounds.count, (before, written), around, io);
        (count != 0).then_some(Told { shape: *shape, times, count, written, said })
    }

    /// Tells of pulses in which OUT writes these bits, the first in the highest, behind the level that its line had `before`.
    #[inline]
    pub(super) fn ask(
        &self,
        shape: &Shape,
        times: &Times,
        count: u32,
        (before, written): (u32, u32),
        around: AroundPulses,
        io: &mut Io,
    ) -> Answer {
        let at = |pulse: u32| [shape.rise, shape.fall].map(|tick| times.at(&self.edges, pulse, tick));
        let AroundPulses { levels, may_drive, may_pull } = around;
        let pulses = ClockPulses {
            clock: shape.clock,
            falls_first: shape.falls_first(),
            count,
            sent: shape.out.map(|(pin, _)| DataLine { pin, levels: shape.levels_sent(before, written) }),
            levels,
            may_drive,
            may_pull,
            times: &at,
        };
        let Answer { count: taken, said } = io.outside.pulses(&pulses, &mut io.reactions);
        Answer { count: taken.min(count), said }
    }

    /// What IN sees in each round: the answer as many cycles later as an input takes, and before that what was there. That is what was
    /// said in the pulses `before` these, where the pins have not moved for them yet.
    pub(super) fn received_bits(&self, looped: &Loop, told: &Told, before: Option<&Told>, io: &Io) -> u32 {
        let Told { shape, times, .. } = told;
        let (Some(into), Some(pin)) = (looped.into, shape.into) else { return 0 };
        let period = times.cycle(1, 0) - times.cycle(0, 0);
        let seen = times.cycle(0, into.tick);
        let visible_from = |spoken: u64| self.inputs.visible_from(spoken, 1 << pin);
        let said_before = before.and_then(|told| Some((told.count, told.said_at_pin(pin)?)));
        let before = |round: u32| {
            let cycle = seen + u64::from(round) * period;
            let said = said_before.filter(|&(_, (spoken, _))| visible_from(spoken) <= cycle);
            match said {
                Some((count, (spoken, levels))) => {
                    let number = (cycle - visible_from(spoken)) / period;
                    bit(levels, (count - 1).min(number as u32))
                }
                None => self.inputs.seen(cycle) >> pin & 1,
            }
        };
        if let Some((spoken, levels)) = told.said_at_pin(pin)
            && visible_from(spoken) <= seen
        {
            return levels;
        }
        let (spoken, levels) = told.said_at_pin(pin).unwrap_or_else(|| {
            let last = said_before
                .map_or(io.pins.inputs() >> pin & 1, |(count, (_, levels))| bit(levels, count - 1));
            (times.cycle(0, 0), 0u32.wrapping_sub(last))
        });
        // The first round that sees what is said in these.
        let late = visible_from(spoken).saturating_sub(seen).div_ceil(period) as u32;
        let early = (0..late.min(32)).fold(0, |bits, round| bits | before(round) << (31 - round));
        early | levels.checked_shr(late).unwrap_or(0)
    }
}

/// One of 32 bits, of which the first is the highest.
pub(super) fn bit(bits: u32, number: u32) -> u32 {
    bits >> (31 - number) & 1
}
