//! Figures behind the verdict of a bulk transfer, over the intervals that were traced.

use ethernet::{Speed, TcpLimits};
use serde::Serialize;
use sim::Cause;
use units::{PS_PER_S, Picoseconds};

use super::bulk::{Seen, on_the_cable};
use super::flow::Transfer;
use super::frames::Content;
use super::spans::{Span, common, merged, total};
use super::{Interval, Rank};

const BITS_PER_BYTE: f64 = 8.0;
/// Between two frames a cable rests for so many bits (IEEE 802.3, 4.4.2, interPacketGap).
const GAP_BITS: i64 = 96;

/// What was seen of a bulk transfer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BulkEvidence {
    /// Who sends the data: `board` or `pc`.
    pub sender: &'static str,
    /// Whose TCP the board has: that of its `chip`, or the `firmware`'s.
    pub stack: &'static str,
    /// What passed to the application, per second.
    pub payload_bits_per_second: f64,
    /// The longest segment's payload.
    pub segment_bytes: Option<u32>,
    /// The most that the receiver offered.
    pub window_bytes: Option<u32>,
    /// The most that was not acknowledged at a time.
    pub under_way_bytes: Option<u32>,
    /// From a segment to its acknowledgement at the sender, the mean of all bytes.
    pub round_trip_ps: Option<i64>,
    /// The share of the time in which what the sender sent next did not fit the window.
    pub window_full_share: Option<f64>,
    /// Segments that were sent again.
    pub repeated_segments: usize,
    /// What kept the PC's TCP from sending, where the PC sends.
    pub limits: Option<LimitShares>,
    /// The share of the time in which data is on the board's cable, gaps between frames included.
    pub cable_share: f64,
    /// The share of the time in which SPI moves something, without looks that saw nothing new.
    pub bus_share: Option<f64>,
    /// Bytes over SPI for each byte of payload, without those looks.
    pub bus_bytes_per_payload_byte: Option<f64>,
    /// The payload that SPI carries at most at its clock, with as many bytes for each.
    pub bus_ceiling_bits_per_second: Option<f64>,
}

/// Shares of the time in which the PC's TCP could not send, by what was in its way.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LimitShares {
    /// The window that the board offers.
    pub receive_window: f64,
    /// The PC's congestion window.
    pub congestion_window: f64,
    /// The PC's send buffer.
    pub send_buffer: f64,
    /// The PC's application had nothing to send.
    pub application: f64,
}

/// The account of each connection of the PC by its ports.
pub type LimitsByPorts = Vec<((u16, u16), TcpLimits)>;

/// What is known of a row's transfer beside what was [`Seen`].
pub struct Circumstances<'a> {
    /// The times of the traced intervals.
    pub windows: &'a [Span],
    /// The PC's accounts at the beginning and the end of each.
    pub limits: &'a [(LimitsByPorts, LimitsByPorts)],
    /// The clock of SPI, where the chip is on one.
    pub sck_hz: Option<u64>,
    /// The speed of the board's cable.
    pub cable: Speed,
    /// Whether the chip hands frames to a stack of the firmware's.
    pub takes_frames: bool,
}

/// The figures of a transfer.
pub fn evidence(seen: &Seen<'_>, known: &Circumstances<'_>) -> BulkEvidence {
    let windows = merged(known.windows.iter().copied());
    let time = total(&windows).ps().max(1) as f64;
    let share = |spans: Vec<Span>| total(&common(&merged(spans), &windows)).ps() as f64 / time;
    let of_data = |one: &&super::frames::Passage| one.from_board == seen.from_board && one.payload_bytes > 0;
    let data = || seen.passages.iter().filter(of_data);
    let in_time = |at: Picoseconds| is_within(&windows, at);
    let new = data().filter(|one| one.content == Content::Payload && in_time(on_the_cable(one).1));
    let payload_bytes = new.map(|one| one.payload_bytes).sum::<usize>() as f64;
    let gap = Picoseconds::new(GAP_BITS * PS_PER_S / known.cable.bits_per_second() as i64);
    let with_gap = |(start, end): Span| (start, end + gap);
    let bus = Bus::of(&seen.testimony.intervals, &windows);
    let transfer = seen.transfer;
    let under_way = transfer.into_iter().flat_map(|transfer| &transfer.under_way);
    let under_way = under_way.filter(|(at, _)| in_time(*at)).map(|(_, bytes)| *bytes);
    let each = (payload_bytes > 0.0 && bus.bytes > 0.0).then(|| bus.bytes / payload_bytes);
    BulkEvidence {
        sender: if seen.from_board { "board" } else { "pc" },
        stack: if known.takes_frames { "firmware" } else { "chip" },
        payload_bits_per_second: BITS_PER_BYTE * payload_bytes / time * PS_PER_S as f64,
        segment_bytes: transfer.map(|transfer| transfer.segment_bytes),
        window_bytes: transfer.and_then(|transfer| transfer.offers.iter().map(|(_, bytes)| *bytes).max()),
        under_way_bytes: under_way.max(),
        round_trip_ps: transfer.and_then(|transfer| round_trip(transfer, &windows)).map(Picoseconds::ps),
        window_full_share: transfer.map(|transfer| share(transfer.full.clone())),
        repeated_segments: transfer
            .map_or(0, |transfer| transfer.repeated.iter().filter(|at| in_time(**at)).count()),
        limits: transfer.filter(|_| !seen.from_board).map(|transfer| limits(transfer, known.limits, time)),
        cable_share: share(data().map(on_the_cable).map(with_gap).collect()),
        bus_share: (bus.bytes > 0.0).then(|| bus.time.ps() as f64 / time),
        bus_bytes_per_payload_byte: each,
        bus_ceiling_bits_per_second: each.zip(known.sck_hz).map(|(each, hz)| hz as f64 / each),
    }
}

fn is_within(windows: &[Span], at: Picoseconds) -> bool {
    let place = windows.partition_point(|(start, _)| *start <= at);
    place.checked_sub(1).is_some_and(|place| at <= windows[place].1)
}

/// The mean time of all bytes until they were acknowledged.
fn round_trip(transfer: &Transfer, windows: &[Span]) -> Option<Picoseconds> {
    let own = transfer.round_trips.iter().filter(|one| is_within(windows, one.at));
    let (bytes, weighted) = own.fold((0, 0), |(bytes, weighted), one| {
        (bytes + i128::from(one.bytes), weighted + i128::from(one.bytes) * i128::from(one.time.ps()))
    });
    (bytes > 0).then(|| Picoseconds::new((weighted / bytes) as i64))
}

fn limits(transfer: &Transfer, accounts: &[(LimitsByPorts, LimitsByPorts)], time: f64) -> LimitShares {
    let of_it = |account: &LimitsByPorts| {
        account
            .iter()
            .find(|(ports, _)| *ports == transfer.ports)
            .map(|(_, limits)| *limits)
            .unwrap_or_default()
    };
    let share = |of: fn(&TcpLimits) -> Picoseconds| {
        let grown =
            accounts.iter().map(|(before, after)| (of(&of_it(after)) - of(&of_it(before))).ps().max(0));
        grown.sum::<i64>() as f64 / time
    };
    LimitShares {
        receive_window: share(|limits| limits.receive_window),
        congestion_window: share(|limits| limits.congestion_window),
        send_buffer: share(|limits| limits.send_buffer),
        application: share(|limits| limits.application),
    }
}

/// What SPI moved.
struct Bus {
    bytes: f64,
    time: Picoseconds,
}

impl Bus {
    fn of(intervals: &[Interval], windows: &[Span]) -> Self {
        let moved = || intervals.iter().filter(|one| one.rank == Rank::Spi && one.stage.cause == Cause::Bus);
        let bytes = moved().filter(|one| is_within(windows, one.start)).map(|one| one.bytes).sum::<u64>();
        let time = total(&common(&merged(moved().map(|one| (one.start, one.end))), windows));
        Self { bytes: bytes as f64, time }
    }
}
