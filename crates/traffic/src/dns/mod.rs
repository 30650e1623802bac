//! A DNS server (RFC 1035) as a machine without I/O: A records from a table with wildcards, over UDP and TCP, and manners for
//! tests (silent, late, truncated). It knows no other record, no zones and no EDNS: an OPT record in a query is ignored, and
//! a name that it does not know does not exist (without a SOA record in the answer).

mod settings;
mod wire;

use std::collections::BTreeMap;

use units::Picoseconds;

pub use settings::{Answers, OPTIONS, Record, Settings};

use crate::losses::{Cause, Losses};
use crate::outbox::{Outbox, after};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results};
use wire::{Header, Question, ResponseCode};

const SOCKET: Connection = Connection(0);
const LISTENER: Connection = Connection(1);
/// Over TCP; more are reset.
const MOST_CONNECTIONS: usize = 64;
/// A query that is longer closes its connection: names have at most 255 bytes, so no query of one question needs it.
const MOST_QUERY_BYTES: usize = 1024;
const MOST_TCP_BYTES: usize = u16::MAX as usize;

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Queries answered with records or with none.
    pub answered: u64,
    /// Queries for names that do not exist.
    pub unknown_names: u64,
    /// Queries refused: malformed, not implemented, of another class.
    pub refused: u64,
    /// Datagrams that were no query at all, and connections closed or reset over a bound.
    pub malformed: u64,
    /// Queries ignored by the setting.
    pub ignored: u64,
}

/// How long an answer may be, and whether it is cut on purpose.
#[derive(Debug, Clone, Copy)]
struct Limit {
    most_bytes: usize,
    truncate: bool,
}

/// The server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Settings,
    seated: bool,
    outbox: Outbox,
    /// Who asks over TCP, and the bytes of a query that has not arrived whole.
    partial: BTreeMap<Connection, (IpEndpoint, Vec<u8>)>,
    counters: Counters,
    losses: Losses,
}

impl Server {
    /// A server that has no seat yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            seated: false,
            outbox: Outbox::default(),
            partial: BTreeMap::new(),
            counters: Counters::default(),
            losses: Losses::default(),
        }
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Late answers that found no place to wait in.
    pub fn dropped(&self) -> u64 {
        self.outbox.dropped()
    }

    fn malformed(&mut self, now: Picoseconds, from: IpEndpoint) {
        self.counters.malformed += 1;
        self.losses.turned_away(Cause::Malformed, now, Some(from));
    }

    fn refused(&mut self, cause: Cause, now: Picoseconds, from: IpEndpoint) {
        self.counters.refused += 1;
        self.losses.turned_away(cause, now, Some(from));
    }

    fn answer(&mut self, now: Picoseconds, from: IpEndpoint, query: &[u8], limit: Limit) -> Option<Vec<u8>> {
        let Limit { most_bytes, truncate } = limit;
        let Some(header) = Header::parse(query) else {
            self.malformed(now, from);
            return None;
        };
        if self.settings.answers == Answers::No {
            self.counters.ignored += 1;
            return None;
        }
        let refuse = |question: Option<&Question<'_>>, code| {
            Some(wire::answer(header, question, code, (&[], 0), (most_bytes, false)))
        };
        let question = if header.questions == 1 { Question::parse(query) } else { None };
        if !header.is_standard_query() {
            self.refused(Cause::Unsupported, now, from);
            return refuse(None, ResponseCode::NotImplemented);
        }
        let Some(question) = question else {
            self.refused(Cause::Malformed, now, from);
            return refuse(None, ResponseCode::FormatError);
        };
        if !matches!(question.class, wire::CLASS_IN | wire::CLASS_ANY) {
            self.refused(Cause::Unsupported, now, from);
            return refuse(Some(&question), ResponseCode::Refused);
        }
        let Some(mut addresses) = self.settings.addresses(&question.labels) else {
            self.counters.unknown_names += 1;
            return refuse(Some(&question), ResponseCode::NameError);
        };
        if !matches!(question.kind, wire::TYPE_A | wire::TYPE_ANY) {
            addresses.clear();
        }
        self.counters.answered += 1;
        let records = (&addresses[..], self.settings.ttl_s);
        Some(wire::answer(header, Some(&question), ResponseCode::NoError, records, (most_bytes, truncate)))
    }

    fn send(&mut self, now: Picoseconds, to: Option<IpEndpoint>, action: Action) {
        let at = after(now, self.settings.delay);
        if !self.outbox.push_at(now, at, action) {
            self.losses.note(Cause::NoRoom, now, None, to, None);
        }
    }

    /// RFC 1035 section 4.2.2: each message has its length before it.
    fn received(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        let Some((from, mut partial)) = self.partial.remove(&connection) else { return };
        partial.extend(bytes);
        let mut at = 0;
        while let Some(length) = partial.get(at..at + 2) {
            let length = usize::from(u16::from_be_bytes([length[0], length[1]]));
            if length > MOST_QUERY_BYTES {
                self.malformed(now, from);
                self.outbox.push(Action::Abort(connection));
                return;
            }
            let Some(query) = partial.get(at + 2..at + 2 + length) else { break };
            if let Some(answer) =
                self.answer(now, from, query, Limit { most_bytes: MOST_TCP_BYTES, truncate: false })
            {
                let length = u16::try_from(answer.len()).expect("an answer over TCP is cut at 65535 bytes");
                self.send(
                    now,
                    Some(from),
                    Action::Send(connection, [&length.to_be_bytes()[..], &answer].concat()),
                );
            }
            at += 2 + length;
        }
        partial.drain(..at);
        self.partial.insert(connection, (from, partial));
    }

    fn accepted(&mut self, now: Picoseconds, connection: Connection, peer: IpEndpoint) {
        if self.partial.len() >= MOST_CONNECTIONS {
            self.counters.malformed += 1;
            self.losses.turned_away(Cause::TooManyConnections, now, Some(peer));
            self.outbox.push(Action::Abort(connection));
        } else {
            self.partial.insert(connection, (peer, Vec::new()));
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        self.outbox.release(now);
        match event {
            Event::Wake if !self.seated => {
                self.seated = true;
                self.outbox.push(Action::Bind(SOCKET, self.settings.port, false));
                self.outbox.push(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Datagram { from, bytes, .. } => {
                let truncate = self.settings.answers == Answers::Truncated;
                let limit = Limit { most_bytes: wire::MOST_UDP_BYTES, truncate };
                if let Some(answer) = self.answer(now, from, bytes, limit) {
                    self.send(now, Some(from), Action::SendTo(SOCKET, from, answer));
                }
            }
            Event::Accepted { connection, peer, .. } => self.accepted(now, connection, peer),
            Event::Received(connection, bytes) => self.received(now, connection, bytes),
            Event::PeerFinished(connection) if self.partial.contains_key(&connection) => {
                self.send(now, None, Action::Finish(connection));
            }
            Event::Closed(connection, _) => {
                self.partial.remove(&connection);
            }
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.outbox.pop()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.outbox.wake_at()
    }

    fn results(&self) -> Results {
        let counters = self.counters();
        Results::counted(&[
            ("answered", counters.answered, "queries"),
            ("unknown_names", counters.unknown_names, "queries"),
            ("refused", counters.refused, "queries"),
            ("malformed", counters.malformed, "queries"),
            ("ignored", counters.ignored, "queries"),
        ])
        .with(&self.losses)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
