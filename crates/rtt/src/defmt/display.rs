//! Texts with their values, as knurling-rs's tools show them: a hint says how a value is written, and one without a hint has that
//! of the text around it.
//!
//! Left out: the hint `cbor`, whose bytes are shown as bytes.

use std::fmt::{Arguments, Write};

use defmt_parser::{DisplayHint, Fragment, TimePrecision, Type};

use super::table::{FlagsKey, Table};
use super::values::{Formatted, Value};

/// A longer message is cut: few bytes may stand for many long texts.
const MOST_BYTES: usize = 1 << 16;
const BITS: u32 = 128;
/// Years behind it have a sign in ISO 8601.
const LAST_PLAIN_YEAR: u64 = 9999;

/// A message under way.
pub(super) struct Display<'t> {
    table: &'t Table,
    text: String,
}

/// The message of a text and its values.
pub(super) fn display(table: &Table, formatted: &Formatted<'_>) -> String {
    let mut display = Display { table, text: String::new() };
    display.formatted(formatted, None);
    display.text
}

impl Display<'_> {
    /// Adds to the text; nothing can fail but memory.
    fn put(&mut self, text: Arguments<'_>) {
        if self.text.len() < MOST_BYTES {
            let _ = self.text.write_fmt(text);
        }
    }

    fn formatted(&mut self, formatted: &Formatted<'_>, around: Option<&DisplayHint>) {
        for fragment in &formatted.format.fragments {
            match fragment {
                Fragment::Literal(literal) => self.put(format_args!("{literal}")),
                Fragment::Parameter(parameter) => {
                    if let Some(value) = formatted.values.get(parameter.index) {
                        self.value(value, &parameter.ty, parameter.hint.as_ref(), around);
                    }
                }
            }
        }
    }

    fn value(
        &mut self,
        value: &Value<'_>,
        kind: &Type,
        own: Option<&DisplayHint>,
        around: Option<&DisplayHint>,
    ) {
        let hint = own.or(around);
        match value {
            Value::Bool(value) => self.put(format_args!("{value}")),
            Value::F32(value) => self.put(format_args!("{value:?}")),
            Value::F64(value) => self.put(format_args!("{value:?}")),
            Value::Char(value) => self.put(format_args!("{value}")),
            Value::Unsigned(value) => match (kind, hint) {
                (Type::BitField(bits), _) => {
                    self.bit_field(*value, u32::from(bits.start), u32::from(bits.end), hint);
                }
                (_, Some(DisplayHint::ISO8601(precision))) => self.date(*value as u64, precision),
                (_, Some(DisplayHint::Debug)) => self.unsigned(*value, around),
                _ => self.unsigned(*value, hint),
            },
            Value::Signed(value) => self.signed(*value, kind, hint),
            Value::Text(text) => self.string(text, hint),
            Value::Interned(text) => self.string(text, hint),
            Value::Bytes(bytes) => self.bytes(bytes, hint),
            Value::Formatted(inner) => {
                let is_ascii = matches!(around, Some(DisplayHint::Ascii));
                self.formatted(inner, if is_ascii { around } else { hint });
            }
            Value::Sequence(sequence) => sequence.iter().for_each(|inner| self.formatted(inner, hint)),
            Value::List(list) => match (hint, bytes_of(list)) {
                (Some(DisplayHint::Ascii), Some(bytes)) => self.bytes(&bytes, hint),
                _ => self.list(list, |display, inner| display.formatted(inner, hint)),
            },
        }
    }

    fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (place, one) in list.iter().enumerate() {
            self.put(format_args!("{}", if place == 0 { "[" } else { ", " }));
            each(self, one);
        }
        self.put(format_args!("{}", if list.is_empty() { "[]" } else { "]" }));
    }

    fn string(&mut self, text: &str, hint: Option<&DisplayHint>) {
        match hint {
            Some(DisplayHint::Debug) => self.put(format_args!("{text:?}")),
            _ => self.put(format_args!("{text}")),
        }
    }

    fn bytes(&mut self, bytes: &[u8], hint: Option<&DisplayHint>) {
        match hint {
            Some(DisplayHint::Ascii) => self.put(format_args!("b\"{}\"", bytes_as_text(bytes))),
            Some(
                DisplayHint::Hexadecimal { .. } | DisplayHint::Octal { .. } | DisplayHint::Binary { .. },
            ) => {
                self.list(bytes, |display, byte| display.unsigned(u128::from(*byte), hint));
            }
            _ => self.put(format_args!("{bytes:?}")),
        }
    }

    fn bit_field(&mut self, value: u128, from: u32, to: u32, hint: Option<&DisplayHint>) {
        let above = BITS - to;
        let field = value.checked_shl(above).unwrap_or(0).checked_shr(above + from).unwrap_or(0);
        match hint {
            Some(DisplayHint::Ascii) => {
                let unused = (above + from) as usize / 8;
                self.bytes(&field.to_be_bytes()[unused..], hint);
            }
            _ => self.unsigned(field, hint),
        }
    }

    fn unsigned(&mut self, value: u128, hint: Option<&DisplayHint>) {
        match hint {
            Some(DisplayHint::NoHint { zero_pad: digits }) => self.put(format_args!("{value:0digits$}")),
            Some(
                DisplayHint::Hexadecimal { .. } | DisplayHint::Octal { .. } | DisplayHint::Binary { .. },
            ) => {
                self.in_base(value, hint);
            }
            Some(DisplayHint::Seconds(TimePrecision::Micros)) => {
                self.put(format_args!("{}.{:06}", value / 1_000_000, value % 1_000_000));
            }
            Some(DisplayHint::Seconds(TimePrecision::Millis)) => {
                self.put(format_args!("{}.{:03}", value / 1_000, value % 1_000));
            }
            Some(DisplayHint::Time(precision)) => self.time(value, precision),
            Some(DisplayHint::Bitflags { name, package, disambiguator, crate_name }) => {
                let key = FlagsKey {
                    name: name.clone(),
                    package: package.clone(),
                    disambiguator: disambiguator.clone(),
                    crate_name: crate_name.clone(),
                };
                self.flags(value, &key);
            }
            _ => self.put(format_args!("{value}")),
        }
    }

    fn signed(&mut self, value: i128, kind: &Type, hint: Option<&DisplayHint>) {
        match hint {
            Some(DisplayHint::NoHint { zero_pad: digits }) => self.put(format_args!("{value:0digits$}")),
            // Of a negative number its bits: of hexadecimal ones as many as its type has.
            Some(DisplayHint::Hexadecimal { .. }) => {
                let unused = BITS - bits_of(kind);
                self.in_base((value as u128) << unused >> unused, hint);
            }
            Some(DisplayHint::Octal { .. } | DisplayHint::Binary { .. }) => self.in_base(value as u128, hint),
            _ => self.put(format_args!("{value}")),
        }
    }

    fn in_base(&mut self, value: u128, hint: Option<&DisplayHint>) {
        let Some(hint) = hint else { return };
        match *hint {
            DisplayHint::Hexadecimal { alternate, uppercase, zero_pad: digits } => {
                match (alternate, uppercase) {
                    (false, false) => self.put(format_args!("{value:0digits$x}")),
                    (false, true) => self.put(format_args!("{value:0digits$X}")),
                    (true, false) => self.put(format_args!("{value:#0digits$x}")),
                    (true, true) => self.put(format_args!("{value:#0digits$X}")),
                }
            }
            DisplayHint::Octal { alternate: false, zero_pad: digits } => {
                self.put(format_args!("{value:0digits$o}"));
            }
            DisplayHint::Octal { alternate: true, zero_pad: digits } => {
                self.put(format_args!("{value:#0digits$o}"));
            }
            DisplayHint::Binary { alternate: false, zero_pad: digits } => {
                self.put(format_args!("{value:0digits$b}"));
            }
            DisplayHint::Binary { alternate: true, zero_pad: digits } => {
                self.put(format_args!("{value:#0digits$b}"));
            }
            _ => {}
        }
    }

    /// The names of the flags that are set; one without bits only where none is.
    fn flags(&mut self, value: u128, key: &FlagsKey) {
        let Some(flags) = self.table.flags(key) else {
            self.put(format_args!("{value}"));
            return;
        };
        let is_set = |flag: u128| if flag == 0 { value == 0 } else { value & flag == flag };
        let set: Vec<&str> = flags.filter(|(_, flag)| is_set(*flag)).map(|(name, _)| name).collect();
        let set = if set.is_empty() { "(empty)".to_owned() } else { set.join(" | ") };
        self.put(format_args!("{set}"));
    }

    /// A time of day, with days before it where there are any.
    fn time(&mut self, value: u128, precision: &TimePrecision) {
        let (seconds, fraction) = match precision {
            TimePrecision::Micros => (value / 1_000_000, format!(".{:06}", value % 1_000_000)),
            TimePrecision::Millis => (value / 1_000, format!(".{:03}", value % 1_000)),
            TimePrecision::Seconds => (value, String::new()),
        };
        let (days, hours) = (seconds / 86_400, seconds / 3_600 % 24);
        if days > 0 {
            self.put(format_args!("{days}:"));
        }
        self.put(format_args!("{hours:02}:{:02}:{:02}{fraction}", seconds / 60 % 60, seconds % 60));
    }

    /// The date and time of a number since 1970 in ISO 8601.
    fn date(&mut self, value: u64, precision: &TimePrecision) {
        let (seconds, fraction) = match precision {
            TimePrecision::Micros => (value / 1_000_000, format!(".{:06}", value % 1_000_000)),
            TimePrecision::Millis => (value / 1_000, format!(".{:03}", value % 1_000)),
            TimePrecision::Seconds => (value, String::new()),
        };
        let (year, month, day) = date_of(seconds / 86_400);
        let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
        let sign = if year > LAST_PLAIN_YEAR { "+" } else { "" };
        self.put(format_args!(
            "{sign}{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z"
        ));
    }
}

/// The bytes of a list of bytes, which a hint may show as a text.
fn bytes_of(list: &[Formatted<'_>]) -> Option<Vec<u8>> {
    let byte = |one: &Formatted<'_>| match (one.format.types.as_slice(), one.values.as_slice()) {
        ([Type::U8], [Value::Unsigned(byte)]) => u8::try_from(*byte).ok(),
        _ => None,
    };
    list.iter().map(byte).collect::<Option<Vec<u8>>>().filter(|bytes| !bytes.is_empty())
}

/// As Rust writes them in a literal.
fn bytes_as_text(bytes: &[u8]) -> String {
    let shown = bytes.iter().map(|&byte| match byte {
        b'\t' => "\\t".to_owned(),
        b'\n' => "\\n".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    });
    shown.collect()
}

fn bits_of(kind: &Type) -> u32 {
    match kind {
        Type::I8 => 8,
        Type::I16 => 16,
        Type::I32 | Type::Isize => 32,
        Type::I64 => 64,
        _ => BITS,
    }
}

/// Year, month and day of the Gregorian calendar, so many days after 1970 began. Years are counted from March on, so that the
/// day that is put in comes last, in eras of 400 years.
fn date_of(days: u64) -> (u64, u64, u64) {
    const DAYS_OF_ERA: u64 = 146_097;
    const DAYS_FROM_YEAR_0_TO_1970: u64 = 719_468;
    let days = days + DAYS_FROM_YEAR_0_TO_1970;
    let (era, day_of_era) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months_from_march + 2) / 5 + 1;
    let month = if months_from_march < 10 { months_from_march + 3 } else { months_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_since_1970_have_the_dates_of_the_gregorian_calendar() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (31 + 28, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_089, (2025, 1, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date_of(days), date, "{days}");
        }
    }
}
