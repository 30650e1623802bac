//! What went wrong with messages and peers, as data: why, how often, which came first and last, and when. Words are made
//! elsewhere.

use std::collections::BTreeMap;

use units::Picoseconds;

use crate::{IpEndpoint, Outcome, Sample};

/// Why messages were lost, or peers turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// No answer came in time.
    TimedOut,
    /// The answer came after its time.
    Late,
    /// The answer was another than it should have been.
    Wrong,
    /// The connection broke or could not be opened.
    Reset,
    /// There were as many connections as the server takes.
    TooManyConnections,
    /// The server is at work for another client.
    Busy,
    /// The client speaks a version of the protocol that the server does not.
    ProtocolVersion,
    /// The client has no name, and wants to be remembered.
    Identifier,
    /// There were as many sessions as the server keeps.
    TooManySessions,
    /// The user or the password is another than the server's.
    Credentials,
    /// What came is not the protocol.
    Malformed,
    /// Nothing came for too long.
    Silent,
    /// The client did not take what it had asked for.
    Stalled,
    /// TLS could not be agreed on, or broke.
    Tls,
    /// A request of a kind that the server does not answer.
    Unsupported,
    /// The client asked for a file that is not there.
    NoFile,
    /// There was no address left to give away.
    NoAddress,
    /// There was no room to keep it until its time.
    NoRoom,
    /// The other end never acknowledged it.
    Unacknowledged,
    /// It was sent and did not arrive.
    Missing,
}

impl Cause {
    /// Its code in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::Late => "late",
            Self::Wrong => "wrong",
            Self::Reset => "reset",
            Self::TooManyConnections => "too_many_connections",
            Self::Busy => "busy",
            Self::ProtocolVersion => "protocol_version",
            Self::Identifier => "identifier",
            Self::TooManySessions => "too_many_sessions",
            Self::Credentials => "credentials",
            Self::Malformed => "malformed",
            Self::Silent => "silent",
            Self::Stalled => "stalled",
            Self::Tls => "tls",
            Self::Unsupported => "unsupported",
            Self::NoFile => "no_file",
            Self::NoAddress => "no_address",
            Self::NoRoom => "no_room",
            Self::Unacknowledged => "unacknowledged",
            Self::Missing => "missing",
        }
    }
}

/// One of those that were lost or turned away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// When: of a message its trigger.
    pub at: Picoseconds,
    /// Which message, counted from 0.
    pub index: Option<u64>,
    /// Which peer.
    pub peer: Option<IpEndpoint>,
    /// What the operating system, the PC or a library said.
    pub detail: Option<String>,
}

/// All that were lost or turned away for one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// Why.
    pub cause: Cause,
    /// How many.
    pub count: u64,
    /// The first.
    pub first: Mark,
    /// The last.
    pub last: Mark,
}

/// What a client or a server keeps of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Losses(BTreeMap<Cause, Loss>);

impl Losses {
    pub(crate) fn note(
        &mut self,
        cause: Cause,
        at: Picoseconds,
        index: Option<u64>,
        peer: Option<IpEndpoint>,
        detail: Option<&str>,
    ) {
        let mark = Mark { at, index, peer, detail: detail.map(str::to_owned) };
        match self.0.get_mut(&cause) {
            Some(loss) => {
                loss.count += 1;
                loss.last = mark;
            }
            None => drop(self.0.insert(cause, Loss { cause, count: 1, first: mark.clone(), last: mark })),
        }
    }

    /// Several at once of which it is known only when they were counted.
    pub(crate) fn counted(&mut self, cause: Cause, count: u64, at: Picoseconds, peer: Option<IpEndpoint>) {
        if count > 0 {
            self.note(cause, at, None, peer, None);
            self.0.entry(cause).and_modify(|loss| loss.count += count - 1);
        }
    }

    /// A peer is turned away.
    pub(crate) fn turned_away(&mut self, cause: Cause, now: Picoseconds, peer: Option<IpEndpoint>) {
        self.note(cause, now, None, peer, None);
    }

    /// Those of messages.
    pub(crate) fn of(samples: &[Sample]) -> Self {
        let mut losses = Self::default();
        for sample in samples {
            let cause = match sample.outcome {
                Outcome::Ok => continue,
                Outcome::Wrong => Cause::Wrong,
                Outcome::TimedOut => Cause::TimedOut,
                Outcome::Reset => Cause::Reset,
                Outcome::Late => Cause::Late,
            };
            losses.note(cause, sample.trigger, Some(sample.index), None, sample.error.as_deref());
        }
        losses
    }

    /// What is known of the last message that was lost.
    pub(crate) fn last_detail(&self) -> Option<&str> {
        let last = self.0.values().max_by_key(|loss| (loss.last.at, loss.last.index))?;
        last.last.detail.as_deref()
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.values().map(|loss| loss.count).sum()
    }

    pub(crate) fn list(&self) -> impl Iterator<Item = Loss> {
        self.0.values().cloned()
    }
}
