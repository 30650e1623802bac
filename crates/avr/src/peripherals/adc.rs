//! The ADC (ATmega328P datasheet, "Analog-to-Digital Converter"): a conversion takes 13 of its clocks, the first one after it was
//! switched on 25, and one that something triggers 13.5. AVCC and AREF are taken to be 5 V, the band gap 1.1 V. What it converts is
//! in `adc_inputs`.
//!
//! Left out: the temperature's scatter between chips, and noise.

use super::adc_inputs::{Selection, selection};
use super::{NEVER, has};

const ADEN: u8 = 7;
const ADSC: u8 = 1 << 6;
const ADATE: u8 = 5;
const ADIF: u8 = 1 << 4;
const ADIE: u8 = 3;
const ADLAR: u8 = 5;
const FIRST_CLOCKS: u64 = 25;
const CLOCKS: u64 = 13;

/// The ADC.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Adc {
    control: [u8; 2],
    select: u8,
    result: u16,
    /// The upper byte, while only the lower one was read.
    is_held: bool,
    ends: u64,
    is_first: bool,
    /// The input and the reference of the conversion.
    sampled: Selection,
}

impl Adc {
    pub(crate) fn new() -> Self {
        Self {
            control: [0; 2],
            select: 0,
            result: 0,
            is_held: false,
            ends: NEVER,
            is_first: true,
            sampled: 0,
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

    fn begin(&mut self, cycle: u64) {
        let clocks = if std::mem::take(&mut self.is_first) { FIRST_CLOCKS } else { CLOCKS };
        self.sampled = selection(self.select, self.control[1]);
        self.ends = cycle + clocks * self.division();
        self.control[0] |= ADSC;
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
        // Free running is the only trigger that is here.
        if has(self.control[0], ADATE) && self.control[1] & 7 == 0 {
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

    pub(crate) fn write(&mut self, register: u8, value: u8, cycle: u64) {
        match register {
            2 => {
                let flag = self.control[0] & !value & ADIF;
                let running = self.control[0] & ADSC;
                let was_on = has(self.control[0], ADEN);
                self.control[0] = value & !(ADIF | ADSC) | flag | running;
                if !has(value, ADEN) {
                    (self.control[0], self.ends, self.is_first) = (self.control[0] & !ADSC, NEVER, true);
                } else if value & ADSC != 0 && self.ends == NEVER {
                    self.is_first |= !was_on;
                    self.begin(cycle + 1);
                }
            }
            3 => self.control[1] = value,
            4 => self.select = value,
            _ => {}
        }
    }
}
