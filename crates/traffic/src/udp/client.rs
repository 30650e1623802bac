//! The client. In a closed loop one datagram is under way at a time; an answer, or its time-out, is followed by the next. In an
//! open loop (`rate`) datagrams leave at fixed times, whatever has come back.

use std::collections::VecDeque;

use units::Picoseconds;

use super::counts::Counts;
use super::settings::ClientSettings;
use crate::arrival::Arrival;
use crate::outbox::after;
use crate::schedule::Schedule;
use crate::{Action, Connection, Event, IpEndpoint, Machine, Outcome, Results, Sample};

const SOCKET: Connection = Connection(0);
/// Datagrams that are remembered: an answer to an older one counts as without a datagram, and one that still waits is given up.
const MOST_REMEMBERED: usize = 1 << 16;
/// Datagrams that are caught up with at once when the clock was read late; those beyond wait for the next wake.
const MOST_AT_ONCE: u32 = 32;
/// Datagrams one after another without an answer, before a client in a closed loop gives up.
const MOST_UNANSWERED: u64 = 20;

/// A client of ping-pong over UDP.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    start: Option<Picoseconds>,
    /// When the next datagram leaves; nothing while an answer is waited for, or when all have left.
    next_at: Option<Picoseconds>,
    /// Of the remembered datagrams, the oldest first; the first one's index is `first_index`.
    remembered: VecDeque<Sample>,
    first_index: u64,
    /// Datagrams up to this index have been answered or have timed out.
    settled: u64,
    /// One more than the latest datagram that was answered.
    answered_up_to: u64,
    unanswered_in_a_row: u64,
    /// Datagrams of the server with which nothing could be done.
    others: u64,
    samples: Vec<Sample>,
    counts: Counts,
    failure: Option<String>,
    over: bool,
    arrival: Arrival,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            over: settings.rounds == 0,
            next_at: (settings.rounds > 0).then_some(Picoseconds::ZERO),
            settings,
            start: None,
            remembered: VecDeque::new(),
            first_index: 0,
            settled: 0,
            answered_up_to: 0,
            unanswered_in_a_row: 0,
            others: 0,
            samples: Vec::new(),
            counts: Counts::default(),
            failure: None,
            arrival: Arrival::default(),
            actions: VecDeque::new(),
        }
    }

    /// One sample for each datagram that was answered or has timed out, in their order. What is under way is neither lost nor
    /// answered yet.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        let known = |sample: &&Sample| sample.done.is_some() || sample.index < self.settled;
        self.samples.iter().chain(&self.remembered).filter(known)
    }

    /// How many of what.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// When a datagram that may still be sent leaves at the earliest, if `from` is when it could in a closed loop.
    fn next_after(&self, from: Picoseconds) -> Option<Picoseconds> {
        let start = self.start?;
        let next = match self.settings.rate {
            Some(rate) => Schedule::new(start, rate).due(self.counts.sent),
            None => from,
        };
        let end = self.settings.duration.map(|duration| after(start, duration));
        (self.counts.sent < self.settings.rounds && end.is_none_or(|end| next < end)).then_some(next)
    }

    fn begin(&mut self, now: Picoseconds) {
        self.start = Some(now);
        self.actions.push_back(Action::Bind(SOCKET, 0, false));
        self.next_at = self.next_after(now);
    }

    fn send_what_is_due(&mut self, now: Picoseconds) {
        for _ in 0..MOST_AT_ONCE {
            let Some(due) = self.next_at.filter(|at| *at <= now) else { return };
            self.send(now, if self.settings.rate.is_some() { due } else { now });
            self.next_at = self.settings.rate.and_then(|_| self.next_after(now));
        }
    }

    fn send(&mut self, now: Picoseconds, trigger: Picoseconds) {
        let index = self.counts.sent;
        self.counts.sent += 1;
        if self.remembered.len() >= MOST_REMEMBERED {
            self.forget_the_oldest();
        }
        let (message, _) = self.settings.payload.exchange(index);
        let mut sample = Sample::begun(index, trigger);
        sample.payload_bytes = message.len() as u64;
        sample.request_bytes = sample.payload_bytes;
        sample.sent = Some(now);
        self.remembered.push_back(sample);
        self.actions.push_back(Action::SendTo(SOCKET, self.settings.to, message));
    }

    fn forget_the_oldest(&mut self) {
        let Some(sample) = self.remembered.pop_front() else { return };
        self.first_index += 1;
        if self.settled < self.first_index {
            self.settled = self.first_index;
            self.counts.timed_out += u64::from(sample.done.is_none());
        }
        self.samples.push(sample);
    }

    /// The oldest datagram that is neither answered nor timed out.
    fn oldest_open(&self) -> Option<&Sample> {
        let skipped = usize::try_from(self.settled.saturating_sub(self.first_index)).ok()?;
        self.remembered.get(skipped)
    }

    fn expire(&mut self, now: Picoseconds) {
        while let Some(sample) = self.oldest_open() {
            let (index, unanswered) = (sample.index, sample.done.is_none());
            if unanswered && after(sample.trigger, self.settings.timeout) > now {
                return;
            }
            self.settled = index + 1;
            if unanswered {
                self.time_out(now, index);
            }
        }
    }

    fn time_out(&mut self, now: Picoseconds, index: u64) {
        self.counts.timed_out += 1;
        self.unanswered_in_a_row += 1;
        let timeout = self.settings.timeout;
        if let Some(sample) = self.remembered_mut(index) {
            sample.error = Some(format!("no answer came within {timeout}"));
        }
        if self.settings.rate.is_some() {
            return;
        }
        if self.unanswered_in_a_row >= MOST_UNANSWERED {
            let (count, to, others) = (self.unanswered_in_a_row, self.settings.to, self.others_in_words());
            let sentence =
                format!("{to} answered none of {count} datagrams one after another within {timeout}{others}");
            self.end(Some(sentence));
        } else {
            self.next_at = self.next_after(now);
        }
    }

    /// What else came from the server, and how it counts.
    fn others_in_words(&self) -> String {
        match self.others {
            0 => String::new(),
            others => format!("; {others} with another content came from there: answer=any counts such"),
        }
    }

    fn remembered_mut(&mut self, index: u64) -> Option<&mut Sample> {
        let place = usize::try_from(index.checked_sub(self.first_index)?).ok()?;
        self.remembered.get_mut(place)
    }

    fn answer(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        let is_of_server = from == self.settings.to;
        let index = is_of_server.then(|| self.index_of_answer(bytes)).flatten();
        let expected = index.filter(|_| !self.settings.takes_any_answer);
        let expected = expected.map(|index| self.settings.payload.exchange(index).1);
        let settled = self.settled;
        let arrival = self.arrival;
        let Some(sample) = index.and_then(|index| self.remembered_mut(index)) else {
            self.counts.strangers += 1;
            self.others += u64::from(is_of_server);
            return;
        };
        if sample.done.is_some() {
            self.counts.duplicates += 1;
            return;
        }
        let arrived = arrival.time(now, sample.sent.unwrap_or(sample.trigger));
        sample.done = Some(arrived);
        sample.first_byte = Some(arrived);
        sample.response_bytes = bytes.len() as u64;
        sample.outcome = match (expected.is_none_or(|expected| expected == bytes), sample.index < settled) {
            (false, _) => Outcome::Wrong,
            (true, true) => Outcome::Late,
            (true, false) => Outcome::Ok,
        };
        if sample.outcome == Outcome::Wrong {
            sample.error = Some("the answer has the datagram's number, but other bytes".to_owned());
        }
        let (index, outcome) = (sample.index, sample.outcome);
        self.count(index, outcome, settled);
        if self.settings.rate.is_none() && index >= settled {
            self.next_at = self.next_after(after(now, self.settings.think_time));
        }
        self.expire(now);
    }

    /// Which datagram something of the server answers.
    fn index_of_answer(&self, bytes: &[u8]) -> Option<u64> {
        if !self.settings.takes_any_answer {
            return self.settings.payload.index_of_answer(bytes, self.counts.sent);
        }
        let unanswered = |sample: &&Sample| sample.index >= self.settled && sample.done.is_none();
        self.remembered.iter().find(unanswered).map(|sample| sample.index)
    }

    fn count(&mut self, index: u64, outcome: Outcome, settled: u64) {
        match outcome {
            Outcome::Ok => self.counts.answered += 1,
            Outcome::Late => self.counts.late += 1,
            _ => self.counts.wrong += u64::from(index >= settled),
        }
        self.counts.out_of_order += u64::from(index < self.answered_up_to);
        self.answered_up_to = self.answered_up_to.max(index + 1);
        self.unanswered_in_a_row = 0;
    }

    fn end(&mut self, failure: Option<String>) {
        self.failure = failure;
        self.over = true;
        self.next_at = None;
        self.actions.push_back(Action::Abort(SOCKET));
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        if self.over {
            return;
        }
        match event {
            Event::Wake => {
                if self.start.is_none() {
                    self.begin(now);
                }
                self.expire(now);
                self.send_what_is_due(now);
            }
            Event::Datagram { from, bytes, .. } => {
                self.expire(now);
                self.answer(now, from, bytes);
                self.arrival.clear();
                self.send_what_is_due(now);
            }
            Event::Closed(_, Some(reason)) => self.end(Some(reason.to_owned())),
            _ => {}
        }
        if self.start.is_some() && !self.over && self.next_at.is_none() && self.oldest_open().is_none() {
            self.end(None);
        }
    }

    fn arrived(&mut self, at: Picoseconds) {
        self.arrival.set(at);
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        let open = self.oldest_open().filter(|_| !self.over);
        let timeout = open.map(|sample| after(sample.trigger, self.settings.timeout));
        [timeout, self.next_at].into_iter().flatten().min()
    }

    fn is_done(&self) -> bool {
        self.over
    }

    fn results(&self) -> Results {
        let unanswered = (self.counts.answered == 0 && self.counts.wrong == 0 && self.counts.timed_out > 0)
            .then(|| {
                let (count, to, timeout) = (self.counts.timed_out, self.settings.to, self.settings.timeout);
                format!("{to} answered none of {count} datagrams within {timeout}{}", self.others_in_words())
            });
        let failure = self.failure.as_deref().or(unanswered.as_deref());
        let mut results = Results::measured(self.samples().cloned().collect(), "datagrams", failure);
        results.counters.extend(self.counts.counters());
        results
    }

    fn work_since(&self, from: usize) -> Vec<Sample> {
        // Of those that are still remembered, a late answer may yet change what became of them.
        let settled = self.oldest_open().map_or(u64::MAX, |open| open.index);
        self.samples().skip(from).take_while(|sample| sample.index < settled).cloned().collect()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
