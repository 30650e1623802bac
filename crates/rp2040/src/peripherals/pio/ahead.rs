//! Levels of pins that are known before they come, while a block is led on that nobody notices: which cycles see them.

use mcu::Foretold;

use super::edges::ClockEdges;
use super::inputs::{KEPT, STAGE_CYCLES, SYNCHRONISER_CYCLES};
use super::loops::{Loop, Shift};
use super::registers::mask;
use super::rounds::Rounds;
use super::{Io, Pio};
use units::PS_PER_S;

/// Where the changes that were foretold are among the cycles of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead {
    /// Which ones, and at which frequency.
    number: u64,
    hz: u64,
    /// The cycle with which the first step begins, and the cycles of each where all take whole ones.
    first: u64,
    step: Option<u64>,
    /// The first change that the history of the inputs does not have.
    next: usize,
}

impl Ahead {
    /// Counted from a change that is still to come: the block may have been started after the first one.
    fn new(edges: &ClockEdges, number: u64, foretold: &Foretold, change: usize) -> Option<Self> {
        let step = foretold.step();
        let parts = u128::from(step.ps() as u64) * u128::from(edges.hz());
        let whole = parts % PS_PER_S as u128 == 0;
        let step = whole.then_some((parts / PS_PER_S as u128) as u64);
        let before = foretold.step_of(change)? * step.unwrap_or(0);
        let first = edges.cycle_at(foretold.at(change)?).wrapping_sub(before);
        Some(Self { number, hz: edges.hz(), first, step, next: change })
    }

    /// The cycle after whose edge a change comes; nothing behind the last one.
    #[inline]
    fn cycle_of(&self, edges: &ClockEdges, foretold: &Foretold, change: usize) -> Option<u64> {
        match self.step {
            Some(cycles) => Some(self.first.wrapping_add(foretold.step_of(change)? * cycles)),
            None => Some(edges.cycle_at(foretold.at(change)?)),
        }
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
        self.see_changes(&ahead, foretold, foretold.first_after(ahead.next, io.now));
    }

    /// Takes changes up to one into the history, which keeps the last few.
    fn see_changes(&mut self, ahead: &Ahead, foretold: &Foretold, end: usize) {
        for change in ahead.next.max(end.saturating_sub(KEPT))..end {
            self.see_change(ahead, foretold, change);
        }
    }

    fn see_change(&mut self, ahead: &Ahead, foretold: &Foretold, change: usize) {
        let Some(cycle) = ahead.cycle_of(&self.edges, foretold, change) else { return };
        let levels = self.inputs.newest() & !foretold.mask() | foretold.levels(change);
        self.see(cycle, levels);
    }

    /// What is known of levels may be so no longer.
    pub(crate) fn forget_ahead(&mut self) {
        self.machines.iter_mut().for_each(|machine| machine.sure_jumps_until = 0);
    }

    /// Takes into the history of the inputs what comes before a cycle.
    #[inline]
    pub(super) fn observe_ahead(&mut self, cycle: u64, io: &Io) {
        let (Some(mut ahead), Some(course)) = (self.ahead, &io.foretold) else { return };
        let foretold = course.foretold();
        let comes =
            |&change: &usize| ahead.cycle_of(&self.edges, foretold, change).is_some_and(|at| at < cycle);
        let end = ahead.next + (ahead.next..).take_while(comes).count();
        self.see_changes(&ahead, foretold, end);
        ahead.next = end;
        self.ahead = Some(ahead);
    }

    /// The first change that no instruction has seen.
    pub(super) fn next_ahead(&self) -> usize {
        self.ahead.map_or(0, |ahead| ahead.next)
    }

    /// What IN sees at pins in each round, the first in the highest bits; nothing where that is not known for all of them. Rounds before
    /// have seen all changes up to `next`, and these see some more.
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
        let mut levels = (*next > ahead.next).then(|| others | foretold.levels(*next - 1));
        for round in 0..u64::from(count) {
            let cycle = machine.divider.after(rounds.first_tick + round * looped.ticks + into.tick);
            while ahead.cycle_of(&self.edges, foretold, *next).is_some_and(|at| at + delay < cycle) {
                levels = Some(others | foretold.levels(*next));
                *next += 1;
            }
            let levels = levels.unwrap_or_else(|| self.inputs.seen(cycle));
            received = received << bits | u64::from(levels.rotate_right(base) & mask(into.bits));
        }
        Some((received << (32 - bits * count)) as u32)
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
