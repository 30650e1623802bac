//! The spans of a message from what was seen of the board, or of both boards. While a message is at the peer, from the arrival
//! of the board's data to the peer's own, the time is the peer's: what the board does besides is not what the message waits
//! for. While its frame is on the wire the time is the wire's; acknowledgements that are there besides take none.

use record::Sample;
use units::Picoseconds;

use super::Testimony;
use super::frames::{self, Passage};
use super::{BudgetSpan, Interval, Rank, Stage, held, sweep};

/// What was seen of a row.
pub struct Shares {
    board: Share,
    peer: Option<(Share, Way)>,
}

/// How far a message to a peer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It ends at the peer.
    There,
    /// The peer answers.
    ThereAndBack,
}

/// What does not follow from what the board did.
pub enum Waits {
    /// What follows from the frames of a message; with a delay of the cable as a stage of its own, where that has one.
    OfMessages {
        /// Whether the cable has a delay.
        has_delay: bool,
    },
    /// Those of a bulk transfer, whatever the message.
    OfBulk(Vec<Interval>),
}

/// A board with the frames as it sees them: `from_board` are its own.
struct Share {
    passages: Vec<Passage>,
    testimony: Testimony,
    waits: Waits,
    longest: Picoseconds,
}

impl Share {
    fn new(passages: Vec<Passage>, testimony: Testimony, waits: Waits) -> Self {
        let lengths = testimony.intervals.iter().map(|one| one.end - one.start);
        let longest = lengths.max().unwrap_or(Picoseconds::ZERO);
        Self { passages, testimony, waits, longest }
    }

    /// All that follows from the frames of a time.
    fn of_frames(&self, from: Picoseconds, to: Picoseconds) -> Vec<Interval> {
        match &self.waits {
            Waits::OfBulk(waits) => {
                waits.iter().filter(|one| one.end > from && one.start < to).cloned().collect()
            }
            Waits::OfMessages { has_delay } => {
                let accesses = &self.testimony.accesses;
                let found = frames::intervals(&self.passages, accesses, *has_delay, from, to);
                held::relabel(found, &self.testimony.holds)
            }
        }
    }

    fn spans(
        &self,
        message: u64,
        from: Picoseconds,
        to: Picoseconds,
        of_frames: &[Interval],
    ) -> Vec<BudgetSpan> {
        let all = &self.testimony.intervals;
        let first = all.partition_point(|interval| interval.start < from - self.longest);
        let last = all.partition_point(|interval| interval.start < to);
        let own: Vec<&Interval> =
            all[first..last].iter().filter(|one| one.end > from).chain(of_frames).collect();
        sweep::spans(message, from, to, &own)
    }
}

impl Shares {
    /// Of a board with a PC.
    pub fn with_pc(passages: Vec<Passage>, board: Testimony, waits: Waits) -> Self {
        Self { board: Share::new(passages, board, waits), peer: None }
    }

    /// Of two boards on a plain wire.
    pub fn with_peer(passages: Vec<Passage>, board: Testimony, peer: Testimony, way: Way) -> Self {
        let waits = || Waits::OfMessages { has_delay: false };
        let peer = Share::new(mirrored(&passages), peer, waits());
        Self { board: Share::new(passages, board, waits()), peer: Some((peer, way)) }
    }

    /// The spans of a message, without gaps.
    pub fn spans(&self, sample: &Sample<'_>) -> Vec<BudgetSpan> {
        let (from, to) = (sample.trigger, sample.done.unwrap_or(sample.trigger));
        let of_frames = self.board.of_frames(from, to);
        match &self.peer {
            None => self.board.spans(sample.index, from, to, &of_frames),
            Some((peer, way)) => {
                let windows = match way {
                    Way::There => windows_there(&self.board.passages, from, to),
                    Way::ThereAndBack => windows(&of_frames, &self.board.passages, from, to),
                };
                self.spans_of_both(peer, sample.index, (from, to), (&of_frames, windows))
            }
        }
    }

    fn spans_of_both(
        &self,
        peer: &Share,
        message: u64,
        (from, to): (Picoseconds, Picoseconds),
        (of_frames, windows): (&[Interval], Vec<Window>),
    ) -> Vec<BudgetSpan> {
        let own = without_frames(of_frames);
        let at_the_board =
            |start, end| self.board.spans(message, start, end, &own).into_iter().map(of_the_board);
        let mut spans = Vec::new();
        let mut at = from;
        for Window { start, end, wire } in windows {
            let start = start.max(at);
            if start >= end {
                continue;
            }
            spans.extend(at_the_board(at, start));
            if let Some((stage, bytes)) = wire {
                spans.push(of_the_board(BudgetSpan { message, stage, start, end, bytes }));
            } else {
                let theirs = without_frames(&peer.of_frames(start, end));
                spans.extend(peer.spans(message, start, end, &theirs).into_iter().map(of_the_peer));
            }
            at = end;
        }
        spans.extend(at_the_board(at, to));
        spans
    }
}

/// A time in which a message is not at the board.
struct Window {
    start: Picoseconds,
    end: Picoseconds,
    /// The stage and the bytes of a frame, where it is on the wire; else it is at the peer.
    wire: Option<(Stage, u64)>,
}

/// When the message is on the wire, and when at the peer, where the PC would otherwise have it.
fn windows(of_frames: &[Interval], passages: &[Passage], from: Picoseconds, to: Picoseconds) -> Vec<Window> {
    let at_peer = of_frames.iter().filter(|one| one.rank == Rank::Pc);
    let at_peer = at_peer.map(|one| Window { start: one.start, end: one.end.min(to), wire: None });
    let mut found: Vec<Window> = at_peer.chain(on_wire(passages.iter(), from, to)).collect();
    found.sort_by_key(|window| (window.start, window.end));
    found
}

/// The same of a message that ends at the peer: it is there from the arrival of its last frame on.
fn windows_there(passages: &[Passage], from: Picoseconds, to: Picoseconds) -> Vec<Window> {
    let own = passages.iter().filter(|one| one.from_board);
    let mut found: Vec<Window> = on_wire(own, from, to).collect();
    found.sort_by_key(|window| (window.start, window.end));
    let arrived = found.last().map(|last| Window { start: last.end, end: to, wire: None });
    found.extend(arrived);
    found
}

/// Frames with something for an application.
fn on_wire<'a>(
    passages: impl Iterator<Item = &'a Passage>,
    from: Picoseconds,
    to: Picoseconds,
) -> impl Iterator<Item = Window> {
    let carries = |one: &&Passage| one.content.is_payload();
    let under_way = passages.filter(move |one| one.end > from && one.start < to);
    under_way.filter(carries).map(move |one| {
        let Interval { start, end, stage, bytes, .. } = frames::on_the_wire(one);
        Window { start, end: end.min(to), wire: Some((stage, bytes)) }
    })
}

/// What follows from frames but that they are on the wire.
fn without_frames(of_frames: &[Interval]) -> Vec<Interval> {
    of_frames.iter().filter(|one| one.rank != Rank::Wire).cloned().collect()
}

/// The frames as the other board sees them.
pub fn mirrored(passages: &[Passage]) -> Vec<Passage> {
    passages.iter().map(|one| Passage { from_board: !one.from_board, ..one.clone() }).collect()
}

fn of_the_board(mut span: BudgetSpan) -> BudgetSpan {
    span.stage = span.stage.with_peer();
    span
}

fn of_the_peer(mut span: BudgetSpan) -> BudgetSpan {
    span.stage = span.stage.of_peer();
    span
}

#[cfg(test)]
mod tests {
    use sim::Cause;
    use units::PS_PER_US;

    use super::super::frames::{Content, passage_of};
    use super::super::{Site, Subject};
    use super::*;

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn frame(us: i64, from_board: bool, content: Content) -> Passage {
        passage_of(from_board, at(us), at(us + 6), content)
    }

    fn working(from_us: i64, to_us: i64, name: &str) -> Testimony {
        let stage = Stage::of_board(Cause::Cpu, Some(Subject::Function(name.into())));
        let (start, end) = (at(from_us), at(to_us));
        let intervals = vec![Interval { start, end, rank: Rank::Processor, stage, bytes: 0 }];
        Testimony { intervals, holds: Vec::new(), accesses: Vec::new() }
    }

    /// Site, detail, and the time in microseconds.
    fn told(spans: &[BudgetSpan]) -> Vec<(Site, Option<&str>, i64, i64)> {
        let us = |time: Picoseconds| time.ps() / PS_PER_US;
        spans.iter().map(|one| (one.stage.site, one.stage.detail(), us(one.start), us(one.end))).collect()
    }

    #[test]
    fn each_time_goes_to_the_board_the_wire_or_the_peer_and_nothing_is_left_out() {
        let passages = vec![
            frame(20, true, Content::Payload),
            frame(30, false, Content::Acknowledgement),
            frame(60, false, Content::Payload),
        ];
        let board = working(0, 100, "f");
        let peer = working(0, 50, "g");
        let shares = Shares::with_peer(passages, board, peer, Way::ThereAndBack);
        let sample = Sample { done: Some(at(66)), ..Sample::begun(7, at(5)) };
        let spans = shares.spans(&sample);
        let expected = [
            (Site::Board, Some("f"), 5, 20),
            (Site::Wire, Some("peer"), 20, 26),
            (Site::Peer, Some("g"), 26, 50),
            (Site::Peer, None, 50, 60),
            (Site::Wire, Some("board"), 60, 66),
        ];
        assert_eq!(told(&spans), expected);
        assert!(spans.iter().all(|span| span.message == 7));
        assert_eq!(spans[3].stage.cause, Cause::Empirical, "nobody saw what the peer did");
    }

    #[test]
    fn a_message_that_ends_at_the_peer_is_there_from_its_last_frame_on_whatever_goes_back() {
        let passages = vec![frame(20, true, Content::Payload), frame(30, false, Content::Acknowledgement)];
        let (board, peer) = (working(0, 100, "f"), working(0, 100, "g"));
        let shares = Shares::with_peer(passages, board, peer, Way::There);
        let sample = Sample { done: Some(at(60)), ..Sample::begun(7, at(5)) };
        let expected = [
            (Site::Board, Some("f"), 5, 20),
            (Site::Wire, Some("peer"), 20, 26),
            (Site::Peer, Some("g"), 26, 60),
        ];
        assert_eq!(told(&shares.spans(&sample)), expected);
    }
}
