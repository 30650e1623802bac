//! Conversions between floating point and integers or fixed point, common to both precisions (RP2040 datasheet
//! 2.8.3.2.2): to integers with rounding towards minus infinity and clamping, from integers with rounding to nearest even.

/// A number as mantissa times a power of two; zero for what the library flushes to zero, a huge number for infinity.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unpacked {
    pub(super) mantissa: i64,
    pub(super) exponent: i32,
}

/// Exponent of infinity and not-a-number: whatever they are converted to is clamped.
const INFINITE: i32 = 1 << 20;

impl Unpacked {
    pub(super) fn of_single(x: f32) -> Self {
        const FRACTION_BITS: i32 = 23;
        let bits = x.to_bits();
        Self::of(
            bits >> 31 == 1,
            (bits >> FRACTION_BITS & 0xff) as i32,
            i64::from(bits & 0x7f_ffff),
            FRACTION_BITS,
            0xff,
        )
    }

    pub(super) fn of_double(x: f64) -> Self {
        const FRACTION_BITS: i32 = 52;
        let bits = x.to_bits();
        let fraction = (bits & ((1 << FRACTION_BITS) - 1)) as i64;
        Self::of(bits >> 63 == 1, (bits >> FRACTION_BITS & 0x7ff) as i32, fraction, FRACTION_BITS, 0x7ff)
    }

    fn of(negative: bool, biased: i32, fraction: i64, fraction_bits: i32, special: i32) -> Self {
        let (magnitude, exponent) = match biased {
            0 => (0, 0),
            _ if biased == special => (1, INFINITE),
            _ => (fraction | 1 << fraction_bits, biased - special / 2 - fraction_bits),
        };
        Self { mantissa: if negative { -magnitude } else { magnitude }, exponent }
    }

    /// Times 2^`places`, rounded down, within the limits.
    pub(super) fn to_fixed(self, places: i32, limits: std::ops::RangeInclusive<i128>) -> i128 {
        // 64 places up put any mantissa but 0 beyond all limits, 64 down leave 0 or -1.
        let shift = self.exponent.saturating_add(places).clamp(-63, 64);
        let mantissa = i128::from(self.mantissa);
        let value = if shift >= 0 { mantissa << shift } else { mantissa >> -shift };
        value.clamp(*limits.start(), *limits.end())
    }
}

/// Limits of the results.
pub(super) const I32: std::ops::RangeInclusive<i128> = i32::MIN as i128..=i32::MAX as i128;
pub(super) const U32: std::ops::RangeInclusive<i128> = 0..=u32::MAX as i128;
pub(super) const I64: std::ops::RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;
pub(super) const U64: std::ops::RangeInclusive<i128> = 0..=u64::MAX as i128;

/// `value` divided by 2^`places`.
pub(super) fn scaled(value: f64, places: i32) -> f64 {
    libm::ldexp(value, places.saturating_neg())
}
