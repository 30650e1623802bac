//! The client of a bulk transfer: opens one connection.

use std::collections::VecDeque;

use units::Picoseconds;

use super::PORT;
use super::duplex::{Amount, BLOCK_BYTES, Content, Duplex, Transfer};
use crate::answers::intervals_as_samples;
use crate::options::{self, Values, option, to};
use crate::outbox::after;
use crate::pattern::Pattern;
use crate::{
    Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample, Waiting,
};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Size};

const CONNECTION: Connection = Connection(0);
const MOST_BLOCK_BYTES: u64 = 1 << 20;

/// The settings of [`Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the server listens.", "192.168.1.20:5002"),
    option("send", Size(0, u64::MAX), "1MB", "How much to send; 0 only receives.", "10MB"),
    option("time", Duration, "", "How long to send, instead of how much.", "10s"),
    option("seed", Count(0, u64::MAX), "0", "Determines the bytes, in both directions.", "7"),
    option(
        "interval",
        Duration,
        "1s",
        "The length of the intervals that are reported; 0 s for none.",
        "500ms",
    ),
    option(
        "block",
        Size(1, MOST_BLOCK_BYTES),
        "16KiB",
        "How much is handed to TCP at a time; what was handed over counts, so that a slow transfer is counted finer by less.",
        "1460B",
    ),
    option(
        "reset_after",
        Size(1, u64::MAX),
        "",
        "Resets the connection once so much has passed, in both directions together; then it is done.",
        "64KiB",
    ),
    option("timeout", Duration, "", "How long nothing may pass before the transfer is given up.", "10s"),
];

/// The settings of [`Client`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// How much to send; with nothing it only receives, until the server ends.
    pub send: Option<Amount>,
    /// Determines the bytes, in both directions.
    pub seed: u64,
    /// The length of the intervals that are reported.
    pub interval: Option<Picoseconds>,
    /// How much is handed to TCP at a time.
    pub block_bytes: usize,
    /// Resets the connection once so many bytes have passed, in both directions together.
    pub reset_after: Option<u64>,
    /// How long nothing may pass before the transfer is given up.
    pub timeout: Option<Picoseconds>,
}

impl ClientSettings {
    /// The settings of a client that only receives, as they are where nothing else is said.
    pub fn to(server: IpEndpoint) -> Self {
        Self {
            to: server,
            send: None,
            seed: 0,
            interval: None,
            block_bytes: BLOCK_BYTES,
            reset_after: None,
            timeout: None,
        }
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            send: super::amount(values)?,
            seed: values.read("seed", options::parsed)?,
            interval: Some(values.read("interval", options::time)?),
            block_bytes: values.read("block", options::size)?,
            reset_after: values.read_if_set("reset_after", options::size)?,
            timeout: values.read_if_set("timeout", options::time)?,
        })
    }
}

/// A client that sends, receives, or both, over one connection.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    duplex: Duplex,
    begun: bool,
    has_reset: bool,
    /// When something last happened.
    stirred: Picoseconds,
    /// When it is given up unless something passes before.
    give_up_at: Option<Picoseconds>,
    failure: Option<String>,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        let content = Content::Pattern(Pattern::new(settings.seed));
        let duplex = Duplex::new(CONNECTION, content, settings.send, settings.interval)
            .in_blocks_of(settings.block_bytes);
        Self {
            settings,
            duplex,
            begun: false,
            has_reset: false,
            stirred: Picoseconds::ZERO,
            give_up_at: None,
            failure: None,
            actions: VecDeque::new(),
        }
    }

    /// What passed so far.
    pub fn transfer(&self) -> Transfer {
        self.duplex.transfer()
    }

    /// Breaks off like a program that crashed: what the peer has still to send or to hear of is lost.
    fn reset_if_enough_has_passed(&mut self) {
        let enough = self.settings.reset_after.is_some_and(|limit| self.duplex.passed_bytes() >= limit);
        if enough && !self.duplex.is_over() && !self.has_reset {
            self.has_reset = true;
            self.actions.clear();
            self.actions.push_back(Action::Abort(CONNECTION));
        }
    }

    /// Whatever came shows that the peer is there.
    fn wait_on(&mut self, now: Picoseconds) {
        self.stirred = now;
        self.give_up_at =
            self.settings.timeout.filter(|_| !self.is_done()).map(|timeout| after(now, timeout));
    }

    fn give_up(&mut self) {
        let (to, timeout) = (self.settings.to, self.settings.timeout.unwrap_or_default());
        self.failure = Some(format!("nothing passed between this client and {to} for {timeout}"));
        self.give_up_at = None;
        self.actions.clear();
        self.actions.push_back(Action::Abort(CONNECTION));
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.begun => {
                self.begun = true;
                self.actions.push_back(Action::Connect(CONNECTION, self.settings.to));
                self.wait_on(now);
            }
            _ if self.has_reset || self.failure.is_some() => {}
            Event::Wake if self.give_up_at.is_some_and(|at| at <= now) => self.give_up(),
            Event::Wake => self.duplex.handle(now, &event, &mut self.actions),
            Event::Opened(_) => {
                self.duplex.open(now, &mut self.actions);
                self.wait_on(now);
            }
            _ => {
                self.duplex.handle(now, &event, &mut self.actions);
                self.wait_on(now);
            }
        }
        self.reset_if_enough_has_passed();
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        let is_over = self.has_reset || self.failure.is_some();
        self.duplex.wake_at().into_iter().chain(self.give_up_at).min().filter(|_| !is_over)
    }

    fn is_done(&self) -> bool {
        self.has_reset || self.failure.is_some() || self.duplex.is_over()
    }

    fn results(&self) -> Results {
        let transfer = self.transfer();
        let failure = self.failure.clone().or_else(|| transfer.failure());
        Results { failure, ..Results::transferred(&[transfer], 0) }
    }

    fn work(&self) -> Vec<Sample> {
        intervals_as_samples(&[self.transfer()])
    }

    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let (to, since) = (self.settings.to, self.stirred);
        (self.begun && !self.is_done()).then(|| match self.duplex.is_open() {
            true => Waiting::for_transfer(to, self.duplex.passed_bytes(), since, now),
            false => Waiting::for_opening(to, since, now),
        })
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
