//! A virtual PC under frames, with a server, a client and a UDP socket on it. Whatever comes: time goes on, it sends whole
//! frames only, and what it holds is bounded.

use std::net::Ipv4Addr;

use ethernet::{Application, Frame, Host, HostOptions, Sockets, Station, TcpId};
use units::Picoseconds;

use super::Input;
use super::frames::{Ends, Forge};

const PC: ([u8; 6], [u8; 4]) = ([2, 0, 0, 0, 0, 2], [10, 0, 0, 2]);
const PEER: ([u8; 6], [u8; 4]) = ([2, 0, 0, 0, 0, 1], [10, 0, 0, 1]);
const MOST_EVENTS: u32 = 1_000_000;
const MOST_CONNECTIONS: usize = 64;

/// Echoes on TCP port 80 and UDP port 53, and sends to port 7000 of the peer what it is asked for.
#[derive(Debug, Default)]
struct Everything {
    begun: bool,
    connections: Vec<TcpId>,
}

impl Application for Everything {
    fn run(&mut self, _: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        if !self.begun {
            self.begun = true;
            sockets.bind(53, true).expect("the port is free");
            self.connections.extend(sockets.connect(Ipv4Addr::from(PEER.1), 7000));
        }
        while let Some(news) = sockets.take_news() {
            if let ethernet::News::Udp(id) = news {
                let mut datagrams = Vec::new();
                while sockets.receive_from(id, |from, bytes| datagrams.push((from, bytes.to_vec()))) {}
                for ((address, port), bytes) in datagrams {
                    sockets.send_to(id, address, port, &bytes);
                }
            }
        }
        while sockets.take_echo_reply().is_some() || sockets.take_unreachable().is_some() {}
        self.connections.retain(|&id| {
            let mut received = Vec::new();
            let take = |bytes: &[u8]| {
                received.extend_from_slice(bytes);
                bytes.len()
            };
            sockets.receive(id, take);
            sockets.send(id, &received);
            if sockets.peer_finished(id) {
                sockets.finish(id);
            }
            let over = sockets.ending(id).is_some();
            if over {
                sockets.forget(id);
            }
            !over
        });
        None
    }
}

/// Listens on port 80 and hands its connections to nobody until it is run: takes all it gets.
#[derive(Debug, Default)]
struct Listener(Option<ethernet::ListenerId>, Everything);

impl Application for Listener {
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds> {
        let listener = *self.0.get_or_insert_with(|| sockets.listen(80).expect("the port is free"));
        while let Some((id, _)) = sockets.accept(listener) {
            self.1.connections.push(id);
        }
        self.1.begun = true;
        self.1.run(now, sockets)
    }
}

/// Frames into the PC, and waits.
pub fn pc_frames(data: &[u8]) -> Result<(), String> {
    let mut input = Input(data);
    let choice = input.byte();
    let mut options = HostOptions::new("PC", PC.0, PC.1.into(), 24);
    options.most_connections = MOST_CONNECTIONS;
    options.timestamps = choice & 1 == 1;
    options.nagle = choice & 2 == 2;
    let mut host = Host::new(options).map_err(|error| error.to_string())?;
    host.seat(Box::new(Everything::default()));
    host.seat(Box::new(Listener::default()));
    let mut forge = Forge::new(Ends { sender: PEER, target: PC });
    let mut now = Picoseconds::ZERO;
    run(&mut host, &mut forge, now + Picoseconds::from_ns(1_000_000));
    now = now + Picoseconds::from_ns(1_000_000);
    while !input.is_over() {
        let what = input.byte();
        let time = Picoseconds::from_ns(if what < 0xC0 { 100_000 } else { 1 << (what & 0x3F).min(36) });
        if what < 0xC0 {
            let frame = forge.frame(&mut input);
            host.receive(now, &Frame { bytes: frame, intact: what != 0xBF });
        }
        now = now + time;
        run(&mut host, &mut forge, now);
        assert!(host.connections() <= MOST_CONNECTIONS, "{} connections", host.connections());
    }
    Ok(())
}

fn run(host: &mut Host, forge: &mut Forge, until: Picoseconds) {
    for _ in 0..MOST_EVENTS {
        let Some(at) = host.next_event().filter(|&at| at <= until) else {
            host.advance(until);
            return;
        };
        host.advance(at);
        while let Some(frame) = host.take_frame() {
            assert!(frame.intact && (14..=1514).contains(&frame.bytes.len()), "{} bytes", frame.bytes.len());
            if let Some(answer) = forge.hear(&frame.bytes) {
                host.receive(at, &Frame::new(answer));
            }
        }
    }
    panic!("time stands still at {until}");
}
