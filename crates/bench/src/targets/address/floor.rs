//! What this computer takes by itself: the same client against a server of this computer, over loopback, before the board is
//! asked. A board cannot be measured to be faster than that.

use std::net::{Ipv4Addr, TcpListener};
use std::time::{Duration, Instant};

use lan::TrafficSetup;
use record::Samples;
use stats::Summary;
use traffic::Machine;

use super::super::exchanges;
use super::FloorEntry;
use super::session::{Session, Waited};
use crate::rows::{Figure, MedianInterval};
use crate::suite::{Probe, Quantity, Statistic};

/// How long the computer is measured.
const LONGEST: Duration = Duration::from_millis(300);
/// How many messages are enough.
const ENOUGH: usize = 2_000;

/// Measures it; nothing where no server of this computer answers that client, or the system lets nobody.
pub(super) fn measured(client: &TrafficSetup, quantity: Quantity) -> Option<FloorEntry> {
    let probe = Probe::of(&client.kind);
    if probe.answered_by.is_none() && client.kind != "ping" {
        return None;
    }
    let port = free_port()?;
    let _server = match probe.answered_by {
        Some(kind) => Some(server(kind, port)?),
        None => None,
    };
    let mut session = Session::begin(own_client(client, probe, port)?, Ipv4Addr::LOCALHOST).ok()?;
    let (begin, mut messages) = (Instant::now(), Vec::new());
    while begin.elapsed() < LONGEST && messages.len() < ENOUGH {
        if session.wait(LONGEST, &mut messages) == Waited::End {
            break;
        }
    }
    let samples = exchanges::recorded(session.end().ok()?.messages);
    let latencies = Summary::of(&samples.latencies_ps());
    let of_messages =
        |value: fn(&Summary) -> f64| latencies.as_ref().filter(|_| quantity != Quantity::Bulk).map(value);
    Some(FloorEntry {
        figure: figure(&samples, quantity)?,
        median_ps: of_messages(|summary| summary.p50),
        p99_ps: of_messages(|summary| summary.p99),
        n: samples.len(),
        share: None,
    })
}

/// The figure of a quantity; of latencies their median.
pub(super) fn figure(samples: &Samples, quantity: Quantity) -> Option<f64> {
    if quantity == Quantity::Latency {
        return Summary::of(&samples.latencies_ps()).map(|summary| summary.p50);
    }
    let nobody_asks = MedianInterval::Known(0.0, None);
    Figure::of(quantity, Statistic::Median, samples, nobody_asks).map(|figure| figure.value)
}

/// How much of a row's figure the computer itself can explain: of times its own by theirs, of rates theirs by its own.
pub(super) fn share(floor: f64, quantity: Quantity, measured: f64) -> f64 {
    let share = if quantity == Quantity::Latency { floor / measured } else { measured / floor };
    share.min(1.0)
}

fn server(kind: &'static str, port: u16) -> Option<Session> {
    let machine = traffic::machine(kind, &[("port", &port.to_string())]).ok()?;
    Session::begin(machine, Ipv4Addr::LOCALHOST).ok()
}

/// The client with those of its options that make the same load for whatever answers.
fn own_client(client: &TrafficSetup, probe: Probe, port: u16) -> Option<Box<dyn Machine>> {
    let to = match probe.answered_by {
        Some(_) => format!("{}:{port}", Ipv4Addr::LOCALHOST),
        None => Ipv4Addr::LOCALHOST.to_string(),
    };
    let kept = client.options.iter().filter(|(name, _)| probe.keeps.contains(&name.as_str()));
    let mut options: Vec<(&str, &str)> = vec![("to", &to)];
    options.extend(kept.map(|(name, value)| (name.as_str(), value.as_str())));
    options.extend(probe.hurries);
    traffic::machine(&client.kind, &options).ok()
}

/// A port that nobody has, a moment ago.
fn free_port() -> Option<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?;
    listener.local_addr().ok().map(|address| address.port())
}
