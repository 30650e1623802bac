//! What a setting's word holds: as the firmware notes it beside the default (`firmware/hal/settings.h`), else by the end of
//! its name. A note says it in words of its own; here it becomes what a declared field takes, which knows the values, their
//! refusals and how they are shown. What is left is how a value lies in 32 bits.

use std::net::Ipv4Addr;

use fields::{Quantity, TakesOf, Value};
use serde_json::json;

const ADDRESSES: [&str; 9] =
    ["address", "ip", "gateway", "mask", "subnet", "netmask", "server", "dns", "broker"];
const MOST_NAMES_OF_BITS: usize = 32;
/// Nothing is noted, and the name has no unit.
const ANYTHING: TakesOf<'static> = TakesOf::Other(
    "a whole number from 0 to 4294967295, on or off, or an IPv4 address such as 192.168.1.50",
    || json!({"type": ["integer", "boolean", "string"]}),
);

/// What the word takes as the firmware notes it; nothing where the note makes no sense.
pub(super) fn noted(text: &str) -> Option<TakesOf<'_>> {
    let names = |list: &str| list.split('|').all(|name| !name.trim().is_empty());
    match text.split_once(' ') {
        None if text == "address" => Some(TakesOf::Address),
        None if text == "on/off" => Some(TakesOf::Switch),
        None if matches!(text, "choice" | "any" | "text") => None,
        Some(("text", most)) => most.parse().ok().filter(|&most| most > 0).map(TakesOf::ShortText),
        Some(("choice", list)) => names(list).then_some(TakesOf::Numbered(list)),
        Some(("any", list)) => {
            let list = list.strip_prefix("of ")?;
            let has_bits = list.split('|').count() <= MOST_NAMES_OF_BITS;
            (names(list) && has_bits).then_some(TakesOf::AnyOf(list))
        }
        _ => quantity(text).map(TakesOf::Quantity),
    }
}

/// The same by the unit in which a name ends, for images that note nothing.
pub(super) fn by_name(name: &str) -> TakesOf<'_> {
    match last_word(name) {
        unit @ ("hz" | "s" | "ms" | "us" | "ns" | "bytes") => {
            TakesOf::Quantity(Quantity { unit, range: None, step: 1 })
        }
        _ => ANYTHING,
    }
}

/// The value that a word or a text has; `name` tells whether one of which nothing is known is an address.
pub(super) fn value_of(takes: &TakesOf<'_>, name: &str, bytes: &[u8]) -> Value {
    let Some(bytes) = bytes.first_chunk::<4>().copied().filter(|_| !is_text(takes)) else {
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        return Value::Text(String::from_utf8_lossy(&bytes[..end]).into_owned());
    };
    let number = u32::from_le_bytes(bytes);
    let is_address = matches!(takes, TakesOf::Address)
        || matches!(takes, TakesOf::Other(..)) && ADDRESSES.contains(&last_word(name));
    match takes {
        _ if is_address => Value::Text(Ipv4Addr::from(bytes).to_string()),
        TakesOf::Switch if number <= 1 => Value::Switch(number == 1),
        _ => Value::Integer(u64::from(number)),
    }
}

/// Whether it is no word.
pub(super) fn is_text(takes: &TakesOf<'_>) -> bool {
    matches!(takes, TakesOf::ShortText(_))
}

/// The bytes that a value stands for in so many of them, the first one first; nothing where it is none for them.
pub(super) fn bytes_of(takes: &TakesOf<'_>, value: &Value, room: usize) -> Option<Vec<u8>> {
    match value {
        Value::Text(text) if is_text(takes) => {
            let mut bytes = text.clone().into_bytes();
            let fits = bytes.len() <= room && !bytes.contains(&0);
            bytes.resize(room, 0);
            fits.then_some(bytes)
        }
        _ => word_of(value).map(Vec::from),
    }
}

fn word_of(value: &Value) -> Option<[u8; 4]> {
    let number = match value {
        Value::Integer(number) => u32::try_from(*number).ok()?,
        Value::Switch(on) => u32::from(*on),
        Value::Text(text) => return anything(text),
        _ => return None,
    };
    Some(number.to_le_bytes())
}

/// A number, a switch or an address.
fn anything(text: &str) -> Option<[u8; 4]> {
    let takes = [TakesOf::Quantity(Quantity { unit: "", range: None, step: 1 }), TakesOf::Switch];
    match takes.iter().find_map(|takes| takes.value(text)) {
        Some(value) => word_of(&value),
        None => text.parse().ok().map(|address: Ipv4Addr| address.octets()),
    }
}

fn last_word(name: &str) -> &str {
    name.rsplit('_').next().unwrap_or_default()
}

fn quantity(text: &str) -> Option<Quantity<'_>> {
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
    makes_sense.then_some(Quantity { unit, range, step })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ImageSetting;

    fn setting(name: &str, note: Option<&str>) -> ImageSetting {
        ImageSetting::of(name, 0, vec![0; 4], note.map(|kind| (kind.to_owned(), String::new())))
            .unwrap_or_else(|_| panic!("{note:?} is a kind"))
    }

    fn number(setting: &ImageSetting, text: &str) -> Option<u32> {
        setting.bytes_of(text).ok()?.try_into().ok().map(u32::from_le_bytes)
    }

    fn word(name: &str, text: &str) -> Option<u32> {
        number(&setting(name, None), text)
    }

    fn given(note: &str, text: &str) -> Option<u32> {
        number(&setting("it", Some(note)), text)
    }

    #[test]
    fn quantities_are_written_in_the_unit_of_the_name() {
        assert_eq!(word("spi_hz", "33 MHz"), Some(33_000_000));
        assert_eq!(word("poll_ms", "2s"), Some(2000));
        assert_eq!(word("window_bytes", "2 KiB"), Some(2048));
        assert_eq!(word("count", "0xff"), Some(255));
        assert_eq!([word("interrupts", "on"), word("interrupts", "off")], [Some(1), Some(0)]);
        assert!(word("count", "-1").is_none() && word("count", "5000000000").is_none());
        assert!(word("spi_hz", "33 MB").is_none() && word("count", "33 MHz").is_none());
    }

    #[test]
    fn an_address_has_its_first_octet_at_the_lowest_address() {
        for (name, note) in [("server_address", None), ("it", Some("address"))] {
            let setting = ImageSetting { bytes: vec![192, 168, 1, 50], ..setting(name, note) };
            assert_eq!(setting.bytes_of("192.168.1.50").unwrap(), setting.bytes);
            assert_eq!(setting.text(), "192.168.1.50");
        }
        assert_eq!(given("address", "5"), None);
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
    fn what_an_image_notes_is_what_its_setting_takes() {
        assert_eq!((given("choice tcp|udp", "udp"), given("choice tcp|udp", "2")), (Some(1), None));
        assert_eq!((given("any of sink|source", "source"), given("any of sink", "2")), (Some(2), None));
        assert_eq!((given("ms 1..8000", "8 s"), given("ms 1..8000", "0")), (Some(8000), None));
        assert_eq!(given("port 1..65535", "65536"), None);
        assert_eq!(["on", "true", "1", "off"].map(|text| given("on/off", text)), [1, 1, 1, 0].map(Some));
    }

    #[test]
    fn words_are_shown_with_their_unit_and_written_without() {
        let of = |note: &str, value: u32| ImageSetting {
            bytes: value.to_le_bytes().into(),
            ..setting("it", Some(note))
        };
        assert_eq!(
            (of("hz", 33_300_000).shown(), of("hz", 33_300_000).text()),
            ("33.3 MHz".into(), "33300000".into())
        );
        assert_eq!([of("on/off", 1).shown(), of("on/off", 2).shown()], ["on", "2"]);
        assert_eq!([of("choice a|b", 1).text(), of("any of a|b", 3).text()], ["b", "a+b"]);
    }

    #[test]
    fn a_text_has_zeros_behind_it_and_a_bound() {
        let of = |text: &str| {
            let room = ImageSetting { bytes: vec![b'x'; 8], ..setting("ssid", Some("text 6")) };
            room.bytes_of(text).ok().map(|bytes| ImageSetting { bytes, ..room.clone() })
        };
        let lab = of("my lab").expect("it fits");
        assert_eq!(
            (lab.bytes.as_slice(), lab.text(), lab.value()),
            (&b"my lab\0\0"[..], "my lab".into(), None)
        );
        assert_eq!(
            (of("too long"), of("a\0b"), of("").map(|none| none.text())),
            (None, None, Some(String::new()))
        );
        assert_eq!(lab.takes(), "a text of at most 6 bytes");
    }

    #[test]
    fn a_note_that_makes_no_sense_is_no_kind() {
        let notes = [
            "",
            "text",
            "text 0",
            "text x",
            "choice",
            "choice a||b",
            "any sink",
            "ms 5..1",
            "ms 1-5",
            "ms 1..x",
            "hz 1..9 by 0",
        ];
        assert!(notes.iter().all(|note| noted(note).is_none()));
    }
}
