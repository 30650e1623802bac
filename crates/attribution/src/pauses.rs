//! Pauses that the board makes of its own accord: everything that came has been looked at, and then it is the board that sends.
//!
//! An image that publishes each second does so. Its driver may look at the chip meanwhile, asleep in between or not, but no message
//! waits for these looks: what ends the pause is a timer of the application.

use sim::Cause;
use units::Picoseconds;
use wiznet::Access;

use super::frames::{Content, Passage};
use super::{Interval, Rank, Stage, Subject, accesses, held};

/// From the look behind the last frame to the board's next frame with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    start: Picoseconds,
    end: Picoseconds,
    /// What passed last was the board's own, so that it has nothing to answer.
    is_spontaneous: bool,
}

/// All pauses. A frame stands in the chip's memory so long after its last bit; of the time in `stretches` nothing was missed.
pub fn pauses(
    passages: &[Passage],
    accesses: &[Access],
    receive_time: Picoseconds,
    stretches: &[(Picoseconds, Picoseconds)],
) -> Vec<Pause> {
    let mut quiet_since = None;
    let mut was_the_boards = false;
    let mut found = Vec::new();
    for frame in passages {
        if let Some(since) = quiet_since.filter(|since| *since < frame.start)
            && frame.from_board
            && frame.content == Content::Payload
            && stretches.iter().any(|&(from, to)| from <= since && frame.start <= to)
        {
            let start = first_look(accesses, since).filter(|look| *look < frame.start).unwrap_or(since);
            found.push(Pause { start, end: frame.start, is_spontaneous: was_the_boards });
        }
        if frame.content == Content::Payload {
            was_the_boards = frame.from_board;
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

/// Within pauses the sleeps between looks are the application's own. Looks of an awake board that see nothing new wait for its
/// clock, and so does the work between them where the board has nothing to answer. Pauses do not overlap.
pub fn relabel(intervals: Vec<Interval>, pauses: &[Pause], accesses: &[Access]) -> Vec<Interval> {
    let sleeps =
        |one: &Interval| one.rank == Rank::Asleep && one.stage.cause == Cause::Gate && is_look(&one.stage);
    let looks = |one: &Interval| one.rank == Rank::Polling;
    let whole = |stage: Stage| -> Vec<held::Time> {
        pauses.iter().map(|pause| (pause.start, pause.end, stage.clone())).collect()
    };
    // An awake board finds out by its clock when it is time.
    let clock = Stage::of_board(Cause::Gate, Some(Subject::Clock(None)));
    let own = Stage::of_board(Cause::Gate, Some(Subject::Timer));
    let intervals = held::relabel_within(intervals, &whole(own), sleeps);
    let intervals = held::relabel_within(intervals, &whole(clock.clone()), looks);
    let rounds = accesses::rounds(accesses);
    let within = |pause: &Pause| {
        let later = &rounds[rounds.partition_point(|(_, until)| *until <= pause.start)..];
        let these = later.iter().take_while(|(from, _)| *from < pause.end);
        let clock = clock.clone();
        let cut = |&(from, until): &(Picoseconds, Picoseconds)| (from.max(pause.start), until.min(pause.end));
        these.map(move |round| (cut(round).0, cut(round).1, clock.clone())).collect::<Vec<_>>()
    };
    let idle: Vec<held::Time> = pauses.iter().filter(|pause| pause.is_spontaneous).flat_map(within).collect();
    held::relabel_within(intervals, &idle, |one| one.rank == Rank::Processor)
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
        told(&relabel(vec![between_looks(100, 1_000), between_looks(1_010, 20_000)], &pauses, accesses))
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

    /// An awake driver, which looks each 10 us for 2 us from 1000 us to 5000 us, and then works until 5100 us.
    fn of_an_awake_driver(passages: &[Passage]) -> Vec<(Option<Subject>, i64, i64)> {
        let accesses = looks((1_000..5_000).step_by(10));
        let pauses = pauses(passages, &accesses, RECEIVE_TIME, &ALL);
        let looked = Stage::of_board(Cause::Bus, Some(Subject::Register("Sn_RX_RSR")));
        let worked = Stage::of_board(Cause::Cpu, None);
        let interval =
            |from, to, rank, stage| Interval { start: at(from), end: at(to), rank, stage, bytes: 0 };
        let intervals = vec![
            interval(2_000, 2_002, Rank::Polling, looked),
            interval(2_002, 2_010, Rank::Processor, worked.clone()),
            interval(4_992, 5_100, Rank::Processor, worked),
        ];
        told(&relabel(intervals, &pauses, &accesses))
    }

    #[test]
    fn an_awake_driver_that_looks_until_it_is_time_waits_for_the_clock() {
        let published = [frame(0, true, Content::Payload), frame(5_100, true, Content::Payload)];
        let clock = || Some(Subject::Clock(None));
        let expected = [(clock(), 2_000, 2_002), (clock(), 2_002, 2_010), (None, 4_992, 5_100)];
        assert_eq!(of_an_awake_driver(&published), expected);
    }

    #[test]
    fn a_board_that_may_work_at_an_answer_between_looks_is_at_work() {
        let answered = [frame(0, false, Content::Payload), frame(5_100, true, Content::Payload)];
        let expected =
            [(Some(Subject::Clock(None)), 2_000, 2_002), (None, 2_002, 2_010), (None, 4_992, 5_100)];
        assert_eq!(of_an_awake_driver(&answered), expected);
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
