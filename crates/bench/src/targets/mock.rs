//! A target that simulates nothing: what its messages take, and how long it keeps the host busy, is said by a test. Tests drive
//! the scheduler, the stop rules, the keeper and the command line with it.
//!
//! No suite can name it, and no command offers it. Rows of a suite get a mock in place of what they name where somebody asks
//! for [`mocked_rows`], which only tests do; a run folder has `mock` as the target of such a row.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use record::{Control, Sample, Samples};
use serde::Deserialize;
use units::Picoseconds;

use super::Facts;
use super::address::AddressFacts;
use super::board::BoardFacts;
use super::link::LinkFacts;
use crate::rows::{Measure, ReadyRow};
use crate::suite::{Row, Suite, TargetSetup};
use crate::target::{Observations, Recipe, Target, TargetEntry, TargetError, Turn};

/// How often a mock that waits to be stopped looks whether it is.
const LOOKS: Duration = Duration::from_millis(1);

/// What a mock does.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mock {
    /// What messages take, one after the other and from the first one on again; nothing for one that is lost.
    pub latencies_ps: Vec<Option<i64>>,
    /// From one message to the next.
    pub period_ps: i64,
    /// How long a message keeps the host busy.
    pub host_us: u64,
    /// After so many messages it does nothing until somebody stops it.
    pub stalls_after: Option<usize>,
    /// After so many messages it fails.
    pub breaks_after: Option<usize>,
}

impl Default for Mock {
    fn default() -> Self {
        let (stalls_after, breaks_after) = (None, None);
        Self {
            latencies_ps: vec![Some(1_000)],
            period_ps: units::PS_PER_MS,
            host_us: 0,
            stalls_after,
            breaks_after,
        }
    }
}

/// What the mocks of a suite do: those of some rows, by the row's name, and all others.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mocks {
    /// By the names of rows.
    pub rows: BTreeMap<String, Mock>,
    /// Of all other rows.
    pub others: Mock,
}

/// The rows of a suite, each on a mock in place of what it names.
pub fn mocked_rows(suite: &Suite, mocks: &Mocks) -> Vec<ReadyRow> {
    let ready = |row: &Row| {
        let mock = mocks.rows.get(&row.name).unwrap_or(&mocks.others);
        ReadyRow { row: row.clone(), recipe: Arc::new(mock.clone()) }
    };
    suite.rows.iter().map(ready).collect()
}

impl Recipe for Mock {
    fn target(&self, row: &Row, _: Measure) -> Result<Box<dyn Target>, TargetError> {
        let (mock, row, now) = (self.clone(), row.clone(), Picoseconds::ZERO);
        Ok(Box::new(MockTarget { mock, row, now, samples: Samples::default(), looked_at: 0 }))
    }

    /// A step is a message; 100 where the row does not say how many it wants.
    fn steps(&self, row: &Row) -> u64 {
        row.measurement.samples.unwrap_or(100)
    }
}

struct MockTarget {
    mock: Mock,
    row: Row,
    now: Picoseconds,
    samples: Samples,
    looked_at: usize,
}

impl MockTarget {
    fn message(&mut self) {
        let (index, latencies) = (self.samples.len(), &self.mock.latencies_ps);
        let latency = latencies.get(index % latencies.len().max(1)).copied().flatten();
        let done = latency.map(|latency| self.now + Picoseconds::new(latency));
        self.samples.push(Sample::known(index as u64, self.now, done));
        // Time goes on, whatever a test says.
        self.now = self.now + Picoseconds::new(self.mock.period_ps.max(1));
        if self.mock.host_us > 0 {
            std::thread::sleep(Duration::from_micros(self.mock.host_us));
        }
    }

    /// What a row of the kind that it stands for has beside its samples, as far as that is known without a run.
    fn facts(&self) -> Facts {
        match &self.row.target {
            TargetSetup::Link(setup) => Facts::Link(Box::new(LinkFacts::of_idle(setup))),
            TargetSetup::Board(setup) => Facts::Board(Box::new(BoardFacts::of_idle(setup))),
            TargetSetup::Address(setup) => Facts::Address(Box::new(AddressFacts::of_idle(setup))),
            TargetSetup::Other => {
                Facts::Other(BTreeMap::from([("looked_at".to_owned(), self.looked_at.into())]))
            }
        }
    }
}

impl Target for MockTarget {
    fn now(&self) -> Picoseconds {
        self.now
    }

    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
        while self.now < until {
            let reached = |count: Option<usize>| count.is_some_and(|count| self.samples.len() >= count);
            if reached(self.mock.breaks_after) {
                return Err(TargetError("it came off the bench".to_owned()));
            }
            while reached(self.mock.stalls_after) && !control.is_stopped() {
                std::thread::sleep(LOOKS);
            }
            if control.is_stopped() {
                return Ok(Turn::Stopped);
            }
            self.message();
        }
        Ok(Turn::Reached)
    }

    fn samples(&mut self) -> &Samples {
        &self.samples
    }

    fn steps_done(&mut self) -> u64 {
        self.samples.len() as u64
    }

    /// As of what it stands for.
    fn is_worth_a_part(&self) -> bool {
        self.row.link().is_some()
    }

    fn observe(&mut self, samples: &Samples, _: &Control) -> Result<Option<Observations>, TargetError> {
        self.looked_at = samples.len();
        Ok(None)
    }

    fn entry(&mut self) -> TargetEntry {
        TargetEntry {
            kind: "mock",
            traffic: "one-way".to_owned(),
            payload_bytes: self.row.link().map(|setup| u64::from(setup.payload_bytes)),
            end: self.now,
            failure: None,
            why_none: "every message of the mock was lost".to_owned(),
            facts: self.facts(),
        }
    }
}
