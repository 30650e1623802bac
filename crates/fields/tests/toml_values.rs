//! Values in files: each is read by the declaration of its field, and refused in one sentence with its line.

use std::path::Path;

use fields::toml_file::{TomlFile, fields_of};
use fields::{Field, Takes, Value};
use units::{PS_PER_MS, Picoseconds};

const FIELDS: &[Field] = &[
    Field::new("count", Takes::Count(1, 200), "10", "how many", "0x20"),
    Field::new("share", Takes::Percent(0.01, 50.0), "1 %", "how much", "\"5 %\""),
    Field::open(
        "limit",
        Takes::Between(Picoseconds::new(1), Picoseconds::new(PS_PER_MS)),
        "when",
        "\"1 us\"",
    ),
    Field::open("pressed", Takes::Flag, "whether", "true"),
    Field::open("pin", Takes::Pin { which: "with an ADC input", lowest: 26, highest: 29 }, "where", "26"),
];

fn read(text: &str) -> Result<Value, String> {
    let file = TomlFile { path: Path::new("my.toml"), text };
    let document = file.parse().map_err(|error| error.to_string())?;
    let (name, _, value) = fields_of(&document)[0].clone();
    file.declared("table.", FIELDS, name, value).map_err(|error| error.to_string())
}

#[test]
fn a_value_is_written_as_toml_has_it_or_as_on_the_command_line() {
    let time = |ps| Ok(Value::Time(Picoseconds::new(ps)));
    for text in ["count = 32", "count = 0x20", "count = '32'"] {
        assert_eq!(read(text), Ok(Value::Integer(32)), "{text}");
    }
    assert_eq!(read("share = '5 %'"), Ok(Value::Number(0.05)));
    assert_eq!((read("limit = '1 us'"), read("limit = '1 ms'")), (time(1_000_000), time(PS_PER_MS)));
    assert_eq!(
        (read("pressed = true"), read("pressed = 'no'")),
        (Ok(Value::Switch(true)), Ok(Value::Switch(false)))
    );
    assert_eq!(read("pin = 29"), Ok(Value::Pin(29)));
}

#[test]
fn what_is_no_value_is_refused_with_what_the_field_takes() {
    let cases = [
        ("count = 201", "table.count is 201, but it takes a whole number from 1 to 200"),
        ("count = 1.5", "table.count is 1.5, but it takes a whole number from 1 to 200"),
        ("count = [1]", "table.count is a list, but it takes a whole number from 1 to 200"),
        ("share = 5", "table.share is 5, but it takes a share from 0.01 % to 50 %, such as \"1 %\""),
        (
            "share = '51 %'",
            "table.share is \"51 %\", but it takes a share from 0.01 % to 50 %, such as \"1 %\"",
        ),
        ("limit = '0 s'", "table.limit is \"0 s\", but it takes a time of at most 1 ms, such as \"1 us\""),
        ("pressed = 1", "table.pressed is 1, but it takes true or false"),
        ("pin = 25", "table.pin is 25, but it takes a pin with an ADC input: GPIO 26 to 29"),
    ];
    for (text, says) in cases {
        assert_eq!(read(text), Err(format!("my.toml:1: {says}")), "{text}");
    }
}
