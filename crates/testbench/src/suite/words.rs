//! Pieces of a suite as they stand in settings and in sentences.

use toml::de::DeValue;

/// A value as a user would write it on the command line.
pub(super) fn plain(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(on) => Some(on.to_string()),
        _ => None,
    }
}

/// A value as it stands in a sentence.
pub(super) fn shown(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Array(list) if list.is_empty() => "an empty list".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
        other => plain(other).unwrap_or_else(|| "a date".to_owned()),
    }
}

/// Names that a user quotes may hold line breaks and worse.
pub(super) fn in_one_line(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    let plain = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    message.chars().map(plain).collect()
}

/// Whether a piece of the file helps in a sentence.
pub(super) fn is_short(place: &str) -> bool {
    !place.is_empty() && place.len() <= 40 && !place.contains(char::is_control)
}
