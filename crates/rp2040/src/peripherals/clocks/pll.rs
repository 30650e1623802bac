//! A PLL (RP2040 datasheet 2.18): the crystal divided by REFDIV, multiplied by FBDIV, divided by both POSTDIVs.
//!
//! The output stays off from power-up until LOCK; while the multiplier changes on the run it keeps the old frequency
//! until the new one is locked. A setting outside the datasheet's ranges locks too, and is reported.

use units::Picoseconds;

use crate::frequencies::duration;
use crate::io::Io;

const CS: u32 = 0x0;
const PWR: u32 = 0x4;
const FBDIV_INT: u32 = 0x8;
const PRIM: u32 = 0xc;

const CS_LOCK: u32 = 1 << 31;
const CS_BYPASS: u32 = 1 << 8;
const CS_REFDIV: u32 = 0x3f;
const PWR_BITS: u32 = 0x2d;
const PWR_PD: u32 = 1 << 0;
const PWR_POSTDIVPD: u32 = 1 << 3;
const PWR_VCOPD: u32 = 1 << 5;
const FBDIV_BITS: u32 = 0xfff;
const PRIM_BITS: u32 = 0x0007_7000;

/// An estimate for want of a published figure, usual for an integer PLL of this kind: 42 µs at
/// 12 MHz.
const LOCK_REFERENCE_CYCLES: u64 = 500;
/// RP2040 datasheet 2.18.2; until 2022 the lower end was 400 MHz, and images use it.
const VCO_HZ: std::ops::RangeInclusive<u64> = 400_000_000..=1_600_000_000;
const FEEDBACK: std::ops::RangeInclusive<u32> = 16..=320;

/// The multiplication: crystal · feedback / reference_divider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Vco {
    feedback: u32,
    reference_divider: u32,
}

/// Which of the two.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(super) enum Which {
    Sys,
    Usb,
}

impl Which {
    fn name(self) -> &'static str {
        match self {
            Self::Sys => "PLL_SYS",
            Self::Usb => "PLL_USB",
        }
    }
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Pll {
    which: Which,
    cs: u32,
    pwr: u32,
    fbdiv: u32,
    prim: u32,
    /// What the oscillator is locked to.
    locked: Option<Vco>,
    /// What it will be locked to, and when.
    locking: Option<(Vco, Picoseconds)>,
}

impl Pll {
    pub(super) fn new(which: Which) -> Self {
        Self { which, cs: 1, pwr: PWR_BITS, fbdiv: 0, prim: PRIM_BITS, locked: None, locking: None }
    }

    pub(super) fn reset(&mut self) {
        *self = Self::new(self.which);
    }

    /// What comes out, from a reference of `reference_hz`.
    pub(super) fn hz(&self, reference_hz: u64) -> u64 {
        if self.cs & CS_BYPASS != 0 {
            return reference_hz;
        }
        let Some(vco) = self.locked.filter(|_| self.pwr & PWR_POSTDIVPD == 0) else { return 0 };
        let post = (self.prim >> 16 & 7).max(1) * (self.prim >> 12 & 7).max(1);
        reference_hz * u64::from(vco.feedback) / u64::from(vco.reference_divider * post)
    }

    /// When it locks, if that is still to come.
    pub(super) fn due(&self) -> Option<Picoseconds> {
        self.locking.map(|(_, at)| at)
    }

    /// Takes over what is due, and starts to lock when settings or the reference changed.
    pub(super) fn update(&mut self, reference_hz: u64, io: &mut Io) {
        if let Some((vco, _)) = self.locking.filter(|&(_, at)| at <= io.now) {
            (self.locked, self.locking) = (Some(vco), None);
        }
        let Some(wanted) = self.wanted().filter(|_| reference_hz > 0) else {
            (self.locked, self.locking) = (None, None);
            return;
        };
        let going_to = self.locking.map(|(vco, _)| vco).or(self.locked);
        if going_to == Some(wanted) {
            return;
        }
        let cycles = LOCK_REFERENCE_CYCLES * u64::from(wanted.reference_divider);
        let lock_at = duration(reference_hz, cycles).and_then(|d| io.now.ps().checked_add(d.ps()));
        self.locking = lock_at.map(|at| (wanted, Picoseconds::new(at)));
        self.report_range(wanted, reference_hz, io);
    }

    /// The setting in the registers; nothing while powered down or without a multiplier.
    fn wanted(&self) -> Option<Vco> {
        let vco = Vco { feedback: self.fbdiv, reference_divider: self.cs & CS_REFDIV };
        let powered = self.pwr & (PWR_PD | PWR_VCOPD) == 0;
        (powered && vco.feedback != 0 && vco.reference_divider != 0).then_some(vco)
    }

    fn report_range(&self, vco: Vco, reference_hz: u64, io: &mut Io) {
        let hz = reference_hz * u64::from(vco.feedback) / u64::from(vco.reference_divider);
        if !VCO_HZ.contains(&hz) || !FEEDBACK.contains(&vco.feedback) {
            io.unknown(
                self.which.name(),
                "a setting outside 16 to 320 times and 400 to 1600 MHz (it locks here)",
                true,
            );
        }
    }

    pub(super) fn peek(&self, offset: u32) -> u32 {
        match offset {
            CS => self.cs | (u32::from(self.locked.is_some() && self.locking.is_none()) * CS_LOCK),
            PWR => self.pwr,
            FBDIV_INT => self.fbdiv,
            PRIM => self.prim,
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            CS => self.cs = value & (CS_BYPASS | CS_REFDIV),
            PWR => self.pwr = value & PWR_BITS,
            FBDIV_INT => self.fbdiv = value & FBDIV_BITS,
            PRIM => self.prim = value & PRIM_BITS,
            _ => io.unknown(self.which.name(), "no such register", true),
        }
    }

    pub(super) fn has(offset: u32) -> bool {
        offset <= PRIM
    }
}
