//! The times of SCL and SDA, in cycles of clk_sys, which is the I2C's ic_clk on the RP2040.
//!
//! Left out: the rise of the lines, which pull-ups take 0.1 to 1 us for and which lengthens every SCL period on a real
//! board; clock stretching by devices. The lengths of start, stop and the free time between them are not in the
//! datasheet; here each is a high or a low period.

use units::{PS_PER_S, Picoseconds};

use super::signals::Symbol;

/// The periods of SCL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scl {
    pub(super) low: u64,
    pub(super) high: u64,
}

impl Scl {
    /// From the counters (RP2040 datasheet 4.3.14.1).
    pub(super) fn new(hcnt: u32, lcnt: u32, spklen: u32) -> Self {
        Self { low: u64::from(lcnt) + 1, high: u64::from(hcnt) + u64::from(spklen) + 7 }
    }

    /// From SCL's fall before to its high period's end.
    pub(super) fn bit(self) -> u64 {
        self.low + self.high
    }

    /// What a symbol takes where nobody stretches it.
    pub(super) fn cycles(self, symbol: Symbol) -> u64 {
        match symbol {
            Symbol::Start => self.start(),
            Symbol::RepeatedStart => self.repeated_start(),
            Symbol::Stop => self.stop(),
            Symbol::Read | Symbol::Write(_) | Symbol::Acknowledgement(_) => {
                u64::from(symbol.bits()) * self.bit()
            }
        }
    }

    /// From SDA's fall to SCL's.
    pub(super) fn start(self) -> u64 {
        self.high
    }

    /// SCL low, high with SDA high, high with SDA low.
    pub(super) fn repeated_start(self) -> u64 {
        self.low + 2 * self.high
    }

    /// SCL low, then high until SDA rises.
    pub(super) fn stop(self) -> u64 {
        self.low + self.high
    }

    /// From a stop until the next start.
    pub(super) fn free(self) -> u64 {
        self.low
    }
}

/// Cycles counted from a point in time.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Beat {
    anchor: Picoseconds,
    cycles: u64,
    hz: u64,
}

impl Beat {
    /// A beat that begins now; nothing when the clock stands.
    pub(super) fn new(now: Picoseconds, hz: u64) -> Option<Self> {
        (hz > 0).then_some(Self { anchor: now, cycles: 0, hz })
    }

    /// Whether the clock still has that frequency.
    pub(super) fn is_of(&self, hz: u64) -> bool {
        self.hz == hz
    }

    pub(super) fn advance(&mut self, cycles: u64) {
        self.cycles = self.cycles.saturating_add(cycles);
    }

    /// The time that was reached.
    pub(super) fn time(&self) -> Picoseconds {
        self.before(0)
    }

    /// The time some cycles before that.
    pub(super) fn before(&self, cycles: u64) -> Picoseconds {
        if self.hz == 0 {
            return self.anchor;
        }
        let ps = u128::from(self.cycles.saturating_sub(cycles)) * PS_PER_S as u128 / u128::from(self.hz);
        Picoseconds::new(self.anchor.ps().saturating_add(i64::try_from(ps).unwrap_or(i64::MAX)))
    }
}
