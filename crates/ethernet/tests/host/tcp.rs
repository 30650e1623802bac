//! TCP between two virtual PCs.

use std::sync::{Arc, Mutex};

use crate::common::{Carried, LEFT, RIGHT, Wire, ms, options, pattern, us, wire};
use ethernet::{Ending, News, TcpId, TcpState};
use units::Picoseconds;

type Shared<T> = Arc<Mutex<T>>;

fn shared<T>(value: T) -> Shared<T> {
    Arc::new(Mutex::new(value))
}

/// Has the right PC accept everything and answer each byte with itself; finishes when its peer did.
fn echo_server(wire: &mut Wire, port: u16) -> Shared<Vec<Ending>> {
    let endings = shared(Vec::new());
    let told = endings.clone();
    let mut listener = None;
    let mut waiting: Vec<(TcpId, Vec<u8>, bool)> = Vec::new();
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(port).expect("a free port"));
        while sockets.take_news().is_some() {}
        while let Some((id, _)) = sockets.accept(listener) {
            waiting.push((id, Vec::new(), false));
        }
        waiting.retain_mut(|(id, bytes, finished)| {
            sockets.receive(*id, |arrived| {
                bytes.extend_from_slice(arrived);
                arrived.len()
            });
            let sent = sockets.send(*id, bytes);
            bytes.drain(..sent);
            if sockets.peer_finished(*id) && bytes.is_empty() && !*finished {
                *finished = true;
                sockets.finish(*id);
            }
            if let Some(ending) = sockets.ending(*id) {
                told.lock().expect("a lock").push(ending);
                sockets.forget(*id);
                return false;
            }
            true
        });
        None
    });
    endings
}

#[derive(Debug, Default, Clone)]
struct Outcome {
    received: Vec<u8>,
    ending: Option<Ending>,
    opened_at: Option<Picoseconds>,
    ended_at: Option<Picoseconds>,
}

/// Has the left PC connect, send `bytes`, finish and read until the end.
fn client(wire: &mut Wire, port: u16, bytes: Vec<u8>) -> Shared<Outcome> {
    let outcome = shared(Outcome::default());
    let told = outcome.clone();
    let mut connection = None;
    let mut sent = 0;
    let mut finished = false;
    wire.on_left(move |now, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, port).expect("a way"));
        let mut told = told.lock().expect("a lock");
        while sockets.take_news().is_some() {}
        if sockets.state(id) == Some(TcpState::Open) {
            told.opened_at.get_or_insert(now);
            sent += sockets.send(id, &bytes[sent..]);
            if sent == bytes.len() && !finished {
                finished = true;
                sockets.finish(id);
            }
        }
        sockets.receive(id, |arrived| {
            told.received.extend_from_slice(arrived);
            arrived.len()
        });
        if let Some(ending) = sockets.ending(id) {
            told.ending.get_or_insert(ending);
            told.ended_at.get_or_insert(now);
        }
        None
    });
    outcome
}

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

#[test]
fn holding_closes_the_window_and_resuming_opens_it() {
    let mut wire = wire();
    let taken = shared(0);
    let told = taken.clone();
    let mut listener = None;
    let mut connection = None;
    wire.on_right(move |now, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(7).expect("a free port"));
        if let Some((id, _)) = sockets.accept(listener) {
            sockets.hold(id, true);
            connection = Some(id);
        }
        let id = connection?;
        if now >= ms(500) {
            sockets.hold(id, false);
        }
        *told.lock().expect("a lock") += sockets.receive(id, <[u8]>::len);
        (now < ms(500)).then_some(ms(500))
    });
    let _ = client(&mut wire, 7, pattern(0, 200_000));
    wire.run(ms(499));
    assert_eq!(*taken.lock().expect("a lock"), 0);
    let last = wire.tcp().filter(|c| !c.from_left).last().expect("an acknowledgement");
    assert_eq!(last.window(), 0);
    wire.run(ms(2_000));
    assert_eq!(*taken.lock().expect("a lock"), 200_000);
}

/// Sends two short messages at once; answers when each left.
fn two_short_messages(nodelay: bool) -> Vec<Picoseconds> {
    let mut wire = wire();
    wire.delay = ms(5);
    let _ = echo_server(&mut wire, 7);
    let mut connection = None;
    let mut sent = false;
    wire.on_left(move |_, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        if sockets.state(id) == Some(TcpState::Open) && !sent {
            sent = true;
            sockets.set_nodelay(id, nodelay);
            sockets.send(id, b"one");
            sockets.send(id, b"two");
        }
        None
    });
    wire.run(ms(100));
    wire.tcp().filter(|c| c.from_left && c.payload() > 0).map(|c| c.at).collect()
}

#[test]
fn nagle_holds_a_second_short_message_until_the_first_is_acknowledged() {
    let with_nagle = two_short_messages(false);
    assert_eq!(with_nagle.len(), 2);
    assert!(with_nagle[1] - with_nagle[0] >= ms(10), "a round trip: {with_nagle:?}");
    let without = two_short_messages(true);
    assert_eq!(without.len(), 2);
    assert!(without[1] - without[0] < us(1), "{without:?}");
}

#[test]
fn the_short_end_of_a_long_message_does_not_wait_for_its_beginning() {
    let mut wire = wire();
    wire.delay = ms(5);
    let _ = echo_server(&mut wire, 7);
    let _ = client(&mut wire, 7, pattern(0, 2_000));
    wire.run(ms(100));
    let left: Vec<_> = wire.tcp().filter(|c| c.from_left && c.payload() > 0).collect();
    assert_eq!(left.iter().map(|c| c.payload()).collect::<Vec<_>>(), [1448, 552]);
    assert_eq!(left[0].at, left[1].at);
}

#[test]
fn the_first_flight_is_ten_segments() {
    let mut wire = wire();
    wire.delay = ms(5);
    let _ = echo_server(&mut wire, 7);
    let _ = client(&mut wire, 7, pattern(0, 60_000));
    wire.run(ms(200));
    let left: Vec<_> = wire.tcp().filter(|c| c.from_left && c.payload() > 0).collect();
    let first = left.iter().filter(|c| c.at < left[0].at + ms(5)).count();
    assert_eq!(first, 10);
}

#[test]
fn a_syn_offers_what_linux_offers() {
    let mut wire = wire();
    let _ = client(&mut wire, 7, Vec::new());
    wire.run(ms(10));
    let syn = wire.tcp().next().expect("a SYN");
    assert_eq!(syn.window(), 64_240);
    let options = &syn.bytes[54..];
    assert_eq!(options.len(), 20);
    assert!(options.windows(4).any(|o| o == [2, 4, 0x05, 0xB4]), "MSS 1460");
    assert!(options.windows(3).any(|o| o == [3, 3, 7]), "window scale 7");
    assert!(options.windows(2).any(|o| o == [4, 2]), "SACK permitted");
    assert!(options.windows(2).any(|o| o == [8, 10]), "timestamp");
}

#[test]
fn the_side_that_finished_last_may_be_spoken_to_again_and_answers() {
    let mut wire = wire();
    let _ = echo_server(&mut wire, 7);
    let outcome = client(&mut wire, 7, pattern(0, 10));
    wire.run(ms(1_000));
    assert_eq!(outcome.lock().expect("a lock").ending, Some(Ending::Finished));
    let fin = wire.tcp().filter(|c| !c.from_left && c.flags() & 1 == 1).last().expect("a FIN").clone();
    let before = wire.carried.len();
    wire.right.send_frame(wire.now, fin.bytes.clone());
    wire.run(ms(1_100));
    let answers: Vec<_> = wire.carried[before..].iter().filter(|c| c.from_left).collect();
    assert_eq!(answers.len(), 1);
    assert!(answers[0].is_ack_only());
    assert_eq!(answers[0].acknowledgment(), fin.sequence().wrapping_add(fin.payload() as u32 + 1));
}

#[test]
fn an_idle_connection_stays_and_a_keep_alive_probes_it() {
    let mut wire = wire();
    let endings = echo_server(&mut wire, 7);
    let mut connection = None;
    let state = shared(None);
    let told = state.clone();
    wire.on_left(move |now, sockets| {
        let id = *connection.get_or_insert_with(|| {
            let id = sockets.connect(RIGHT, 7).expect("a way");
            sockets.set_keep_alive(id, Some(ms(60_000)));
            id
        });
        *told.lock().expect("a lock") = sockets.state(id);
        Some(now + ms(100_000))
    });
    wire.run(ms(2_000_000));
    assert_eq!(*state.lock().expect("a lock"), Some(TcpState::Open));
    assert!(endings.lock().expect("a lock").is_empty());
    let probes = wire.tcp().filter(|c| c.from_left && c.payload() == 1).count();
    assert!((30..=34).contains(&probes), "{probes}");
    assert!(wire.steps < 2_000, "{} steps for an idle connection", wire.steps);
}

#[test]
fn news_names_the_connection_and_the_listener() {
    let mut wire = wire();
    let heard = shared(Vec::new());
    let told = heard.clone();
    let mut listener = None;
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(7).expect("a free port"));
        while let Some(news) = sockets.take_news() {
            told.lock().expect("a lock").push(match news {
                News::Listener(_) => {
                    let (_, peer) = sockets.accept(listener).expect("a connection");
                    format!("from {}", peer.0)
                }
                News::Tcp(id) => {
                    let mut bytes = Vec::new();
                    sockets.receive(id, |arrived| {
                        bytes.extend_from_slice(arrived);
                        arrived.len()
                    });
                    format!("{} bytes, finished {}", bytes.len(), sockets.peer_finished(id))
                }
                _ => "other".to_owned(),
            });
        }
        None
    });
    let _ = client(&mut wire, 7, pattern(0, 5));
    wire.run(ms(100));
    let heard = heard.lock().expect("a lock").clone();
    assert_eq!(heard[0], format!("from {LEFT}"));
    assert!(heard.contains(&"5 bytes, finished true".to_owned()), "{heard:?}");
}

#[test]
fn five_hundred_connections_one_after_the_other_leave_nothing_behind() {
    let mut wire = wire();
    let endings = echo_server(&mut wire, 7);
    let done = shared(0);
    let told = done.clone();
    let mut connection = None;
    let mut sent = false;
    wire.on_left(move |_, sockets| {
        while sockets.take_news().is_some() {}
        let mut done = told.lock().expect("a lock");
        if let Some(id) = connection {
            if sockets.state(id) == Some(TcpState::Open) && !std::mem::replace(&mut sent, true) {
                assert_eq!(sockets.send(id, b"GET /"), 5);
                sockets.finish(id);
            }
            sockets.receive(id, <[u8]>::len);
            if let Some(ending) = sockets.ending(id) {
                assert_eq!(ending, Ending::Finished);
                *done += 1;
                sockets.forget(id);
                connection = None;
            }
        }
        if connection.is_none() && *done < 500 {
            sent = false;
            connection = Some(sockets.connect(RIGHT, 7).expect("a way"));
        }
        None
    });
    wire.run(ms(30_000));
    assert_eq!(*done.lock().expect("a lock"), 500);
    assert_eq!(endings.lock().expect("a lock").len(), 500);
    assert_eq!(wire.left.connections() + wire.right.connections(), 0);
    let ports: std::collections::BTreeSet<_> =
        wire.tcp().filter(|c| c.is_syn()).map(|c| [c.bytes[34], c.bytes[35]]).collect();
    assert_eq!(ports.len(), 500, "each from a port of its own");
}

#[test]
fn the_same_seed_gives_the_same_frames() {
    let run = || {
        let mut wire = wire();
        wire.loses = Box::new(|n, _| n % 9 == 5);
        let _ = echo_server(&mut wire, 7);
        let _ = client(&mut wire, 7, pattern(0, 30_000));
        wire.run(ms(60_000));
        wire.carried.into_iter().map(|c| (c.at, c.bytes)).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

/// The SYNs of connections from the left that the right finishes first, one after the other.
fn syns_of(count: usize, begin: Picoseconds) -> Vec<Carried> {
    let mut wire = wire();
    let mut listener = None;
    let mut open: Vec<TcpId> = Vec::new();
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(80).expect("a free port"));
        while sockets.take_news().is_some() {}
        while let Some((id, _)) = sockets.accept(listener) {
            sockets.finish(id);
            open.push(id);
        }
        open.retain(|&id| sockets.ending(id).map(|_| sockets.forget(id)).is_none());
        None
    });
    let (mut current, mut begun) = (None, 0);
    wire.on_left(move |now, sockets| {
        while sockets.take_news().is_some() {}
        if now < begin {
            return Some(begin);
        }
        if let Some(id) = current {
            if sockets.peer_finished(id) && sockets.ending(id).is_none() {
                sockets.finish(id);
            }
            if sockets.ending(id).is_some() {
                sockets.forget(id);
                current = None;
            }
        }
        if current.is_none() && begun < count {
            begun += 1;
            current = Some(sockets.connect(RIGHT, 80).expect("a way"));
        }
        None
    });
    wire.run(begin + ms(2_000));
    wire.carried.into_iter().filter(|one| one.from_left && one.is_syn()).collect()
}

#[test]
fn a_port_comes_back_only_after_all_others() {
    let syns = syns_of(1_000, Picoseconds::ZERO);
    let ports: std::collections::BTreeSet<_> =
        syns.iter().map(|syn| [syn.bytes[34], syn.bytes[35]]).collect();
    assert_eq!((syns.len(), ports.len()), (1_000, 1_000), "RFC 6056, algorithm 4");
}

#[test]
fn the_first_number_of_a_connection_follows_a_clock() {
    let [early, late] = [ms(0), ms(4_000)].map(|begin| syns_of(1, begin).remove(0));
    assert_eq!(early.bytes[34..36], late.bytes[34..36], "the same connection");
    let passed = (late.at - early.at).ps() / 64_000;
    let difference = i64::from(late.sequence().wrapping_sub(early.sequence()));
    assert!((difference - passed).abs() <= 1, "RFC 6528, a tick each 64 ns: {difference}, not {passed}");
}
