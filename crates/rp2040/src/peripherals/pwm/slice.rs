//! A PWM slice: a counter behind a fractional divider, two compare levels, and when the next thing about it can be seen.
//! It counts on an axis of its own: cycles of clk_sys while it runs free, cycles with a high input while it is gated,
//! edges of the input while it counts those.

use crate::peripherals::pio::divider::Divider;

/// An event that never comes.
pub(super) const NEVER: u64 = u64::MAX;

const CSR_EN: u32 = 1 << 0;
const CSR_PH_CORRECT: u32 = 1 << 1;
const CSR_A_INV: u32 = 1 << 2;
const CSR_B_INV: u32 = 1 << 3;
const CSR_PH_RET: u32 = 1 << 6;
const CSR_PH_ADV: u32 = 1 << 7;
const CSR_BITS: u32 = 0x3f;
const DIV_RESET: u32 = 1 << 4;
const DIV_BITS: u32 = 0xfff;
const TOP_RESET: u32 = 0xffff;

/// What makes the counter count (DIVMODE).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Mode {
    Free,
    Gated,
    Rising,
    Falling,
}

/// One of the eight slices.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) struct Slice {
    pub(super) csr: u32,
    pub(super) div: u32,
    pub(super) cc: u32,
    pub(super) top: u32,
    /// The copies of CC and TOP that count, taken at a wrap.
    levels: [u32; 2],
    limit: u32,
    counter: u32,
    down: bool,
    divider: Divider,
    /// The place on the axis at the edge of cycle `since`.
    axis: u64,
    since: u64,
    input: bool,
    /// The cycle in which an output or the wrap is due.
    pub(super) event: u64,
}

impl Slice {
    /// The state after reset.
    pub(super) fn new() -> Self {
        Self {
            csr: 0,
            div: DIV_RESET,
            cc: 0,
            top: TOP_RESET,
            levels: [0; 2],
            limit: TOP_RESET,
            counter: 0,
            down: false,
            divider: Divider::new(1),
            axis: 0,
            since: 0,
            input: false,
            event: NEVER,
        }
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.csr & CSR_EN != 0
    }

    pub(super) fn mode(&self) -> Mode {
        match self.csr >> 4 & 3 {
            0 => Mode::Free,
            1 => Mode::Gated,
            2 => Mode::Rising,
            _ => Mode::Falling,
        }
    }

    /// The levels of output A (bit 0) and B (bit 1).
    pub(super) fn outputs(&self) -> u32 {
        let a = (self.counter < self.levels[0]) ^ (self.csr & CSR_A_INV != 0);
        let b = (self.counter < self.levels[1]) ^ (self.csr & CSR_B_INV != 0);
        u32::from(a) | u32::from(b) << 1
    }

    pub(super) fn counter(&self) -> u32 {
        self.counter
    }

    /// The outputs that may change while it counts: A (bit 0) and B (bit 1).
    pub(super) fn moving_outputs(&self) -> u32 {
        if !self.is_settled() {
            return 0b11;
        }
        let [a, b] = self.levels.map(|level| u32::from((1..=self.limit).contains(&level)));
        a | b << 1
    }

    /// Whether it goes through the same period again and again: levels and limit are those that were written last, and the counter
    /// is not above that, from where it would come only once.
    pub(super) fn is_settled(&self) -> bool {
        let latched = self.levels == [self.cc & 0xffff, self.cc >> 16] && self.limit == self.top;
        latched && self.counter <= self.limit
    }

    /// Cycles in a period at the most.
    pub(super) fn period_cycles(&self) -> u64 {
        let ticks = (u64::from(self.limit) + 1) * if self.is_phase_correct() { 2 } else { 1 };
        // Where in a period the fractions make a cycle more is not asked.
        self.divider.after(ticks) - self.divider.next() + 2
    }

    /// Counts up to and including `cycle`; true when the counter wrapped.
    pub(super) fn advance(&mut self, cycle: u64) -> bool {
        self.axis += if self.moves() { cycle.saturating_sub(self.since) } else { 0 };
        self.since = cycle;
        let ticks = self.divider.ticks_through(self.axis);
        self.divider.skip(ticks);
        self.count(ticks)
    }

    /// CSR; true when an advanced phase made the counter wrap.
    pub(super) fn write_csr(&mut self, value: u32) -> bool {
        let was_enabled = self.is_enabled();
        self.csr = value & CSR_BITS;
        if self.csr & CSR_PH_CORRECT == 0 {
            self.down = false;
        }
        if self.is_enabled() && !was_enabled {
            self.divider.restart(self.axis + 1);
        }
        if value & CSR_PH_RET != 0 && self.is_enabled() {
            self.divider.put_off(u64::from(self.whole()));
        }
        value & CSR_PH_ADV != 0 && self.is_enabled() && self.count(1)
    }

    /// EN in the register of all slices.
    pub(super) fn enable(&mut self, enabled: bool) {
        self.write_csr(self.csr & !CSR_EN | if enabled { CSR_EN } else { 0 });
    }

    pub(super) fn write_div(&mut self, value: u32) {
        self.div = value & DIV_BITS;
        self.divider.set(self.whole(), (self.div & 0xf) << 4);
    }

    pub(super) fn write_counter(&mut self, value: u32) {
        self.counter = value & 0xffff;
        self.down = false;
    }

    pub(super) fn write_cc(&mut self, value: u32) {
        self.cc = value;
        self.latch_if_stopped();
    }

    pub(super) fn write_top(&mut self, value: u32) {
        self.top = value & 0xffff;
        self.latch_if_stopped();
    }

    /// The level of input B; true when an edge of it made the counter wrap.
    pub(super) fn set_input(&mut self, level: bool) -> bool {
        let edge = level != self.input;
        self.input = level;
        let counts = match self.mode() {
            Mode::Rising => edge && level,
            Mode::Falling => edge && !level,
            Mode::Free | Mode::Gated => false,
        };
        if !counts || !self.is_enabled() {
            return false;
        }
        self.axis += 1;
        let ticks = self.divider.ticks_through(self.axis);
        self.divider.skip(ticks);
        self.count(ticks)
    }

    /// Computes when the next thing is due.
    pub(super) fn reschedule(&mut self) {
        self.event = if self.moves() {
            let at = self.divider.after(self.ticks_to_event() - 1);
            self.since.saturating_add(at.saturating_sub(self.axis))
        } else {
            NEVER
        };
    }

    fn whole(&self) -> u32 {
        if self.div >> 4 == 0 { 256 } else { self.div >> 4 }
    }

    fn is_phase_correct(&self) -> bool {
        self.csr & CSR_PH_CORRECT != 0
    }

    /// Whether each cycle is a step on the axis.
    fn moves(&self) -> bool {
        self.is_enabled() && (self.mode() == Mode::Free || self.mode() == Mode::Gated && self.input)
    }

    fn latch_if_stopped(&mut self) {
        if !self.is_enabled() {
            self.latch();
        }
    }

    fn latch(&mut self) {
        self.levels = [self.cc & 0xffff, self.cc >> 16];
        self.limit = self.top;
    }

    fn count(&mut self, mut ticks: u64) -> bool {
        let to_wrap = self.ticks_to_wrap();
        if ticks < to_wrap {
            self.walk(ticks as u32);
            return false;
        }
        ticks -= to_wrap;
        (self.counter, self.down) = (0, false);
        self.latch();
        ticks %= self.ticks_to_wrap();
        self.walk(ticks as u32);
        true
    }

    /// Ticks until the counter is at 0 again: after TOP, or with phase correction once it has counted down and stood at
    /// 0 for a tick (RP2040 datasheet 4.5.2.3).
    fn ticks_to_wrap(&self) -> u64 {
        let (counter, limit) = (u64::from(self.counter), u64::from(self.limit));
        let up = limit.saturating_sub(counter) + 1;
        match (self.is_phase_correct(), self.down) {
            (false, _) => up,
            (true, false) => up + limit + 1,
            (true, true) => counter + 1,
        }
    }

    /// Counts fewer ticks than lead to a wrap.
    fn walk(&mut self, ticks: u32) {
        if self.down {
            self.counter -= ticks;
            return;
        }
        let up = self.limit.saturating_sub(self.counter);
        if ticks <= up {
            self.counter += ticks;
        } else {
            self.down = true;
            self.counter = self.limit - (ticks - up - 1);
        }
    }

    fn ticks_to_event(&self) -> u64 {
        let [a, b] = self.levels.map(|level| self.ticks_to_change(level));
        self.ticks_to_wrap().min(a).min(b)
    }

    /// Ticks until the counter crosses a level, before it wraps.
    fn ticks_to_change(&self, level: u32) -> u64 {
        if level == 0 || level > self.limit {
            return NEVER;
        }
        let ticks = match (self.down, self.counter < level) {
            (false, true) => level - self.counter,
            (false, false) if self.is_phase_correct() => {
                self.limit.saturating_sub(self.counter) + 1 + self.limit - (level - 1)
            }
            (true, false) => self.counter - (level - 1),
            _ => return NEVER,
        };
        ticks.into()
    }
}
