//! What the PC's programs send over IPv6, frame by frame against what a real Linux kernel sent for the same ones. kernel_ipv6/
//! holds the recording with the kernel's release, and the program that makes one.

use ethernet::{Frame, Host, Sockets, Station, TcpId, UdpId};
use proptest::prelude::*;
use std::net::Ipv6Addr;
use units::Picoseconds;

use crate::common::{Script, ms, options, recorded_now};
use crate::kernel_ipv6::bytes;

const RECORDING: &str = include_str!("kernel_ipv6/linux-programs-6.18.44.txt");

const TCP_PROTOCOL: u8 = 6;

/// A program, its frames and those that it was sent, in their order.
struct Case {
    name: String,
    frames: Vec<(bool, Vec<u8>)>,
}

fn parse(recording: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in recording.lines() {
        let (mark, rest) = line.split_once(' ').expect("a mark and what it says");
        match (mark, cases.last_mut()) {
            ("case", _) => cases.push(Case { name: rest.to_owned(), frames: Vec::new() }),
            ("<" | ">", Some(case)) => case.frames.push((mark == "<", bytes(rest))),
            _ => assert_eq!(mark, "kernel"),
        }
    }
    cases
}

fn neighbour(number: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xFE80, 0, 0, 0, 0, 0xFF, 0xFE00, number)
}

#[derive(Default)]
struct Program {
    datagrams: Option<UdpId>,
    connection: Option<TcpId>,
    begun: bool,
}

impl Program {
    /// Does once what the program of a name does at its start, and answers datagrams.
    fn run(&mut self, name: &str, sockets: &mut Sockets<'_>) {
        if !std::mem::replace(&mut self.begun, true) {
            match name {
                "a datagram to a neighbour" => self.say(sockets, neighbour(2)),
                "a datagram to nobody" => self.say(sockets, neighbour(9)),
                "a ping" => {
                    assert!(sockets.echo_request(neighbour(3), 0x1234, 7, &[0, 1, 2, 3, 4, 5, 6, 7]));
                }
                "a connection that is accepted" => drop(sockets.listen(80).expect("a free port")),
                "a connection that is opened" => {
                    self.connection = Some(sockets.connect(neighbour(7), 80).expect("a way"));
                }
                _ => self.datagrams = Some(sockets.bind(9000, false).expect("a free port")),
            }
        }
        while sockets.take_news().is_some() {}
        let Some(socket) = self.datagrams else { return };
        let mut arrived = Vec::new();
        while sockets.receive_from(socket, |from, bytes| arrived.push((from, bytes.to_vec()))) {}
        for ((address, port), bytes) in arrived {
            assert!(sockets.send_to(socket, address, port, &bytes));
        }
    }

    fn say(&self, sockets: &mut Sockets<'_>, to: Ipv6Addr) {
        let socket = sockets.bind(5000, false).expect("a free port");
        assert!(sockets.send_to(socket, to, 7, b"hello"));
    }
}

/// A frame without what each connection chooses for itself, and without the order of its options: ports of a SYN, sequence
/// numbers, check sum, and what is behind the header's fixed part.
fn comparable(frame: &[u8]) -> Vec<u8> {
    const SEGMENT_AT: usize = 54;
    let mut frame = frame.to_vec();
    if frame[20] == TCP_PROTOCOL {
        let is_answer = frame[SEGMENT_AT + 13] & 0x10 != 0;
        if !is_answer {
            frame[SEGMENT_AT..SEGMENT_AT + 2].fill(0);
        }
        frame[SEGMENT_AT + 4..SEGMENT_AT + 8].fill(0);
        frame[SEGMENT_AT + 16..SEGMENT_AT + 18].fill(0);
        let mut behind = frame.split_off(SEGMENT_AT + 20);
        let segment_size = [2, 4, 0x05, 0xA0];
        assert!(behind.windows(4).any(|option| option == segment_size), "{behind:?}");
        behind.clear();
    }
    frame
}

fn compare(recording: &str) {
    let cases = parse(recording);
    assert!(cases.len() > 5);
    for Case { name, frames } in cases {
        let mut host = Host::new(options(true)).expect("a PC");
        let (mut program, title) = (Program::default(), name.clone());
        host.seat(Script::boxed(move |_, sockets| {
            program.run(&title, sockets);
            None
        }));
        host.advance(ms(1));
        let mut now = ms(1);
        for (is_sent, expected) in frames {
            if is_sent {
                let sent = next_frame(&mut host, &mut now);
                let sent =
                    sent.unwrap_or_else(|| panic!("{name}: nothing, but the kernel sent {expected:02x?}"));
                assert_eq!(comparable(&sent), comparable(&expected), "{name}");
            } else {
                host.receive(now, &Frame::new(expected));
            }
        }
        if name != "a connection that is opened" && name != "a connection that is accepted" {
            assert_eq!(next_frame(&mut host, &mut now), None, "{name}");
        }
    }
}

/// The next frame within some seconds.
fn next_frame(host: &mut Host, now: &mut Picoseconds) -> Option<Vec<u8>> {
    let end = *now + ms(4_500);
    loop {
        if let Some(frame) = host.take_frame() {
            return Some(frame.bytes);
        }
        *now = host.next_event().filter(|at| *at <= end)?;
        host.advance(*now);
    }
}

#[test]
fn the_pc_sends_for_its_programs_what_the_kernel_did() {
    compare(RECORDING);
}

#[test]
#[ignore = "takes some seconds of real time, and root"]
fn the_pc_sends_for_its_programs_what_this_kernel_does() {
    let Some(recording) = recorded_now("kernel_ipv6/programs.py") else { return };
    compare(&recording);
}

proptest! {
    /// Whatever comes, spoilt or not and in any order, what goes out is as long as it says, and the PC lives on.
    #[test]
    fn spoilt_frames_harm_no_program(
        frames in prop::collection::vec(any::<prop::sample::Index>(), 1..12),
        length in any::<prop::sample::Index>(),
        spoilt in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let cases = parse(RECORDING);
        let received: Vec<&Vec<u8>> =
            cases.iter().flat_map(|case| &case.frames).filter(|(is_sent, _)| !is_sent).map(|(_, frame)| frame).collect();
        let mut host = Host::new(options(true)).expect("a PC");
        for case in &cases {
            let (mut program, title) = (Program::default(), case.name.clone());
            let is_alone = title != "an answer to who asked before" && title != "a datagram to nobody";
            host.seat(Script::boxed(move |_, sockets| {
                if is_alone {
                    program.run(&title, sockets);
                }
                None
            }));
        }
        let mut now = ms(1);
        for (n, place) in frames.iter().enumerate() {
            let mut frame = (*place.get(&received)).clone();
            if n % 2 == 1 {
                frame.truncate(length.index(frame.len()) + 1);
                for (at, byte) in &spoilt {
                    let at = at.index(frame.len());
                    frame[at] = *byte;
                }
            }
            host.receive(now, &Frame::new(frame));
            now = now + ms(200);
            host.advance(now);
            while let Some(sent) = host.take_frame() {
                if sent.bytes[12..14] == [0x86, 0xDD] {
                    let payload = usize::from(u16::from_be_bytes([sent.bytes[18], sent.bytes[19]]));
                    prop_assert_eq!(sent.bytes.len(), 54 + payload);
                }
            }
        }
    }
}
