//! Levels of pins that are known before they come, while a block is led on that nobody notices: which cycles see them.

use mcu::Foretold;

use super::edges::ClockEdges;
use super::inputs::{KEPT, STAGE_CYCLES, SYNCHRONISER_CYCLES};
use super::loops::{Loop, Shift};
use super::registers::mask;
use super::rounds::Rounds;
use super::{Io, Pio};
use units::PS_PER_S;

/// Instructions in a row that may see levels which have come to the pins already: a synchroniser holds them for a few cycles.
const MOST_SEEN_ALREADY: u64 = SYNCHRONISER_CYCLES + 1;

/// Where the changes that were foretold are among the cycles of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    /// Which ones, and at which frequency.
    number: u64,
    hz: u64,
    /// The cycle with which the first step begins, and the cycles of each where all take whole ones.
    first: u64,
    step: Option<u64>,
    /// The first step that the history of the inputs does not have.
    next: usize,
}

impl Ahead {
    /// Counted from a step that is still to come: the block may have been started after the first one.
    fn new(edges: &ClockEdges, number: u64, foretold: &Foretold, next: usize) -> Option<Self> {
        let step = foretold.step();
        let parts = u128::from(step.ps() as u64) * u128::from(edges.hz());
        let whole = parts % PS_PER_S as u128 == 0;
        let step = whole.then_some((parts / PS_PER_S as u128) as u64);
        let before = next as u64 * step.unwrap_or(0);
        let first = edges.cycle_at(foretold.at(next)?).wrapping_sub(before);
        Some(Self { number, hz: edges.hz(), first, step, next })
    }

    /// The cycle after whose edge a step begins; nothing behind the last change.
    #[inline]
    fn cycle_of(&self, edges: &ClockEdges, foretold: &Foretold, step: usize) -> Option<u64> {
        match self.step {
            Some(cycles) if step < foretold.steps() => Some(self.first.wrapping_add(step as u64 * cycles)),
            Some(_) => None,
            None => Some(edges.cycle_at(foretold.at(step)?)),
        }
    }

    /// Whether it is sure that no further step has begun before a cycle.
    #[inline]
    fn is_before_next(&self, cycle: u64) -> bool {
        let before = |cycles| cycle.wrapping_sub(self.first) as i64 <= (self.next as u64 * cycles) as i64;
        self.step.is_some_and(before)
    }

    /// The steps that have begun before a cycle: `least` of them are known to have.
    #[inline]
    fn begun_before(&self, edges: &ClockEdges, foretold: &Foretold, cycle: u64, least: usize) -> usize {
        if let Some(cycles) = self.step {
            let passed = cycle.wrapping_sub(self.first) as i64;
            let begun = if passed <= 0 { 0 } else { (passed as u64).div_ceil(cycles) as usize };
            return begun.clamp(least, foretold.steps().max(least));
        }
        let begins = |&step: &usize| foretold.at(step).is_some_and(|at| edges.cycle_at(at) < cycle);
        least + (least..).take_while(begins).count()
    }
}

/// What instructions see that are evenly apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelsSeen {
    /// The levels of those pins that were not foretold.
    others: u32,
    /// The step that the next one sees, the cycles that have passed of it, and those of each.
    step: usize,
    within: u64,
    cycles: u64,
    /// The steps and the cycles from one instruction to the next.
    apart: (usize, u64),
}

impl LevelsSeen {
    /// The levels that the next one sees.
    #[inline]
    pub(super) fn next(&mut self, foretold: &Foretold) -> u32 {
        let levels = foretold.levels(self.step);
        self.step += self.apart.0;
        self.within += self.apart.1;
        if self.within >= self.cycles {
            (self.step, self.within) = (self.step + 1, self.within - self.cycles);
        }
        self.others | levels
    }

    /// The same of the next `count` where each sees the next step. Nothing, before anything has happened, where they do not or what they see
    /// is behind the last change.
    #[inline]
    pub(super) fn row<'a>(&mut self, foretold: &'a Foretold, count: usize) -> Option<RowSeen<'a>> {
        if self.apart != (1, 0) {
            return None;
        }
        let row = foretold.row(self.step..self.step + count)?;
        self.step += count;
        let (first_pin, pins) = (foretold.first_pin(), foretold.mask().count_ones() as u8);
        Some(RowSeen { row, first_pin, pins, others: self.others })
    }
}

/// What instructions see of which each sees the next step.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowSeen<'a> {
    row: &'a [u8],
    first_pin: u8,
    pins: u8,
    others: u32,
}

impl<'a> RowSeen<'a> {
    /// The same of a loop of so many rounds, round by round.
    #[inline(always)]
    pub(super) fn chunks(&self, rounds: usize) -> impl Iterator<Item = Self> {
        self.row.chunks_exact(rounds).map(|row| Self { row, ..*self })
    }

    /// All levels of each.
    #[inline(always)]
    pub(super) fn levels(&self) -> impl Iterator<Item = u32> {
        self.row.iter().map(|&level| self.others | u32::from(level) << self.first_pin)
    }

    /// The steps themselves, and the place in them of `bits` pins from `base` on, where all of these were foretold.
    pub(super) fn steps(&self, base: u32, bits: u8) -> Option<(&'a [u8], u32)> {
        let place = base.checked_sub(self.first_pin.into())?;
        (place + u32::from(bits) <= self.pins.into()).then_some((self.row, place))
    }
}

impl Pio {
    /// From here on, and until [`Pio::look_ahead_no_more`], the levels that were foretold are known. What came at the pins so far is in
    /// the history of the inputs.
    pub(crate) fn look_ahead(&mut self, io: &Io) {
        let Some(course) = &io.foretold else { return };
        let known =
            self.known_ahead.filter(|ahead| ahead.number == course.number() && ahead.hz == self.edges.hz());
        let anew = || Ahead::new(&self.edges, course.number(), course.foretold(), course.next());
        let Some(known) = known.or_else(anew) else { return };
        self.known_ahead = Some(known);
        self.ahead = Some(Ahead { next: course.next(), ..known });
    }

    /// What was known is known no more, before anything was done.
    pub(super) fn forget_levels(&mut self) {
        self.ahead = None;
    }

    /// The history of the inputs has all that came up to now; what comes from here on is told.
    pub(crate) fn look_ahead_no_more(&mut self, io: &Io) {
        let (Some(ahead), Some(course)) = (self.ahead.take(), &io.foretold) else { return };
        let foretold = course.foretold();
        self.see_changes(&ahead, foretold, foretold.first_after(io.now).max(ahead.next));
    }

    /// Takes changes up to one into the history, which keeps the last few.
    fn see_changes(&mut self, ahead: &Ahead, foretold: &Foretold, end: usize) {
        let few = end - ahead.next.min(end) <= KEPT;
        let first = if few { ahead.next } else { foretold.last_changes(ahead.next..end, KEPT) };
        for step in first..end {
            if foretold.is_change(step) {
                self.see_change(ahead, foretold, step);
            }
        }
    }

    fn see_change(&mut self, ahead: &Ahead, foretold: &Foretold, step: usize) {
        let Some(cycle) = ahead.cycle_of(&self.edges, foretold, step) else { return };
        let levels = self.inputs.newest() & !foretold.mask() | foretold.levels(step);
        self.see(cycle, levels);
    }

    /// What is known of levels may be so no longer.
    pub(crate) fn forget_ahead(&mut self) {
        self.machines.iter_mut().for_each(|machine| machine.sure_jumps_until = 0);
        self.words_known_before = 0;
    }

    /// Takes into the history of the inputs what comes before a cycle.
    #[inline]
    pub(super) fn observe_ahead(&mut self, cycle: u64, io: &Io) {
        if self.ahead.as_ref().is_some_and(|ahead| !ahead.is_before_next(cycle)) {
            self.see_ahead(cycle, io);
        }
    }

    fn see_ahead(&mut self, cycle: u64, io: &Io) {
        let (Some(mut ahead), Some(course)) = (self.ahead, &io.foretold) else { return };
        let foretold = course.foretold();
        let end = ahead.begun_before(&self.edges, foretold, cycle, ahead.next);
        self.see_changes(&ahead, foretold, end);
        ahead.next = end;
        self.ahead = Some(ahead);
    }

    /// The first step that no instruction has seen.
    pub(super) fn next_ahead(&self) -> usize {
        self.ahead.map_or(0, |ahead| ahead.next)
    }

    /// What IN sees at pins in each round, the first in the highest bits; nothing where that is not known for all of them. Rounds before
    /// have seen all steps up to `next`, and these see some more.
    pub(super) fn foretold_input(
        &self,
        n: usize,
        into: Shift,
        looped: &Loop,
        (rounds, next): (&Rounds, &mut usize),
        io: &Io,
    ) -> Option<u32> {
        let (ahead, foretold) = (self.ahead?, io.foretold.as_ref()?.foretold());
        let machine = &self.machines[n];
        let base = u32::from(machine.config.in_base);
        let seen = mask(into.bits).rotate_left(base);
        let (bits, count) = (u32::from(into.bits), rounds.count);
        let first = machine.divider.after(rounds.first_tick + into.tick);
        if bits * count > 32
            || looped.moves_any(seen)
            || !self.inputs.are_settled(first, seen & !foretold.mask())
        {
            return None;
        }
        let delay = self.delay_of(seen & foretold.mask())?;
        let others = self.inputs.newest() & !foretold.mask();
        let mut received = 0u64;
        for round in 0..u64::from(count) {
            let cycle = machine.divider.after(rounds.first_tick + round * looped.ticks + into.tick);
            *next = ahead.begun_before(&self.edges, foretold, cycle - delay, *next);
            let is_ahead = *next > ahead.next;
            let levels = if is_ahead { others | foretold.levels(*next - 1) } else { self.inputs.seen(cycle) };
            received = received << bits | u64::from(levels.rotate_right(base) & mask(into.bits));
        }
        Some((received << (32 - bits * count)) as u32)
    }

    /// What instructions see of these pins from a cycle on, an even number of cycles apart. Nothing where that is not known.
    pub(super) fn levels_seen(&self, (first, apart): (u64, u64), seen: u32, io: &Io) -> Option<LevelsSeen> {
        let (ahead, foretold) = (self.ahead?, io.foretold.as_ref()?.foretold());
        let cycles = ahead.step?;
        let mask = foretold.mask();
        let delay = self.delay_of(seen & mask)?;
        let is_settled = self.inputs.are_settled(first, seen & !mask);
        if !is_settled || !self.shows_foretold((first, apart), (seen & mask, delay), (&ahead, foretold)) {
            return None;
        }
        let passed = (first - delay).wrapping_sub(ahead.first) - 1;
        Some(LevelsSeen {
            others: self.inputs.newest() & !mask,
            step: (passed / cycles) as usize,
            within: passed % cycles,
            cycles,
            apart: ((apart / cycles) as usize, apart % cycles),
        })
    }

    /// Whether instructions from a cycle on, an even number of cycles apart, see what was foretold, also as far as that has come already.
    fn shows_foretold(
        &self,
        (first, apart): (u64, u64),
        (seen, delay): (u32, u64),
        (ahead, foretold): (&Ahead, &Foretold),
    ) -> bool {
        for cycle in (0..MOST_SEEN_ALREADY).map(|n| first + n * apart) {
            let begun = ahead.begun_before(&self.edges, foretold, cycle - delay, 0);
            if begun > ahead.next {
                return true;
            }
            let Some(step) = begun.checked_sub(1) else { return false };
            if (self.inputs.seen(cycle) ^ foretold.levels(step)) & seen != 0 {
                return false;
            }
        }
        false
    }

    /// The cycles by which an instruction sees these pins late; nothing where some of them pass a synchroniser and others do not.
    fn delay_of(&self, pins: u32) -> Option<u64> {
        match pins & self.inputs.bypass {
            0 => Some(SYNCHRONISER_CYCLES),
            bypass if bypass == pins => Some(STAGE_CYCLES),
            _ => None,
        }
    }

    /// Finds out up to which cycle the machine's jumps on a pin are sure to find it high.
    pub(super) fn find_sure_jumps(&mut self, n: usize, io: &Io) {
        let sure = self.sure_jumps(n, io).unwrap_or(0);
        self.machines[n].sure_jumps_until = sure;
    }

    fn sure_jumps(&mut self, n: usize, io: &Io) -> Option<u64> {
        let (ahead, course) = (self.ahead?, io.foretold.as_ref()?);
        let machine = &self.machines[n];
        let pin = 1 << machine.config.jmp_pin;
        let foretold = course.foretold();
        if !self.inputs.stay_high(machine.due, pin) || foretold.mask() & pin == 0 {
            return None;
        }
        let delay = self.delay_of(pin)?;
        let low = match self.known_low {
            Some((number, known_pin, low))
                if (number, known_pin) == (course.number(), pin) && low >= ahead.next =>
            {
                low
            }
            _ => foretold.first_with(ahead.next, pin, false)?,
        };
        self.known_low = Some((course.number(), pin, low));
        Some(ahead.cycle_of(&self.edges, foretold, low)? + delay)
    }
}
