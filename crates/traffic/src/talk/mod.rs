//! A free client for a board's own protocol: given bytes at given times over TCP or UDP, and whatever comes back. Each message
//! is a sample; its answer is complete when what was expected has come.

mod settings;

use std::collections::VecDeque;

use units::Picoseconds;

pub use settings::{ClientSettings, OPTIONS, Over};

use crate::arrival::Arrival;
use crate::outbox::after;
use crate::{Action, Connection, Event, Machine, Outcome, Results, Sample};

const CONNECTION: Connection = Connection(0);
/// What is kept of what came.
const MOST_KEPT_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    New,
    /// Until then the connection may take to open.
    Opening(Picoseconds),
    Talking,
    /// All was said; listens until then.
    Lingering(Picoseconds),
    Over,
}

/// A message under way.
#[derive(Debug, Clone)]
struct Open {
    sample: Sample,
    /// What came since it left.
    answer: Vec<u8>,
}

/// A client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    phase: Phase,
    begun: Picoseconds,
    open: Option<Open>,
    samples: Vec<Sample>,
    received: Vec<u8>,
    received_bytes: u64,
    failure: Option<String>,
    arrival: Arrival,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            settings,
            phase: Phase::New,
            begun: Picoseconds::ZERO,
            open: None,
            samples: Vec::new(),
            received: Vec::new(),
            received_bytes: 0,
            failure: None,
            arrival: Arrival::default(),
            actions: VecDeque::new(),
        }
    }

    /// All that came, as far as it is kept.
    pub fn received(&self) -> &[u8] {
        &self.received
    }

    fn begin(&mut self, now: Picoseconds) {
        self.begun = now;
        match self.settings.over {
            Over::Tcp => {
                self.phase = Phase::Opening(after(now, self.settings.timeout));
                self.actions.push_back(Action::Connect(CONNECTION, self.settings.to));
            }
            Over::Udp => {
                self.phase = Phase::Talking;
                self.actions.push_back(Action::Bind(CONNECTION, 0, false));
            }
        }
    }

    /// When the next message leaves at the earliest; nothing when all have.
    fn next_due(&self) -> Option<Picoseconds> {
        let time = self.settings.times.get(self.samples.len() + usize::from(self.open.is_some()))?;
        Some(after(self.begun, *time))
    }

    fn send_what_is_due(&mut self, now: Picoseconds) {
        while self.phase == Phase::Talking && self.open.is_none() {
            match self.next_due() {
                None => {
                    self.phase = Phase::Lingering(after(now, self.settings.linger));
                    return;
                }
                Some(due) if due > now => return,
                Some(_) => self.send(now),
            }
        }
    }

    fn send(&mut self, now: Picoseconds) {
        let message = &self.settings.message;
        let bytes = message.len() as u64;
        let index = self.samples.len() as u64;
        let sample = Sample {
            payload_bytes: bytes,
            request_bytes: bytes,
            sent: Some(now),
            ..Sample::begun(index, now)
        };
        match self.settings.over {
            _ if message.is_empty() => {}
            Over::Tcp => self.actions.push_back(Action::Send(CONNECTION, message.clone())),
            Over::Udp => {
                self.actions.push_back(Action::SendTo(CONNECTION, self.settings.to, message.clone()));
            }
        }
        if self.settings.answers {
            self.open = Some(Open { sample, answer: Vec::new() });
        } else {
            self.samples.push(Sample { done: Some(now), outcome: Outcome::Ok, ..sample });
        }
    }

    fn take(&mut self, now: Picoseconds, bytes: &[u8]) {
        self.received_bytes += bytes.len() as u64;
        let room = MOST_KEPT_BYTES - self.received.len();
        self.received.extend(&bytes[..bytes.len().min(room)]);
        let Some(Open { sample, answer }) = &mut self.open else { return };
        let arrived = self.arrival.time(now, sample.trigger);
        sample.first_byte.get_or_insert(arrived);
        sample.response_bytes += bytes.len() as u64;
        let expected = &self.settings.expected;
        // What was looked through before needs no second look, but for the beginning of what is expected.
        let from = answer.len().saturating_sub(expected.len());
        answer.extend(bytes);
        if expected.is_empty() || answer[from..].windows(expected.len()).any(|part| part == expected) {
            (sample.done, sample.outcome) = (Some(arrived), Outcome::Ok);
            self.samples.extend(self.open.take().map(|open| open.sample));
        }
    }

    fn give_up(&mut self, now: Picoseconds) {
        let timeout = self.settings.timeout;
        if matches!(self.phase, Phase::Opening(until) if until <= now) {
            self.fail(&format!("the connection did not open within {timeout}"));
            self.actions.push_back(Action::Abort(CONNECTION));
        }
        let is_late = |open: &mut Open| after(open.sample.trigger, timeout) <= now;
        let Some(Open { sample, answer }) = self.open.take_if(is_late) else { return };
        self.samples.push(if answer.is_empty() {
            sample.failed(Outcome::TimedOut, format!("nothing came within {timeout}"))
        } else {
            let came = fields::escaped(&answer[..answer.len().min(60)]);
            sample.failed(
                Outcome::Wrong,
                format!("what was expected did not come within {timeout}, but {came}"),
            )
        });
    }

    /// Nothing more can be said or heard.
    fn fail(&mut self, reason: &str) {
        self.phase = Phase::Over;
        self.failure.get_or_insert_with(|| reason.to_owned());
        let broken = |open: Open| open.sample.failed(Outcome::Reset, reason);
        self.samples.extend(self.open.take().map(broken));
    }

    fn end(&mut self, now: Picoseconds) {
        if matches!(self.phase, Phase::Lingering(until) if until <= now) {
            self.phase = Phase::Over;
            self.actions.push_back(match self.settings.over {
                Over::Tcp => Action::Finish(CONNECTION),
                Over::Udp => Action::Abort(CONNECTION),
            });
        }
    }

    fn peer_ended(&mut self, reason: Option<&str>) {
        match self.phase {
            Phase::Talking | Phase::Opening(_) => {
                self.fail(reason.unwrap_or("the board closed the connection before all was said"));
            }
            Phase::Lingering(_) => self.phase = Phase::Over,
            Phase::New | Phase::Over => return,
        }
        self.actions.push_back(Action::Finish(CONNECTION));
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if self.phase == Phase::New => self.begin(now),
            Event::Opened(_) if matches!(self.phase, Phase::Opening(_)) => {
                self.phase = Phase::Talking;
                self.actions.push_back(Action::NoDelay(CONNECTION, self.settings.no_delay));
            }
            Event::Received(_, bytes) => self.take(now, bytes),
            Event::Datagram { from, bytes, .. } if from == self.settings.to => self.take(now, bytes),
            Event::PeerFinished(_) => self.peer_ended(None),
            Event::Closed(_, reason) => self.peer_ended(reason),
            _ => {}
        }
        self.arrival.clear();
        self.give_up(now);
        self.send_what_is_due(now);
        self.end(now);
    }

    fn arrived(&mut self, at: Picoseconds) {
        self.arrival.set(at);
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        match self.phase {
            Phase::New | Phase::Over => None,
            Phase::Opening(until) | Phase::Lingering(until) => Some(until),
            Phase::Talking => match &self.open {
                Some(open) => Some(after(open.sample.trigger, self.settings.timeout)),
                None => self.next_due(),
            },
        }
    }

    fn is_done(&self) -> bool {
        self.phase == Phase::Over
    }

    fn results(&self) -> Results {
        let mut results = Results::measured(self.samples.clone(), "messages", self.failure.as_deref());
        if self.received_bytes > 0 {
            results.summary += &format!(", {} bytes came", self.received_bytes);
            results.received = Some(self.received.clone());
        }
        results
    }

    fn work_since(&self, from: usize) -> Vec<Sample> {
        self.samples.get(from..).unwrap_or_default().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
