//! Ping: ICMP echo requests at an interval, each a sample. A reply is right only with the very bytes of its request. Replies
//! that come after their time-out, a second time, or without a request are told apart.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::net::IpAddr;

use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use crate::arrival::Arrival;
use crate::options::{self, Values, option, to};
use crate::pattern::Pattern;
use crate::{Action, Counter, Declared, Event, Machine, OptionError, Outcome, Results, Sample};
use fields::Field;
use fields::TakesOf::{Count, Duration, Host, Size};

/// Requests that are remembered: a reply to an older one counts as without a request.
const MOST_REMEMBERED: usize = 4096;
/// The pause between requests is at least this, however short the interval, so that nothing is flooded.
const LEAST_INTERVAL: Picoseconds = Picoseconds::new(PS_PER_MS);
/// The ICMP header of a request (RFC 792).
const HEADER_BYTES: u64 = 8;

/// What one Ethernet frame of 1500 bytes holds beside the headers of IPv4 and ICMP.
const MOST_PAYLOAD_BYTES: u64 = 1500 - 20 - HEADER_BYTES;

/// The settings of [`Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Host, "Whom to ask.", "192.168.1.20"),
    option("count", Count(1, 10_000_000), "100", "How many requests to send.", "10"),
    option("size", Size(0, MOST_PAYLOAD_BYTES), "56B", "The size of the payload.", "1300B"),
    option("interval", Duration, "1s", "From request to request, at least 1 ms.", "100ms"),
    option("timeout", Duration, "1s", "How long a reply may take.", "500ms"),
    option("identifier", Count(0, 65_535), "1", "Tells this client's requests from others'.", "7"),
];

/// The settings of [`Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Whom to ask.
    pub to: IpAddr,
    /// How many requests to send.
    pub count: u64,
    /// The size of the payload.
    pub payload_bytes: u32,
    /// From request to request, at least 1 ms.
    pub interval: Picoseconds,
    /// How long a reply may take; a later one is late.
    pub timeout: Picoseconds,
    /// Tells this client's requests from others'.
    pub identifier: u16,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: impl Into<IpAddr>) -> Self {
        let second = Picoseconds::new(PS_PER_S);
        Self {
            to: to.into(),
            count: 100,
            payload_bytes: 56,
            interval: second,
            timeout: second,
            identifier: 1,
        }
    }

    fn payload(&self, index: u64) -> Vec<u8> {
        Pattern::new(u64::from(self.identifier)).bytes(index.wrapping_mul(8), self.payload_bytes as usize)
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let to = values.read("to", fields::text::address)?;
        Ok(Self {
            to,
            count: values.read("count", options::parsed)?,
            payload_bytes: options::fitting("size", values.read("size", options::size)?, to)?,
            interval: values
                .read("interval", |text| options::time(text).filter(|time| *time >= LEAST_INTERVAL))?,
            timeout: values.read("timeout", options::time)?,
            identifier: values.read("identifier", options::parsed)?,
        })
    }
}

/// Counts of a ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Requests that were sent.
    pub sent: u64,
    /// Requests with a right reply in time.
    pub received: u64,
    /// Requests whose time-out passed without a reply, also if one came later.
    pub timed_out: u64,
    /// Replies after their request's time-out.
    pub late: u64,
    /// Replies to a request that had one already.
    pub duplicates: u64,
    /// Replies with other bytes than their request's.
    pub wrong: u64,
    /// Replies to no request that is remembered.
    pub strangers: u64,
}

/// Counts and round-trip times, as ping prints them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The counts.
    pub counts: Counts,
    /// The least, if there is any.
    pub min: Option<Picoseconds>,
    /// The greatest.
    pub max: Option<Picoseconds>,
    /// The mean, in milliseconds.
    pub mean_ms: f64,
    /// The standard deviation of all (n, as ping's mdev), in milliseconds.
    pub deviation_ms: f64,
}

/// A ping client.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    next_at: Option<Picoseconds>,
    /// Of the remembered requests, the oldest first; the first one's index is `first_index`.
    remembered: VecDeque<Sample>,
    first_index: u64,
    /// Requests up to this index have been answered or have timed out.
    settled: u64,
    samples: Vec<Sample>,
    /// When the reply that is looked at arrived, where that is known better than that it was just now.
    arrival: Arrival,
    counts: Counts,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            next_at: (settings.count > 0).then_some(Picoseconds::ZERO),
            settings,
            remembered: VecDeque::new(),
            first_index: 0,
            settled: 0,
            samples: Vec::new(),
            arrival: Arrival::default(),
            counts: Counts::default(),
            actions: VecDeque::new(),
        }
    }

    /// One sample for each request that was answered or has timed out, in their order. What is under way is neither lost nor
    /// answered yet.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        let known = |sample: &&Sample| sample.done.is_some() || sample.index < self.settled;
        self.samples.iter().chain(&self.remembered).filter(known)
    }

    /// How many of what.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Counts and round-trip times.
    pub fn summary(&self) -> Summary {
        let right = self.samples().filter(|sample| sample.outcome == Outcome::Ok);
        let times: Vec<Picoseconds> = right.filter_map(Sample::latency).collect();
        let of_ms = |time: &Picoseconds| time.ps() as f64 / PS_PER_MS as f64;
        let count = times.len().max(1) as f64;
        let mean_ms = times.iter().map(of_ms).sum::<f64>() / count;
        let squares = times.iter().map(|time| (of_ms(time) - mean_ms).powi(2)).sum::<f64>();
        let (min, max) = (times.iter().min().copied(), times.iter().max().copied());
        Summary { counts: self.counts, min, max, mean_ms, deviation_ms: (squares / count).sqrt() }
    }

    fn send(&mut self, now: Picoseconds) {
        let index = self.counts.sent;
        self.counts.sent += 1;
        if self.remembered.len() >= MOST_REMEMBERED {
            self.samples.extend(self.remembered.pop_front());
            self.first_index += 1;
        }
        let mut sample = Sample::begun(index, now);
        sample.payload_bytes = u64::from(self.settings.payload_bytes);
        sample.request_bytes = sample.payload_bytes + HEADER_BYTES;
        self.remembered.push_back(sample);
        self.actions.push_back(Action::EchoRequest {
            to: self.settings.to,
            identifier: self.settings.identifier,
            // The field has 16 bits: it wraps.
            sequence: index as u16,
            payload: self.settings.payload(index),
        });
        let interval = self.settings.interval.max(LEAST_INTERVAL);
        self.next_at = (self.counts.sent < self.settings.count).then(|| now + interval);
    }

    /// The oldest request that is neither answered nor timed out.
    fn oldest_open(&self) -> Option<&Sample> {
        let skipped = usize::try_from(self.settled.saturating_sub(self.first_index)).ok()?;
        self.remembered.get(skipped)
    }

    fn expire(&mut self, now: Picoseconds) {
        while let Some(sample) = self.oldest_open() {
            let (index, unanswered) = (sample.index, sample.done.is_none());
            if unanswered && sample.trigger + self.settings.timeout > now {
                return;
            }
            self.counts.timed_out += u64::from(unanswered);
            self.settled = index + 1;
        }
    }

    fn reply(&mut self, now: Picoseconds, sequence: u16, payload: &[u8]) {
        let newest = self.counts.sent.wrapping_sub(1);
        let age = u64::from((newest as u16).wrapping_sub(sequence));
        let place = newest.checked_sub(age).and_then(|index| index.checked_sub(self.first_index));
        let place = place.and_then(|place| usize::try_from(place).ok());
        let settled = self.settled;
        let Some(sample) = place.and_then(|place| self.remembered.get_mut(place)) else {
            self.counts.strangers += 1;
            return;
        };
        if sample.done.is_some() {
            self.counts.duplicates += 1;
            return;
        }
        let arrived = self.arrival.time(now, sample.trigger);
        sample.done = Some(arrived);
        sample.first_byte = Some(arrived);
        sample.response_bytes = payload.len() as u64 + HEADER_BYTES;
        let wrong = self.settings.payload(sample.index) != payload;
        sample.outcome = match (wrong, sample.index < settled) {
            (true, _) => Outcome::Wrong,
            (false, true) => Outcome::Late,
            (false, false) => Outcome::Ok,
        };
        match sample.outcome {
            Outcome::Wrong => {
                sample.error = Some("the reply's payload is not the request's".to_owned());
                self.counts.wrong += 1;
            }
            Outcome::Late => self.counts.late += 1,
            _ => self.counts.received += 1,
        }
        self.expire(now);
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake => {
                self.expire(now);
                if self.next_at.is_some_and(|at| at <= now) {
                    self.send(now);
                }
            }
            Event::EchoReply { from, identifier, sequence, payload } => {
                self.expire(now);
                if from == self.settings.to && identifier == self.settings.identifier && self.counts.sent > 0
                {
                    self.reply(now, sequence, payload);
                } else {
                    self.counts.strangers += 1;
                }
                self.arrival.clear();
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
        let timeout = self.oldest_open().map(|sample| sample.trigger + self.settings.timeout);
        [timeout, self.next_at].into_iter().flatten().min()
    }

    fn is_done(&self) -> bool {
        self.counts.sent >= self.settings.count && self.oldest_open().is_none()
    }

    fn results(&self) -> Results {
        let Counts { received, timed_out, late, duplicates, wrong, strangers, .. } = self.counts;
        let unanswered = (received == 0 && timed_out > 0 && wrong == 0).then(|| {
            let ClientSettings { to, timeout, .. } = &self.settings;
            format!("{to} answered none of {timed_out} pings within {timeout}")
        });
        let mut results =
            Results::measured(self.samples().cloned().collect(), "pings", unanswered.as_deref());
        let more = [("timed_out", timed_out), ("late", late), ("wrong", wrong)];
        let beside = [("duplicates", duplicates), ("strangers", strangers)];
        let more = more.map(|(name, value)| Counter { name, value, unit: "pings" });
        let beside = beside.map(|(name, value)| Counter { name, value, unit: "replies" });
        results.counters.extend(more.into_iter().chain(beside));
        results
    }

    fn work_since(&self, from: usize) -> Vec<Sample> {
        // Of those that are still remembered, a late reply may yet change what became of them.
        let settled = self.oldest_open().map_or(u64::MAX, |open| open.index);
        self.samples().skip(from).take_while(|sample| sample.index < settled).cloned().collect()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { sent, received, timed_out, late, duplicates, wrong, .. } = self.counts;
        write!(f, "{sent} packets transmitted, {received} received")?;
        for (count, name) in [(duplicates, "duplicates"), (late, "late"), (wrong, "corrupted")] {
            if count > 0 {
                write!(f, ", +{count} {name}")?;
            }
        }
        let loss = if sent == 0 { 0.0 } else { timed_out as f64 * 100.0 / sent as f64 };
        write!(f, ", {loss:.4}% packet loss")?;
        if let (Some(min), Some(max)) = (self.min, self.max) {
            let ms = |time: Picoseconds| time.ps() as f64 / PS_PER_MS as f64;
            let (mean, deviation) = (self.mean_ms, self.deviation_ms);
            write!(f, "\nrtt min/avg/max/mdev = {:.3}/{mean:.3}/{:.3}/{deviation:.3} ms", ms(min), ms(max))?;
        }
        Ok(())
    }
}
