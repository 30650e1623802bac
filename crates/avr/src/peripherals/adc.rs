//! The ADC (ATmega328P datasheet, "Analog-to-Digital Converter"): a conversion takes 13 of its clocks from a rising edge on, the
//! first one after it was switched on 25. AVCC and AREF are taken to be 5 V, the band gap 1.1 V. What it converts is in
//! `adc_inputs`.
//!
//! The prescaler counts from the moment that the ADC is switched on, or that something triggers a conversion, and its clock first
//! rises half a period later: a conversion that is triggered takes 13.5 clocks in all, and its sample comes after 2 instead of 1.5.
//!
//! Left out: the temperature's scatter between chips, noise, the analog comparator as a trigger, and the time of the sample: an
//! input is read when its conversion ends.

use super::adc_inputs::{Selection, selection};
use super::{NEVER, has};
use crate::chips::sources;

const ADEN: u8 = 7;
const ADSC: u8 = 1 << 6;
const ADATE: u8 = 5;
const ADIF: u8 = 1 << 4;
const ADIE: u8 = 3;
const ADLAR: u8 = 5;
const FIRST_CLOCKS: u64 = 25;
const CLOCKS: u64 = 13;
/// From a trigger to the reset of the prescaler ("three additional CPU clock cycles are used for synchronization logic").
const TRIGGER_CYCLES: u64 = 3;

/// What ADTS2:0 selects to start a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// The end of the one before.
    FreeRunning,
    Comparator,
    /// INTF0.
    External,
    /// A flag of a timer, by its place among [`super::timer::Timer::flagged`].
    Timer(u8, u8),
}

const TRIGGERS: [Trigger; 8] = [
    Trigger::FreeRunning,
    Trigger::Comparator,
    Trigger::External,
    Trigger::Timer(0, sources::COMPARE_A),
    Trigger::Timer(0, sources::OVERFLOW),
    Trigger::Timer(1, sources::COMPARE_A + 1),
    Trigger::Timer(1, sources::OVERFLOW),
    Trigger::Timer(1, sources::CAPTURE),
];

/// The ADC.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Adc {
    control: [u8; 2],
    select: u8,
    result: u16,
    /// The upper byte, while only the lower one was read.
    is_held: bool,
    /// The rising edge with which the conversion starts, and its end.
    starts: u64,
    ends: u64,
    is_first: bool,
    /// The input and the reference of the conversion.
    sampled: Selection,
    /// When the prescaler was last reset.
    zero: u64,
    /// The trigger's level.
    is_triggered: bool,
}

impl Adc {
    pub(crate) fn new() -> Self {
        Self {
            control: [0; 2],
            select: 0,
            result: 0,
            is_held: false,
            starts: 0,
            ends: NEVER,
            is_first: true,
            sampled: 0,
            zero: 0,
            is_triggered: false,
        }
    }

    pub(crate) fn next(&self) -> u64 {
        self.ends
    }

    pub(crate) fn interrupts(&self) -> bool {
        self.control[0] & ADIF != 0 && has(self.control[0], ADIE)
    }

    pub(crate) fn acknowledge(&mut self) {
        self.control[0] &= !ADIF;
    }

    /// Cycles of its clock, while it is on.
    pub(crate) fn clock_division(&self) -> Option<u64> {
        has(self.control[0], ADEN).then(|| self.division())
    }

    /// Cycles of its clock.
    fn division(&self) -> u64 {
        1 << (self.control[0] & 7).max(1)
    }

    /// The next rising edge of its clock after a cycle.
    fn edge_after(&self, cycle: u64) -> u64 {
        let division = self.division();
        let first = self.zero + division / 2;
        match cycle.checked_sub(first) {
            Some(since) => first + (since / division + 1) * division,
            None => first,
        }
    }

    /// A conversion begins with a rising edge. Until then the input and the reference can change.
    fn begin(&mut self, edge: u64) {
        let clocks = if std::mem::take(&mut self.is_first) { FIRST_CLOCKS } else { CLOCKS };
        self.sampled = selection(self.select, self.control[1]);
        self.starts = edge;
        self.ends = edge + clocks * self.division();
        self.control[0] |= ADSC;
    }

    /// The core falls asleep with the clock of the ADC running, which starts a conversion ("ADC Noise Canceler").
    pub(crate) fn fall_asleep(&mut self, cycle: u64) {
        if has(self.control[0], ADEN) && self.ends == NEVER {
            self.begin(self.edge_after(cycle));
        }
    }

    /// Time in which its clock stood still.
    pub(crate) fn stand_still(&mut self, cycles: u64) {
        self.zero += cycles;
        if self.ends != NEVER {
            self.starts += cycles;
            self.ends += cycles;
        }
    }

    /// What triggers conversions, while something may.
    pub(crate) fn trigger(&self) -> Option<Trigger> {
        let waits = has(self.control[0], ADEN) && has(self.control[0], ADATE);
        waits.then(|| TRIGGERS[usize::from(self.control[1] & 7)])
    }

    /// The trigger's level, of which a rising edge starts a conversion where none is under way; whether it did.
    pub(crate) fn see_trigger(&mut self, is_triggered: bool, cycle: u64) -> bool {
        let was_triggered = std::mem::replace(&mut self.is_triggered, is_triggered);
        let starts = is_triggered && !was_triggered && self.ends == NEVER;
        if starts {
            self.zero = cycle + TRIGGER_CYCLES;
            self.begin(self.edge_after(self.zero));
        }
        starts
    }

    /// What a conversion that ends by a cycle had selected.
    pub(crate) fn ending(&self, cycle: u64) -> Option<Selection> {
        (self.ends <= cycle).then_some(self.sampled)
    }

    /// A conversion ends with a result.
    pub(crate) fn end(&mut self, result: u16) {
        let at = self.ends;
        self.ends = NEVER;
        if !self.is_held {
            self.result = result;
        }
        self.control[0] = self.control[0] & !ADSC | ADIF;
        if self.trigger() == Some(Trigger::FreeRunning) {
            self.begin(at);
        }
    }

    pub(crate) fn read(&mut self, register: u8) -> u8 {
        let result = if has(self.select, ADLAR) { self.result << 6 } else { self.result };
        match register {
            0 => {
                self.is_held = true;
                result as u8
            }
            1 => {
                self.is_held = false;
                (result >> 8) as u8
            }
            2 | 3 => self.control[usize::from(register - 2)],
            _ => self.select,
        }
    }

    /// Writes a register in a cycle, with the effect from the next one on.
    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) {
        match register {
            2 => self.write_control(value, cycle + 1),
            3 => self.control[1] = value,
            4 => self.select = value,
            _ => {}
        }
        if cycle + 1 < self.starts {
            self.sampled = selection(self.select, self.control[1]);
        }
    }

    fn write_control(&mut self, value: u8, cycle: u64) {
        let flag = self.control[0] & !value & ADIF;
        let running = self.control[0] & ADSC;
        let was_on = has(self.control[0], ADEN);
        self.control[0] = value & !(ADIF | ADSC) | flag | running;
        if !has(value, ADEN) {
            (self.control[0], self.ends, self.is_first) = (self.control[0] & !ADSC, NEVER, true);
            return;
        }
        if !was_on {
            (self.zero, self.is_first) = (cycle, true);
        }
        if value & ADSC != 0 && self.ends == NEVER {
            self.begin(self.edge_after(cycle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ON: u8 = 1 << ADEN;
    const AUTO: u8 = 1 << ADATE;
    const BY_128: u8 = 7;
    const BY_16: u8 = 4;

    /// An ADC that is switched on at cycle 1, with its first conversion over, and the end of that.
    fn used(control: u8, control_b: u8) -> (Adc, u64) {
        let mut adc = Adc::new();
        adc.write(3, control_b, 0);
        adc.write(2, ON | ADSC | control, 0);
        let end = adc.next();
        adc.end(0);
        (adc, end)
    }

    #[test]
    fn the_first_conversion_takes_25_clocks_from_the_first_rising_edge() {
        assert_eq!(used(BY_16, 0).1, 1 + 8 + 25 * 16);
        assert_eq!(used(BY_128, 0).1, 1 + 64 + 25 * 128);
    }

    #[test]
    fn a_conversion_takes_13_clocks_from_the_next_rising_edge() {
        let (adc, end) = used(BY_128, 0);
        // An end is an edge, too. What is written in a cycle is there in the next.
        for (written, edge) in
            [(end - 1, end + 128), (end, end + 128), (end + 126, end + 128), (end + 127, end + 256)]
        {
            let mut adc = adc.clone();
            adc.write(2, ON | ADSC | BY_128, written);
            assert_eq!(adc.next(), edge + 13 * 128, "written {} after the end", written - end + 1);
        }
    }

    #[test]
    fn free_running_conversions_follow_each_other_without_a_gap() {
        let (mut adc, end) = used(AUTO | BY_16, 0);
        assert_eq!(adc.next(), end + 13 * 16);
        adc.end(0);
        assert_eq!(adc.next(), end + 2 * 13 * 16);
    }

    #[test]
    fn a_trigger_starts_a_conversion_of_13_clocks_and_a_half_by_its_edge() {
        let (mut adc, end) = used(AUTO | BY_16, 3);
        assert_eq!(adc.next(), NEVER);
        assert!(adc.see_trigger(true, end + 5));
        assert_eq!(adc.next(), end + 5 + 3 + 13 * 16 + 8);
        // An edge while one is under way counts for nothing, nor does a level.
        assert!(!adc.see_trigger(false, end + 20) && !adc.see_trigger(true, end + 30));
        adc.end(0);
        assert!(!adc.see_trigger(true, end + 400));
        assert!(!adc.see_trigger(false, end + 410) && adc.see_trigger(true, end + 420));
    }

    #[test]
    fn the_input_can_be_changed_until_the_conversion_starts() {
        let (mut adc, end) = used(BY_128, 0);
        adc.write(2, ON | ADSC | BY_128, end);
        adc.write(4, 3, end + 126);
        adc.write(4, 5, end + 127);
        assert_eq!(adc.ending(adc.next()), Some(selection(3, 0)));
    }

    #[test]
    fn a_sleep_starts_a_conversion_where_the_adc_is_on_and_none_is_under_way() {
        let mut off = Adc::new();
        off.fall_asleep(10);
        assert_eq!(off.next(), NEVER);
        let (mut adc, end) = used(BY_16, 0);
        adc.fall_asleep(end + 5);
        assert_eq!(adc.next(), end + 16 + 13 * 16);
        adc.fall_asleep(end + 50);
        assert_eq!(adc.next(), end + 16 + 13 * 16);
    }

    #[test]
    fn a_conversion_waits_while_its_clock_stands_still() {
        let (mut adc, end) = used(BY_16, 0);
        adc.fall_asleep(end + 5);
        adc.stand_still(1000);
        assert_eq!(adc.next(), end + 16 + 13 * 16 + 1000);
    }
}
