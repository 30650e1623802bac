//! The sockets of a PC as one of its applications has them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use units::Picoseconds;

use super::application::{
    EchoReply, ListenerId, News, SeatId, SeenFrame, TcpId, TcpState, UdpId, Unreachable,
};
use super::clock;
use super::neighbours::Known;
use super::stack::{Listener, Stack};
use super::{Ending, HostError, ip, ipv6};

/// What an application calls while it runs. Whatever it sends is under way at once.
pub struct Sockets<'a> {
    pub(super) stack: &'a mut Stack,
    pub(super) seat: SeatId,
    pub(super) now: Picoseconds,
}

impl Sockets<'_> {
    /// The moment.
    pub fn now(&self) -> Picoseconds {
        self.now
    }

    /// The PC's IPv4 address.
    pub fn address(&self) -> Ipv4Addr {
        self.stack.options.address
    }

    /// The PC's link-local address of IPv6.
    pub fn link_local_address(&self) -> Ipv6Addr {
        ipv6::link_local(self.stack.options.mac)
    }

    /// The next place where something may have happened.
    pub fn take_news(&mut self) -> Option<News> {
        let news = self.stack.mail[self.seat.0].news.pop_front()?;
        match news {
            News::Tcp(id) => {
                if let Some(connection) = self.stack.tcp.get_mut(&id) {
                    let later = connection.becomes_readable(self.now);
                    connection.in_news = later.is_some();
                    if later.is_some() {
                        self.stack.mail[self.seat.0].later.push(id);
                    }
                }
            }
            News::Udp(id) => {
                if let Some(socket) = self.stack.datagrams.udp.get_mut(&id.0) {
                    socket.in_news = false;
                }
            }
            _ => {}
        }
        Some(news)
    }

    /// Listens for TCP connections on a port.
    pub fn listen(&mut self, port: u16) -> Result<ListenerId, HostError> {
        if port == 0 || self.stack.listeners.contains_key(&port) {
            return Err(HostError::PortInUse(port));
        }
        let listener = Listener { seat: self.seat, half_open: 0, ready: std::collections::VecDeque::new() };
        self.stack.listeners.insert(port, listener);
        Ok(ListenerId(port))
    }

    /// Stops listening; connections that nobody accepted are reset.
    pub fn close_listener(&mut self, listener: ListenerId) {
        if self.stack.listeners.get(&listener.0).is_none_or(|found| found.seat != self.seat) {
            return;
        }
        let Some(found) = self.stack.listeners.remove(&listener.0) else { return };
        for id in found.ready {
            self.stack.forget(self.now, id);
        }
    }

    /// The next connection of a listener.
    pub fn accept(&mut self, listener: ListenerId) -> Option<(TcpId, (IpAddr, u16))> {
        let id = self.stack.listeners.get_mut(&listener.0)?.ready.pop_front()?;
        let peer = self.peer(id)?;
        self.stack.tell(self.now, id);
        Some((id, peer))
    }

    /// Opens a TCP connection from a port of the PC's choice.
    pub fn connect(&mut self, address: impl Into<IpAddr>, port: u16) -> Result<TcpId, HostError> {
        self.stack.connect(self.now, self.seat, (address.into(), port))
    }

    /// How far a connection is; nothing when it was forgotten.
    pub fn state(&self, id: TcpId) -> Option<TcpState> {
        let connection = self.stack.tcp.get(&id)?;
        Some(match connection.ending {
            Some(ending) => TcpState::Over(ending),
            None if connection.is_opening() => TcpState::Opening,
            None => TcpState::Open,
        })
    }

    /// How a connection ended.
    pub fn ending(&self, id: TcpId) -> Option<Ending> {
        self.stack.tcp.get(&id)?.ending
    }

    /// The other end of a connection.
    pub fn peer(&self, id: TcpId) -> Option<(IpAddr, u16)> {
        self.stack.tcp.get(&id).map(|connection| (connection.tuple.remote, connection.tuple.remote_port))
    }

    /// The PC's own address of a connection: the one that the peer spoke to.
    pub fn local_address(&self, id: TcpId) -> Option<IpAddr> {
        self.stack.tcp.get(&id).map(|connection| connection.tuple.local)
    }

    /// The PC's own port of a connection.
    pub fn local_port(&self, id: TcpId) -> Option<u16> {
        self.stack.tcp.get(&id).map(|connection| connection.tuple.local_port)
    }

    /// Sends what fits of `bytes`, and answers how much that is; nothing before the connection is open.
    pub fn send(&mut self, id: TcpId, bytes: &[u8]) -> usize {
        self.stack.with(self.now, id, |connection, below| connection.send(bytes, below)).unwrap_or(0)
    }

    /// How many bytes there is room for.
    pub fn room(&self, id: TcpId) -> usize {
        self.stack
            .tcp
            .get(&id)
            .filter(|connection| connection.socket().may_send())
            .map_or(0, |connection| connection.socket().send_capacity() - connection.socket().send_queue())
    }

    /// The whole of its buffer for what is to be sent.
    pub fn send_buffer_bytes(&self, id: TcpId) -> usize {
        self.stack.tcp.get(&id).map_or(0, |connection| connection.socket().send_capacity())
    }

    /// Bytes that were sent and not acknowledged yet, those included that still wait.
    pub fn unacknowledged(&self, id: TcpId) -> usize {
        self.stack.tcp.get(&id).map_or(0, |connection| connection.socket().send_queue())
    }

    /// Bytes that can be read.
    pub fn received(&self, id: TcpId) -> usize {
        self.stack.tcp.get(&id).map_or(0, |connection| connection.readable(self.now))
    }

    /// Lets `read` have the bytes that arrived, in one or two pieces; it answers how many it took. Answers their sum.
    pub fn receive(&mut self, id: TcpId, mut read: impl FnMut(&[u8]) -> usize) -> usize {
        let work = |connection: &mut super::connection::TcpConnection,
                    below: &mut super::connection::Below<'_>| {
            if connection.readable(below.now) == 0 { 0 } else { connection.receive(&mut read, below) }
        };
        self.stack.with(self.now, id, work).unwrap_or(0)
    }

    /// Stops (true) or resumes reading: what arrives stays, and the window closes.
    pub fn hold(&mut self, id: TcpId, hold: bool) {
        let Some(connection) = self.stack.tcp.get_mut(&id) else { return };
        if std::mem::replace(&mut connection.held, hold) && !hold {
            self.stack.tell(self.now, id);
        }
    }

    /// Whether the peer will send no more and all of it was read.
    pub fn peer_finished(&self, id: TcpId) -> bool {
        self.stack.tcp.get(&id).is_some_and(super::connection::TcpConnection::peer_finished)
    }

    /// Sends what waits and then finishes the PC's direction.
    pub fn finish(&mut self, id: TcpId) {
        self.stack.with(self.now, id, |connection, below| connection.finish(below));
    }

    /// Resets a connection.
    pub fn abort(&mut self, id: TcpId) {
        self.stack.with(self.now, id, |connection, below| connection.abort(below));
    }

    /// Forgets a connection that is over; resets it first when it is not. Its place is free at once.
    pub fn forget(&mut self, id: TcpId) {
        self.stack.forget(self.now, id);
    }

    /// Switches Nagle's algorithm off (true) or on.
    pub fn set_nodelay(&mut self, id: TcpId, nodelay: bool) {
        self.stack.with(self.now, id, |connection, below| {
            connection.no_delay = nodelay;
            connection.pump(below);
        });
    }

    /// Probes an idle connection at this interval; nothing switches it off, which is how it begins.
    pub fn set_keep_alive(&mut self, id: TcpId, interval: Option<Picoseconds>) {
        self.stack.with(self.now, id, |connection, below| {
            connection.socket_mut().set_keep_alive(interval.map(clock::duration));
            connection.pump(below);
        });
    }

    /// Segments of a connection that were sent again.
    pub fn retransmitted(&self, id: TcpId) -> u64 {
        self.stack.tcp.get(&id).map_or(0, |connection| connection.sender.retransmitted)
    }

    /// Binds a UDP socket; port 0 chooses one.
    pub fn bind(&mut self, port: u16, broadcast: bool) -> Result<UdpId, HostError> {
        let port = if port == 0 { self.stack.free_udp_port().ok_or(HostError::NoFreePort)? } else { port };
        if !self.stack.datagrams.bind(port, self.seat, broadcast) {
            return Err(HostError::PortInUse(port));
        }
        Ok(UdpId(port))
    }

    /// The port of a UDP socket.
    pub fn udp_port(&self, id: UdpId) -> u16 {
        id.0
    }

    /// Closes a UDP socket.
    pub fn close_udp(&mut self, id: UdpId) {
        self.stack.datagrams.close(id.0);
    }

    /// Sends a datagram; false when it cannot: no route, no permission to broadcast, more than a packet.
    pub fn send_to(&mut self, id: UdpId, address: impl Into<IpAddr>, port: u16, bytes: &[u8]) -> bool {
        let address = address.into();
        let Some(socket) = self.stack.datagrams.udp.get(&id.0) else { return false };
        let everyone = match address {
            IpAddr::V4(to) => to.is_broadcast() || self.stack.addresses.is_network_broadcast(to),
            IpAddr::V6(_) => false,
        };
        if address.is_unspecified() || port == 0 || everyone && !socket.broadcast {
            return false;
        }
        if bytes.len() > ip::longest_datagram_bytes(address) || !everyone && !self.stack.has_route(address) {
            return false;
        }
        self.stack.send_datagram(self.now, id.0, (address, port), bytes);
        true
    }

    /// Sends a datagram to a station whose Ethernet address is known, without asking for it; false as above. The PC does not
    /// remember it: DHCP servers send such frames past the table of ARP.
    pub fn send_to_station(
        &mut self,
        id: UdpId,
        (address, port): (IpAddr, u16),
        station: [u8; 6],
        bytes: &[u8],
    ) -> bool {
        let before =
            self.stack.output.neighbours.replace(address, Some(Known::at(self.now, station, address)));
        let is_sent = self.send_to(id, address, port, bytes);
        self.stack.output.neighbours.replace(address, before);
        is_sent
    }

    /// Lets `read` have the next datagram with where it came from; false when there is none.
    pub fn receive_from(&mut self, id: UdpId, read: impl FnMut((IpAddr, u16), &[u8])) -> bool {
        self.stack.datagrams.receive(id.0, read)
    }

    /// Sends an ICMP echo request; false when it cannot. Where another application uses the identifier already, the wire sees
    /// the next free one; replies come under the one that was asked for.
    pub fn echo_request(
        &mut self,
        to: impl Into<IpAddr>,
        identifier: u16,
        sequence: u16,
        payload: &[u8],
    ) -> bool {
        let to = to.into();
        if payload.len() > ip::longest_datagram_bytes(to) || to.is_unspecified() || !self.stack.has_route(to)
        {
            return false;
        }
        self.stack.send_echo(self.now, self.seat, to, (identifier, sequence, payload))
    }

    /// The next echo reply.
    pub fn take_echo_reply(&mut self) -> Option<EchoReply> {
        self.stack.mail[self.seat.0].echoes.pop_front()
    }

    /// The next notice that something is unreachable.
    pub fn take_unreachable(&mut self) -> Option<Unreachable> {
        self.stack.mail[self.seat.0].unreachable.pop_front()
    }

    /// Sends any frame as it is.
    pub fn send_frame(&mut self, bytes: Vec<u8>) {
        self.stack.output.send(self.now, bytes);
    }

    /// Shows this application every frame that the PC receives, whether or not it is for it.
    pub fn watch_frames(&mut self, watch: bool) {
        self.stack.mail[self.seat.0].watching = watch;
    }

    /// The next frame that was watched.
    pub fn take_frame(&mut self) -> Option<SeenFrame> {
        self.stack.mail[self.seat.0].frames.pop_front()
    }
}
