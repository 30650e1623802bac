//! The fields of a board file itself, declared once: the reader refuses others, and JSON Schema and reference page come from
//! here. Those of its chips are in `kinds`.

use fields::{Field, Takes};
use serde_json::{Value, json};

use super::LAST_GPIO;
use crate::kinds::kinds;
use crate::schema::chips_of;

/// All of them; `pins` and `chips` are tables.
pub(crate) const FIELDS: &[Field] = &[
    Field::open("name", TEXT, "what the board is called; by default as its file", "\"my-board\""),
    Field::open("title", TEXT, "a line for people; by default its name", "\"My board\""),
    Field::needed("mcu", Takes::Choice(MCUS), "the microcontroller", "\"rp2040\""),
    Field::new(
        "crystal",
        Takes::Text("a frequency from 1 MHz to 15 MHz"),
        "12 MHz",
        "the crystal at XIN",
        "\"12 MHz\"",
    ),
    Field::new(
        "flash",
        Takes::Text("a power of two from 64 KiB to 16 MiB"),
        "2 MiB",
        "size of the flash chip",
        "\"2 MiB\"",
    ),
    Field::open(
        "pins",
        Takes::Other("a table: names with a GPIO, 0 to 29", pins),
        "names of pins, such as LED = 25, those with spaces in quotes; the first name of a GPIO is shown",
        "{ LED = 25 }",
    ),
    Field::open(
        "chips",
        Takes::Other("a table of tables: kind, and the fields of that kind", || chips_of(kinds())),
        "the chips on the board, each in a table of the name that the board gives it, such as [chips.led]",
        "{ led = { kind = \"led\", pin = 25 } }",
    ),
];

/// The microcontrollers that there are.
const MCUS: &[&str] = &[rp2040::FACTS.name];
const TEXT: Takes = Takes::Text("a text");

fn pins() -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"type": "integer", "minimum": 0, "maximum": LAST_GPIO},
    })
}
