//! A capture file as a target: its edges are paired, every trigger is a message. It runs in one go, because reading ends where
//! the file does.

use ::capture::pairing::{Outcomes, Pairer, Pairing, TriggerOutcome};
use ::capture::{CaptureError, CaptureInfo, ChannelSelector, OpenOptions};
use record::run_folder::StrayDone;
use record::{Control, Outcome, Sample, Samples};
use serde::Serialize;
use stats::detect::Settings as DetectorSettings;
use units::Picoseconds;

use crate::captures::{Options, Source, SourceFile, payload_bytes_of};
use crate::rows::Measure;
use crate::suite::Row;
use crate::target::{Recipe, Target, TargetEntry, TargetError, Turn};
use crate::targets::Facts;

/// A capture file and how it is read.
#[derive(Debug, Clone)]
pub struct CaptureRecipe {
    /// Where it lies and its group.
    pub source: Source,
    /// How it is analysed.
    pub options: Options,
}

/// What a capture file says of itself, and what its edges became.
#[derive(Debug, Clone, Serialize)]
pub struct CaptureFacts {
    /// What the file says.
    #[serde(skip)]
    pub info: CaptureInfo,
    /// Triggers closer than this to the one before were taken for glitches.
    pub glitch_ps: i64,
    /// How many edges had which outcome.
    #[serde(skip)]
    pub outcomes: Outcomes,
    /// Done edges that completed nothing.
    #[serde(skip)]
    pub strays: Vec<StrayDone>,
    /// SHA-256 of the bytes that were read, in hexadecimal, where it was asked for.
    pub sha256: Option<String>,
}

struct CaptureTarget {
    recipe: CaptureRecipe,
    samples: Samples,
    end: Picoseconds,
    /// Once it was read.
    facts: Option<CaptureFacts>,
}

impl Recipe for CaptureRecipe {
    fn target(&self, _: &Row, _: Measure) -> Result<Box<dyn Target>, TargetError> {
        let (samples, end) = (Samples::default(), Picoseconds::ZERO);
        Ok(Box::new(CaptureTarget { recipe: self.clone(), samples, end, facts: None }))
    }

    /// Whoever reads many files counts those.
    fn steps(&self, _: &Row) -> u64 {
        0
    }
}

impl Target for CaptureTarget {
    fn now(&self) -> Picoseconds {
        self.end
    }

    fn run(&mut self, _: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
        let read = self.recipe.read(control).map_err(|error| TargetError(error.to_string()))?;
        let Some(Read { info, pairing, end_ps, sha256 }) = read else { return Ok(Turn::Stopped) };
        if let Some(reason) = nothing_to_measure(&info, &pairing, &self.recipe.options) {
            return Err(TargetError(format!("{}: {reason}", self.recipe.source.path.display())));
        }
        self.end = Picoseconds::new(end_ps);
        self.samples = samples_of(&pairing);
        let (glitch_ps, outcomes) = (pairing.glitch_ps, pairing.outcomes());
        self.facts = Some(CaptureFacts { info, glitch_ps, outcomes, strays: strays_of(&pairing), sha256 });
        Ok(Turn::Over)
    }

    fn samples(&mut self) -> &Samples {
        &self.samples
    }

    fn take_samples(&mut self) -> Samples {
        std::mem::take(&mut self.samples)
    }

    fn steps_done(&mut self) -> u64 {
        0
    }

    fn detectors(&mut self) -> DetectorSettings {
        self.recipe.options.findings.unwrap_or_default()
    }

    fn entry(&mut self) -> TargetEntry {
        let CaptureRecipe { source, options } = &self.recipe;
        TargetEntry {
            kind: "capture",
            traffic: "one-way".to_owned(),
            payload_bytes: options.payload_bytes.or_else(|| payload_bytes_of(&source.path)),
            end: self.end,
            failure: None,
            why_none: "no done edge completed a trigger".to_owned(),
            facts: Facts::Capture(Box::new(self.facts.take().expect("it is asked after it ran"))),
        }
    }
}

/// What a file holds.
struct Read {
    info: CaptureInfo,
    pairing: Pairing,
    end_ps: i64,
    sha256: Option<String>,
}

impl CaptureRecipe {
    /// The edges of the file, paired; nothing where somebody stopped it.
    fn read(&self, control: &Control) -> Result<Option<Read>, CaptureError> {
        let options = &self.options;
        let channels = vec![options.trigger.clone(), options.done.clone()];
        let (file, mut source) = SourceFile::open(&self.source.path, &OpenOptions { channels })?;
        let mut pairer = Pairer::new(options.pairing);
        let mut batch = Vec::new();
        loop {
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                let sha256 = options.sha256.then(|| file.sha256()).transpose()?;
                let (info, end_ps) = (source.info().clone(), source.end_ps());
                return Ok(Some(Read { info, pairing: pairer.finish(), end_ps, sha256 }));
            }
            if control.is_stopped() {
                return Ok(None);
            }
            pairer.push(&batch);
        }
    }
}

/// Why a capture holds no measurement: most likely the wrong channel was named.
fn nothing_to_measure(info: &CaptureInfo, pairing: &Pairing, options: &Options) -> Option<String> {
    let never_rises = |role: &str, channel: &ChannelSelector| {
        Some(format!(
            "the {role} channel {channel} never rises from low to high, so that there is nothing to measure; name the \
             right channel with --{role}"
        ))
    };
    if info.channels[0] == info.channels[1] {
        return Some("--trigger and --done name the same channel; name two".to_owned());
    }
    if pairing.is_empty() {
        return never_rises("trigger", &options.trigger);
    }
    if pairing.outcomes().paired == 0 && pairing.unpaired_dones().is_empty() {
        return never_rises("done", &options.done);
    }
    None
}

/// Every trigger as a message.
fn samples_of(pairing: &Pairing) -> Samples {
    let mut samples = Samples::with_room(pairing.len());
    for (index, trigger) in pairing.triggers().enumerate() {
        let outcome = match trigger.outcome {
            TriggerOutcome::Paired => Outcome::Paired,
            TriggerOutcome::Missed => Outcome::Missed,
            TriggerOutcome::Glitch => Outcome::Glitch,
            TriggerOutcome::Overlapped => Outcome::Overlapped,
        };
        let begun = Sample::begun(index as u64, Picoseconds::new(trigger.trigger_ps));
        samples.push(Sample { done: trigger.done_ps.map(Picoseconds::new), outcome, ..begun });
    }
    samples
}

fn strays_of(pairing: &Pairing) -> Vec<StrayDone> {
    let stray = |done: &::capture::pairing::UnpairedDone| StrayDone {
        time_ps: done.done_ps,
        outcome: done.outcome.name(),
        trigger_index: done.trigger_index,
    };
    pairing.unpaired_dones().iter().map(stray).collect()
}
