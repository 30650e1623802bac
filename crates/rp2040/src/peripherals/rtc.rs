//! RTC: a calendar that counts seconds of clk_rtc, and an alarm (RP2040 datasheet 4.8). The time is computed when
//! somebody asks for it; the block is woken every second only while a match could interrupt.
//!
//! Where the datasheet is silent: fields out of range are loaded as the nearest that is in range, loading and enabling
//! begin a new second, and RTC_ACTIVE follows RTC_ENABLE at once.

mod calendar;
#[cfg(test)]
mod tests;

use calendar::DateTime;
use units::Picoseconds;

use crate::Io;
use crate::lines::Irq;
use crate::peripherals::pio::edges::ClockEdges;
use crate::peripherals::{Peripheral, Source};

const CLKDIV_M1: u32 = 0x00;
const SETUP_0: u32 = 0x04;
const SETUP_1: u32 = 0x08;
const CTRL: u32 = 0x0c;
const IRQ_SETUP_0: u32 = 0x10;
const IRQ_SETUP_1: u32 = 0x14;
const RTC_1: u32 = 0x18;
const RTC_0: u32 = 0x1c;
const INTR: u32 = 0x20;
const INTE: u32 = 0x24;
const INTF: u32 = 0x28;
const INTS: u32 = 0x2c;

const CTRL_ENABLE: u32 = 1 << 0;
const CTRL_ACTIVE: u32 = 1 << 1;
const CTRL_LOAD: u32 = 1 << 4;
const CTRL_FORCE_NOTLEAPYEAR: u32 = 1 << 8;
const MATCH_ENA: u32 = 1 << 28;
const MATCH_ACTIVE: u32 = 1 << 29;
/// YEAR, MONTH, DAY; and DOTW, HOUR, MIN, SEC.
const DATE_BITS: u32 = 0x00ff_ff1f;
const TIME_BITS: u32 = 0x071f_3f3f;
/// The fields of IRQ_SETUP_0 and IRQ_SETUP_1, with the bit that makes each of them count.
const DATE_FIELDS: [(u32, u32); 3] = [(0x00ff_f000, 1 << 26), (0x0000_0f00, 1 << 25), (0x1f, 1 << 24)];
const TIME_FIELDS: [(u32, u32); 4] =
    [(0x0700_0000, 1 << 31), (0x001f_0000, 1 << 30), (0x0000_3f00, 1 << 29), (0x3f, 1 << 28)];
/// Cycles of clk_rtc are counted from here.
const FIRST_CYCLE: u64 = 16;

/// The real-time clock.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Rtc {
    clkdiv_m1: u32,
    setup: [u32; 2],
    irq_setup: [u32; 2],
    ctrl: u32,
    time: DateTime,
    /// RTC_1 as it was when RTC_0 was read.
    latched_date: u32,
    interrupt_enabled: bool,
    interrupt_forced: bool,
    edges: ClockEdges,
    /// The cycle at which the present second began.
    second: u64,
    started: bool,
}

impl Default for Rtc {
    fn default() -> Self {
        Self::new()
    }
}

impl Rtc {
    /// The block after reset.
    pub fn new() -> Self {
        Self {
            clkdiv_m1: 0,
            setup: [0; 2],
            irq_setup: [0; 2],
            ctrl: 0,
            time: DateTime::default(),
            latched_date: 0,
            interrupt_enabled: false,
            interrupt_forced: false,
            edges: ClockEdges::new(0, FIRST_CYCLE, Picoseconds::ZERO),
            second: FIRST_CYCLE,
            started: false,
        }
    }

    /// clk_rtc got another frequency, just now.
    pub fn clocks_changed(&mut self, io: &mut Io) {
        if self.started && io.clocks.rtc_hz != self.edges.hz() {
            self.catch_up(io);
            self.finish(io);
        }
    }

    fn is_enabled(&self) -> bool {
        self.ctrl & CTRL_ENABLE != 0
    }

    fn cycles_a_second(&self) -> u64 {
        u64::from(self.clkdiv_m1) + 1
    }

    fn leap_years(&self) -> bool {
        self.ctrl & CTRL_FORCE_NOTLEAPYEAR == 0
    }

    /// Counts the seconds that have passed; gives the present cycle.
    fn catch_up(&mut self, io: &Io) -> u64 {
        if !self.started {
            self.started = true;
            self.edges = ClockEdges::new(io.clocks.rtc_hz, FIRST_CYCLE, io.now);
        }
        let now = self.edges.cycle_at(io.now);
        if self.is_enabled() {
            let seconds = now.saturating_sub(self.second) / self.cycles_a_second();
            self.second += seconds * self.cycles_a_second();
            self.time.advance(seconds, self.leap_years());
        }
        if io.clocks.rtc_hz != self.edges.hz() {
            self.edges.retime(io.clocks.rtc_hz, io.now);
        }
        self.edges.follow(now);
        now
    }

    fn write_ctrl(&mut self, value: u32, now: u64) {
        let was_enabled = self.is_enabled();
        self.ctrl = value & (CTRL_ENABLE | CTRL_FORCE_NOTLEAPYEAR);
        let loads = value & CTRL_LOAD != 0;
        if loads {
            self.time = DateTime::from_registers(self.setup[0], self.setup[1], self.leap_years());
        }
        if loads || self.is_enabled() && !was_enabled {
            self.second = now;
        }
    }

    /// Whether the time is that of the alarm, in every field that counts.
    fn matches(&self) -> bool {
        let same = |fields: &[(u32, u32)], alarm: u32, present: u32| {
            fields.iter().all(|&(bits, counts)| alarm & counts == 0 || (alarm ^ present) & bits == 0)
        };
        self.irq_setup[0] & MATCH_ENA != 0
            && same(&DATE_FIELDS, self.irq_setup[0], self.time.date_register())
            && same(&TIME_FIELDS, self.irq_setup[1], self.time.time_register())
    }

    fn interrupts(&self) -> bool {
        self.interrupt_enabled && self.matches() || self.interrupt_forced
    }

    fn finish(&mut self, io: &mut Io) {
        io.lines.set_irq(Irq::RTC, self.interrupts());
        let may_match = self.is_enabled() && self.interrupt_enabled && self.irq_setup[0] & MATCH_ENA != 0;
        let next = self.second.saturating_add(self.cycles_a_second());
        match self.edges.time_of(next).filter(|_| may_match) {
            Some(at) => io.wake_at(Source::Rtc, at),
            None => io.cancel(Source::Rtc),
        }
    }
}

impl Peripheral for Rtc {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        self.catch_up(io);
        match offset {
            RTC_0 => self.latched_date = self.time.date_register(),
            CLKDIV_M1..=INTS => {}
            _ => io.unknown("RTC", "no such register", false),
        }
        self.finish(io);
        self.peek(offset, io)
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        match offset {
            CLKDIV_M1 => self.clkdiv_m1,
            SETUP_0 => self.setup[0],
            SETUP_1 => self.setup[1],
            CTRL => self.ctrl | if self.is_enabled() { CTRL_ACTIVE } else { 0 },
            IRQ_SETUP_0 => {
                self.irq_setup[0] | if self.irq_setup[0] & MATCH_ENA != 0 { MATCH_ACTIVE } else { 0 }
            }
            IRQ_SETUP_1 => self.irq_setup[1],
            RTC_1 => self.latched_date,
            RTC_0 => self.time.time_register(),
            INTR => self.matches().into(),
            INTE => self.interrupt_enabled.into(),
            INTF => self.interrupt_forced.into(),
            INTS => self.interrupts().into(),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        let now = self.catch_up(io);
        match offset {
            CLKDIV_M1 => self.clkdiv_m1 = value & 0xffff,
            SETUP_0 => self.setup[0] = value & DATE_BITS,
            SETUP_1 => self.setup[1] = value & TIME_BITS,
            CTRL => self.write_ctrl(value, now),
            IRQ_SETUP_0 => self.irq_setup[0] = value & (DATE_BITS | MATCH_ENA | 0b111 << 24),
            IRQ_SETUP_1 => self.irq_setup[1] = value & (TIME_BITS | 0b1111 << 28),
            INTE => self.interrupt_enabled = value & 1 == 1,
            INTF => self.interrupt_forced = value & 1 == 1,
            RTC_1 | RTC_0 | INTR | INTS => {}
            _ => io.unknown("RTC", "no such register", true),
        }
        self.finish(io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.catch_up(io);
        self.finish(io);
    }
}
