//! The ten clock generators (RP2040 datasheet 2.15.3) and the resuscitation of clk_sys (2.15.5): which source each
//! selects, and what frequency results. Switches take effect at once, and SELECTED follows at once.
//!
//! Frequencies are whole hertz, rounded down: at most 1 Hz below a fractional division. Left out: gating of single
//! blocks (WAKE_EN and SLEEP_EN keep what is written and are reported when they gate anything).

use units::Picoseconds;

use super::inputs;
use crate::frequencies::duration;
use crate::io::Io;
use crate::lines::Irq;

/// A clock by its place among the registers, 12 bytes each.
pub(super) const GPOUT0: usize = 0;
pub(super) const REF: usize = 4;
pub(super) const SYS: usize = 5;
pub(super) const PERI: usize = 6;
pub(super) const USB: usize = 7;
pub(super) const ADC: usize = 8;
pub(super) const RTC: usize = 9;
pub(super) const CLOCKS: usize = 10;
const CLOCK_BYTES: u32 = 12;
const LAST_CLOCK: u32 = CLOCK_BYTES * CLOCKS as u32 - 4;

const SYS_RESUS_CTRL: u32 = 0x78;
const SYS_RESUS_STATUS: u32 = 0x7c;
const WAKE_EN0: u32 = 0xa0;
const SLEEP_EN1: u32 = 0xac;
const ENABLED0: u32 = 0xb0;
const ENABLED1: u32 = 0xb4;
const INTR: u32 = 0xb8;
const INTE: u32 = 0xbc;
const INTF: u32 = 0xc0;
const INTS: u32 = 0xc4;

const CTRL_ENABLE: u32 = 1 << 11;
const CTRL_KILL: u32 = 1 << 10;
const DIV_RESET: u32 = 0x100;
const RESUS_CTRL_BITS: u32 = 0x0001_11ff;
const RESUS_CLEAR: u32 = 1 << 16;
const RESUS_FORCE: u32 = 1 << 12;
const RESUS_ENABLE: u32 = 1 << 8;
const RESUS_TIMEOUT: u32 = 0xff;
const GATES: [u32; 2] = [u32::MAX, 0x7fff];

const GPOUT_CTRL: u32 = 0x0013_1de0;
const REF_CTRL: u32 = 0x63;
const SYS_CTRL: u32 = 0xe1;
const PERI_CTRL: u32 = 0xce0;
const PLAIN_CTRL: u32 = 0x0013_0ce0;
/// What can be written of each clock's CTRL and DIV.
const CTRL_BITS: [u32; CLOCKS] = [
    GPOUT_CTRL, GPOUT_CTRL, GPOUT_CTRL, GPOUT_CTRL, REF_CTRL, SYS_CTRL, PERI_CTRL, PLAIN_CTRL, PLAIN_CTRL,
    PLAIN_CTRL,
];
const DIV_BITS: [u32; CLOCKS] =
    [u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0x300, u32::MAX, 0, 0x300, 0x300, u32::MAX];

/// Something that a generator can select.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Rosc,
    RoscShifted,
    Xosc,
    PllSys,
    PllUsb,
    Gpin0,
    Gpin1,
    Clock(usize),
}

/// AUXSRC of each kind of generator, in the order of its values (RP2040 datasheet 2.15.7).
const GPOUT_AUX: &[From] = &[
    From::PllSys,
    From::Gpin0,
    From::Gpin1,
    From::PllUsb,
    From::Rosc,
    From::Xosc,
    From::Clock(SYS),
    From::Clock(USB),
    From::Clock(ADC),
    From::Clock(RTC),
    From::Clock(REF),
];
const REF_AUX: &[From] = &[From::PllUsb, From::Gpin0, From::Gpin1];
const SYS_AUX: &[From] = &[From::PllSys, From::PllUsb, From::Rosc, From::Xosc, From::Gpin0, From::Gpin1];
const PERI_AUX: &[From] =
    &[From::Clock(SYS), From::PllSys, From::PllUsb, From::RoscShifted, From::Xosc, From::Gpin0, From::Gpin1];
const PLAIN_AUX: &[From] =
    &[From::PllUsb, From::PllSys, From::RoscShifted, From::Xosc, From::Gpin0, From::Gpin1];

/// The frequencies that come from outside the generators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Inputs {
    pub(super) rosc_hz: u64,
    pub(super) rosc_shifted_hz: u64,
    pub(super) xosc_hz: u64,
    pub(super) pll_sys_hz: u64,
    pub(super) pll_usb_hz: u64,
    pub(super) gpin_hz: [u64; 2],
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Generators {
    ctrl: [u32; CLOCKS],
    div: [u32; CLOCKS],
    hz: [u64; CLOCKS],
    resus_ctrl: u32,
    resuscitated: bool,
    /// When a stopped clk_sys is replaced by clk_ref.
    resus_due: Option<Picoseconds>,
    wake_enables: [u32; 2],
    sleep_enables: [u32; 2],
    interrupt_enabled: u32,
    interrupt_forced: u32,
}

impl Generators {
    pub(super) fn new() -> Self {
        Self {
            ctrl: [0; CLOCKS],
            div: std::array::from_fn(|clock| DIV_RESET & DIV_BITS[clock]),
            hz: [0; CLOCKS],
            resus_ctrl: RESUS_TIMEOUT,
            resuscitated: false,
            resus_due: None,
            wake_enables: GATES,
            sleep_enables: GATES,
            interrupt_enabled: 0,
            interrupt_forced: 0,
        }
    }

    /// Frequencies in the order of the registers.
    pub(super) fn hz(&self) -> &[u64; CLOCKS] {
        &self.hz
    }

    /// When clk_sys is resuscitated, if it has to be.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        self.resus_due
    }

    /// Works out every frequency anew.
    pub(super) fn update(&mut self, inputs: &Inputs, io: &mut Io) {
        self.hz[REF] = self.divided(REF, self.source_hz(REF, inputs));
        let chosen = self.divided(SYS, self.source_hz(SYS, inputs));
        self.resuscitate(chosen, io);
        self.hz[SYS] = if self.resuscitated { self.hz[REF] } else { chosen };
        for clock in [PERI, USB, ADC, RTC, GPOUT0, GPOUT0 + 1, GPOUT0 + 2, GPOUT0 + 3] {
            let running = self.ctrl[clock] & (CTRL_ENABLE | CTRL_KILL) == CTRL_ENABLE;
            self.hz[clock] = if running { self.divided(clock, self.source_hz(clock, inputs)) } else { 0 };
        }
        let status = self.interrupts();
        io.lines.set_irq(Irq::CLOCKS, status & self.interrupt_enabled | self.interrupt_forced != 0);
    }

    fn source(&self, clock: usize) -> Option<From> {
        let ctrl = self.ctrl[clock];
        let aux = match clock {
            REF => REF_AUX.get((ctrl >> 5 & 3) as usize),
            SYS => SYS_AUX.get((ctrl >> 5 & 7) as usize),
            PERI => PERI_AUX.get((ctrl >> 5 & 7) as usize),
            USB | ADC | RTC => PLAIN_AUX.get((ctrl >> 5 & 7) as usize),
            _ => GPOUT_AUX.get((ctrl >> 5 & 15) as usize),
        };
        match (clock, ctrl & 3) {
            (REF, 0) => Some(From::RoscShifted),
            (REF, 2) => Some(From::Xosc),
            (REF, 3) => None,
            (SYS, 0) => Some(From::Clock(REF)),
            _ => aux.copied(),
        }
    }

    fn source_hz(&self, clock: usize, inputs: &Inputs) -> u64 {
        match self.source(clock) {
            Some(From::Rosc) => inputs.rosc_hz,
            Some(From::RoscShifted) => inputs.rosc_shifted_hz,
            Some(From::Xosc) => inputs.xosc_hz,
            Some(From::PllSys) => inputs.pll_sys_hz,
            Some(From::PllUsb) => inputs.pll_usb_hz,
            Some(From::Gpin0) => inputs.gpin_hz[0],
            Some(From::Gpin1) => inputs.gpin_hz[1],
            Some(From::Clock(clock)) => self.hz[clock],
            None => 0,
        }
    }

    /// Where clk_sys takes its clock from, in words.
    pub(super) fn source_of_clk_sys(&self) -> &'static str {
        let source = match self.source(SYS) {
            Some(From::Clock(clock)) => self.source(clock),
            other => other,
        };
        match source {
            Some(From::Rosc | From::RoscShifted) => "the ring oscillator",
            Some(From::Xosc) => "the crystal oscillator",
            Some(From::PllSys) => "PLL_SYS",
            Some(From::PllUsb) => "PLL_USB",
            Some(From::Gpin0) => "GPIN0 (GPIO 20)",
            Some(From::Gpin1) => "GPIN1 (GPIO 22)",
            Some(From::Clock(_)) | None => "no clock",
        }
    }

    /// The number of the GPIN that a generator takes its clock from, through another generator as well.
    fn gpin(&self, clock: usize) -> Option<usize> {
        match self.source(clock)? {
            From::Gpin0 => Some(0),
            From::Gpin1 => Some(1),
            From::Clock(other) if other != clock => self.gpin(other),
            _ => None,
        }
    }

    /// That of clk_sys, while it takes its clock from there.
    pub(super) fn pin_of_clk_sys(&self) -> Option<usize> {
        self.gpin(if self.resuscitated { REF } else { SYS })
    }

    /// By 24 bits and 8 bits of fraction; a whole part of 0 stands for 2¹⁶.
    fn divided(&self, clock: usize, hz: u64) -> u64 {
        let div = u64::from(self.div[clock]);
        match (clock, div >> 8) {
            (PERI, _) => hz,
            (_, 0) => hz * 256 / ((1 << 24) + div),
            _ => hz * 256 / div,
        }
    }

    /// Watches a clk_sys of `chosen` hertz: TIMEOUT cycles of clk_ref after it stopped, clk_ref takes its place.
    fn resuscitate(&mut self, chosen: u64, io: &Io) {
        let stopped = chosen == 0 && self.resus_ctrl & RESUS_ENABLE != 0 && !self.resuscitated;
        if !stopped {
            self.resus_due = None;
        } else if self.resus_due.is_some_and(|at| at <= io.now) {
            (self.resuscitated, self.resus_due) = (true, None);
        } else if self.resus_due.is_none() {
            let wait = duration(self.hz[REF], u64::from(self.resus_ctrl & RESUS_TIMEOUT));
            self.resus_due = wait.and_then(|d| io.now.ps().checked_add(d.ps())).map(Picoseconds::new);
        }
    }

    fn interrupts(&self) -> u32 {
        u32::from(self.resuscitated)
    }

    /// One-hot: which source the glitchless multiplexer lets through.
    fn selected(&self, clock: usize) -> u32 {
        match clock {
            REF => 1 << (self.ctrl[REF] & 3),
            SYS if !self.resuscitated => 1 << (self.ctrl[SYS] & 1),
            _ => 1,
        }
    }

    pub(super) fn peek(&self, offset: u32) -> u32 {
        let gate = (offset >> 2 & 1) as usize;
        match offset {
            0..=LAST_CLOCK => {
                let clock = (offset / CLOCK_BYTES) as usize;
                match offset % CLOCK_BYTES {
                    0 => self.ctrl[clock],
                    4 => self.div[clock],
                    _ => self.selected(clock),
                }
            }
            SYS_RESUS_CTRL => self.resus_ctrl,
            SYS_RESUS_STATUS => u32::from(self.resuscitated),
            WAKE_EN0..=SLEEP_EN1 if offset & 8 == 0 => self.wake_enables[gate],
            WAKE_EN0..=SLEEP_EN1 => self.sleep_enables[gate],
            // Whoever reads this is awake.
            ENABLED0 | ENABLED1 => self.wake_enables[gate],
            INTR => self.interrupts(),
            INTE => self.interrupt_enabled,
            INTF => self.interrupt_forced,
            INTS => self.interrupts() & self.interrupt_enabled | self.interrupt_forced,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, inputs: &Inputs, io: &mut Io) {
        let gate = (offset >> 2 & 1) as usize;
        match offset {
            0..=LAST_CLOCK => {
                let clock = (offset / CLOCK_BYTES) as usize;
                match offset % CLOCK_BYTES {
                    0 => self.ctrl[clock] = value & CTRL_BITS[clock],
                    4 => self.div[clock] = value & DIV_BITS[clock],
                    _ => {}
                }
                let own = matches!(self.source(clock), Some(From::Gpin0 | From::Gpin1));
                if let Some(gpin) = self.gpin(clock).filter(|_| own && self.source_hz(clock, inputs) == 0) {
                    io.unknown("CLOCKS", inputs::missing(gpin, &io.pins), true);
                }
            }
            SYS_RESUS_CTRL => {
                self.resus_ctrl = value & RESUS_CTRL_BITS;
                self.resuscitated |= value & RESUS_FORCE != 0;
                self.resuscitated &= value & RESUS_CLEAR == 0;
            }
            WAKE_EN0..=SLEEP_EN1 => {
                if value & GATES[gate] != GATES[gate] {
                    io.unknown("CLOCKS", "WAKE_EN and SLEEP_EN (gated blocks go on running)", true);
                }
                let enables = if offset & 8 == 0 { &mut self.wake_enables } else { &mut self.sleep_enables };
                enables[gate] = value & GATES[gate];
            }
            INTE => self.interrupt_enabled = value & 1,
            INTF => self.interrupt_forced = value & 1,
            SYS_RESUS_STATUS | ENABLED0 | ENABLED1 | INTR | INTS => {}
            _ => io.unknown("CLOCKS", "no such register", true),
        }
    }
}
