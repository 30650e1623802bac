//! A timer of 8 or 16 bits (ATmega328P datasheet, "8-bit Timer/Counter0 with PWM" and "16-bit Timer/Counter1 with PWM"): all
//! modes, outputs, capture, and the flags at the timer clock that the datasheet's timing diagrams show, which is when the
//! counter leaves the value that matches. It counts only when somebody looks, or when an interrupt or an output is due.
//!
//! Left out: the asynchronous clock of timer 2, the hold of the prescaler by GTCCR.TSM, and the noise canceler of captures.

mod mode;
#[cfg(test)]
mod tests;

use mode::{Kind, Mode, OF_8_BITS, OF_16_BITS, Top};

use super::{NEVER, has};

/// TOVn, OCFnA to OCFnC and ICFn in TIFRn; their enables stand at the same bits of TIMSKn.
const TOV: u8 = 1 << 0;
const OCF: [u8; 3] = [1 << 1, 1 << 2, 1 << 3];
const ICF: u8 = 1 << 5;

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
    /// No match in the timer clock after TCNTn was written.
    is_blocked: bool,
    outputs: [bool; 3],
    /// The cycle that `count` is of.
    last: u64,
    /// When the prescaler was last reset.
    zero: u64,
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
            is_blocked: false,
            outputs: [false; 3],
            last: 0,
            zero: 0,
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
        let on = self.flags & self.enabled;
        [on & ICF != 0, on & OCF[0] != 0, on & OCF[1] != 0, on & OCF[2] != 0, on & TOV != 0]
    }

    /// A handler is entered, by its place among [`Self::interrupts`], which clears the flag.
    pub(crate) fn acknowledge(&mut self, which: u8) {
        self.flags &= ![ICF, OCF[0], OCF[1], OCF[2], TOV][usize::from(which)];
    }

    pub(crate) fn reset_prescaler(&mut self, cycle: u64) {
        self.advance(cycle);
        self.zero = cycle;
    }

    /// Time in which its clock stood still.
    pub(crate) fn stand_still(&mut self, cycles: u64) {
        self.last += cycles;
        self.zero += cycles;
    }

    /// When an interrupt or an output is due next.
    pub(crate) fn next(&self) -> u64 {
        let division = self.division();
        let matters = self.enabled != 0 || self.channels().any(|output| self.has_output(output));
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
        let ticked = |cycle: u64| (cycle - self.zero).checked_div(division);
        if let (Some(before), Some(now)) = (ticked(self.last), ticked(cycle)) {
            self.count_ticks(now - before);
        }
        self.last = cycle;
    }

    /// A clock edge at the pin Tn.
    pub(crate) fn clock_pin(&mut self, rises: bool) {
        let select = self.control[1] & 7;
        if !self.is_timer_2 && select == if rises { RISING_PIN } else { FALLING_PIN } {
            self.count_ticks(1);
        }
    }

    /// An edge at the pin ICPn.
    pub(crate) fn capture_pin(&mut self, rises: bool) {
        if rises == has(self.control[1], 6) && self.mode().top != Top::Capture {
            self.capture = self.count;
            self.flags |= ICF;
        }
    }

    fn count_ticks(&mut self, mut ticks: u64) {
        if ticks > 0 && std::mem::take(&mut self.is_blocked) {
            let flags = self.flags;
            self.tick();
            self.flags = flags | self.flags & TOV;
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
            self.tick();
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
            let matches = self.compares().iter().filter(|&&value| value <= count && value > 1);
            count - matches.copied().max().unwrap_or(if count > 0 { 1 } else { 0 })
        };
        u64::from(distance) + 1
    }

    /// Leaves its value.
    fn tick(&mut self) {
        let mode = self.mode();
        for output in self.channels() {
            if self.compare[output] == self.count {
                self.flags |= OCF[output];
                self.act(output, mode);
            }
        }
        let turns = self.counts_up && self.count == self.turns_at();
        match mode.kind {
            Kind::Phase { frequency } => self.tick_phase(mode, turns, frequency),
            kind if turns => {
                self.flags |= if kind == Kind::Fast || self.count == self.max() { TOV } else { 0 };
                self.flags |= if mode.top == Top::Capture { ICF } else { 0 };
                self.count = 0;
                if kind == Kind::Fast {
                    self.compare = self.buffered;
                    self.act_at_bottom(mode);
                }
            }
            _ => self.count += 1,
        }
    }

    fn tick_phase(&mut self, mode: Mode, turns: bool, frequency: bool) {
        if turns {
            self.flags |= if mode.top == Top::Capture { ICF } else { 0 };
            self.counts_up = false;
            if !frequency {
                self.compare = self.buffered;
            }
            self.count = self.count.saturating_sub(1);
        } else if self.counts_up {
            self.count += 1;
        } else if self.count == 0 {
            self.counts_up = true;
            self.count = 1.min(self.top());
        } else {
            self.count -= 1;
        }
        if self.count == 0 && !self.counts_up {
            self.flags |= TOV;
            if frequency {
                self.compare = self.buffered;
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

    pub(crate) fn flags(&mut self, cycle: u64) -> u8 {
        self.advance(cycle);
        self.flags
    }

    pub(crate) fn clear_flags(&mut self, flags: u8, cycle: u64) {
        self.advance(cycle);
        self.flags &= !flags;
    }

    pub(crate) fn enabled(&self) -> u8 {
        self.enabled
    }

    pub(crate) fn enable(&mut self, enabled: u8, cycle: u64) {
        self.advance(cycle);
        self.enabled = enabled;
    }

    pub(crate) fn read(&mut self, register: u8, cycle: u64) -> u8 {
        self.advance(cycle);
        if !self.is_wide {
            return match register {
                0 | 1 => self.control[usize::from(register)],
                2 => self.count as u8,
                3 | 4 => self.buffered[usize::from(register - 3)] as u8,
                _ => 0,
            };
        }
        match register {
            0 | 1 => self.control[usize::from(register)],
            // The upper byte of a counter or a capture is kept when the lower one is read; that of OCRn is not.
            4 | 6 => {
                let value = if register == 4 { self.count } else { self.capture };
                self.temp = (value >> 8) as u8;
                value as u8
            }
            5 | 7 => self.temp,
            8..=13 => self.buffered[usize::from(register - 8) / 2].to_le_bytes()[usize::from(register & 1)],
            _ => 0,
        }
    }

    /// Writes a register in a cycle; it counts on from the next one.
    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) {
        self.advance(cycle + 1);
        match register {
            0 | 1 => self.control(register, value),
            _ if !self.is_wide => self.write_narrow(register, value),
            2 => self.force(value >> 5),
            5 | 7 | 9 | 11 | 13 => self.temp = value,
            _ => {
                let value = u16::from_le_bytes([value, self.temp]);
                match register {
                    4 => self.set_count(value),
                    6 => self.capture = value,
                    8 | 10 | 12 => self.set_compare(usize::from(register - 8) / 2, value),
                    _ => {}
                }
            }
        }
    }

    fn write_narrow(&mut self, register: u8, value: u8) {
        match register {
            2 => self.set_count(value.into()),
            3 | 4 => self.set_compare(usize::from(register - 3), value.into()),
            _ => {}
        }
    }

    fn control(&mut self, register: u8, value: u8) {
        self.control[usize::from(register)] =
            if self.is_wide || register == 0 { value } else { value & 0x0f };
        if !matches!(self.mode().kind, Kind::Phase { .. }) {
            self.counts_up = true;
        }
        if self.mode().kind == Kind::Plain {
            self.compare = self.buffered;
        }
        if !self.is_wide && register == 1 {
            self.force((value >> 7 & 1) << 2 | (value >> 6 & 1) << 1);
        }
    }

    /// FOCnA to FOCnC, from bit 2 down: the output acts as at a match, in the modes that are no PWM.
    fn force(&mut self, outputs: u8) {
        let mode = self.mode();
        for output in
            self.channels().filter(|output| mode.kind == Kind::Plain && has(outputs, 2 - *output as u8))
        {
            self.act(output, mode);
        }
    }

    fn set_count(&mut self, value: u16) {
        self.count = value;
        self.is_blocked = true;
    }

    fn set_compare(&mut self, output: usize, value: u16) {
        self.buffered[output] = value;
        if self.mode().kind == Kind::Plain {
            self.compare[output] = value;
        }
    }
}
