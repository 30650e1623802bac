//! The time column of a Logic 2 export, read carefully: ISO 8601 with a UTC offset, or decimal seconds.
//! Exact to the picosecond, finer digits are cut. Also says where the digits of a time lie, so that the fast
//! path can read the rows that follow; knows nothing of rows and columns.

use crate::civil;

const PS_PER_S: i128 = 1_000_000_000_000;
/// Digits of a second that are kept: picoseconds.
pub(super) const KEPT_DIGITS: usize = 12;
/// Bytes of `2023-11-08T01:54:` and of the seconds after it.
const MINUTE_BYTES: usize = 17;
const SECOND_BYTES: usize = 19;
/// Significant digits that are looked at in exponent form; the range of a capture needs 19.
const MANTISSA_DIGITS: u32 = 30;

/// A time as the row gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RowTime {
    /// Whether it is a date (picoseconds since 1970) or seconds from the exporter's zero.
    pub(super) absolute: bool,
    pub(super) ps: i128,
    /// Where its digits lie; nothing for exponents, which keep no shape from row to row.
    pub(super) digits: Option<Digits>,
}

/// Where in the field the digits stand that change from row to row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digits {
    /// The two digits of the seconds, if they count as changing.
    pub(super) seconds_at: Option<usize>,
    pub(super) fraction_at: usize,
    pub(super) fraction_digits: usize,
    /// What the rest of the field amounts to, in picoseconds.
    pub(super) base_ps: i128,
    /// Whether seconds and fraction count downwards from `base_ps`.
    pub(super) negative: bool,
}

/// Reads a whole time field.
pub(super) fn parse(field: &[u8]) -> Result<RowTime, String> {
    let looks_like_a_date = field.len() > MINUTE_BYTES && field[4] == b'-' && field[7] == b'-';
    if looks_like_a_date { parse_date(field) } else { parse_seconds(field) }
}

fn parse_date(field: &[u8]) -> Result<RowTime, String> {
    let malformed = || {
        format!(
            "the time {} is no ISO 8601 time with a UTC offset like 2023-11-08T01:54:37.572612000+00:00",
            quoted(field)
        )
    };
    let head = field.get(..SECOND_BYTES).ok_or_else(malformed)?;
    let separators = [head[4], head[7], head[10], head[13], head[16]];
    if separators != *b"--T::" {
        return Err(malformed());
    }
    let number = |at: usize, count: usize| number(&head[at..at + count]).ok_or_else(malformed);
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    if !(1..=12).contains(&month) || !(1..=civil::days_in_month(year, month)).contains(&day) {
        return Err(format!("the date in {} does not exist", quoted(field)));
    }
    if second == 60 {
        return Err(format!("the time {} is a leap second, which no analyser records", quoted(field)));
    }
    if hour > 23 || minute > 59 || second > 60 {
        return Err(format!("the time of day in {} does not exist", quoted(field)));
    }
    let (fraction_at, fraction_digits) = fraction_after(field, SECOND_BYTES).ok_or_else(malformed)?;
    let offset_at = if fraction_digits == 0 { SECOND_BYTES } else { fraction_at + fraction_digits };
    let offset_minutes = utc_offset_minutes(&field[offset_at..]).ok_or_else(malformed)?;
    let minutes = civil::days_from_date(year, month, day) * 1_440 + hour * 60 + minute - offset_minutes;
    let base_ps = i128::from(minutes) * 60 * PS_PER_S;
    let fraction = i128::from(fraction_ps(&field[fraction_at..fraction_at + fraction_digits]));
    let seconds_at = Some(MINUTE_BYTES);
    Ok(RowTime {
        absolute: true,
        ps: base_ps + i128::from(second) * PS_PER_S + fraction,
        digits: Some(Digits { seconds_at, fraction_at, fraction_digits, base_ps, negative: false }),
    })
}

/// `Z`, `+hh:mm` or `-hh:mm`.
fn utc_offset_minutes(text: &[u8]) -> Option<i64> {
    match text {
        b"Z" => Some(0),
        [sign @ (b'+' | b'-'), hour_tens, hour_ones, b':', minute_tens, minute_ones] => {
            let hours = number(&[*hour_tens, *hour_ones]).filter(|hours| *hours < 24)?;
            let minutes = number(&[*minute_tens, *minute_ones]).filter(|minutes| *minutes < 60)?;
            let offset = hours * 60 + minutes;
            Some(if *sign == b'-' { -offset } else { offset })
        }
        _ => None,
    }
}

fn parse_seconds(field: &[u8]) -> Result<RowTime, String> {
    let malformed =
        || format!("the time {} is neither an ISO 8601 time nor a number of seconds", quoted(field));
    let (negative, whole_at) = match field.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let whole_digits = leading_digits(&field[whole_at..]);
    let whole_end = whole_at + whole_digits;
    let (fraction_at, fraction_digits) = fraction_after(field, whole_end).ok_or_else(malformed)?;
    let mantissa_end = if fraction_digits == 0 { whole_end } else { fraction_at + fraction_digits };
    if whole_digits == 0 {
        return Err(malformed());
    }
    let whole = &field[whole_at..whole_end];
    let fraction = &field[fraction_at..fraction_at + fraction_digits];
    let too_far = || format!("the time {} is too large for a capture", quoted(field));
    let signed = |ps: i128| if negative { -ps } else { ps };
    match &field[mantissa_end..] {
        [] => {
            let whole = number(whole).filter(|seconds| *seconds < 1 << 32).ok_or_else(too_far)?;
            let base_ps = signed(i128::from(whole) * PS_PER_S);
            let ps = base_ps + signed(i128::from(fraction_ps(fraction)));
            let digits = Digits { seconds_at: None, fraction_at, fraction_digits, base_ps, negative };
            Ok(RowTime { absolute: false, ps, digits: Some(digits) })
        }
        [b'e' | b'E', exponent @ ..] => {
            let exponent = signed_number(exponent).ok_or_else(malformed)?;
            let ps = scaled_ps(whole, fraction, exponent).ok_or_else(too_far)?;
            Ok(RowTime { absolute: false, ps: signed(ps), digits: None })
        }
        _ => Err(malformed()),
    }
}

/// `whole.fraction · 10^exponent` seconds in picoseconds, cut towards zero.
fn scaled_ps(whole: &[u8], fraction: &[u8], exponent: i64) -> Option<i128> {
    let mut mantissa: i128 = 0;
    let mut left_of_point = i64::try_from(whole.len()).ok()?;
    let mut significant_digits = 0;
    for byte in whole.iter().chain(fraction) {
        if significant_digits == MANTISSA_DIGITS {
            break;
        }
        mantissa = mantissa * 10 + i128::from(byte - b'0');
        significant_digits += u32::from(mantissa != 0);
        left_of_point -= 1;
    }
    if mantissa == 0 {
        return Some(0);
    }
    // `left_of_point` is now minus the count of digits taken from the fraction.
    let scale = left_of_point.checked_add(exponent)?.checked_add(KEPT_DIGITS as i64)?;
    let power = u32::try_from(scale.unsigned_abs()).ok().and_then(|scale| 10_i128.checked_pow(scale));
    match power {
        Some(power) if scale >= 0 => mantissa.checked_mul(power).filter(|ps| *ps < PS_PER_S << 32),
        Some(power) => Some(mantissa / power).filter(|ps| *ps < PS_PER_S << 32),
        None => (scale < 0).then_some(0),
    }
}

/// Start and count of the digits after a point at `at`; no digits when there is no point, nothing when a point
/// stands there without digits.
fn fraction_after(field: &[u8], at: usize) -> Option<(usize, usize)> {
    match field.get(at) {
        Some(b'.') => {
            let count = leading_digits(&field[at + 1..]);
            (count > 0).then_some((at + 1, count))
        }
        _ => Some((at, 0)),
    }
}

/// Decimal digits of a second in picoseconds; further digits are cut.
fn fraction_ps(digits: &[u8]) -> i64 {
    let kept = &digits[..digits.len().min(KEPT_DIGITS)];
    let value = kept.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0'));
    value * fraction_unit_ps(kept.len())
}

/// What the last of so many digits of a second counts, in picoseconds.
pub(super) fn fraction_unit_ps(digits: usize) -> i64 {
    10_i64.pow(KEPT_DIGITS.saturating_sub(digits) as u32)
}

fn leading_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A number of up to 18 digits and nothing else.
fn number(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || leading_digits(digits) < digits.len() {
        return None;
    }
    digits.iter().try_fold(0_i64, |value, digit| value.checked_mul(10)?.checked_add(i64::from(digit - b'0')))
}

fn signed_number(text: &[u8]) -> Option<i64> {
    match text {
        [b'-', digits @ ..] => number(digits).map(|value| -value),
        [b'+', digits @ ..] => number(digits),
        digits => number(digits),
    }
}

/// A field for an error message: printable and not too long.
pub(super) fn quoted(field: &[u8]) -> String {
    const SHOWN_BYTES: usize = 48;
    let shown = String::from_utf8_lossy(&field[..field.len().min(SHOWN_BYTES)]);
    let more = if field.len() > SHOWN_BYTES { "…" } else { "" };
    format!("`{}{more}`", shown.escape_debug())
}
