//! The options of the FTP server.

use fields::Field;
use fields::TakesOf::{Count, Flag, Port, Size, Text};

use super::files::is_name;
use crate::options::{self, Declared, OptionError, Values, option};

/// RFC 959, section 8.
const PORT: &str = "21";
const MOST_BYTES: u64 = 256 << 20;
const NAMED_SIZES: &str = "name=size, between commas";

/// The options of [`Server`](super::Server).
pub const OPTIONS: &[Field] = &[
    option("port", Port, PORT, "The TCP port of control connections.", "2121"),
    option("user", Text("a text"), "", "Who may log in; nothing for anybody.", "board"),
    option("password", Text("a text"), "", "The password of that user.", "secret"),
    option(
        "files",
        Text(NAMED_SIZES),
        "readme.txt=137B",
        "The files that are there at first, of pattern bytes.",
        "firmware.bin=64KiB,etc/hosts=100B",
    ),
    option("writable", Flag, "true", "Whether files may be stored, renamed and deleted.", "false"),
    option("most_bytes", Size(0, MOST_BYTES), "16MiB", "How much all files may hold together.", "1MiB"),
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
    /// Names and sizes of the files that are there at first.
    pub files: Vec<(String, usize)>,
    /// Whether files may be changed.
    pub writable: bool,
    /// How much all files may hold together.
    pub most_bytes: usize,
    /// Control connections at a time.
    pub most_sessions: usize,
}

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let settings = Self {
            port: values.read("port", options::parsed)?,
            user: values.text("user").to_owned(),
            password: values.text("password").to_owned(),
            files: values.read("files", |text| options::list(text, named_size))?,
            writable: values.read("writable", options::switch)?,
            most_bytes: values.read("most_bytes", options::size)?,
            most_sessions: values.read("most_sessions", options::parsed)?,
        };
        let bytes = settings.files.iter().fold(0_usize, |sum, (_, bytes)| sum.saturating_add(*bytes));
        if bytes > settings.most_bytes {
            let reason = format!("{bytes} bytes are more than most_bytes, {}", settings.most_bytes);
            return Err(OptionError::Together { name: "files", reason });
        }
        Ok(settings)
    }
}

fn named_size(text: &str) -> Option<(String, usize)> {
    let (path, size) = text.split_once('=')?;
    let is_path = !path.is_empty() && path.split('/').all(is_name);
    Some((format!("/{path}"), options::size(size)?)).filter(|_| is_path)
}
