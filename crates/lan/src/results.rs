//! What the clients and servers of the PC measured and counted, by the names that their user gave.

use std::any::Any;

use ::traffic::{Outcome, Results, Sample};
use ethernet::{Host, SeatId};
use units::Picoseconds;

use super::traffic::Family;
use super::{Lan, MachineSeat, TrafficSetup};

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
    /// What it waits for, where it has not begun.
    pub waits_for: Option<Awaited>,
    /// Whether a client has done all it was made for.
    pub is_done: bool,
    /// What it measured and counted.
    pub results: Results,
}

/// What a client or a server waits for before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    /// Its time.
    Start(Picoseconds),
    /// A link of the board's.
    Link,
    /// The board's address: no device has one of its own that counts, and nothing was heard from the board.
    Address,
    /// The board's address of IPv6: nothing was heard from the board over that.
    Ipv6Address,
    /// The board's address, which is known and has to stay the same for a while.
    Settling,
    /// An address of the PC's, which is to be a station of the board's own network.
    PcAddress,
}

impl Awaited {
    /// Its word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start(_) => "start",
            Self::Link => "link",
            Self::Address => "address",
            Self::Ipv6Address => "ipv6-address",
            Self::Settling => "settling",
            Self::PcAddress => "pc-address",
        }
    }
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
            waits_for: Some(self.awaited_by(one)),
            is_done: false,
            results: Results::default(),
        });
        begun.chain(awaited).collect()
    }

    fn awaited_by(&self, one: &TrafficSetup) -> Awaited {
        let has_link = self.wired.iter().any(|wired| wired.device.has_link());
        let unknown = one.waits_for(self.board.settled(self.now, Picoseconds::ZERO));
        match unknown {
            _ if one.start > self.now => Awaited::Start(one.start),
            _ if !self.pc_is_there() => Awaited::PcAddress,
            None => Awaited::Settling,
            Some(_) if !has_link => Awaited::Link,
            Some(Family::Ipv4) => Awaited::Address,
            Some(Family::Ipv6) => Awaited::Ipv6Address,
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
