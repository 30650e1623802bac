//! The options of the FTP server.

use fields::Field;
use fields::TakesOf::{Count, Flag, Port, Text};

use crate::files::{self, Files};
use crate::options::{self, Declared, OptionError, Values, option};

/// RFC 959, section 8.
const PORT: &str = "21";

/// The options of [`Server`](super::Server).
pub const OPTIONS: &[Field] = &[
    option("port", Port, PORT, "The TCP port of control connections.", "2121"),
    option("user", Text("a text"), "", "Who may log in; nothing for anybody.", "board"),
    option("password", Text("a text"), "", "The password of that user.", "secret"),
    files::FILES,
    files::FILE,
    option("writable", Flag, "true", "Whether files may be stored, renamed and deleted.", "false"),
    files::MOST_BYTES,
    option("most_sessions", Count(1, 1024), "64", "Control connections at a time; more are refused.", "2"),
];

/// The settings of [`Server`](super::Server).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The TCP port of control connections.
    pub port: u16,
    /// Who may log in; empty for anybody.
    pub user: String,
    /// How that user proves it.
    pub password: String,
    /// What is there at first, and how much may be.
    pub(crate) files: Files,
    /// Whether files may be changed.
    pub writable: bool,
    /// Control connections at a time.
    pub most_sessions: usize,
}

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            user: values.text("user").to_owned(),
            password: values.text("password").to_owned(),
            files: Files::read(values)?,
            writable: values.read("writable", options::switch)?,
            most_sessions: values.read("most_sessions", options::parsed)?,
        })
    }
}
