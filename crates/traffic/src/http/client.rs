//! The client: a closed loop of so many requests, of which a fixed number is under way at any time.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use super::PORT;
use super::response::{Progress, ResponseReader};
use super::summary::Summary;
use crate::options::{self, Values, option, to};
use crate::{
    Action, Connection, Counter, Declared, Event, Ipv4Endpoint, Machine, OptionError, Outcome, Results,
    Sample,
};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Flag, Text, Word};

/// Pause before a connection that could not be opened is tried again.
const REOPEN_PAUSE: Picoseconds = Picoseconds::new(PS_PER_S / 10);
/// Requests that fail one after another, with no answer between them, before the client gives up (`ab` has the same number).
const MOST_FAILURES: u32 = 10;

/// The settings of [`Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the server listens.", "192.168.1.20:8080"),
    option("path", Text("a path that begins with /"), "/", "What to ask for.", "/index.shtml"),
    option("host", Text("a host name"), "", "The Host header; the server's address if empty.", "board.local"),
    option("method", Word(&["GET", "HEAD", "POST"]), "GET", "How to ask; POST sends a body.", "POST"),
    option("body", Text("a text"), "", "What POST sends.", "led=on"),
    option("requests", Count(1, 10_000_000), "1000", "How many requests to make.", "100"),
    option("concurrency", Count(1, 1000), "1", "How many are under way at a time.", "4"),
    option("keep_alive", Flag, "false", "Whether connections are used again.", "true"),
    option("timeout", Duration, "30s", "How long to wait for a whole response.", "2s"),
    option(
        "body_crc32",
        Text("eight hexadecimal digits"),
        "",
        "The CRC-32 that every response's body must have; not looked at if empty.",
        "cbf43926",
    ),
];

/// How to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// For a page.
    Get,
    /// For a page's head.
    Head,
    /// With a body.
    Post(Vec<u8>),
}

/// The settings of [`Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server listens.
    pub to: Ipv4Endpoint,
    /// What to ask for.
    pub path: String,
    /// The Host header; the server's address if empty.
    pub host: String,
    /// How to ask.
    pub method: Method,
    /// How many requests to make.
    pub requests: u64,
    /// How many are under way at a time; 0 is taken as 1.
    pub concurrency: u32,
    /// Whether connections are used again.
    pub keep_alive: bool,
    /// How long to wait for a whole response.
    pub timeout: Picoseconds,
    /// The CRC-32 that every response's body must have.
    pub body_crc32: Option<u32>,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: Ipv4Endpoint) -> Self {
        Self {
            to,
            path: "/".to_owned(),
            host: String::new(),
            method: Method::Get,
            requests: 1000,
            concurrency: 1,
            keep_alive: false,
            timeout: Picoseconds::new(30 * PS_PER_S),
            body_crc32: None,
        }
    }

    fn request(&self) -> Vec<u8> {
        let (method, body): (_, &[u8]) = match &self.method {
            Method::Get => ("GET", &[]),
            Method::Head => ("HEAD", &[]),
            Method::Post(body) => ("POST", body),
        };
        let host = if self.host.is_empty() { self.to.to_string() } else { self.host.clone() };
        let path = &self.path;
        let connection = if self.keep_alive { "keep-alive" } else { "close" };
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: airwire\r\nAccept: */*\r\nConnection: {connection}\r\n"
        );
        if method == "POST" {
            text += &format!("Content-Type: text/plain\r\nContent-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        [text.as_bytes(), body].concat()
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            path: values.read("path", super::path)?,
            host: values.read("host", |text| (!text.contains(char::is_control)).then(|| text.to_owned()))?,
            method: values.read("method", |method| match method {
                "GET" => Some(Method::Get),
                "HEAD" => Some(Method::Head),
                _ => Some(Method::Post(values.text("body").as_bytes().to_vec())),
            })?,
            requests: values.read("requests", options::parsed)?,
            concurrency: values.read("concurrency", options::parsed)?,
            keep_alive: values.read("keep_alive", options::switch)?,
            timeout: values.read("timeout", options::time)?,
            body_crc32: values.read_if_set("body_crc32", crc32)?,
        })
    }
}

fn crc32(text: &str) -> Option<u32> {
    let is_one = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Begins a request at the time of the next wake.
    Resting,
    Opening,
    Waiting,
    Over,
}

/// One request at a time.
#[derive(Debug, Clone)]
struct Lane {
    state: State,
    wake_at: Option<Picoseconds>,
    connection: Option<Connection>,
    sample: Option<Sample>,
    /// A connection that was used before may end just as the next request leaves; that one is asked again on a new connection.
    reused: bool,
    reader: ResponseReader,
}

/// An HTTP client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    request: Vec<u8>,
    lanes: Vec<Lane>,
    connections: u32,
    begun: u64,
    kept_alive: u64,
    failures_in_a_row: u32,
    failure: Option<String>,
    samples: Vec<Sample>,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        let lane = Lane {
            state: State::Resting,
            wake_at: Some(Picoseconds::ZERO),
            connection: None,
            sample: None,
            reused: false,
            reader: ResponseReader::new(false),
        };
        let count = u64::from(settings.concurrency.max(1)).min(settings.requests);
        Self {
            request: settings.request(),
            lanes: vec![lane; usize::try_from(count).unwrap_or(0)],
            settings,
            connections: 0,
            begun: 0,
            kept_alive: 0,
            failures_in_a_row: 0,
            failure: None,
            samples: Vec::new(),
            actions: VecDeque::new(),
        }
    }

    /// What was measured so far and not yet taken, in the order of completion.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Takes what was measured so far, so that a long run need not keep it.
    pub fn take_samples(&mut self) -> Vec<Sample> {
        std::mem::take(&mut self.samples)
    }

    /// Responses that left their connection open for the next request.
    pub fn kept_alive(&self) -> u64 {
        self.kept_alive
    }

    /// Why the client gave up before its last request.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// What `ab` would print of the samples that have not been taken.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.samples, self.settings.concurrency.max(1), self.kept_alive)
    }

    fn lane_of(&self, connection: Connection) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.connection == Some(connection))
    }

    fn begin(&mut self, now: Picoseconds, number: usize) {
        let lane = &mut self.lanes[number];
        if lane.sample.is_none() {
            if self.begun == self.settings.requests {
                lane.state = State::Over;
                lane.wake_at = None;
                if let Some(connection) = lane.connection.take() {
                    self.actions.push_back(Action::Finish(connection));
                }
                return;
            }
            lane.sample = Some(Sample::begun(self.begun, now));
            self.begun += 1;
        }
        lane.wake_at = Some(now + self.settings.timeout);
        if lane.connection.is_some() {
            lane.reused = true;
            self.ask(number);
            return;
        }
        let connection = Connection(self.connections);
        self.connections += 1;
        lane.reused = false;
        lane.connection = Some(connection);
        lane.state = State::Opening;
        self.actions.push_back(Action::Connect(connection, self.settings.to));
        self.actions.push_back(Action::NoDelay(connection, true));
    }

    fn ask(&mut self, number: usize) {
        let lane = &mut self.lanes[number];
        let (Some(connection), Some(sample)) = (lane.connection, lane.sample.as_mut()) else { return };
        sample.connection = Some(connection.0);
        sample.request_bytes = self.request.len() as u64;
        lane.state = State::Waiting;
        lane.reader = ResponseReader::new(self.settings.method == Method::Head);
        self.actions.push_back(Action::Send(connection, self.request.clone()));
    }

    fn receive(&mut self, now: Picoseconds, number: usize, bytes: &[u8]) {
        let lane = &mut self.lanes[number];
        let (State::Waiting, Some(sample)) = (lane.state, lane.sample.as_mut()) else {
            // Nobody asked: the connection cannot be trusted with the next request.
            return self.drop_connection(number);
        };
        sample.first_byte.get_or_insert(now);
        match lane.reader.take(bytes) {
            Ok((taken, Progress::Complete { status, keep_alive, body_bytes, .. })) => {
                let keep = keep_alive && taken == bytes.len();
                self.complete(now, number, status, body_bytes, keep);
            }
            Ok((_, Progress::More)) => {}
            Err(error) => self.fail(now, number, Outcome::Wrong, &error.to_string()),
        }
    }

    fn complete(&mut self, now: Picoseconds, number: usize, status: u16, body_bytes: u64, keep: bool) {
        let lane = &mut self.lanes[number];
        let crc = lane.reader.body_crc32();
        if let Some(expected) = self.settings.body_crc32.filter(|&expected| expected != crc) {
            let error = format!("the body's CRC-32 is {crc:08x}, and not {expected:08x}");
            return self.fail(now, number, Outcome::Wrong, &error);
        }
        if let Some(mut sample) = lane.sample.take() {
            sample.payload_bytes = body_bytes;
            sample.response_bytes = lane.reader.response_bytes();
            sample.status = Some(status);
            sample.done = Some(now);
            sample.outcome = Outcome::Ok;
            self.samples.push(sample);
        }
        self.failures_in_a_row = 0;
        if keep && self.settings.keep_alive {
            self.kept_alive += 1;
        } else if let Some(connection) = lane.connection.take() {
            self.actions.push_back(Action::Finish(connection));
        }
        self.begin(now, number);
    }

    fn drop_connection(&mut self, number: usize) {
        if let Some(connection) = self.lanes[number].connection.take() {
            self.actions.push_back(Action::Abort(connection));
        }
    }

    fn fail(&mut self, now: Picoseconds, number: usize, outcome: Outcome, error: &str) {
        self.drop_connection(number);
        let lane = &mut self.lanes[number];
        if let Some(mut sample) = lane.sample.take() {
            sample.response_bytes = lane.reader.response_bytes();
            self.samples.push(sample.failed(outcome, error));
        }
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= MOST_FAILURES {
            let count = self.failures_in_a_row;
            self.failure = Some(format!("{count} requests one after another failed: {error}"));
            self.give_up();
        } else {
            lane.state = State::Resting;
            lane.wake_at = Some(now + REOPEN_PAUSE);
        }
    }

    fn give_up(&mut self) {
        for number in 0..self.lanes.len() {
            self.drop_connection(number);
            let lane = &mut self.lanes[number];
            lane.state = State::Over;
            lane.wake_at = None;
            lane.sample = None;
        }
    }

    /// The peer sends no more, with or without a reason.
    fn ended(&mut self, now: Picoseconds, number: usize, reason: Option<&str>) {
        let lane = &mut self.lanes[number];
        if lane.state == State::Waiting && reason.is_none() {
            let end = lane.reader.end();
            if let Ok(Progress::Complete { status, body_bytes, .. }) = end {
                return self.complete(now, number, status, body_bytes, false);
            }
        }
        let unanswered = lane.reader.response_bytes() == 0;
        if lane.state == State::Waiting && lane.reused && unanswered {
            self.drop_connection(number);
            return self.begin(now, number);
        }
        if matches!(lane.state, State::Opening | State::Waiting) {
            let truncated = "the connection ended before the response was complete";
            self.fail(now, number, Outcome::Reset, reason.unwrap_or(truncated));
        } else {
            self.drop_connection(number);
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        let timeout = self.settings.timeout;
        for number in 0..self.lanes.len() {
            if self.lanes[number].wake_at.is_none_or(|at| at > now) {
                continue;
            }
            match self.lanes[number].state {
                State::Resting => self.begin(now, number),
                State::Opening | State::Waiting => {
                    let error = format!("no whole response came within {timeout}");
                    self.fail(now, number, Outcome::TimedOut, &error);
                }
                State::Over => {}
            }
        }
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let connection = match event {
            Event::Wake => return self.wake(now),
            Event::Opened(connection)
            | Event::Received(connection, _)
            | Event::PeerFinished(connection)
            | Event::Closed(connection, _) => connection,
            _ => return,
        };
        let Some(number) = self.lane_of(connection) else { return };
        match event {
            Event::Opened(_) => {
                if let Some(sample) = &mut self.lanes[number].sample {
                    sample.connect = Some(now);
                }
                self.ask(number);
            }
            Event::Received(_, bytes) => self.receive(now, number, bytes),
            Event::Closed(_, reason) => self.ended(now, number, reason),
            _ => self.ended(now, number, None),
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.lanes.iter().filter_map(|lane| lane.wake_at).min()
    }

    fn is_done(&self) -> bool {
        self.lanes.iter().all(|lane| lane.state == State::Over)
    }

    fn results(&self) -> Results {
        let mut results = Results::measured(self.samples.clone(), "requests", self.failure());
        let errors = || self.samples.iter().filter_map(Sample::error_status);
        let value = errors().count() as u64;
        results.counters.push(Counter { name: "error_statuses", value, unit: "requests" });
        if let Some(first) = errors().next() {
            results.summary.push_str(&format!(", {value} answered with an error, first with status {first}"));
        }
        results
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
