//! What the clients and servers at the other end of a board's wire measured, for the report of a run.

use ::traffic::scan::Service;
use ::traffic::{Loss, Mark, Sample};
use serde::Serialize;
use units::Picoseconds;

use super::Board;
use lan::{Awaited, Latency, TrafficResults};

/// A client or a server that did something, or should have.
#[derive(Debug, Clone, Serialize)]
pub struct TrafficEntry {
    /// What its user calls it.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Whether it is a client.
    pub client: bool,
    /// Whether a client has done all it was made for; servers never have.
    pub done: bool,
    /// Everything in a line.
    pub summary: String,
    /// What it waits for, where it has not begun: its `start`, the board's `link` or `address`, or that address to be `settling`.
    pub waits_for: Option<&'static str>,
    /// Why a client did not do what it was made for.
    pub failure: Option<String>,
    /// What was counted.
    pub counters: Vec<CounterEntry>,
    /// From trigger to done, in picoseconds.
    pub latency: Option<LatencyEntry>,
    /// Open ports that a scan found.
    pub services: Vec<ServiceEntry>,
    /// Messages that were lost and peers that were turned away, by cause.
    pub losses: Vec<LossEntry>,
    /// What a client was sent, or the last file that was stored, where that is kept: text with escapes.
    pub received: Option<String>,
}

/// All that were lost or turned away for one cause.
#[derive(Debug, Clone, Serialize)]
pub struct LossEntry {
    /// Why, as a code.
    pub cause: &'static str,
    /// How many.
    pub count: u64,
    /// The first.
    pub first: MarkEntry,
    /// The last.
    pub last: MarkEntry,
}

/// One of those.
#[derive(Debug, Clone, Serialize)]
pub struct MarkEntry {
    /// When: of a message its trigger.
    pub at_ps: i64,
    /// Which message, counted from 0.
    pub index: Option<u64>,
    /// Which peer, as address and port.
    pub peer: Option<String>,
    /// What the PC or a library said.
    pub detail: Option<String>,
}

impl From<Loss> for LossEntry {
    fn from(Loss { cause, count, first, last }: Loss) -> Self {
        Self { cause: cause.word(), count, first: first.into(), last: last.into() }
    }
}

impl From<Mark> for MarkEntry {
    fn from(Mark { at, index, peer, detail }: Mark) -> Self {
        Self { at_ps: at.ps(), index, peer: peer.map(|peer| peer.to_string()), detail }
    }
}

/// An open port.
#[derive(Debug, Clone, Serialize)]
pub struct ServiceEntry {
    /// Over TCP or UDP.
    pub over: &'static str,
    /// The port.
    pub port: u16,
    /// What it speaks.
    pub speaks: &'static str,
    /// The first line of text that it sent.
    pub first_line: Option<String>,
}

impl From<Service> for ServiceEntry {
    fn from(service: Service) -> Self {
        let Service { over, port, speaks, first_line } = service;
        Self { over: over.word(), port, speaks: speaks.word(), first_line }
    }
}

/// Something that was counted.
#[derive(Debug, Clone, Serialize)]
pub struct CounterEntry {
    /// What.
    pub name: &'static str,
    /// How much.
    pub value: u64,
    /// Of what.
    pub unit: &'static str,
}

/// Percentiles of type 7.
#[derive(Debug, Clone, Serialize)]
pub struct LatencyEntry {
    /// The least.
    pub min_ps: i64,
    /// The median.
    pub p50_ps: i64,
    /// The 75th percentile.
    pub p75_ps: i64,
    /// The 90th percentile.
    pub p90_ps: i64,
    /// The 95th percentile.
    pub p95_ps: i64,
    /// The 99th percentile.
    pub p99_ps: i64,
    /// The greatest.
    pub max_ps: i64,
}

/// One message of a client.
#[derive(Debug, Clone, Serialize)]
pub struct SampleEntry {
    /// Counts messages from 0.
    pub index: u64,
    /// When it began.
    pub trigger_ps: i64,
    /// When its connection was open, where it opened one.
    pub connect_ps: Option<i64>,
    /// When the first byte of the answer was there.
    pub first_byte_ps: Option<i64>,
    /// When the answer was complete.
    pub done_ps: Option<i64>,
    /// From trigger to done.
    pub latency_ps: Option<i64>,
    /// Bytes of the application's own content.
    pub payload_bytes: u64,
    /// Bytes sent.
    pub request_bytes: u64,
    /// Bytes received.
    pub response_bytes: u64,
    /// Counts connections from 0.
    pub connection: Option<u32>,
    /// How it ended.
    pub outcome: &'static str,
    /// The answer's status, where the protocol has one.
    pub status: Option<u16>,
    /// What went wrong.
    pub error: Option<String>,
}

impl From<Latency> for LatencyEntry {
    fn from(latency: Latency) -> Self {
        let Latency { min, max, percentiles } = latency;
        let [p50_ps, p75_ps, p90_ps, p95_ps, p99_ps] = percentiles.map(Picoseconds::ps);
        Self { min_ps: min.ps(), p50_ps, p75_ps, p90_ps, p95_ps, p99_ps, max_ps: max.ps() }
    }
}

impl From<&Sample> for SampleEntry {
    fn from(sample: &Sample) -> Self {
        Self {
            index: sample.index,
            trigger_ps: sample.trigger.ps(),
            connect_ps: sample.connect.map(Picoseconds::ps),
            first_byte_ps: sample.first_byte.map(Picoseconds::ps),
            done_ps: sample.done.map(Picoseconds::ps),
            latency_ps: sample.latency().map(Picoseconds::ps),
            payload_bytes: sample.payload_bytes,
            request_bytes: sample.request_bytes,
            response_bytes: sample.response_bytes,
            connection: sample.connection,
            outcome: sample.outcome.word(),
            status: sample.status,
            error: sample.error.clone(),
        }
    }
}

impl From<TrafficResults> for TrafficEntry {
    fn from(one: TrafficResults) -> Self {
        let latency = one.latency().map(LatencyEntry::from);
        let counters = one.results.counters.iter();
        Self {
            summary: one.results.summary.clone(),
            waits_for: one.waits_for.map(Awaited::word),
            counters: counters
                .map(|counter| CounterEntry { name: counter.name, value: counter.value, unit: counter.unit })
                .collect(),
            latency,
            failure: one.results.failure,
            losses: one.results.losses.into_iter().map(LossEntry::from).collect(),
            received: one.results.received.as_deref().map(fields::escaped),
            services: one.results.services.into_iter().map(ServiceEntry::from).collect(),
            name: one.name,
            kind: one.kind,
            client: one.is_client,
            done: one.is_done,
        }
    }
}

impl TrafficEntry {
    fn has_lost(&self) -> bool {
        self.counters.iter().any(|counter| counter.name == "lost" && counter.value > 0)
    }
}

impl Board {
    fn traffic_results(&mut self) -> Vec<TrafficResults> {
        self.parts().lan().map(|lan| lan.results()).unwrap_or_default()
    }

    /// All clients, and the servers that anybody spoke to.
    pub(super) fn traffic(&mut self) -> Vec<TrafficEntry> {
        let told = |one: &TrafficResults| one.is_client || !one.results.is_empty();
        self.traffic_results().into_iter().filter(told).map(TrafficEntry::from).collect()
    }

    /// The messages of a client; nothing where there is none of that name.
    pub fn traffic_samples(&mut self, name: &str) -> Option<Vec<SampleEntry>> {
        let found = self.traffic_results().into_iter().find(|one| one.name == name)?;
        Some(found.results.samples.iter().map(SampleEntry::from).collect())
    }

    /// Whether anything runs at the other end of the wire that is done one day.
    pub fn has_clients(&mut self) -> bool {
        self.parts().lan().is_some_and(|lan| lan.has_clients())
    }

    /// Whether all of that is done.
    pub fn clients_are_done(&mut self) -> bool {
        self.parts().lan().is_none_or(|lan| lan.clients_are_done())
    }
}

/// Why clients that a run waited for are no success. A message may be lost where the network `drops` frames on purpose.
pub(super) fn failure_of(traffic: &[TrafficEntry], drops: bool) -> Option<String> {
    let of_one = |one: &TrafficEntry| {
        let unfinished = || (!one.done).then(|| format!("is not done{}", in_brackets(&one.summary)));
        let failed = one.failure.as_ref().map(|failure| format!("failed: {failure}"));
        let why = failed
            .or_else(unfinished)
            .or_else(|| (!drops && one.has_lost()).then(|| format!("lost messages: {}", one.summary)))?;
        Some(format!("{} {why}", one.name))
    };
    traffic.iter().filter(|one| one.client).find_map(of_one)
}

/// What there is to say, behind a sentence; nothing where there is nothing.
fn in_brackets(summary: &str) -> String {
    if summary.is_empty() { String::new() } else { format!(" ({summary})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(lost: u64) -> TrafficEntry {
        TrafficEntry {
            name: "ping".to_owned(),
            kind: "ping".to_owned(),
            client: true,
            done: true,
            summary: "3 pings, 1 lost".to_owned(),
            failure: None,
            counters: vec![CounterEntry { name: "lost", value: lost, unit: "pings" }],
            latency: None,
            services: Vec::new(),
            waits_for: None,
            losses: Vec::new(),
            received: None,
        }
    }

    #[test]
    fn a_client_that_has_nothing_to_say_yet_is_not_done_and_no_more() {
        let begun = TrafficEntry { done: false, ..client(0) };
        assert_eq!(failure_of(&[begun], false).as_deref(), Some("ping is not done (3 pings, 1 lost)"));
        let waits = TrafficEntry { done: false, summary: String::new(), ..client(0) };
        assert_eq!(failure_of(&[waits], false).as_deref(), Some("ping is not done"));
    }

    #[test]
    fn a_message_that_is_lost_fails_a_run_unless_the_network_loses_frames_on_purpose() {
        assert_eq!(failure_of(&[client(0)], false), None);
        assert_eq!(failure_of(&[client(1)], true), None);
        let why = failure_of(&[client(1)], false);
        assert_eq!(why.as_deref(), Some("ping lost messages: 3 pings, 1 lost"));
    }
}
