//! What each pairing rule makes of triggers and done edges: one short timeline per rule, then the accounting
//! that holds for any timeline.

use capture::Change;
use capture::pairing::{DoneOutcome, Outcomes, Pairer, Pairing, Rule, Settings, TriggerOutcome};
use proptest::prelude::*;

/// A pulse on one of the two channels; times in nanoseconds to read well.
#[derive(Debug, Clone, Copy)]
enum Pulse {
    Trigger(i64),
    Done(i64),
    /// Done goes high at the first time and low at the second.
    LongDone(i64, i64),
}
use Pulse::{Done, LongDone, Trigger};

/// Level changes of pulses that are 1 ns wide.
fn changes(pulses: &[Pulse]) -> Vec<Change> {
    let mut edges: Vec<(i64, u64, bool)> = Vec::new();
    for pulse in pulses {
        let (bit, from, to) = match *pulse {
            Trigger(at) => (1, at, at + 1),
            Done(at) => (2, at, at + 1),
            LongDone(from, to) => (2, from, to),
        };
        edges.extend([(from, bit, true), (to, bit, false)]);
    }
    edges.sort_unstable();
    let mut levels = 0;
    let mut changes = vec![Change { time_ps: -1_000_000, levels }];
    for (at, bit, high) in edges {
        levels = if high { levels | bit } else { levels & !bit };
        match changes.last_mut() {
            Some(last) if last.time_ps == at * 1000 => last.levels = levels,
            _ => changes.push(Change { time_ps: at * 1000, levels }),
        }
    }
    changes
}

fn pair(pulses: &[Pulse], settings: Settings) -> Pairing {
    let mut pairer = Pairer::new(settings);
    for change in changes(pulses) {
        pairer.push(&[change]);
    }
    pairer.finish()
}

fn strict() -> Settings {
    Settings { glitch_ps: Some(0), ..Settings::default() }
}

/// Latencies in nanoseconds, `None` where the trigger was not paired.
fn latencies(pairing: &Pairing) -> Vec<Option<i64>> {
    pairing.triggers().map(|t| t.done_ps.map(|done| (done - t.trigger_ps) / 1000)).collect()
}

#[test]
fn a_done_edge_before_the_next_trigger_completes_the_trigger() {
    let pairing = pair(&[Trigger(0), Done(5), Trigger(100), Done(107)], strict());
    assert_eq!(latencies(&pairing), [Some(5), Some(7)]);
    assert_eq!(pairing.outcomes(), Outcomes { paired: 2, ..Outcomes::default() });
}

#[test]
fn a_trigger_without_a_done_edge_is_missed() {
    let pairing = pair(&[Trigger(0), Done(5), Trigger(100), Trigger(200), Done(205)], strict());
    assert_eq!(latencies(&pairing), [Some(5), None, Some(5)]);
    assert_eq!(pairing.outcomes().missed, 1);
}

#[test]
fn a_done_edge_after_the_next_trigger_is_late_when_a_second_one_follows() {
    let pairing = pair(&[Trigger(0), Trigger(100), Done(103), Done(140), Trigger(200), Done(250)], strict());
    assert_eq!(latencies(&pairing), [None, Some(40), Some(50)]);
    let late = pairing.unpaired_dones()[0];
    assert_eq!((late.done_ps, late.outcome, late.trigger_index), (103_000, DoneOutcome::Late, Some(0)));
}

#[test]
fn one_done_edge_alone_pairs_with_the_nearer_trigger() {
    let pairing = pair(&[Trigger(0), Trigger(100), Done(103)], strict());
    assert_eq!(latencies(&pairing), [None, Some(3)]);
    assert_eq!(pairing.outcomes().late, 0);
}

#[test]
fn one_done_edge_alone_is_late_when_it_comes_sooner_than_the_least_latency() {
    let settings = Settings { min_latency_ps: 10_000, ..strict() };
    let pairing = pair(&[Trigger(0), Trigger(100), Done(103), Trigger(200), Done(240)], settings);
    assert_eq!(latencies(&pairing), [None, None, Some(40)]);
    assert_eq!((pairing.outcomes().late, pairing.outcomes().missed), (1, 2));
}

#[test]
fn a_done_edge_sooner_than_the_least_latency_is_spurious_when_nothing_was_missing() {
    let settings = Settings { min_latency_ps: 10_000, ..strict() };
    let pairing = pair(&[Trigger(0), Done(3), Done(40)], settings);
    assert_eq!(latencies(&pairing), [Some(40)]);
    assert_eq!(pairing.outcomes().spurious, 1);
}

#[test]
fn further_done_edges_are_duplicates() {
    let pairing = pair(&[Trigger(0), Done(5), Done(8), Done(11), Trigger(100), Done(104)], strict());
    assert_eq!(latencies(&pairing), [Some(5), Some(4)]);
    assert_eq!(pairing.outcomes().duplicate, 2);
}

#[test]
fn a_late_edge_is_claimed_by_the_trigger_just_before_only() {
    let pulses =
        [Trigger(0), Trigger(100), Trigger(200), Done(205), Done(240), Trigger(300), Done(305), Done(310)];
    let pairing = pair(&pulses, strict());
    assert_eq!(latencies(&pairing), [None, None, Some(40), Some(5)]);
    assert_eq!(pairing.unpaired_dones()[0].trigger_index, Some(1));
    assert_eq!(pairing.outcomes().duplicate, 1);
}

#[test]
fn a_done_edge_before_any_trigger_is_spurious() {
    let pairing = pair(&[Done(-50), Trigger(0), Done(5)], strict());
    assert_eq!(pairing.outcomes().spurious, 1);
    assert_eq!(latencies(&pairing), [Some(5)]);
}

#[test]
fn a_trigger_while_done_is_high_is_overlapped_and_its_done_edge_spurious() {
    let pairing =
        pair(&[Trigger(0), LongDone(90, 110), Trigger(100), Done(150), Trigger(200), Done(205)], strict());
    let outcomes: Vec<_> = pairing.triggers().map(|t| t.outcome).collect();
    assert_eq!(outcomes, [TriggerOutcome::Paired, TriggerOutcome::Overlapped, TriggerOutcome::Paired]);
    assert_eq!(pairing.outcomes().spurious, 1);
}

#[test]
fn edges_at_the_same_instant_give_the_done_edge_to_the_trigger_before() {
    let pairing = pair(&[Trigger(0), Trigger(100), Done(100), Trigger(200), Done(203)], strict());
    assert_eq!(latencies(&pairing), [Some(100), None, Some(3)]);
    assert_eq!(pairing.trigger(1).outcome, TriggerOutcome::Overlapped);
}

#[test]
fn a_second_trigger_edge_closer_than_the_glitch_time_is_a_glitch() {
    let settings = Settings { glitch_ps: Some(20_000), ..strict() };
    let pairing = pair(&[Trigger(0), Trigger(10), Done(50), Trigger(100), Done(150)], settings);
    assert_eq!(latencies(&pairing), [Some(50), None, Some(50)]);
    assert_eq!(pairing.outcomes().glitch, 1);
}

#[test]
fn without_a_glitch_time_a_hundredth_of_the_typical_interval_serves_even_if_every_trigger_is_doubled() {
    let doubled: Vec<Pulse> = (0..50)
        .flat_map(|k| [Trigger(k * 10_000), Trigger(k * 10_000 + 50), Done(k * 10_000 + 400)])
        .collect();
    let pairing = pair(&doubled, Settings::default());
    assert_eq!(
        pairing.glitch_ps, 99_500,
        "a hundredth of 9.95 us, the time from a doubled edge to the next trigger"
    );
    assert_eq!(pairing.outcomes(), Outcomes { paired: 50, glitch: 50, ..Outcomes::default() });
}

#[test]
fn fifo_pairs_in_order_when_latency_exceeds_the_trigger_interval() {
    let pulses = [Trigger(0), Trigger(100), Done(150), Trigger(200), Done(252), Done(350)];
    let pairing = pair(&pulses, Settings { rule: Rule::Fifo, ..strict() });
    assert_eq!(latencies(&pairing), [Some(150), Some(152), Some(150)]);
}

#[test]
fn fifo_recovers_from_a_lost_message_when_it_knows_the_longest_latency() {
    let pulses = [Trigger(0), Trigger(100), Trigger(200), Done(250), Trigger(300), Done(351), Done(452)];
    let settings = Settings { rule: Rule::Fifo, max_latency_ps: Some(200_000), ..strict() };
    let pairing = pair(&pulses, settings);
    assert_eq!(latencies(&pairing), [None, Some(150), Some(151), Some(152)]);
}

#[test]
fn fifo_takes_a_trigger_while_done_is_high_for_what_it_is() {
    let pulses = [Trigger(0), LongDone(90, 110), Trigger(100), Done(190)];
    let pairing = pair(&pulses, Settings { rule: Rule::Fifo, ..strict() });
    assert_eq!(latencies(&pairing), [Some(90), Some(90)]);
}

#[test]
fn the_published_rule_hides_a_lost_message_as_one_trigger_period_of_latency() {
    let pulses = [Trigger(0), Done(5), Trigger(100), Trigger(200), Done(206)];
    let published = Settings { rule: Rule::Published, ..Settings::default() };
    assert_eq!(latencies(&pair(&pulses, published)), [Some(5), Some(106), Some(6)]);
}

#[test]
fn the_published_rule_counts_a_doubled_trigger_twice() {
    let published = Settings { rule: Rule::Published, ..Settings::default() };
    let pairing = pair(&[Trigger(0), Trigger(10), Done(50)], published);
    assert_eq!(latencies(&pairing), [Some(50), Some(40)]);
}

#[test]
fn a_level_that_is_high_from_the_start_is_no_edge() {
    let mut pairer = Pairer::new(strict());
    pairer.push(&[Change { time_ps: 0, levels: 3 }, Change { time_ps: 10, levels: 0 }]);
    assert!(pairer.finish().is_empty());
}

fn any_timeline() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((1i64..50, 0u64..4), 0..300).prop_map(|steps| {
        let mut time_ps = 0;
        let mut changes = vec![Change { time_ps, levels: 0 }];
        for (gap, levels) in steps {
            time_ps += gap;
            changes.push(Change { time_ps, levels });
        }
        changes
    })
}

fn rising_edges(changes: &[Change], bit: u64) -> u64 {
    changes.windows(2).filter(|pair| pair[1].levels & !pair[0].levels & bit != 0).count() as u64
}

proptest! {
    #[test]
    fn every_edge_ends_in_exactly_one_outcome(
        timeline in any_timeline(),
        rule in prop::sample::select(vec![Rule::Strict, Rule::Fifo]),
        glitch_ps in prop::option::of(0i64..60),
        min_latency_ps in 0i64..60,
        max_latency_ps in prop::option::of(1i64..200),
    ) {
        let mut pairer = Pairer::new(Settings { rule, glitch_ps, min_latency_ps, max_latency_ps });
        pairer.push(&timeline);
        let pairing = pairer.finish();
        let counts = pairing.outcomes();
        prop_assert_eq!(counts.triggers(), rising_edges(&timeline, 1));
        prop_assert_eq!(counts.paired + counts.late + counts.duplicate + counts.spurious, rising_edges(&timeline, 2));
        prop_assert!(pairing.latencies_ps().iter().all(|latency| *latency >= min_latency_ps));
    }

    #[test]
    fn no_strict_completion_lies_beyond_the_next_trigger(timeline in any_timeline()) {
        let mut pairer = Pairer::new(strict());
        pairer.push(&timeline);
        let pairing = pairer.finish();
        for pair in pairing.triggers().collect::<Vec<_>>().windows(2) {
            prop_assert!(pair[0].done_ps.is_none_or(|done| done <= pair[1].trigger_ps));
        }
    }

    #[test]
    fn batches_of_any_size_give_the_same_pairing(timeline in any_timeline(), cut in 0usize..300) {
        let cut = cut.min(timeline.len());
        let whole = { let mut p = Pairer::new(Settings::default()); p.push(&timeline); p.finish() };
        let parts = {
            let mut p = Pairer::new(Settings::default());
            p.push(&timeline[..cut]);
            p.push(&timeline[cut..]);
            p.finish()
        };
        prop_assert_eq!(whole, parts);
    }
}
