//! The model of a link as a target. Messages come in the order of their triggers, a batch at a time.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use links::stage::Part;
use links::{BudgetLine, Energy, Program, Schedule, Simulation};
use record::run_folder::{SpanRow, Stage, spans_table};
use record::{Control, Sample, Samples};
use serde::Serialize;
use stats::detect::Settings as DetectorSettings;
use units::Picoseconds;

use crate::rows::Measure;
use crate::suite::{LinkSetup, Row, phrase};
use crate::target::{Observations, Recipe, Target, TargetEntry, TargetError, Turn};
use crate::targets::Facts;

/// A link without an end of its own sends as many as a suite may ask for.
const MOST_SAMPLES: u64 = crate::suite::MAX_SAMPLES;
/// A trigger that meets so many phases of a gate leaves nothing worth telling out.
const MOST_PHASES: i64 = 16;
/// Phases that lie closer together than this part of the latency are not told apart.
const WORTH_TELLING: i64 = 20;
/// Room that is made beforehand.
const MOST_ROOM: usize = 1 << 20;

/// What a manifest says of a link.
#[derive(Debug, Clone, Serialize)]
pub struct LinkFacts {
    /// The link.
    pub link: &'static str,
    /// The payload.
    pub payload_bytes: u32,
    /// All settings of the link, as a user would write them.
    pub settings: BTreeMap<&'static str, String>,
    /// When messages were triggered.
    pub trigger: String,
    /// The most messages that waited behind another.
    pub longest_queue: usize,
    /// The mean time of each part in closed form.
    pub budget: Vec<StageEntry>,
    /// What a message takes of the sender's battery, where the currents of its radio are known.
    pub energy: Option<EnergyEntry>,
}

/// What a message takes of its sender's battery, in a manifest.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct EnergyEntry {
    /// By the currents of the radio.
    #[serde(flatten)]
    pub energy: Energy,
    /// How far apart the messages of this row were on average; nothing where there was one alone.
    pub every_ps: Option<i64>,
}

impl EnergyEntry {
    /// What a message of this row took with the time until the next one, in joules; nothing where that is not known.
    pub fn with_interval_j(&self) -> Option<f64> {
        Some(self.energy.with_interval_j(Picoseconds::new(self.every_ps?)))
    }
}

/// A share of the time.
#[derive(Debug, Clone, Serialize)]
pub struct StageEntry {
    /// What the time is spent on.
    pub cause: &'static str,
    /// Whose time it is.
    pub site: &'static str,
    /// What it is about.
    pub subject: Option<&'static str>,
    /// Which one of that sort: of a link its own name for the part.
    pub detail: Option<String>,
    /// How long, on average.
    pub ps: i64,
}

impl LinkFacts {
    /// Of a link over which nothing goes: what its settings say, in closed form.
    ///
    /// # Panics
    /// When the settings do not go together; suites are checked before.
    pub(super) fn of_idle(setup: &LinkSetup) -> Self {
        let mut program = setup.link.program(&setup.settings).expect("a suite is checked before it runs");
        let schedule = setup.trigger.schedule(&mut program, setup.payload_bytes);
        let budget = program.budget(setup.payload_bytes);
        Self::of(setup, phrase(&schedule), &budget, Load::default())
    }

    fn of(setup: &LinkSetup, trigger: String, budget: &[BudgetLine], load: Load) -> Self {
        let energy = setup.link.energy(&setup.settings, budget);
        Self {
            link: setup.link.name,
            payload_bytes: setup.payload_bytes,
            settings: setup.settings.iter().map(|(name, value)| (name, value.to_string())).collect(),
            trigger,
            longest_queue: load.longest_queue,
            budget: StageEntry::of(budget),
            energy: energy.map(|energy| EnergyEntry { energy, every_ps: load.every_ps }),
        }
    }
}

/// How many messages a link had to carry.
#[derive(Debug, Clone, Copy, Default)]
struct Load {
    longest_queue: usize,
    every_ps: Option<i64>,
}

impl StageEntry {
    /// A stage with its time.
    pub fn new(stage: &Stage, ps: i64) -> Self {
        let detail = stage.detail().map(str::to_owned);
        let (cause, site, subject) = (stage.cause.code(), stage.site.code(), stage.subject_code());
        Self { cause, site, subject, detail, ps }
    }

    /// The lines of a budget.
    pub fn of(budget: &[BudgetLine]) -> Vec<Self> {
        let stage = |line: &BudgetLine| Stage::of_link(line.cause, line.name.as_str());
        budget.iter().map(|line| Self::new(&stage(line), line.mean.ps())).collect()
    }
}

/// A link in virtual time.
#[derive(Debug)]
struct LinkTarget {
    name: String,
    setup: LinkSetup,
    simulation: Simulation,
    /// No message is triggered from here on.
    limit: Picoseconds,
    samples: Samples,
    /// The first and the last trigger so far, the end of the last message, and how many there were.
    first: Option<Picoseconds>,
    now: Picoseconds,
    end: Picoseconds,
    messages: i64,
    trigger: String,
    budget: Vec<BudgetLine>,
    /// The gate of which the triggers meet few phases, where there is one.
    partly_met: Option<Picoseconds>,
    /// What time can go to.
    parts: Vec<Part>,
}

impl Recipe for LinkSetup {
    /// # Panics
    /// When the settings do not go together; suites are checked before.
    fn target(&self, row: &Row, measure: Measure) -> Result<Box<dyn Target>, TargetError> {
        let mut program = self.link.program(&self.settings).expect("a suite is checked before it runs");
        let schedule = self.trigger.schedule(&mut program, self.payload_bytes);
        let budget = program.budget(self.payload_bytes);
        let parts = program.parts().to_vec();
        let partly_met = partly_met(&schedule, &mut program, &budget);
        let count = row.measurement.samples.unwrap_or(MOST_SAMPLES);
        let spans = measure.spans_of_first;
        let simulation =
            Simulation::new(program, self.payload_bytes, &schedule, count, measure.seed, &row.name, spans);
        Ok(Box::new(LinkTarget {
            name: row.name.clone(),
            setup: self.clone(),
            simulation,
            limit: row.measurement.limit,
            samples: Samples::with_room(usize::try_from(count).unwrap_or(0).min(MOST_ROOM)),
            first: None,
            now: Picoseconds::ZERO,
            end: Picoseconds::ZERO,
            messages: 0,
            trigger: phrase(&schedule),
            budget,
            partly_met,
            parts,
        }))
    }

    fn steps(&self, row: &Row) -> u64 {
        row.measurement.samples.unwrap_or(MOST_SAMPLES)
    }
}

impl Target for LinkTarget {
    fn now(&self) -> Picoseconds {
        self.now
    }

    fn run(&mut self, until: Picoseconds, control: &Control) -> Result<Turn, TargetError> {
        while self.now < until {
            if control.is_stopped() {
                return Ok(Turn::Stopped);
            }
            let batch = self.simulation.next_batch();
            if batch.is_empty() {
                return Ok(Turn::Over);
            }
            for one in batch {
                if one.trigger >= self.limit {
                    return Ok(Turn::Over);
                }
                self.first.get_or_insert(one.trigger);
                self.messages += 1;
                self.now = self.now.max(one.trigger);
                self.end = self.end.max(one.done.unwrap_or(one.trigger));
                self.samples.push(Sample::known(one.index, one.trigger, one.done));
            }
        }
        Ok(Turn::Reached)
    }

    fn samples(&mut self) -> &Samples {
        &self.samples
    }

    fn take_samples(&mut self) -> Samples {
        std::mem::take(&mut self.samples)
    }

    fn steps_done(&mut self) -> u64 {
        self.samples.len() as u64
    }

    fn detectors(&mut self) -> DetectorSettings {
        DetectorSettings { gate_ps: self.partly_met.map(Picoseconds::ps), ..DetectorSettings::default() }
    }

    fn is_worth_a_part(&self) -> bool {
        true
    }

    fn observe(&mut self, samples: &Samples, _: &Control) -> Result<Option<Observations>, TargetError> {
        let mut spans = self.simulation.take_spans();
        // Of a row that ended before its last message more may have been under way.
        spans.retain(|span| samples.by_index(span.message).is_some());
        let spans = (!spans.is_empty()).then(|| self.spans_table(&spans));
        Ok(Some(Observations { spans, frames: Vec::new() }))
    }

    fn entry(&mut self) -> TargetEntry {
        let load = Load { longest_queue: self.simulation.longest_queue(), every_ps: self.every_ps() };
        let facts = LinkFacts::of(&self.setup, self.trigger.clone(), &self.budget, load);
        TargetEntry {
            kind: "link",
            traffic: "one-way".to_owned(),
            payload_bytes: Some(u64::from(self.setup.payload_bytes)),
            end: self.end,
            failure: None,
            why_none: "the link lost every message".to_owned(),
            facts: Facts::Link(Box::new(facts)),
        }
    }
}

/// The longest gate of which a steady trigger meets a few phases, again and again: those lie as far apart as the
/// greatest common divisor of both periods. What is left out between them matters beside the mean latency.
fn partly_met(schedule: &Schedule, program: &mut Program, budget: &[BudgetLine]) -> Option<Picoseconds> {
    let Schedule::Fixed { period } = schedule else { return None };
    let mean_ps: i64 = budget.iter().map(|line| line.mean.ps()).sum();
    let left_out = |gate_ps: i64| greatest_common_divisor(period.ps(), gate_ps);
    let gates = program.gates();
    let told = gates.iter().map(|gate| gate.period()).filter(|gate| {
        let left_out_ps = left_out(gate.ps());
        left_out_ps > gate.ps() / MOST_PHASES && left_out_ps > mean_ps / WORTH_TELLING
    });
    told.max()
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

impl LinkTarget {
    /// How far apart triggers were on average; nothing where there was one alone, or all came at once.
    fn every_ps(&self) -> Option<i64> {
        (self.now - self.first?).ps().checked_div(self.messages - 1).filter(|every| *every > 0)
    }

    /// One row per share of a message's time.
    fn spans_table(&self, spans: &[sim::Span]) -> RecordBatch {
        let stages: Vec<Stage> =
            self.parts.iter().map(|part| Stage::of_link(part.cause, part.name.as_str())).collect();
        let of = |span: &sim::Span| SpanRow {
            message: span.message,
            stage: &stages[span.activity as usize],
            start: span.start,
            end: span.end,
            bytes: u64::from(span.bytes),
        };
        spans_table(&self.name, spans.iter().map(of))
    }
}
