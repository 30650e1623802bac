//! iperf 2 over TCP, the client: streams in any of iperf's directions, whose bytes are a head and digits.

use std::collections::{BTreeMap, VecDeque};

use units::{PS_PER_S, Picoseconds};

use super::head::{BUFFER_BYTES, Direction, TcpHead};
use super::{BLOCK, PORT, block_bytes};
use crate::answers::{intervals_as_samples, of_intervals};
use crate::bulk::{self, Amount, BLOCK_BYTES, Content, Duplex, Transfer};
use crate::meter::Meter;
use crate::options::{self, Values, option, to};
use crate::outbox::after;
use crate::{
    Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample, Waiting,
};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Port, Size, Word};

/// The streams that the client opens are numbered from 0; this is beside them.
const LISTENER: Connection = Connection(1000);
const MOST_STREAMS: u64 = 128;
const DEFAULT_AMOUNT: Amount = Amount::Time(Picoseconds::new(10 * PS_PER_S));
/// Where the server of a dual test connects to: beside the ports of servers.
const LISTEN_PORT: u16 = 5003;

/// The settings of [`TcpClient`], declared.
pub const TCP_CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where iperf -s listens.", "192.168.1.20:5001"),
    option("time", Duration, "10s", "How long to send.", "5s"),
    option("send", Size(1, u64::MAX), "", "How much to send, instead of how long.", "10MB"),
    option(
        "direction",
        Word(&["send", "reverse", "full-duplex", "dual", "tradeoff"]),
        "send",
        "Who sends: this client, the server, both on one connection, or both with one back, at once or in turn.",
        "reverse",
    ),
    option("parallel", Count(1, MOST_STREAMS), "1", "How many streams at a time.", "4"),
    option("block", BLOCK, "16384B", "How much is sent at a time.", "131072B"),
    option("listen_port", Port, "5003", "Where the server of a dual test or tradeoff connects to.", "5013"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
    option("timeout", Duration, "60s", "How long nothing may pass before the test is given up.", "10s"),
];

/// The settings of [`TcpClient`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// How much, or how long, to send.
    pub amount: Amount,
    /// Who sends.
    pub direction: Direction,
    /// How many streams at a time; 0 is taken as 1.
    pub parallel: u32,
    /// How much is sent at a time; kept between 1 B and 128 KiB.
    pub block_bytes: u32,
    /// Where the server connects to when it opens a connection of its own.
    pub listen_port: u16,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
    /// How long nothing may pass before the test is given up.
    pub timeout: Picoseconds,
}

impl TcpClientSettings {
    /// The defaults of [`TCP_CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        Self {
            to,
            amount: DEFAULT_AMOUNT,
            direction: Direction::Send,
            parallel: 1,
            block_bytes: BLOCK_BYTES as u32,
            listen_port: LISTEN_PORT,
            interval: Some(Picoseconds::new(PS_PER_S)),
            timeout: Picoseconds::new(60 * PS_PER_S),
        }
    }

    fn streams(&self) -> u32 {
        self.parallel.clamp(1, MOST_STREAMS as u32)
    }

    /// What is sent. Of a test in which the server connects back iperf's client sends the head alone first, and each of its buffers
    /// begins with it again (seen of Debian's iperf 2.1.8); lwIP's server breaks off where it does not.
    fn content(&self) -> Content {
        match self.direction {
            Direction::Dual | Direction::Tradeoff => Content::Blocks(self.head(), u64::from(BUFFER_BYTES)),
            _ => Content::Digits(self.head()),
        }
    }

    /// Whether the head goes out alone, before what is sent.
    fn head_is_apart(&self) -> bool {
        self.direction == Direction::Reverse || self.direction.connects_back()
    }

    fn head(&self) -> Vec<u8> {
        let port = if self.direction.connects_back() { self.listen_port } else { PORT };
        TcpHead { direction: self.direction, port, streams: self.streams(), amount: self.amount }.bytes()
    }
}

impl Declared for TcpClientSettings {
    const OPTIONS: &'static [Field] = TCP_CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        use Direction::{Dual, FullDuplex, Reverse, Send, Tradeoff};
        let directions = [
            ("send", Send),
            ("reverse", Reverse),
            ("full-duplex", FullDuplex),
            ("dual", Dual),
            ("tradeoff", Tradeoff),
        ];
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            amount: bulk::amount(values)?.unwrap_or(DEFAULT_AMOUNT),
            direction: values.choose("direction", &directions)?,
            parallel: values.read("parallel", options::parsed)?,
            block_bytes: values.read("block", options::size)?,
            listen_port: values.read("listen_port", options::parsed)?,
            interval: Some(values.read("interval", options::time)?),
            timeout: values.read("timeout", options::time)?,
        })
    }
}

/// An iperf 2 client over TCP.
#[derive(Debug, Clone)]
pub struct TcpClient {
    settings: TcpClientSettings,
    streams: BTreeMap<Connection, Duplex>,
    /// Connections of the server that have not come yet.
    expected_back: u32,
    /// All streams together, in the direction of the client's bytes and in the other.
    sent: Meter,
    received: Meter,
    begun: bool,
    /// When something last happened.
    stirred: Picoseconds,
    /// When the test is given up unless something passes before.
    give_up_at: Option<Picoseconds>,
    /// When a test for a time is given up whatever passes.
    latest: Option<Picoseconds>,
    failure: Option<String>,
    actions: VecDeque<Action>,
}

impl TcpClient {
    /// A client that begins when it is seated.
    pub fn new(settings: TcpClientSettings) -> Self {
        let send = (settings.direction != Direction::Reverse).then_some(settings.amount);
        let stream = |number| {
            let content = settings.content();
            let duplex = Duplex::new(Connection(number), content, send, settings.interval);
            (Connection(number), duplex.in_blocks_of(block_bytes(settings.block_bytes)))
        };
        Self {
            streams: (0..settings.streams()).map(stream).collect(),
            expected_back: if settings.direction.connects_back() { settings.streams() } else { 0 },
            sent: Meter::new(settings.interval),
            received: Meter::new(settings.interval),
            settings,
            begun: false,
            stirred: Picoseconds::ZERO,
            give_up_at: None,
            latest: None,
            failure: None,
            actions: VecDeque::new(),
        }
    }

    /// What passed on the first stream so far.
    pub fn transfer(&self) -> Transfer {
        self.streams.values().next().map(Duplex::transfer).unwrap_or_default()
    }

    /// What passed on each stream so far, those that the server opened last.
    pub fn transfers(&self) -> Vec<Transfer> {
        self.streams.values().map(Duplex::transfer).collect()
    }

    fn begin(&mut self, now: Picoseconds) {
        self.begun = true;
        let turns = if self.settings.direction == Direction::Tradeoff { 2 } else { 1 };
        if let Amount::Time(time) = self.settings.amount {
            let whole = (0..turns).fold(now, |at, _| after(at, time));
            self.latest = Some(after(whole, self.settings.timeout));
        }
        if self.settings.direction.connects_back() {
            self.actions.push_back(Action::Listen(LISTENER, self.settings.listen_port));
        }
        for &connection in self.streams.keys() {
            self.actions.push_back(Action::Connect(connection, self.settings.to));
        }
    }

    fn open(&mut self, now: Picoseconds, connection: Connection) {
        let Some(stream) = self.streams.get_mut(&connection) else { return };
        if self.settings.head_is_apart() {
            self.actions.push_back(Action::Send(connection, self.settings.head()));
        }
        stream.open(now, &mut self.actions);
    }

    /// The server's own connection; nobody else is let in.
    fn accept(&mut self, now: Picoseconds, connection: Connection, peer: IpEndpoint) {
        if self.expected_back == 0 || peer.address != self.settings.to.address {
            self.actions.push_back(Action::Abort(connection));
            return;
        }
        self.expected_back -= 1;
        let content = Content::Digits(Vec::new());
        let mut stream = Duplex::new(connection, content, None, self.settings.interval);
        stream.open(now, &mut self.actions);
        self.streams.insert(connection, stream);
    }

    fn advance(&mut self, now: Picoseconds, connection: Connection, event: &Event<'_>) {
        let Some(stream) = self.streams.get_mut(&connection) else { return };
        let (sent, received) = (stream.sent_bytes(), stream.received_bytes());
        stream.handle(now, event, &mut self.actions);
        self.sent.count(now, stream.sent_bytes() - sent);
        self.received.count(now, stream.received_bytes() - received);
    }

    fn wake(&mut self, now: Picoseconds) {
        let connections: Vec<Connection> = self.streams.keys().copied().collect();
        for connection in connections {
            self.advance(now, connection, &Event::Wake);
        }
        if self.give_up_at.is_some_and(|at| at <= now) && !self.is_done() {
            let (to, timeout) = (self.settings.to, self.settings.timeout);
            let is_late = self.latest.is_some_and(|at| at <= now);
            self.end(if is_late {
                format!("the test with {to} had not ended {timeout} after its time")
            } else {
                format!("nothing passed between this client and {to} for {timeout}")
            });
        }
    }

    fn end(&mut self, failure: String) {
        self.failure = Some(failure);
        for (&connection, stream) in &self.streams {
            if !stream.is_over() {
                self.actions.push_back(Action::Abort(connection));
            }
        }
        self.stop_listening();
    }

    fn stop_listening(&mut self) {
        self.give_up_at = None;
        if self.settings.direction.connects_back() {
            self.actions.push_back(Action::Abort(LISTENER));
        }
    }
}

impl Machine for TcpClient {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        if self.is_done() {
            return;
        }
        match event {
            Event::Wake if self.begun => return self.wake(now),
            Event::Wake => self.begin(now),
            Event::Closed(LISTENER, reason) => {
                self.end(reason.unwrap_or("the listener was closed").to_owned());
            }
            Event::Opened(connection) => self.open(now, connection),
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, _)
            | Event::Room(connection, _)
            | Event::Drained(connection)
            | Event::PeerFinished(connection)
            | Event::Closed(connection, _) => self.advance(now, connection, &event),
            _ => return,
        }
        if self.is_done() {
            self.stop_listening();
        } else {
            self.stirred = now;
            let silent = after(now, self.settings.timeout);
            self.give_up_at = Some(self.latest.map_or(silent, |latest| latest.min(silent)));
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        if self.failure.is_some() {
            return None;
        }
        self.streams.values().filter_map(Duplex::wake_at).chain(self.give_up_at).min()
    }

    fn is_done(&self) -> bool {
        let opened_all_over = || self.streams.values().all(Duplex::is_over);
        let nobody_comes = || self.expected_back == 0 || self.streams.values().any(Duplex::has_failed);
        self.failure.is_some() || (opened_all_over() && nobody_comes())
    }

    fn results(&self) -> Results {
        let transfers = self.transfers();
        let failure = self.failure.clone().or_else(|| transfers.iter().find_map(Transfer::failure));
        Results { failure, ..Results::transferred(&transfers, 0) }
    }

    fn work(&self) -> Vec<Sample> {
        if self.streams.len() == 1 {
            return intervals_as_samples(&[self.transfer()]);
        }
        let bytes = |meter: &Meter| meter.whole().map_or(0, |whole| whole.bytes);
        let busier = if bytes(&self.sent) > bytes(&self.received) { &self.sent } else { &self.received };
        of_intervals(busier.intervals().iter().copied())
    }

    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let (to, since) = (self.settings.to, self.stirred);
        let passed = self.streams.values().map(|stream| stream.sent_bytes() + stream.received_bytes()).sum();
        let has_opened = self.streams.values().any(Duplex::is_open);
        (!self.is_done()).then(|| match has_opened {
            true => Waiting::for_transfer(to, passed, since, now),
            false => Waiting::for_opening(to, since, now),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
