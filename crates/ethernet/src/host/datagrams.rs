//! Everything that is not TCP: UDP sockets, ICMP echo requests, and whatever smoltcp does by itself (ARP, answers to pings,
//! port unreachable).

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use smoltcp::iface::{SocketHandle, SocketSet};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::socket::{icmp, udp};
use smoltcp::wire::{Icmpv4Packet, Icmpv4Repr, IpEndpoint};
use units::Picoseconds;

use super::application::SeatId;
use super::clock;
use super::connection::Below;

/// Linux's `rmem_default` and `wmem_default`, 212992, of which a short datagram takes about 768 with its overhead.
const BUFFER_BYTES: usize = 212_992;
const BUFFER_DATAGRAMS: usize = 277;

/// Echo requests that wait for a neighbour's address, and their bytes.
const ECHO_DATAGRAMS: usize = 64;
const ECHO_BYTES: usize = 65_536;

/// Rounds in which smoltcp sends; each sends a datagram of every socket.
const MOST_ROUNDS: usize = 1_024;

#[derive(Debug)]
pub(super) struct UdpSocket {
    pub seat: SeatId,
    pub broadcast: bool,
    pub in_news: bool,
    handle: SocketHandle,
}

/// The sockets that share one set.
#[derive(Debug)]
pub(super) struct Datagrams {
    sockets: SocketSet<'static>,
    pub udp: BTreeMap<u16, UdpSocket>,
    echo: SocketHandle,
}

impl Datagrams {
    pub(super) fn new() -> Self {
        let mut sockets = SocketSet::new(Vec::new());
        let receive = icmp::PacketBuffer::new(Vec::new(), Vec::new());
        let send =
            icmp::PacketBuffer::new(vec![icmp::PacketMetadata::EMPTY; ECHO_DATAGRAMS], vec![0; ECHO_BYTES]);
        let echo = sockets.add(icmp::Socket::new(receive, send));
        Self { sockets, udp: BTreeMap::new(), echo }
    }

    /// Binds a port that is not taken.
    pub(super) fn bind(&mut self, port: u16, seat: SeatId, broadcast: bool) -> bool {
        if port == 0 || self.udp.contains_key(&port) {
            return false;
        }
        let buffer = || {
            udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; BUFFER_DATAGRAMS], vec![0; BUFFER_BYTES])
        };
        let mut socket = udp::Socket::new(buffer(), buffer());
        if socket.bind(port).is_err() {
            return false;
        }
        let handle = self.sockets.add(socket);
        self.udp.insert(port, UdpSocket { seat, broadcast, in_news: false, handle });
        true
    }

    pub(super) fn close(&mut self, port: u16) {
        if let Some(socket) = self.udp.remove(&port) {
            self.sockets.remove(socket.handle);
        }
    }

    /// Sends a datagram; false when the socket is not there or its buffer is full.
    pub(super) fn send(
        &mut self,
        port: u16,
        to: (Ipv4Addr, u16),
        bytes: &[u8],
        below: &mut Below<'_>,
    ) -> bool {
        let Some(socket) = self.udp.get(&port) else { return false };
        let endpoint = IpEndpoint::from(to);
        let sent = self.sockets.get_mut::<udp::Socket<'_>>(socket.handle).send_slice(bytes, endpoint).is_ok();
        self.pump(below);
        sent
    }

    /// Lets `read` have the next datagram.
    pub(super) fn receive(&mut self, port: u16, mut read: impl FnMut((Ipv4Addr, u16), &[u8])) -> bool {
        let Some(socket) = self.udp.get(&port) else { return false };
        let Ok((bytes, from)) = self.sockets.get_mut::<udp::Socket<'_>>(socket.handle).recv() else {
            return false;
        };
        let smoltcp::wire::IpAddress::Ipv4(address) = from.endpoint.addr;
        read((address, from.endpoint.port), bytes);
        true
    }

    /// Sends an echo request; false when too many wait or it does not fit a packet.
    pub(super) fn echo(&mut self, to: Ipv4Addr, request: &Icmpv4Repr<'_>, below: &mut Below<'_>) -> bool {
        let mut bytes = vec![0; request.buffer_len()];
        request.emit(&mut Icmpv4Packet::new_unchecked(&mut bytes), &ChecksumCapabilities::default());
        let socket = self.sockets.get_mut::<icmp::Socket<'_>>(self.echo);
        let sent = socket.send_slice(&bytes, to.into()).is_ok();
        self.pump(below);
        sent
    }

    /// A frame that is not for a TCP connection arrived; answers the ports that have datagrams.
    pub(super) fn arrive(&mut self, frame: Vec<u8>, below: &mut Below<'_>) {
        below.port.offer(frame);
        below.interface.poll_ingress_single(clock::instant(below.now), below.port, &mut self.sockets);
        self.pump(below);
    }

    /// Whether a socket has something to read.
    pub(super) fn has_datagram(&self, port: u16) -> bool {
        self.udp
            .get(&port)
            .is_some_and(|socket| self.sockets.get::<udp::Socket<'_>>(socket.handle).can_recv())
    }

    /// Sends what can be sent.
    pub(super) fn pump(&mut self, below: &mut Below<'_>) {
        for _ in 0..MOST_ROUNDS {
            below.interface.poll_egress(clock::instant(below.now), below.port, &mut self.sockets);
            let frames = below.port.take_sent();
            if frames.is_empty() {
                return;
            }
            for frame in frames {
                below.output.send(below.now, frame);
            }
        }
    }

    /// When smoltcp wants to be polled again: always later than now.
    pub(super) fn wake_at(&self, below: &mut Below<'_>) -> Option<Picoseconds> {
        let at = below.interface.poll_at(clock::instant(below.now), &self.sockets)?;
        Some(clock::picoseconds(at).max(below.now + Picoseconds::new(units::PS_PER_MS)))
    }
}
