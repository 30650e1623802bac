//! Every link that there is, by name.

use std::sync::OnceLock;

use thiserror::Error;

use crate::links;
use crate::params::Params;
use crate::program::{Program, Steps};
use crate::{Field, SettingError, Settings};

/// A link: what it is called, what can be set, and how its stages are put together.
#[derive(Debug)]
pub struct Definition {
    /// Its name in suites and on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What can be set.
    pub settings: &'static [Field],
    /// The longest message that the application may send.
    pub max_payload_bytes: u32,
    /// The text of its `params/*.toml`.
    pub params: &'static str,
    /// Puts the stages together.
    pub build: fn(&Settings, &Params) -> Result<Steps, SettingError>,
}

/// A link that cannot be used as asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LinkError {
    /// There is no such link.
    #[error("there is no link {name}; {hint}")]
    Unknown {
        /// As the user wrote it.
        name: String,
        /// What is near, or what there is.
        hint: String,
    },
    /// A setting is wrong.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The payload does not fit.
    #[error("the payload is {payload_bytes} bytes, but {link} carries 1 to {max_payload_bytes}")]
    Payload {
        /// The link.
        link: &'static str,
        /// As the user wrote it.
        payload_bytes: u64,
        /// The most.
        max_payload_bytes: u32,
    },
}

/// All links, in the order in which they are listed.
pub fn all() -> &'static [Definition] {
    links::ALL
}

/// The link of a name.
///
/// # Errors
/// When there is none.
pub fn find(name: &str) -> Result<&'static Definition, LinkError> {
    all().iter().find(|link| link.name == name).ok_or_else(|| {
        let names: Vec<&str> = all().iter().map(|link| link.name).collect();
        LinkError::Unknown { name: name.to_owned(), hint: fields::hint(name, &names) }
    })
}

impl Definition {
    /// All settings at their defaults.
    pub fn defaults(&self) -> Settings {
        Settings::defaults(self.settings)
    }

    /// Defaults with some settings changed, from text as a user writes it.
    ///
    /// # Errors
    /// When the link has no such setting, or a value is not allowed.
    pub fn settings_with<'a>(
        &self,
        changes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Settings, LinkError> {
        let mut settings = self.defaults();
        for (name, text) in changes {
            settings.set(self.name, self.settings, name, text)?;
        }
        Ok(settings)
    }

    /// Puts the link together.
    ///
    /// # Errors
    /// When the settings do not go together.
    pub fn program(&self, settings: &Settings) -> Result<Program, LinkError> {
        Ok(Program::from((self.build)(settings, self.params())?))
    }

    /// Puts the link together from other constants, of the same names.
    ///
    /// # Errors
    /// When the settings do not go together.
    pub fn program_of(&self, settings: &Settings, params: &Params) -> Result<Program, LinkError> {
        Ok(Program::from((self.build)(settings, params)?))
    }

    /// The link's constants.
    pub fn params(&self) -> &'static Params {
        static PARSED: [OnceLock<Params>; links::ALL.len()] = [const { OnceLock::new() }; links::ALL.len()];
        let index = all().iter().position(|link| link.name == self.name).expect("a link is in its own list");
        PARSED[index].get_or_init(|| Params::parse(self.params))
    }

    /// Says whether the link carries a payload.
    ///
    /// # Errors
    /// When it is empty or too long.
    pub fn check_payload(&self, payload_bytes: u64) -> Result<u32, LinkError> {
        match u32::try_from(payload_bytes) {
            Ok(bytes) if (1..=self.max_payload_bytes).contains(&bytes) => Ok(bytes),
            _ => Err(LinkError::Payload {
                link: self.name,
                payload_bytes,
                max_payload_bytes: self.max_payload_bytes,
            }),
        }
    }
}
