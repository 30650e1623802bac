//! Values of impairments: exact, so that what is printed reads back as the same, and no draw depends on rounding.

use std::fmt;

use sim::RandomStream;
use units::{PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US, Picoseconds};

const CERTAIN: u64 = 1_000_000_000_000_000;
const CERTAIN_DIGITS: i32 = 15;
/// Below this a probability is written with an exponent.
const EXPONENT_BELOW: u64 = 10_000_000_000;

/// A probability in whole parts of 10^15.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Probability(u64);

impl Probability {
    /// It never happens.
    pub const NEVER: Self = Self(0);
    /// It always happens.
    pub const ALWAYS: Self = Self(CERTAIN);

    /// So many parts of a million; at most all of them.
    pub const fn per_million(parts: u64) -> Self {
        Self(if parts >= 1_000_000 { CERTAIN } else { parts * (CERTAIN / 1_000_000) })
    }

    /// As a number from 0 to 1.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / CERTAIN as f64
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let (number, shift) = match text.trim().strip_suffix('%') {
            Some(number) => (number.trim_end(), CERTAIN_DIGITS - 2),
            None => (text.trim(), CERTAIN_DIGITS),
        };
        decimal(number, shift).filter(|&parts| parts <= CERTAIN).map(Self)
    }

    pub(super) fn draw(self, random: &mut RandomStream) -> bool {
        self.0 > 0 && random.below(CERTAIN) < self.0
    }
}

/// `12.5%`, or `1e-9` where a percentage would be mostly zeros.
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 && self.0 < EXPONENT_BELOW {
            let zeros = (0..).take_while(|&n| self.0.is_multiple_of(10u64.pow(n + 1))).count() as u32;
            return write!(f, "{}e{}", self.0 / 10u64.pow(zeros), zeros as i32 - CERTAIN_DIGITS);
        }
        let percent = CERTAIN / 100;
        let (whole, rest) = (self.0 / percent, self.0 % percent);
        let text = format!("{whole}.{rest:013}");
        write!(f, "{}%", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Bits a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

const RATE_UNITS: [(&str, u64, i32); 4] =
    [("Gbit", 1_000_000_000, 9), ("Mbit", 1_000_000, 6), ("kbit", 1_000, 3), ("bit", 1, 0)];
/// With these, the longest queue of the longest frames ends within the range of time.
const SLOWEST: u64 = 1_000;
const FASTEST: u64 = 100_000_000_000;

impl BitRate {
    /// A number of bits a second from 1 kbit to 100 Gbit.
    pub fn new(bits_per_second: u64) -> Option<Self> {
        (SLOWEST..=FASTEST).contains(&bits_per_second).then_some(Self(bits_per_second))
    }

    /// Bits a second.
    pub fn bits_per_second(self) -> u64 {
        self.0
    }

    /// How long so many bytes take; a part of a picosecond counts as a whole one, so that the rate is never exceeded.
    pub fn time_of(self, bytes: usize) -> Picoseconds {
        let ps = (bytes as u128 * 8 * PS_PER_S as u128).div_ceil(u128::from(self.0));
        Picoseconds::new(i64::try_from(ps).unwrap_or(i64::MAX / 4))
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix("/s").unwrap_or(text);
        let (unit, _, digits) = RATE_UNITS.iter().find(|(unit, ..)| text.ends_with(unit))?;
        Self::new(decimal(text.strip_suffix(unit)?.trim_end(), *digits)?)
    }
}

/// In the largest unit that keeps the number whole: `1500kbit`.
impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = RATE_UNITS.iter().find(|(_, scale, _)| self.0.is_multiple_of(*scale));
        let (unit, scale, _) = fits.expect("every rate is a whole number of bits");
        write!(f, "{}{unit}", self.0 / scale)
    }
}

/// A time in the largest unit that keeps the number whole: `1500us`.
pub(super) fn exact(time: Picoseconds) -> String {
    let units = [("s", PS_PER_S), ("ms", PS_PER_MS), ("us", PS_PER_US), ("ns", PS_PER_NS), ("ps", 1)];
    let fits = units.iter().find(|(_, scale)| time.ps() % scale == 0);
    let (unit, scale) = fits.expect("every time is a whole number of picoseconds");
    format!("{}{unit}", time.ps() / scale)
}

/// A decimal number, with or without an exponent, times 10^`shift`; nothing where that is not a whole number.
fn decimal(text: &str, shift: i32) -> Option<u64> {
    const MOST_DIGITS: usize = 24;
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || digits.len() > MOST_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u128 = digits.parse().ok()?;
    let power = shift.checked_add(exponent)?.checked_sub(fraction.len() as i32)?;
    if number == 0 {
        return Some(0);
    }
    let scale = 10u128.checked_pow(power.unsigned_abs())?;
    let scaled = match power {
        0.. => number.checked_mul(scale)?,
        _ => number.is_multiple_of(scale).then(|| number / scale)?,
    };
    u64::try_from(scaled).ok()
}
