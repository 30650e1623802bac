//! Answers that the board holds back: it has taken what the PC sent, and sleeps or looks around before it sends data again.
//!
//! A stack whose output is left to its own timer does so: the answer waits for the next beat. The time in which the board
//! works, or in which SPI, wire and PC move something, keeps its own stage.

use sim::Cause;
use units::Picoseconds;
use wiznet::{Access, Command, Target};

use super::frames::{Content, Passage};
use super::{Interval, Rank, Site, Stage, Subject};

const FEWEST_BEATS: usize = 3;
/// What the time between two beats may differ by from a whole number of periods.
const BEAT_TOLERANCE: f64 = 0.02;
const SHARE_ON_BEAT: f64 = 0.8;

/// From the taking of data to the board's next frame with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    start: Picoseconds,
    end: Picoseconds,
    /// Whether the same came once more from the PC, so that the frame may be the answer to that.
    heard_again: bool,
}

/// All holds. Of several takings before an answer the last one counts: the board may have needed all of it.
pub fn holds(passages: &[Passage], accesses: &[Access]) -> Vec<Hold> {
    let arrivals: Vec<Picoseconds> = of(passages, false, Content::Payload).map(|one| one.end).collect();
    let taken: Vec<Picoseconds> = arrivals.iter().filter_map(|&at| taken(accesses, at)).collect();
    let mut since = Picoseconds::ZERO;
    let mut found = Vec::new();
    for frame in of(passages, true, Content::Payload) {
        let last = taken.partition_point(|&at| at <= frame.start).checked_sub(1).map(|place| taken[place]);
        if let Some(start) = last.filter(|&start| start >= since) {
            let again = |one: &Passage| !one.from_board && one.end > start && one.end <= frame.start;
            let heard_again = passages.iter().any(|one| one.content == Content::Again && again(one));
            found.push(Hold { start, end: frame.start, heard_again });
        }
        since = frame.start;
    }
    found
}

fn of(passages: &[Passage], from_board: bool, content: Content) -> impl Iterator<Item = &Passage> {
    passages.iter().filter(move |one| one.from_board == from_board && one.content == content)
}

/// When what arrived has been read: a driver may tell the chip so only when its answer is on its way. Nothing where that
/// was not traced.
fn taken(accesses: &[Access], arrived: Picoseconds) -> Option<Picoseconds> {
    let reads = |access: &&Access| !access.write && access.target == Target::Memory;
    let later = &accesses[accesses.partition_point(|access| access.start < arrived)..];
    let first = later.iter().position(|access| reads(&access))?;
    let tells = |access: &Access| matches!(access.command, Some(Command::Receive | Command::Send));
    let told = later[first..].iter().position(tells)?;
    later[first..first + told].iter().rfind(reads).map(|access| access.end)
}

/// Gives what the board sleeps, and looks at without news, within holds a stage of its own. Holds do not overlap.
pub fn relabel(intervals: Vec<Interval>, holds: &[Hold]) -> Vec<Interval> {
    let waits = |one: &Interval| match one.rank {
        Rank::Asleep | Rank::Polling => true,
        // The sender of what was taken has heard nothing.
        Rank::Protocol => one.stage.subject == Some(Subject::Retransmission(Site::Pc)),
        _ => false,
    };
    let times: Vec<Time> = holds.iter().map(|hold| (hold.start, hold.end, held(hold.heard_again))).collect();
    relabel_within(intervals, &times, waits)
}

/// An answer that is held back.
fn held(heard_again: bool) -> Stage {
    let until = heard_again.then_some(Site::Pc);
    Stage::of_board(Cause::Gate, Some(Subject::HeldAnswer(until)))
}

/// A time, and the stage that waits within it have.
pub(super) type Time = (Picoseconds, Picoseconds, Stage);

/// Gives the intervals that wait another stage where they lie within one of these times, which do not overlap.
pub(super) fn relabel_within(
    intervals: Vec<Interval>,
    times: &[Time],
    waits: impl Fn(&Interval) -> bool,
) -> Vec<Interval> {
    let split = |one: Interval| if waits(&one) { split(&one, times) } else { vec![one] };
    intervals.into_iter().flat_map(split).collect()
}

fn split(interval: &Interval, times: &[Time]) -> Vec<Interval> {
    let mut pieces = Vec::new();
    let mut at = interval.start;
    let piece = |start, end, stage: Stage| Interval { start, end, stage, ..interval.clone() };
    let first = times.partition_point(|(_, end, _)| *end <= interval.start);
    for (start, end, stage) in times[first..].iter().take_while(|(start, ..)| *start < interval.end) {
        let (start, end) = ((*start).max(interval.start), (*end).min(interval.end));
        if at < start {
            pieces.push(piece(at, start, interval.stage.clone()));
        }
        pieces.push(piece(start, end, stage.clone()));
        at = end;
    }
    if at < interval.end {
        pieces.push(piece(at, interval.end, interval.stage.clone()));
    }
    pieces
}

/// The holds that were waiting for the most part, by intervals with their stages: a board that answers at once holds nothing.
pub fn waited(holds: &[Hold], intervals: &[Interval]) -> Vec<Hold> {
    let mut waits = vec![0; holds.len()];
    let is_held = |one: &&Interval| matches!(one.stage.subject, Some(Subject::HeldAnswer(_)));
    for one in intervals.iter().filter(is_held) {
        let place = holds.partition_point(|hold| hold.end <= one.start);
        if let Some(wait) = waits.get_mut(place) {
            *wait += (one.end - one.start).ps();
        }
    }
    let mostly = |(hold, wait): (&Hold, i64)| (2 * wait > (hold.end - hold.start).ps()).then_some(*hold);
    holds.iter().zip(waits).filter_map(mostly).collect()
}

/// The period of the timer that ends holds: the time between frames that nothing but a timer can have sent. Between two of
/// them there may be some that were not looked at.
pub fn period(waited: &[Hold]) -> Option<Picoseconds> {
    let beats: Vec<i64> = waited.iter().filter(|hold| !hold.heard_again).map(|hold| hold.end.ps()).collect();
    let apart: Vec<f64> = beats.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let shortest = apart.iter().copied().fold(f64::INFINITY, f64::min);
    let mut single: Vec<f64> = apart.iter().copied().filter(|one| *one < 1.5 * shortest).collect();
    single.sort_by(f64::total_cmp);
    let period = *single.get(single.len() / 2).filter(|_| apart.len() >= FEWEST_BEATS)?;
    let on_beat = |one: &&f64| (**one - (**one / period).round() * period).abs() <= BEAT_TOLERANCE * period;
    let near = apart.iter().filter(on_beat).count() as f64;
    (near >= SHARE_ON_BEAT * apart.len() as f64).then(|| Picoseconds::new(period as i64))
}

#[cfg(test)]
mod tests {
    use units::PS_PER_US;

    use super::super::accesses::tested;
    use super::super::frames::{self, passage_of};
    use super::*;

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn frame(us: i64, from_board: bool, content: Content) -> Passage {
        passage_of(from_board, at(us), at(us + 7), content)
    }

    fn taking(us: i64) -> [Access; 2] {
        [tested::read(us, Target::Memory, &[0]), tested::told(us + 10, Command::Receive)]
    }

    fn timer() -> Stage {
        Stage::of_board(Cause::Gate, Some(Subject::Timer))
    }

    fn asleep(from_us: i64, to_us: i64) -> Interval {
        Interval { start: at(from_us), end: at(to_us), rank: Rank::Asleep, stage: timer(), bytes: 0 }
    }

    fn told(intervals: &[Interval]) -> Vec<(Stage, i64, i64)> {
        let us = |time: Picoseconds| time.ps() / PS_PER_US;
        intervals.iter().map(|one| (one.stage.clone(), us(one.start), us(one.end))).collect()
    }

    #[test]
    fn what_the_board_sleeps_between_taking_and_answering_is_held_back() {
        let passages = [frame(0, false, Content::Payload), frame(250_000, true, Content::Payload)];
        let holds = holds(&passages, &taking(32_000));
        let found =
            relabel(vec![asleep(100, 40_000), asleep(40_050, 249_000), asleep(250_100, 251_000)], &holds);
        let expected = [
            (timer(), 100, 32_002),
            (held(false), 32_002, 40_000),
            (held(false), 40_050, 249_000),
            (timer(), 250_100, 251_000),
        ];
        assert_eq!(told(&found), expected);
    }

    #[test]
    fn what_is_waited_for_before_the_last_taking_is_not_held_back() {
        let arrivals = [0, 10_000].map(|us| frame(us, false, Content::Payload));
        let passages: Vec<Passage> =
            arrivals.into_iter().chain([frame(10_100, true, Content::Payload)]).collect();
        let accesses: Vec<Access> = [taking(20), taking(10_020)].into_iter().flatten().collect();
        let found = relabel(vec![asleep(50, 10_007), asleep(10_050, 10_060)], &holds(&passages, &accesses));
        assert_eq!(told(&found), [(timer(), 50, 10_007), (held(false), 10_050, 10_060)]);
    }

    #[test]
    fn a_board_that_tells_the_chip_only_behind_its_answer_holds_nothing_back() {
        let arrives = |us| frame(us, false, Content::Payload);
        let passages =
            [arrives(0), frame(60, true, Content::Payload), arrives(200), frame(260, true, Content::Payload)];
        let round = |us| {
            let read = tested::read(us, Target::Memory, &[0]);
            [read, tested::told(us + 35, Command::Send), tested::told(us + 45, Command::Receive)]
        };
        let accesses = [round(20), round(220)].concat();
        let asleep_until_called = [asleep(75, 208)];
        assert_eq!(
            told(&relabel(asleep_until_called.to_vec(), &holds(&passages, &accesses))),
            told(&asleep_until_called)
        );
    }

    #[test]
    fn work_and_frames_in_a_hold_stay_what_they_are_and_so_does_a_delayed_acknowledgement() {
        let holds = [Hold { start: at(0), end: at(100), heard_again: true }];
        let one = |rank, stage| Interval { rank, stage, ..asleep(10, 90) };
        let silence = |subject| one(Rank::Protocol, Stage::of_board(Cause::Protocol, Some(subject)));
        let kept = [
            one(Rank::Processor, Stage::of_board(Cause::Cpu, None)),
            one(Rank::Wire, frames::wire(true)),
            silence(Subject::DelayedAcknowledgement(Site::Pc)),
            silence(Subject::Retransmission(Site::Board)),
        ];
        let found = relabel(kept.to_vec(), &holds);
        assert_eq!(told(&found), told(&kept));
        let again = relabel(vec![silence(Subject::Retransmission(Site::Pc))], &holds);
        assert_eq!(again[0].stage, held(true));
    }

    #[test]
    fn the_period_is_that_of_beats_also_where_some_were_not_seen() {
        let beats = |ends_ms: &[i64]| -> Vec<Hold> {
            let hold = |&ms: &i64| Hold { start: at(ms * 1000 - 5), end: at(ms * 1000), heard_again: false };
            ends_ms.iter().map(hold).collect()
        };
        assert_eq!(period(&beats(&[250, 500, 750, 1500, 1751])), Some(at(250_000)));
        assert_eq!(period(&beats(&[250, 500, 590, 1111, 1300])), None, "nothing recurs");
        assert_eq!(period(&beats(&[250, 500])), None, "too few");
    }

    #[test]
    fn a_board_that_works_between_taking_and_answering_has_waited_for_nothing() {
        let hold = |start, end| Hold { start: at(start), end: at(end), heard_again: false };
        let holds = [hold(0, 100), hold(1000, 1100)];
        let intervals = relabel(vec![asleep(10, 20), asleep(990, 1090)], &holds);
        assert_eq!(waited(&holds, &intervals), [holds[1]]);
    }

    #[test]
    fn an_answer_after_a_retransmission_is_no_beat() {
        let passages = [
            frame(0, false, Content::Payload),
            frame(200_000, false, Content::Again),
            frame(200_100, true, Content::Payload),
        ];
        let found = holds(&passages, &taking(20));
        assert_eq!(found, [Hold { start: at(22), end: at(200_100), heard_again: true }]);
    }
}
