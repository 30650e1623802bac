//! UDP sockets, and as whom each spoke to whom.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv6Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{UdpPacket, UdpRepr};

use super::application::SeatId;
use super::ip::{self, Way};

/// Linux's `rmem_default`, 212992, of which a short datagram takes about 768 with its overhead.
const BUFFER_BYTES: usize = 212_992;
const BUFFER_DATAGRAMS: usize = 277;

/// Peers of a socket that spoke to another address than the PC's own.
const MOST_PEERS: usize = 1_024;

/// A datagram as it arrived.
#[derive(Debug, Clone)]
struct Received {
    from: (IpAddr, u16),
    bytes: Vec<u8>,
}

#[derive(Debug, Clone)]
pub(super) struct UdpSocket {
    pub seat: SeatId,
    pub broadcast: bool,
    pub in_news: bool,
    received: VecDeque<Received>,
    received_bytes: usize,
    /// Which address of the PC a peer spoke to, where it is not the PC's own.
    spoken_to: BTreeMap<(IpAddr, u16), IpAddr>,
}

/// What became of a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It waits at this port.
    Taken(u16),
    /// There is no such port.
    NoPort,
    /// It was not whole, or found no room.
    Dropped,
}

/// All UDP sockets.
#[derive(Debug, Clone, Default)]
pub(super) struct Datagrams {
    pub udp: BTreeMap<u16, UdpSocket>,
    /// Datagrams that found a socket's buffer full.
    pub dropped: u64,
}

impl Datagrams {
    /// Binds a port that is not taken.
    pub(super) fn bind(&mut self, port: u16, seat: SeatId, broadcast: bool) -> bool {
        if port == 0 || self.udp.contains_key(&port) {
            return false;
        }
        let socket = UdpSocket {
            seat,
            broadcast,
            in_news: false,
            received: VecDeque::new(),
            received_bytes: 0,
            spoken_to: BTreeMap::new(),
        };
        self.udp.insert(port, socket);
        true
    }

    pub(super) fn close(&mut self, port: u16) {
        self.udp.remove(&port);
    }

    /// As whom a socket answers a peer, where that is not the PC's own address. A peer that spoke to another socket of the same
    /// program expects the answer from the same address: servers of TFTP answer from a port of their own (RFC 1350).
    pub(super) fn spoken_to(&self, port: u16, peer: (IpAddr, u16)) -> Option<IpAddr> {
        let own = self.udp.get(&port)?;
        let of_the_program = self.udp.values().filter(|socket| socket.seat == own.seat);
        let known = own.spoken_to.get(&peer);
        known.or_else(|| of_the_program.filter_map(|socket| socket.spoken_to.get(&peer)).next()).copied()
    }

    /// Lets `read` have the next datagram.
    pub(super) fn receive(&mut self, port: u16, mut read: impl FnMut((IpAddr, u16), &[u8])) -> bool {
        let Some(socket) = self.udp.get_mut(&port) else { return false };
        let Some(datagram) = socket.received.pop_front() else { return false };
        socket.received_bytes -= datagram.bytes.len();
        read(datagram.from, &datagram.bytes);
        true
    }

    /// A packet of IPv4 with a datagram arrived; `alias` is its destination where that is one of the PC's but not its own.
    pub(super) fn arrive(&mut self, frame: &[u8], alias: Option<IpAddr>) -> Delivery {
        self.take_in(Way::of(frame), ip::payload(frame), alias)
    }

    /// A datagram arrived over IPv6, from an address and to one.
    pub(super) fn arrive_at(&mut self, (from, to): (Ipv6Addr, Ipv6Addr), bytes: &[u8]) -> Delivery {
        self.take_in(Way { from: from.into(), to: to.into() }, bytes, None)
    }

    fn take_in(&mut self, Way { from, to }: Way, bytes: &[u8], alias: Option<IpAddr>) -> Delivery {
        let Ok(packet) = UdpPacket::new_checked(bytes) else { return Delivery::Dropped };
        // Over IPv6 a datagram always has a check sum (RFC 8200 section 8.1).
        let is_bare = packet.checksum() == 0 && to.is_ipv6();
        let repr = UdpRepr::parse(&packet, &from.into(), &to.into(), &ChecksumCapabilities::default());
        if is_bare || repr.is_err() {
            return Delivery::Dropped;
        }
        let port = packet.dst_port();
        let Some(socket) = self.udp.get_mut(&port) else { return Delivery::NoPort };
        let bytes = packet.payload();
        let peer = (from, packet.src_port());
        if socket.received.len() >= BUFFER_DATAGRAMS || socket.received_bytes + bytes.len() > BUFFER_BYTES {
            self.dropped += 1;
            return Delivery::Dropped;
        }
        match alias {
            Some(alias) => {
                if socket.spoken_to.len() >= MOST_PEERS {
                    socket.spoken_to.pop_first();
                }
                socket.spoken_to.insert(peer, alias);
            }
            None => drop(socket.spoken_to.remove(&peer)),
        }
        socket.received_bytes += bytes.len();
        socket.received.push_back(Received { from: peer, bytes: bytes.to_vec() });
        Delivery::Taken(port)
    }
}
