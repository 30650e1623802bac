//! The fields of a board file itself, declared once: the reader refuses others, and JSON Schema and reference page come from
//! here. Those of its chips are in `kinds`. What depends on the microcontroller comes from the facts of those that there are.

use std::sync::LazyLock;

use fields::{Field, Takes};
use serde_json::{Value, json};

use crate::kinds::kinds;
use crate::mcus::{LAST_GPIO, MCUS, in_bytes, in_hertz, of_each};
use crate::schema::chips_of;

/// What the microcontrollers' facts say, in words.
struct Words {
    names: Vec<&'static str>,
    crystals: String,
    usual_crystal: String,
    flashes: String,
    usual_flash: String,
    pins: String,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| Words {
    names: MCUS.iter().map(|kind| kind.facts.name).collect(),
    crystals: of_each(|facts| {
        let [lowest, highest] = [facts.crystal_hz.start(), facts.crystal_hz.end()].map(|&hz| in_hertz(hz));
        format!("a frequency from {lowest} to {highest}")
    }),
    usual_crystal: of_each(|facts| in_hertz(facts.usual_crystal_hz)),
    flashes: of_each(|facts| {
        let [least, most] =
            [facts.flash_bytes.start(), facts.flash_bytes.end()].map(|&bytes| in_bytes(bytes));
        if least == most { least } else { format!("a power of two from {least} to {most}") }
    }),
    usual_flash: of_each(|facts| in_bytes(u64::from(facts.usual_flash_bytes))),
    pins: format!("a table: names with a GPIO, {}", of_each(|facts| format!("0 to {}", facts.last_gpio()))),
});

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let words = &*WORDS;
    vec![
        Field::open("name", TEXT, "what the board is called; by default as its file", "\"my-board\""),
        Field::open("title", TEXT, "a line for people; by default its name", "\"My board\""),
        Field::needed("mcu", Takes::Choice(&words.names), "the microcontroller", "\"rp2040\""),
        Field::new(
            "crystal",
            Takes::Text(&words.crystals),
            &words.usual_crystal,
            "the crystal at XIN",
            "\"12 MHz\"",
        ),
        Field::new(
            "flash",
            Takes::Text(&words.flashes),
            &words.usual_flash,
            "size of the flash chip",
            "\"2 MiB\"",
        ),
        Field::open(
            "pins",
            Takes::Other(&words.pins, pins),
            "names of pins, such as LED = 25, those with spaces in quotes; the first name of a GPIO is shown",
            "{ LED = 25 }",
        ),
        Field::open(
            "chips",
            Takes::Other("a table of tables: kind, and the fields of that kind", || chips_of(kinds())),
            "the chips on the board, each in a table of the name that the board gives it, such as [chips.led]",
            "{ led = { kind = \"led\", pin = 25 } }",
        ),
    ]
});

const TEXT: Takes = Takes::Text("a text");

/// All of them; `pins` and `chips` are tables.
pub(crate) fn board_fields() -> &'static [Field] {
    &FIELDS
}

fn pins() -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": LAST_GPIO},
    })
}
