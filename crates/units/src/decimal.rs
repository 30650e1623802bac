//! Exact parsing of decimal numbers with a unit, shared by all quantities. No floating point: `0.1ms` is
//! exactly 100 000 000 ps.

use thiserror::Error;

/// A quantity that could not be read; its message says what was expected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseQuantityError {
    /// The text has no leading number.
    #[error("`{text}` has no number; write a number and a unit, for example {example}")]
    NoNumber {
        /// The text as given.
        text: String,
        /// A value that would be accepted.
        example: &'static str,
    },
    /// The unit is missing.
    #[error("`{text}` has no unit; the known units are {known}, for example {example}")]
    NoUnit {
        /// The text as given.
        text: String,
        /// Accepted units.
        known: &'static str,
        /// A value that would be accepted.
        example: &'static str,
    },
    /// The unit is unknown.
    #[error("`{text}` has the unit `{unit}`, but the known units are {known}; for example {example}")]
    UnknownUnit {
        /// The text as given.
        text: String,
        /// The unit part of the text.
        unit: String,
        /// Accepted units.
        known: &'static str,
        /// A value that would be accepted.
        example: &'static str,
    },
    /// The number does not fit, or is finer than the smallest unit.
    #[error("`{text}` is out of range or finer than {finest}")]
    OutOfRange {
        /// The text as given.
        text: String,
        /// The smallest step that is representable.
        finest: &'static str,
    },
}

/// A family of units: name and size of each in the smallest step.
pub(crate) struct UnitFamily {
    pub(crate) units: &'static [(&'static str, i128)],
    pub(crate) known: &'static str,
    pub(crate) finest: &'static str,
    pub(crate) example: &'static str,
}

impl UnitFamily {
    /// Reads `text` as a whole number of the family's smallest steps.
    pub(crate) fn parse(&self, text: &str) -> Result<i64, ParseQuantityError> {
        let trimmed = text.trim();
        let split =
            trimmed.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | '_')).unwrap_or(trimmed.len());
        let (number, unit) = (&trimmed[..split], trimmed[split..].trim());
        if !is_number(number) {
            return Err(ParseQuantityError::NoNumber { text: text.to_owned(), example: self.example });
        }
        let Some(&(_, scale)) = self.units.iter().find(|(name, _)| *name == unit) else {
            let (text, known, example) = (text.to_owned(), self.known, self.example);
            return Err(if unit.is_empty() {
                ParseQuantityError::NoUnit { text, known, example }
            } else {
                ParseQuantityError::UnknownUnit { text, unit: unit.to_owned(), known, example }
            });
        };
        scaled(number, scale)
            .and_then(|steps| i64::try_from(steps).ok())
            .ok_or_else(|| ParseQuantityError::OutOfRange { text: text.to_owned(), finest: self.finest })
    }
}

/// Whether a text is one number: a sign at its front alone, at most one point, and a digit.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    unsigned.bytes().any(|byte| byte.is_ascii_digit()) && is_digits(whole) && is_digits(fraction)
}

/// `number * scale` if that is a whole number, in exact decimal arithmetic.
fn scaled(number: &str, scale: i128) -> Option<i128> {
    let (negative, digits) = match number.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut value = digits_of(whole)?.checked_mul(scale)?;
    let fraction = fraction.trim_end_matches(['0', '_']);
    let places = fraction.bytes().filter(|byte| *byte != b'_').count();
    let parts = 10_i128.checked_pow(u32::try_from(places).ok()?)?;
    let steps = digits_of(fraction)?.checked_mul(scale)?;
    if steps % parts != 0 {
        return None;
    }
    value = value.checked_add(steps / parts)?;
    Some(if negative { -value } else { value })
}

fn digits_of(text: &str) -> Option<i128> {
    let digits = text.bytes().filter(|byte| *byte != b'_');
    digits.map(digit).try_fold(0_i128, |value, digit| value.checked_mul(10)?.checked_add(digit?))
}

fn digit(byte: u8) -> Option<i128> {
    byte.is_ascii_digit().then(|| i128::from(byte - b'0'))
}
