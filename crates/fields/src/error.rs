//! What is wrong with a setting, as one sentence that says what to do.

use thiserror::Error;

use crate::nearest;

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SettingError {
    /// There is no such setting.
    #[error("{owner} has no setting {name}; {hint}")]
    Unknown {
        /// Of what: a link, or a firmware image.
        owner: String,
        /// As the user wrote it.
        name: String,
        /// What is near, or what there is.
        hint: String,
    },
    /// The value is not of the setting's type.
    #[error("{name} is {text:?}, but it takes {expected}")]
    Malformed {
        /// The setting.
        name: String,
        /// As the user wrote it.
        text: String,
        /// What would be right, with an example.
        expected: String,
    },
    /// The value is out of range.
    #[error("{name} is {text}, but it takes {expected}")]
    OutOfRange {
        /// The setting.
        name: String,
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
    /// The same in words that go on behind the name of the setting.
    pub fn words(&self) -> String {
        match self {
            Self::Malformed { text, expected, .. } => format!(" is {text:?}, but it takes {expected}"),
            Self::OutOfRange { text, expected, .. } => format!(" is {text}, but it takes {expected}"),
            Self::Unknown { .. } | Self::Impossible(_) => format!(": {self}"),
        }
    }

    /// That there is no such setting, among those that there are.
    pub fn unknown(owner: &str, name: &str, known: &[&str]) -> Self {
        let hint = match nearest(name, known) {
            Some(near) => format!("the nearest is {near}"),
            None if known.is_empty() => "it has none".to_owned(),
            None => format!("it has {}", known.join(", ")),
        };
        Self::Unknown { owner: owner.to_owned(), name: name.to_owned(), hint }
    }
}
