//! Windows, Nagle, first flights and keep-alives.

use super::*;

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
