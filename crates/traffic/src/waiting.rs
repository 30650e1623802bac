//! What a client waits for at a moment: for whoever ends it before a time-out of its own would have said so.

use units::Picoseconds;

use crate::IpEndpoint;
use crate::results::rounded;

/// What a client waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// What it did, and for how long nothing has come of it.
    pub words: String,
    /// Whether the other end is there: it has taken the connection.
    pub is_reached: bool,
}

impl Waiting {
    /// For a connection that was asked for `since` then.
    pub(crate) fn for_opening(to: IpEndpoint, since: Picoseconds, now: Picoseconds) -> Self {
        let words = format!("the connection to {to} was not open after {}", rounded(now - since));
        Self { words, is_reached: false }
    }

    /// For an answer to what was sent on an open connection.
    pub(crate) fn for_answer(
        to: IpEndpoint,
        sent: &str,
        came: u64,
        since: Picoseconds,
        now: Picoseconds,
    ) -> Self {
        let came = match came {
            0 => "nothing came".to_owned(),
            more => format!("no more than {} came", bytes(more)),
        };
        let words = format!("connected to {to}, sent {sent}, and {came} for {}", rounded(now - since));
        Self { words, is_reached: true }
    }

    /// For somebody to take more of a transfer, or to send any.
    pub(crate) fn for_transfer(to: IpEndpoint, passed: u64, since: Picoseconds, now: Picoseconds) -> Self {
        let words =
            format!("connected to {to}, {} passed, and no more for {}", bytes(passed), rounded(now - since));
        Self { words, is_reached: true }
    }
}

/// So many bytes.
pub(crate) fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
