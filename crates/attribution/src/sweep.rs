//! Intervals that overlap into spans that do not: at every time the interval of the first rank takes it.

use std::collections::{BTreeMap, BTreeSet};

use sim::Cause;
use units::Picoseconds;

use super::{BudgetSpan, Interval, Rank, Stage};

/// What no interval covers.
fn unexplained() -> Stage {
    Stage::of_board(Cause::Empirical, None)
}

/// The spans of a message from `from` to `to`, without gaps, in the order of time.
pub(super) fn spans(
    message: u64,
    from: Picoseconds,
    to: Picoseconds,
    intervals: &[&Interval],
) -> Vec<BudgetSpan> {
    let mut edges: Vec<(Picoseconds, bool, usize)> = Vec::new();
    for (place, interval) in intervals.iter().enumerate() {
        let (start, end) = (interval.start.max(from), interval.end.min(to));
        if start < end {
            edges.extend([(start, true, place), (end, false, place)]);
        }
    }
    edges.push((to, false, usize::MAX));
    edges.sort_unstable();
    let mut active: BTreeSet<(Rank, usize)> = BTreeSet::new();
    let mut told = vec![false; intervals.len()];
    let mut pieces: Vec<(BudgetSpan, Rank)> = Vec::new();
    let mut since = from;
    for (at, begins, place) in edges {
        if at > since {
            let owner = active.first().map(|&(rank, place)| (rank, place));
            pieces.push(piece(message, since, at, owner, intervals, &mut told));
            since = at;
        }
        if let Some(interval) = intervals.get(place) {
            let key = (interval.rank, place);
            if begins {
                active.insert(key)
            } else {
                active.remove(&key)
            };
        }
    }
    joined(in_groups(&pieces))
}

fn piece(
    message: u64,
    start: Picoseconds,
    end: Picoseconds,
    owner: Option<(Rank, usize)>,
    intervals: &[&Interval],
    told: &mut [bool],
) -> (BudgetSpan, Rank) {
    let Some((rank, place)) = owner else {
        return (BudgetSpan { message, stage: unexplained(), start, end, bytes: 0 }, Rank::Processor);
    };
    // The bytes of an interval that is interrupted are told once.
    let bytes = if std::mem::replace(&mut told[place], true) { 0 } else { intervals[place].bytes };
    (BudgetSpan { message, stage: intervals[place].stage.clone(), start, end, bytes }, rank)
}

/// Within a stretch of the processor alone its functions stand one after the other, in the order in which they first came:
/// a thousand calls of a microsecond would hide what they are together.
fn in_groups(pieces: &[(BudgetSpan, Rank)]) -> Vec<BudgetSpan> {
    let mut grouped = Vec::new();
    for run in pieces.chunk_by(|one, next| one.1 == Rank::Processor && next.1 == Rank::Processor) {
        if run.len() == 1 || run[0].1 != Rank::Processor {
            grouped.extend(run.iter().map(|(span, _)| span.clone()));
            continue;
        }
        let mut order: Vec<&Stage> = Vec::new();
        let mut times: BTreeMap<&Stage, i64> = BTreeMap::new();
        for (span, _) in run {
            let time = times.entry(&span.stage).or_insert_with(|| {
                order.push(&span.stage);
                0
            });
            *time += (span.end - span.start).ps();
        }
        let mut start = run[0].0.start;
        for stage in order {
            let end = start + Picoseconds::new(times[stage]);
            grouped.push(BudgetSpan {
                message: run[0].0.message,
                stage: stage.clone(),
                start,
                end,
                bytes: 0,
            });
            start = end;
        }
    }
    grouped
}

/// Neighbours of one stage as one.
fn joined(spans: Vec<BudgetSpan>) -> Vec<BudgetSpan> {
    let mut joined: Vec<BudgetSpan> = Vec::new();
    for span in spans {
        match joined.last_mut().filter(|last| last.stage == span.stage) {
            Some(last) => {
                last.end = span.end;
                last.bytes += span.bytes;
            }
            None => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Subject;
    use super::*;

    fn interval(start: i64, end: i64, rank: Rank, name: &str) -> Interval {
        let (start, end) = (Picoseconds::new(start), Picoseconds::new(end));
        let stage = Stage::of_board(Cause::Cpu, Some(Subject::Function(name.into())));
        Interval { start, end, rank, stage, bytes: 1 }
    }

    fn told(from: i64, to: i64, intervals: &[Interval]) -> Vec<(String, i64, i64)> {
        let own: Vec<&Interval> = intervals.iter().collect();
        let spans = spans(0, Picoseconds::new(from), Picoseconds::new(to), &own);
        let name = |span: &BudgetSpan| span.stage.detail().unwrap_or("unexplained").to_owned();
        spans.iter().map(|span| (name(span), span.start.ps(), span.end.ps())).collect()
    }

    #[test]
    fn the_first_rank_takes_the_time_and_what_is_left_is_unexplained() {
        let found = told(
            0,
            100,
            &[
                interval(-5, 90, Rank::Asleep, "asleep"),
                interval(20, 40, Rank::Wire, "wire"),
                interval(30, 35, Rank::Spi, "spi"),
            ],
        );
        let expected = [
            ("asleep", 0, 20),
            ("wire", 20, 30),
            ("spi", 30, 35),
            ("wire", 35, 40),
            ("asleep", 40, 90),
            ("unexplained", 90, 100),
        ];
        assert_eq!(found, expected.map(|(name, start, end)| (name.to_owned(), start, end)));
    }

    #[test]
    fn functions_that_alternate_stand_together() {
        let calls = [(0, 10, "f"), (10, 20, "g"), (20, 30, "f"), (30, 40, "g")];
        let calls = calls.map(|(start, end, name)| interval(start, end, Rank::Processor, name));
        assert_eq!(told(0, 40, &calls), [("f".to_owned(), 0, 20), ("g".to_owned(), 20, 40)]);
    }

    proptest! {
        #[test]
        fn spans_fill_a_message_without_gaps_whatever_overlaps(
            raw in prop::collection::vec((-20i64..120, 1i64..60, 0usize..4), 0..20),
        ) {
            let ranks = [Rank::Spi, Rank::Wire, Rank::Asleep, Rank::Processor];
            let intervals: Vec<Interval> =
                raw.iter().map(|&(start, length, rank)| interval(start, start + length, ranks[rank], "x")).collect();
            let own: Vec<&Interval> = intervals.iter().collect();
            let spans = spans(0, Picoseconds::ZERO, Picoseconds::new(100), &own);
            prop_assert_eq!(spans.first().unwrap().start, Picoseconds::ZERO);
            prop_assert_eq!(spans.last().unwrap().end, Picoseconds::new(100));
            prop_assert!(spans.windows(2).all(|pair| pair[0].end == pair[1].start && pair[0].start < pair[0].end));
        }
    }
}
