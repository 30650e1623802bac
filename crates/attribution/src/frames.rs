//! Frames as intervals: on the wire, the PC between them, the chip before them, and the silences that a timer of TCP ends.

use std::collections::{HashMap, VecDeque};

use sim::Cause;
use units::{PS_PER_MS, Picoseconds};
use wiznet::{Access, Command};

use super::{Interval, Rank, Site, Stage, Subject};
use lan::TracedFrame;
use lan::segment::{SYN_FIN_RST, is_of_a_program, payload_bytes, segment_of};

/// Silences shorter than this are nobody's timer: delayed acknowledgements begin at 40 ms (Linux, TCP_DELACK_MIN), lwIP's TCP
/// timers count in 250 ms (opt.h, TCP_TMR_INTERVAL).
const SHORTEST_SILENCE: Picoseconds = Picoseconds::new(10 * PS_PER_MS);

/// A frame on its way between chip and PC.
#[derive(Debug, Clone)]
pub struct Passage {
    pub(super) from_board: bool,
    pub(super) start: Picoseconds,
    /// The last bit at the other end; of a lost one, where it was last seen.
    pub(super) end: Picoseconds,
    /// From its last bit at its sender's end to its first one at the other.
    pub(super) between: (Picoseconds, Picoseconds),
    pub(super) bytes: usize,
    pub(super) payload_bytes: usize,
    pub(super) air: Option<AirWay>,
    pub(super) content: Content,
}

/// A frame's way through Wi-Fi.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct AirWay {
    /// When it left the Wi-Fi of one end for that of the other, where the PC is on Wi-Fi as well.
    passed_on: Option<Picoseconds>,
    /// From when to when an access point kept it for a station that dozed.
    kept: Option<(Picoseconds, Picoseconds)>,
}

impl AirWay {
    /// As a frame was seen where it arrived; nothing where there is no Wi-Fi.
    fn of(frame: &TracedFrame, arrived: Option<&TracedFrame>) -> Option<Self> {
        let passed_on = arrived.filter(|_| frame.pc_over_air).and_then(|seen| seen.at_last_air);
        frame.over_air.then_some(Self { passed_on, kept: arrived.and_then(|seen| seen.kept) })
    }
}

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Something for an application.
    Payload,
    /// Characters on a serial line.
    Characters,
    /// The same once more.
    Again,
    /// An acknowledgement alone.
    Acknowledgement,
    /// ARP, and what opens and closes connections.
    Other,
}

/// Joins what was seen of each frame at both ends of its way.
#[derive(Debug, Default)]
pub struct Passages {
    /// Frames that are under way, in each direction.
    open: [VecDeque<TracedFrame>; 2],
    /// Up to which sequence number each connection's sender has come.
    sent: HashMap<([u8; 4], bool), u32>,
    /// Those that have arrived.
    pub done: Vec<Passage>,
}

impl Passages {
    /// The next frame at either end, in the order of time.
    pub fn add(&mut self, frame: TracedFrame) {
        let open = &mut self.open[usize::from(frame.from_board)];
        if frame.at_board == frame.from_board {
            open.push_back(frame);
            return;
        }
        let Some(place) = open.iter().position(|begun| begun.bytes == frame.bytes) else { return };
        // What was sent before it and did not come is lost.
        let lost: Vec<TracedFrame> = open.drain(..place).collect();
        let begun = open.pop_front();
        for one in lost {
            self.pass(&one, None);
        }
        if let Some(begun) = begun {
            self.pass(&begun, Some(&frame));
        }
    }

    /// A character on a serial line. Those that follow each other without a pause as long as a character are one passage.
    pub fn add_character(&mut self, from_board: bool, (start, end): (Picoseconds, Picoseconds)) {
        let pause = end - start;
        let last = self.done.iter_mut().rev().find(|one| one.from_board == from_board);
        let last = last.filter(|one| one.content == Content::Characters && start < one.end + pause);
        if let Some(last) = last {
            (last.end, last.between) = (end, (end, end));
            (last.bytes, last.payload_bytes) = (last.bytes + 1, last.payload_bytes + 1);
            return;
        }
        let between = (end, end);
        let content = Content::Characters;
        let passage =
            Passage { from_board, start, end, between, bytes: 1, payload_bytes: 1, air: None, content };
        self.done.push(passage);
    }

    /// What is still under way ends where it was last seen.
    pub fn finish(&mut self) {
        for direction in 0..2 {
            for frame in std::mem::take(&mut self.open[direction]) {
                self.pass(&frame, None);
            }
        }
        self.done.sort_by_key(|passage| passage.start);
    }

    /// A frame passed, and arrived where it was seen there as well.
    fn pass(&mut self, frame: &TracedFrame, arrived: Option<&TracedFrame>) {
        let (came, end) = arrived.map_or((frame.end, frame.end), |arrived| (arrived.start, arrived.end));
        let passage = Passage {
            from_board: frame.from_board,
            start: frame.start,
            end,
            between: (frame.end.min(came), came),
            bytes: frame.bytes.len(),
            payload_bytes: payload_bytes(&frame.bytes),
            air: AirWay::of(frame, arrived),
            content: self.content(frame),
        };
        self.done.push(passage);
    }

    fn content(&mut self, frame: &TracedFrame) -> Content {
        let Some(segment) = segment_of(&frame.bytes) else {
            return if is_of_a_program(&frame.bytes) { Content::Payload } else { Content::Other };
        };
        if segment.flags & SYN_FIN_RST != 0 {
            return Content::Other;
        }
        if segment.payload.is_empty() {
            return Content::Acknowledgement;
        }
        let end = segment.sequence.wrapping_add(segment.payload.len() as u32);
        let known = self.sent.entry((segment.ports, frame.from_board)).or_insert(segment.sequence);
        // Sequence numbers wrap: what is ahead by less than half of them is new (RFC 9293, 3.4).
        if end.wrapping_sub(*known).cast_signed() > 0 {
            *known = end;
            Content::Payload
        } else {
            Content::Again
        }
    }
}

/// All that follows from the frames of a time, which begins with a message's start and ends with its end.
/// `has_delay` says whether the cable has a delay of its own.
pub(super) fn intervals(
    passages: &[Passage],
    accesses: &[Access],
    has_delay: bool,
    from: Picoseconds,
    to: Picoseconds,
) -> Vec<Interval> {
    let own: Vec<&Passage> = passages.iter().filter(|one| one.end > from && one.start < to).collect();
    let mut found: Vec<Interval> = own.iter().flat_map(|one| on_its_way(one, has_delay)).collect();
    found.extend(thinking(&own, from, to));
    found.extend(sending(passages, accesses, from, to));
    let silences = silences(&found, passages, from, to);
    found.extend(silences);
    found
}

/// A frame as intervals: on the wire at either end, and between them what the cable delays it by.
fn on_its_way(passage: &Passage, has_delay: bool) -> Vec<Interval> {
    let whole = on_the_wire(passage);
    if let Some(air) = passage.air {
        return through_wifi(passage, air, &whole);
    }
    if !has_delay {
        return vec![whole];
    }
    let (left, came) = passage.between;
    let delay = Interval {
        start: left,
        end: came,
        stage: Stage::new(Cause::Delay, Site::Wire, None),
        bytes: 0,
        ..whole
    };
    let before = Interval { end: left, ..on_the_wire(passage) };
    let behind = Interval { start: came, bytes: 0, ..on_the_wire(passage) };
    vec![before, delay, behind]
}

/// A frame on its way through Wi-Fi: that of the board, that of the PC where it has one, and in the midst of one of them the time
/// for which an access point keeps it until a beacon.
fn through_wifi(passage: &Passage, air: AirWay, whole: &Interval) -> Vec<Interval> {
    let within = |at: Picoseconds| at.clamp(passage.start, passage.end);
    let to_board = !passage.from_board;
    let passed_on = air.passed_on.map_or(if to_board { passage.start } else { passage.end }, within);
    let of_pc = Stage { site: Site::Pc, ..whole.stage.clone() };
    let (first, second) = match to_board {
        true => (of_pc, whole.stage.clone()),
        false => (whole.stage.clone(), of_pc),
    };
    let waits = Stage { cause: Cause::Gate, ..wire(passage.from_board) };
    let kept = air.kept.map(|(from, to)| (within(from), within(to)));
    let mut found = Vec::new();
    for (start, end, stage) in [(passage.start, passed_on, first), (passed_on, passage.end, second)] {
        let (from, to) = kept.map_or((end, end), |(from, to)| (from.clamp(start, end), to.clamp(start, end)));
        for (start, end, stage) in [(start, from, &stage), (from, to, &waits), (to, end, &stage)] {
            if end > start {
                let bytes = if found.is_empty() { whole.bytes } else { 0 };
                found.push(Interval { start, end, stage: stage.clone(), bytes, ..*whole });
            }
        }
    }
    found
}

impl Content {
    /// Whether it is something for an application.
    pub(super) fn is_payload(self) -> bool {
        matches!(self, Self::Payload | Self::Again | Self::Characters)
    }
}

/// Frames of the board's or to it, on the wire.
pub(super) fn wire(from_board: bool) -> Stage {
    let to = if from_board { Site::Pc } else { Site::Board };
    Stage::new(Cause::Wire, Site::Wire, Some(Subject::Frames(to)))
}

/// Frames of the board's or to it, through Wi-Fi: the channel, the air, beacons and the access point.
fn air(from_board: bool) -> Stage {
    Stage { cause: Cause::Air, ..wire(from_board) }
}

/// Characters of the board's or to it, on a serial line.
fn serial(from_board: bool) -> Stage {
    let to = if from_board { Site::Pc } else { Site::Board };
    Stage::new(Cause::Wire, Site::Wire, Some(Subject::Characters(to)))
}

/// A frame as an interval.
pub(super) fn on_the_wire(passage: &Passage) -> Interval {
    Interval {
        start: passage.start,
        end: passage.end,
        rank: Rank::Wire,
        stage: match passage.content {
            Content::Characters => serial(passage.from_board),
            _ if passage.air.is_some() => air(passage.from_board),
            _ => wire(passage.from_board),
        },
        bytes: passage.bytes as u64,
    }
}

/// The PC thinks from the arrival of a payload to its own next one, or where it sends none in this message to its next frame;
/// after the last one of the board; and before its first payload, from the last frame of the board that opens the connection.
fn thinking(own: &[&Passage], from: Picoseconds, to: Picoseconds) -> Vec<Interval> {
    let stage = || Stage::new(Cause::Pc, Site::Pc, None);
    let interval = |start, end| Interval { start, end, rank: Rank::Pc, stage: stage(), bytes: 0 };
    let carries = |one: &&&Passage| one.content.is_payload();
    let answers = own.iter().filter(|one| !one.from_board && one.start >= from).any(|one| carries(&one));
    let mut found = Vec::new();
    let first = own.iter().filter(carries).min_by_key(|one| one.start);
    if let Some(first) = first.filter(|first| !first.from_board && first.start > from) {
        let opened =
            own.iter().filter(|one| one.from_board && one.end <= first.start).map(|one| one.end).max();
        found.push(interval(opened.unwrap_or(from).max(from), first.start));
        let opening = own.iter().filter(|one| one.start >= from).min_by_key(|one| one.start);
        found.extend(opening.filter(|one| !one.from_board).map(|opening| interval(from, opening.start)));
    }
    for arrived in own.iter().filter(|one| one.from_board && one.end <= to).filter(carries) {
        let next = own.iter().filter(|one| !one.from_board && one.start >= arrived.end);
        let next = next.filter(|one| !answers || carries(one)).map(|one| one.start).min();
        let again = own.iter().filter(|one| one.from_board && one.start > arrived.start).filter(carries);
        let last = again.map(|one| one.start).min().is_none();
        match next {
            Some(next) if next - arrived.end < SHORTEST_SILENCE => found.push(interval(arrived.end, next)),
            None if last => found.push(interval(arrived.end, to)),
            _ => {}
        }
    }
    found
}

/// The chip, from the end of a command to send to the frame that it sends.
pub(super) fn sending(
    passages: &[Passage],
    accesses: &[Access],
    from: Picoseconds,
    to: Picoseconds,
) -> Vec<Interval> {
    let commands = accesses.iter().filter(|access| access.end >= from && access.end < to);
    let sends = commands.filter(|access| access.command.is_some_and(Command::sends));
    let later = |at| &passages[passages.partition_point(|one| one.start < at)..];
    let first_after = |at| later(at).iter().find(|one| one.from_board).map(|one| one.start);
    let stage = || Stage::of_board(Cause::Chip, Some(Subject::Sending));
    sends
        .filter_map(|access| {
            let end = first_after(access.end)?.min(to);
            let short = end - access.end < SHORTEST_SILENCE;
            short.then(|| Interval { start: access.end, end, rank: Rank::Chip, stage: stage(), bytes: 0 })
        })
        .collect()
}

/// The chip, from a frame's last bit until the frame stands in its memory.
pub fn taking_in(passages: &[Passage], receive_time: Picoseconds) -> impl Iterator<Item = Interval> {
    let of_network = passages.iter().filter(|one| one.content != Content::Characters);
    of_network.filter(|one| !one.from_board).map(move |one| {
        let stage = Stage::of_board(Cause::Chip, Some(Subject::Receiving));
        Interval { start: one.end, end: one.end + receive_time, rank: Rank::Chip, stage, bytes: 0 }
    })
}

/// Times in which nothing is under way and nobody is at work, and which a delayed acknowledgement or a retransmission ends.
pub(super) fn silences(
    busy: &[Interval],
    passages: &[Passage],
    from: Picoseconds,
    to: Picoseconds,
) -> Vec<Interval> {
    let mut taken: Vec<(Picoseconds, Picoseconds)> = busy.iter().map(|one| (one.start, one.end)).collect();
    taken.sort_unstable();
    let mut quiet_since = from;
    let mut found = Vec::new();
    for (start, end) in taken.into_iter().chain([(to, to)]) {
        if start - quiet_since >= SHORTEST_SILENCE
            && let Some(place) = passages.iter().position(|one| one.start == start)
            && let Some(subject) = ended_by(&passages[place], &passages[place + 1..])
        {
            let stage = Stage::of_board(Cause::Protocol, Some(subject));
            found.push(Interval { start: quiet_since, end: start, rank: Rank::Protocol, stage, bytes: 0 });
        }
        quiet_since = quiet_since.max(end);
    }
    found
}

/// What a silence was that a frame ends. An acknowledgement was waited for only if the other side goes on after it.
fn ended_by(frame: &Passage, later: &[Passage]) -> Option<Subject> {
    let next = later.iter().find(|one| matches!(one.content, Content::Payload | Content::Again));
    let was_awaited = next.is_some_and(|next| next.from_board != frame.from_board);
    let sender = if frame.from_board { Site::Board } else { Site::Pc };
    match frame.content {
        Content::Acknowledgement if was_awaited => Some(Subject::DelayedAcknowledgement(sender)),
        Content::Again => Some(Subject::Retransmission(sender)),
        _ => None,
    }
}

/// A short frame for tests.
#[cfg(test)]
pub(super) fn passage_of(
    from_board: bool,
    start: Picoseconds,
    end: Picoseconds,
    content: Content,
) -> Passage {
    Passage { from_board, start, end, between: (end, end), bytes: 60, payload_bytes: 6, air: None, content }
}

#[cfg(test)]
mod tests;
