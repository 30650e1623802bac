//! What a row of a suite is run on, as one type: whoever schedules rows, stops them and keeps what they measured never asks
//! which kind of target it is. Kinds are in `targets`.

use std::fmt;

use arrow_array::RecordBatch;
use record::{Control, Samples};
use stats::detect::Settings as DetectorSettings;
use thiserror::Error;
use units::Picoseconds;

use crate::rows::Measure;
use crate::suite::Row;
use crate::targets::Facts;

/// A target that cannot be made, or that failed for a reason of its own.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct TargetError(pub String);

/// How a piece of a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The time is reached, and more may come.
    Reached,
    /// Nothing more will come.
    Over,
    /// Somebody stopped it.
    Stopped,
}

/// What a target says of itself once its row has ended.
#[derive(Debug, Clone)]
pub struct TargetEntry {
    /// Its kind, as in manifests and tables: `capture`, `link`, `board`.
    pub kind: &'static str,
    /// The load: `one-way`, or the kind of the client or server whose messages the samples are.
    pub traffic: String,
    /// The payload, where it is known of all messages alike.
    pub payload_bytes: Option<u64>,
    /// The end of the run.
    pub end: Picoseconds,
    /// Why the row is to be doubted whatever it measured.
    pub failure: Option<String>,
    /// Why there may be no message.
    pub why_none: String,
    /// What only its kind has.
    pub facts: Facts,
}

/// What was seen while a target was looked at.
#[derive(Debug, Clone, Default)]
pub struct Observations {
    /// Where the time of some messages went: the table `spans`, nothing where that is not known.
    pub spans: Option<RecordBatch>,
    /// The frames of these messages, as the bytes of a pcapng file.
    pub frames: Vec<u8>,
}

/// Something that messages can be measured on.
pub trait Target {
    /// The time up to which it has run, from the beginning of the row.
    fn now(&self) -> Picoseconds;

    /// Runs to a time, or a little beyond it where it cannot be stopped between.
    ///
    /// # Errors
    /// When it cannot go on.
    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError>;

    /// The messages so far, in the order of their indices.
    fn samples(&mut self) -> &Samples;

    /// The same once the run has ended, to keep.
    fn take_samples(&mut self) -> Samples {
        self.samples().clone()
    }

    /// How many of its steps are done ([`Recipe::steps`] says of how many).
    fn steps_done(&mut self) -> u64;

    /// Whether the part of a run that somebody stopped is worth keeping: where each message stands for itself.
    fn is_worth_a_part(&self) -> bool {
        false
    }

    /// What the detectors are to know of it.
    fn detectors(&mut self) -> DetectorSettings {
        DetectorSettings::default()
    }

    /// Looks at the messages that count, which may mean to run them once more; nothing where it cannot look.
    ///
    /// # Errors
    /// When it cannot be run again.
    fn observe(&mut self, samples: &Samples, control: &Control) -> Result<Option<Observations>, TargetError> {
        let _ = (samples, control);
        Ok(None)
    }

    /// What it is, what was real, and what was counted on it; asked once, at the end.
    fn entry(&mut self) -> TargetEntry;
}

/// How the target of a row is made, with all that comes from files.
pub trait Recipe: fmt::Debug + Send + Sync {
    /// The target at the beginning of its time.
    ///
    /// # Errors
    /// When it cannot be made like that.
    fn target(&self, row: &Row, measure: Measure) -> Result<Box<dyn Target>, TargetError>;

    /// How many steps of progress a row on it takes.
    fn steps(&self, row: &Row) -> u64;

    /// Whether the wall clock owns its time: nothing else is to be run beside it.
    fn takes_real_time(&self) -> bool {
        false
    }
}
