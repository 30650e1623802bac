//! Stretches of time as lists: in order, and none touches the next one.

use units::Picoseconds;

/// A stretch of time.
pub type Span = (Picoseconds, Picoseconds);

/// Stretches in any order, of which those that touch or overlap become one.
pub(super) fn merged(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut all: Vec<Span> = spans.into_iter().filter(|(start, end)| start < end).collect();
    all.sort_unstable();
    let mut found: Vec<Span> = Vec::new();
    for (start, end) in all {
        match found.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => found.push((start, end)),
        }
    }
    found
}

/// What two lists have in common.
pub(super) fn common(one: &[Span], other: &[Span]) -> Vec<Span> {
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    let mut found = Vec::new();
    while let (Some(&&a), Some(&&b)) = (left.peek(), right.peek()) {
        let (start, end) = (a.0.max(b.0), a.1.min(b.1));
        if start < end {
            found.push((start, end));
        }
        if a.1 <= b.1 {
            left.next()
        } else {
            right.next()
        };
    }
    found
}

/// What one list has and another has not.
pub(super) fn without(one: &[Span], other: &[Span]) -> Vec<Span> {
    let mut left = Vec::new();
    for &(start, end) in one {
        let mut at = start;
        let first = other.partition_point(|(_, ends)| *ends <= start);
        for &(from, to) in other[first..].iter().take_while(|(from, _)| *from < end) {
            if at < from {
                left.push((at, from));
            }
            at = at.max(to);
        }
        if at < end {
            left.push((at, end));
        }
    }
    left
}

/// How long stretches are together.
pub(super) fn total(spans: &[Span]) -> Picoseconds {
    Picoseconds::new(spans.iter().map(|(start, end)| (*end - *start).ps()).sum())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans(raw: &[(i64, i64)]) -> Vec<Span> {
        raw.iter().map(|&(start, end)| (Picoseconds::new(start), Picoseconds::new(end))).collect()
    }

    fn holds(spans: &[Span], at: i64) -> bool {
        spans.iter().any(|(start, end)| (start.ps()..end.ps()).contains(&at))
    }

    proptest! {
        #[test]
        fn every_time_of_one_list_is_in_what_both_have_or_in_what_the_other_has_not(
            one in prop::collection::vec((0i64..60, 0i64..20), 0..8),
            other in prop::collection::vec((0i64..60, 0i64..20), 0..8),
        ) {
            let list = |raw: &[(i64, i64)]| -> Vec<(i64, i64)> { raw.iter().map(|&(at, long)| (at, at + long)).collect() };
            let (one, other) = (spans(&list(&one)), spans(&list(&other)));
            let (a, b) = (merged(one.clone()), merged(other.clone()));
            let (both, left) = (common(&a, &b), without(&a, &b));
            for at in 0..80 {
                prop_assert_eq!(holds(&a, at), holds(&one, at));
                prop_assert_eq!(holds(&both, at), holds(&one, at) && holds(&other, at));
                prop_assert_eq!(holds(&left, at), holds(&one, at) && !holds(&other, at));
            }
            prop_assert!(both.windows(2).all(|pair| pair[0].1 <= pair[1].0));
            let counted = (0..80).filter(|&at| holds(&both, at)).count() as i64;
            prop_assert_eq!(total(&both).ps(), counted);
        }
    }
}
