//! Resets, backlogs and many connections at once.

use super::*;

#[test]
fn a_reset_is_told_to_the_other_side() {
    let mut wire = wire();
    let endings = echo_server(&mut wire, 7);
    let mut connection = None;
    let ending = shared(None);
    let told = ending.clone();
    wire.on_left(move |_, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        if sockets.state(id) == Some(TcpState::Open) {
            sockets.abort(id);
            *told.lock().expect("a lock") = sockets.ending(id);
        }
        None
    });
    wire.run(ms(100));
    assert_eq!(*ending.lock().expect("a lock"), Some(Ending::Aborted));
    assert_eq!(*endings.lock().expect("a lock"), [Ending::Reset]);
}

#[test]
fn a_hundred_connections_at_once_are_all_accepted() {
    let mut wire = wire();
    let endings = echo_server(&mut wire, 7);
    let outcomes: Vec<_> = (0..100).map(|n| client(&mut wire, 7, pattern(n, 1_000))).collect();
    wire.run(ms(5_000));
    for (n, outcome) in outcomes.iter().enumerate() {
        let outcome = outcome.lock().expect("a lock");
        assert_eq!(outcome.received, pattern(n, 1_000));
        assert_eq!(outcome.ending, Some(Ending::Finished));
    }
    assert_eq!(endings.lock().expect("a lock").len(), 100);
    assert_eq!(wire.right.connections(), 0);
}

#[test]
fn a_full_backlog_leaves_a_syn_unanswered_and_its_repetition_finds_room() {
    let mut right = options(false);
    right.backlog = 2;
    let mut wire = Wire::new(options(true), right);
    let _ = echo_server(&mut wire, 7);
    let outcomes: Vec<_> = (0..5).map(|n| client(&mut wire, 7, pattern(n, 10))).collect();
    wire.run(ms(10_000));
    for outcome in &outcomes {
        assert_eq!(outcome.lock().expect("a lock").ending, Some(Ending::Finished));
    }
    let late = outcomes
        .iter()
        .filter(|outcome| outcome.lock().expect("a lock").opened_at.expect("open") > ms(900))
        .count();
    assert_eq!(late, 3);
    assert_eq!(wire.right.counts().syns_dropped, 4, "three at first, and one of the three repetitions");
}
