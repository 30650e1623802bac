//! News, ports and sequence numbers of connections that follow each other.

use super::*;

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
