//! The client. In a closed loop a fixed number of requests is under way at any time, and each answer is followed by the next
//! request. In an open loop (`rate`) requests are due at fixed times; one that finds no lane free waits for one, and its latency
//! counts from when it was due, so that a server that stalls cannot hide how many it kept waiting.

mod pace;

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use self::pace::Next;
use super::lanes::{Lanes, State};
use super::response::{Progress, ResponseReader};
use super::settings::{ClientSettings, Method};
use super::summary::Summary;
use crate::arrival::Arrival;
use crate::outbox::after;
use crate::{Action, Connection, Counter, Event, Machine, Outcome, Results, Sample, Waiting, waiting};

/// Pause before a connection that could not be opened is tried again.
const REOPEN_PAUSE: Picoseconds = Picoseconds::new(PS_PER_S / 10);
/// Requests that fail one after another, with no answer between them, before the client gives up (`ab` has the same number).
const MOST_FAILURES: u32 = 10;
/// Samples that there is room for from the start.
const SAMPLES_AHEAD: u64 = 1 << 16;
/// Statuses from here on say that something went wrong (RFC 9110, sections 15.5 and 15.6).
const FIRST_ERROR_STATUS: u16 = 400;

/// An HTTP client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    request: Vec<u8>,
    lanes: Lanes,
    start: Option<Picoseconds>,
    connections: u32,
    begun: u64,
    unsent: u64,
    kept_alive: u64,
    failures_in_a_row: u32,
    failure: Option<String>,
    samples: Vec<Sample>,
    arrival: Arrival,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        let count = u64::from(settings.concurrency.max(1)).min(settings.requests);
        let reader = ResponseReader::new(settings.method == Method::Head).searching(&settings.body_contains);
        let ahead = settings.requests.min(SAMPLES_AHEAD);
        Self {
            request: settings.request(),
            lanes: Lanes::new(usize::try_from(count).unwrap_or(0), reader),
            settings,
            start: None,
            connections: 0,
            begun: 0,
            unsent: 0,
            kept_alive: 0,
            failures_in_a_row: 0,
            failure: None,
            samples: Vec::with_capacity(usize::try_from(ahead).unwrap_or(0)),
            arrival: Arrival::default(),
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

    /// Requests of an open loop that were due and never left, since no lane became free in time.
    pub fn unsent(&self) -> u64 {
        self.unsent
    }

    /// Why the client gave up before its last request.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// What `ab` would print of the samples that have not been taken.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.samples, self.settings.concurrency.max(1), self.kept_alive)
    }

    fn begin(&mut self, now: Picoseconds, number: usize) {
        if self.lanes.get(number).sample.is_none() {
            match self.next(now) {
                Next::Now(trigger) => {
                    self.lanes.get_mut(number).sample = Some(Sample::begun(self.begun, trigger));
                    self.begun += 1;
                }
                Next::Later => return self.lanes.set(number, State::Free, None),
                Next::Never => {
                    if let Some(connection) = self.lanes.disconnect(number) {
                        self.actions.push_back(Action::Finish(connection));
                    }
                    return self.lanes.set(number, State::Over, None);
                }
            }
        }
        self.lanes.get_mut(number).reused = self.lanes.connection(number).is_some();
        if let Some(connection) = self.lanes.connection(number) {
            return self.ask(now, number, connection);
        }
        let connection = Connection(self.connections);
        self.connections += 1;
        self.lanes.connect(number, connection);
        let until = self.answered_until(now, number);
        self.lanes.set(number, State::Opening, Some(until));
        self.actions.push_back(Action::Connect(connection, self.settings.to));
        self.actions.push_back(Action::NoDelay(connection, true));
    }

    fn opened(&mut self, now: Picoseconds, number: usize, connection: Connection) {
        if self.lanes.state(number) == State::Opening {
            if let Some(sample) = &mut self.lanes.get_mut(number).sample {
                sample.connect = Some(now);
            }
            self.ask(now, number, connection);
        }
    }

    fn ask(&mut self, now: Picoseconds, number: usize, connection: Connection) {
        let until = self.answered_until(now, number);
        let was_opening = self.lanes.state(number) == State::Opening;
        let lane = self.lanes.get_mut(number);
        let Some(sample) = lane.sample.as_mut() else { return };
        sample.connection = Some(connection.0);
        sample.request_bytes = self.request.len() as u64;
        sample.sent = Some(now);
        lane.reader.restart();
        if was_opening {
            // The time-out goes on: it holds for opening and answer together.
            self.lanes.set_state(number, State::Waiting);
        } else {
            self.lanes.set(number, State::Waiting, Some(until));
        }
        self.actions.push_back(Action::Send(connection, self.request.clone()));
    }

    fn receive(&mut self, now: Picoseconds, number: usize, bytes: &[u8]) {
        let is_waiting = self.lanes.state(number) == State::Waiting;
        let lane = self.lanes.get_mut(number);
        let Some(sample) = lane.sample.as_mut().filter(|_| is_waiting) else {
            // Nobody asked: the connection cannot be trusted with the next request.
            return self.drop_connection(number);
        };
        sample.first_byte.get_or_insert(self.arrival.time(now, sample.trigger));
        match lane.reader.take(bytes) {
            Ok((taken, Progress::Complete { status, keep_alive, body_bytes, .. })) => {
                let keep = keep_alive && taken == bytes.len();
                self.complete(now, number, status, body_bytes, keep);
            }
            Ok((_, Progress::More)) => {}
            Err(error) => self.fail(now, number, Outcome::Wrong, &error.to_string()),
        }
    }

    /// What is wrong with a body.
    fn fault_of_body(&self, reader: &ResponseReader) -> Option<String> {
        if let Some(expected) = self.settings.body_crc32 {
            let crc = reader.body_crc32();
            if crc != expected {
                return Some(format!("the body's CRC-32 is {crc:08x}, and not {expected:08x}"));
            }
        }
        let text = &self.settings.body_contains;
        (!reader.holds_the_text()).then(|| format!("the body does not hold {text:?}"))
    }

    fn complete(&mut self, now: Picoseconds, number: usize, status: u16, body_bytes: u64, keep: bool) {
        let is_error = status >= FIRST_ERROR_STATUS;
        // The page of an error is another one.
        let fault = (!is_error).then(|| self.fault_of_body(&self.lanes.get(number).reader)).flatten();
        if let Some(error) = fault {
            return self.fail(now, number, Outcome::Wrong, &error);
        }
        let lane = self.lanes.get_mut(number);
        if let Some(mut sample) = lane.sample.take() {
            sample.payload_bytes = body_bytes;
            sample.response_bytes = lane.reader.response_bytes();
            sample.status = Some(status);
            sample.done = Some(self.arrival.time(now, sample.trigger));
            sample.outcome = Outcome::Ok;
            self.samples.push(sample);
        }
        self.failures_in_a_row = 0;
        if keep && self.settings.keep_alive {
            self.kept_alive += 1;
        } else if let Some(connection) = self.lanes.disconnect(number) {
            self.actions.push_back(Action::Finish(connection));
        }
        self.begin(now, number);
    }

    fn drop_connection(&mut self, number: usize) {
        if let Some(connection) = self.lanes.disconnect(number) {
            self.actions.push_back(Action::Abort(connection));
        }
    }

    fn fail(&mut self, now: Picoseconds, number: usize, outcome: Outcome, error: &str) {
        self.drop_connection(number);
        let lane = self.lanes.get_mut(number);
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
            self.lanes.set(number, State::Resting, Some(after(now, REOPEN_PAUSE)));
        }
    }

    fn give_up(&mut self) {
        for number in 0..self.lanes.len() {
            self.drop_connection(number);
            self.lanes.get_mut(number).sample = None;
            self.lanes.set(number, State::Over, None);
        }
    }

    /// The peer sends no more, with or without a reason.
    fn ended(&mut self, now: Picoseconds, number: usize, reason: Option<&str>) {
        let state = self.lanes.state(number);
        let lane = self.lanes.get_mut(number);
        if state == State::Waiting && reason.is_none() {
            let end = lane.reader.end();
            if let Ok(Progress::Complete { status, body_bytes, .. }) = end {
                return self.complete(now, number, status, body_bytes, false);
            }
        }
        let unanswered = lane.reader.response_bytes() == 0;
        if state == State::Waiting && lane.reused && unanswered {
            self.drop_connection(number);
            return self.begin(now, number);
        }
        if matches!(state, State::Opening | State::Waiting) {
            let truncated = "the connection ended before the response was complete";
            self.fail(now, number, Outcome::Reset, reason.unwrap_or(truncated));
        } else {
            self.drop_connection(number);
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        self.start.get_or_insert(now);
        for number in self.lanes.due(now) {
            if !self.lanes.is_due(number, now) {
                continue;
            }
            match self.lanes.state(number) {
                State::Resting => self.begin(now, number),
                State::Opening | State::Waiting => {
                    let error = format!("no whole response came within {}", self.settings.timeout);
                    self.fail(now, number, Outcome::TimedOut, &error);
                }
                State::Free | State::Over => {}
            }
        }
    }

    /// Makes the requests that are due in lanes that are free, and ends those lanes when there is none to come.
    fn use_free_lanes(&mut self, now: Picoseconds) {
        while let Some(number) = self.lanes.free().filter(|_| self.next(now) != Next::Later) {
            self.begin(now, number);
        }
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let connection = match event {
            Event::Wake => {
                self.wake(now);
                self.use_free_lanes(now);
                return self.give_up_waiting(now);
            }
            Event::Opened(connection)
            | Event::Received(connection, _)
            | Event::PeerFinished(connection)
            | Event::Closed(connection, _) => connection,
            _ => return,
        };
        let Some(number) = self.lanes.of(connection) else { return self.arrival.clear() };
        match event {
            Event::Opened(_) => self.opened(now, number, connection),
            Event::Received(_, bytes) => self.receive(now, number, bytes),
            Event::Closed(_, reason) => self.ended(now, number, reason),
            _ => self.ended(now, number, None),
        }
        self.arrival.clear();
        self.use_free_lanes(now);
    }

    fn arrived(&mut self, at: Picoseconds) {
        self.arrival.set(at);
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        let scheduled = self
            .due()
            .filter(|_| !self.lanes.all_over())
            .map(|due| if self.lanes.free().is_some() { due } else { self.given_up_at(due) });
        self.lanes.next_wake().into_iter().chain(scheduled).min()
    }

    fn is_done(&self) -> bool {
        self.lanes.all_over()
    }

    fn results(&self) -> Results {
        let mut results = Results::measured(self.samples.clone(), "requests", self.failure());
        let errors = || self.samples.iter().filter_map(Sample::error_status);
        let refused = errors().count() as u64;
        let mut count = |name, value, unit| results.counters.push(Counter { name, value, unit });
        count("error_statuses", refused, "requests");
        if self.settings.rate.is_some() {
            count("unsent", self.unsent, "requests");
        }
        if let Some(first) = errors().next() {
            results.summary += &format!(", {refused} answered with an error, first with status {first}");
        }
        if self.unsent > 0 {
            results.summary += &format!(", {} never sent", self.unsent);
        }
        results
    }

    fn work_since(&self, from: usize) -> Vec<Sample> {
        self.samples.get(from..).unwrap_or_default().to_vec()
    }

    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let to = self.settings.to;
        let lanes = (0..self.lanes.len()).map(|number| (self.lanes.state(number), self.lanes.get(number)));
        let mut waits = lanes.filter_map(|(state, lane)| Some((state, lane.sample.as_ref()?, lane)));
        waits.find_map(|(state, sample, lane)| match state {
            State::Opening => Some(Waiting::for_opening(to, sample.trigger, now)),
            State::Waiting => {
                let sent = format!("a request of {}", waiting::bytes(sample.request_bytes));
                let since = sample.sent.unwrap_or(sample.trigger);
                Some(Waiting::for_answer(to, &sent, lane.reader.response_bytes(), since, now))
            }
            State::Resting | State::Free | State::Over => None,
        })
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
