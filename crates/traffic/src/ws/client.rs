//! The client: so many messages, one at a time, each a sample. A message that fails costs its connection, and the next one opens
//! another.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use super::MOST_MESSAGE_BYTES;
use super::frame::{Message, NORMAL, Reader};
use super::handshake::{self, HeadReader};
use super::settings::ClientSettings;
use crate::arrival::Arrival;
use crate::flow::Flow;
use crate::outbox::after;
use crate::pattern::Pattern;
use crate::pingpong::{LEAST_MESSAGE_BYTES, Payload};
use crate::{Action, Connection, Counter, Event, Machine, Outcome, Results, Sample, Waiting, waiting};

/// Openings that fail one after another before the client gives up.
const MOST_FAILED_OPENINGS: u32 = 3;
/// Pause before a connection is opened again.
const REOPEN_PAUSE: Picoseconds = Picoseconds::new(PS_PER_S / 10);

#[derive(Debug, Clone)]
enum State {
    /// Opens a connection at the time of the next wake.
    Closed,
    Connecting,
    /// The request of the opening handshake has left.
    Upgrading(HeadReader),
    /// Sends the next message at the time of the next wake.
    Thinking,
    Waiting,
    /// The closing handshake has begun.
    Closing,
    Over,
}

/// A WebSocket client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    state: State,
    wake_at: Option<Picoseconds>,
    end: Option<Picoseconds>,
    /// Connections so far; the last one is in use.
    connections: u32,
    opened: Option<Picoseconds>,
    failed_openings: u32,
    reader: Reader,
    flow: Flow,
    expected: Message,
    current: Option<Sample>,
    samples: Vec<Sample>,
    sent: u64,
    masks: u64,
    pings: u64,
    unclean_closings: u64,
    failure: Option<String>,
    arrival: Arrival,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        let begins = settings.rounds > 0;
        Self {
            settings,
            state: if begins { State::Closed } else { State::Over },
            wake_at: begins.then_some(Picoseconds::ZERO),
            end: None,
            connections: 0,
            opened: None,
            failed_openings: 0,
            reader: Reader::new(false),
            flow: Flow::default(),
            expected: Message::Close(None),
            current: None,
            samples: Vec::new(),
            sent: 0,
            masks: 0,
            pings: 0,
            unclean_closings: 0,
            failure: None,
            arrival: Arrival::default(),
            actions: VecDeque::new(),
        }
    }

    /// What was measured so far.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Why the client gave up before its last message.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn connection(&self) -> Connection {
        Connection(self.connections.wrapping_sub(1))
    }

    fn key(&self) -> String {
        handshake::key(self.settings.seed, self.connection().0)
    }

    /// The message of an index: its number and what the seed says, as letters or with a CRC.
    fn message(&self, index: u64) -> Message {
        let ClientSettings { text, message_bytes, seed, .. } = self.settings;
        let bytes = message_bytes.clamp(LEAST_MESSAGE_BYTES, MOST_MESSAGE_BYTES as u32);
        if !text {
            return Message::Binary(Payload::Bytes { bytes, seed }.exchange(index).0);
        }
        let mut message = format!("{index} ").into_bytes();
        let random = Pattern::new(seed).bytes(index.wrapping_mul(u64::from(bytes)), bytes as usize);
        message.extend(random.iter().map(|byte| b'a' + byte % 26));
        message.truncate(bytes as usize);
        Message::Text(message)
    }

    fn frame(&mut self, message: &Message) -> Vec<u8> {
        let mask = Pattern::new(!self.settings.seed).bytes(self.masks.wrapping_mul(4), 4);
        self.masks += 1;
        message.frame(Some([mask[0], mask[1], mask[2], mask[3]]))
    }

    fn has_sent_all(&self, now: Picoseconds) -> bool {
        self.sent >= self.settings.rounds || self.end.is_some_and(|end| end <= now)
    }

    fn begun(&self, now: Picoseconds) -> Sample {
        let mut sample = Sample::begun(self.sent, now);
        sample.connection = Some(self.connection().0);
        sample.connect = self.opened;
        sample
    }

    fn wait(&mut self, now: Picoseconds, state: State) {
        self.state = state;
        self.wake_at = Some(after(now, self.settings.timeout));
    }

    fn open(&mut self, now: Picoseconds) {
        if self.end.is_none() {
            self.end = self.settings.duration.map(|duration| after(now, duration));
        }
        self.connections += 1;
        self.opened = None;
        self.reader = Reader::new(false);
        self.flow = Flow::default();
        self.current = Some(self.begun(now));
        self.actions.push_back(Action::Connect(self.connection(), self.settings.to));
        if self.settings.no_delay {
            self.actions.push_back(Action::NoDelay(self.connection(), true));
        }
        self.wait(now, State::Connecting);
    }

    fn upgrade(&mut self, now: Picoseconds) {
        self.opened = Some(now);
        let ClientSettings { to, path, host, .. } = &self.settings;
        let host = if host.is_empty() { to.to_string() } else { host.clone() };
        let request = handshake::request(path, &host, &self.key());
        self.actions.push_back(Action::Send(self.connection(), request));
        // The time-out goes on: it holds for connection and handshake together.
        self.state = State::Upgrading(HeadReader::default());
    }

    fn send(&mut self, now: Picoseconds) {
        let message = self.message(self.sent);
        let frame = self.frame(&message);
        let mut sample = self.begun(now);
        sample.payload_bytes = message.len() as u64;
        sample.request_bytes = frame.len() as u64;
        sample.sent = Some(now);
        self.opened = None;
        self.expected = message;
        self.current = Some(sample);
        self.actions.push_back(Action::Send(self.connection(), frame));
        self.wait(now, State::Waiting);
    }

    fn receive(&mut self, now: Picoseconds, mut bytes: &[u8]) {
        let own = self.connection();
        while !bytes.is_empty() && own == self.connection() {
            match &mut self.state {
                State::Upgrading(reader) => match reader.take(&mut bytes) {
                    Ok(None) => return,
                    Ok(Some(head)) => self.upgraded(now, &head),
                    Err(_) => self.fail(now, Outcome::Wrong, "the head of the server's answer does not end"),
                },
                State::Thinking | State::Waiting | State::Closing => self.read(now, &mut bytes),
                State::Closed | State::Connecting | State::Over => return,
            }
        }
    }

    fn upgraded(&mut self, now: Picoseconds, head: &[u8]) {
        match handshake::check_response(head, &self.key()) {
            Ok(()) => {
                self.failed_openings = 0;
                self.send(now);
            }
            Err(error) => self.fail(now, Outcome::Wrong, &error),
        }
    }

    fn read(&mut self, now: Picoseconds, bytes: &mut &[u8]) {
        if let Some(sample) = self.current.as_mut().filter(|_| matches!(self.state, State::Waiting)) {
            sample.first_byte.get_or_insert(self.arrival.time(now, sample.trigger));
        }
        let before = bytes.len();
        let read = self.reader.take(bytes);
        if let Some(sample) = &mut self.current {
            sample.response_bytes += (before - bytes.len()) as u64;
        }
        match read {
            Ok(None) => {}
            Ok(Some(Message::Ping(payload))) => {
                self.pings += 1;
                let pong = self.frame(&Message::Pong(payload));
                self.flow.send(self.connection(), pong, &mut self.actions);
            }
            Ok(Some(Message::Pong(_))) => {}
            Ok(Some(Message::Close(code))) => self.closed_by_peer(now, code),
            Ok(Some(message)) => self.judge(now, &message),
            Err(violation) => self.fail(now, Outcome::Wrong, &violation.sentence()),
        }
    }

    fn judge(&mut self, now: Picoseconds, message: &Message) {
        match self.state {
            State::Waiting => {}
            // What nobody asked for would be taken for the next answer.
            State::Thinking => return self.fail(now, Outcome::Wrong, "a message came that nobody asked for"),
            _ => return,
        }
        if let Some(sample) = &mut self.current {
            sample.done = Some(self.arrival.time(now, sample.trigger));
            sample.outcome = Outcome::Ok;
        }
        if *message != self.expected {
            return self.fail(now, Outcome::Wrong, "the answer is not the message that was sent");
        }
        self.samples.extend(self.current.take());
        self.sent += 1;
        if self.has_sent_all(now) {
            self.say_goodbye(now);
        } else if self.settings.think_time == Picoseconds::ZERO {
            self.send(now);
        } else {
            let next = after(now, self.settings.think_time);
            self.state = State::Thinking;
            self.wake_at = Some(self.end.map_or(next, |end| end.min(next)));
        }
    }

    fn say_goodbye(&mut self, now: Picoseconds) {
        let frame = self.frame(&Message::Close(Some(NORMAL)));
        self.actions.push_back(Action::Send(self.connection(), frame));
        self.wait(now, State::Closing);
    }

    fn closed_by_peer(&mut self, now: Picoseconds, code: Option<u16>) {
        if matches!(self.state, State::Closing) {
            self.actions.push_back(Action::Finish(self.connection()));
            return self.finish();
        }
        let status = code.map_or("no status".to_owned(), |code| format!("status {code}"));
        self.fail(now, Outcome::Reset, &format!("{} closed the WebSocket with {status}", self.settings.to));
    }

    fn finish(&mut self) {
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
        let opening = matches!(self.state, State::Connecting | State::Upgrading(_));
        if matches!(self.state, State::Closing) {
            self.unclean_closings += 1;
            return self.finish();
        }
        self.failed_openings += u32::from(opening);
        if let Some(sample) = self.current.take() {
            self.samples.push(sample.failed(outcome, error));
            self.sent += 1;
        }
        self.state = State::Closed;
        self.wake_at = Some(after(now, self.settings.think_time.max(REOPEN_PAUSE)));
        if self.has_sent_all(now) {
            self.finish();
        } else if self.failed_openings >= MOST_FAILED_OPENINGS {
            let count = self.failed_openings;
            self.failure = Some(format!("{count} openings one after another failed: {error}"));
            self.finish();
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        if self.wake_at.is_none_or(|at| at > now) {
            return;
        }
        let timeout = self.settings.timeout;
        match self.state {
            State::Closed if self.has_sent_all(now) => self.finish(),
            State::Closed => self.open(now),
            State::Thinking if self.has_sent_all(now) => self.say_goodbye(now),
            State::Thinking => self.send(now),
            State::Connecting | State::Upgrading(_) => {
                let error = format!("the WebSocket to {} was not open within {timeout}", self.settings.to);
                self.fail(now, Outcome::TimedOut, &error);
            }
            State::Waiting | State::Closing => {
                self.fail(now, Outcome::TimedOut, &format!("no whole answer came within {timeout}"));
            }
            State::Over => {}
        }
    }

    fn is_open(&self) -> bool {
        !matches!(self.state, State::Closed | State::Over)
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let own = self.connection();
        match event {
            Event::Wake => self.wake(now),
            Event::Opened(connection) if connection == own && matches!(self.state, State::Connecting) => {
                self.upgrade(now);
            }
            Event::Received(connection, bytes) if connection == own => {
                self.receive(now, bytes);
                self.arrival.clear();
            }
            Event::Room(connection, _) if connection == own => self.flow.room(own, &mut self.actions),
            Event::PeerFinished(connection) if connection == own && self.is_open() => {
                let error = format!("{} closed the connection", self.settings.to);
                self.fail(now, Outcome::Reset, &error);
            }
            Event::Closed(connection, reason) if connection == own && self.is_open() => {
                self.lose(now, Outcome::Reset, reason.unwrap_or("the connection was closed"));
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
        matches!(self.state, State::Over)
    }

    fn results(&self) -> Results {
        let mut results = Results::measured(self.samples.clone(), "messages", self.failure());
        for (name, value, unit) in
            [("pings", self.pings, "messages"), ("unclean_closings", self.unclean_closings, "connections")]
        {
            results.counters.push(Counter { name, value, unit });
        }
        results
    }

    fn work_since(&self, from: usize) -> Vec<Sample> {
        self.samples.get(from..).unwrap_or_default().to_vec()
    }

    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let (sample, to) = (self.current.as_ref()?, self.settings.to);
        match self.state {
            State::Connecting => Some(Waiting::for_opening(to, sample.trigger, now)),
            State::Upgrading(_) => {
                let since = self.opened.unwrap_or(sample.trigger);
                Some(Waiting::for_answer(to, "a request for a WebSocket", sample.response_bytes, since, now))
            }
            State::Waiting => {
                let sent = format!("a message of {}", waiting::bytes(sample.request_bytes));
                Some(Waiting::for_answer(to, &sent, sample.response_bytes, sample.trigger, now))
            }
            _ => None,
        }
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
