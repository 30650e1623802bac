//! What a setting's word holds: as the firmware notes it beside the default (`firmware/hal/settings.h`), else by the end of
//! its name. From there come the words that it takes, what is refused, and how it is shown.

use std::fmt;
use std::net::Ipv4Addr;

use units::{Bytes, Hertz, Picoseconds};

/// What a setting's word holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// An IPv4 address, its first octet at the lowest address.
    Address,
    /// On or off.
    Switch,
    /// One of these, numbered from 0.
    Choice(Vec<String>),
    /// A sum of these, which are 1, 2, 4 and so on.
    AnyOf(Vec<String>),
    /// A number.
    Quantity(Quantity),
    /// Nothing is noted, and its name has no unit: a number, a switch or an address.
    Anything {
        /// Whether its name says that it is an address.
        is_address: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Quantity {
    unit: String,
    range: Option<(u32, u32)>,
    /// It is a multiple of this.
    step: u32,
}

const ADDRESSES: [&str; 9] =
    ["address", "ip", "gateway", "mask", "subnet", "netmask", "server", "dns", "broker"];
const MOST_NAMES_OF_BITS: usize = 32;

impl Kind {
    /// As the firmware notes it; nothing where the note makes no sense.
    pub(super) fn noted(text: &str) -> Option<Self> {
        let names = |list: &str| -> Option<Vec<String>> {
            let names: Vec<String> = list.split('|').map(|name| name.trim().to_owned()).collect();
            (!names.iter().any(String::is_empty)).then_some(names)
        };
        match text.split_once(' ') {
            None if text == "address" => Some(Self::Address),
            None if text == "on/off" => Some(Self::Switch),
            None if text == "choice" || text == "any" => None,
            Some(("choice", list)) => names(list).map(Self::Choice),
            Some(("any", list)) => {
                let names = names(list.strip_prefix("of ")?)?;
                (names.len() <= MOST_NAMES_OF_BITS).then_some(Self::AnyOf(names))
            }
            _ => Quantity::noted(text).map(Self::Quantity),
        }
    }

    /// By the unit in which a name ends, for images that note nothing.
    pub(super) fn by_name(name: &str) -> Self {
        match name.rsplit('_').next().unwrap_or_default() {
            unit @ ("hz" | "s" | "ms" | "us" | "ns" | "bytes") => {
                Self::Quantity(Quantity { unit: unit.to_owned(), range: None, step: 1 })
            }
            last => Self::Anything { is_address: ADDRESSES.contains(&last) },
        }
    }

    /// The bytes that a text stands for, the first one first.
    pub(super) fn word(&self, text: &str) -> Option<[u8; 4]> {
        let word = match self {
            Self::Address => return address(text),
            Self::Switch => switch(text)?,
            Self::Choice(names) => position(names, text)
                .or_else(|| number(text).filter(|&value| (value as usize) < names.len()))?,
            Self::AnyOf(names) => any_of(names, text)?,
            Self::Quantity(quantity) => quantity.word(text)?,
            Self::Anything { .. } => match number(text).or_else(|| switch(text)) {
                Some(value) => value,
                None => return address(text),
            },
        };
        Some(word.to_le_bytes())
    }

    /// A word as a user would write it.
    pub(super) fn text(&self, bytes: [u8; 4]) -> String {
        let value = u32::from_le_bytes(bytes);
        let named = match self {
            Self::Address | Self::Anything { is_address: true } => Some(Ipv4Addr::from(bytes).to_string()),
            Self::Switch if value <= 1 => Some(["off", "on"][value as usize].to_owned()),
            Self::Choice(names) => names.get(value as usize).cloned(),
            Self::AnyOf(names) => sum_of(names, value),
            _ => None,
        };
        named.unwrap_or_else(|| value.to_string())
    }

    /// A word with its unit, for people.
    pub(super) fn shown(&self, bytes: [u8; 4]) -> String {
        match self {
            Self::Quantity(quantity) => quantity.shown(u32::from_le_bytes(bytes)),
            _ => self.text(bytes),
        }
    }
}

/// What it takes, as a sentence goes on behind `it takes`.
impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address => out.write_str("an IPv4 address such as 192.168.1.50"),
            Self::Switch => out.write_str("on or off"),
            Self::Choice(names) => {
                let numbered = names.iter().zip(0..).map(|(name, number)| format!("{name} ({number})"));
                out.write_str(&listed(numbered.collect(), "or"))
            }
            Self::AnyOf(names) => {
                let numbered = names.iter().zip(0..).map(|(name, bit)| format!("{name} ({})", 1u32 << bit));
                write!(out, "any of {} with + between them, or none", listed(numbered.collect(), "and"))
            }
            Self::Quantity(quantity) => quantity.fmt(out),
            Self::Anything { .. } => out.write_str(
                "a whole number from 0 to 4294967295, on or off, or an IPv4 address such as 192.168.1.50",
            ),
        }
    }
}

impl Quantity {
    fn noted(text: &str) -> Option<Self> {
        let (text, step) = match text.split_once(" by ") {
            Some((text, step)) => (text, step.parse().ok().filter(|&step: &u32| step > 0)?),
            None => (text, 1),
        };
        let (unit, range) = match text.split_once(' ') {
            Some((unit, range)) => {
                let (least, most) = range.split_once("..")?;
                (unit, Some((least.parse().ok()?, most.parse().ok()?)))
            }
            None => (text, None),
        };
        let makes_sense = !unit.is_empty() && range.is_none_or(|(least, most)| least <= most);
        makes_sense.then(|| Self { unit: unit.to_owned(), range, step })
    }

    fn word(&self, text: &str) -> Option<u32> {
        let value = number(text).or_else(|| {
            let count = match self.unit.as_str() {
                "hz" => text.parse::<Hertz>().ok()?.hz(),
                "bytes" => text.parse::<Bytes>().ok()?.get(),
                unit => whole(text, unit_ps(unit)?)?,
            };
            u32::try_from(count).ok()
        })?;
        let (least, most) = self.range.unwrap_or((0, u32::MAX));
        ((least..=most).contains(&value) && value.is_multiple_of(self.step)).then_some(value)
    }

    fn shown(&self, value: u32) -> String {
        match self.unit.as_str() {
            "hz" => hertz(value),
            "bytes" => Bytes::new(u64::from(value)).to_string(),
            unit @ ("baud" | "bit/s") => format!("{value} {unit}"),
            unit if unit_ps(unit).is_some() => format!("{value} {unit}"),
            _ => value.to_string(),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (self.unit.as_str(), self.range) {
            ("hz", None) => "a frequency of at most 4294967295 Hz, such as 33 MHz or 33000000".to_owned(),
            ("hz", Some((least, most))) => format!("a frequency from {} to {}", hertz(least), hertz(most)),
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
        match (self.step, self.unit.as_str()) {
            (1, _) => Ok(()),
            (step, "hz") => write!(out, " in steps of {}", hertz(step)),
            (step, _) => write!(out, " in steps of {step}"),
        }
    }
}

fn hertz(value: u32) -> String {
    let steps = [(1_000_000, "MHz"), (1_000, "kHz")];
    // To a hundredth of the unit, so that 33.3 MHz reads so.
    let fitting = steps.iter().find(|(unit, _)| value >= *unit && value.is_multiple_of(unit / 100));
    fitting.map_or_else(
        || format!("{value} Hz"),
        |(unit, name)| format!("{} {name}", f64::from(value) / f64::from(*unit)),
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

fn address(text: &str) -> Option<[u8; 4]> {
    text.parse().ok().map(|address: Ipv4Addr| address.octets())
}

fn switch(text: &str) -> Option<u32> {
    match text {
        "on" | "true" | "1" => Some(1),
        "off" | "false" | "0" => Some(0),
        _ => None,
    }
}

fn position(names: &[String], text: &str) -> Option<u32> {
    names.iter().position(|name| name == text).and_then(|at| u32::try_from(at).ok())
}

fn any_of(names: &[String], text: &str) -> Option<u32> {
    let all = names.iter().zip(0..).fold(0, |all, (_, bit)| all | 1u32 << bit);
    match (text, number(text)) {
        ("none", _) => Some(0),
        (_, Some(value)) => (value & !all == 0).then_some(value),
        (text, None) => {
            text.split('+').try_fold(0, |sum, name| Some(sum | 1u32 << position(names, name.trim())?))
        }
    }
}

fn sum_of(names: &[String], value: u32) -> Option<String> {
    let chosen = names.iter().zip(0..).filter(|(_, bit)| value >> bit & 1 == 1);
    let text: Vec<&str> = chosen.map(|(name, _)| name.as_str()).collect();
    match (value, any_of(names, &value.to_string())) {
        (0, _) => Some("none".to_owned()),
        (_, known) => known.map(|_| text.join("+")),
    }
}

/// A number as C has it, with `_` between digits.
fn number(text: &str) -> Option<u32> {
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

fn listed(mut names: Vec<String>, between: &str) -> String {
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} {between} {last}", names.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(name: &str, text: &str) -> Option<u32> {
        Kind::by_name(name).word(text).map(u32::from_le_bytes)
    }

    fn noted(kind: &str) -> Kind {
        Kind::noted(kind).unwrap_or_else(|| panic!("{kind} is a kind"))
    }

    fn given(kind: &str, text: &str) -> Option<u32> {
        noted(kind).word(text).map(u32::from_le_bytes)
    }

    #[test]
    fn quantities_are_written_in_the_unit_of_the_name() {
        assert_eq!(word("spi_hz", "33 MHz"), Some(33_000_000));
        assert_eq!(word("spi_hz", "33250000"), Some(33_250_000));
        assert_eq!(word("poll_ms", "64 ms"), Some(64));
        assert_eq!(word("poll_ms", "2s"), Some(2000));
        assert_eq!(word("poll_us", "1.5 ms"), Some(1500));
        assert_eq!(word("window_bytes", "2 KiB"), Some(2048));
        assert_eq!(word("count", "0xff"), Some(255));
        assert_eq!([word("interrupts", "on"), word("interrupts", "off")], [Some(1), Some(0)]);
        assert!(word("count", "-1").is_none() && word("count", "5000000000").is_none());
        assert!(word("spi_hz", "33 MB").is_none() && word("count", "33 MHz").is_none());
    }

    #[test]
    fn an_address_has_its_first_octet_at_the_lowest_address() {
        for kind in [Kind::by_name("server_address"), Kind::Address] {
            assert_eq!(kind.word("192.168.1.50"), Some([192, 168, 1, 50]));
            assert_eq!(kind.text([192, 168, 1, 50]), "192.168.1.50");
        }
        assert_eq!(noted("address").word("5"), None);
    }

    #[test]
    fn a_setting_with_a_unit_is_no_switch_and_no_address() {
        for name in ["spi_hz", "keep_alive_s", "poll_ms", "poll_us", "work_ns", "window_bytes"] {
            for text in ["on", "false", "192.168.1.50"] {
                assert!(word(name, text).is_none(), "{name}={text}");
            }
            assert_eq!(word(name, "0x10"), Some(16), "{name}");
        }
    }

    #[test]
    fn choices_go_by_their_names_and_by_their_numbers_and_nothing_beside() {
        let kind = "choice tcp|udp|uart";
        assert_eq!(["tcp", "udp", "uart", "2"].map(|text| given(kind, text)), [0, 1, 2, 2].map(Some));
        assert_eq!(["3", "on", "TCP", ""].map(|text| given(kind, text)), [None; 4]);
        assert_eq!(noted(kind).text([1, 0, 0, 0]), "udp");
        assert_eq!(noted(kind).text([9, 0, 0, 0]), "9", "an image may have been changed by other means");
        assert_eq!(noted(kind).to_string(), "tcp (0), udp (1) or uart (2)");
    }

    #[test]
    fn sums_are_of_names_or_a_number_of_known_bits() {
        let kind = "any of sink|source|echo";
        assert_eq!(["sink+echo", "none", "7", "echo"].map(|text| given(kind, text)), [5, 0, 7, 4].map(Some));
        assert_eq!(["8", "sink+sing", "+"].map(|text| given(kind, text)), [None; 3]);
        assert_eq!([5, 0, 9].map(|value: u8| noted(kind).text([value, 0, 0, 0])), ["sink+echo", "none", "9"]);
    }

    #[test]
    fn a_quantity_keeps_its_range_and_its_step() {
        let kind = "hz 63000000..133000000 by 1000000";
        assert_eq!(["63 MHz", "125000000", "133 MHz"].map(|text| given(kind, text).is_some()), [true; 3]);
        assert_eq!(["62 MHz", "134 MHz", "125.5 MHz", "0"].map(|text| given(kind, text)), [None; 4]);
        assert_eq!(noted(kind).to_string(), "a frequency from 63 MHz to 133 MHz in steps of 1 MHz");
        assert_eq!((given("ms 1..8000", "8 s"), given("ms 1..8000", "0")), (Some(8000), None));
        assert_eq!(given("port 1..65535", "65536"), None);
    }

    #[test]
    fn words_are_shown_with_their_unit_and_written_without() {
        let shown = |kind: &str, value: u32| noted(kind).shown(value.to_le_bytes());
        assert_eq!(shown("hz", 33_300_000), "33.3 MHz");
        assert_eq!([shown("hz", 48_000), shown("hz", 31_250_001)], ["48 kHz", "31250001 Hz"]);
        assert_eq!([shown("ms 0..8000", 64), shown("bytes", 32)], ["64 ms", "32 B"]);
        assert_eq!([shown("port 1..65535", 80), shown("on/off", 1), shown("on/off", 2)], ["80", "on", "2"]);
        assert_eq!(noted("hz").text(33_300_000u32.to_le_bytes()), "33300000");
    }

    #[test]
    fn a_note_that_makes_no_sense_is_no_kind() {
        let notes = ["", "choice", "choice a||b", "any sink", "ms 5..1", "ms 1-5", "ms 1..x", "hz 1..9 by 0"];
        assert_eq!(notes.map(Kind::noted), [const { None }; 8]);
    }
}
