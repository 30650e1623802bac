//! What the processor works on while it only looks at a clock: nothing. Firmware that pauses in a loop does so, and a faster
//! processor would look more often.

use std::sync::Arc;

use sim::Cause;
use units::Picoseconds;

use super::spans::{Span, without};
use super::{Interval, Rank, Stage, Subject, held};

/// Gives the work of the processor within waits for a clock a stage of its own, except for that of interrupts, which were handled in
/// these spans. Waits do not overlap, nor do intervals, and both are in order.
pub fn relabel(intervals: Vec<Interval>, at_clock: &[Span], handled: &[Span]) -> Vec<Interval> {
    let mut times: Vec<held::Time> = Vec::new();
    for &wait in at_clock {
        let spans = without(&[wait], handled);
        let waits_in = function_that_waits(&intervals, &spans);
        let stage = Stage::of_board(Cause::Gate, Some(Subject::Clock(waits_in)));
        times.extend(spans.iter().map(|&(from, to)| (from, to, stage.clone())));
    }
    held::relabel_within(intervals, &times, |one| one.rank == Rank::Processor)
}

/// The function that waits, where functions have names: it may call another one, in which the first look at the clock is.
fn function_that_waits(intervals: &[Interval], spans: &[Span]) -> Option<Arc<str>> {
    let mut shares: Vec<(&Arc<str>, Picoseconds)> = Vec::new();
    for &(from, to) in spans {
        let first = intervals.partition_point(|one| one.end <= from);
        for one in intervals[first..].iter().take_while(|one| one.start < to) {
            let Some(Subject::Function(name)) = &one.stage.subject else { continue };
            let ps = one.end.min(to) - one.start.max(from);
            match shares.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum = *sum + ps,
                None => shares.push((name, ps)),
            }
        }
    }
    let (looks, callers) = shares.split_first()?;
    let largest = callers.iter().max_by_key(|(_, ps)| *ps).unwrap_or(looks);
    Some(largest.0.clone())
}

#[cfg(test)]
mod tests {
    use units::PS_PER_US;

    use super::*;

    fn at(us: i64) -> Picoseconds {
        Picoseconds::new(us * PS_PER_US)
    }

    fn in_function(name: &str, from_us: i64, to_us: i64) -> Interval {
        let stage = Stage::of_board(Cause::Cpu, Some(Subject::Function(name.into())));
        Interval { start: at(from_us), end: at(to_us), rank: Rank::Processor, stage, bytes: 0 }
    }

    fn told(intervals: &[Interval]) -> Vec<(&str, Option<&str>, i64)> {
        intervals
            .iter()
            .map(|one| {
                let subject = one.stage.subject.as_ref();
                let us = (one.end - one.start).ps() / PS_PER_US;
                (subject.map_or("", Subject::code), subject.and_then(Subject::detail), us)
            })
            .collect()
    }

    #[test]
    fn a_function_that_waits_by_itself_does_so_for_the_clock() {
        let relabelled = relabel(vec![in_function("main", 0, 100)], &[(at(10), at(90))], &[]);
        let expected =
            [("function", Some("main"), 10), ("clock", Some("main"), 80), ("function", Some("main"), 10)];
        assert_eq!(told(&relabelled), expected);
    }

    #[test]
    fn who_calls_what_reads_the_clock_is_who_waits() {
        let turns = (0..4).flat_map(|turn| {
            let from = 10 * turn;
            [in_function("micros", from, from + 6), in_function("delay", from + 6, from + 10)]
        });
        let relabelled = relabel(turns.collect(), &[(at(0), at(40))], &[]);
        assert!(told(&relabelled).iter().all(|(code, name, _)| (*code, *name) == ("clock", Some("delay"))));
    }

    #[test]
    fn what_an_interrupt_does_meanwhile_is_work() {
        let intervals =
            vec![in_function("main", 0, 20), in_function("systick", 20, 30), in_function("main", 30, 60)];
        let relabelled = relabel(intervals, &[(at(0), at(60))], &[(at(20), at(30))]);
        let expected =
            [("clock", Some("main"), 20), ("function", Some("systick"), 10), ("clock", Some("main"), 30)];
        assert_eq!(told(&relabelled), expected);
    }

    #[test]
    fn without_names_it_is_known_all_the_same() {
        let stage = Stage::of_board(Cause::Cpu, None);
        let work = Interval { start: at(0), end: at(50), rank: Rank::Processor, stage, bytes: 0 };
        assert_eq!(told(&relabel(vec![work], &[(at(0), at(50))], &[])), [("clock", None, 50)]);
    }
}
