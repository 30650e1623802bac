//! What a shell offers while a user writes `NAME=VALUE`: the names of declared fields, then the values of one.

use crate::FieldOf;

/// A text that may stand where the user writes, and what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The whole text, what the user has written so far included.
    pub text: String,
    /// What it means, in one line.
    pub help: String,
}

/// What may be written in place of `typed`. Names come with their equals sign. Where one name alone fits, its values come as
/// well: a shell that completes what all candidates have in common stops behind the equals sign then.
pub fn assignments(declared: &[FieldOf<'_>], typed: &str) -> Vec<Candidate> {
    if let Some((name, begun)) = typed.split_once('=') {
        let field = declared.iter().find(|field| field.name == name);
        return field.map_or_else(Vec::new, |field| of_values(field, begun));
    }
    let fitting: Vec<&FieldOf<'_>> = declared.iter().filter(|field| field.name.starts_with(typed)).collect();
    let mut candidates: Vec<Candidate> = fitting
        .iter()
        .map(|field| Candidate { text: format!("{}=", field.name), help: help(field) })
        .collect();
    if let [only] = fitting[..] {
        candidates.extend(of_values(only, ""));
    }
    candidates
}

/// Values that a field takes, as a user would write them without blanks: all of them where they can be counted, else its
/// default, the values worth trying and its example.
pub fn values(field: &FieldOf<'_>) -> Vec<String> {
    let mut known = field.takes.values();
    if known.is_empty() {
        let said = field.default.into_iter().chain(field.alternatives.iter().copied()).chain([field.example]);
        for text in said {
            // An example of a file stands in quotes, one of a list is a whole part of it, and a shell takes a blank for the
            // end of a word.
            let text = text.trim_matches('"').replace(' ', "");
            let text = text.strip_prefix(&format!("{}=", field.name)).map(str::to_owned).unwrap_or(text);
            if !text.is_empty() && field.takes.holds(&text) && !known.contains(&text) {
                known.push(text);
            }
        }
    }
    known
}

fn of_values(field: &FieldOf<'_>, begun: &str) -> Vec<Candidate> {
    let fitting = values(field).into_iter().filter(|value| value.starts_with(begun));
    fitting.map(|value| Candidate { text: format!("{}={value}", field.name), help: help(field) }).collect()
}

fn help(field: &FieldOf<'_>) -> String {
    format!("{} ({})", field.help, field.takes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Field, Takes};

    const FIELDS: &[Field] = &[
        Field {
            alternatives: &["9", "12"],
            ..Field::new(
                "sf",
                Takes::Integer { lowest: 6, highest: 12, unit: "" },
                "7",
                "spreading factor",
                "9",
            )
        },
        Field::new("site", Takes::Choice(&["busy", "quiet"]), "quiet", "who else is there", "busy"),
        Field::new("tick", Takes::Duration, "10 ms", "the tick", "1 ms"),
        Field::needed("to", Takes::Text("an address"), "where to", "\"board\""),
    ];

    fn offered(typed: &str) -> Vec<String> {
        assignments(FIELDS, typed).into_iter().map(|candidate| candidate.text).collect()
    }

    #[test]
    fn names_come_with_their_equals_sign_and_the_only_one_with_its_values() {
        assert_eq!(offered(""), ["sf=", "site=", "tick=", "to="]);
        assert_eq!(offered("s"), ["sf=", "site="]);
        assert_eq!(offered("si"), ["site=", "site=busy", "site=quiet"]);
        assert_eq!(offered("x"), [""; 0]);
    }

    #[test]
    fn values_are_those_that_can_be_counted_or_those_that_are_declared() {
        assert_eq!(offered("site=b"), ["site=busy"]);
        assert_eq!(offered("sf="), ["sf=7", "sf=9", "sf=12"]);
        assert_eq!(offered("tick="), ["tick=10ms", "tick=1ms"]);
        assert_eq!(offered("to="), ["to=board"]);
        assert_eq!(offered("nothing="), [""; 0]);
        assert_eq!(assignments(FIELDS, "to=")[0].help, "where to (an address)");
    }
}
