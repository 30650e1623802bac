//! The client: so many rounds, one at a time, each a sample. A message that fails costs its connection, since what else comes
//! on it can no longer be told apart; the next message opens a new one.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use super::PORT;
use super::message::{Payload, describe_difference};
use crate::arrival::Arrival;
use crate::options::{self, Values, option, to};
use crate::outbox::after;
use crate::{
    Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Outcome, Results, Sample, Waiting,
    waiting,
};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Flag, Size, Word};

/// Connections that fail to open one after another before the client gives up.
const MOST_FAILED_OPENINGS: u32 = 3;
/// Messages of one run, also of one that ends by time: each leaves a sample.
const MOST_ROUNDS: u64 = 10_000_000;
/// Samples that there is room for from the start.
const SAMPLES_AHEAD: u64 = 1 << 16;
/// Pause before a connection is opened again.
const REOPEN_PAUSE: Picoseconds = Picoseconds::new(PS_PER_S / 10);

/// The settings of [`Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the server listens.", "192.168.1.20:5000"),
    option("rounds", Count(1, MOST_ROUNDS), "1000", "How many messages to send.", "100"),
    option(
        "duration",
        Duration,
        "",
        "For how long to send messages, instead of how many; with both, whichever ends first.",
        "10s",
    ),
    option(
        "payload",
        Word(&["counter", "bytes", "text"]),
        "counter",
        "What a message holds: a decimal number, bytes with sequence number and CRC, or a numbered line of text.",
        "bytes",
    ),
    option("first_number", Count(0, u64::MAX), "1", "The first number of the counter.", "100"),
    option("newline", Flag, "false", "Whether a newline ends each number.", "true"),
    option("size", Size(8, 1_048_576), "12B", "The size of a message of bytes or text.", "128B"),
    option("seed", Count(0, u64::MAX), "0", "Determines the bytes of messages.", "7"),
    option("think_time", Duration, "0s", "Pause between an answer and the next message.", "10ms"),
    option(
        "dither",
        Duration,
        "0s",
        "Adds a pause of random length up to this, so that messages meet every phase of a poll.",
        "100ms",
    ),
    option("timeout", Duration, "10s", "How long to wait for an answer or an opening.", "500ms"),
    option("no_delay", Flag, "true", "Switches Nagle's algorithm off.", "false"),
];

/// The settings of [`Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// How many messages to send at most.
    pub rounds: u64,
    /// For how long to send messages, from the first opening on.
    pub duration: Option<Picoseconds>,
    /// What a message holds.
    pub payload: Payload,
    /// Pause between an answer and the next message.
    pub think_time: Picoseconds,
    /// Adds a pause of random length up to this.
    pub dither: Picoseconds,
    /// How long to wait for an answer or an opening.
    pub timeout: Picoseconds,
    /// Switches Nagle's algorithm off.
    pub no_delay: bool,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        Self {
            to,
            rounds: 1000,
            duration: None,
            payload: Payload::Counter { start: 1, newline: false },
            think_time: Picoseconds::ZERO,
            dither: Picoseconds::ZERO,
            timeout: Picoseconds::new(10 * PS_PER_S),
            no_delay: true,
        }
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let counter = Payload::Counter {
            start: values.read("first_number", options::parsed)?,
            newline: values.read("newline", options::switch)?,
        };
        let (size, seed) = (values.read("size", options::size)?, values.read("seed", options::parsed)?);
        let (bytes, text) = (Payload::Bytes { bytes: size, seed }, Payload::Text { bytes: size, seed });
        let duration = values.read_if_set("duration", options::time)?;
        let ends_by_time = duration.is_some() && !values.is_given("rounds");
        let rounds = values.read("rounds", options::parsed)?;
        match values.text("payload") {
            "counter" => values.have_no_use(&["size"], "the payload is a counter")?,
            _ => values.have_no_use(&["first_number", "newline"], "the payload is no counter")?,
        }
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            rounds: if ends_by_time { MOST_ROUNDS } else { rounds },
            duration,
            payload: values.choose("payload", &[("counter", counter), ("bytes", bytes), ("text", text)])?,
            think_time: values.read("think_time", options::time)?,
            dither: values.read("dither", options::time)?,
            timeout: values.read("timeout", options::time)?,
            no_delay: values.read("no_delay", options::switch)?,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Opens a connection at the time of the next wake.
    Closed,
    Opening,
    /// Sends the next message at the time of the next wake.
    Thinking,
    Waiting,
    Over,
}

/// A ping-pong client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    state: State,
    wake_at: Option<Picoseconds>,
    /// Connections so far; the last one is in use.
    connections: u32,
    opened: Option<Picoseconds>,
    failed_openings: u32,
    current: Option<Sample>,
    expected: Vec<u8>,
    /// Received, and not yet part of an answer.
    received: Vec<u8>,
    /// When what is looked at arrived, where that is known better than that it was just now.
    arrival: Arrival,
    /// So much of it is known to be as expected, so that a long answer in many pieces is compared once.
    compared: usize,
    samples: Vec<Sample>,
    sent: u64,
    /// When the time to send messages is over.
    end: Option<Picoseconds>,
    failure: Option<String>,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        let state = if settings.rounds == 0 { State::Over } else { State::Closed };
        // Room is made beforehand: a long run would copy all samples in the midst of a message.
        let ahead = settings.rounds.min(SAMPLES_AHEAD);
        Self {
            settings,
            state,
            wake_at: (state == State::Closed).then_some(Picoseconds::ZERO),
            connections: 0,
            opened: None,
            failed_openings: 0,
            current: None,
            expected: Vec::new(),
            received: Vec::new(),
            arrival: Arrival::default(),
            compared: 0,
            samples: Vec::with_capacity(usize::try_from(ahead).unwrap_or(0)),
            sent: 0,
            end: None,
            failure: None,
            actions: VecDeque::new(),
        }
    }

    /// What was measured so far and not yet taken.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Takes what was measured so far, so that a long run need not keep it.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.samples)
    }

    /// Why the client gave up before its last message.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn connection(&self) -> Connection {
        Connection(self.connections.wrapping_sub(1))
    }

    /// Whether there is no message to send any more.
    fn has_sent_all(&self, now: Picoseconds) -> bool {
        self.sent >= self.settings.rounds || self.end.is_some_and(|end| end <= now)
    }

    fn open(&mut self, now: Picoseconds) {
        if self.end.is_none() {
            self.end = self.settings.duration.map(|duration| after(now, duration));
        }
        self.connections += 1;
        self.received.clear();
        self.opened = None;
        self.state = State::Opening;
        self.wake_at = Some(now + self.settings.timeout);
        self.current = Some(self.begun(now));
        self.actions.push_back(Action::Connect(self.connection(), self.settings.to));
        if self.settings.no_delay {
            self.actions.push_back(Action::NoDelay(self.connection(), true));
        }
    }

    fn begun(&self, now: Picoseconds) -> Sample {
        let mut sample = Sample::begun(self.sent, now);
        sample.connection = Some(self.connections.wrapping_sub(1));
        sample.connect = self.opened;
        sample
    }

    fn send(&mut self, now: Picoseconds) {
        let (message, expected) = self.settings.payload.exchange(self.sent);
        let mut sample = self.begun(now);
        sample.payload_bytes = message.len() as u64;
        sample.request_bytes = message.len() as u64;
        sample.sent = Some(now);
        self.opened = None;
        self.expected = expected;
        self.compared = 0;
        self.current = Some(sample);
        self.state = State::Waiting;
        self.wake_at = Some(now + self.settings.timeout);
        self.actions.push_back(Action::Send(self.connection(), message));
        self.judge(now);
    }

    /// Compares what has come with what must come. Bytes beyond the answer are left for the next one, which they spoil,
    /// however the stream is cut.
    fn judge(&mut self, now: Picoseconds) {
        let Some(sample) = self.current.as_mut().filter(|_| self.state == State::Waiting) else { return };
        if self.received.is_empty() {
            return;
        }
        let arrived = self.arrival.time(now, sample.trigger);
        sample.first_byte.get_or_insert(arrived);
        let until = self.received.len().min(self.expected.len());
        let new = self.compared.min(until)..until;
        let mut pairs = self.received[new.clone()].iter().zip(&self.expected[new.clone()]);
        let differs_at = pairs.position(|(a, b)| a != b).map(|at| new.start + at);
        self.compared = until;
        if let Some(at) = differs_at {
            let error = describe_difference(self.settings.payload, sample.index, &self.received, at);
            sample.response_bytes = at as u64 + 1;
            sample.done = Some(arrived);
            self.fail(now, Outcome::Wrong, &error);
        } else if self.received.len() >= self.expected.len() {
            sample.response_bytes = self.expected.len() as u64;
            sample.done = Some(arrived);
            sample.outcome = Outcome::Ok;
            self.received.drain(..self.expected.len());
            self.failed_openings = 0;
            self.complete(now);
        } else {
            sample.response_bytes = self.received.len() as u64;
        }
    }

    fn complete(&mut self, now: Picoseconds) {
        self.samples.extend(self.current.take());
        self.sent += 1;
        if self.has_sent_all(now) {
            return self.finish();
        }
        let pause = self.pause();
        if pause == Picoseconds::ZERO {
            self.send(now);
        } else {
            let next = after(now, pause);
            self.state = State::Thinking;
            self.wake_at = Some(self.end.map_or(next, |end| end.min(next)));
        }
    }

    fn finish(&mut self) {
        self.actions.push_back(Action::Finish(self.connection()));
        self.end();
    }

    /// The pause before the next message: the same in each run.
    fn pause(&self) -> Picoseconds {
        let ClientSettings { think_time, dither, .. } = &self.settings;
        let share = u128::from(scattered(self.sent)) * u128::from(dither.ps().unsigned_abs());
        *think_time + Picoseconds::new((share >> 64) as i64)
    }

    fn end(&mut self) {
        self.state = State::Over;
        self.wake_at = None;
    }

    /// Ends the current message with a fault and its connection with a reset.
    fn fail(&mut self, now: Picoseconds, outcome: Outcome, error: &str) {
        self.actions.push_back(Action::Abort(self.connection()));
        self.lose(now, outcome, error);
    }

    /// The connection is gone, and the current message with it.
    fn lose(&mut self, now: Picoseconds, outcome: Outcome, error: &str) {
        if self.state == State::Opening {
            self.failed_openings += 1;
        }
        if let Some(sample) = self.current.take() {
            self.samples.push(sample.failed(outcome, error));
            self.sent += 1;
        }
        self.state = State::Closed;
        self.wake_at = Some(now + self.settings.think_time.max(REOPEN_PAUSE));
        if self.has_sent_all(now) {
            self.end();
        } else if self.failed_openings >= MOST_FAILED_OPENINGS {
            let count = self.failed_openings;
            self.failure =
                Some(format!("{count} connections one after another could not be opened: {error}"));
            self.end();
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        if self.wake_at.is_none_or(|at| at > now) {
            return;
        }
        let timeout = self.settings.timeout;
        match self.state {
            State::Closed if self.has_sent_all(now) => self.end(),
            State::Closed => self.open(now),
            State::Thinking if self.has_sent_all(now) => self.finish(),
            State::Thinking => self.send(now),
            State::Opening => {
                let error = format!("the connection to {} was not open within {timeout}", self.settings.to);
                self.fail(now, Outcome::TimedOut, &error);
            }
            State::Waiting => {
                self.fail(now, Outcome::TimedOut, &format!("no whole answer came within {timeout}"));
            }
            State::Over => {}
        }
    }

    fn receive(&mut self, now: Picoseconds, bytes: &[u8]) {
        // Byte for byte what one call for each byte would do: more than two answers ahead is dropped.
        for piece in bytes.chunks(self.expected.len().max(1)) {
            let room = (2 * self.expected.len() + 1).saturating_sub(self.received.len());
            self.received.extend_from_slice(&piece[..piece.len().min(room)]);
            self.judge(now);
        }
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let own = self.connection();
        match event {
            Event::Wake => self.wake(now),
            Event::Opened(connection) if connection == own && self.state == State::Opening => {
                self.opened = Some(now);
                self.send(now);
            }
            Event::Received(connection, bytes) if connection == own => {
                self.receive(now, bytes);
                self.arrival.clear();
            }
            Event::PeerFinished(connection) if connection == own && self.state != State::Over => {
                let error = format!("{} closed the connection", self.settings.to);
                self.fail(now, Outcome::Reset, &error);
            }
            Event::Closed(connection, reason) if connection == own => {
                let open = matches!(self.state, State::Opening | State::Thinking | State::Waiting);
                if open {
                    self.lose(now, Outcome::Reset, reason.unwrap_or("the connection was closed"));
                }
            }
            _ => {}
        }
    }

    fn arrived(&mut self, at: Picoseconds) {
        self.arrival.set(at);
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.wake_at
    }

    fn is_done(&self) -> bool {
        self.state == State::Over
    }

    fn results(&self) -> Results {
        Results::measured(self.samples.clone(), "messages", self.failure())
    }

    fn work_since(&self, from: usize) -> Vec<Sample> {
        self.samples.get(from..).unwrap_or_default().to_vec()
    }

    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let (sample, to) = (self.current.as_ref()?, self.settings.to);
        match self.state {
            State::Opening => Some(Waiting::for_opening(to, sample.trigger, now)),
            State::Waiting => {
                let sent = waiting::bytes(sample.request_bytes);
                Some(Waiting::for_answer(to, &sent, sample.response_bytes, sample.trigger, now))
            }
            _ => None,
        }
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// A number that looks like chance: SplitMix64 (Steele, Lea and Flood, 2014) at the place `index` of its sequence.
fn scattered(index: u64) -> u64 {
    let mut bits = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
