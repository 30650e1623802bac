//! What the clients and servers of the PC measured and counted, by the names that their user gave.

use std::any::Any;

use ::traffic::{Outcome, Results, Sample};
use ethernet::{Host, SeatId};
use units::Picoseconds;

use super::{Lan, MachineSeat, TrafficSetup, Wired};

/// Percentiles that a report has.
const PERCENTILES: [f64; 5] = [0.5, 0.75, 0.9, 0.95, 0.99];

/// What one client or server has to tell.
#[derive(Debug, Clone)]
pub struct TrafficResults {
    /// What its user calls it.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Whether it is a client, which is done one day.
    pub is_client: bool,
    /// Why it has not begun; nothing where it has.
    pub waits_for: Option<String>,
    /// Whether a client has done all it was made for.
    pub is_done: bool,
    /// What it measured and counted.
    pub results: Results,
}

/// From trigger to done, of the messages that were answered rightly.
#[derive(Debug, Clone, PartialEq)]
pub struct Latency {
    /// The least.
    pub min: Picoseconds,
    /// The greatest.
    pub max: Picoseconds,
    /// The 50th, 75th, 90th, 95th and 99th percentile, of type 7.
    pub percentiles: [Picoseconds; 5],
}

impl TrafficResults {
    /// The latencies of its messages; nothing where none was answered.
    pub fn latency(&self) -> Option<Latency> {
        let good = self.results.samples.iter().filter(|sample| sample.outcome == Outcome::Ok);
        let mut sorted: Vec<i64> = good.filter_map(|sample| sample.latency()).map(Picoseconds::ps).collect();
        sorted.sort_unstable();
        let (min, max) = (Picoseconds::new(*sorted.first()?), Picoseconds::new(*sorted.last()?));
        let percentiles = PERCENTILES.map(|p| Picoseconds::new(stats::quantile(&sorted, p).round() as i64));
        Some(Latency { min, max, percentiles })
    }
}

impl Lan {
    /// What everything that runs on the PC measured and counted, in the order in which it began; then what has not begun.
    pub fn results(&self) -> Vec<TrafficResults> {
        let begun = self.seats.iter().map(|seated| {
            let machine = self.seated(seated.seat).map(MachineSeat::machine);
            TrafficResults {
                name: seated.name.clone(),
                kind: seated.kind.clone(),
                is_client: is_client(&seated.kind),
                waits_for: None,
                is_done: machine.is_some_and(|machine| machine.is_done()),
                results: machine.map(|machine| machine.results()).unwrap_or_default(),
            }
        });
        let awaited = self.awaited.iter().map(|one| TrafficResults {
            name: one.name.clone(),
            kind: one.kind.clone(),
            is_client: one.is_client(),
            waits_for: Some(self.why_not_begun(one)),
            is_done: false,
            results: Results::default(),
        });
        begun.chain(awaited).collect()
    }

    /// What a client or server waits for that has not begun.
    fn why_not_begun(&self, one: &TrafficSetup) -> String {
        if one.start > self.now {
            return format!("its start is at {}", one.start);
        }
        let linked = || self.wired.iter().filter(|wired| wired.device.has_link());
        let address = |wired: &Wired| wired.device.address().or(wired.line.spoken);
        if linked().next().is_none() {
            return "the board's chip has no link yet".to_owned();
        }
        match linked().find_map(address) {
            None => "the board's address is not known: its chip holds none, and it has sent nothing from one. If it \
                     has one all the same, name it in place of board, such as to=192.168.1.50"
                .to_owned(),
            Some(address) => format!("the board has {address} since just now, and may not listen yet"),
        }
    }

    /// The messages by which one of the PC's clients and servers measures a board; none where it has not begun.
    pub fn work(&self, name: &str) -> Vec<Sample> {
        let seat = self.seats.iter().find(|seated| seated.name == name).map(|seated| seated.seat);
        let machine = seat.and_then(|seat| self.seated(seat));
        machine.map(|seat| seat.machine().work()).unwrap_or_default()
    }

    /// Whether there is a client.
    pub fn has_clients(&self) -> bool {
        self.pc.is_some()
            && (self.seats.iter().any(|seated| is_client(&seated.kind))
                || self.awaited.iter().any(|one| one.is_client()))
    }

    /// Whether every client has done all it was made for.
    pub fn clients_are_done(&self) -> bool {
        let mut clients = self.seats.iter().filter(|seated| is_client(&seated.kind));
        let done = |seat| self.seated(seat).is_some_and(|seat| seat.machine().is_done());
        !self.awaited.iter().any(|one| one.is_client()) && clients.all(|seated| done(seated.seat))
    }

    fn seated(&self, seat: SeatId) -> Option<&MachineSeat> {
        let pc: &dyn Any = self.network.station(self.pc?)?;
        let application: &dyn Any = pc.downcast_ref::<Host>()?.application(seat)?;
        application.downcast_ref()
    }
}

fn is_client(kind: &str) -> bool {
    ::traffic::kind(kind).is_ok_and(|kind| !kind.serves)
}
