//! Numbers that have names: one of them, or a sum of them. The names stand in one text with bars between them, as a firmware
//! image notes them: `tcp|udp`.

/// The names of a list.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split('|').map(str::trim)
}

/// The names of a list, for whoever offers them.
pub(crate) fn listed(list: &str) -> Vec<String> {
    names(list).map(str::to_owned).collect()
}

/// The number of a name, counted from 0, or of a number that has a name.
pub(crate) fn one(list: &str, text: &str) -> Option<u64> {
    let named = position(list, text);
    let numbered = || super::quantity::number(text).filter(|&value| (value as usize) < names(list).count());
    named.or_else(|| numbered().map(u64::from))
}

/// The name of a number.
pub(crate) fn name_of(list: &str, value: u64) -> Option<&str> {
    names(list).nth(usize::try_from(value).ok()?)
}

/// The sum of some names, which are 1, 2, 4 and so on, with `+` between them, or of a number that has only bits with names.
pub(crate) fn any(list: &str, text: &str) -> Option<u64> {
    let all = names(list).zip(0..).fold(0, |all, (_, bit)| all | 1u64 << bit);
    match (text, super::quantity::number(text)) {
        ("none", _) => Some(0),
        (_, Some(value)) => Some(u64::from(value)).filter(|value| value & !all == 0),
        (text, None) => {
            text.split('+').try_fold(0, |sum, name| Some(sum | 1u64 << position(list, name.trim())?))
        }
    }
}

/// The names of a sum; nothing where a bit has none.
pub(crate) fn sum_of(list: &str, value: u64) -> Option<String> {
    let chosen = names(list).zip(0..).filter(|(_, bit)| value >> bit & 1 == 1);
    let text: Vec<&str> = chosen.map(|(name, _)| name).collect();
    match (value, any(list, &value.to_string())) {
        (0, _) => Some("none".to_owned()),
        (_, known) => known.map(|_| text.join("+")),
    }
}

/// In words: each name with its number.
pub(crate) fn one_in_words(list: &str) -> String {
    let numbered = names(list).zip(0..).map(|(name, number)| format!("{name} ({number})"));
    joined(numbered.collect(), "or")
}

/// The same of a sum.
pub(crate) fn any_in_words(list: &str) -> String {
    let numbered = names(list).zip(0..).map(|(name, bit)| format!("{name} ({})", 1u64 << bit));
    format!("any of {} with + between them, or none", joined(numbered.collect(), "and"))
}

fn position(list: &str, text: &str) -> Option<u64> {
    names(list).position(|name| name == text).and_then(|at| u64::try_from(at).ok())
}

fn joined(mut names: Vec<String>, between: &str) -> String {
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} {between} {last}", names.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::TakesOf::{AnyOf, Numbered};
    use crate::Value;

    #[test]
    fn choices_go_by_their_names_and_by_their_numbers_and_nothing_beside() {
        let kind = Numbered("tcp|udp | uart");
        let value = |text| kind.value(text);
        assert_eq!(
            ["tcp", "udp", "uart", "2"].map(value),
            [0, 1, 2, 2].map(|number| Some(Value::Integer(number)))
        );
        assert_eq!(["3", "on", "TCP", ""].map(value), [None, None, None, None]);
        assert_eq!(kind.text(&Value::Integer(1)), "udp");
        assert_eq!(kind.text(&Value::Integer(9)), "9", "an image may have been changed by other means");
        assert_eq!(kind.to_string(), "tcp (0), udp (1) or uart (2)");
    }

    #[test]
    fn sums_are_of_names_or_a_number_of_known_bits() {
        let kind = AnyOf("sink|source|echo");
        let value = |text| kind.value(text);
        assert_eq!(
            ["sink+echo", "none", "7", "echo"].map(value),
            [5, 0, 7, 4].map(|number| Some(Value::Integer(number)))
        );
        assert_eq!(["8", "sink+sing", "+"].map(value), [None, None, None]);
        assert_eq!([5, 0, 9].map(|value| kind.text(&Value::Integer(value))), ["sink+echo", "none", "9"]);
    }
}
