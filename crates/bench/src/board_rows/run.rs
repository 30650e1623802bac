//! One row in virtual time. The board runs in pieces; between them the row is asked whether it has enough. The pieces follow
//! from virtual time alone, so that the same row ends at the same time whatever the host does.

use std::collections::BTreeMap;

use ::traffic::Sample;
use stats::detect::Settings;
use units::{PS_PER_MS, Picoseconds};

use super::result::{BoardRowResult, LatencyFigures, PeerResult};
use super::rig::Rig;
use super::{Figure, ReadyRow};
use crate::suite::{BoardRow, Statistic};
use board::{BoardError, BoardRun, Ended};
use lan::TrafficResults;
use record::Control;
use record::statistics;

/// The first piece; later ones are a share of the time so far, because what is asked between them costs more then.
const FIRST_PIECE: Picoseconds = Picoseconds::new(20 * PS_PER_MS);
const PIECES_SO_FAR: i64 = 16;
/// So many steps of progress are told of each row.
pub const STEPS: u64 = 1000;

/// Runs a row; nothing where it is stopped before its end.
///
/// # Errors
/// When the board cannot be made like that.
pub fn run_row(
    ready: &ReadyRow,
    seed: u64,
    findings: bool,
    control: &Control,
) -> Result<Option<BoardRowResult>, BoardError> {
    let mut rig = Rig::of(ready, seed)?;
    let limit = ready.row.measurement.limit;
    let mut told = 0;
    let ended = loop {
        let next = next_piece(rig.now()).min(limit);
        let ended = rig.run(next, control)?;
        let steps = (i128::from(STEPS) * i128::from(rig.now().ps()) / i128::from(limit.ps())) as u64;
        control.advance(steps.min(STEPS).saturating_sub(told));
        told = told.max(steps.min(STEPS));
        match ended {
            Ended::Interrupted => return Ok(None),
            Ended::Chip(mcu::Stop::Time) if next < limit => {}
            ended => break ended,
        }
        if rig.is_done() {
            break Ended::Clients;
        }
        if has_enough(&mut rig, ready, seed) {
            break Ended::Chip(mcu::Stop::Time);
        }
    };
    control.advance(STEPS - told);
    Ok(Some(result_of(rig, ready, seed, findings, ended)))
}

/// When the row is asked next.
fn next_piece(now: Picoseconds) -> Picoseconds {
    now + FIRST_PIECE.max(Picoseconds::new(now.ps() / PIECES_SO_FAR))
}

fn has_enough(rig: &mut Rig, ready: &ReadyRow, seed: u64) -> bool {
    let wanted = &ready.row.measurement;
    if wanted.samples.is_none() && wanted.stop_within.is_none() {
        return false;
    }
    let samples = rig.samples(ready);
    let enough = wanted.samples.is_some_and(|samples_wanted| samples.len() as u64 >= samples_wanted);
    let narrow = |share| figure_of(&ready.row, &samples, seed).is_some_and(|figure| figure.is_within(share));
    enough || wanted.stop_within.is_some_and(narrow)
}

/// The figure that is told of a row.
fn figure_of(row: &BoardRow, samples: &[Sample], seed: u64) -> Option<Figure> {
    Figure::of(row.measurement.quantity, row.statistic().unwrap_or(Statistic::Median), samples, seed)
}

/// What is told of the latencies of a row that measures them.
fn latency_of(row: &BoardRow, samples: &[Sample], seed: u64) -> Option<LatencyFigures> {
    row.statistic()?;
    let of = |statistic| Figure::of(row.measurement.quantity, statistic, samples, seed);
    let latencies = || answered(samples).filter_map(|sample| sample.latency()).map(|time| time.ps());
    Some(LatencyFigures {
        median: of(Statistic::Median)?,
        mean: of(Statistic::Mean)?,
        least_ps: latencies().min()?,
        most_ps: latencies().max()?,
        parts: connect_and_processing(samples),
    })
}

/// Means, where every message opens a connection.
fn connect_and_processing(samples: &[Sample]) -> Option<(f64, f64)> {
    let times = answered(samples).map(|sample| {
        let connect = (sample.connect? - sample.trigger).ps();
        Some((connect as f64, (sample.latency()?.ps() - connect) as f64))
    });
    let times: Vec<(f64, f64)> = times.collect::<Option<_>>()?;
    let mean = |of: fn(&(f64, f64)) -> f64| times.iter().map(of).sum::<f64>() / times.len() as f64;
    (!times.is_empty()).then(|| (mean(|one| one.0), mean(|one| one.1)))
}

fn answered(samples: &[Sample]) -> impl Iterator<Item = &Sample> {
    samples.iter().filter(|sample| sample.outcome == ::traffic::Outcome::Ok && sample.done.is_some())
}

fn result_of(mut rig: Rig, ready: &ReadyRow, seed: u64, findings: bool, ended: Ended) -> BoardRowResult {
    let reports = rig.outcomes(ended);
    let (traffic, samples, skipped) = rig.messages(ready);
    let figure = figure_of(&ready.row, &samples, seed);
    let all_skipped = (samples.is_empty() && skipped > 0).then_some(skipped);
    let problem = problem(&reports, traffic.as_ref(), figure.is_some(), all_skipped);
    let end_ps = rig.now().ps();
    let mut reports = reports.into_iter();
    let report = reports.next().expect("a row has a board");
    let peer = reports.next();
    let peers_notes = peer.iter().flat_map(|peer| &peer.notes).map(|note| format!("the peer: {note}"));
    BoardRowResult {
        ready: ready.clone(),
        statistics: statistics_of(
            &samples,
            end_ps,
            seed,
            findings.then(|| Settings::of_clock(report.clk_sys_hz)),
        ),
        traffic: traffic.map(|one| (one.name, one.kind)),
        latency: latency_of(&ready.row, &samples, seed),
        samples,
        figure,
        problem,
        end_ps,
        budget: None,
        counts: counts(&report),
        notes: report.notes.iter().cloned().chain(peers_notes).collect(),
        ended: report.sentence,
        peer: peer.map(|peer| PeerResult { counts: counts(&peer), ended: peer.sentence }),
    }
}

fn statistics_of(
    samples: &[Sample],
    end_ps: i64,
    seed: u64,
    findings: Option<Settings>,
) -> record::Statistics {
    let triggers: Vec<i64> = answered(samples).map(|sample| sample.trigger.ps()).collect();
    let latencies: Vec<i64> = answered(samples).filter_map(Sample::latency).map(Picoseconds::ps).collect();
    let sent: Vec<i64> = samples.iter().map(|sample| sample.trigger.ps()).collect();
    statistics(&triggers, &latencies, &sent, end_ps, seed, true, findings)
}

/// Why a row has no figure, or ended otherwise than it should.
fn problem(
    reports: &[BoardRun],
    traffic: Option<&TrafficResults>,
    measured: bool,
    all_skipped: Option<usize>,
) -> Option<String> {
    let whose = ["the firmware", "the peer's firmware"];
    if let Some((who, failed)) = whose.iter().zip(reports).find(|(_, report)| report.failed) {
        return Some(format!("{who} failed: {}", failed.sentence));
    }
    if measured {
        return None;
    }
    if let Some(skipped) = all_skipped {
        let messages = if skipped == 1 { "its only message" } else { "all of its messages" };
        return Some(format!(
            "skip leaves out {messages} ({skipped}); give a smaller one, or run for longer"
        ));
    }
    let report = &reports[0];
    Some(match traffic {
        None => format!("no client or server of the PC has messages of this board ({})", report.sentence),
        Some(one) => {
            let why = one.results.failure.as_ref().unwrap_or(&one.results.summary);
            let began =
                if one.has_begun { why.as_str() } else { "it waited for the board's address and link" };
            format!("{} measured no message: {began} ({})", one.name, report.sentence)
        }
    })
}

/// Figures of the board that a row keeps.
fn counts(report: &BoardRun) -> BTreeMap<&'static str, f64> {
    let bus = |name: &str| report.bus.get(name).copied().unwrap_or_default() as f64;
    let accesses = bus("xip_accesses");
    BTreeMap::from([
        ("clk_sys_hz", report.clk_sys_hz as f64),
        ("busy_share_core0", report.cores[0].busy_share),
        ("busy_share_core1", report.cores[1].busy_share),
        ("spi_frames", bus("spi0_frames") + bus("spi1_frames")),
        ("console_bytes", report.console_bytes.values().sum::<u64>() as f64),
        ("xip_miss_share", if accesses > 0.0 { bus("xip_misses") / accesses } else { 0.0 }),
    ])
}
