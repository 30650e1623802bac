//! A board at an address as a target: the wall clock owns its time.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};
use std::time::Duration;

use fields::toml_file::Misplaced;
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
            let message = format!("targets.{}.address: {reason}", row.entry);
            Misplaced { path: row.place.path.clone(), line: row.place.line, message }
        })?;
        Ok(Self { setup: setup.clone(), address, measurement: row.measurement.clone() })
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
        let traffic = Probe::on_sockets(&self.setup.traffic);
        let machine = traffic.machine_for(self.address).map_err(wrong)?;
        let floor = floor::measured(&traffic, self.measurement.quantity);
        let session = Session::begin(machine, Ipv4Addr::UNSPECIFIED);
        Ok(Box::new(AddressTarget {
            ready: self.clone(),
            session,
            floor,
            samples: Samples::default(),
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
    /// Once it has ended.
    told: Option<Told>,
}

impl Target for AddressTarget {
    fn now(&self) -> Picoseconds {
        self.session.now()
    }

    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
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
        let why_none = results.failure.clone().unwrap_or_else(|| results.summary.clone());
        TargetEntry {
            kind: "address",
            traffic: traffic.kind.clone(),
            payload_bytes: None,
            end: self.session.now(),
            failure: results.failure.clone(),
            why_none: format!("{} measured nothing: {why_none}", traffic.name),
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
    /// Ends the work, once.
    fn end(&mut self) -> Result<(), TargetError> {
        if self.told.is_none() {
            let mut told = self.session.end().map_err(|error| TargetError(error.to_string()))?;
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
