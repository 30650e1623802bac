//! iperf 2 over TCP: bulk transfers whose bytes are a head and digits.

use units::{PS_PER_S, Picoseconds};

use super::datagram::client_head;
use crate::bulk::{Amount, Content, Duplex, Server, Transfer};
use crate::options::option;
use crate::{Action, Connection, Event, Ipv4Endpoint, Machine, OptionKind, OptionSpec};

use std::collections::VecDeque;

const CONNECTION: Connection = Connection(0);
/// The buffer that iperf 2 names in its head when none is chosen.
const BUFFER_BYTES: u32 = 128 * 1024;

/// The settings of [`TcpClient`], declared.
pub const TCP_CLIENT_OPTIONS: &[OptionSpec] = &[
    option("server", OptionKind::Endpoint, "", "", "Where iperf -s listens.", "192.168.1.20:5001"),
    option("time", OptionKind::Time, "", "10s", "How long to send.", "5s"),
    option("send", OptionKind::Size, "", "", "How much to send, instead of how long.", "10MB"),
    option("interval", OptionKind::Time, "", "1s", "The length of the intervals that are reported.", "500ms"),
];

/// The settings of [`TcpServer`], declared.
pub const TCP_SERVER_OPTIONS: &[OptionSpec] = &[
    option("port", OptionKind::Port, "", "5001", "The TCP port to listen on.", "5001"),
    option("interval", OptionKind::Time, "", "1s", "The length of the intervals that are reported.", "500ms"),
];

/// The settings of [`TcpClient`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpClientSettings {
    /// Where the server listens.
    pub server: Ipv4Endpoint,
    /// How much, or how long, to send.
    pub amount: Amount,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
}

impl TcpClientSettings {
    /// The defaults of [`TCP_CLIENT_OPTIONS`].
    pub fn to(server: Ipv4Endpoint) -> Self {
        let second = Picoseconds::new(PS_PER_S);
        Self { server, amount: Amount::Time(Picoseconds::new(10 * PS_PER_S)), interval: Some(second) }
    }
}

/// An iperf 2 client over TCP.
#[derive(Debug, Clone)]
pub struct TcpClient {
    server: Ipv4Endpoint,
    duplex: Duplex,
    begun: bool,
    actions: VecDeque<Action>,
}

impl TcpClient {
    /// A client that begins when it is seated.
    pub fn new(settings: TcpClientSettings) -> Self {
        let content = Content::Digits(client_head(BUFFER_BYTES));
        let duplex = Duplex::new(CONNECTION, content, Some(settings.amount), settings.interval);
        Self { server: settings.server, duplex, begun: false, actions: VecDeque::new() }
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
                self.actions.push_back(Action::Connect(CONNECTION, self.server));
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

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// An iperf 2 server over TCP: a sink.
#[derive(Debug, Clone)]
pub struct TcpServer(Server);

impl TcpServer {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = Server::LISTENER;

    /// A server that listens when it is seated.
    pub fn new(port: u16, interval: Option<Picoseconds>) -> Self {
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

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
