//! SysTick: a 24-bit counter that counts down to zero and starts again (ARMv6-M Architecture Reference Manual B3.3). It is
//! never stepped: the cycle of its next zero is known, and its value follows from that.

/// SYST_CALIB of the RP2040: 10,000 µs of a 1 µs reference, no skew known.
pub(crate) const CALIBRATION: u32 = 0xc000_2710 & 0x00ff_ffff | 1 << 30;
const MASK: u32 = 0xff_ffff;
const ENABLE: u32 = 1;
const INTERRUPT: u32 = 2;
const PROCESSOR_CLOCK: u32 = 4;
const COUNTFLAG: u32 = 1 << 16;

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct SysTick {
    control: u32,
    reload: u32,
    /// The value while it stands still.
    stopped_at: u32,
    /// The cycle at which it is zero next, as of the last change.
    zero: u64,
    /// Reading COUNTFLAG at this cycle or later shows zeros after it.
    flag_from: u64,
    /// Cycles of clk_sys in one step of the reference clock.
    pub(crate) reference_cycles: u64,
}

impl Default for SysTick {
    fn default() -> Self {
        Self { control: 0, reload: 0, stopped_at: 0, zero: 0, flag_from: 0, reference_cycles: 1 }
    }
}

impl SysTick {
    fn running(&self) -> bool {
        self.control & ENABLE != 0 && (self.reload != 0 || self.zero > self.flag_from)
    }

    fn step_cycles(&self) -> u64 {
        if self.control & PROCESSOR_CLOCK != 0 { 1 } else { self.reference_cycles.max(1) }
    }

    fn period_cycles(&self) -> u64 {
        (u64::from(self.reload) + 1) * self.step_cycles()
    }

    /// The first zero at `cycle` or later.
    fn zero_from(&self, cycle: u64) -> u64 {
        if cycle <= self.zero || self.reload == 0 {
            return self.zero;
        }
        self.zero + (cycle - self.zero).div_ceil(self.period_cycles()) * self.period_cycles()
    }

    pub(crate) fn value(&self, cycle: u64) -> u32 {
        if !self.running() {
            return self.stopped_at;
        }
        let left = self.zero_from(cycle).saturating_sub(cycle) / self.step_cycles();
        left as u32 & MASK
    }

    /// The cycle of the next interrupt after `cycle`; nothing when it is off.
    pub(crate) fn next_interrupt(&self, cycle: u64) -> Option<u64> {
        let on = self.running() && self.control & INTERRUPT != 0;
        on.then(|| self.zero_from(cycle + 1)).filter(|&zero| zero > cycle)
    }

    pub(crate) fn reload(&self) -> u32 {
        self.reload
    }

    pub(crate) fn peek_control(&self, cycle: u64) -> u32 {
        let passed = self.running() && {
            let first = self.zero_from(self.flag_from + 1);
            first > self.flag_from && first <= cycle
        };
        self.control | if passed { COUNTFLAG } else { 0 }
    }

    /// The cycle from which on SYST_CSR shows that the counter has passed zero; nothing where it does so already.
    pub(crate) fn passes_zero_at(&self, cycle: u64) -> Option<u64> {
        if self.peek_control(cycle) & COUNTFLAG != 0 {
            return None;
        }
        let first = if self.running() { self.zero_from(self.flag_from + 1) } else { 0 };
        Some(if first > self.flag_from { first } else { u64::MAX })
    }

    pub(crate) fn read_control(&mut self, cycle: u64) -> u32 {
        let control = self.peek_control(cycle);
        self.settle(cycle);
        self.flag_from = cycle;
        control
    }

    pub(crate) fn write_control(&mut self, value: u32, cycle: u64) {
        let now = self.value(cycle);
        let was_on = self.control & ENABLE != 0;
        self.control = value & (ENABLE | INTERRUPT | PROCESSOR_CLOCK);
        if self.control & ENABLE == 0 {
            self.stopped_at = now;
        } else if !was_on {
            self.start(now, cycle);
        }
    }

    pub(crate) fn write_reload(&mut self, value: u32, cycle: u64) {
        self.settle(cycle);
        self.reload = value & MASK;
    }

    /// Any write clears the counter and COUNTFLAG.
    pub(crate) fn write_value(&mut self, cycle: u64) {
        self.stopped_at = 0;
        self.flag_from = cycle;
        if self.control & ENABLE != 0 {
            self.start(0, cycle);
        }
    }

    fn start(&mut self, value: u32, cycle: u64) {
        let steps = if value == 0 { u64::from(self.reload) + 1 } else { u64::from(value) };
        self.zero = cycle + steps * self.step_cycles();
        self.flag_from = cycle;
    }

    /// Makes `zero` the next zero, so that another reload value counts from there on only.
    fn settle(&mut self, cycle: u64) {
        if self.running() {
            self.zero = self.zero_from(cycle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(reload: u32) -> SysTick {
        let mut systick = SysTick::default();
        systick.write_reload(reload, 0);
        systick.write_value(0);
        systick.write_control(ENABLE | INTERRUPT | PROCESSOR_CLOCK, 0);
        systick
    }

    #[test]
    fn it_counts_down_to_zero_and_starts_again_one_step_later() {
        let systick = counting(9);
        let values: Vec<u32> = (1..=12).map(|cycle| systick.value(cycle)).collect();
        assert_eq!(values, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 9, 8]);
        assert_eq!(systick.next_interrupt(0), Some(10));
        assert_eq!(systick.next_interrupt(10), Some(20));
    }

    #[test]
    fn the_count_flag_shows_once_that_zero_was_passed() {
        let mut systick = counting(9);
        assert_eq!(systick.read_control(9) & COUNTFLAG, 0);
        assert_eq!(systick.read_control(10) & COUNTFLAG, COUNTFLAG);
        assert_eq!(systick.read_control(11) & COUNTFLAG, 0);
        assert_eq!(systick.read_control(21) & COUNTFLAG, COUNTFLAG);
    }

    #[test]
    fn a_new_reload_value_counts_from_the_next_zero_on() {
        let mut systick = counting(9);
        systick.write_reload(99, 5);
        assert_eq!(systick.value(9), 1);
        assert_eq!(systick.next_interrupt(9), Some(10));
        assert_eq!(systick.value(11), 99);
        assert_eq!(systick.next_interrupt(10), Some(110));
    }

    #[test]
    fn it_stands_still_while_it_is_off() {
        let mut systick = counting(99);
        systick.write_control(0, 40);
        assert_eq!(systick.value(1000), 60);
        systick.write_control(ENABLE | PROCESSOR_CLOCK, 1000);
        assert_eq!(systick.value(1010), 50);
        assert_eq!(systick.next_interrupt(1010), None);
    }
}
