//! The frequency counter FC0 (RP2040 datasheet 2.15.4): counts a clock's edges over an interval of clk_ref. The result
//! is fixed when the count begins; a clock that changes in its middle is not noticed.

use units::Picoseconds;

use super::generators::{ADC, CLOCKS, Inputs, PERI, REF, RTC, SYS, USB};
use crate::frequencies::duration;
use crate::io::Io;

pub(super) const FC0_REF_KHZ: u32 = 0x80;
const FC0_MIN_KHZ: u32 = 0x84;
const FC0_MAX_KHZ: u32 = 0x88;
const FC0_DELAY: u32 = 0x8c;
const FC0_INTERVAL: u32 = 0x90;
const FC0_SRC: u32 = 0x94;
const FC0_STATUS: u32 = 0x98;
pub(super) const FC0_RESULT: u32 = 0x9c;

const STATUS_PASS: u32 = 1 << 0;
const STATUS_DONE: u32 = 1 << 4;
const STATUS_RUNNING: u32 = 1 << 8;
const STATUS_FAIL: u32 = 1 << 16;
const STATUS_SLOW: u32 = 1 << 20;
const STATUS_FAST: u32 = 1 << 24;
const STATUS_DIED: u32 = 1 << 28;
/// REF_KHZ, MIN_KHZ, MAX_KHZ, DELAY, INTERVAL and SRC.
const WRITABLE: [u32; 6] = [0x000f_ffff, 0x01ff_ffff, 0x01ff_ffff, 0x7, 0xf, 0xff];
const AFTER_RESET: [u32; 6] = [0, 0, 0x01ff_ffff, 1, 8, 0];
const RESULT_MAX: u128 = 0x3fff_ffff;
/// The result counts 1/32 kHz.
const RESULT_FRACTION_BITS: u32 = 5;
/// The interval is 2^INTERVAL times 1000/1024 µs, and 2¹⁵ is the longest.
const LONGEST_INTERVAL: u32 = 15;

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct FrequencyCounter {
    registers: [u32; 6],
    result: u32,
    died: bool,
    /// When the count ends; nothing while none was begun.
    done_at: Option<Picoseconds>,
}

impl FrequencyCounter {
    pub(super) fn new() -> Self {
        Self { registers: AFTER_RESET, result: 0, died: false, done_at: None }
    }

    fn register(&self, offset: u32) -> u32 {
        self.registers[((offset - FC0_REF_KHZ) / 4) as usize]
    }

    pub(super) fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            FC0_STATUS => self.status(io),
            FC0_RESULT => self.result,
            _ => self.register(offset),
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, inputs: &Inputs, hz: &[u64; CLOCKS], io: &Io) {
        if matches!(offset, FC0_STATUS | FC0_RESULT) {
            return;
        }
        let n = ((offset - FC0_REF_KHZ) / 4) as usize;
        self.registers[n] = value & WRITABLE[n];
        if offset == FC0_SRC {
            self.begin(inputs, hz, io);
        }
    }

    fn status(&self, io: &Io) -> u32 {
        let Some(done_at) = self.done_at else { return 0 };
        if io.now < done_at {
            return STATUS_RUNNING;
        }
        let khz = self.result >> RESULT_FRACTION_BITS;
        let slow = khz < self.register(FC0_MIN_KHZ);
        let fast = khz > self.register(FC0_MAX_KHZ);
        let verdict = if slow || fast { STATUS_FAIL } else { STATUS_PASS };
        STATUS_DONE
            | verdict
            | (u32::from(slow) * STATUS_SLOW)
            | (u32::from(fast) * STATUS_FAST)
            | (u32::from(self.died) * STATUS_DIED)
    }

    fn begin(&mut self, inputs: &Inputs, hz: &[u64; CLOCKS], io: &Io) {
        let counted_hz = match self.register(FC0_SRC) {
            1 => inputs.pll_sys_hz,
            2 => inputs.pll_usb_hz,
            3 => inputs.rosc_hz,
            4 => inputs.rosc_shifted_hz,
            5 => inputs.xosc_hz,
            6 => inputs.gpin_hz[0],
            7 => inputs.gpin_hz[1],
            8 => hz[REF],
            9 => hz[SYS],
            10 => hz[PERI],
            11 => hz[USB],
            12 => hz[ADC],
            13 => hz[RTC],
            _ => {
                self.done_at = None;
                return;
            }
        };
        let interval = self.register(FC0_INTERVAL);
        let ref_cycles = (u64::from(self.register(FC0_REF_KHZ)) << interval) >> 10;
        let edges = u128::from(counted_hz) * u128::from(ref_cycles) / u128::from(hz[REF].max(1));
        self.result = (edges << (LONGEST_INTERVAL - interval)).min(RESULT_MAX) as u32;
        self.died = counted_hz == 0;
        let cycles = ref_cycles + u64::from(self.register(FC0_DELAY));
        let end = duration(hz[REF], cycles).and_then(|d| io.now.ps().checked_add(d.ps()));
        self.done_at = Some(Picoseconds::new(end.unwrap_or(i64::MAX)));
    }
}
