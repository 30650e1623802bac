//! What a field takes as JSON Schema (draft 2020-12), for editors.

use serde_json::{Value, json};

use crate::{TakesOf, named};

impl TakesOf<'_> {
    /// One value.
    pub fn schema(&self) -> Value {
        match *self {
            Self::Time { .. } => json!({"type": "string", "description": self.to_string()}),
            Self::Integer { lowest, highest, .. } | Self::Frequency { lowest, highest } => {
                or_text(&json!({"type": "integer", "minimum": lowest, "maximum": highest}))
            }
            // TOML has no numbers beyond these.
            Self::Count(lowest, highest) => {
                let highest = highest.min(i64::MAX.unsigned_abs());
                or_text(&json!({"type": "integer", "minimum": lowest, "maximum": highest}))
            }
            Self::Number { lowest, highest, .. } => {
                or_text(&json!({"type": "number", "minimum": lowest, "maximum": highest}))
            }
            // A word that looks like a number may be written as one.
            Self::Choice(words) => {
                let numbers = words.iter().filter_map(|word| word.parse::<i64>().ok()).map(Value::from);
                json!({"enum": words.iter().map(|word| json!(word)).chain(numbers).collect::<Vec<_>>()})
            }
            Self::Word(words) => {
                let truths = [("yes", true), ("no", false)];
                let truths = truths.iter().filter(|(word, _)| words.contains(word)).map(|(_, on)| json!(on));
                let numbers = words.iter().filter_map(|word| word.parse::<u64>().ok()).map(Value::from);
                let words = words.iter().map(|word| json!(word));
                json!({"enum": words.chain(truths).chain(numbers).collect::<Vec<_>>()})
            }
            Self::Switch => json!({"enum": [true, false, "on", "off"]}),
            Self::Flag => json!({"anyOf": [{"type": "boolean"}, {"enum": ["yes", "no"]}]}),
            Self::Port => json!({"type": ["integer", "string"], "minimum": 1, "maximum": u16::MAX}),
            Self::Size(..) | Self::Rate => json!({"type": ["string", "integer"], "minimum": 0}),
            Self::Numbered(names) => {
                let names = named::listed(names);
                let numbers = 0..names.len();
                json!({"enum": names.iter().map(|name| json!(name)).chain(numbers.map(Value::from)).collect::<Vec<_>>()})
            }
            Self::Quantity(quantity) => {
                let (lowest, highest) = quantity.range.unwrap_or((0, u32::MAX));
                or_text(
                    &json!({"type": "integer", "minimum": lowest, "maximum": highest, "multipleOf": quantity.step}),
                )
            }
            Self::AnyOf(_) => or_text(&json!({"type": "integer", "minimum": 0})),
            Self::Pin { lowest, highest, .. } => {
                or_text(&json!({"type": "integer", "minimum": lowest, "maximum": highest}))
            }
            Self::Bound(_) => json!({"type": "string", "pattern": "^ *(<=|>=|<|>) *[0-9]"}),
            Self::Duration
            | Self::Period
            | Self::Between(..)
            | Self::Percent(..)
            | Self::Address
            | Self::Host
            | Self::Endpoint(_)
            | Self::Text(_) => json!({"type": "string"}),
            Self::ShortText(most) => json!({"type": "string", "maxLength": most}),
            Self::Other(_, shape) => shape(),
        }
    }
}

fn or_text(number: &Value) -> Value {
    json!({"anyOf": [number, {"type": "string"}]})
}
