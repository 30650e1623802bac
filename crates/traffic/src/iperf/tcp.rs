//! iperf 2 over TCP: bulk transfers whose bytes are a head and digits.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use super::PORT;
use super::datagram::client_head;
use crate::answers::intervals_as_samples;
use crate::bulk::{self, Amount, Content, Duplex, Server, Transfer};
use crate::options::{self, Values, option, to};
use crate::{Action, Connection, Declared, Event, Ipv4Endpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::{Duration, Endpoint, Port, Size};

const CONNECTION: Connection = Connection(0);
/// The buffer that iperf 2 names in its head when none is chosen.
const BUFFER_BYTES: u32 = 128 * 1024;

const DEFAULT_AMOUNT: Amount = Amount::Time(Picoseconds::new(10 * PS_PER_S));

/// The settings of [`TcpClient`], declared.
pub const TCP_CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where iperf -s listens.", "192.168.1.20:5001"),
    option("time", Duration, "10s", "How long to send.", "5s"),
    option("send", Size(1, u64::MAX), "", "How much to send, instead of how long.", "10MB"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`TcpServer`], declared.
pub const TCP_SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "5001", "The TCP port to listen on.", "5011"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
];

/// The settings of [`TcpClient`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpClientSettings {
    /// Where the server listens.
    pub to: Ipv4Endpoint,
    /// How much, or how long, to send.
    pub amount: Amount,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl TcpClientSettings {
    /// The defaults of [`TCP_CLIENT_OPTIONS`].
    pub fn to(to: Ipv4Endpoint) -> Self {
        let second = Picoseconds::new(PS_PER_S);
        Self { to, amount: DEFAULT_AMOUNT, interval: Some(second) }
    }
}

impl Declared for TcpClientSettings {
    const OPTIONS: &'static [Field] = TCP_CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            amount: bulk::amount(values)?.unwrap_or(DEFAULT_AMOUNT),
            interval: Some(values.read("interval", options::time)?),
        })
    }
}

/// An iperf 2 client over TCP.
#[derive(Debug, Clone)]
pub struct TcpClient {
    to: Ipv4Endpoint,
    duplex: Duplex,
    begun: bool,
    actions: VecDeque<Action>,
}

impl TcpClient {
    /// A client that begins when it is seated.
    pub fn new(settings: TcpClientSettings) -> Self {
        let content = Content::Digits(client_head(BUFFER_BYTES));
        let duplex = Duplex::new(CONNECTION, content, Some(settings.amount), settings.interval);
        Self { to: settings.to, duplex, begun: false, actions: VecDeque::new() }
    }

    /// What was sent so far.
    pub fn transfer(&self) -> Transfer {
        self.duplex.transfer()
    }
}

impl Machine for TcpClient {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.begun => {
                self.begun = true;
                self.actions.push_back(Action::Connect(CONNECTION, self.to));
            }
            Event::Opened(_) => self.duplex.open(now, &mut self.actions),
            _ => self.duplex.handle(now, &event, &mut self.actions),
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.duplex.wake_at()
    }

    fn is_done(&self) -> bool {
        self.duplex.is_over()
    }

    fn results(&self) -> Results {
        let transfer = self.transfer();
        let failure = transfer.failure();
        Results { failure, ..Results::transferred(&[transfer], 0) }
    }

    fn work(&self) -> Vec<Sample> {
        intervals_as_samples(&[self.transfer()])
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// The settings of [`TcpServer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpServerSettings {
    /// The port to listen on.
    pub port: u16,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl Declared for TcpServerSettings {
    const OPTIONS: &'static [Field] = TCP_SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            port: values.read("port", options::parsed)?,
            interval: Some(values.read("interval", options::time)?),
        })
    }
}

/// An iperf 2 server over TCP: a sink.
#[derive(Debug, Clone)]
pub struct TcpServer(Server);

impl TcpServer {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = Server::LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: TcpServerSettings) -> Self {
        let TcpServerSettings { port, interval } = settings;
        Self(Server::of_content(port, Content::Digits(Vec::new()), None, interval))
    }

    /// The tests that are over, the oldest first.
    pub fn transfers(&self) -> impl Iterator<Item = &Transfer> {
        self.0.transfers()
    }

    /// What has passed so far in tests that are not over.
    pub fn running(&self) -> Vec<Transfer> {
        self.0.running()
    }
}

impl Machine for TcpServer {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        self.0.handle(now, event);
    }

    fn poll(&mut self) -> Option<Action> {
        self.0.poll()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.0.wake_at()
    }

    fn results(&self) -> Results {
        self.0.results()
    }

    fn work(&self) -> Vec<Sample> {
        self.0.work()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
