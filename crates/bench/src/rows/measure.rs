//! One row in virtual time. Its target runs in pieces; between them the row is asked whether it has enough. The pieces follow
//! from virtual time alone, so that the same row ends at the same time whatever the host does.

use capture::pairing::Outcomes;
use record::{Control, Outcome, Sample, Samples, Seen, Statistics, statistics};
use stats::detect::Kind;
use units::{PS_PER_MS, Picoseconds};

use super::ReadyRow;
use super::figure::{Figure, MedianInterval};
use super::result::{LatencyFigures, RowResult};
use crate::suite::{Row, Statistic};
use crate::target::{Target, TargetEntry, TargetError, Turn};

/// The first piece; later ones are a share of the time so far, because what is asked between them costs more then.
const FIRST_PIECE: Picoseconds = Picoseconds::new(20 * PS_PER_MS);
const PIECES_SO_FAR: i64 = 16;
/// Somebody watches what takes real time.
const LONGEST_REAL_PIECE: Picoseconds = Picoseconds::new(200 * PS_PER_MS);

/// What is taken from a row beside its samples.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// The suite's seed.
    pub seed: u64,
    /// Whether to compute bootstrap intervals.
    pub intervals: bool,
    /// Whether to look for all findings. That a run met few phases of a gate which its target knows is told always: without
    /// it the row's figures say nothing.
    pub findings: bool,
    /// How many messages of a model leave spans.
    pub spans_of_first: u64,
}

impl Measure {
    /// Messages of a row of a suite that leave spans.
    pub const SPANS_OF_FIRST: u64 = 1000;
}

/// Runs a row; nothing where it is stopped before there is anything worth keeping.
///
/// # Errors
/// When its target cannot be made, or cannot go on.
pub fn measure_row(
    ready: &ReadyRow,
    measure: Measure,
    control: &Control,
) -> Result<Option<RowResult>, TargetError> {
    let row = &ready.row;
    let mut target = ready.recipe.target(row, measure)?;
    let stopped = run(target.as_mut(), ready, measure, control)? == Turn::Stopped;
    if stopped && (target.samples().is_empty() || !target.is_worth_a_part()) {
        return Ok(None);
    }
    let mut row = row.clone();
    let all = target.take_samples();
    row.measurement.skip = row.measurement.skipped_of(all.len());
    let wanted = &row.measurement;
    let skipped = usize::try_from(wanted.skip).unwrap_or(usize::MAX).min(all.len());
    let samples = all.counting(wanted.skip, wanted.samples);
    let observed = target.observe(&samples, control)?;
    if control.is_stopped() && !target.is_worth_a_part() {
        return Ok(None);
    }
    let known = target.detectors();
    let detectors = (measure.findings || known.gate_ps.is_some()).then_some(known);
    let entry = target.entry();
    let mut statistics = statistics_of(&samples, entry.end.ps(), measure, detectors);
    if !measure.findings {
        statistics.findings.retain(|found| matches!(found.kind, Kind::FrozenPhase | Kind::PhaseCoverage));
    }
    let figure = final_figure(&row, &samples, &statistics, measure);
    Ok(Some(RowResult {
        problem: problem(&entry, figure.is_some(), samples.is_empty().then_some(skipped)),
        latency: LatencyFigures::of(&row, &samples, &statistics, measure),
        row,
        outcomes: outcomes_of(&samples),
        observed: observed.unwrap_or_default(),
        statistics,
        figure,
        samples,
        entry,
    }))
}

/// Runs the target until the row has enough, telling how far it is.
fn run(
    target: &mut dyn Target,
    ready: &ReadyRow,
    measure: Measure,
    control: &Control,
) -> Result<Turn, TargetError> {
    let limit = ready.row.measurement.limit;
    let (all, mut told, mut shown) = (ready.recipe.steps(&ready.row), 0, 0);
    let turn = loop {
        let until = next_piece(target.now(), ready.recipe.takes_real_time()).min(limit);
        let turn = target.run(until, control)?;
        let done = target.steps_done().min(all);
        control.advance(done.saturating_sub(told));
        told = told.max(done);
        if ready.recipe.takes_real_time() {
            shown += show(target, &ready.row, shown, control);
        }
        let at_its_end = until >= limit && turn == Turn::Reached;
        if turn != Turn::Reached || at_its_end || has_enough(target, &ready.row, measure) {
            break turn;
        }
    };
    if turn != Turn::Stopped {
        control.advance(all - told);
    }
    Ok(turn)
}

/// Shows messages that came since the last time to whoever watches; gives how many.
fn show(target: &mut dyn Target, row: &Row, shown: usize, control: &Control) -> usize {
    if !control.is_watched() {
        return 0;
    }
    let samples = target.samples().since(shown);
    let count = samples.len();
    if count > 0 {
        control.show(Seen { row: row.name.clone(), unit: row.measurement.quantity.unit(), samples });
    }
    count
}

/// When the row is asked next.
fn next_piece(now: Picoseconds, takes_real_time: bool) -> Picoseconds {
    let share = Picoseconds::new(now.ps() / PIECES_SO_FAR).max(FIRST_PIECE);
    now + if takes_real_time { share.min(LONGEST_REAL_PIECE) } else { share }
}

fn has_enough(target: &mut dyn Target, row: &Row, measure: Measure) -> bool {
    let wanted = &row.measurement;
    if wanted.samples.is_none() && wanted.stop_within.is_none() {
        return false;
    }
    let counting = (target.samples().len() as u64).saturating_sub(wanted.skip);
    let Some(share) = wanted.stop_within else {
        return wanted.samples.is_some_and(|samples| counting >= samples);
    };
    if wanted.samples.is_some_and(|samples| counting >= samples) {
        return true;
    }
    let samples = target.samples().clone().counting(wanted.skip, wanted.samples);
    let statistic = row.statistic().unwrap_or(Statistic::Median);
    let interval = MedianInterval::Bootstrap(measure.seed);
    Figure::of(wanted.quantity, statistic, &samples, interval).is_some_and(|figure| figure.is_within(share))
}

/// The figure that is told of a row.
fn final_figure(row: &Row, samples: &Samples, statistics: &Statistics, measure: Measure) -> Option<Figure> {
    let statistic = row.statistic().unwrap_or(Statistic::Median);
    Figure::of(row.measurement.quantity, statistic, samples, MedianInterval::of(statistics, measure))
}

fn statistics_of(
    samples: &Samples,
    end_ps: i64,
    measure: Measure,
    detectors: Option<stats::detect::Settings>,
) -> Statistics {
    let (paired, sent) = triggers_of(samples);
    statistics(&paired, &samples.latencies_ps(), &sent, end_ps, measure.seed, measure.intervals, detectors)
}

/// Times of the messages that were answered, and of all that were sent: what came too soon to be a message was none.
fn triggers_of(samples: &Samples) -> (Vec<i64>, Vec<i64>) {
    let sent = samples.iter().filter(|sample| sample.outcome != Outcome::Glitch);
    let times = |sample: Sample<'_>| sample.trigger.ps();
    (samples.answered().map(times).collect(), sent.map(times).collect())
}

fn outcomes_of(samples: &Samples) -> Outcomes {
    Outcomes {
        paired: samples.count(Outcome::Paired),
        missed: samples.count(Outcome::Missed),
        glitch: samples.count(Outcome::Glitch),
        overlapped: samples.count(Outcome::Overlapped),
        ..Outcomes::default()
    }
}

/// Why a row has no figure, or ended otherwise than it should.
fn problem(entry: &TargetEntry, measured: bool, all_skipped: Option<usize>) -> Option<String> {
    if entry.failure.is_some() || measured {
        return entry.failure.clone();
    }
    Some(match all_skipped {
        Some(skipped) if skipped > 0 => {
            let messages = if skipped == 1 { "its only message" } else { "all of its messages" };
            format!("skip leaves out {messages} ({skipped}); give a smaller one, or run for longer")
        }
        _ => entry.why_none.clone(),
    })
}
