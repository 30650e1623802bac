//! A timer that takes a step in every cycle and knows nothing of batches, from what the datasheet says of each mode ("Modes of
//! Operation" and "Timer/Counter Timing Diagrams" of the 8-bit and the 16-bit timers).

use super::{ICF, OCF, TOV};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wave {
    /// Normal mode, and clear timer on compare match.
    Counting,
    Fast,
    Phase,
    PhaseAndFrequency,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Top {
    Is(u16),
    Ocra,
    Icr,
}

/// By WGMn2:0 of a timer of 8 bits; the reserved ones count.
const NARROW: [(Wave, Top); 8] = [
    (Wave::Counting, Top::Is(0xff)),
    (Wave::Phase, Top::Is(0xff)),
    (Wave::Counting, Top::Ocra),
    (Wave::Fast, Top::Is(0xff)),
    (Wave::Counting, Top::Is(0xff)),
    (Wave::Phase, Top::Ocra),
    (Wave::Counting, Top::Is(0xff)),
    (Wave::Fast, Top::Ocra),
];

/// By WGMn3:0 of a timer of 16 bits.
const WIDE: [(Wave, Top); 16] = [
    (Wave::Counting, Top::Is(0xffff)),
    (Wave::Phase, Top::Is(0xff)),
    (Wave::Phase, Top::Is(0x1ff)),
    (Wave::Phase, Top::Is(0x3ff)),
    (Wave::Counting, Top::Ocra),
    (Wave::Fast, Top::Is(0xff)),
    (Wave::Fast, Top::Is(0x1ff)),
    (Wave::Fast, Top::Is(0x3ff)),
    (Wave::PhaseAndFrequency, Top::Icr),
    (Wave::PhaseAndFrequency, Top::Ocra),
    (Wave::Phase, Top::Icr),
    (Wave::Phase, Top::Ocra),
    (Wave::Counting, Top::Icr),
    (Wave::Counting, Top::Is(0xffff)),
    (Wave::Fast, Top::Icr),
    (Wave::Fast, Top::Ocra),
];

/// The modes of a timer, by WGMn.
pub(super) fn modes(wide: bool) -> &'static [(Wave, Top)] {
    if wide { &WIDE } else { &NARROW }
}

/// Its registers and outputs. OCRn that are in force differ in PWM modes from those that were written.
#[derive(Debug)]
pub(super) struct Reference {
    wave: Wave,
    top: Top,
    /// COMnx1:0.
    pub(super) com: [u8; 3],
    /// How many cycles the timer's clock takes, 0 for none.
    pub(super) division: u64,
    pub(super) tcnt: u16,
    pub(super) icr: u16,
    pub(super) flags: u8,
    pub(super) levels: [bool; 3],
    channels: usize,
    max: u16,
    ocr: [u16; 3],
    written: [u16; 3],
    down: bool,
    /// TCNTn was written: no match in the next clock.
    blocked: bool,
    cycles: u64,
}

impl Reference {
    pub(super) fn new(wide: bool, channels: usize) -> Self {
        Self {
            wave: Wave::Counting,
            top: Top::Is(if wide { 0xffff } else { 0xff }),
            com: [0; 3],
            division: 0,
            tcnt: 0,
            icr: 0,
            flags: 0,
            levels: [false; 3],
            channels,
            max: if wide { 0xffff } else { 0xff },
            ocr: [0; 3],
            written: [0; 3],
            down: false,
            blocked: false,
            cycles: 0,
        }
    }

    pub(super) fn set_mode(&mut self, wave: Wave, top: Top) {
        (self.wave, self.top) = (wave, top);
        self.down &= matches!(wave, Wave::Phase | Wave::PhaseAndFrequency);
        self.skip_buffers();
    }

    /// "When using fixed TOP values, the unused bits are masked to zero when any of the OCRnx Registers are written."
    pub(super) fn write_ocr(&mut self, channel: usize, value: u16) {
        self.written[channel] = match (self.wave, self.top) {
            (Wave::Fast | Wave::Phase, Top::Is(top)) => value & top,
            _ => value,
        };
        self.skip_buffers();
    }

    /// "The double buffering is disabled" in the modes that are no PWM.
    fn skip_buffers(&mut self) {
        if self.wave == Wave::Counting {
            self.ocr = self.written;
        }
    }

    pub(super) fn write_tcnt(&mut self, value: u16) {
        (self.tcnt, self.blocked) = (value, true);
    }

    /// TOP that is in force.
    pub(super) fn top(&self) -> u16 {
        match self.top {
            Top::Is(top) => top,
            Top::Ocra => self.ocr[0],
            Top::Icr => self.icr,
        }
    }

    /// OCnA toggles on a match in PWM modes where OCRnA is TOP, and in fast PWM with ICRn; the other outputs are ports then.
    pub(super) fn is_connected(&self, channel: usize) -> bool {
        let toggles_a = self.top == Top::Ocra || (self.wave, self.top) == (Wave::Fast, Top::Icr);
        match self.com[channel] {
            _ if channel >= self.channels => false,
            0 => false,
            1 => self.wave == Wave::Counting || channel == 0 && toggles_a,
            _ => true,
        }
    }

    pub(super) fn cycle(&mut self) {
        self.cycles += 1;
        if self.division > 0 && self.cycles.is_multiple_of(self.division) {
            self.clock();
        }
    }

    /// The counter leaves its value, with the flags and the outputs that belong to it.
    fn clock(&mut self) {
        let (value, top, blocked) = (self.tcnt, self.top(), std::mem::take(&mut self.blocked));
        let matched =
            [0, 1, 2].map(|channel| channel < self.channels && self.ocr[channel] == value && !blocked);
        let ends = !self.down && value == if value <= top { top } else { self.max };
        for channel in (0..3).filter(|channel| matched[*channel]) {
            self.flags |= OCF[channel];
            if self.com[channel] == 1 && self.is_connected(channel) {
                self.levels[channel] = !self.levels[channel];
            }
        }
        self.flags |= if ends && self.top == Top::Icr && value == top { ICF } else { 0 };
        match self.wave {
            Wave::Counting => {
                self.set(|channel| matched[channel].then_some(false));
                self.flags |= if ends && value == self.max { TOV } else { 0 };
                self.tcnt = if ends { 0 } else { value + 1 };
            }
            Wave::Fast => {
                self.set(|channel| matched[channel].then_some(false));
                self.tcnt = if ends { 0 } else { value + 1 };
                if ends {
                    self.flags |= TOV;
                    self.ocr = self.written;
                    self.set(|_| Some(true));
                }
            }
            Wave::Phase | Wave::PhaseAndFrequency => self.clock_phase(value, ends, matched),
        }
    }

    fn clock_phase(&mut self, value: u16, ends: bool, matched: [bool; 3]) {
        let begins = self.down && value == 0;
        self.down = (self.down || ends) && !begins;
        let down = self.down;
        self.set(|channel| matched[channel].then_some(down));
        self.flags |= if begins { TOV } else { 0 };
        if ends && self.wave == Wave::Phase || begins && self.wave == Wave::PhaseAndFrequency {
            self.ocr = self.written;
        }
        let ocr = self.ocr;
        if ends {
            // "The OCnx value at MAX must correspond to the result of an up-counting compare match", but TOP is "continuously high".
            self.set(|channel| (ocr[channel] <= value).then_some(ocr[channel] == value));
        }
        if begins {
            // BOTTOM is "continuously low".
            self.set(|channel| (ocr[channel] == 0).then_some(false));
        }
        let next = if self.down { value.saturating_sub(1) } else { value + 1 };
        self.tcnt = if begins { next.min(self.top()) } else { next };
    }

    /// Gives the outputs that are cleared and set a level as non-inverting PWM has it; inverting PWM has the opposite. A match
    /// clears with COMnx1:0 = 2 and sets with 3 in the other modes, too.
    fn set(&mut self, level: impl Fn(usize) -> Option<bool>) {
        for channel in (0..self.channels).filter(|channel| self.com[*channel] >= 2) {
            if let Some(level) = level(channel) {
                self.levels[channel] = level != (self.com[channel] == 3);
            }
        }
    }
}
