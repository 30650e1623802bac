//! Frames that stand in the chip until a timer's interrupt looks at it, while the processor does something else.
//!
//! A driver that runs behind a program's back polls so: the main loop goes round and round, sees nothing of the chip, and never
//! sleeps. What the loop does meanwhile is not what the frame waits for.

use sim::Cause;
use units::Picoseconds;
use wiznet::Access;

use super::accesses::looked_at;
use super::frames::{Content, Passage};
use super::{Interval, Rank, Stage, Subject};

/// From when to when interrupts were handled without a return to the program.
pub type Handled = (Picoseconds, Picoseconds);

/// The times that frames stood in the chip's memory until one of these interrupts looked, each of which a timer began. A frame is
/// in the memory so long after its last bit. Everything is in the order of time.
pub fn waits(
    passages: &[Passage],
    accesses: &[Access],
    by_timer: &[Handled],
    receive_time: Picoseconds,
) -> Vec<Interval> {
    let mut stand: Vec<Picoseconds> =
        passages.iter().filter(|one| comes_in(one)).map(|one| one.end + receive_time).collect();
    stand.sort_unstable();
    by_timer.iter().filter_map(|handled| wait(&stand, accesses, *handled)).collect()
}

fn comes_in(passage: &Passage) -> bool {
    !passage.from_board && passage.content != Content::Characters
}

fn wait(stand: &[Picoseconds], accesses: &[Access], (from, to): Handled) -> Option<Interval> {
    let first = accesses.partition_point(|access| access.start < from);
    let within = accesses[first..].iter().take_while(|access| access.start < to);
    // Interrupts are acknowledged before a look; whatever else is done with the chip is no poll.
    let look = within.take_while(|access| access.is_of_news()).find(|access| !access.write)?;
    let subject = match looked_at(look) {
        Subject::Register(name) => Subject::TimedLook(name),
        _ => return None,
    };
    let idle_since = first.checked_sub(1).map_or(Picoseconds::ZERO, |last| accesses[last].end);
    let seen = accesses[..first].iter().rev().find(|access| !access.write && access.is_of_news());
    let seen_until = seen.map_or(Picoseconds::ZERO, |access| access.start);
    let came = *stand.get(stand.partition_point(|at| *at <= seen_until))?;
    let start = came.max(idle_since);
    let stage = Stage::of_board(Cause::Gate, Some(subject));
    (start < look.start).then_some(Interval { start, end: look.start, rank: Rank::Asleep, stage, bytes: 0 })
}

#[cfg(test)]
mod tests {
    use units::PS_PER_US;

    use super::super::accesses::tested::{self, INTERRUPTS, RECEIVED};
    use super::super::frames::passage_of;
    use super::*;

    const RECEIVE_TIME: Picoseconds = Picoseconds::new(10 * PS_PER_US);

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn comes(us: i64) -> Passage {
        passage_of(false, at(us - 7), at(us), Content::Payload)
    }

    fn told(passages: &[Passage], accesses: &[Access], by_timer: &[Handled]) -> Vec<(i64, i64)> {
        let us = |time: Picoseconds| time.ps() / PS_PER_US;
        let found = waits(passages, accesses, by_timer, RECEIVE_TIME);
        let expected = Stage::of_board(Cause::Gate, Some(Subject::TimedLook("Sn_RX_RSR")));
        assert!(found.iter().all(|one| one.stage == expected), "{found:?}");
        found.iter().map(|one| (us(one.start), us(one.end))).collect()
    }

    fn look(us: i64) -> Access {
        tested::read(us, RECEIVED, &[0, 64])
    }

    #[test]
    fn a_frame_waits_from_when_it_stands_in_the_chip_until_a_timers_interrupt_looks() {
        let acknowledged = tested::write(20_000, INTERRUPTS, &[4]);
        let accesses = [look(0), acknowledged, look(20_005)];
        assert_eq!(told(&[comes(500)], &accesses, &[(at(19_990), at(20_100))]), [(510, 20_005)]);
    }

    #[test]
    fn it_does_not_wait_while_the_board_is_still_busy_with_the_chip() {
        let accesses = [look(0), tested::told(600, wiznet::Command::Send), look(20_005)];
        let found = told(&[comes(100)], &accesses, &[(at(20_000), at(20_100))]);
        assert_eq!(found.len(), 1);
        assert!(found[0].0 >= 600, "{found:?}");
    }

    #[test]
    fn looks_that_find_nothing_are_no_wait_and_the_one_that_finds_it_ends_it() {
        let accesses = [look(0), look(20_005), look(40_005)];
        let polls = [(at(20_000), at(20_100)), (at(40_000), at(40_100))];
        assert_eq!(told(&[comes(25_000)], &accesses, &polls), [(25_010, 40_005)]);
        assert_eq!(told(&[], &accesses, &polls), []);
    }

    #[test]
    fn a_look_of_the_program_itself_is_none_of_a_timers() {
        assert_eq!(told(&[comes(500)], &[look(0), look(20_005)], &[(at(10_000), at(10_050))]), []);
    }

    #[test]
    fn an_interrupt_that_first_does_something_with_the_chip_does_not_poll() {
        let accesses = [look(0), tested::told(20_002, wiznet::Command::Send), look(20_010)];
        assert_eq!(told(&[comes(500)], &accesses, &[(at(20_000), at(20_100))]), []);
    }
}
