//! What a setting takes as JSON Schema (draft 2020-12), for editors.

use serde_json::{Value, json};

use crate::Kind;

impl Kind {
    /// One value of a setting.
    pub fn schema(&self) -> Value {
        match self {
            Kind::Time { .. } => json!({"type": "string", "description": self.to_string()}),
            Kind::Integer { lowest, highest, .. } => {
                json!({"anyOf": [{"type": "integer", "minimum": lowest, "maximum": highest}, {"type": "string"}]})
            }
            Kind::Frequency { lowest, highest } => {
                json!({"anyOf": [{"type": "integer", "minimum": lowest, "maximum": highest}, {"type": "string"}]})
            }
            Kind::Number { lowest, highest, .. } => {
                json!({"anyOf": [{"type": "number", "minimum": lowest, "maximum": highest}, {"type": "string"}]})
            }
            // A word that looks like a number may be written as one.
            Kind::Choice(words) => {
                let numbers: Vec<Value> =
                    words.iter().filter_map(|word| word.parse::<i64>().ok()).map(Value::from).collect();
                let words = words.iter().map(|word| Value::from(*word));
                json!({"enum": words.chain(numbers).collect::<Vec<_>>()})
            }
            Kind::Switch => json!({"enum": [true, false, "on", "off"]}),
        }
    }
}
