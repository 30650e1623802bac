//! One row of a suite: a link in virtual time, from its triggers to statistics.

use capture::pairing::{Outcomes, Pairing};
use links::stage::Part;
use links::{BudgetLine, Simulation};
use sim::Span;
use units::Picoseconds;

use crate::suite::{Row, phrase};
use record::Control;
use record::run_folder::SampleLabels;
use record::{Statistics, statistics};

/// What is taken from a row beside its samples.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The suite's seed.
    pub seed: u64,
    /// Whether to compute bootstrap intervals.
    pub intervals: bool,
    /// Whether to look for findings.
    pub findings: bool,
    /// How many messages of the row leave spans.
    pub spans_of_first: u64,
}

/// What became of a row.
#[derive(Debug, Clone)]
pub struct RowResult {
    /// What was asked.
    pub row: Row,
    /// Every message with its fate.
    pub pairing: Pairing,
    outcomes: Outcomes,
    /// What the latencies say.
    pub statistics: Statistics,
    /// The end of the run.
    pub end_ps: i64,
    /// The most messages that waited behind another.
    pub longest_queue: usize,
    /// When messages were triggered, in one phrase.
    pub trigger: String,
    /// The mean time of each part, in closed form.
    pub budget: Vec<BudgetLine>,
    /// Where the time of the first messages went; `activity` is an index into `parts`.
    pub spans: Vec<Span>,
    /// What time can go to.
    pub parts: Vec<Part>,
}

impl RowResult {
    /// What its samples have in common.
    pub fn labels(&self) -> SampleLabels<'_> {
        SampleLabels {
            run: &self.row.name,
            target: "link",
            variant: &self.row.entry,
            payload_bytes: Some(u64::from(self.row.payload_bytes)),
        }
    }

    /// How many messages had which fate.
    pub fn outcomes(&self) -> Outcomes {
        self.outcomes
    }

    /// Drops what the run folder holds.
    pub(super) fn forget_samples(&mut self) {
        self.pairing = Pairing::default();
    }
}

/// Runs a row; less of it where `control` stops it, and nothing where it is stopped before the first message.
///
/// # Panics
/// When the row's settings do not go together; suites are checked before.
pub fn simulate_row(row: &Row, measure: Measure, control: &Control) -> Option<RowResult> {
    let mut program = row.link.program(&row.settings).expect("a suite is checked before it runs");
    let schedule = row.trigger.schedule(&mut program, row.payload_bytes);
    let budget = program.budget(row.payload_bytes);
    let parts = program.parts().to_vec();
    let mut simulation = Simulation::new(
        program,
        row.payload_bytes,
        &schedule,
        row.samples,
        measure.seed,
        &row.name,
        measure.spans_of_first,
    );
    let mut samples = Vec::with_capacity(usize::try_from(row.samples).unwrap_or(0).min(1 << 20));
    while !control.is_stopped() {
        let batch = simulation.next_batch();
        if batch.is_empty() {
            break;
        }
        control.advance(batch.len() as u64);
        samples.extend(batch);
    }
    if samples.is_empty() {
        return None;
    }
    let end = samples.iter().map(|sample| sample.done.unwrap_or(sample.trigger)).max();
    let end_ps = end.map_or(0, Picoseconds::ps);
    let known = samples.iter().map(|sample| (sample.trigger.ps(), sample.done.map(Picoseconds::ps)));
    let pairing = Pairing::of_messages(known);
    Some(RowResult {
        statistics: statistics_of(&pairing, end_ps, measure),
        outcomes: pairing.outcomes(),
        pairing,
        end_ps,
        longest_queue: simulation.longest_queue(),
        trigger: phrase(&schedule),
        budget,
        spans: simulation.take_spans(),
        parts,
        row: row.clone(),
    })
}

fn statistics_of(pairing: &Pairing, end_ps: i64, measure: Measure) -> Statistics {
    let latency_ps = pairing.latencies_ps();
    let paired: Vec<i64> = pairing.triggers().filter(|t| t.done_ps.is_some()).map(|t| t.trigger_ps).collect();
    let findings = measure.findings.then(stats::detect::Settings::default);
    let sent = pairing.trigger_times_ps();
    statistics(&paired, &latency_ps, sent, end_ps, measure.seed, measure.intervals, findings)
}
