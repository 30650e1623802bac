//! A quantity in a word of 32 bits: so many of a unit, which a user may write with that unit or without.

use std::fmt;

use units::{Bytes, Hertz, Picoseconds};

/// So many of a unit, from the least to the most, and a multiple of a step. Times, frequencies and sizes are known; another
/// unit (port, pin, baud) is only shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity<'a> {
    /// hz, s, ms, us, ns, bytes, or any other word.
    pub unit: &'a str,
    /// The least and the most, where they are narrower than 32 bits.
    pub range: Option<(u32, u32)>,
    /// It is a multiple of this.
    pub step: u32,
}

impl Quantity<'_> {
    /// The number of a text, where it is one and within the range.
    pub(crate) fn read(&self, text: &str) -> Option<u64> {
        let value = number(text).or_else(|| {
            let count = match self.unit {
                "hz" => text.parse::<Hertz>().ok()?.hz(),
                "bytes" => text.parse::<Bytes>().ok()?.get(),
                unit => whole(text, unit_ps(unit)?)?,
            };
            u32::try_from(count).ok()
        })?;
        let (least, most) = self.range.unwrap_or((0, u32::MAX));
        let fits = (least..=most).contains(&value) && value.is_multiple_of(self.step);
        fits.then_some(u64::from(value))
    }

    /// A value with its unit, for people.
    pub(crate) fn shown(&self, value: u64) -> String {
        match self.unit {
            "hz" => hertz(value),
            "bytes" => Bytes::new(value).to_string(),
            unit @ ("baud" | "bit/s") => format!("{value} {unit}"),
            unit if unit_ps(unit).is_some() => format!("{value} {unit}"),
            _ => value.to_string(),
        }
    }
}

/// What it takes, as a sentence goes on behind `it takes`.
impl fmt::Display for Quantity<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.unit, self.range) {
            ("hz", None) => "a frequency of at most 4294967295 Hz, such as 33 MHz or 33000000".to_owned(),
            ("hz", Some((least, most))) => {
                format!("a frequency from {} to {}", hertz(least.into()), hertz(most.into()))
            }
            ("bytes", None) => "a size, such as 2 KiB or 2048".to_owned(),
            ("bytes", Some((least, most))) => format!("a size from {least} to {most} bytes"),
            (unit, range) => match (unit_name(unit), range) {
                (Some((name, example)), None) => {
                    let (number, _) = example.split_once(' ').unwrap_or_default();
                    format!("a time in whole {name}, such as {example} or {number}")
                }
                (Some((name, _)), Some((least, most))) => {
                    format!("a time in whole {name} from {least} to {most}")
                }
                (None, None) => format!("a whole number from 0 to {}", u32::MAX),
                (None, Some((least, most))) => format!("a whole number from {least} to {most}"),
            },
        };
        out.write_str(&what)?;
        match (self.step, self.unit) {
            (1, _) => Ok(()),
            (step, "hz") => write!(out, " in steps of {}", hertz(step.into())),
            (step, _) => write!(out, " in steps of {step}"),
        }
    }
}

/// A number of 32 bits as C has it, with `_` between digits.
pub(crate) fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.replace('_', "").parse().ok(),
    }
}

/// A time as a whole number of a unit.
fn whole(text: &str, unit_ps: i64) -> Option<u64> {
    let time: Picoseconds = text.parse().ok()?;
    u64::try_from(time.ps() / unit_ps).ok().filter(|_| time.ps() % unit_ps == 0)
}

fn hertz(value: u64) -> String {
    let steps = [(1_000_000, "MHz"), (1_000, "kHz")];
    // To a hundredth of the unit, so that 33.3 MHz reads so.
    let fitting = steps.iter().find(|(unit, _)| value >= *unit && value.is_multiple_of(unit / 100));
    fitting.map_or_else(
        || format!("{value} Hz"),
        |(unit, name)| format!("{} {name}", value as f64 / *unit as f64),
    )
}

fn unit_ps(unit: &str) -> Option<i64> {
    match unit {
        "s" => Some(units::PS_PER_S),
        "ms" => Some(units::PS_PER_MS),
        "us" => Some(units::PS_PER_US),
        "ns" => Some(units::PS_PER_NS),
        _ => None,
    }
}

fn unit_name(unit: &str) -> Option<(&'static str, &'static str)> {
    match unit {
        "s" => Some(("seconds", "2 s")),
        "ms" => Some(("milliseconds", "64 ms")),
        "us" => Some(("microseconds", "500 us")),
        "ns" => Some(("nanoseconds", "30 ns")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Quantity;
    use crate::TakesOf;

    fn of(unit: &str) -> Quantity<'_> {
        Quantity { unit, range: None, step: 1 }
    }

    #[test]
    fn quantities_are_written_in_their_unit_or_without() {
        assert_eq!(of("hz").read("33 MHz"), Some(33_000_000));
        assert_eq!(of("hz").read("33250000"), Some(33_250_000));
        assert_eq!([of("ms").read("64 ms"), of("ms").read("2s")], [Some(64), Some(2000)]);
        assert_eq!(of("us").read("1.5 ms"), Some(1500));
        assert_eq!(of("bytes").read("2 KiB"), Some(2048));
        assert_eq!(of("port").read("0xff"), Some(255));
        assert_eq!(["-1", "5000000000", "33 MHz"].map(|text| of("port").read(text)), [None; 3]);
        assert_eq!([of("hz").read("33 MB"), of("ms").read("1500 us")], [None; 2]);
    }

    #[test]
    fn a_quantity_keeps_its_range_and_its_step() {
        let kind = Quantity { range: Some((63_000_000, 133_000_000)), step: 1_000_000, ..of("hz") };
        assert_eq!(["63 MHz", "125000000", "133 MHz"].map(|text| kind.read(text).is_some()), [true; 3]);
        assert_eq!(["62 MHz", "134 MHz", "125.5 MHz", "0"].map(|text| kind.read(text)), [None; 4]);
        assert_eq!(kind.to_string(), "a frequency from 63 MHz to 133 MHz in steps of 1 MHz");
        let kind = Quantity { range: Some((1, 8000)), ..of("ms") };
        assert_eq!((kind.read("8 s"), kind.read("0")), (Some(8000), None));
    }

    #[test]
    fn values_are_shown_with_their_unit_and_written_without() {
        let shown = |unit, value| of(unit).shown(value);
        assert_eq!(shown("hz", 33_300_000), "33.3 MHz");
        assert_eq!([shown("hz", 48_000), shown("hz", 31_250_001)], ["48 kHz", "31250001 Hz"]);
        assert_eq!([shown("ms", 64), shown("bytes", 32), shown("port", 80)], ["64 ms", "32 B", "80"]);
        let takes = TakesOf::Quantity(of("hz"));
        assert_eq!(takes.text(&takes.value("33.3 MHz").unwrap()), "33300000");
    }
}
