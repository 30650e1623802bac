//! A timer of 8 or 16 bits (ATmega328P datasheet, "8-bit Timer/Counter0 with PWM" and "16-bit Timer/Counter1 with PWM"): all
//! modes, outputs, capture, and the flags at the timer clock that the datasheet's timing diagrams show, which is when the
//! counter leaves the value that matches. It counts only when somebody looks, or when an interrupt or an output is due.
//!
//! Left out: the asynchronous clock of timer 2, the hold of the prescaler by GTCCR.TSM, and the noise canceler of captures.

mod mode;
#[cfg(test)]
mod reference;
mod registers;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod waveforms;

use std::cmp::Ordering;

use mode::{Action, Kind, Mode, OF_8_BITS, OF_16_BITS, Top};

use super::{NEVER, has};

/// TOVn, OCFnA to OCFnC and ICFn in TIFRn; their enables stand at the same bits of TIMSKn.
const TOV: u8 = 1 << 0;
const OCF: [u8; 3] = [1 << 1, 1 << 2, 1 << 3];
const ICF: u8 = 1 << 5;
/// In the order of a timer's sources of interrupts.
const FLAGS: [u8; 5] = [ICF, OCF[0], OCF[1], OCF[2], TOV];

/// How often a timer's clock comes, by CSn2:0; 0 stops it, and those of the pin are not here.
const DIVISIONS: [u64; 8] = [0, 1, 8, 64, 256, 1024, 0, 0];
const DIVISIONS_OF_TIMER_2: [u64; 8] = [0, 1, 8, 32, 64, 128, 256, 1024];
const FALLING_PIN: u8 = 6;
const RISING_PIN: u8 = 7;

/// A timer.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Timer {
    is_wide: bool,
    is_timer_2: bool,
    /// How many outputs it has, each with an OCRn: two, or three of a timer of 16 bits in the larger chips.
    channels: u8,
    control: [u8; 2],
    count: u16,
    counts_up: bool,
    compare: [u16; 3],
    /// What OCRn were set to, where they take effect later.
    buffered: [u16; 3],
    capture: u16,
    /// The upper byte of an access to 16 bits.
    temp: u8,
    flags: u8,
    enabled: u8,
    /// The ADC waits for one of the flags.
    is_watched: bool,
    /// No match in the timer clock after TCNTn was written.
    is_blocked: bool,
    outputs: [bool; 3],
    /// The cycle that `count` is of.
    last: u64,
    /// When the prescaler was last reset.
    zero: u64,
    /// Whether PRRn has stopped its clock.
    is_stopped: bool,
}

impl Timer {
    pub(crate) fn new(number: usize, has_third: bool) -> Self {
        Self {
            is_wide: !matches!(number, 0 | 2),
            is_timer_2: number == 2,
            channels: if has_third && !matches!(number, 0 | 2) { 3 } else { 2 },
            control: [0; 2],
            count: 0,
            counts_up: true,
            compare: [0; 3],
            buffered: [0; 3],
            capture: 0,
            temp: 0,
            flags: 0,
            enabled: 0,
            is_watched: false,
            is_blocked: false,
            outputs: [false; 3],
            last: 0,
            zero: 0,
            is_stopped: false,
        }
    }

    fn mode(&self) -> Mode {
        let [a, b] = self.control;
        if self.is_wide {
            OF_16_BITS[usize::from(a & 3 | b >> 1 & 0xc)]
        } else {
            OF_8_BITS[usize::from(a & 3 | b >> 1 & 4)]
        }
    }

    fn max(&self) -> u16 {
        if self.is_wide { 0xffff } else { 0xff }
    }

    fn top(&self) -> u16 {
        match self.mode().top {
            Top::Fixed(top) => top,
            Top::Compare => self.compare[0],
            Top::Capture => self.capture,
        }
    }

    fn division(&self) -> u64 {
        let divisions = if self.is_timer_2 { DIVISIONS_OF_TIMER_2 } else { DIVISIONS };
        divisions[usize::from(self.control[1] & 7)]
    }

    /// COMnx1:0 of an output.
    fn output_bits(&self, output: usize) -> u8 {
        self.control[0] >> (6 - 2 * output) & 3
    }

    /// Its outputs by their numbers.
    fn channels(&self) -> std::ops::Range<usize> {
        0..usize::from(self.channels)
    }

    /// What they are compared with.
    fn compares(&self) -> &[u16] {
        &self.compare[self.channels()]
    }

    fn has_output(&self, output: usize) -> bool {
        self.mode().at_match(output, self.output_bits(output), true).is_some()
    }

    /// Which outputs are the timer's, and their levels, a bit each.
    pub(crate) fn outputs(&self) -> (u8, u8) {
        self.channels().filter(|&output| self.has_output(output)).fold((0, 0), |(mask, levels), output| {
            (mask | 1 << output, levels | u8::from(self.outputs[output]) << output)
        })
    }

    /// Capture, compare A to C, and overflow, as interrupts that are enabled and flagged.
    pub(crate) fn interrupts(&self) -> [bool; 5] {
        FLAGS.map(|flag| self.flags & self.enabled & flag != 0)
    }

    /// Whether one of those is flagged, enabled or not.
    pub(crate) fn flagged(&self, which: u8) -> bool {
        self.flags & FLAGS[usize::from(which)] != 0
    }

    /// Somebody beside the interrupts waits for its flags, or does no longer.
    pub(crate) fn watch(&mut self, is_watched: bool) {
        self.is_watched = is_watched;
    }

    /// A handler is entered, by its place among [`Self::interrupts`], which clears the flag.
    pub(crate) fn acknowledge(&mut self, which: u8) {
        self.flags &= !FLAGS[usize::from(which)];
    }

    pub(crate) fn reset_prescaler(&mut self, cycle: u64) {
        self.advance(cycle);
        self.zero = cycle;
    }

    /// PRRn stops its clock, or starts it again. The prescaler runs on: it is not this timer's alone.
    pub(crate) fn switch_clock(&mut self, stops: bool, cycle: u64) {
        self.advance(cycle);
        self.is_stopped = stops;
    }

    /// Time in which its clock stood still.
    pub(crate) fn stand_still(&mut self, cycles: u64) {
        self.last += cycles;
        self.zero += cycles;
    }

    /// When an interrupt, a trigger or an output is due next.
    pub(crate) fn next(&self) -> u64 {
        let division = self.division();
        let is_awaited = self.enabled != 0 || self.is_watched;
        let matters = is_awaited || self.channels().any(|output| self.has_output(output));
        if division == 0 || !matters {
            return NEVER;
        }
        let ticks = if self.is_blocked { 1 } else { self.ticks_to_change() };
        let ticked = (self.last - self.zero) / division;
        self.zero + (ticked + ticks) * division
    }

    /// Counts up to a cycle; what a read in that cycle sees is so from then on.
    pub(crate) fn advance(&mut self, cycle: u64) {
        let division = self.division();
        if cycle <= self.last {
            return;
        }
        let ticked = |cycle: u64| (cycle - self.zero).checked_div(division).filter(|_| !self.is_stopped);
        if let (Some(before), Some(now)) = (ticked(self.last), ticked(cycle)) {
            self.count_ticks(now - before);
        }
        self.last = cycle;
    }

    /// A clock edge at the pin Tn.
    pub(crate) fn clock_pin(&mut self, rises: bool) {
        let select = self.control[1] & 7;
        if !self.is_timer_2 && !self.is_stopped && select == if rises { RISING_PIN } else { FALLING_PIN } {
            self.count_ticks(1);
        }
    }

    /// An edge at the pin ICPn.
    pub(crate) fn capture_pin(&mut self, rises: bool) {
        if !self.is_stopped && rises == has(self.control[1], 6) && self.mode().top != Top::Capture {
            self.capture = self.count;
            self.flags |= ICF;
        }
    }

    fn count_ticks(&mut self, mut ticks: u64) {
        if ticks > 0 && std::mem::take(&mut self.is_blocked) {
            self.tick(false);
            ticks -= 1;
        }
        while ticks > 0 {
            let jump = self.ticks_to_change();
            if ticks < jump {
                self.count =
                    if self.counts_up { self.count + ticks as u16 } else { self.count - ticks as u16 };
                return;
            }
            ticks -= jump;
            let plain = (jump - 1) as u16;
            self.count = if self.counts_up { self.count + plain } else { self.count - plain };
            self.tick(true);
        }
    }

    /// The value after which it counts no further up.
    fn turns_at(&self) -> u16 {
        let top = self.top();
        if self.count <= top { top } else { self.max() }
    }

    /// Ticks until it leaves a value at which something happens.
    fn ticks_to_change(&self) -> u64 {
        let count = self.count;
        let distance = if self.counts_up {
            let end = self.turns_at();
            let matches = self.compares().iter().filter(|&&value| value >= count && value < end);
            matches.copied().min().unwrap_or(end) - count
        } else {
            let matches = self.compares().iter().filter(|&&value| value <= count);
            count - matches.copied().max().unwrap_or(0)
        };
        u64::from(distance) + 1
    }

    /// Leaves its value. An output of phase correct PWM acts by the direction in which the counter leaves: downwards from TOP, and
    /// upwards from BOTTOM.
    fn tick(&mut self, may_match: bool) {
        let mode = self.mode();
        let top = self.top();
        let at_top = self.counts_up && self.count == self.turns_at();
        let at_bottom = !self.counts_up && self.count == 0;
        if matches!(mode.kind, Kind::Phase { .. }) {
            self.counts_up = (self.counts_up || at_bottom) && !at_top;
        }
        for output in self.channels().filter(|_| may_match) {
            if self.compare[output] == self.count {
                self.flags |= OCF[output];
                self.act(output, mode);
            }
        }
        if at_top && mode.top == Top::Capture && self.count == top {
            self.flags |= ICF;
        }
        match mode.kind {
            Kind::Phase { frequency } => self.tick_phase(mode, frequency, at_top, at_bottom),
            kind if at_top => {
                self.flags |= if kind == Kind::Fast || self.count == self.max() { TOV } else { 0 };
                self.count = 0;
                if kind == Kind::Fast {
                    self.compare = self.buffered;
                    self.act_at_bottom(mode);
                }
            }
            _ => self.count += 1,
        }
    }

    fn tick_phase(&mut self, mode: Mode, frequency: bool, at_top: bool, at_bottom: bool) {
        self.flags |= if at_bottom { TOV } else { 0 };
        let is_update = if frequency { at_bottom } else { at_top };
        if is_update {
            self.compare = self.buffered;
        }
        if at_top || at_bottom {
            self.act_at_turn(mode);
        }
        self.count = match (self.counts_up, at_bottom) {
            (true, true) => 1.min(self.top()),
            (true, false) => self.count + 1,
            (false, _) => self.count.saturating_sub(1),
        };
    }

    /// Where the counter turns, OCRn that are new there count already. TOP lies behind the match of any smaller OCR, with or without
    /// such a match ("Phase Correct PWM Mode": cases of a transition without compare match).
    fn act_at_turn(&mut self, mode: Mode) {
        for output in self.channels() {
            let direction = match self.compare[output].cmp(&self.count) {
                Ordering::Less => Some(true),
                Ordering::Equal => Some(self.counts_up),
                Ordering::Greater => None,
            };
            let action = direction.and_then(|up| mode.at_match(output, self.output_bits(output), up));
            if let Some(action) = action.filter(|action| *action != Action::Toggle) {
                self.outputs[output] = action.on(self.outputs[output]);
            }
        }
    }

    fn act(&mut self, output: usize, mode: Mode) {
        if let Some(action) = mode.at_match(output, self.output_bits(output), self.counts_up) {
            self.outputs[output] = action.on(self.outputs[output]);
        }
    }

    fn act_at_bottom(&mut self, mode: Mode) {
        for output in self.channels() {
            if let Some(action) = mode.at_bottom(self.output_bits(output)) {
                self.outputs[output] = action.on(self.outputs[output]);
            }
        }
    }
}
