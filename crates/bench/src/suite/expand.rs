//! Lists of values: an entry whose settings hold lists stands for every combination of them.

use toml::de::DeValue;

use fields::toml_file::{Value, plain};

/// A setting and the values that it takes in turn.
pub(super) type Choices = (String, Vec<String>);

/// The values of a setting: those of its list, or its only one. The error says what a setting is.
pub(super) fn values_of(value: &Value<'_>) -> Result<Vec<String>, &'static str> {
    let values: Option<Vec<String>> = match value.get_ref() {
        DeValue::Array(list) => list.iter().map(|value| plain(value.get_ref())).collect(),
        other => plain(other).map(|value| vec![value]),
    };
    let some = values.filter(|values| !values.is_empty());
    some.ok_or("a setting is a text, a number, true or false, or a list of these")
}

/// Every combination, the last setting varying fastest.
pub(super) fn combinations(choices: &[Choices]) -> Vec<Vec<(String, String)>> {
    let mut all: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (name, values) in choices {
        all = all
            .into_iter()
            .flat_map(|before| {
                values.iter().map(move |value| {
                    let mut next = before.clone();
                    next.push((name.clone(), value.clone()));
                    next
                })
            })
            .collect();
    }
    all
}

/// The entry's name with the settings that vary: `lora sf=9 bandwidth=125 kHz`.
pub(super) fn label(entry: &str, choices: &[Choices], combination: &[(String, String)]) -> String {
    let varied = combination
        .iter()
        .filter(|(name, _)| choices.iter().any(|(other, values)| other == name && values.len() > 1));
    varied.fold(entry.to_owned(), |label, (name, value)| format!("{label} {name}={value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_combine_and_only_what_varies_is_named() {
        let choices = [
            ("sf".to_owned(), vec!["7".to_owned(), "9".to_owned()]),
            ("crc".to_owned(), vec!["on".to_owned()]),
        ];
        let all = combinations(&choices);
        let labels: Vec<String> =
            all.iter().map(|combination| label("lora", &choices, combination)).collect();
        assert_eq!(labels, ["lora sf=7", "lora sf=9"]);
    }
}
