//! The second run of a row: the same once more, and around some of its messages everything is looked at. The first run says
//! which those are; that nobody looked is what keeps it fast, and that both give the same samples shows that looking
//! changes nothing.

use ::traffic::{Outcome, Sample};
use mcu::Slept;
use units::{PS_PER_S, Picoseconds};
use wiznet::{Access, Model};

use super::cpu::Follower;
use super::frames::{self, Passages};
use super::{BudgetSpan, Evidence, Interval, Rank, Stage, accesses, held, sleeps, sweep, wire};
use crate::board::{Board, BoardError, RunUntil};
use crate::board_rows::run::{board_of, messages};
use crate::board_rows::{BoardRowResult, ReadyRow};
use crate::control::Control;
use crate::lan::TracedFrame;

/// Among so many first messages those near the median and near the 95th percentile are traced.
const CHOSEN_AMONG: usize = 400;
const NEAR_MEDIAN: usize = 40;
const NEAR_P95: usize = 10;
/// Where the mean is so many times the median, some of the slowest are traced as well.
const HEAVY_TAIL: f64 = 1.2;
const SLOWEST: usize = 5;
/// Every instruction of the traced messages is looked at: at most for so long while the processor works.
const MOST_WORK: f64 = 0.5 * PS_PER_S as f64;
const FEWEST_MESSAGES: usize = 3;
/// Spans that are kept of a row.
const MOST_SPANS: usize = 200_000;
/// Frames that are kept of a row.
const MOST_FRAMES: usize = 20_000;
/// Between traced messages that lie no farther apart the board's waits and looks at its chip are kept as well: polls are as
/// far apart there as everywhere.
const LONGEST_GAP: Picoseconds = Picoseconds::new(PS_PER_S);
/// Frames wait at the taps for so long at most.
const PIECE: Picoseconds = Picoseconds::new(PS_PER_S / 20);
/// SCK that the chips take in every case: W5500 and W5200 33.3 MHz, W5100 14 MHz (Linux, devicetree binding `wiznet,w5x00`),
/// W5100S 70 MHz (its datasheet).
const HIGHEST_SCK_HZ: [(Model, u64); 4] = [
    (Model::W5100, 14_000_000),
    (Model::W5100S, 70_000_000),
    (Model::W5200, 33_300_000),
    (Model::W5500, 33_300_000),
];

/// Where the time of a row's messages goes.
#[derive(Debug, Clone, Default)]
pub struct RowBudget {
    /// The spans of the traced messages, without gaps.
    pub(crate) spans: Vec<BudgetSpan>,
    /// The frames of the traced messages, as the bytes of a pcapng file.
    pub pcapng: Vec<u8>,
    /// What else was seen.
    pub evidence: Evidence,
}

/// All that was seen.
#[derive(Default)]
struct Seen {
    accesses: Vec<Access>,
    sleeps: Vec<Slept>,
    full_uart: Vec<Picoseconds>,
    /// From when to when nothing of these three was missed.
    stretches: Vec<(Picoseconds, Picoseconds)>,
    /// At the board's end of the wire, of the traced messages.
    frames: Vec<TracedFrame>,
    keeps_frames: bool,
    /// Times at the end of which core 0 slept on.
    asleep_on: Vec<(Picoseconds, Picoseconds)>,
}

/// Runs a row once more and takes some of its messages apart; nothing where it has none, or is stopped.
///
/// # Errors
/// When the board cannot be made like that.
pub fn budget_of(
    result: &BoardRowResult,
    seed: u64,
    control: &Control,
) -> Result<Option<RowBudget>, BoardError> {
    let chosen = chosen(result);
    if chosen.is_empty() {
        return Ok(None);
    }
    let ready = &result.ready;
    let mut board = board_of(ready, seed)?;
    let mut passages = Passages::default();
    let mut seen = Seen::default();
    let mut follower = Some(Box::new(Follower::new(ready.image.symbols().clone())));
    board.parts().lan().expect("a row's board has a chip").trace_frames();
    let mut stalls = (0, 0.0);
    for (from, to) in windows(&chosen) {
        if !run_gap(&mut board, from, &mut passages, &mut seen, control) {
            return Ok(None);
        }
        follow(&mut board, true, &mut follower);
        seen.keeps_frames = true;
        let before = board.chip().counts();
        let stalled = board.chip().bus_counts().xip_stall_cycles;
        let runs = run_to(&mut board, to, &mut passages, Some(&mut seen), control);
        if board.chip().core(0).sleep() != mcu::Sleep::Awake {
            seen.asleep_on.push((from, to));
        }
        let after = board.chip().counts();
        stalls.0 += board.chip().bus_counts().xip_stall_cycles - stalled;
        stalls.1 += ((after.cycles - before.cycles) - (after.idle_cycles[0] - before.idle_cycles[0])) as f64;
        seen.keeps_frames = false;
        seen.stretches.last_mut().expect("the gap began one").1 = to;
        follow(&mut board, false, &mut follower);
        if !runs {
            return Ok(None);
        }
    }
    passages.finish();
    let mut evidence = evidence_of(&mut board, ready);
    evidence.xip_stall_share = (stalls.1 > 0.0).then(|| stalls.0 as f64 / stalls.1);
    if !is_the_same(&mut board, &chosen, ready) {
        return Ok(None);
    }
    let follower = follower.expect("it comes back from the chip");
    evidence.messages = chosen.len();
    let spans = spans(&chosen, &passages, &seen, &follower, &mut evidence, ready);
    // Writing into memory fails only for times before 1970.
    let pcapng = wire::pcapng(&seen.frames, &chosen, evidence.cable_bits_per_second).unwrap_or_default();
    Ok(Some(RowBudget { spans, pcapng, evidence }))
}

/// The messages that are traced, in the order of time.
fn chosen(result: &BoardRowResult) -> Vec<Sample> {
    let answered = result.samples.iter().filter(|one| one.outcome == Outcome::Ok && one.latency().is_some());
    let time = |sample: &Sample| sample.latency().map_or(0, Picoseconds::ps);
    let mut times: Vec<i64> = answered.clone().map(time).collect();
    times.sort_unstable();
    let first: Vec<&Sample> = answered.take(CHOSEN_AMONG).collect();
    if times.is_empty() {
        return Vec::new();
    }
    let work = result.counts.get("busy_share_core0").copied().unwrap_or(1.0).max(0.01);
    let affordable = MOST_WORK / (work * times[times.len() / 2].max(1) as f64);
    let most = (affordable as usize).clamp(FEWEST_MESSAGES, NEAR_MEDIAN + NEAR_P95);
    let near = |p: f64, count: usize| {
        let wanted = stats::quantile(&times, p) as i64;
        let mut nearest = first.clone();
        nearest.sort_by_key(|sample| ((time(sample) - wanted).abs(), sample.index));
        nearest.into_iter().take(count).cloned().collect::<Vec<Sample>>()
    };
    let of_p95 = (most * NEAR_P95 / (NEAR_MEDIAN + NEAR_P95)).max(1);
    let mut chosen = near(0.5, most - of_p95);
    chosen.extend(near(0.95, of_p95));
    if has_a_heavy_tail(&times) {
        chosen.extend(near(1.0, SLOWEST));
    }
    chosen.sort_by_key(|sample| sample.index);
    chosen.dedup_by_key(|sample| sample.index);
    chosen
}

/// Whether the few slowest messages take a good part of all time, so that the median does not explain a rate.
fn has_a_heavy_tail(times: &[i64]) -> bool {
    let mean = times.iter().map(|&ps| ps as f64).sum::<f64>() / times.len() as f64;
    mean > HEAVY_TAIL * stats::quantile(times, 0.5)
}

/// Whether the messages were those of the first run. An interval of a transfer is told of with the first byte after it, so
/// that the last one may be missing.
fn is_the_same(board: &mut Board, chosen: &[Sample], ready: &ReadyRow) -> bool {
    let (_, again) = messages(board, ready);
    let last = chosen.last().map(|sample| sample.index);
    chosen.iter().all(|sample| match again.binary_search_by_key(&sample.index, |one| one.index) {
        Ok(place) => (again[place].trigger, again[place].done) == (sample.trigger, sample.done),
        Err(_) => Some(sample.index) == last,
    })
}

/// The times of messages; those that touch or overlap are one.
fn windows(chosen: &[Sample]) -> Vec<(Picoseconds, Picoseconds)> {
    let mut windows: Vec<(Picoseconds, Picoseconds)> = Vec::new();
    for sample in chosen {
        let (from, to) = (sample.trigger, sample.done.unwrap_or(sample.trigger));
        match windows.last_mut().filter(|last| from <= last.1) {
            Some(last) => last.1 = last.1.max(to),
            None => windows.push((from, to)),
        }
    }
    windows
}

/// Runs to the next traced message. What the board waits for is seen on the way there where that is short.
fn run_gap(
    board: &mut Board,
    to: Picoseconds,
    passages: &mut Passages,
    seen: &mut Seen,
    control: &Control,
) -> bool {
    if seen.stretches.last().is_some_and(|last| to - last.1 <= LONGEST_GAP) {
        return run_to(board, to, passages, Some(seen), control);
    }
    record(board, false);
    let runs = run_to(board, to, passages, None, control);
    record(board, true);
    seen.stretches.push((to, to));
    runs
}

/// Runs to a time, and takes what was seen on the way; false where somebody stopped it.
fn run_to(
    board: &mut Board,
    to: Picoseconds,
    passages: &mut Passages,
    mut seen: Option<&mut Seen>,
    control: &Control,
) -> bool {
    while board.now() < to {
        let before = board.now();
        board.run(&RunUntil::time(to.min(before + PIECE)), control, &mut ());
        let trace = board.parts().lan().map(|lan| lan.take_trace()).unwrap_or_default();
        if let Some(seen) = &mut seen {
            let room = if seen.keeps_frames { MOST_FRAMES.saturating_sub(seen.frames.len()) } else { 0 };
            seen.frames.extend(trace.frames.iter().filter(|frame| frame.at_board).take(room).cloned());
            let (sleeps, full_uart) = board.chip_mut().take_waits();
            seen.accesses.extend(trace.accesses);
            seen.sleeps.extend(sleeps);
            seen.full_uart.extend(full_uart);
        }
        trace.frames.into_iter().for_each(|frame| passages.add(frame));
        if control.is_stopped() || board.now() <= before {
            return false;
        }
    }
    true
}

/// Keeps the accesses of the chip and the waits from here on, or no longer.
fn record(board: &mut Board, on: bool) {
    board.parts().lan().expect("a row's board has a chip").trace_accesses(on);
    board.chip_mut().record_waits(on);
}

/// Follows the processor from here on, or no longer.
fn follow(board: &mut Board, on: bool, follower: &mut Option<Box<Follower>>) {
    if on {
        let follower: Option<Box<dyn mcu::Observer>> = follower.take().map(|follower| follower as _);
        board.chip_mut().observe(follower);
        return;
    }
    let now = board.now();
    let observer: Option<Box<dyn std::any::Any>> =
        board.chip_mut().observe(None).map(|observer| observer as _);
    *follower = observer.and_then(|observer| observer.downcast().ok());
    if let Some(follower) = follower {
        follower.pause(now);
    }
}

fn evidence_of(board: &mut Board, ready: &ReadyRow) -> Evidence {
    let model = board.parts().lan().and_then(|lan| lan.model());
    let highest = model.and_then(|model| HIGHEST_SCK_HZ.iter().find(|(known, _)| *known == model));
    let sck_hz = board.parts().passed().iter().map(|port| port.spi_clock_hz).max().filter(|hz| *hz > 0);
    Evidence {
        sck_hz,
        highest_sck_hz: highest.map(|(_, hz)| *hz),
        cable_bits_per_second: ready.network.speed.bits_per_second(),
        ..Evidence::default()
    }
}

fn spans(
    chosen: &[Sample],
    passages: &Passages,
    seen: &Seen,
    follower: &Follower,
    evidence: &mut Evidence,
    ready: &ReadyRow,
) -> Vec<BudgetSpan> {
    let model = ready.board.chips.iter().find_map(|chip| match &chip.part {
        crate::board::Part::Wiznet(part) => Some(part.model),
        _ => None,
    });
    let model = model.unwrap_or(Model::W5500);
    let mut all = accesses::intervals(&seen.accesses, model, evidence.sck_hz.unwrap_or(0));
    let (asleep, poll_period) = sleeps::intervals(&seen.sleeps, &seen.accesses, &seen.stretches);
    evidence.poll_period_ps = poll_period.map(Picoseconds::ps);
    all.extend(asleep);
    all.extend(sleeps::console_waits(&seen.full_uart));
    all.extend(follower.intervals());
    all.extend(seen.asleep_on.iter().map(|&(start, end)| {
        let stage = Stage::new("sleep", "asleep");
        Interval { start, end, rank: Rank::AsleepOn, stage, bytes: 0 }
    }));
    let holds = held::holds(&passages.done, &seen.accesses);
    let mut all = held::relabel(all, &holds);
    evidence.held_period_ps = held::period(&held::waited(&holds, &all)).map(Picoseconds::ps);
    all.sort_by_key(|interval| interval.start);
    let longest = all.iter().map(|one| one.end - one.start).max().unwrap_or(Picoseconds::ZERO);
    let mut spans = Vec::new();
    for sample in chosen {
        let (from, to) = (sample.trigger, sample.done.unwrap_or(sample.trigger));
        let of_frames = held::relabel(frames::intervals(&passages.done, &seen.accesses, from, to), &holds);
        let first = all.partition_point(|interval| interval.start < from - longest);
        let last = all.partition_point(|interval| interval.start < to);
        let own: Vec<&Interval> =
            all[first..last].iter().filter(|one| one.end > from).chain(&of_frames).collect();
        spans.extend(sweep::spans(sample.index, from, to, &own));
        if spans.len() > MOST_SPANS {
            break;
        }
    }
    spans
}
