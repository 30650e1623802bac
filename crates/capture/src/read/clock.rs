//! The times of samples that a file counts rather than states: sample n of a sample rate, exactly.

use units::{Hertz, PS_PER_S};

/// Sample numbers to picoseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SampleClock {
    rate: Hertz,
    /// The period as a fraction in lowest terms, which keeps products within 64 bits for most captures.
    period_ps: (u64, u64),
}

impl SampleClock {
    /// A clock of `rate`, or nothing when its period is below a picosecond.
    pub(crate) fn new(rate: Hertz) -> Option<Self> {
        const HZ_MAX: u64 = PS_PER_S as u64;
        let divisor = greatest_common_divisor(HZ_MAX, rate.hz());
        (rate.hz() <= HZ_MAX).then(|| Self { rate, period_ps: (HZ_MAX / divisor, rate.hz() / divisor) })
    }

    /// The time of sample `number`, or nothing when it is out of range.
    pub(crate) fn time_ps(self, number: u64) -> Option<i64> {
        let (numerator, denominator) = self.period_ps;
        match number.checked_mul(numerator) {
            Some(product) => i64::try_from(product / denominator).ok(),
            None => self.rate.try_edge(number).map(units::Picoseconds::ps),
        }
    }
}

/// The largest number that divides both; the other one where one is 0.
pub(crate) fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// What to say when a time does not fit.
pub(crate) const TOO_LATE: &str = "its time lies beyond the 106 days that can be counted; cut the capture";

/// A sample rate as sigrok writes it: `24 MHz`, or a bare number of hertz.
pub(crate) fn parse_rate(text: &str) -> Option<Hertz> {
    match text.parse() {
        Ok(rate) => Some(rate),
        Err(_) => text.trim().parse().ok().and_then(Hertz::new),
    }
}
