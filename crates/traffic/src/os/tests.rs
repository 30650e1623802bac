//! The seat against plain blocking sockets of the standard library.

use std::any::Any;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::AtomicBool;
use std::thread;

use units::{PS_PER_S, Picoseconds};

use super::*;
use crate::{Action, Connection, Event, IpEndpoint, Machine};

const LINE: Connection = Connection(1);

/// Does what it was told at first, notes what happens, and follows a script of answers.
#[derive(Debug, Clone, Default)]
struct Noting {
    actions: std::collections::VecDeque<Action>,
    notes: Vec<String>,
    received: usize,
    on_opened: Vec<Action>,
    on_received: Vec<Action>,
    on_room: Vec<Action>,
    done_on: &'static str,
    wake: Option<Picoseconds>,
    woken: Vec<Picoseconds>,
}

impl Machine for Noting {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Received(_, bytes) => {
                self.received += bytes.len();
                self.actions.extend(self.on_received.drain(..));
                return;
            }
            Event::Opened(_) => self.actions.extend(self.on_opened.drain(..)),
            Event::Accepted { connection, .. } => {
                self.notes.push(format!("Accepted({})", connection.0 - Connection::FIRST_ACCEPTED));
                self.actions.extend(self.on_opened.drain(..));
                return;
            }
            Event::Room(..) => {
                self.notes.push("Room".into());
                self.actions.extend(self.on_room.clone());
                return;
            }
            Event::Wake => {
                if self.wake.is_some_and(|at| at <= now) {
                    self.wake = None;
                    self.woken.push(now);
                }
                return;
            }
            _ => {}
        }
        self.notes.push(format!("{event:?}"));
    }
    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }
    fn wake_at(&self) -> Option<Picoseconds> {
        self.wake
    }
    fn is_done(&self) -> bool {
        self.notes.iter().any(|note| note.starts_with(self.done_on))
    }
    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

fn noting(actions: impl IntoIterator<Item = Action>, done_on: &'static str) -> Noting {
    Noting { actions: actions.into_iter().collect(), done_on, ..Noting::default() }
}

fn local(port: u16) -> IpEndpoint {
    IpEndpoint::new(Ipv4Addr::LOCALHOST, port)
}

fn within_ten_seconds() -> Until<'static> {
    Until { deadline: Some(Picoseconds::new(10 * PS_PER_S)), stop: None }
}

fn run_alone(machine: Noting) -> Noting {
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    seat.add(Box::new(machine));
    assert_eq!(seat.run(within_ten_seconds()).unwrap(), Ended::Done);
    let machine: Box<dyn Any> = seat.into_machines().remove(0);
    *machine.downcast().unwrap()
}

#[test]
fn a_refused_connection_is_told_in_a_sentence_with_the_peer() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let machine = run_alone(noting([Action::Connect(LINE, local(free.port()))], "Closed"));
    let reason = format!("connection refused at {free}");
    assert_eq!(machine.notes, [format!("{:?}", Event::Closed(LINE, Some(&reason)))]);
}

#[test]
fn two_megabytes_pass_a_slow_reader_in_order_and_room_is_told_as_they_leave() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reader = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        thread::sleep(std::time::Duration::from_millis(50));
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        all
    });
    let bytes: Vec<u8> = (0..2_000_000u32).map(|n| (n % 251) as u8).collect();
    let [first, second, third] = [0..1_200_000, 1_200_000..1_300_000, 1_300_000..2_000_000];
    let machine = Noting {
        on_opened: vec![
            // The kernel takes no more than a part of the first, and what comes after waits behind it.
            Action::SendBlock(LINE, bytes[first].to_vec().into()),
            Action::Send(LINE, bytes[second].to_vec()),
            Action::SendBlock(LINE, bytes[third].to_vec().into()),
            Action::WantRoom(LINE, 1000),
            Action::WantRoom(LINE, 0),
            Action::Finish(LINE),
        ],
        ..noting([Action::Connect(LINE, local(port))], "Closed")
    };
    let machine = run_alone(machine);
    assert_eq!(reader.join().unwrap(), bytes);
    let names: Vec<&str> = machine.notes.iter().map(|note| note.split('(').next().unwrap()).collect();
    assert_eq!(names[..2], ["Opened", "Room"]);
    assert_eq!(names.last(), Some(&"Closed"));
}

#[test]
fn drained_waits_for_the_peers_kernel() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let machine = Noting {
        on_opened: vec![Action::Send(LINE, b"hello".to_vec()), Action::WantRoom(LINE, 0)],
        ..noting([Action::Connect(LINE, local(port))], "Drained")
    };
    assert_eq!(run_alone(machine).notes, ["Opened(Connection(1))", "Drained(Connection(1))"]);
}

#[test]
fn an_abort_reaches_the_peer_as_a_reset_and_a_held_connection_is_not_read() {
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let accepted = Connection(Connection::FIRST_ACCEPTED);
    let server = Noting {
        on_opened: vec![Action::Hold(accepted, true)],
        ..noting([Action::Listen(LINE, 0)], "Accepted")
    };
    let number = seat.add(Box::new(server));
    let port = seat.local_port(number, LINE).unwrap();
    let mut peer = TcpStream::connect(("127.0.0.1", port)).unwrap();
    peer.write_all(b"unread").unwrap();
    assert_eq!(seat.run(within_ten_seconds()).unwrap(), Ended::Done);
    seat.run(Until { deadline: Some(seat.now() + Picoseconds::from_ns(20_000_000)), stop: None }).unwrap();
    assert_eq!(seat.machine::<Noting>(number).unwrap().received, 0);
    seat.perform(number, Action::Abort(accepted));
    let error = peer.read(&mut [0; 16]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}

#[test]
fn datagrams_go_both_ways() {
    let peer = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = peer.local_addr().unwrap().port();
    let answering = thread::spawn(move || {
        let mut buffer = [0; 64];
        let (count, from) = peer.recv_from(&mut buffer).unwrap();
        peer.send_to(&[&buffer[..count], b"!"].concat(), from).unwrap();
    });
    let actions = [Action::Bind(LINE, 0, false), Action::SendTo(LINE, local(port), b"who".to_vec())];
    let machine = run_alone(noting(actions, "Datagram"));
    answering.join().unwrap();
    let expected = Event::Datagram { socket: LINE, from: local(port), bytes: b"who!" };
    assert_eq!(machine.notes, [format!("{expected:?}")]);
}

#[test]
fn a_port_in_use_ends_the_run_with_a_sentence() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut seat = Seat::at(Ipv4Addr::LOCALHOST).unwrap();
    let number = seat.add(Box::new(noting([Action::Listen(LINE, port)], "never")));
    let error = seat.run(within_ten_seconds()).unwrap_err().to_string();
    assert_eq!(error, format!("TCP port {port} is in use by another program; choose another port"));
    assert_eq!(seat.machine::<Noting>(number).unwrap().notes.len(), 1);
}

#[test]
fn a_stop_flag_and_a_deadline_end_a_run() {
    let mut seat = Seat::new().unwrap();
    seat.add(Box::new(noting([], "never")));
    let deadline = seat.now() + Picoseconds::from_ns(5_000_000);
    let until = Until { deadline: Some(deadline), stop: None };
    assert_eq!(seat.run(until).unwrap(), Ended::Deadline);
    assert!(seat.now() >= deadline);
    let stop = AtomicBool::new(true);
    assert_eq!(seat.run(Until { deadline: None, stop: Some(&stop) }).unwrap(), Ended::Stopped);
}

#[test]
fn a_wake_comes_within_a_millisecond_of_its_time_and_never_before() {
    let mut seat = Seat::new().unwrap();
    let at = seat.now() + Picoseconds::from_ns(7_300_000);
    let number = seat.add(Box::new(Noting { wake: Some(at), ..noting([], "never") }));
    seat.run(Until { deadline: Some(at + Picoseconds::from_ns(50_000_000)), stop: None }).unwrap();
    let woken = &seat.machine::<Noting>(number).unwrap().woken;
    assert_eq!(woken.len(), 1);
    assert!(woken[0] >= at, "{} before {at}", woken[0]);
}

#[test]
fn echo_replies_come_from_the_loopback_or_a_sentence_says_why_not() {
    let request = Action::EchoRequest {
        to: Ipv4Addr::LOCALHOST.into(),
        identifier: 0x4242,
        sequence: 5,
        payload: b"payload".to_vec(),
    };
    let mut seat = Seat::new().unwrap();
    let number = seat.add(Box::new(noting([request], "EchoReply")));
    match seat.run(within_ten_seconds()) {
        Ok(ended) => {
            assert_eq!(ended, Ended::Done);
            let expected = Event::EchoReply {
                from: Ipv4Addr::LOCALHOST.into(),
                identifier: 0x4242,
                sequence: 5,
                payload: b"payload",
            };
            assert_eq!(seat.machine::<Noting>(number).unwrap().notes, [format!("{expected:?}")]);
        }
        Err(error) => assert!(error.to_string().contains("net.ipv4.ping_group_range"), "{error}"),
    }
}
