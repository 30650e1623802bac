//! The exact times of SPI frames: whole picoseconds plus a remainder in parts of 1/clk_peri, so that frame after frame
//! follows at a rate that is no whole number of picoseconds without drift and without a division for each frame.
//! Everything that needs one is computed when the clock or the registers change.

use units::{PS_PER_S, Picoseconds};

/// What lies between the last bit of a frame and the first of the next when the transmit FIFO never runs dry, in half
/// SCK periods, for SPH = 0 and SPH = 1. No document states it; it follows from the timing diagrams and measurements.
///
/// SPH = 0: the select line must go high between two frames (RP2040 datasheet 4.4.3.10): half a period from the last
/// bit to its rise, half a period high, half a period low before the next bit, so that 8 bits take 9.5 SCK and SCK rests
/// for 2 periods in all. Measured: "about 2 clk" between bytes (pico-examples issue 285), "~30 ns" at 62.5 MHz
/// (pico-sdk issue 292; 32 ns here), and 2.42 MB/s read from an SD card with clk_peri at 48 MHz, thus at most 24 MHz
/// SCK (SdFat issues 397 and 481; the bus gives 2.53 MB/s here, and with a half period more only 2.40).
///
/// SPH = 1: the select line stays low. "Very close to 8.5" SCK for 8 bits were measured in mode 3 with DMA
/// (pico-feedback issue 39), which leaves half a period.
const GAP_HALF_PERIODS: [u64; 2] = [3, 1];

/// From the select line's falling edge to the first bit on MOSI (RP2040 datasheet 4.4.3.10 to 4.4.3.13).
const LEAD_HALF_PERIODS: u64 = 1;

/// From the end of the last bit until the select line is high: one period after the last bit is captured, which
/// happens in the bit's middle (RP2040 datasheet 4.4.3.10 to 4.4.3.13).
pub(super) const TRAIL_HALF_PERIODS: u64 = 1;

/// How long the select line is high at least.
const HIGH_HALF_PERIODS: u64 = 1;

/// clk_peri cycles from a write to the data register of an idle SPI to the select line's falling edge: the synchroniser
/// between bus clock and clk_peri (RP2040 datasheet 4.4.2.9). Not measured; the phase of the prescaler, which runs on
/// its own, is left out.
const START_CYCLES: u64 = 2;

/// The receive timeout, in SCK periods (RP2040 datasheet 4.4.2.8).
const TIMEOUT_PERIODS: u64 = 32;

/// A length of time: whole picoseconds and a remainder in 1/hz of a picosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Span {
    ps: i64,
    remainder: u64,
}

impl Span {
    /// The whole picoseconds.
    #[inline]
    pub(super) fn whole(self) -> Picoseconds {
        Picoseconds::new(self.ps)
    }
}

/// A point in time, alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Instant {
    ps: i64,
    remainder: u64,
}

impl Instant {
    /// Before anything happened.
    pub(super) const LONG_AGO: Self = Self { ps: i64::MIN, remainder: 0 };

    pub(super) fn at(time: Picoseconds) -> Self {
        Self { ps: time.ps(), remainder: 0 }
    }

    pub(super) fn time(self) -> Picoseconds {
        Picoseconds::new(self.ps)
    }
}

/// How fast frames go with the present clock and registers.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Pace {
    hz: u64,
    cr0: u32,
    cpsr: u32,
    /// clk_peri cycles of half an SCK period.
    half_cycles: u64,
    /// SCK.
    pub(super) sck_hz: u64,
    /// Bits in a frame.
    pub(super) word_bits: u8,
    /// SPO and SPH.
    pub(super) mode: u8,
    /// From the end of the last bit until the select line is high.
    pub(super) trail: Span,
    /// How long the select line is high at least.
    pub(super) high: Span,
    /// The bits of a frame.
    pub(super) bits: Span,
    /// From a write to the select line's falling edge.
    pub(super) start_up: Span,
    /// From the select line's falling edge to the end of the last bit.
    pub(super) to_last_bit: Span,
    /// From the end of one frame's last bit to the end of the next one's.
    pub(super) frame: Span,
    /// The receive timeout.
    pub(super) timeout: Span,
}

impl Pace {
    /// The pace that a clock and the control registers give; nothing when the clock or the prescaler stands.
    pub(super) fn new(hz: u64, cr0: u32, cpsr: u32) -> Option<Self> {
        if hz == 0 || cpsr == 0 {
            return None;
        }
        // CPSDVSR is even and SCK has equal halves, so half a period is a whole number of cycles.
        let half_cycles = u64::from(cpsr / 2) * (1 + u64::from(cr0 >> 8 & 0xff));
        let (word_bits, mode) = (frame_bits(cr0), mode(cr0));
        let bits = u64::from(word_bits);
        let gap = GAP_HALF_PERIODS[usize::from(mode & 1)];
        let sck_hz = hz / (2 * half_cycles);
        let mut pace = Self { hz, cr0, cpsr, half_cycles, sck_hz, word_bits, mode, ..Self::default() };
        pace.trail = pace.halves(TRAIL_HALF_PERIODS);
        pace.high = pace.halves(HIGH_HALF_PERIODS);
        pace.bits = pace.halves(2 * bits);
        pace.start_up = span(hz, START_CYCLES);
        pace.to_last_bit = pace.halves(LEAD_HALF_PERIODS + 2 * bits);
        pace.frame = pace.halves(2 * bits + gap);
        pace.timeout = pace.halves(2 * TIMEOUT_PERIODS);
        Some(pace)
    }

    /// Whether this is the pace of that clock and those registers.
    #[inline]
    pub(super) fn is_of(&self, hz: u64, cr0: u32, cpsr: u32) -> bool {
        self.hz == hz && self.cr0 == cr0 && self.cpsr == cpsr
    }

    #[inline]
    pub(super) fn after(&self, from: Instant, span: Span) -> Instant {
        let remainder = from.remainder + span.remainder;
        let carry = remainder >= self.hz;
        Instant {
            ps: from.ps.saturating_add(span.ps).saturating_add(i64::from(carry)),
            remainder: if carry { remainder - self.hz } else { remainder },
        }
    }

    #[inline]
    pub(super) fn before(&self, from: Instant, span: Span) -> Instant {
        let borrow = from.remainder < span.remainder;
        Instant {
            ps: from.ps.saturating_sub(span.ps).saturating_sub(i64::from(borrow)),
            remainder: if borrow { from.remainder + self.hz } else { from.remainder } - span.remainder,
        }
    }

    /// The same point in time in parts of this pace's clock.
    pub(super) fn adopt(&self, instant: Instant) -> Instant {
        Instant { remainder: if instant.remainder < self.hz { instant.remainder } else { 0 }, ..instant }
    }

    /// Whether a bit is captured at the second edge of SCK (SPH).
    pub(super) fn captures_second(&self) -> bool {
        self.mode & 1 == 1
    }

    /// The level of SCK at rest (SPO).
    pub(super) fn sck_at_rest(&self) -> bool {
        self.mode & 2 != 0
    }

    /// The bits that a frame has room for.
    #[inline]
    pub(super) fn mask(&self, word: u16) -> u16 {
        word & (u16::MAX >> (16 - self.word_bits.max(1)))
    }

    /// Half an SCK period, as long as which the select line is high at least.
    #[inline]
    pub(super) fn half(&self) -> Span {
        const { assert!(HIGH_HALF_PERIODS == 1) };
        self.high
    }

    /// A number of half SCK periods.
    fn halves(&self, count: u64) -> Span {
        span(self.hz, self.half_cycles * count)
    }
}

/// Bits in a frame: DSS + 1; the reserved settings below 3 count as 3.
fn frame_bits(cr0: u32) -> u8 {
    (cr0 & 0xf).max(3) as u8 + 1
}

/// SPO is bit 1, SPH bit 0.
fn mode(cr0: u32) -> u8 {
    ((cr0 >> 5 & 2) | (cr0 >> 7 & 1)) as u8
}

fn span(hz: u64, cycles: u64) -> Span {
    let total = u128::from(cycles) * PS_PER_S as u128;
    let ps = i64::try_from(total / u128::from(hz)).unwrap_or(i64::MAX);
    Span { ps, remainder: (total % u128::from(hz)) as u64 }
}
