//! What arrives all the same, and who is asked again.

use super::*;

#[test]
fn bytes_go_there_and_back_and_both_sides_finish() {
    let mut wire = wire();
    let endings = echo_server(&mut wire, 7);
    let outcome = client(&mut wire, 7, pattern(0, 300_000));
    wire.run(ms(10_000));
    let outcome = outcome.lock().expect("a lock").clone();
    assert_eq!(outcome.received, pattern(0, 300_000));
    assert_eq!(outcome.ending, Some(Ending::Finished));
    assert_eq!(*endings.lock().expect("a lock"), [Ending::Finished]);
    assert!(outcome.ended_at.expect("an end") < ms(200), "{:?}", outcome.ended_at);
}

#[test]
fn what_the_wire_loses_arrives_all_the_same() {
    for every in [7, 13, 50] {
        let mut wire = wire();
        wire.loses = Box::new(move |n, _| n % every == every - 1);
        let endings = echo_server(&mut wire, 7);
        let outcome = client(&mut wire, 7, pattern(3, 100_000));
        wire.run(ms(600_000));
        let outcome = outcome.lock().expect("a lock").clone();
        assert_eq!(outcome.received, pattern(3, 100_000), "one of {every} lost");
        assert_eq!(outcome.ending, Some(Ending::Finished));
        assert_eq!(*endings.lock().expect("a lock"), [Ending::Finished]);
    }
}

#[test]
fn a_closed_port_refuses() {
    let mut wire = wire();
    let outcome = client(&mut wire, 9, Vec::new());
    wire.run(ms(1_000));
    let outcome = outcome.lock().expect("a lock").clone();
    assert_eq!(outcome.ending, Some(Ending::Refused));
    assert!(outcome.ended_at.expect("an end") < ms(1));
}

#[test]
fn a_neighbour_that_does_not_exist_is_asked_for_three_times_a_second_apart() {
    let mut wire = wire();
    wire.loses = Box::new(|_, _| true);
    let outcome = client(&mut wire, 9, Vec::new());
    wire.run(ms(20_000));
    assert_eq!(outcome.lock().expect("a lock").ending, Some(Ending::Unreachable));
    let asked: Vec<_> = wire.carried.iter().map(|carried| carried.at).collect();
    assert_eq!(asked.len(), 3, "{asked:?}");
    for pair in asked.windows(2) {
        assert!((pair[1] - pair[0] - ms(1_000)).ps().abs() < ms(2).ps(), "{asked:?}");
    }
}

#[test]
fn a_syn_that_nobody_answers_is_repeated_as_linux_repeats_it() {
    let mut wire = wire();
    wire.loses = Box::new(|_, carried| carried.is_tcp());
    let outcome = client(&mut wire, 9, Vec::new());
    wire.run(ms(200_000));
    let first = wire.tcp().next().expect("a SYN").at;
    let after = |carried: &crate::common::Carried| (carried.at - first + ms(1)).ps() / units::PS_PER_S;
    let seconds: Vec<i64> = wire.tcp().map(after).collect();
    assert_eq!(seconds, SYN_SECONDS);
    assert_eq!(outcome.lock().expect("a lock").ending, Some(Ending::TimedOut));
    assert!(wire.tcp().all(|carried| carried.is_syn()));
}

/// Seen of Linux 6.18 with its defaults (`tcp_syn_retries` 6, `tcp_syn_linear_timeouts` 4), whose timers were up to 4 % late.
const SYN_SECONDS: [i64; 11] = [0, 1, 2, 3, 4, 5, 7, 11, 19, 35, 67];

#[test]
fn a_lost_segment_is_repeated_after_200_ms_and_then_400() {
    let mut wire = wire();
    let _ = echo_server(&mut wire, 7);
    let _ = client(&mut wire, 7, pattern(0, 100));
    wire.loses = Box::new(|_, carried| carried.from_left && carried.is_tcp() && carried.payload() > 0);
    wire.run(ms(3_000));
    let sent: Vec<_> = wire.tcp().filter(|c| c.from_left && c.payload() > 0).map(|c| c.at).collect();
    let gaps: Vec<i64> = sent.windows(2).map(|pair| (pair[1] - pair[0]).ps() / units::PS_PER_MS).collect();
    assert!(gaps.len() >= 3, "{gaps:?}");
    for (gap, wanted) in gaps.iter().zip([200, 400, 800]) {
        assert!((wanted..wanted + 10).contains(gap), "{gaps:?}");
    }
}

#[test]
fn three_repeated_acknowledgements_bring_the_lost_segment_before_its_time_out() {
    let mut wire = wire();
    let mut seen = 0;
    wire.loses = Box::new(move |_, carried| {
        let data = carried.from_left && carried.is_tcp() && carried.payload() > 0;
        seen += usize::from(data);
        data && seen == 3
    });
    let _ = echo_server(&mut wire, 7);
    let outcome = client(&mut wire, 7, pattern(0, 14_000));
    wire.run(ms(100));
    assert_eq!(outcome.lock().expect("a lock").received, pattern(0, 14_000));
    let again = wire.tcp().filter(|c| c.from_left && c.payload() > 0).count();
    assert_eq!(again, 11, "ten segments and one of them twice");
}
