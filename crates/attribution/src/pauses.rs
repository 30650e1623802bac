//! Pauses that the board makes of its own accord: everything that came has been looked at, and then it is the board that sends.
//!
//! An image that publishes each second does so. Its driver may look at the chip meanwhile, but no message waits for these looks:
//! what ends the pause is a timer of the application.

use sim::Cause;
use units::Picoseconds;
use wiznet::Access;

use super::frames::{Content, Passage};
use super::{Interval, Rank, Stage, Subject, held};

/// From the look behind the last frame to the board's next frame with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    start: Picoseconds,
    end: Picoseconds,
}

/// All pauses. A frame stands in the chip's memory so long after its last bit; of the time in `stretches` nothing was missed.
pub fn pauses(
    passages: &[Passage],
    accesses: &[Access],
    receive_time: Picoseconds,
    stretches: &[(Picoseconds, Picoseconds)],
) -> Vec<Pause> {
    let mut quiet_since = None;
    let mut found = Vec::new();
    for frame in passages {
        if let Some(since) = quiet_since.filter(|since| *since < frame.start)
            && frame.from_board
            && frame.content == Content::Payload
            && stretches.iter().any(|&(from, to)| from <= since && frame.start <= to)
        {
            let start = first_look(accesses, since).filter(|look| *look < frame.start).unwrap_or(since);
            found.push(Pause { start, end: frame.start });
        }
        let there = if frame.from_board { frame.end } else { frame.end + receive_time };
        quiet_since = quiet_since.max(Some(there));
    }
    found
}

/// The end of the first look at what the chip has received or done.
fn first_look(accesses: &[Access], since: Picoseconds) -> Option<Picoseconds> {
    let later = &accesses[accesses.partition_point(|access| access.start < since)..];
    later.iter().find(|access| !access.write && access.is_of_news()).map(|access| access.end)
}

/// Sleeps between looks are the application's own within pauses. Pauses do not overlap.
pub fn relabel(intervals: Vec<Interval>, pauses: &[Pause]) -> Vec<Interval> {
    let waits =
        |one: &Interval| one.rank == Rank::Asleep && one.stage.cause == Cause::Gate && is_look(&one.stage);
    let own = Stage::of_board(Cause::Gate, Some(Subject::Timer));
    let times: Vec<held::Time> = pauses.iter().map(|pause| (pause.start, pause.end, own.clone())).collect();
    held::relabel_within(intervals, &times, waits)
}

fn is_look(stage: &Stage) -> bool {
    matches!(stage.subject, Some(Subject::Register(_) | Subject::Memory | Subject::Reserved))
}

#[cfg(test)]
mod tests {
    use units::PS_PER_US;

    use super::super::accesses::tested::{self, RECEIVED};
    use super::super::frames::passage_of;
    use super::*;

    const RECEIVE_TIME: Picoseconds = Picoseconds::new(10 * PS_PER_US);
    const ALL: [(Picoseconds, Picoseconds); 1] =
        [(Picoseconds::ZERO, Picoseconds::new(1_000_000 * PS_PER_US))];

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn frame(us: i64, from_board: bool, content: Content) -> Passage {
        passage_of(from_board, at(us), at(us + 7), content)
    }

    fn looks(us: impl IntoIterator<Item = i64>) -> Vec<Access> {
        us.into_iter().map(|us| tested::read(us, RECEIVED, &[0, 0])).collect()
    }

    /// Asleep between two looks.
    fn between_looks(from_us: i64, to_us: i64) -> Interval {
        let stage = Stage::of_board(Cause::Gate, Some(Subject::Register("Sn_RX_RSR")));
        Interval { start: at(from_us), end: at(to_us), rank: Rank::Asleep, stage, bytes: 0 }
    }

    fn told(intervals: &[Interval]) -> Vec<(Option<Subject>, i64, i64)> {
        let us = |time: Picoseconds| time.ps() / PS_PER_US;
        intervals.iter().map(|one| (one.stage.subject.clone(), us(one.start), us(one.end))).collect()
    }

    fn relabelled(passages: &[Passage], accesses: &[Access]) -> Vec<(Option<Subject>, i64, i64)> {
        let pauses = pauses(passages, accesses, RECEIVE_TIME, &ALL);
        told(&relabel(vec![between_looks(100, 1_000), between_looks(1_010, 20_000)], &pauses))
    }

    const LOOK: Option<Subject> = Some(Subject::Register("Sn_RX_RSR"));

    #[test]
    fn a_board_that_has_seen_everything_and_then_publishes_waits_for_its_own_timer() {
        let passages = [
            frame(0, true, Content::Payload),
            frame(50, false, Content::Acknowledgement),
            frame(20_100, true, Content::Payload),
        ];
        let found = relabelled(&passages, &looks([1_005, 20_005]));
        assert_eq!(found, [(LOOK, 100, 1_000), (Some(Subject::Timer), 1_010, 20_000)]);
    }

    #[test]
    fn a_message_that_a_later_look_finds_waited_for_a_poll() {
        let passages = [
            frame(0, true, Content::Payload),
            // It is in the chip's memory behind the look at 1005 us.
            frame(990, false, Content::Payload),
            frame(20_100, true, Content::Payload),
        ];
        let found = relabelled(&passages, &looks([1_005, 20_005]));
        assert_eq!(found, [(LOOK, 100, 1_000), (LOOK, 1_010, 20_000)]);
    }

    #[test]
    fn what_was_not_seen_whole_is_left_as_it_is() {
        let passages = [frame(0, true, Content::Payload), frame(20_100, true, Content::Payload)];
        let seen = [(at(0), at(900)), (at(1_000), at(30_000))];
        assert!(pauses(&passages, &looks([1_005]), RECEIVE_TIME, &seen).is_empty());
        assert_eq!(pauses(&passages, &looks([1_005]), RECEIVE_TIME, &ALL).len(), 1);
    }

    #[test]
    fn what_is_sent_again_ends_no_pause() {
        let passages = [frame(0, true, Content::Payload), frame(20_100, true, Content::Again)];
        assert!(pauses(&passages, &looks([1_005]), RECEIVE_TIME, &ALL).is_empty());
    }
}
