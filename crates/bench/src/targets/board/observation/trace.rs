//! The second run of a row: the same once more, and around some of its messages everything is looked at. The first run says
//! which those are; that nobody looked is what keeps it fast, and that both give the same samples shows that looking
//! changes nothing.

use attribution::flow::{self, Seen};
use attribution::frames::{Passage, Passages};
use attribution::shares::{self, Shares, Waits, Way};
use attribution::spans::Span;
use attribution::transfers::{self, BulkEvidence, Circumstances, LimitsByPorts};
use attribution::{BudgetSpan, Evidence, Interval, Testimony, bulk};
use board::{Board, BoardError, Side};
use lan::TracedFrame;
use record::{Control, Sample, Samples};
use units::{PS_PER_S, Picoseconds};

use super::super::prepare::ReadyBoards;
use super::super::rig::Rig;
use super::energy::{Meter, Metered};
use super::wire;
use super::witness::Witness;
use crate::suite::Quantity;

/// Among so many first messages those near the median and near the 95th percentile are traced.
const CHOSEN_AMONG: usize = 400;
const NEAR_MEDIAN: usize = 40;
const NEAR_P95: usize = 10;
/// Where the mean is so many times the median, some of the slowest are traced as well.
pub const HEAVY_TAIL: f64 = 1.2;
const SLOWEST: usize = 5;
/// Every instruction of the traced messages is looked at: at most for so long while the processor works.
const MOST_WORK: f64 = 0.5 * PS_PER_S as f64;
const FEWEST_MESSAGES: usize = 3;
/// Fewer intervals say little of a bulk transfer.
const FEWEST_TYPICAL: usize = 5;
/// Spans that are kept of a row.
const MOST_SPANS: usize = 200_000;
/// Frames that are kept of a row.
const MOST_FRAMES: usize = 20_000;
/// Between traced messages that lie no farther apart the board's waits and looks at its chip are kept as well: polls are as
/// far apart there as everywhere.
const LONGEST_GAP: Picoseconds = Picoseconds::new(PS_PER_S);
/// Frames wait at the taps for so long at most.
const PIECE: Picoseconds = Picoseconds::new(PS_PER_S / 20);

/// Where the time of a row's messages goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowBudget {
    /// The spans of the traced messages, without gaps.
    pub(crate) spans: Vec<BudgetSpan>,
    /// The frames of the traced messages, as the bytes of a pcapng file.
    pub(crate) pcapng: Vec<u8>,
    /// What else was seen.
    pub(crate) evidence: Evidence,
    /// The same of the peer.
    pub(crate) peer_evidence: Option<Evidence>,
    /// What was seen of a bulk transfer.
    pub(crate) bulk: Option<BulkEvidence>,
    /// What the messages took of the board's supply.
    pub(crate) energy: Option<Metered>,
}

/// The second run.
struct Trace<'a> {
    ready: &'a ReadyBoards,
    rig: Rig,
    /// Of each board.
    witnesses: Vec<Witness>,
    passages: Passages,
    /// Frames of the traced messages, at the board's end of the wire.
    frames: Vec<TracedFrame>,
    keeps_frames: bool,
    /// From when to when nothing was missed of what the witnesses record.
    stretches: Vec<Span>,
    /// Of a bulk transfer.
    bulk: Option<BulkTrace>,
    meter: Meter,
    control: &'a Control,
}

/// Runs a row once more and takes some of its messages apart; nothing where it has none, or is stopped.
///
/// # Errors
/// When the board cannot be made like that.
pub(crate) fn budget_of(
    ready: &ReadyBoards,
    samples: &Samples,
    busy_share: Option<f64>,
    seed: u64,
    control: &Control,
) -> Result<Option<RowBudget>, BoardError> {
    let chosen = chosen(samples, busy_share);
    if chosen.is_empty() {
        return Ok(None);
    }
    let is_bulk = ready.measurement.quantity == Quantity::Bulk;
    let mut rig = Rig::of(ready, seed)?;
    rig.trace_frames();
    let witnesses = std::iter::once(&ready.dut).chain(&ready.peer).map(Witness::of).collect();
    let mut trace = Trace {
        ready,
        rig,
        witnesses,
        passages: Passages::default(),
        frames: Vec::new(),
        keeps_frames: false,
        stretches: Vec::new(),
        bulk: is_bulk.then(|| BulkTrace::of(&chosen)),
        meter: Meter::default(),
        control,
    };
    if let Some(first) = samples.answered().next() {
        trace.run_to(first.trigger, false)?;
        trace.read_meter();
    }
    for window in windows(&chosen, is_bulk) {
        if !trace.look_at(window)? {
            return Ok(None);
        }
    }
    trace.read_meter();
    if !is_the_same(&mut trace.rig, &chosen, ready) {
        return Ok(None);
    }
    let energy = std::mem::take(&mut trace.meter).told(samples, ready.measurement.quantity);
    Ok(Some(RowBudget { energy, ..trace.budget(&chosen) }))
}

impl Trace<'_> {
    /// Runs to a time of traced messages and through it; false where somebody stopped it.
    fn look_at(&mut self, (from, to): (Picoseconds, Picoseconds)) -> Result<bool, BoardError> {
        if !self.run_gap(from)? {
            return Ok(false);
        }
        self.read_meter();
        self.each(Witness::follow);
        let before = pc_limits(&mut self.rig);
        self.keeps_frames = true;
        let runs = self.run_to(to, true)?;
        if let Some(bulk) = self.bulk.as_mut().filter(|bulk| bulk.is_typical((from, to))) {
            bulk.windows.push((from, to));
            bulk.limits.push((before, pc_limits(&mut self.rig)));
        }
        self.keeps_frames = false;
        self.stretches.last_mut().expect("the gap began one").1 = to;
        self.each(|witness, board| witness.leave(board, (from, to)));
        Ok(runs)
    }

    fn read_meter(&mut self) {
        let now = self.rig.now();
        self.meter.read(now, &mut self.rig.boards()[0]);
    }

    fn each(&mut self, act: impl Fn(&mut Witness, &mut Board)) {
        for (witness, board) in self.witnesses.iter_mut().zip(self.rig.boards()) {
            act(witness, board);
        }
    }

    /// Runs to the next traced message. What the boards wait for is seen on the way there where that is short.
    fn run_gap(&mut self, to: Picoseconds) -> Result<bool, BoardError> {
        if self.stretches.last().is_some_and(|last| to - last.1 <= LONGEST_GAP) {
            return self.run_to(to, true);
        }
        self.each(|_, board| Witness::record(board, false));
        let runs = self.run_to(to, false)?;
        self.each(|_, board| Witness::record(board, true));
        self.stretches.push((to, to));
        Ok(runs)
    }

    /// Runs to a time, and takes what was seen on the way; false where somebody stopped it.
    fn run_to(&mut self, to: Picoseconds, looks: bool) -> Result<bool, BoardError> {
        while self.rig.now() < to {
            let before = self.rig.now();
            self.rig.run(to.min(before + PIECE), self.control)?;
            let passed = self.rig.take_passed();
            if looks {
                let room = if self.keeps_frames { MOST_FRAMES.saturating_sub(self.frames.len()) } else { 0 };
                self.frames.extend(passed.frames.iter().filter(|frame| frame.at_board).take(room).cloned());
                let seen = passed.accesses.into_iter().zip(passed.deeds);
                let boards = self.rig.boards().iter_mut().zip(seen);
                for (witness, (board, (accesses, deeds))) in self.witnesses.iter_mut().zip(boards) {
                    witness.take(board, accesses, deeds);
                }
            }
            if let Some(bulk) = &mut self.bulk {
                bulk.segments.extend(passed.frames.iter().filter_map(Seen::of));
            }
            passed.frames.into_iter().for_each(|frame| self.passages.add(frame));
            for one in passed.characters {
                self.passages.add_character(one.from == Side::First, (one.frame.start, one.frame.end));
            }
            if self.control.is_stopped() || self.rig.now() <= before {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn budget(mut self, chosen: &[Sample<'_>]) -> RowBudget {
        self.passages.finish();
        let cable_bits_per_second = self.ready.network.speed.bits_per_second();
        let messages = chosen.len();
        let is_bulk = self.bulk.is_some();
        let passages = self.passages.done;
        let seen_by_peer = shares::mirrored(&passages);
        let views = [&passages, &seen_by_peer];
        let witnesses = self.witnesses.into_iter().zip(self.rig.boards()).zip(views);
        let mut testimonies = witnesses.map(|((witness, board), passages)| {
            let mut evidence = Evidence { messages, cable_bits_per_second, ..Evidence::default() };
            let testimony = witness.testify(board, passages, &self.stretches, is_bulk, &mut evidence);
            (testimony, evidence)
        });
        let (board, evidence) = testimonies.next().expect("a row has a board");
        let (peer, peer_evidence) = testimonies.next().unzip();
        drop(testimonies);
        // Writing into memory fails only for times before 1970.
        self.frames.sort_by_key(|frame| frame.start);
        let pcapng = wire::pcapng(&self.frames, chosen, cable_bits_per_second).unwrap_or_default();
        let takes_frames = takes_frames(&mut self.rig);
        let told =
            self.bulk.map(|bulk| bulk.told(self.ready, &passages, &board, evidence.sck_hz, takes_frames));
        let (bulk, waits) = told.unzip();
        let waits = waits.map(Waits::OfBulk);
        let has_delay = bulk::has_delay(&self.ready.network);
        let shares = match peer {
            Some(peer) => {
                let way = if self.ready.trigger.is_some() { Way::There } else { Way::ThereAndBack };
                Shares::with_peer(passages, board, peer, way)
            }
            None => Shares::with_pc(passages, board, waits.unwrap_or(Waits::OfMessages { has_delay })),
        };
        let mut spans = Vec::new();
        for sample in chosen {
            spans.extend(shares.spans(sample));
            if spans.len() > MOST_SPANS {
                break;
            }
        }
        RowBudget { spans, pcapng, evidence, peer_evidence, bulk, energy: None }
    }
}

/// What is kept of a bulk transfer beside frames and accesses.
struct BulkTrace {
    segments: Vec<Seen>,
    /// The times of the intervals near the median: its stages are theirs.
    typical: Vec<Span>,
    /// Those of them that were traced.
    windows: Vec<Span>,
    /// What had kept the PC from sending before and after each of them.
    limits: Vec<(LimitsByPorts, LimitsByPorts)>,
}

impl BulkTrace {
    fn of(chosen: &[Sample<'_>]) -> Self {
        let typical = windows(&typical(chosen), false);
        Self { segments: Vec::new(), typical, windows: Vec::new(), limits: Vec::new() }
    }

    fn is_typical(&self, (from, to): Span) -> bool {
        self.typical.iter().any(|one| one.0 <= from && to <= one.1)
    }

    /// The figures of the transfer, and what the board waited for.
    fn told(
        self,
        ready: &ReadyBoards,
        passages: &[Passage],
        testimony: &Testimony,
        sck_hz: Option<u64>,
        takes_frames: bool,
    ) -> (BulkEvidence, Vec<Interval>) {
        let from_board = bulk::is_from_board(passages);
        let transfer = flow::transfer(&self.segments, from_board);
        let between = bulk::between(&ready.network, passages);
        let seen = bulk::Seen { passages, testimony, transfer: transfer.as_ref(), from_board, between };
        let (windows, limits) = (&self.windows, &self.limits);
        let cable = ready.network.speed;
        let known = Circumstances { windows, limits, sck_hz, cable, takes_frames };
        (transfers::evidence(&seen, &known), bulk::waits(&seen))
    }
}

/// What has kept the PC's connections from sending so far; nothing where there is no PC.
fn pc_limits(rig: &mut Rig) -> LimitsByPorts {
    let now = rig.now();
    let lan = rig.boards()[0].parts().lan();
    lan.map(|lan| lan.pc_limits(now)).unwrap_or_default()
}

/// Whether the board's chip hands frames to a stack of the firmware's.
fn takes_frames(rig: &mut Rig) -> bool {
    rig.boards()[0].parts().lan().is_some_and(|lan| lan.takes_frames())
}

/// The messages that are traced, in the order of time.
fn chosen(samples: &Samples, busy_share: Option<f64>) -> Vec<Sample<'_>> {
    let answered = samples.answered();
    let time = |sample: &Sample<'_>| sample.latency().map_or(0, Picoseconds::ps);
    let mut times: Vec<i64> = answered.clone().map(|sample| time(&sample)).collect();
    times.sort_unstable();
    let first: Vec<Sample<'_>> = answered.take(CHOSEN_AMONG).collect();
    if times.is_empty() {
        return Vec::new();
    }
    let work = busy_share.unwrap_or(1.0).max(0.01);
    let affordable = MOST_WORK / (work * times[times.len() / 2].max(1) as f64);
    let most = (affordable as usize).clamp(FEWEST_MESSAGES, NEAR_MEDIAN + NEAR_P95);
    let near = |p: f64, count: usize| {
        let wanted = stats::quantile(&times, p) as i64;
        let mut nearest = first.clone();
        nearest.sort_by_key(|sample| ((time(sample) - wanted).abs(), sample.index));
        nearest.into_iter().take(count).collect::<Vec<Sample<'_>>>()
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

/// Whether the messages were those of the first run. Intervals of a transfer are told of with the first byte after them, so
/// that the last ones may not be known yet.
fn is_the_same(rig: &mut Rig, chosen: &[Sample<'_>], ready: &ReadyBoards) -> bool {
    let all = rig.samples(ready);
    let skipped = ready.measurement.skipped_of(all.len());
    let again = all.counting(skipped, ready.measurement.samples);
    let last = again.iter().last().map(|sample| sample.index);
    chosen.iter().all(|sample| match again.by_index(sample.index) {
        Some(one) => (one.trigger, one.done) == (sample.trigger, sample.done),
        None => Some(sample.index) > last,
    })
}

/// The half of the messages that is nearest to their median, as the stages of a median are shown.
fn typical<'a>(chosen: &[Sample<'a>]) -> Vec<Sample<'a>> {
    let time = |one: &Sample<'_>| one.latency().map_or(0, Picoseconds::ps);
    let mut times: Vec<i64> = chosen.iter().map(time).collect();
    times.sort_unstable();
    let median = stats::quantile(&times, 0.5) as i64;
    let mut nearest = chosen.to_vec();
    nearest.sort_by_key(|one| ((time(one) - median).abs(), one.index));
    nearest.truncate(chosen.len().div_ceil(2).max(FEWEST_TYPICAL));
    nearest.sort_by_key(|one| one.index);
    nearest
}

/// The times of messages; those that overlap are one, and those that touch unless they are to stay apart.
fn windows(chosen: &[Sample<'_>], apart: bool) -> Vec<Span> {
    let mut windows: Vec<Span> = Vec::new();
    for sample in chosen {
        let (from, to) = (sample.trigger, sample.done.unwrap_or(sample.trigger));
        match windows.last_mut().filter(|last| from < last.1 || from == last.1 && !apart) {
            Some(last) => last.1 = last.1.max(to),
            None => windows.push((from, to)),
        }
    }
    windows
}
