//! A silence in a conversation, and what it was spent on.

/// One of the two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Who asked for the connection.
    Client,
    /// Who was asked.
    Peer,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Peer,
            Self::Peer => Self::Client,
        }
    }

    /// Its name outside of Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Peer => "peer",
        }
    }

    pub(crate) const fn place(self) -> usize {
        self as usize
    }
}

/// What a silence was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// One end held back less than a segment until the other had acknowledged what was under way (Nagle's algorithm, RFC 896).
    Nagle,
    /// One end sent no more than this at a time, whole segments, and waited for their acknowledgement.
    OneAtATime,
    /// What the other end takes was full.
    Window,
    /// What was lost was sent again after a time-out.
    Retransmission,
    /// The other end had all that it was asked, and answered late.
    Answer,
    /// An end sent the rest of its data late, although nothing was under way.
    Pause,
    /// A connection was opened.
    Opening,
}

impl Cause {
    /// Its name outside of Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nagle => "nagle",
            Self::OneAtATime => "one_at_a_time",
            Self::Window => "window",
            Self::Retransmission => "retransmission",
            Self::Answer => "answer",
            Self::Pause => "pause",
            Self::Opening => "opening",
        }
    }
}

/// A silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// When it began.
    pub from_ps: i64,
    /// When it ended.
    pub to_ps: i64,
    /// What it was spent on.
    pub cause: Cause,
    /// Who waited, sent again, answered, paused or asked; of what it held back or sent again, the sender.
    pub side: Side,
}

impl Silence {
    /// How long it was.
    pub const fn length_ps(&self) -> i64 {
        self.to_ps - self.from_ps
    }
}
