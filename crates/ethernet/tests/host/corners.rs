//! What seldom happens to a PC.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use crate::chip_common::{ByHand, CHIP_FIRST, PORT, sender};
use crate::common::{
    LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, Script, Wire, checksum, ms, options, pattern, us, wire,
};
use ethernet::{AckPolicy, Ending, Host, HostError, HostOptions, TcpId, TcpState};
use smoltcp::wire::TcpControl;

type Shared<T> = Arc<Mutex<T>>;

fn shared<T>(value: T) -> Shared<T> {
    Arc::new(Mutex::new(value))
}

const FAR: Ipv4Addr = Ipv4Addr::new(93, 184, 216, 34);

#[test]
fn what_is_far_goes_to_the_gateways_ethernet_address() {
    let mut wire = Wire::new(HostOptions { gateway: Some(RIGHT), ..options(true) }, options(false));
    wire.on_left(|_, sockets| {
        let id = sockets.bind(9, false).expect("a free port");
        assert!(sockets.send_to(id, FAR, 9, b"far"));
        None
    });
    wire.run(ms(10));
    let sent: Vec<_> = wire.carried.iter().filter(|c| c.from_left).collect();
    assert_eq!(sent.len(), 2, "a request and the datagram");
    assert_eq!(sent[0].bytes[38..42], RIGHT.octets());
    assert_eq!(sent[1].bytes[..6], RIGHT_MAC);
    assert_eq!(sent[1].bytes[30..34], FAR.octets());
    assert!(!wire.carried.iter().any(|c| !c.from_left && c.bytes[12..14] == [8, 0]), "it is no router");
}

#[test]
fn without_a_gateway_there_is_no_way_to_what_is_far() {
    let mut wire = wire();
    wire.on_left(|_, sockets| {
        assert_eq!(sockets.connect(FAR, 80), Err(HostError::NoRoute(FAR, 80)));
        assert!(!sockets.echo_request(FAR, 1, 1, b"ping"));
        None
    });
    wire.run(ms(10));
    assert!(wire.carried.is_empty());
}

#[test]
fn the_answer_to_a_syn_is_repeated_five_times_and_then_given_up() {
    let mut chip = ByHand::new(sender(options(false), Vec::new(), false));
    let start = chip.now;
    chip.says(TcpControl::Syn, 0, 2_048);
    let mut seconds = Vec::new();
    for _ in 0..100_000 {
        let heard = chip.hears(ms(1));
        seconds.extend(
            heard
                .iter()
                .filter(|(control, _)| *control == TcpControl::Syn)
                .map(|(_, sent)| (sent.at - start + ms(1)).ps() / units::PS_PER_S),
        );
        chip.introduce();
    }
    assert_eq!(seconds, [0, 1, 3, 7, 15, 31], "tcp_synack_retries is 5");
    assert_eq!(chip.host.connections(), 0);
}

#[test]
fn a_call_that_its_caller_takes_back_is_forgotten_and_the_next_one_may_begin_at_any_number() {
    let mut chip = ByHand::new(sender(options(false), Vec::new(), false));
    chip.says(TcpControl::Syn, 0, 2_048);
    assert_eq!(chip.hears(ms(1)).len(), 1, "the SYN is answered");
    chip.says(TcpControl::Rst, 0, 0);
    assert!(chip.hears(ms(1)).is_empty(), "the answer is not repeated");
    assert_eq!(chip.host.connections(), 0);
    chip.sequence = CHIP_FIRST.wrapping_add(i32::MIN);
    chip.says(TcpControl::Syn, 0, 2_048);
    assert_eq!(chip.hears(ms(1)).len(), 1, "the SYN is answered");
    chip.sequence = CHIP_FIRST;
    chip.says(TcpControl::Rst, 0, 0);
    chip.hears(ms(1));
    assert_eq!(chip.host.connections(), 1, "a number out of the window resets nothing");
}

/// Has the left PC connect to the right one, whose TCP is silent; answers how that ends once `notice` came for the SYN.
fn notified(code: u8) -> Option<Ending> {
    let mut wire = wire();
    wire.loses = Box::new(|_, carried| carried.is_tcp());
    let ending = shared(None);
    let told = ending.clone();
    let mut connection = None;
    wire.on_left(move |_, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, 80).expect("a way"));
        *told.lock().expect("a lock") = sockets.ending(id);
        None
    });
    wire.run(ms(10));
    let syn = wire.tcp().next().expect("a SYN").bytes.clone();
    let mut message = vec![3, code, 0, 0, 0, 0, 0, 0];
    message.extend_from_slice(&syn[14..42]);
    let sum = checksum(&message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let mut ip = vec![0x45, 0, 0, 20 + message.len() as u8, 0, 0, 0, 0, 64, 1, 0, 0];
    ip.extend_from_slice(&RIGHT.octets());
    ip.extend_from_slice(&LEFT.octets());
    let sum = checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let frame = [&LEFT_MAC[..], &RIGHT_MAC, &[8, 0], &ip, &message].concat();
    wire.right.send_frame(ms(10), frame);
    wire.run(ms(20));
    *ending.lock().expect("a lock")
}

#[test]
fn a_notice_during_the_handshake_ends_it() {
    assert_eq!(notified(0), Some(Ending::Unreachable), "network unreachable");
    assert_eq!(notified(1), Some(Ending::Unreachable), "host unreachable");
    assert_eq!(notified(3), Some(Ending::Refused), "port unreachable");
}

#[test]
fn a_closed_listener_resets_whom_nobody_accepted_and_refuses_later_ones() {
    let mut wire = wire();
    let mut listener = None;
    wire.on_right(move |now, sockets| {
        let id = *listener.get_or_insert_with(|| sockets.listen(80).expect("a free port"));
        if now >= ms(10) {
            sockets.close_listener(id);
        }
        (now < ms(10)).then_some(ms(10))
    });
    let endings = shared(Vec::new());
    let told = endings.clone();
    let mut connections: Vec<TcpId> = Vec::new();
    wire.on_left(move |now, sockets| {
        if connections.is_empty() || now >= ms(20) && connections.len() < 2 {
            connections.push(sockets.connect(RIGHT, 80).expect("a way"));
        }
        *told.lock().expect("a lock") = connections.iter().map(|id| sockets.ending(*id)).collect::<Vec<_>>();
        (now < ms(20)).then_some(ms(20))
    });
    wire.run(ms(100));
    assert_eq!(*endings.lock().expect("a lock"), [Some(Ending::Reset), Some(Ending::Refused)]);
    assert_eq!(wire.right.connections(), 0);
}

#[test]
fn a_closed_udp_socket_takes_no_datagrams_and_its_port_is_free() {
    let mut wire = wire();
    let mut done = false;
    wire.on_right(move |_, sockets| {
        if !std::mem::replace(&mut done, true) {
            let id = sockets.bind(9, false).expect("a free port");
            sockets.close_udp(id);
            assert!(!sockets.receive_from(id, |_, _| ()));
            let again = sockets.bind(9, true).expect("a free port");
            sockets.close_udp(again);
        }
        None
    });
    let codes = shared(Vec::new());
    let told = codes.clone();
    let mut socket = None;
    wire.on_left(move |now, sockets| {
        if now >= ms(1) {
            socket.get_or_insert_with(|| {
                let id = sockets.bind(9, false).expect("a free port");
                assert!(sockets.send_to(id, RIGHT, 9, b"late"));
            });
        }
        while let Some(notice) = sockets.take_unreachable() {
            told.lock().expect("a lock").push(notice.code);
        }
        (now < ms(1)).then_some(ms(1))
    });
    wire.run(ms(10));
    assert_eq!(*codes.lock().expect("a lock"), [3]);
}

#[test]
fn a_new_syn_takes_over_a_connection_that_is_over_and_an_old_one_is_answered() {
    let mut chip = ByHand::open(sender(options(false), Vec::new(), false), 2_048);
    let fins = chip.hears(ms(1));
    assert!(fins.iter().any(|(_, sent)| sent.fin), "the PC finished first");
    chip.says(TcpControl::None, 1, 2_048);
    chip.says(TcpControl::Fin, 1, 2_048);
    chip.sequence += 1;
    chip.hears(ms(1));
    chip.sequence = CHIP_FIRST - 100;
    chip.says(TcpControl::Syn, 0, 2_048);
    let old = chip.hears(ms(1));
    assert_eq!(old.len(), 1);
    assert_eq!(old[0].0, TcpControl::None, "an acknowledgement");
    chip.sequence = CHIP_FIRST + 5_000;
    chip.says(TcpControl::Syn, 0, 2_048);
    let new = chip.hears(ms(1));
    assert_eq!(new.iter().filter(|(control, _)| *control == TcpControl::Syn).count(), 1);
}

#[test]
fn an_end_that_overtook_lost_data_is_heard_when_it_comes_again() {
    let finished = shared(false);
    let heard = Arc::clone(&finished);
    let mut host = Host::new(options(false)).expect("a PC");
    let (mut listener, mut connection) = (None, None);
    host.seat(Script::boxed(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(PORT).expect("a free port"));
        connection = connection.or_else(|| sockets.accept(listener).map(|(id, _)| id));
        sockets.receive(connection?, |bytes| bytes.len());
        *heard.lock().unwrap() |= sockets.peer_finished(connection?);
        None
    }));
    let mut chip = ByHand::open(host, 2_048);
    chip.sequence += 100;
    chip.says_end(&[2; 40], 0, 2_048);
    chip.hears(ms(1));
    chip.sequence -= 100;
    chip.says_data(&[1; 100], 0, 2_048);
    chip.hears(ms(1));
    assert!(!*finished.lock().unwrap(), "the end was behind a hole");
    chip.says_end(&[2; 40], 0, 2_048);
    chip.hears(ms(1));
    assert!(*finished.lock().unwrap());
}

#[test]
fn datagrams_that_nobody_reads_are_dropped_once_the_buffer_is_full_and_counted() {
    let mut wire = wire();
    let read = shared(Vec::new());
    let told = read.clone();
    let mut socket = None;
    wire.on_right(move |now, sockets| {
        let id = *socket.get_or_insert_with(|| sockets.bind(9, false).expect("a free port"));
        if now >= ms(500) {
            while sockets.receive_from(id, |_, bytes| told.lock().expect("a lock").push(bytes[0])) {}
        }
        (now < ms(500)).then_some(ms(500))
    });
    let mut sent = 0;
    wire.on_left(move |_, sockets| {
        let id = sockets.bind(0, false).expect("a free port");
        if sent < 300 {
            assert!(sockets.send_to(id, RIGHT, 9, &[(sent % 251) as u8]));
            sent += 1;
        }
        sockets.close_udp(id);
        (sent < 300).then(|| ms(sent))
    });
    wire.run(ms(600));
    let read = read.lock().expect("a lock").clone();
    assert_eq!(read, pattern(0, 277), "212992 bytes hold 277 short datagrams with their overhead");
    assert_eq!(wire.right.counts().datagrams_dropped, 23);
}

/// Has the left PC send 100 bytes each 10 ms; answers how late the right one acknowledged each segment, in ms.
fn acknowledged_late(policy: AckPolicy) -> Vec<i64> {
    let mut wire = Wire::new(options(true), HostOptions { ack_policy: policy, ..options(false) });
    let mut listener = None;
    let mut accepted = None;
    wire.on_right(move |_, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(7).expect("a free port"));
        if let Some((id, _)) = sockets.accept(listener) {
            accepted = Some(id);
        }
        sockets.receive(accepted?, <[u8]>::len);
        None
    });
    let mut connection = None;
    let mut sent = 0;
    wire.on_left(move |now, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        sockets.set_nodelay(id, true);
        if sockets.state(id) == Some(TcpState::Open) && sent < 10 && now >= ms(10 * (sent + 1)) {
            sent += 1;
            assert_eq!(sockets.send(id, &[0; 100]), 100);
        }
        (sent < 10).then(|| ms(10 * (sent + 1)))
    });
    wire.run(ms(1_000));
    let data: Vec<_> = wire.tcp().filter(|c| c.from_left && c.payload() > 0).collect();
    assert_eq!(data.len(), 10);
    let end = |c: &crate::common::Carried| c.sequence().wrapping_add(c.payload() as u32);
    let answered = |c: &crate::common::Carried| {
        let answer = wire.tcp().find(|a| {
            !a.from_left && a.at > c.at && a.acknowledgment().wrapping_sub(end(c)).cast_signed() >= 0
        });
        (answer.expect("an acknowledgement").at - c.at).ps() / units::PS_PER_MS
    };
    data.iter().map(|c| answered(c)).collect()
}

#[test]
fn an_immediate_pc_acknowledges_each_segment_at_once() {
    assert_eq!(acknowledged_late(AckPolicy::Immediate), [0; 10]);
}

#[test]
fn a_delaying_pc_acknowledges_late_or_the_second_full_segment() {
    let late = acknowledged_late(AckPolicy::Delayed(ms(35)));
    assert_eq!(late[0], 35);
    assert!(late.iter().all(|late| *late <= 35), "{late:?}");
    assert!(late.iter().filter(|late| **late == 35).count() >= 2, "{late:?}");
}

#[test]
fn without_timestamps_a_syn_has_none_and_segments_are_1460_bytes() {
    let plain = HostOptions { timestamps: false, ..options(true) };
    let mut wire = Wire::new(plain, options(false));
    let mut listener = None;
    wire.on_right(move |_, sockets| {
        listener.get_or_insert_with(|| sockets.listen(7).expect("a free port"));
        None
    });
    let mut connection = None;
    let mut sent = false;
    wire.on_left(move |_, sockets| {
        let id = *connection.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        if sockets.state(id) == Some(TcpState::Open) && !std::mem::replace(&mut sent, true) {
            sockets.send(id, &[0; 5_000]);
        }
        None
    });
    wire.run(ms(100));
    let stamps = |bytes: &[u8]| bytes[54..].windows(2).any(|option| option == [8, 10]);
    assert!(wire.tcp().filter(|c| c.flags() & 2 == 2).all(|c| !stamps(&c.bytes)));
    assert_eq!(wire.tcp().filter(|c| c.flags() & 2 == 2).count(), 2);
    let sizes: Vec<usize> =
        wire.tcp().filter(|c| c.from_left && c.payload() > 0).map(|c| c.payload()).collect();
    assert_eq!(sizes, [1_460, 1_460, 1_460, 620]);
}

#[test]
fn an_acknowledgement_on_the_way_does_not_show_data_earlier_than_the_application_can_know_of_it() {
    let seen = shared(Vec::new());
    let mut host = Host::new(HostOptions { application_time: us(100), ..options(false) }).expect("a PC");
    let (mut listener, mut connection, record) = (None, None, seen.clone());
    host.seat(Script::boxed(move |now, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(PORT).expect("a free port"));
        if let Some((id, _)) = sockets.accept(listener) {
            connection = Some(id);
            sockets.send(id, b"first");
        }
        while sockets.take_news().is_some() {}
        let id = connection?;
        if sockets.receive(id, <[u8]>::len) > 0 {
            record.lock().expect("one thread").push(now);
        }
        None
    }));
    let mut chip = ByHand::open(host, 2_048);
    chip.hears(us(500));
    chip.says(TcpControl::None, 5, 2_048);
    chip.hears(us(60));
    chip.says_data(b"answer", 5, 2_048);
    let arrived = chip.now;
    chip.hears(us(500));
    let receive_time = options(false).receive_time;
    assert_eq!(*seen.lock().expect("one thread"), [arrived + receive_time + us(100)]);
}
