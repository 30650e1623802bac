//! One measured message, the same for every client.

use units::Picoseconds;

/// How a message ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Answered, and rightly.
    Ok,
    /// Answered with something else.
    Wrong,
    /// Not answered in time.
    TimedOut,
    /// The connection broke or could not be opened.
    Reset,
    /// Answered after its time-out.
    Late,
}

impl Outcome {
    /// The word in the run folder.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Wrong => "wrong",
            Self::TimedOut => "timed_out",
            Self::Reset => "reset",
            Self::Late => "late",
        }
    }

    /// The same in a sentence.
    pub fn spoken(self) -> &'static str {
        match self {
            Self::Ok => "answered",
            Self::Wrong => "a wrong answer",
            Self::TimedOut => "no answer in time",
            Self::Reset => "the connection was reset",
            Self::Late => "an answer that came too late",
        }
    }
}

/// One measured message; times count from the run's start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Counts messages from 0.
    pub index: u64,
    /// Bytes of the application's own content: the message, or an HTTP response's body.
    pub payload_bytes: u64,
    /// Bytes sent for this message.
    pub request_bytes: u64,
    /// Bytes received for this message.
    pub response_bytes: u64,
    /// Counts connections from 0; nothing where there are none.
    pub connection: Option<u32>,
    /// The start, from which latency counts: when the request was sent; of an HTTP request that opened its own connection,
    /// when that was asked for; of an open loop the scheduled time, however late the request left.
    pub trigger: Picoseconds,
    /// When the request was handed over to be sent, where a client tells.
    pub sent: Option<Picoseconds>,
    /// When the connection that this message opened was open.
    pub connect: Option<Picoseconds>,
    /// When the first byte of the answer arrived.
    pub first_byte: Option<Picoseconds>,
    /// When the answer was complete.
    pub done: Option<Picoseconds>,
    /// How it ended.
    pub outcome: Outcome,
    /// The answer's status, where the protocol has one.
    pub status: Option<u16>,
    /// What went wrong, in a sentence.
    pub error: Option<String>,
}

impl Sample {
    /// A message that has just begun; unless more is heard, it timed out.
    pub fn begun(index: u64, trigger: Picoseconds) -> Self {
        Self {
            index,
            payload_bytes: 0,
            request_bytes: 0,
            response_bytes: 0,
            connection: None,
            trigger,
            sent: None,
            connect: None,
            first_byte: None,
            done: None,
            outcome: Outcome::TimedOut,
            status: None,
            error: None,
        }
    }

    /// From trigger to done.
    pub fn latency(&self) -> Option<Picoseconds> {
        self.done.map(|done| done - self.trigger)
    }

    /// The answer's status, where it is an error of the client's or the server's (RFC 9110, 15.5 and 15.6).
    pub fn error_status(&self) -> Option<u16> {
        self.status.filter(|status| *status >= 400)
    }

    /// Ends the message without an answer.
    pub(crate) fn failed(mut self, outcome: Outcome, error: impl Into<String>) -> Self {
        self.outcome = outcome;
        self.error = Some(error.into());
        self
    }
}
