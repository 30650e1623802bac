//! iperf 2 over UDP, the server: counts what each client sends, and answers its last datagram with a report.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::datagram::{DatagramHead, ServerReport};
use crate::losses::{Cause, Losses};
use crate::meter::{Interval, Meter};
use crate::options::{self, Values, option};
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, results};
use fields::Field;
use fields::TakesOf::{Duration, Port};

const SOCKET: Connection = Connection(0);
/// Clients that are remembered; of a further one nothing is counted but the refusal.
const MOST_SESSIONS: usize = 256;
/// RFC 1889, appendix A.8: the gain of the jitter's filter is 1/16.
const JITTER_GAIN: i64 = 16;

/// The settings of [`UdpServer`], declared.
pub const UDP_SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5001", "The UDP port to listen on.", "5011"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`UdpServer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UdpServerSettings {
    /// The port to listen on.
    pub port: u16,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl Declared for UdpServerSettings {
    const OPTIONS: &'static [Field] = UDP_SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            interval: Some(values.read("interval", options::time)?),
        })
    }
}

/// What one client has sent.
#[derive(Debug, Clone)]
pub struct UdpSession {
    meter: Meter,
    /// The number of a client's first datagram: 1 since iperf 2.1, 0 before.
    first_number: i64,
    next_number: i64,
    missing: u64,
    out_of_order: u64,
    datagrams: u64,
    last_transit: Option<Picoseconds>,
    jitter: Picoseconds,
    report: Option<ServerReport>,
    reported_at: Picoseconds,
}

impl UdpSession {
    fn new(interval: Option<Picoseconds>, long: bool) -> Self {
        let first_number = i64::from(long);
        Self {
            meter: Meter::new(interval),
            first_number,
            next_number: first_number,
            missing: 0,
            out_of_order: 0,
            datagrams: 0,
            last_transit: None,
            jitter: Picoseconds::ZERO,
            report: None,
            reported_at: Picoseconds::ZERO,
        }
    }

    /// When and how much arrived.
    pub fn received(&self) -> Option<Interval> {
        self.meter.whole()
    }

    /// The same in intervals.
    pub fn intervals(&self) -> &[Interval] {
        self.meter.intervals()
    }

    /// The report that was sent; nothing before the client has ended.
    pub fn report(&self) -> Option<ServerReport> {
        self.report
    }

    fn count(&mut self, now: Picoseconds, head: DatagramHead, bytes: usize) {
        self.meter.count(now, bytes as u64);
        self.datagrams += 1;
        if head.number >= self.next_number {
            self.missing += head.number.abs_diff(self.next_number);
            self.next_number = head.number.saturating_add(1);
        } else {
            self.out_of_order += 1;
        }
        let transit = now - head.sent;
        if let Some(last) = self.last_transit.replace(transit) {
            let difference = transit.ps().saturating_sub(last.ps()).saturating_abs();
            self.jitter = Picoseconds::new(self.jitter.ps() + (difference - self.jitter.ps()) / JITTER_GAIN);
        }
    }

    fn end(&mut self, now: Picoseconds, last_number: i64) -> ServerReport {
        if let Some(report) = self.report {
            return report;
        }
        // What was sent after the last datagram that arrived is missing too.
        self.missing =
            self.missing.saturating_add(last_number.saturating_sub(self.next_number).max(0).unsigned_abs());
        let whole = self.meter.whole();
        if whole.is_some() {
            self.meter.finish(now);
        }
        let sent = last_number.saturating_sub(self.first_number).max(0);
        let report = ServerReport {
            bytes: whole.map_or(0, |whole| whole.bytes),
            time: whole.map_or(Picoseconds::ZERO, |whole| whole.end - whole.start),
            // Those out of order were missing at first; a datagram that came twice counts as out of order too.
            lost: u32::try_from(self.missing.saturating_sub(self.out_of_order)).unwrap_or(u32::MAX),
            out_of_order: u32::try_from(self.out_of_order).unwrap_or(u32::MAX),
            datagrams: u32::try_from(sent).unwrap_or(u32::MAX),
            jitter: self.jitter,
        };
        (self.report, self.reported_at) = (Some(report), now);
        report
    }
}

/// An iperf 2 server over UDP.
#[derive(Debug, Clone)]
pub struct UdpServer {
    port: u16,
    interval: Option<Picoseconds>,
    sessions: BTreeMap<IpEndpoint, UdpSession>,
    malformed: u64,
    refused: u64,
    losses: Losses,
    bound: bool,
    actions: VecDeque<Action>,
}

impl UdpServer {
    /// The connection number of the socket, by which a seat tells its port.
    pub const SOCKET: Connection = SOCKET;

    /// A server that binds its port when it is seated.
    pub fn new(settings: UdpServerSettings) -> Self {
        let UdpServerSettings { port, interval } = settings;
        Self {
            port,
            interval,
            sessions: BTreeMap::new(),
            malformed: 0,
            refused: 0,
            losses: Losses::default(),
            bound: false,
            actions: VecDeque::new(),
        }
    }

    /// What each client has sent.
    pub fn sessions(&self) -> impl Iterator<Item = (&IpEndpoint, &UdpSession)> {
        self.sessions.iter()
    }

    /// Datagrams too short for a number and a time.
    pub fn malformed(&self) -> u64 {
        self.malformed
    }

    /// Datagrams of clients for whom no session was left.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    fn datagram(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        let Some(head) = DatagramHead::parse(bytes) else {
            self.malformed += 1;
            self.losses.turned_away(Cause::Malformed, now, Some(from));
            return;
        };
        // A first number after a report is a new test from the same port.
        let anew =
            head.number >= 0 && self.sessions.get(&from).is_some_and(|session| session.report.is_some());
        if anew {
            self.sessions.remove(&from);
        }
        if !self.sessions.contains_key(&from) && self.sessions.len() >= MOST_SESSIONS && !self.forget_one() {
            self.refused += 1;
            self.losses.turned_away(Cause::TooManySessions, now, Some(from));
            return;
        }
        let interval = self.interval;
        let session = self.sessions.entry(from).or_insert_with(|| UdpSession::new(interval, head.long));
        if head.number >= 0 {
            session.count(now, head, bytes.len());
        } else {
            let report = session.end(now, head.number.saturating_neg());
            self.actions.push_back(Action::SendTo(SOCKET, from, report.answer(bytes, head.long)));
        }
    }

    /// Makes room by dropping a session that has ended.
    fn forget_one(&mut self) -> bool {
        let ended = self.sessions.iter().find(|(_, session)| session.report.is_some());
        let Some(from) = ended.map(|(from, _)| *from) else { return false };
        self.sessions.remove(&from).is_some()
    }
}

impl Machine for UdpServer {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.bound => {
                self.bound = true;
                self.actions.push_back(Action::Bind(SOCKET, self.port, false));
            }
            Event::Datagram { from, bytes, .. } => self.datagram(now, from, bytes),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn results(&self) -> Results {
        let mut results = Results::counted(&[
            ("tests", self.sessions.len() as u64, ""),
            (
                "received",
                self.sessions.values().map(|one| one.received().map_or(0, |all| all.bytes)).sum(),
                "bytes",
            ),
            ("datagrams", self.sessions.values().map(|one| one.datagrams).sum(), "datagrams"),
            ("malformed", self.malformed, "datagrams"),
            ("refused", self.refused, "datagrams"),
        ]);
        let received = results::passed("received", self.sessions.values().filter_map(UdpSession::received));
        results.summary = received.unwrap_or(results.summary);
        let mut losses = self.losses.clone();
        for (peer, session) in &self.sessions {
            let lost = session.report.map_or(0, |report| u64::from(report.lost));
            losses.counted(Cause::Missing, lost, session.reported_at, Some(*peer));
        }
        results.with(&losses)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
