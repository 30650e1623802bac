//! The clock tree: crystal and ring oscillator (RP2040 datasheet 2.16, 2.17), both PLLs (2.18) and the clock generators
//! (2.15). From their five register blocks it works out the frequencies that everything else runs at, [`Io::clocks`].
//!
//! Whether a clock changed can be seen by comparing [`Io::clocks`] before and after. A stopped clk_sys has 0 Hz; the
//! tree's own appointments (a crystal that becomes stable, a PLL that locks, the resuscitation) may start it again.

mod counter;
mod generators;
mod inputs;
mod oscillators;
mod outputs;
mod pll;
mod square;
#[cfg(test)]
mod tests;

use self::counter::{FC0_REF_KHZ, FC0_RESULT, FrequencyCounter};
use self::generators::{ADC, Generators, Inputs, PERI, REF, RTC, SYS, USB};
use self::inputs::ClockInputs;
use self::oscillators::{Rosc, Xosc};
use self::outputs::ClockOutputs;
use self::pll::Pll;
use units::Picoseconds;

use super::Source;
use crate::frequencies::Frequencies;
use crate::io::Io;

const LAST_CLOCKS_REGISTER: u32 = 0xc4;

/// The register blocks of the clock tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum ClockBlock {
    Clocks,
    Xosc,
    Rosc,
    PllSys,
    PllUsb,
}

/// Everything that makes and divides clocks.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct ClockTree {
    xosc: Xosc,
    rosc: Rosc,
    pll_sys: Pll,
    pll_usb: Pll,
    given: ClockInputs,
    generators: Generators,
    counter: FrequencyCounter,
    outputs: ClockOutputs,
    /// When a frequency changes next of its own accord.
    due: Option<Picoseconds>,
}

impl ClockTree {
    /// The state after power-on, on the ring oscillator. The seed names the stream of the ring's random bits.
    pub fn new(crystal_hz: u64, seed: u64) -> Self {
        Self {
            xosc: Xosc::new(crystal_hz),
            rosc: Rosc::new(seed),
            pll_sys: Pll::new(pll::Which::Sys),
            pll_usb: Pll::new(pll::Which::Usb),
            given: ClockInputs::default(),
            generators: Generators::new(),
            counter: FrequencyCounter::new(),
            outputs: ClockOutputs::default(),
            due: None,
        }
    }

    /// Reads a register, with the effects that reading has.
    pub fn read(&mut self, block: ClockBlock, offset: u32, io: &mut Io) -> u32 {
        let (name, known) = match block {
            ClockBlock::Clocks => ("CLOCKS", offset <= LAST_CLOCKS_REGISTER),
            ClockBlock::Xosc => ("XOSC", Xosc::has(offset)),
            ClockBlock::Rosc => ("ROSC", Rosc::has(offset)),
            ClockBlock::PllSys => ("PLL_SYS", Pll::has(offset)),
            ClockBlock::PllUsb => ("PLL_USB", Pll::has(offset)),
        };
        if !known {
            io.unknown(name, "no such register", false);
        }
        if block == ClockBlock::Rosc { self.rosc.read(offset, io) } else { self.peek(block, offset, io) }
    }

    /// What reading would give, without its effects.
    pub fn peek(&self, block: ClockBlock, offset: u32, io: &Io) -> u32 {
        match (block, offset) {
            (ClockBlock::Clocks, FC0_REF_KHZ..=FC0_RESULT) => self.counter.peek(offset, io),
            (ClockBlock::Clocks, _) => self.generators.peek(offset),
            (ClockBlock::Xosc, _) => self.xosc.peek(offset, io),
            (ClockBlock::Rosc, _) => self.rosc.peek(offset, io),
            (ClockBlock::PllSys, _) => self.pll_sys.peek(offset),
            (ClockBlock::PllUsb, _) => self.pll_usb.peek(offset),
        }
    }

    /// Writes a register; [`Io::clocks`] has the new frequencies afterwards.
    pub fn write(&mut self, block: ClockBlock, offset: u32, value: u32, io: &mut Io) {
        match (block, offset) {
            (ClockBlock::Clocks, FC0_REF_KHZ..=FC0_RESULT) => {
                let inputs = self.inputs(io);
                return self.counter.write(offset, value, &inputs, self.generators.hz(), io);
            }
            (ClockBlock::Clocks, _) => {
                let inputs = self.inputs(io);
                self.generators.write(offset, value, &inputs, io);
            }
            (ClockBlock::Xosc, _) => self.xosc.write(offset, value, io),
            (ClockBlock::Rosc, _) => self.rosc.write(offset, value, io),
            (ClockBlock::PllSys, _) => self.pll_sys.write(offset, value, io),
            (ClockBlock::PllUsb, _) => self.pll_usb.write(offset, value, io),
        }
        self.update(io);
    }

    /// The bits of a register that are cleared by a written 1, through the atomic aliases as well.
    pub const fn write_clear_mask(block: ClockBlock, offset: u32) -> u32 {
        match block {
            ClockBlock::Xosc => oscillators::write_clear_mask(false, offset),
            ClockBlock::Rosc => oscillators::write_clear_mask(true, offset),
            ClockBlock::Clocks | ClockBlock::PllSys | ClockBlock::PllUsb => 0,
        }
    }

    /// What was asked for with [`Source::Clocks`] is due.
    pub fn wake(&mut self, io: &mut Io) {
        self.outputs.advance(io);
        self.given.advance(io);
        if self.due.is_some_and(|at| at <= io.now) {
            self.update(io);
        } else {
            self.arm(io);
        }
    }

    /// A block goes back to its state after reset.
    pub fn reset(&mut self, block: ClockBlock, io: &mut Io) {
        match block {
            ClockBlock::Clocks => {
                self.generators = Generators::new();
                self.counter = FrequencyCounter::new();
            }
            ClockBlock::Xosc => self.xosc = Xosc::new(self.xosc.crystal_hz()),
            ClockBlock::Rosc => self.rosc.reset(),
            ClockBlock::PllSys => self.pll_sys.reset(),
            ClockBlock::PllUsb => self.pll_usb.reset(),
        }
        self.update(io);
    }

    /// Whether an oscillator sleeps until a pin wakes it. The RTC could, by a clock of its own from outside, which no board has
    /// (RP2040 datasheet 4.8.5).
    pub fn is_dormant(&self) -> bool {
        self.xosc.is_dormant() || self.rosc.is_dormant()
    }

    /// Where clk_sys takes its clock from.
    pub fn source_of_clk_sys(&self) -> &'static str {
        self.generators.source_of_clk_sys()
    }

    /// A pin ends the dormant mode.
    pub fn wake_from_dormant(&mut self, io: &mut Io) {
        self.xosc.wake_from_dormant(io);
        self.rosc.wake_from_dormant();
        self.update(io);
    }

    /// An oscillator outside drives a pin from here on, by a rising edge and its frequency.
    pub fn give(&mut self, pin: u8, rise: Picoseconds, hz: u64, io: &mut Io) {
        self.given.give(pin, rise, hz, io);
        self.update(io);
    }

    /// When clk_sys has its first edge at a time or later. An oscillator of the chip's own has it whenever it is asked; a clock at a
    /// pin has its edges at their times.
    pub(crate) fn edge_of_clk_sys(&self, at: Picoseconds, io: &Io) -> Picoseconds {
        let gpin = self.generators.pin_of_clk_sys();
        gpin.and_then(|gpin| self.given.edge_from(gpin, at, &io.pins)).unwrap_or(at)
    }

    /// Works everything out anew and writes [`Io::clocks`]: once at the start, and when a pin was given its function or
    /// is recorded from now on.
    pub fn update(&mut self, io: &mut Io) {
        self.given.find_nets(io);
        let reference_hz = self.xosc.hz(io);
        self.pll_sys.update(reference_hz, io);
        self.pll_usb.update(reference_hz, io);
        let inputs = self.inputs(io);
        self.generators.update(&inputs, io);
        io.clocks = self.frequencies();
        self.outputs.update(self.generators.hz(), io);
        self.given.watch(io);
        let due = [self.xosc.due(io), self.pll_sys.due(), self.pll_usb.due(), self.generators.due()];
        self.due = due.into_iter().flatten().min();
        self.arm(io);
    }

    fn inputs(&self, io: &Io) -> Inputs {
        let xosc_hz = self.xosc.hz(io);
        Inputs {
            rosc_hz: self.rosc.hz(),
            rosc_shifted_hz: self.rosc.phase_shifted_hz(),
            xosc_hz,
            pll_sys_hz: self.pll_sys.hz(xosc_hz),
            pll_usb_hz: self.pll_usb.hz(xosc_hz),
            gpin_hz: self.given.gpin_hz(&io.pins),
        }
    }

    fn frequencies(&self) -> Frequencies {
        let hz = self.generators.hz();
        Frequencies {
            crystal_hz: self.xosc.crystal_hz(),
            sys_hz: hz[SYS],
            ref_hz: hz[REF],
            peri_hz: hz[PERI],
            usb_hz: hz[USB],
            adc_hz: hz[ADC],
            rtc_hz: hz[RTC],
        }
    }

    fn arm(&self, io: &mut Io) {
        match [self.due, self.outputs.due(), self.given.due()].into_iter().flatten().min() {
            Some(at) => io.wake_at(Source::Clocks, at),
            None => io.cancel(Source::Clocks),
        }
    }
}
