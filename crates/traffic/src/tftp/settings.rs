//! The options of the TFTP server, and what of them a transfer agrees on with its client.

use units::Picoseconds;

use fields::Field;
use fields::TakesOf::{Count, Duration, Flag, Port, Size};

use super::packet::{self, Request};
use crate::files::{self, Files};
use crate::options::{self, Declared, OptionError, Values, option};
use crate::outbox::seconds;

/// RFC 1350.
const PORT: &str = "69";
/// RFC 1350.
const BLOCK_BYTES: usize = 512;
/// RFC 2348.
const LEAST_BLOCK_BYTES: u64 = 8;
/// RFC 2348: what an IPv4 packet holds beside the headers of IP, UDP and TFTP.
const MOST_BLOCK_BYTES: u64 = 65_464;

/// The options of [`Server`](super::Server).
pub const OPTIONS: &[Field] = &[
    option("port", Port, PORT, "The UDP port of requests.", "6969"),
    files::FILES,
    files::FILE,
    option("writable", Flag, "true", "Whether files may be stored.", "false"),
    files::MOST_BYTES,
    option(
        "options",
        Flag,
        "true",
        "Whether the options of a request are taken; an old server passes over them.",
        "false",
    ),
    option(
        "most_block",
        Size(LEAST_BLOCK_BYTES, MOST_BLOCK_BYTES),
        "65464B",
        "The longest block that a client may ask for.",
        "1428B",
    ),
    option("most_window", Count(1, 65_535), "64", "As many blocks may go before one acknowledgement.", "1"),
    option(
        "timeout",
        Duration,
        "1 s",
        "What is not acknowledged by then is sent again, unless the client names a time.",
        "200ms",
    ),
    option("retries", Count(0, 100), "5", "How often that is done before the transfer is given up.", "2"),
    option("most_transfers", Count(1, 1024), "64", "Transfers at a time; more are refused.", "1"),
];

/// The settings of [`Server`](super::Server).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The UDP port of requests.
    pub port: u16,
    /// What is there at first, and how much may be.
    pub(crate) files: Files,
    /// Whether files may be stored.
    pub writable: bool,
    /// Whether the options of a request are taken.
    pub options: bool,
    /// The longest block that a client may ask for.
    pub most_block_bytes: usize,
    /// As many blocks may go before one acknowledgement.
    pub most_window_blocks: u64,
    /// What is not acknowledged by then is sent again.
    pub timeout: Picoseconds,
    /// How often that is done.
    pub retries: u32,
    /// Transfers at a time.
    pub most_transfers: usize,
}

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let settings = Self {
            port: values.read("port", options::parsed)?,
            files: Files::read(values)?,
            writable: values.read("writable", options::switch)?,
            options: values.read("options", options::switch)?,
            most_block_bytes: values.read("most_block", options::size)?,
            most_window_blocks: values.read("most_window", options::parsed)?,
            timeout: values.read("timeout", options::time)?,
            retries: values.read("retries", options::parsed)?,
            most_transfers: values.read("most_transfers", options::parsed)?,
        };
        if settings.timeout <= Picoseconds::ZERO {
            let reason = "nothing could be acknowledged in time; take a longer one".to_owned();
            return Err(OptionError::Together { name: "timeout", reason });
        }
        Ok(settings)
    }
}

/// What holds for one transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub block_bytes: usize,
    pub window_blocks: u64,
    pub timeout: Picoseconds,
    /// How many bytes the client says that it will write.
    pub announced_bytes: Option<u64>,
}

impl Settings {
    /// What a request and the server agree on, and the packet that says so where options were taken (RFC 2347). A block fits
    /// `longest_datagram_bytes`; `file_bytes` is the length of the file that is read.
    pub(super) fn agree(
        &self,
        request: &Request,
        longest_datagram_bytes: usize,
        file_bytes: Option<usize>,
    ) -> (Terms, Option<Vec<u8>>) {
        let mut terms = Terms {
            block_bytes: BLOCK_BYTES,
            window_blocks: 1,
            timeout: self.timeout,
            announced_bytes: None,
        };
        let most_block_bytes =
            self.most_block_bytes.min(longest_datagram_bytes - packet::HEADER_BYTES) as u64;
        let mut taken: Vec<(&str, String)> = Vec::new();
        for (option, value) in request.options.iter().filter(|_| self.options) {
            let Ok(value) = value.parse::<u64>() else { continue };
            match (option.as_str(), value) {
                ("blksize", LEAST_BLOCK_BYTES..=MOST_BLOCK_BYTES) => {
                    terms.block_bytes = value.min(most_block_bytes) as usize;
                    taken.push(("blksize", terms.block_bytes.to_string()));
                }
                // RFC 7440.
                ("windowsize", 1..=65_535) => {
                    terms.window_blocks = value.min(self.most_window_blocks);
                    taken.push(("windowsize", terms.window_blocks.to_string()));
                }
                // RFC 2349: the server takes the client's time, or leaves the option out.
                ("timeout", 1..=255) => {
                    terms.timeout = seconds(value as u32);
                    taken.push(("timeout", value.to_string()));
                }
                // RFC 2349: the length of what is read is asked for with 0, that of what is written is said.
                ("tsize", _) => {
                    terms.announced_bytes = file_bytes.is_none().then_some(value);
                    taken.push(("tsize", file_bytes.map_or(value, |bytes| bytes as u64).to_string()));
                }
                _ => {}
            }
        }
        let answer = (!taken.is_empty()).then(|| packet::options_acknowledgement(&taken));
        (terms, answer)
    }
}
