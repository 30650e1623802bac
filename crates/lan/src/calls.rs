//! Whom a board calls: where its TCP connections and its datagrams go, and whether anybody answers. Kept from the frames that its
//! devices send and receive, once somebody asked for it.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use traffic::IpEndpoint;

use super::Lan;
use super::segment::{ACK, SYN, carried, payload_bytes, segment_of};

/// Endpoints that are told apart; what a board calls beyond them is not kept.
const MOST_CALLED: usize = 64;
/// Endpoints that are known to have asked the board by datagrams; answers to others are taken for calls.
const MOST_ASKING: usize = 1024;
const RST: u8 = 0b0100;
/// Protocol numbers of IPv4 (RFC 790).
const UDP: u8 = 17;
const TCP: u8 = 6;

/// Over what a board calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// A connection.
    Tcp,
    /// Datagrams.
    Udp,
}

impl Transport {
    /// What it is called.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Tcp => "TCP",
            Self::Udp => "UDP",
        }
    }
}

/// Somebody whom a board called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Over what.
    pub over: Transport,
    /// Whom.
    pub to: IpEndpoint,
    /// Segments that ask for a connection, those sent again among them; or datagrams.
    pub asked: u64,
    /// Bytes of the application that it sent there.
    pub payload_bytes: u64,
    /// Segments that accept a connection, or datagrams, that came from there.
    pub answers: u64,
}

/// The calls so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    found: BTreeMap<(Transport, IpEndpoint), Call>,
    /// Who sent the board datagrams before it sent any there: what goes there is an answer.
    asking: BTreeSet<IpEndpoint>,
}

/// Both ends of a packet.
struct Packet {
    over: Transport,
    from: IpEndpoint,
    to: IpEndpoint,
}

impl Calls {
    pub(super) fn sent(&mut self, frame: &[u8]) {
        let Some(packet) = packet_of(frame) else { return };
        let asks = match packet.over {
            Transport::Tcp => segment_of(frame).is_some_and(|one| one.flags & (SYN | ACK) == SYN),
            Transport::Udp => !self.asking.contains(&packet.to),
        };
        let key = (packet.over, packet.to);
        if asks && (self.found.contains_key(&key) || self.found.len() < MOST_CALLED) {
            let new = Call { over: packet.over, to: packet.to, asked: 0, payload_bytes: 0, answers: 0 };
            self.found.entry(key).or_insert(new).asked += 1;
        }
        if let Some(call) = self.found.get_mut(&key) {
            call.payload_bytes += payload_bytes(frame) as u64;
        }
    }

    pub(super) fn received(&mut self, frame: &[u8]) {
        let Some(packet) = packet_of(frame) else { return };
        // Who answers a call to all has an address of its own, as a DHCP server does.
        let to_all = IpEndpoint::new(Ipv4Addr::BROADCAST, packet.from.port);
        let mut called = [packet.from, to_all].into_iter().map(|to| (packet.over, to));
        let Some(key) = called.find(|key| self.found.contains_key(key)) else {
            if packet.over == Transport::Udp && self.asking.len() < MOST_ASKING {
                self.asking.insert(packet.from);
            }
            return;
        };
        let Some(call) = self.found.get_mut(&key) else { return };
        let answers = match packet.over {
            Transport::Tcp => segment_of(frame).is_some_and(|one| one.flags & (SYN | RST) == SYN),
            Transport::Udp => true,
        };
        call.answers += u64::from(answers);
    }
}

fn packet_of(frame: &[u8]) -> Option<Packet> {
    let carried = carried(frame)?;
    let over = match carried.protocol {
        TCP => Transport::Tcp,
        UDP => Transport::Udp,
        _ => return None,
    };
    let ports = carried.bytes.get(..4)?;
    let end = |address: &[u8], port: [u8; 2]| {
        let v4 = || <[u8; 4]>::try_from(address).map(IpAddr::from);
        let address = v4().or_else(|_| <[u8; 16]>::try_from(address).map(IpAddr::from)).ok()?;
        Some(IpEndpoint { address, port: u16::from_be_bytes(port) })
    };
    let [from, to] = carried.ends;
    Some(Packet { over, from: end(from, [ports[0], ports[1]])?, to: end(to, [ports[2], ports[3]])? })
}

impl Lan {
    /// Keeps from here on whom the board calls.
    pub fn watch_calls(&mut self) {
        self.calls.get_or_insert_default();
    }

    /// Whom the board called since it is watched, TCP first and each by its address.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.calls.iter().flat_map(|calls| calls.found.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: [u8; 4] = [192, 168, 1, 50];
    const PC: [u8; 4] = [192, 168, 1, 1];

    fn frame(protocol: u8, (from, to): ([u8; 4], [u8; 4]), ports: (u16, u16), rest: &[u8]) -> Vec<u8> {
        let length = 20 + 4 + rest.len() as u16;
        let mut frame = vec![0; 12];
        frame.extend([0x08, 0x00, 0x45, 0]);
        frame.extend(length.to_be_bytes());
        frame.extend([0, 0, 0, 0, 64, protocol, 0, 0]);
        frame.extend(from.into_iter().chain(to));
        frame.extend(ports.0.to_be_bytes().into_iter().chain(ports.1.to_be_bytes()));
        frame.extend(rest);
        frame
    }

    fn segment(ends: ([u8; 4], [u8; 4]), ports: (u16, u16), flags: u8, payload: &[u8]) -> Vec<u8> {
        let mut rest = vec![0; 8];
        rest.extend([0x50, flags, 0, 0, 0, 0, 0, 0]);
        rest.extend(payload);
        frame(TCP, ends, ports, &rest)
    }

    fn only(calls: &Calls) -> Call {
        assert_eq!(calls.found.len(), 1);
        *calls.found.values().next().unwrap()
    }

    #[test]
    fn a_connection_that_nobody_accepts_has_no_answer() {
        let mut calls = Calls::default();
        for port in [49152, 49153] {
            calls.sent(&segment((BOARD, PC), (port, 8883), SYN, b""));
            calls.received(&segment((PC, BOARD), (8883, port), RST | ACK, b""));
        }
        let call = only(&calls);
        assert_eq!((call.over, call.to.port, call.asked, call.answers), (Transport::Tcp, 8883, 2, 0));
    }

    #[test]
    fn what_is_sent_on_a_connection_counts_with_its_call() {
        let mut calls = Calls::default();
        calls.sent(&segment((BOARD, PC), (49152, 5000), SYN, b""));
        calls.received(&segment((PC, BOARD), (5000, 49152), SYN | ACK, b""));
        calls.sent(&segment((BOARD, PC), (49152, 5000), ACK, b"17"));
        assert_eq!((only(&calls).payload_bytes, only(&calls).answers), (2, 1));
    }

    #[test]
    fn answers_of_a_server_are_no_calls() {
        let mut calls = Calls::default();
        calls.received(&segment((PC, BOARD), (50000, 80), SYN, b""));
        calls.sent(&segment((BOARD, PC), (80, 50000), SYN | ACK, b""));
        calls.sent(&segment((BOARD, PC), (80, 50000), ACK, b"page"));
        assert!(calls.found.is_empty());
    }

    #[test]
    fn answers_of_a_server_of_datagrams_are_no_calls_either() {
        let mut calls = Calls::default();
        let datagram = |ends, ports| frame(UDP, ends, ports, &[0, 12, 0, 0, 1, 2, 3, 4]);
        calls.received(&datagram((PC, BOARD), (54731, 50000)));
        calls.sent(&datagram((BOARD, PC), (50000, 54731)));
        assert!(calls.found.is_empty());
        // It asks somebody else of its own accord.
        calls.sent(&datagram((BOARD, PC), (50000, 123)));
        assert_eq!(only(&calls).to.port, 123);
    }

    #[test]
    fn whoever_answers_a_call_to_all_has_answered_it() {
        let mut calls = Calls::default();
        calls.sent(&frame(UDP, ([0; 4], [255; 4]), (68, 67), &[0, 12, 0, 0, 1, 2, 3, 4]));
        calls.received(&frame(UDP, (PC, BOARD), (67, 68), &[0, 12, 0, 0, 5, 6, 7, 8]));
        calls.received(&frame(UDP, (PC, BOARD), (5353, 5353), &[0, 8, 0, 0]));
        assert_eq!((only(&calls).asked, only(&calls).answers), (1, 1));
    }

    #[test]
    fn every_datagram_is_a_call() {
        let mut calls = Calls::default();
        for _ in 0..3 {
            calls.sent(&frame(UDP, (BOARD, PC), (4000, 9999), &[0, 12, 0, 0, 1, 2, 3, 4]));
        }
        let call = only(&calls);
        assert_eq!((call.over, call.asked, call.payload_bytes, call.answers), (Transport::Udp, 3, 12, 0));
    }

    #[test]
    fn a_frame_that_is_cut_off_is_no_call() {
        let whole = segment((BOARD, PC), (49152, 5000), SYN, b"");
        for length in 0..38 {
            let mut calls = Calls::default();
            calls.sent(&whole[..length]);
            assert!(calls.found.is_empty(), "{length}");
        }
    }
}
