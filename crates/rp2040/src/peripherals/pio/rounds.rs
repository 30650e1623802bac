//! Rounds of a loop in one go. What is shifted and counted in them is computed at once; pins move as they would have, and whoever
//! is told of every edge of a clock is told of its pulses instead.

use super::burst::Untold;
use super::divider::Divider;
use super::execute::shifted_out;
use super::loops::{Loop, Shift, Written, counted};
use super::registers::mask;
use super::state_machine::{FULL_COUNT, StateMachine};
use super::{ALL_PINS, Io, Pio};

/// Fewer rounds are executed as quickly.
const FEWEST_ROUNDS: u64 = 2;
/// Rounds that are gone through change by change at the end: as many as there are changes that anybody remembers, two in each.
pub(super) const ROUNDS_AT_END: u32 = super::burst::TOLD.div_ceil(2) as u32;
/// What one go may shift at the most.
const MOST_ROUNDS: u64 = 32;

/// Rounds that are to come: how many, and the tick with which the first one begins, counted from the next one of the machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rounds {
    pub(super) count: u32,
    pub(super) first_tick: u64,
}

impl Pio {
    /// Goes through rounds of the loop at which a machine stands, up to and including cycle `last`; gives the cycle of the last
    /// instruction, or nothing when that is not done in one go.
    pub(super) fn run_rounds(
        &mut self,
        n: usize,
        looped: &Loop,
        last: u64,
        untold: &mut Untold,
        io: &mut Io,
    ) -> Option<u64> {
        let machine = &self.machines[n];
        let ticks = machine.divider.ticks_through(last);
        let begun = ticks.checked_sub(machine.delay + looped.last_tick + 1)?;
        let most = (begun / looped.ticks + 1).min(MOST_ROUNDS);
        let count = looped.rounds(machine, most);
        if count < FEWEST_ROUNDS || !machine.is_between_instructions() || machine.wants_refill() {
            return None;
        }
        let mut rounds = Rounds { count: count as u32, first_tick: machine.delay };
        let (fixed, data) = looped.pins();
        let is_heard = (fixed | data) & self.heard.pins & untold.visible() != 0 && !self.heard.in_rows;
        if is_heard || looped.into.is_some_and(|into| into.at_pins) {
            self.tell(untold, self.machines[n].divider.next(), io);
        }
        let received = if is_heard {
            self.pulse(n, looped, &mut rounds, untold, io)?
        } else {
            let received = self.input(n, looped, &rounds, io)?;
            let from = (self.machines[n].divider, self.machines[n].osr);
            self.move_pins(n, looped, &rounds, from, untold, io);
            received
        };
        Some(self.end_rounds(n, looped, &rounds, received))
    }

    /// What IN sees in each round, the first in the highest bits; nothing where that is not known.
    fn input(&self, n: usize, looped: &Loop, rounds: &Rounds, io: &Io) -> Option<u32> {
        let Some(into) = looped.into.filter(|into| into.at_pins) else { return Some(0) };
        match self.ahead {
            Some(_) => self.foretold_input(n, into, looped, (rounds, &mut self.next_ahead()), io),
            None => self.steady_input(n, into, looped, rounds),
        }
    }

    /// The same where no pin moves at which it looks.
    fn steady_input(&self, n: usize, into: Shift, looped: &Loop, rounds: &Rounds) -> Option<u32> {
        let machine = &self.machines[n];
        let seen = mask(into.bits).rotate_left(machine.config.in_base.into());
        let cycle = machine.divider.after(rounds.first_tick + into.tick);
        if looped.moves_any(seen) || !self.inputs.are_settled(cycle, seen) {
            return None;
        }
        let value = self.inputs.seen(cycle).rotate_right(machine.config.in_base.into()) & mask(into.bits);
        let repeated = (0..rounds.count).fold(0u64, |all, _| all << into.bits | u64::from(value));
        let bits = u32::from(into.bits) * rounds.count;
        (bits <= 32).then(|| (repeated << (32 - bits)) as u32)
    }

    /// Moves the pins as the rounds do of a machine that had this divider and this OSR before them.
    pub(super) fn move_pins(
        &mut self,
        n: usize,
        looped: &Loop,
        rounds: &Rounds,
        (divider, mut osr): (Divider, u32),
        untold: &mut Untold,
        io: &mut Io,
    ) {
        let config = self.machines[n].config;
        let mut levels = untold.levels();
        let bits = looped.out.map_or(0, |out| out.bits);
        let skipped = untold.rounds_untold(looped, rounds.count);
        let mut round = 0;
        while round < u64::from(rounds.count) {
            for one in looped.moves() {
                if one.shifts_out {
                    let (data, rest) = shifted_out(osr, bits, config.out_right);
                    osr = rest;
                    let data = data.rotate_left(config.out_base.into());
                    levels = levels & !one.data_mask | data & one.data_mask;
                }
                levels = (levels & !one.mask | one.levels) & ALL_PINS;
                if levels != untold.levels() {
                    let cycle = divider.after(rounds.first_tick + round * looped.ticks + one.tick);
                    untold.move_to(levels, cycle);
                    if untold.is_due() {
                        self.tell(untold, cycle, io);
                    }
                }
            }
            round += 1;
            if round == 1 && skipped != 0 {
                levels = untold.skip(looped, written_first(osr, config.out_right), skipped);
                osr = shifted_by(osr, u32::from(bits) * skipped, config.out_right);
                round += u64::from(skipped);
            }
        }
    }

    /// Leaves the machine as the rounds do, of which IN received these bits; gives the cycle of the last instruction.
    pub(super) fn end_rounds(&mut self, n: usize, looped: &Loop, rounds: &Rounds, received: u32) -> u64 {
        let machine = &mut self.machines[n];
        let tick = rounds.first_tick + u64::from(rounds.count - 1) * looped.ticks + looped.last_tick;
        let reached = machine.divider.after(tick);
        looped.count_down(machine, rounds.count);
        machine.remember_written(looped, rounds.count);
        let moved_out = looped.out.is_some() && machine.shift_rounds_out(looped, rounds.count);
        let moved_in = looped.into.is_some() && machine.shift_rounds_in(looped, rounds.count, received);
        machine.end_quickly(tick + 1, looped.last_delay);
        self.lines_stale |= moved_out || moved_in;
        reached
    }
}

impl Untold {
    /// Rounds behind the first one whose single changes nobody can tell apart afterwards: those in which a pin that shows goes up
    /// and down anyway, so that the ones that follow have all changes that are remembered.
    fn rounds_untold(&self, looped: &Loop, count: u32) -> u32 {
        let skipped = count.saturating_sub(1 + ROUNDS_AT_END);
        let is_long = skipped >= FEWEST_ROUNDS as u32;
        if is_long && self.tells_sums_of(looped) { skipped } else { 0 }
    }

    /// Whether the sum of rounds is all that can be known of them but for the last ones.
    pub(super) fn tells_sums_of(&self, looped: &Loop) -> bool {
        let pulses = looped.pulses() & self.visible();
        let (fixed, data) = looped.pins();
        let moves_bit = looped.out.is_none_or(|out| !out.at_pins || out.bits == 1 && data.is_power_of_two());
        pulses != 0 && fixed & data == 0 && moves_bit && self.is_told_in_sum()
    }

    /// Skips rounds that write these bits, the first in the highest bit; gives the levels behind them.
    pub(super) fn skip(&mut self, looped: &Loop, bits: u32, rounds: u32) -> u32 {
        let (_, data) = looped.pins();
        let before = u32::from(self.levels() & data != 0);
        let moves = (bits ^ (before << 31 | bits >> 1)) & u32::MAX << (32 - rounds);
        let times = if data == 0 { 0 } else { moves.count_ones() };
        self.change_often(looped.pulses(), data, times);
        let level = if bits >> (32 - rounds) & 1 == 1 { data } else { 0 };
        let levels = self.levels() & !data | level;
        self.start_at(levels);
        levels
    }
}

/// The bits that a shift register gives, the first in the highest bit.
pub(super) fn written_first(osr: u32, to_the_right: bool) -> u32 {
    if to_the_right { osr.reverse_bits() } else { osr }
}

impl StateMachine {
    /// What SET or OUT wrote last.
    pub(super) fn remember_written(&mut self, looped: &Loop, rounds: u32) {
        let config = &self.config;
        let (written, levels) = match (looped.written, looped.out) {
            (Some(Written::Set(levels)), _) => (config.set_mask, levels),
            (Some(Written::Out), Some(out)) => {
                let before = shifted_by(self.osr, u32::from(out.bits) * (rounds - 1), config.out_right);
                let (data, _) = shifted_out(before, out.bits, config.out_right);
                (config.out_mask, data.rotate_left(config.out_base.into()))
            }
            _ => return,
        };
        (self.sticky.level_mask, self.sticky.levels) = (written, levels);
    }

    /// Gives whether a word moved through its FIFO.
    fn shift_rounds_out(&mut self, looped: &Loop, rounds: u32) -> bool {
        let bits = looped.out.map_or(0, |out| u32::from(out.bits)) * rounds;
        self.osr = shifted_by(self.osr, bits, self.config.out_right);
        self.osr_count = counted(self.osr_count, looped.out, rounds);
        if !self.wants_refill() {
            return false;
        }
        let (word, has_moved) = self.take_word().unwrap_or_default();
        (self.osr, self.osr_count) = (word, 0);
        has_moved
    }

    /// Gives whether a word moved. The bits that come in are the highest of `received`.
    fn shift_rounds_in(&mut self, looped: &Loop, rounds: u32, received: u32) -> bool {
        let Some(into) = looped.into else { return false };
        let shifts = u32::from(into.bits) * rounds;
        let left = |value: u32, bits: u32| value.checked_shl(bits).unwrap_or(0);
        let right = |value: u32, bits: u32| value.checked_shr(bits).unwrap_or(0);
        let rest = u32::from(FULL_COUNT).saturating_sub(shifts);
        self.isr = match self.config.in_right {
            false => left(self.isr, shifts) | right(received, rest),
            true => (0..rounds).fold(self.isr, |isr, round| {
                let own = right(received, 32u32.saturating_sub(u32::from(into.bits) * (round + 1)));
                super::execute::shifted_in(isr, own, into.bits, true)
            }),
        };
        self.isr_count = counted(self.isr_count, looped.into, rounds);
        if !self.config.autopush || self.isr_count < self.config.push_threshold {
            return false;
        }
        let pushed = self.receive.push(self.isr);
        debug_assert!(pushed, "rounds end before a word finds no room");
        (self.isr, self.isr_count) = (0, 0);
        true
    }
}

/// A shift register after some bits went out.
fn shifted_by(osr: u32, bits: u32, to_the_right: bool) -> u32 {
    let shifted = if to_the_right { osr.checked_shr(bits) } else { osr.checked_shl(bits) };
    shifted.unwrap_or(0)
}
