//! What a board waits for in a bulk transfer. Something is under way all the time, so that neither a frame on the wire nor a
//! sender that has stopped bounds the rate by itself: a processor at its limit fills the sender's window too. What the board
//! does takes the time; while it waits, these do, in this order:
//!
//! - a silence that a timer of TCP ends,
//! - data on the board's cable, and the chip between SEND and the wire: each byte needs that time whatever the windows are,
//! - the window, while what the sender sends next does not fit it; by what is under way then,
//! - of a board that sends: the acknowledgement that ends its wait, which its own buffer needs,
//! - of a PC that sends: the PC, which has room and does not use it.

use sim::Cause;
use units::Picoseconds;

use super::Testimony;
use super::accesses::last_look;
use super::flow::Transfer;
use super::frames::{self, Content, Passage};
use super::spans::{Span, common, merged};
use super::{Interval, Rank, Site, Stage, Subject, UnderWay};
use lan::NetworkSetup;

/// What lies between a frame's last bit at one end and its first one at the other.
pub fn between(network: &NetworkSetup, passages: &[Passage]) -> UnderWay {
    match passages.iter().any(|one| one.air.is_some()) {
        true => UnderWay::Wifi,
        false if has_delay(network) => UnderWay::Delay,
        false => UnderWay::Switch,
    }
}

/// Whether the cable has a delay of its own.
pub fn has_delay(network: &NetworkSetup) -> bool {
    let delays = |one: &ethernet::Impairments| one.delay > Picoseconds::ZERO || one.rate.is_some();
    network.wifi.is_none() && network.impairments.iter().any(delays)
}

/// Whether the board sends the most of what passed.
pub fn is_from_board(passages: &[Passage]) -> bool {
    let bytes = |from_board: bool| -> usize {
        passages.iter().filter(|one| one.from_board == from_board).map(|one| one.payload_bytes).sum()
    };
    bytes(true) > bytes(false)
}

/// A frame's time on the board's cable.
pub(super) fn on_the_cable(passage: &Passage) -> Span {
    let (left, came) = passage.between;
    if passage.from_board { (passage.start, left) } else { (came, passage.end) }
}

/// What was seen of a transfer.
pub struct Seen<'a> {
    /// Its frames.
    pub passages: &'a [Passage],
    /// What the board did.
    pub testimony: &'a Testimony,
    /// Of TCP.
    pub transfer: Option<&'a Transfer>,
    /// Whether the board sends.
    pub from_board: bool,
    /// What [`between`] gives.
    pub between: UnderWay,
}

/// What the board waits for, the first of several first.
pub fn waits(seen: &Seen<'_>) -> Vec<Interval> {
    let idle = idle(seen);
    let mut found = Vec::new();
    for (stage, spans) in seen.reasons(&idle) {
        let interval =
            |(start, end)| Interval { start, end, rank: Rank::Waiting, stage: stage.clone(), bytes: 0 };
        found.extend(common(&spans, &idle).into_iter().map(interval));
    }
    found
}

impl Seen<'_> {
    /// Every reason to wait, with when there is one.
    fn reasons(&self, idle: &[Span]) -> Vec<(Stage, Vec<Span>)> {
        let carries = |one: &&Passage| matches!(one.content, Content::Payload | Content::Again);
        let data = || self.passages.iter().filter(|one| one.from_board == self.from_board).filter(carries);
        let mut found = self.silences();
        found.push((frames::wire(self.from_board), merged(data().map(on_the_cable))));
        if self.from_board {
            found.extend(self.sending());
        }
        if let Some(transfer) = self.transfer {
            found.extend(self.by_way(Subject::Window, &merged(transfer.full.iter().copied())));
            if self.from_board {
                let awaited =
                    common(&self.ended_by_arrivals(idle), &merged(transfer.outstanding.iter().copied()));
                found.extend(self.by_way(Subject::Acknowledgement, &awaited));
            }
        }
        if !self.from_board {
            let whole = data().map(|one| one.start).min().zip(data().map(|one| one.start).max());
            found.push((Stage::new(Cause::Pc, Site::Pc, None), merged(whole)));
        }
        found
    }

    fn silences(&self) -> Vec<(Stage, Vec<Span>)> {
        let Some((from, to)) = self.whole() else { return Vec::new() };
        let busy: Vec<Interval> = self.passages.iter().map(frames::on_the_wire).collect();
        let found = frames::silences(&busy, self.passages, from, to);
        found.into_iter().map(|one| (one.stage, vec![(one.start, one.end)])).collect()
    }

    fn sending(&self) -> Option<(Stage, Vec<Span>)> {
        let (from, to) = self.whole()?;
        let found = frames::sending(self.passages, &self.testimony.accesses, from, to);
        let stage = found.first()?.stage.clone();
        Some((stage, merged(found.iter().map(|one| (one.start, one.end)))))
    }

    fn whole(&self) -> Option<Span> {
        Some((self.passages.first()?.start, self.passages.iter().map(|one| one.end).max()?))
    }

    /// A wait by what is under way meanwhile.
    fn by_way(&self, wait: fn(UnderWay) -> Subject, spans: &[Span]) -> Vec<(Stage, Vec<Span>)> {
        let delayed = merged(self.passages.iter().map(|one| one.between));
        let moving = merged(
            self.passages.iter().flat_map(|one| [(one.start, one.between.0), (one.between.1, one.end)]),
        );
        let stage = |under_way| Stage::of_board(Cause::Window, Some(wait(under_way)));
        vec![
            (stage(UnderWay::Frames), common(&moving, spans)),
            (stage(self.between), common(&delayed, spans)),
            (stage(UnderWay::Nothing), spans.to_vec()),
        ]
    }

    /// The waits that a frame to the board ends, up to that frame. Others end because the board's own frame is out.
    fn ended_by_arrivals(&self, idle: &[Span]) -> Vec<Span> {
        let arrivals = arrivals(self.passages);
        let mut own: Vec<Picoseconds> =
            self.passages.iter().filter(|one| one.from_board).map(|one| one.between.0).collect();
        own.sort_unstable();
        let last = |times: &[Picoseconds], (start, end): Span| {
            let place = times.partition_point(|at| *at <= end).checked_sub(1)?;
            Some(times[place]).filter(|at| *at > start)
        };
        let ended = |&span: &Span| {
            let arrival = last(&arrivals, span)?;
            last(&own, span).is_none_or(|own| own <= arrival).then_some((span.0, arrival))
        };
        idle.iter().filter_map(ended).collect()
    }
}

/// When frames arrived at the board, in order.
fn arrivals(passages: &[Passage]) -> Vec<Picoseconds> {
    let mut found: Vec<Picoseconds> =
        passages.iter().filter(|one| !one.from_board).map(|one| one.end).collect();
    found.sort_unstable();
    found
}

/// When the board waits: it sleeps, or looks at a register that says the same. Where a timer ends its sleep it waits for
/// others only until something arrives: from then on it sleeps beside it.
fn idle(seen: &Seen<'_>) -> Vec<Span> {
    let arrivals = arrivals(seen.passages);
    let spans = seen.testimony.intervals.iter().filter_map(|one| match one.rank {
        Rank::Asleep if one.stage.cause == Cause::Gate => {
            let arrival = arrivals.get(arrivals.partition_point(|at| *at <= one.start));
            Some((one.start, arrival.map_or(one.end, |at| one.end.min(*at))))
        }
        Rank::Asleep => Some((one.start, one.end)),
        Rank::Polling => Some((one.start, last_look(&seen.testimony.accesses, one.end))),
        _ => None,
    });
    merged(spans)
}
