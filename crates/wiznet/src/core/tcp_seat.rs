//! Where the TCP engine sits: its commands, ARP before CONNECT, which socket a segment is for, and segments to the MAC as
//! fast as the wire takes them, the sockets in turn.

use std::net::{IpAddr, Ipv6Addr};

use smoltcp::wire::IpProtocol;
use units::Picoseconds;

use crate::chips::{Mode, is_set};
use crate::map::{Common, SocketRegister};
use crate::tcp::{self, Endpoints, Header, LARGEST_MSS_IPV6, Memory, SendOk, Settings};

use super::Core;
use super::opened::Destination;
use super::receive::{Cast, Origin};
use super::socket::{Purpose, Socket, interrupt, status};

/// Sn_ESR: the connection is over IPv6, this is its client, and the own address is GUAR.
const ESR_IPV6: u8 = 0x04;
const ESR_CLIENT: u8 = 0x02;
const ESR_GLOBAL: u8 = 0x01;
/// Sn_MR.ND.
const NO_DELAYED_ACK: u8 = 0x20;

impl Core {
    fn settings_of(&self, socket: &Socket) -> Settings {
        let own = &socket.registers;
        let force_push = self.facts.protocols.force_push;
        let or_common = |own: u64, common: Common| if own == 0 { self.common.get(common) } else { own };
        Settings {
            retry_time: or_common(own.get(SocketRegister::Rtr), Common::Rtr) as u16,
            retry_count: or_common(own.get(SocketRegister::Rcr), Common::Rcr) as u8,
            mss: own.u16(SocketRegister::Mssr),
            pushes_each: force_push.is_none() || is_set(force_push, own),
            no_delayed_ack: socket.mode() & NO_DELAYED_ACK != 0,
            keep_alive_time: own.u8(SocketRegister::Kpalvtr),
            send_ok: if self.options.send_ok_waits_for_acknowledgement {
                SendOk::Acknowledged
            } else {
                SendOk::Sent
            },
            ..Settings::at_reset()
        }
        .with_peer(socket.connection.endpoints().remote_address)
    }

    fn initial_sequence(&mut self) -> u32 {
        self.random.below(1 << 32) as u32
    }

    /// Takes over what the engine says after a call: interrupts, status, the peer.
    pub(super) fn connection_changed(&mut self, n: usize) {
        let socket = &mut self.sockets[n];
        socket.stalled = false;
        socket.take_over();
        if self.mac.is_idle(self.now) {
            self.pump_segments();
        }
    }

    pub(super) fn listen(&mut self, n: usize) -> bool {
        let sequence = self.initial_sequence();
        let socket = &mut self.sockets[n];
        let port = socket.port();
        let fits = socket.is_tcp() && !socket.is_resolving() && socket.connection.listen(port, sequence);
        if fits {
            self.heed_late_writes(n);
            self.heed_zeros(n, "LISTEN", None);
        }
        self.connection_changed(n);
        fits
    }

    /// CONNECT or CONNECT6: first whom to send to.
    pub(super) fn begin_connect(&mut self, n: usize, is_ipv6: bool) -> bool {
        let socket = &self.sockets[n];
        let destination = Destination::in_registers(&socket.registers, is_ipv6);
        let is_of_mode = socket.opened.mode.takes(destination.address);
        if socket.status() != status::INIT || socket.is_resolving() || !is_of_mode {
            return false;
        }
        self.heed_late_writes(n);
        self.heed_zeros(n, if is_ipv6 { "CONNECT6" } else { "CONNECT" }, Some(destination));
        self.sockets[n].opened.port = self.sockets[n].port();
        let registers = &self.sockets[n].registers;
        if is_set(self.facts.given_hardware_address, registers) {
            let hardware_address = registers.hardware_address(SocketRegister::Dhar);
            self.connect(n, hardware_address, destination);
        } else {
            self.resolve(n, destination, Purpose::Connect);
        }
        true
    }

    /// The peer's hardware address is known: SYN.
    pub(super) fn connect(&mut self, n: usize, hardware_address: [u8; 6], to: Destination) {
        let sequence = self.initial_sequence();
        let source = match to.address {
            IpAddr::V4(_) => None,
            IpAddr::V6(address) => {
                let preference = self.sockets[n].registers.u8(SocketRegister::Psr);
                Some(self.source_over_ipv6(preference, address))
            }
        };
        let global = self.global_address();
        let socket = &mut self.sockets[n];
        socket.begin_connection(source, global, ESR_CLIENT);
        let endpoints =
            Endpoints { local_port: socket.opened.port, remote_port: to.port, remote_address: to.address };
        socket.peer = hardware_address;
        socket.connection.connect(endpoints, sequence);
        self.connection_changed(n);
    }

    pub(super) fn send_stream(&mut self, n: usize) -> bool {
        let settings = self.settings_of(&self.sockets[n]);
        let (now, socket) = (self.now, &mut self.sockets[n]);
        let (tx, rx) = self.buffers.of(n);
        let mut memory = Memory { tx, rx, pointers: &mut socket.pointers };
        let written = socket.registers.u16(SocketRegister::TxWr);
        let fits = socket.connection.send(now, written, &settings, &mut memory);
        self.connection_changed(n);
        fits
    }

    pub(super) fn disconnect(&mut self, n: usize) -> bool {
        let socket = &mut self.sockets[n];
        if !socket.is_tcp() || !matches!(socket.opened.mode, Mode::Tcp(_)) {
            return false;
        }
        let resolving = socket.resolution.take().is_some();
        let fits = socket.connection.disconnect() || resolving;
        self.connection_changed(n);
        fits
    }

    pub(super) fn keep_alive(&mut self, n: usize) -> bool {
        let settings = self.settings_of(&self.sockets[n]);
        let socket = &mut self.sockets[n];
        let fits = socket.is_tcp() && socket.connection.send_keep(&settings);
        self.connection_changed(n);
        fits
    }

    /// Whether a socket took it.
    pub(super) fn receive_tcp(&mut self, origin: &Origin, bytes: &[u8]) -> bool {
        if origin.cast != Cast::One {
            return false;
        }
        let parsed = Header::parse(bytes);
        let Some((header, payload)) =
            parsed.filter(|_| tcp::checksum_is_right(origin.address, origin.destination, bytes))
        else {
            self.dropped.malformed += 1;
            return false;
        };
        let own = match origin.destination {
            IpAddr::V4(_) => None,
            IpAddr::V6(own) => Some(own),
        };
        let matching = self.sockets.iter().position(|socket| {
            let is_of_peer = socket.is_tcp() && socket.connection.matches(origin.address, &header);
            is_of_peer && socket.source == own
        });
        let listening = || {
            self.sockets.iter().position(|socket| {
                let is_called = socket.is_tcp() && socket.connection.would_accept(&header);
                is_called && socket.opened.mode.takes(origin.address)
            })
        };
        let Some(n) = matching.or_else(listening) else {
            self.refuse_segment(origin, &header, payload.len());
            return false;
        };
        if matching.is_none() {
            let global = self.global_address();
            self.sockets[n].peer = origin.hardware_address;
            self.sockets[n].begin_connection(own, global, 0);
        }
        let settings = self.settings_of(&self.sockets[n]).with_peer(origin.address);
        let (now, socket) = (self.now, &mut self.sockets[n]);
        let (tx, rx) = self.buffers.of(n);
        let mut memory = Memory { tx, rx, pointers: &mut socket.pointers };
        socket.connection.receive(now, origin.address, &header, payload, &settings, &mut memory);
        self.connection_changed(n);
        true
    }

    fn refuse_segment(&mut self, origin: &Origin, header: &Header, payload_bytes: usize) {
        let family = usize::from(origin.address.is_ipv6());
        let blocked = is_set(self.facts.protocols.switches.reset_block[family], &self.common);
        if blocked || self.is_network_card() {
            return;
        }
        if let Some(reset) = tcp::reset_for(header, payload_bytes) {
            let header = self.header_of_answer(origin, IpProtocol::Tcp);
            let mut frame = self.begin_packet(&header, TCP_HEADER_BYTES);
            reset.emit(header.source, header.destination, [&[], &[]], &mut frame);
            self.answer(frame);
        }
    }

    pub(super) fn connection_event(&self, socket: &Socket) -> Option<Picoseconds> {
        if socket.status() == status::CLOSED || !socket.is_tcp() {
            return None;
        }
        socket.connection.next_event(&self.settings_of(socket))
    }

    pub(super) fn advance_connections(&mut self) {
        for n in 0..self.sockets.len() {
            if self.connection_event(&self.sockets[n]).is_none_or(|at| at > self.now) {
                continue;
            }
            let settings = self.settings_of(&self.sockets[n]);
            let (now, socket) = (self.now, &mut self.sockets[n]);
            socket.connection.advance(now, &settings, &socket.pointers);
            self.connection_changed(n);
        }
    }

    /// When the wire is free for a segment that waits.
    pub(super) fn segment_event(&self) -> Option<Picoseconds> {
        let waits = self.sockets.iter().any(Socket::has_segment);
        waits.then(|| self.mac.wire_free().max(self.now))
    }

    /// Sends segments until the wire is busy or nothing waits.
    pub(super) fn pump_segments(&mut self) {
        let count = self.sockets.len();
        while self.mac.is_idle(self.now) {
            let in_turn = (1..=count).map(|step| (self.last_served + step) % count);
            let waiting = in_turn.into_iter().find(|&n| self.sockets[n].has_segment());
            let Some(n) = waiting else { return };
            self.last_served = n;
            self.send_segment(n);
        }
    }

    fn send_segment(&mut self, n: usize) {
        let settings = self.settings_of(&self.sockets[n]);
        let (now, socket) = (self.now, &mut self.sockets[n]);
        let (tx, rx) = self.buffers.of(n);
        let mut memory = Memory { tx, rx, pointers: &mut socket.pointers };
        let outgoing = socket.connection.take_segment(now, &settings, &mut memory);
        let (peer, remote) = (socket.peer, socket.connection.endpoints().remote_address);
        if let Some(outgoing) = outgoing {
            let header = self.header_of(n, peer, remote, IpProtocol::Tcp);
            let payload_bytes = usize::from(outgoing.payload_bytes);
            let option_bytes = if outgoing.header.mss.is_some() { MSS_OPTION_BYTES } else { 0 };
            let mut frame = self.begin_packet(&header, TCP_HEADER_BYTES + option_bytes + payload_bytes);
            let (tx, _) = self.buffers.of(n);
            outgoing.header.emit(header.source, remote, outgoing.payload(tx), &mut frame);
            self.transmit(frame);
        }
        let socket = &mut self.sockets[n];
        socket.stalled = outgoing.is_none();
        socket.take_over();
    }
}

impl Settings {
    /// Those for a peer: less fits in a frame behind the longer header of IPv6.
    fn with_peer(self, address: IpAddr) -> Self {
        let largest_mss = if address.is_ipv6() { LARGEST_MSS_IPV6 } else { Self::at_reset().largest_mss };
        Self { largest_mss, ..self }
    }
}

impl Socket {
    /// A connection is asked for, by this side or by the other: from which own address, where it is over IPv6.
    fn begin_connection(&mut self, source: Option<Ipv6Addr>, global: Ipv6Addr, side: u8) {
        self.source = source;
        let family = if source.is_some() { ESR_IPV6 } else { 0 };
        let kind = if source == Some(global) { ESR_GLOBAL } else { 0 };
        self.registers.set(SocketRegister::Esr, (family | kind | side).into());
    }

    /// Takes over what the engine has to say: interrupts and status.
    fn take_over(&mut self) {
        let interrupts = self.connection.take_interrupts();
        self.raise(interrupts);
        if interrupts & interrupt::CON != 0 {
            self.show_peer();
        }
        if self.is_tcp() {
            self.set_status(self.connection.status() as u8);
        }
    }

    /// A connection stands: with whom can be read (W5200 datasheet, p. 34, Sn_DIPR).
    fn show_peer(&mut self) {
        let endpoints = self.connection.endpoints();
        self.registers.set_hardware_address(SocketRegister::Dhar, self.peer);
        match endpoints.remote_address {
            IpAddr::V4(address) => self.registers.set_address(SocketRegister::Dipr, address.octets()),
            IpAddr::V6(address) => self.registers.set_ipv6(SocketRegister::Dip6r, address),
        }
        self.registers.set(SocketRegister::Dport, u64::from(endpoints.remote_port));
    }
}

const TCP_HEADER_BYTES: usize = 20;
const MSS_OPTION_BYTES: usize = 4;
