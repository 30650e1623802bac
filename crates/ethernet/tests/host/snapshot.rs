//! A copy of a PC: what goes on from it equals what goes on without it.

use crate::common::{RIGHT, Wire, ms, options, pattern};
use ethernet::{Application, HostOptions, ListenerId, SeatId, Sockets, Station, TcpId, TcpState, UdpId};
use units::Picoseconds;

/// Asks and answers by UDP, ICMP and TCP; with a partner it opens a connection now and then.
#[derive(Debug, Clone, Default)]
struct Chatter {
    asks: bool,
    socket: Option<UdpId>,
    listener: Option<ListenerId>,
    connection: Option<TcpId>,
    accepted: Vec<TcpId>,
    sent: bool,
    rounds: u16,
    heard: usize,
}

const ROUND: i64 = 40;

impl Chatter {
    fn ask(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>, socket: UdpId) {
        if now < ms(i64::from(self.rounds) * ROUND) {
            return;
        }
        self.rounds += 1;
        sockets.send_to(socket, RIGHT, 7, &pattern(usize::from(self.rounds), 100));
        sockets.echo_request(RIGHT, 5, self.rounds, b"ping");
        if self.rounds.is_multiple_of(3) && self.connection.is_none() {
            self.connection = sockets.connect(RIGHT, 7).ok();
            self.sent = false;
        }
    }

    fn drive(&mut self, sockets: &mut Sockets<'_>) {
        let Some(id) = self.connection else { return };
        if sockets.state(id) == Some(TcpState::Open) && !std::mem::replace(&mut self.sent, true) {
            sockets.send(id, b"hello");
            sockets.finish(id);
        }
        if sockets.ending(id).is_some() {
            sockets.forget(id);
            self.connection = None;
        }
    }

    fn serve(&mut self, sockets: &mut Sockets<'_>) {
        let listener = self.listener.expect("it listens");
        while let Some((id, _)) = sockets.accept(listener) {
            self.accepted.push(id);
        }
        let heard = &mut self.heard;
        self.accepted.retain(|id| {
            *heard += sockets.receive(*id, <[u8]>::len);
            if sockets.peer_finished(*id) {
                sockets.finish(*id);
            }
            let over = sockets.ending(*id).is_some();
            if over {
                sockets.forget(*id);
            }
            !over
        });
    }
}

impl Application for Chatter {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        let socket = *self.socket.get_or_insert_with(|| sockets.bind(7, false).expect("a free port"));
        if !self.asks && self.listener.is_none() {
            self.listener = sockets.listen(7).ok();
        }
        while sockets.take_news().is_some() {}
        let mut arrived = Vec::new();
        while sockets.receive_from(socket, |from, bytes| arrived.push((from, bytes.to_vec()))) {}
        for (from, bytes) in arrived {
            self.heard += bytes.len();
            if !self.asks {
                sockets.send_to(socket, from.0, from.1, &bytes);
            }
        }
        while sockets.take_echo_reply().is_some() {
            self.heard += 1;
        }
        if self.asks {
            self.ask(now, sockets, socket);
            self.drive(sockets);
            return Some(ms(i64::from(self.rounds) * ROUND));
        }
        self.serve(sockets);
        None
    }

    fn snapshot(&self) -> Option<Box<dyn Application>> {
        Some(Box::new(self.clone()))
    }
}

fn chatting() -> (Wire, [SeatId; 2]) {
    let right = HostOptions { answers_for_all: true, ..options(false) };
    let mut wire = Wire::new(options(true), right);
    let left = wire.left.seat(Box::new(Chatter { asks: true, ..Chatter::default() }));
    let right = wire.right.seat(Box::new(Chatter::default()));
    (wire, [left, right])
}

fn heard(wire: &mut Wire, seats: [SeatId; 2]) -> [usize; 2] {
    [
        wire.left.application_as::<Chatter>(seats[0]).expect("a chatter").heard,
        wire.right.application_as::<Chatter>(seats[1]).expect("a chatter").heard,
    ]
}

#[test]
fn what_goes_on_from_a_copy_equals_what_goes_on_without_one() {
    let (mut plain, seats) = chatting();
    plain.run(ms(5_000));
    let expected: Vec<_> = plain.carried.iter().map(|c| (c.at, c.from_left, c.bytes.clone())).collect();
    assert!(expected.len() > 700, "{} frames", expected.len());
    let mut copies = 0;
    for at in 0..120 {
        let (mut wire, _) = chatting();
        wire.run(ms(at * 7) + Picoseconds::from_ns(at * 11_000));
        let Some(mut copy) = wire.snapshot() else {
            let refusal = wire.left.snapshot_refusal().or(wire.right.snapshot_refusal());
            assert!(refusal.expect("a reason").contains("TCP connections"));
            continue;
        };
        assert_eq!(wire.left.snapshot_refusal(), None);
        copies += 1;
        for wire in [&mut copy, &mut wire] {
            wire.run(ms(5_000));
            let carried: Vec<_> = wire.carried.iter().map(|c| (c.at, c.from_left, c.bytes.clone())).collect();
            assert!(carried == expected, "copied at round {at}");
            assert_eq!(heard(wire, seats), heard(&mut plain, seats));
        }
    }
    assert!(copies > 60, "{copies} copies");
}

#[test]
fn an_application_that_cannot_be_copied_is_named() {
    let (mut wire, _) = chatting();
    wire.on_left(|_, _| None);
    wire.run(ms(10));
    assert!(wire.left.snapshot().is_none());
    assert_eq!(
        wire.left.snapshot_refusal(),
        Some("PC left runs an application that cannot be copied now: Script".to_owned())
    );
    assert_eq!(wire.right.snapshot_refusal(), None);
}

#[test]
fn an_open_connection_refuses_a_copy_and_says_so() {
    let (mut wire, _) = chatting();
    let mut connection = None;
    wire.on_left(move |_, sockets| {
        connection.get_or_insert_with(|| sockets.connect(RIGHT, 7).expect("a way"));
        None
    });
    wire.run(ms(30));
    assert!(wire.right.snapshot().is_none());
    assert_eq!(
        wire.right.snapshot_refusal(),
        Some("PC right has TCP connections (1), which cannot be copied; wait until they are over".to_owned())
    );
}
