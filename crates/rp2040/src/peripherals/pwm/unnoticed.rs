//! Runs of the block that nobody notices before they end. Slices that count freely through the same period again and again are led
//! to its end at one go: what they passed on the way is known without a look at each edge.

use units::Picoseconds;

use super::slice::{NEVER, Slice};
use super::{Pwm, SLICES};
use crate::Io;
use crate::pins::{ALL_PINS, CHANGES_KEPT, Function};

/// A shorter run goes from edge to edge.
const SHORTEST_SKIPPED_CYCLES: u64 = 64;
/// Periods of one output at the end of a run that go from edge to edge: as many as have the changes that anybody remembers, two in
/// each, and one that may have begun before.
const PERIODS_AT_END: u64 = CHANGES_KEPT.div_ceil(2) as u64 + 1;
/// In so many periods an output certainly rises and falls.
const PERIODS_OF_A_PULSE: u64 = 2;

/// The pins of slice `n` at which these outputs of it are (RP2040 datasheet 4.5.2).
fn pins_of(n: usize, outputs: u32) -> u32 {
    let low = outputs << (2 * n);
    (low | low << 16) & ALL_PINS
}

impl Pwm {
    /// Whether anything is to happen in the block by itself, of which nobody hears but at its pins.
    pub(crate) fn counts_silently(&self) -> bool {
        let noticed = self.listens() || self.enabled_interrupts | self.forced_interrupts != 0;
        !noticed && self.next_event() != NEVER
    }

    /// The pins that may move.
    pub(crate) fn moves(&self) -> u32 {
        self.slices
            .iter()
            .enumerate()
            .fold(0, |pins, (n, slice)| pins | if slice.is_enabled() { pins_of(n, 0b11) } else { 0 })
    }

    /// Does everything up to and including `until`, where no channel of the DMA waits for a wrap and no interrupt is switched on.
    pub(crate) fn run_unnoticed(&mut self, until: Picoseconds, io: &mut Io) {
        if io.clocks.sys_hz != self.edges.hz() {
            return;
        }
        let last = self.edges.last_at(until);
        loop {
            let next = self.next_event();
            if next > last || next == NEVER {
                break;
            }
            match self.end_of_skip(next, last, io) {
                Some(end) => self.skip_to(end, io),
                None => self.run_silently(next, io),
            }
        }
        self.edges.follow(last);
        self.finish(last, io);
    }

    fn run_silently(&mut self, cycle: u64, io: &mut Io) {
        self.advance_due(cycle, |slice| slice.event == cycle, io);
    }

    /// Leads slices to a cycle, and their pins; gives the pins that may have moved.
    fn advance_due(&mut self, cycle: u64, is_due: impl Fn(&Slice) -> bool, io: &mut Io) -> u32 {
        let (mut mask, mut levels) = (0, 0);
        for n in 0..SLICES {
            let slice = &mut self.slices[n];
            if !is_due(slice) {
                continue;
            }
            let wrapped = slice.advance(cycle);
            slice.reschedule();
            mask |= pins_of(n, 0b11);
            levels |= pins_of(n, slice.outputs());
            self.wrapped |= u32::from(wrapped) << n;
        }
        io.now = io.now.max(self.edges.time_of(cycle).unwrap_or(io.now));
        let at = self.edges.time_of(cycle).unwrap_or(io.now).min(io.now);
        io.pins.drive(at, Function::Pwm, mask, levels, mask);
        mask
    }

    /// The cycle up to which every slice that has anything to do goes through the same period at least twice, and behind which so
    /// many changes come that nobody remembers those before; nothing where that is not worth the effort, or edges are kept.
    fn end_of_skip(&self, next: u64, last: u64, io: &Io) -> Option<u64> {
        if last - next < SHORTEST_SKIPPED_CYCLES {
            return None;
        }
        let selected = io.pins.selected(Function::Pwm);
        let plain = io.pins.plain_of(Function::Pwm) & !io.pins.recorded();
        let (mut moves, mut shortest_moving, mut shortest) = (false, NEVER, NEVER);
        for (n, slice) in self.slices.iter().enumerate().filter(|(_, slice)| slice.event != NEVER) {
            let pins = pins_of(n, slice.moving_outputs()) & selected;
            if pins & !plain != 0 {
                return None;
            }
            moves |= pins != 0;
            if slice.is_settled() {
                let period = slice.period_cycles();
                shortest = shortest.min(period);
                shortest_moving = if pins != 0 { shortest_moving.min(period) } else { shortest_moving };
            }
        }
        // The last event of all is one that happens by itself, at its time.
        let at_end = if moves { shortest_moving.checked_mul(PERIODS_AT_END)? } else { shortest };
        let mut end = last.checked_sub(at_end)?;
        // Whoever does not come so far leads the way with its next edge.
        while let Some(slow) = self.slices.iter().find(|slice| slice.event <= end && !slice.pulses_until(end))
        {
            end = slow.event - 1;
        }
        (end > next).then_some(end)
    }

    fn skip_to(&mut self, end: u64, io: &mut Io) {
        let due = |slice: &Slice| slice.event <= end;
        let selected = io.pins.selected(Function::Pwm);
        let pulsed = self.slices.iter().enumerate().filter(|(_, slice)| due(slice));
        let pulsed = pulsed.fold(0, |pins, (n, slice)| pins | pins_of(n, slice.moving_outputs()) & selected);
        self.advance_due(end, due, io);
        io.pins.note_changes(pulsed, pulsed);
    }
}

impl Slice {
    /// Whether it has certainly gone through a whole period between its next event and a cycle, with the same levels all the time.
    fn pulses_until(&self, cycle: u64) -> bool {
        self.is_settled() && (cycle - self.event) / PERIODS_OF_A_PULSE >= self.period_cycles()
    }
}
