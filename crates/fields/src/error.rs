//! What is wrong with a setting, as one sentence that says what to do.

use thiserror::Error;

use crate::{Field, nearest};

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingError {
    /// The link has no such setting.
    #[error("{link} has no setting {name}; {hint}")]
    Unknown {
        /// The link.
        link: String,
        /// As the user wrote it.
        name: String,
        /// What is near, or what there is.
        hint: String,
    },
    /// The value is not of the setting's type.
    #[error("{name} is {text:?}, but it takes {expected}")]
    Malformed {
        /// The setting.
        name: &'static str,
        /// As the user wrote it.
        text: String,
        /// What would be right, with an example.
        expected: String,
    },
    /// The value is out of range.
    #[error("{name} is {text}, but it takes {expected}")]
    OutOfRange {
        /// The setting.
        name: &'static str,
        /// As the user wrote it.
        text: String,
        /// The range.
        expected: String,
    },
    /// Values that do not go together.
    #[error("{0}")]
    Impossible(String),
}

impl SettingError {
    pub(crate) fn unknown(link: &str, name: &str, declared: &[Field]) -> Self {
        let names: Vec<&str> = declared.iter().map(|setting| setting.name).collect();
        let hint = match nearest(name, &names) {
            Some(near) => format!("the nearest is {near}"),
            None if names.is_empty() => "it has none".to_owned(),
            None => format!("it has {}", names.join(", ")),
        };
        Self::Unknown { link: link.to_owned(), name: name.to_owned(), hint }
    }
}
