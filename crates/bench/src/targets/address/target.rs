//! A board at an address as a target: the wall clock owns its time.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::time::Duration;

use fields::{Misplaced, told};
use lan::TrafficSetup;
use record::{Control, Samples};
use traffic::Results;
use units::Picoseconds;

use super::super::{Facts, exchanges};
use super::session::{Session, Told, Waited};
use super::{AddressFacts, FloorEntry, floor};
use crate::rows::Measure;
use crate::suite::{AddressSetup, Measurement, Probe, Row, SuiteError};
use crate::target::{Recipe, Target, TargetEntry, TargetError, Turn};

/// So many steps of progress are told of each row.
const STEPS: u64 = 1000;
/// How soon a stop is noticed.
const LOOKS: Duration = Duration::from_millis(100);

/// A board that can be asked.
#[derive(Debug, Clone)]
pub struct ReadyAddress {
    setup: AddressSetup,
    address: Ipv4Addr,
    measurement: Measurement,
}

impl ReadyAddress {
    /// The board of a row.
    ///
    /// # Errors
    /// When its name cannot be resolved; the message names file and line.
    pub fn prepare(row: &Row, setup: &AddressSetup) -> Result<Self, SuiteError> {
        let address = resolved(&setup.address).map_err(|reason| {
            let told = told(format!("targets.{}.address", row.entry), format!(": {reason}"));
            Misplaced { path: row.place.path.clone(), line: row.place.line, told }
        })?;
        Ok(Self { setup: setup.clone(), address, measurement: row.measurement.clone() })
    }

    /// The client or server as it is to be on sockets. A client ends of itself after the messages that are wanted.
    fn traffic(&self) -> TrafficSetup {
        let traffic = Probe::on_sockets(&self.setup.traffic);
        let Measurement { samples, skip, .. } = self.measurement;
        samples.map_or_else(
            || traffic.clone(),
            |samples| Probe::of_messages(&traffic, samples.saturating_add(skip)),
        )
    }
}

fn resolved(name: &str) -> Result<Ipv4Addr, String> {
    if let Ok(address) = name.parse() {
        return Ok(address);
    }
    let found = (name, 0).to_socket_addrs().map_err(|error| {
        format!("{name:?} is no address that this computer knows ({error}); give the board's IPv4 address")
    })?;
    let mut addresses = found.filter_map(|address| match address.ip() {
        IpAddr::V4(address) => Some(address),
        IpAddr::V6(_) => None,
    });
    addresses.next().ok_or_else(|| format!("{name:?} has no IPv4 address; give the board's IPv4 address"))
}

impl Recipe for ReadyAddress {
    fn target(&self, _: &Row, _: Measure) -> Result<Box<dyn Target>, TargetError> {
        let wrong = |reason: String| TargetError(format!("{}{reason}", self.setup.traffic.name));
        let traffic = self.traffic();
        let machine = traffic.machine_for(self.address).map_err(wrong)?;
        let floor = floor::measured(&traffic, self.measurement.quantity);
        let session = Session::begin(machine, Ipv4Addr::UNSPECIFIED);
        let session = session.map_err(|error| TargetError(error.to_string()))?;
        Ok(Box::new(AddressTarget {
            ready: self.clone(),
            session,
            floor,
            samples: Samples::default(),
            is_answered: false,
            told: None,
        }))
    }

    fn steps(&self, _: &Row) -> u64 {
        STEPS
    }

    fn takes_real_time(&self) -> bool {
        true
    }
}

struct AddressTarget {
    ready: ReadyAddress,
    session: Session,
    floor: Option<FloorEntry>,
    samples: Samples,
    /// Whether anything was answered, once it has ended.
    is_answered: bool,
    /// Likewise.
    told: Option<Told>,
}

impl Target for AddressTarget {
    fn now(&self) -> Picoseconds {
        self.session.now()
    }

    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
        control.say_ready();
        loop {
            if control.is_stopped() {
                self.end()?;
                return Ok(Turn::Stopped);
            }
            let mut messages = Vec::new();
            let waited = self.session.wait(LOOKS, &mut messages);
            exchanges::append(&mut self.samples, messages);
            match waited {
                Waited::End => {
                    self.end()?;
                    return Ok(Turn::Over);
                }
                Waited::Batch if self.session.now() >= until => return Ok(Turn::Reached),
                Waited::Batch | Waited::Nothing => {}
            }
        }
    }

    fn samples(&mut self) -> &Samples {
        &self.samples
    }

    fn take_samples(&mut self) -> Samples {
        // A board that goes on answering is asked no more; what it answered meanwhile counts.
        let _ = self.end();
        let quantity = self.ready.measurement.quantity;
        if let (Some(floor), Some(figure)) = (&mut self.floor, floor::figure(&self.samples, quantity)) {
            floor.share = Some(floor::share(floor.figure, quantity, figure));
        }
        std::mem::take(&mut self.samples)
    }

    fn steps_done(&mut self) -> u64 {
        let measurement = &self.ready.measurement;
        let share =
            |part: u64, whole: u64| (u128::from(STEPS) * u128::from(part) / u128::from(whole.max(1))) as u64;
        let by_time = share(self.session.now().ps().unsigned_abs(), measurement.limit.ps().unsigned_abs());
        let by_count = measurement.samples.map_or(0, |samples| share(self.samples.len() as u64, samples));
        by_time.max(by_count).min(STEPS)
    }

    fn is_worth_a_part(&self) -> bool {
        true
    }

    fn entry(&mut self) -> TargetEntry {
        let AddressSetup { traffic, .. } = &self.ready.setup;
        let results = self.told.as_ref().map_or_else(Results::default, |told| told.results.clone());
        let why_none = format!("{} measured nothing: {}", traffic.name, self.why_none(&results));
        // A client of which nothing was answered has failed in these words.
        let failure =
            results.failure.clone().map(|failure| if self.is_answered { failure } else { why_none.clone() });
        TargetEntry {
            kind: "address",
            traffic: traffic.kind.clone(),
            payload_bytes: None,
            end: self.session.now(),
            failure,
            why_none,
            facts: Facts::Address(Box::new(self.facts(&results))),
        }
    }
}

/// How it ended, with what was said of the first message that was lost.
fn ended(results: &Results) -> String {
    let detail = results.losses.iter().find_map(|loss| loss.first.detail.as_ref());
    let detail = detail.map_or_else(String::new, |detail| format!(": {detail}"));
    format!("{}{detail}", results.summary)
}

impl AddressTarget {
    /// Why nothing was measured, and what to look at.
    fn why_none(&self, results: &Results) -> String {
        let kind = &self.ready.setup.traffic.kind;
        let waiting = self.told.as_ref().and_then(|told| told.waiting.as_ref());
        let words = results.failure.as_ref().or(waiting.map(|waiting| &waiting.words));
        let Some(words) = words else { return results.summary.clone() };
        let was_sent = results.samples.iter().any(|message| message.sent.is_some());
        let is_reached = was_sent || waiting.is_some_and(|waiting| waiting.is_reached);
        format!("{words}; {}", Probe::of(kind).advice(is_reached))
    }

    /// Ends the work, once.
    fn end(&mut self) -> Result<(), TargetError> {
        if self.told.is_none() {
            let mut told = self.session.end().map_err(|error| TargetError(error.to_string()))?;
            self.is_answered = told.messages.iter().any(|message| message.outcome == traffic::Outcome::Ok);
            self.samples = exchanges::recorded(std::mem::take(&mut told.messages));
            self.told = Some(told);
        }
        Ok(())
    }

    fn facts(&self, results: &Results) -> AddressFacts {
        let kernel = self.told.as_ref().is_some_and(|told| told.kernel_stamps);
        let counts: BTreeMap<&'static str, u64> =
            results.counters.iter().map(|counter| (counter.name, counter.value)).collect();
        AddressFacts {
            address: self.ready.setup.address.clone(),
            resolved: Some(self.ready.address.to_string()),
            client: self.ready.setup.traffic.to_string(),
            arrival_clock: if kernel { "kernel" } else { "program" },
            floor: self.floor,
            counts,
            ended: ended(results),
        }
    }
}
