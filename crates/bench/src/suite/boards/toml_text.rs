//! A table of a suite as a TOML document of its own, for the readers of files: a network may stand in the suite itself.

use toml::de::{DeTable, DeValue};

use fields::toml_file::{fields_of, plain};

/// The table as a document, a field to each line.
pub(super) fn document_of(table: &DeTable<'_>) -> String {
    let line = |(name, _, value): &fields::toml_file::Field<'_>| {
        format!("{} = {}\n", quoted(name), inline(value.get_ref()))
    };
    fields_of(table).iter().map(line).collect()
}

fn inline(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => quoted(text),
        DeValue::Array(list) => {
            let values: Vec<String> = list.iter().map(|value| inline(value.get_ref())).collect();
            format!("[{}]", values.join(", "))
        }
        DeValue::Table(table) => {
            let fields = fields_of(table);
            let fields: Vec<String> = fields
                .iter()
                .map(|(name, _, value)| format!("{} = {}", quoted(name), inline(value.get_ref())))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => plain(other).unwrap_or_else(|| "\"a date\"".to_owned()),
    }
}

/// A basic string (TOML 1.0, string).
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_means_the_same_as_a_document_of_its_own() {
        let text = "cable = { impair = \"loss=1%\" }\npc.nagle = false\nnote = \"a \\\"b\\\" \\u0007\"\nlist = [1, 2]\n";
        let table = DeTable::parse(text).unwrap().into_inner();
        let document = document_of(&table);
        let plainly: toml::Value = toml::from_str(text).unwrap();
        assert_eq!(toml::from_str::<toml::Value>(&document).unwrap(), plainly);
    }
}
