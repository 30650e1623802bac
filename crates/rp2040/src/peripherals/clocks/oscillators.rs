//! The two oscillators: the crystal (RP2040 datasheet 2.16) and the ring (2.17).
//!
//! The ring runs at its nominal frequency, without the spread over process, voltage and temperature; its stages'
//! drive strengths change it in the proportions that the datasheet gives.

use sim::RandomStream;
use units::Picoseconds;

use crate::frequencies::{ROSC_HZ, duration};
use crate::io::Io;

const ENABLE: u32 = 0xfab;
const DISABLE: u32 = 0xd1e;
const DORMANT_COMA: u32 = 0x636f_6d61;
const DORMANT_WAKE: u32 = 0x7761_6b65;
const STATUS_STABLE: u32 = 1 << 31;
const STATUS_BADWRITE: u32 = 1 << 24;
const STATUS_DIV_RUNNING: u32 = 1 << 16;
const STATUS_ENABLED: u32 = 1 << 12;
const CTRL_BITS: u32 = 0x00ff_ffff;

pub(super) const CTRL: u32 = 0x00;

/// An 8-bit counter that runs down to zero at an oscillator's frequency.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct DownCounter {
    value: u32,
    from: Picoseconds,
}

impl DownCounter {
    fn now(self, hz: u64, io: &Io) -> u32 {
        let elapsed = io.now.ps().saturating_sub(self.from.ps()).max(0) as u128;
        let cycles = elapsed * u128::from(hz) / units::PS_PER_S as u128;
        self.value.saturating_sub(u32::try_from(cycles).unwrap_or(u32::MAX))
    }

    fn write(&mut self, value: u32, io: &Io) {
        *self = Self { value: value & 0xff, from: io.now };
    }
}

const XOSC_STATUS: u32 = 0x04;
const XOSC_DORMANT: u32 = 0x08;
const XOSC_STARTUP: u32 = 0x0c;
const XOSC_COUNT: u32 = 0x1c;
const XOSC_FREQ_RANGE_1_15MHZ: u32 = 0xaa0;
const STARTUP_BITS: u32 = 0x0010_3fff;
const STARTUP_X4: u32 = 1 << 20;
/// About 50,000 cycles of the crystal (RP2040 datasheet 2.16.7).
const STARTUP_RESET: u32 = 0xc4;

/// The crystal oscillator.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Xosc {
    crystal_hz: u64,
    ctrl: u32,
    startup: u32,
    bad_write: bool,
    dormant: bool,
    /// When it was enabled, or woken.
    started: Option<Picoseconds>,
    /// It was stable before STARTUP was written anew.
    settled: bool,
    count: DownCounter,
}

impl Xosc {
    pub(super) fn new(crystal_hz: u64) -> Self {
        Self {
            crystal_hz,
            ctrl: DISABLE << 12 | XOSC_FREQ_RANGE_1_15MHZ,
            startup: STARTUP_RESET,
            bad_write: false,
            dormant: false,
            started: None,
            settled: false,
            count: DownCounter::default(),
        }
    }

    pub(super) fn crystal_hz(&self) -> u64 {
        self.crystal_hz
    }

    /// What comes out: nothing until it is stable.
    pub(super) fn hz(&self, io: &Io) -> u64 {
        if self.is_stable(io) { self.crystal_hz } else { 0 }
    }

    /// When it becomes stable, if that is still to come.
    pub(super) fn due(&self, io: &Io) -> Option<Picoseconds> {
        self.stable_at().filter(|&at| !self.settled && at > io.now)
    }

    pub(super) fn is_dormant(&self) -> bool {
        self.dormant
    }

    pub(super) fn wake_from_dormant(&mut self, io: &Io) {
        if std::mem::take(&mut self.dormant) {
            self.started = Some(io.now);
        }
    }

    fn stable_at(&self) -> Option<Picoseconds> {
        let times = if self.startup & STARTUP_X4 != 0 { 4 } else { 1 };
        let cycles = u64::from(self.startup & 0x3fff) * 256 * times;
        let at = self.started?.ps().checked_add(duration(self.crystal_hz, cycles)?.ps())?;
        Some(Picoseconds::new(at)).filter(|_| !self.dormant)
    }

    fn is_stable(&self, io: &Io) -> bool {
        self.settled && self.started.is_some() && !self.dormant
            || self.stable_at().is_some_and(|at| io.now >= at)
    }

    pub(super) fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            CTRL => self.ctrl,
            XOSC_STATUS => {
                (u32::from(self.is_stable(io)) * STATUS_STABLE)
                    | (u32::from(self.bad_write) * STATUS_BADWRITE)
                    | (u32::from(self.started.is_some()) * STATUS_ENABLED)
            }
            XOSC_DORMANT => {
                if self.dormant {
                    DORMANT_COMA
                } else {
                    DORMANT_WAKE
                }
            }
            XOSC_STARTUP => self.startup,
            XOSC_COUNT => self.count.now(self.hz(io), io),
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            CTRL => {
                self.ctrl = value & CTRL_BITS;
                let (enable, range) = (self.ctrl >> 12, self.ctrl & 0xfff);
                self.bad_write |= !matches!(enable, ENABLE | DISABLE) || range != XOSC_FREQ_RANGE_1_15MHZ;
                if enable == DISABLE {
                    (self.started, self.settled) = (None, false);
                } else if self.started.is_none() {
                    self.started = Some(io.now);
                }
            }
            XOSC_STATUS => self.bad_write &= value & STATUS_BADWRITE == 0,
            XOSC_DORMANT => {
                self.bad_write |= !matches!(value, DORMANT_COMA | DORMANT_WAKE);
                if value == DORMANT_COMA {
                    (self.dormant, self.settled) = (true, false);
                } else {
                    self.wake_from_dormant(io);
                }
            }
            XOSC_STARTUP => {
                self.settled = self.is_stable(io);
                self.startup = value & STARTUP_BITS;
            }
            XOSC_COUNT => self.count.write(value, io),
            _ => io.unknown("XOSC", "no such register", true),
        }
    }

    pub(super) fn has(offset: u32) -> bool {
        offset <= XOSC_STARTUP || offset == XOSC_COUNT
    }
}

const ROSC_FREQA: u32 = 0x04;
const ROSC_FREQB: u32 = 0x08;
const ROSC_DORMANT: u32 = 0x0c;
const ROSC_DIV: u32 = 0x10;
const ROSC_PHASE: u32 = 0x14;
const ROSC_STATUS: u32 = 0x18;
const ROSC_RANDOMBIT: u32 = 0x1c;
const ROSC_COUNT: u32 = 0x20;
const FREQ_PASSWD: u32 = 0x9696;
const FREQ_BITS: u32 = 0xffff_7777;
const DIV_PASS: u32 = 0xaa0;
const DIV_RESET: u32 = 16;
const PHASE_PASSWD: u32 = 0xaa;
const PHASE_ENABLE: u32 = 1 << 3;
const PHASE_RESET: u32 = 0x08;
const FREQ_RANGE_RESET: u32 = 0xaa0;
const FREQ_RANGE_LOW: u32 = 0xfa4;
const FREQ_RANGE_MEDIUM: u32 = 0xfa5;
const FREQ_RANGE_TOOHIGH: u32 = 0xfa6;
const FREQ_RANGE_HIGH: u32 = 0xfa7;
/// A stage's delay at drive strength 1; 12 divides by the four strengths.
const STAGE_DELAY: u64 = 12;

/// The ring oscillator.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Rosc {
    ctrl: u32,
    /// FREQ_RANGE in effect: an invalid one keeps the one before.
    range: u32,
    freq: [u32; 2],
    div: u32,
    phase: u32,
    bad_write: bool,
    dormant: bool,
    count: DownCounter,
    random: RandomStream,
    next_bit: u32,
}

impl Rosc {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = RandomStream::named(seed, "mcu/rosc");
        let next_bit = random.below(2) as u32;
        Self {
            ctrl: ENABLE << 12 | FREQ_RANGE_RESET,
            range: FREQ_RANGE_LOW,
            freq: [0; 2],
            div: DIV_PASS + DIV_RESET,
            phase: PHASE_RESET,
            bad_write: false,
            dormant: false,
            count: DownCounter::default(),
            random,
            next_bit,
        }
    }

    pub(super) fn hz(&self) -> u64 {
        if self.is_running() { self.ring_hz() / self.divisor() } else { 0 }
    }

    /// The phase-shifted output.
    pub(super) fn phase_shifted_hz(&self) -> u64 {
        let off = self.phase >> 4 == PHASE_PASSWD && self.phase & PHASE_ENABLE == 0;
        if off { 0 } else { self.hz() }
    }

    pub(super) fn is_dormant(&self) -> bool {
        self.dormant
    }

    pub(super) fn wake_from_dormant(&mut self) {
        self.dormant = false;
    }

    /// Back to the state after reset; the stream of random bits goes on.
    pub(super) fn reset(&mut self) {
        let (random, next_bit) = (self.random.clone(), self.next_bit);
        *self = Self { random, next_bit, ..Self::new(0) };
    }

    fn is_running(&self) -> bool {
        self.ctrl >> 12 != DISABLE && !self.dormant
    }

    /// The ring before its divider: 16 times what comes out after reset, with eight stages of strength 1.
    fn ring_hz(&self) -> u64 {
        let first = match self.range {
            FREQ_RANGE_MEDIUM => 2,
            FREQ_RANGE_HIGH => 4,
            FREQ_RANGE_TOOHIGH => 6,
            _ => 0,
        };
        let delay: u64 = (first..8).map(|stage| STAGE_DELAY / self.strength(stage)).sum();
        ROSC_HZ * u64::from(DIV_RESET) * 8 * STAGE_DELAY / delay
    }

    /// 1 to 4: one more than the bits that are set for the stage, while the password stands.
    fn strength(&self, stage: usize) -> u64 {
        let freq = self.freq[stage / 4];
        let bits = if freq >> 16 == FREQ_PASSWD { freq >> (stage % 4 * 4) & 7 } else { 0 };
        u64::from(bits.count_ones()) + 1
    }

    fn divisor(&self) -> u64 {
        match self.div.wrapping_sub(DIV_PASS) {
            0 => 32,
            div @ 1..=31 => u64::from(div),
            _ => 31,
        }
    }

    pub(super) fn read(&mut self, offset: u32, io: &Io) -> u32 {
        let value = self.peek(offset, io);
        if offset == ROSC_RANDOMBIT && self.is_running() {
            self.next_bit = self.random.below(2) as u32;
        }
        value
    }

    pub(super) fn peek(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            CTRL => self.ctrl,
            ROSC_FREQA | ROSC_FREQB => self.freq[(offset / 8) as usize],
            ROSC_DORMANT => {
                if self.dormant {
                    DORMANT_COMA
                } else {
                    DORMANT_WAKE
                }
            }
            ROSC_DIV => self.div,
            ROSC_PHASE => self.phase,
            ROSC_STATUS => {
                let enabled = u32::from(self.ctrl >> 12 != DISABLE);
                (enabled * (STATUS_ENABLED | STATUS_DIV_RUNNING))
                    | (u32::from(self.is_running()) * STATUS_STABLE)
                    | (u32::from(self.bad_write) * STATUS_BADWRITE)
            }
            ROSC_RANDOMBIT => self.next_bit,
            ROSC_COUNT => self.count.now(self.hz(), io),
            _ => 0,
        }
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            CTRL => self.set_ctrl(value & CTRL_BITS),
            ROSC_FREQA | ROSC_FREQB => {
                self.freq[(offset / 8) as usize] = value & FREQ_BITS;
                self.bad_write |= value >> 16 != FREQ_PASSWD;
            }
            ROSC_DORMANT => {
                self.bad_write |= !matches!(value, DORMANT_COMA | DORMANT_WAKE);
                self.dormant = value == DORMANT_COMA;
            }
            ROSC_DIV => {
                self.div = value & 0xfff;
                self.bad_write |= self.div & !0x1f != DIV_PASS;
            }
            ROSC_PHASE => {
                self.phase = value & 0xfff;
                self.bad_write |= self.phase >> 4 != PHASE_PASSWD;
            }
            ROSC_STATUS => self.bad_write &= value & STATUS_BADWRITE == 0,
            ROSC_RANDOMBIT => {}
            ROSC_COUNT => self.count.write(value, io),
            _ => io.unknown("ROSC", "no such register", true),
        }
    }

    fn set_ctrl(&mut self, ctrl: u32) {
        self.ctrl = ctrl;
        let range = ctrl & 0xfff;
        let valid = (FREQ_RANGE_LOW..=FREQ_RANGE_HIGH).contains(&range);
        if valid {
            self.range = range;
        }
        let known = valid || range == FREQ_RANGE_RESET;
        self.bad_write |= !known || !matches!(ctrl >> 12, ENABLE | DISABLE);
    }

    pub(super) fn has(offset: u32) -> bool {
        offset <= ROSC_COUNT
    }
}

/// The bits that are cleared by a written 1 in either STATUS register.
pub(super) const fn write_clear_mask(is_ring: bool, offset: u32) -> u32 {
    let status = if is_ring { ROSC_STATUS } else { XOSC_STATUS };
    if offset == status { STATUS_BADWRITE } else { 0 }
}
