//! ADC and temperature sensor (RP2040 datasheet 4.9): conversions of 96 cycles of clk_adc, one by one, back to back or
//! paced by the divider, with round robin, FIFO, interrupt and data request. An input is sampled when its conversion
//! begins.
//!
//! Left out: noise, non-linearity and conversion errors. An input that the board leaves open reads 0 V, an input beyond
//! the fifth too. Without a word from the board the temperature is 27 degrees C.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use units::Picoseconds;

use crate::Io;
use crate::lines::{Dreq, Irq};
use crate::peripherals::pio::divider::Divider;
use crate::peripherals::pio::edges::ClockEdges;
use crate::peripherals::{Peripheral, Source};

const CS: u32 = 0x00;
const RESULT: u32 = 0x04;
const FCS: u32 = 0x08;
const FIFO: u32 = 0x0c;
const DIV: u32 = 0x10;
const INTR: u32 = 0x14;
const INTE: u32 = 0x18;
const INTF: u32 = 0x1c;
const INTS: u32 = 0x20;

const CS_EN: u32 = 1 << 0;
const CS_TS_EN: u32 = 1 << 1;
const CS_START_ONCE: u32 = 1 << 2;
const CS_START_MANY: u32 = 1 << 3;
const CS_READY: u32 = 1 << 8;
const CS_AINSEL: u32 = 7 << 12;
const CS_AINSEL_LOW: u32 = 12;
const CS_RROBIN_LOW: u32 = 16;
const CS_KEPT: u32 = CS_EN | CS_TS_EN | CS_START_MANY | CS_AINSEL | 0x1f << CS_RROBIN_LOW;
const FCS_EN: u32 = 1 << 0;
const FCS_SHIFT: u32 = 1 << 1;
const FCS_DREQ_EN: u32 = 1 << 3;
const FCS_EMPTY: u32 = 1 << 8;
const FCS_FULL: u32 = 1 << 9;
const FCS_UNDER: u32 = 1 << 10;
const FCS_OVER: u32 = 1 << 11;
const FCS_LEVEL_LOW: u32 = 16;
const FCS_THRESH_LOW: u32 = 24;
const FCS_KEPT: u32 = 0xf | 0xf << FCS_THRESH_LOW;

/// RP2040 datasheet 4.9.2.
const CONVERSION_CYCLES: u64 = 96;
const FIFO_SAMPLES: usize = 8;
const CHANNELS: u32 = 5;
const TEMPERATURE_CHANNEL: u32 = 4;
/// What the sensor gives at 27 degrees C (RP2040 datasheet 4.9.5).
const SENSOR_MICROVOLTS: i32 = 706_000;
const REFERENCE_MICROVOLTS: i64 = 3_300_000;
const CODES: i64 = 1 << 12;
/// Cycles of clk_adc are counted from here.
const FIRST_CYCLE: u64 = 16;

#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Conversion {
    end: u64,
    code: u16,
}

/// The ADC block.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Adc {
    cs: u32,
    fcs: u32,
    div: u32,
    result: u16,
    fifo: VecDeque<u16>,
    sticky: u32,
    interrupt_enabled: bool,
    interrupt_forced: bool,
    conversion: Option<Conversion>,
    pace: Divider,
    edges: ClockEdges,
    started: bool,
}

impl Default for Adc {
    fn default() -> Self {
        Self::new()
    }
}

impl Adc {
    /// The block after reset.
    pub fn new() -> Self {
        Self {
            cs: 0,
            fcs: 0,
            div: 0,
            result: 0,
            fifo: VecDeque::with_capacity(FIFO_SAMPLES),
            sticky: 0,
            interrupt_enabled: false,
            interrupt_forced: false,
            conversion: None,
            pace: Divider::new(FIRST_CYCLE),
            edges: ClockEdges::new(0, FIRST_CYCLE, Picoseconds::ZERO),
            started: false,
        }
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(offset: u32) -> u32 {
        if offset == FCS { FCS_UNDER | FCS_OVER } else { 0 }
    }

    /// clk_adc got another frequency, just now.
    pub fn clocks_changed(&mut self, io: &mut Io) {
        if self.started && io.clocks.adc_hz != self.edges.hz() {
            self.edges.retime(io.clocks.adc_hz, io.now);
            self.arm(io);
        }
    }

    fn now(&mut self, io: &mut Io) -> u64 {
        if !self.started {
            self.started = true;
            self.edges = ClockEdges::new(io.clocks.adc_hz, FIRST_CYCLE, io.now);
        }
        self.clocks_changed(io);
        let now = self.edges.cycle_at(io.now);
        self.edges.follow(now);
        now
    }

    fn is_enabled(&self) -> bool {
        self.cs & CS_EN != 0
    }

    fn runs_on(&self) -> bool {
        self.is_enabled() && self.cs & CS_START_MANY != 0
    }

    fn write_cs(&mut self, value: u32, io: &mut Io) {
        let now = self.now(io);
        let ran_on = self.runs_on();
        self.cs = value & CS_KEPT;
        if !self.is_enabled() {
            self.conversion = None;
        } else if self.runs_on() && !ran_on {
            self.pace.restart(now);
            self.begin_if_due(now, io);
        } else if value & CS_START_ONCE != 0 && !self.runs_on() && self.conversion.is_none() {
            self.begin(now, io);
        }
        self.arm(io);
    }

    /// DIV starts its period anew.
    fn write_div(&mut self, value: u32, io: &mut Io) {
        let now = self.now(io);
        self.div = value & 0x00ff_ffff;
        self.pace.set((self.div >> 8) + 1, self.div & 0xff);
        self.pace.restart(now + 1);
        self.arm(io);
    }

    /// The cycle at which the next conversion of a series begins. A period that is shorter than a conversion is as long as
    /// one (pico-sdk, `adc_set_clkdiv` in hardware/adc.h).
    fn next_begin(&self, now: u64) -> u64 {
        if u64::from(self.div >> 8) + 1 < CONVERSION_CYCLES { now } else { self.pace.at_or_after(now) }
    }

    fn begin_if_due(&mut self, now: u64, io: &mut Io) {
        if self.conversion.is_none() && self.runs_on() && self.next_begin(now) <= now {
            self.pace.skip(self.pace.ticks_through(now));
            self.begin(now, io);
        }
    }

    fn begin(&mut self, now: u64, io: &mut Io) {
        let code = self.sample(io);
        self.conversion = Some(Conversion { end: now + CONVERSION_CYCLES, code });
    }

    fn sample(&self, io: &mut Io) -> u16 {
        let channel = (self.cs & CS_AINSEL) >> CS_AINSEL_LOW;
        let open = if channel == TEMPERATURE_CHANNEL { SENSOR_MICROVOLTS } else { 0 };
        let unpowered = channel == TEMPERATURE_CHANNEL && self.cs & CS_TS_EN == 0;
        if channel >= CHANNELS || unpowered {
            return 0;
        }
        code(io.outside.adc_microvolts(io.now, channel as u8).unwrap_or(open))
    }

    fn end(&mut self, code: u16) {
        self.result = code;
        if self.fcs & FCS_EN != 0 {
            if self.fifo.len() == FIFO_SAMPLES {
                self.sticky |= FCS_OVER;
            } else {
                self.fifo.push_back(if self.fcs & FCS_SHIFT != 0 { code >> 4 } else { code });
            }
        }
        let robin = self.cs >> CS_RROBIN_LOW & 0x1f;
        let channel = (self.cs & CS_AINSEL) >> CS_AINSEL_LOW;
        if let Some(next) =
            (1..=CHANNELS).map(|n| (channel + n) % CHANNELS).find(|next| robin >> next & 1 == 1)
        {
            self.cs = self.cs & !CS_AINSEL | next << CS_AINSEL_LOW;
        }
    }

    fn arm(&mut self, io: &mut Io) {
        let next = match self.conversion {
            Some(conversion) => Some(conversion.end),
            None if self.runs_on() => Some(self.next_begin(self.edges.cycle_at(io.now) + 1)),
            None => None,
        };
        match next.and_then(|cycle| self.edges.time_of(cycle)) {
            Some(at) => io.wake_at(Source::Adc, at),
            None => io.cancel(Source::Adc),
        }
    }

    fn fcs(&self) -> u32 {
        let flag = |condition: bool, bit: u32| if condition { bit } else { 0 };
        self.fcs
            | self.sticky
            | flag(self.fifo.is_empty(), FCS_EMPTY)
            | flag(self.fifo.len() == FIFO_SAMPLES, FCS_FULL)
            | (self.fifo.len() as u32) << FCS_LEVEL_LOW
    }

    /// Enough samples for a request.
    fn reaches_threshold(&self) -> bool {
        !self.fifo.is_empty() && self.fifo.len() as u32 >= self.fcs >> FCS_THRESH_LOW
    }

    fn interrupts(&self) -> bool {
        self.interrupt_enabled && self.reaches_threshold() || self.interrupt_forced
    }

    fn update_lines(&self, io: &mut Io) {
        io.lines.set_irq(Irq::ADC_FIFO, self.interrupts());
        io.lines.set_dreq(Dreq::ADC, self.fcs & FCS_DREQ_EN != 0 && self.reaches_threshold());
    }
}

impl Peripheral for Adc {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let value = self.peek(offset, io);
        match offset {
            FIFO => {
                if self.fifo.pop_front().is_none() {
                    self.sticky |= FCS_UNDER;
                }
                self.update_lines(io);
            }
            CS..=INTS => {}
            _ => io.unknown("ADC", "no such register", false),
        }
        value
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            CS => self.cs | if self.is_enabled() && self.conversion.is_none() { CS_READY } else { 0 },
            RESULT => self.result.into(),
            FCS => self.fcs(),
            FIFO => self.fifo.front().copied().unwrap_or(0).into(),
            DIV => self.div,
            INTR => self.reaches_threshold().into(),
            INTE => self.interrupt_enabled.into(),
            INTF => self.interrupt_forced.into(),
            INTS => self.interrupts().into(),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            CS => self.write_cs(value, io),
            FCS => {
                self.fcs = value & FCS_KEPT;
                self.sticky &= !value;
            }
            DIV => self.write_div(value, io),
            INTE => self.interrupt_enabled = value & 1 == 1,
            INTF => self.interrupt_forced = value & 1 == 1,
            RESULT | FIFO | INTR | INTS => {}
            _ => io.unknown("ADC", "no such register", true),
        }
        self.update_lines(io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        let now = self.now(io);
        if let Some(conversion) = self.conversion.take_if(|conversion| conversion.end <= now) {
            self.end(conversion.code);
        }
        self.begin_if_due(now, io);
        self.arm(io);
        self.update_lines(io);
    }
}

/// The nearest of the 4096 codes, of which each is a 4096th of the reference.
fn code(microvolts: i32) -> u16 {
    let code = (i64::from(microvolts) * CODES + REFERENCE_MICROVOLTS / 2).div_euclid(REFERENCE_MICROVOLTS);
    code.clamp(0, CODES - 1) as u16
}
