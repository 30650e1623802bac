//! The PC's TCP/IP: frames are routed to the one connection, listener or datagram socket that they are for, each with a
//! smoltcp socket set of its own, so that a thousand connections cost no more per frame than one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr};

use sim::RandomStream;
use smoltcp::socket::tcp::State;
use smoltcp::wire::{EthernetAddress, Ipv4Cidr};
use units::Picoseconds;

use super::addresses::Addresses;
use super::application::{Mailbox, News, SeatId, TcpId};
use super::connection::{Below, TcpConnection};
use super::datagrams::Datagrams;
use super::echoers::Echoers;
use super::ephemeral::{EPHEMERALS, Ephemeral, FIRST_EPHEMERAL};
use super::fragments::Fragments;
use super::ipv6::{Own, may_be_beside};
use super::neighbours::Neighbours;
use super::output::Output;
use super::port::Port;
use super::segment::{ACK, FIN, RST, SYN, Segment, Tuple};
use super::time_wait::{Answer, TimeWait};
use super::{HostError, HostOptions, ip};

/// A listener.
#[derive(Debug, Clone)]
pub(super) struct Listener {
    pub seat: SeatId,
    pub half_open: usize,
    pub ready: VecDeque<TcpId>,
}

/// Counts of what the PC did not do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostCounts {
    /// SYNs that found a listener's backlog or the PC's connections full; they were not answered.
    pub syns_dropped: u64,
    /// Frames that found the way out full.
    pub frames_dropped: u64,
    /// Datagrams that found a socket's buffer full.
    pub datagrams_dropped: u64,
    /// Addresses that the PC did not play because connections used all that it may have.
    pub addresses_refused: u64,
    /// Notices and watched frames that found an application's queue full.
    pub notices_dropped: u64,
}

/// TCP/IP and its sockets.
pub(super) struct Stack {
    pub options: HostOptions,
    pub mail: Vec<Mailbox>,
    pub output: Output,
    pub tcp: BTreeMap<TcpId, TcpConnection>,
    pub listeners: BTreeMap<u16, Listener>,
    pub datagrams: Datagrams,
    /// Which seat asks under which ICMP identifier.
    pub echoers: Echoers,
    pub syns_dropped: u64,
    pub addresses: Addresses,
    pub fragments: Fragments,
    pub own_over_ipv6: Own,
    port: Port,
    routes: BTreeMap<Tuple, TcpId>,
    time_wait: TimeWait,
    timers: BTreeSet<(Picoseconds, TcpId)>,
    next_id: u64,
    ephemeral: Ephemeral,
    random: RandomStream,
}

macro_rules! below {
    ($stack:ident, $now:expr) => {
        Below { now: $now, port: &mut $stack.port, output: &mut $stack.output, options: &$stack.options }
    };
}

impl Stack {
    pub(super) fn new(options: HostOptions) -> Result<Self, HostError> {
        let mac = EthernetAddress(options.mac);
        let address = options.address;
        if !mac.is_unicast() {
            return Err(HostError::MacAddress(options.name));
        }
        if address.is_multicast() || address.is_broadcast() || address.is_unspecified() || options.prefix > 32
        {
            return Err(HostError::Address(options.name));
        }
        if options.ipv6.is_some_and(|(address, prefix)| !may_be_beside(address) || prefix > 128) {
            return Err(HostError::Ipv6Address(options.name));
        }
        let own_over_ipv6 =
            Own::new(options.mac, options.ipv6, options.ipv6_router.then_some(options.ipv6_configuration));
        let random = RandomStream::named(options.seed, &format!("host/{}", options.name));
        let everywhere = options.answers_for_all;
        let network = Ipv4Cidr::new(address, options.prefix);
        let neighbours = Neighbours::new(options.mac, network, options.gateway, everywhere, own_over_ipv6);
        Ok(Self {
            mail: Vec::new(),
            output: Output::new(options.send_time, neighbours),
            tcp: BTreeMap::new(),
            listeners: BTreeMap::new(),
            datagrams: Datagrams::default(),
            echoers: Echoers::default(),
            syns_dropped: 0,
            addresses: Addresses::new(address, options.prefix, options.mac, everywhere),
            fragments: Fragments::default(),
            own_over_ipv6,
            port: Port::default(),
            routes: BTreeMap::new(),
            time_wait: TimeWait::default(),
            timers: BTreeSet::new(),
            next_id: 0,
            ephemeral: Ephemeral::new(options.seed, &options.name),
            random,
            options,
        })
    }

    pub(super) fn set_address(
        &mut self,
        address: Ipv4Addr,
        prefix: u8,
        gateway: Option<Ipv4Addr>,
    ) -> Result<(), HostError> {
        if !ip::is_one_host(address) || prefix > 32 {
            return Err(HostError::Address(self.options.name.clone()));
        }
        self.become_host(address, prefix, gateway);
        Ok(())
    }

    pub(super) fn give_up_address(&mut self) {
        self.become_host(Ipv4Addr::UNSPECIFIED, 32, None);
    }

    fn become_host(&mut self, address: Ipv4Addr, prefix: u8, gateway: Option<Ipv4Addr>) {
        (self.options.address, self.options.prefix, self.options.gateway) = (address, prefix, gateway);
        self.addresses.become_host(address, prefix);
        self.output.neighbours.become_host(Ipv4Cidr::new(address, prefix), gateway);
    }

    /// A copy in the same state; nothing while there are connections.
    pub(super) fn snapshot(&self) -> Option<Self> {
        self.tcp.is_empty().then(|| Self {
            options: self.options.clone(),
            mail: self.mail.clone(),
            output: self.output.clone(),
            tcp: BTreeMap::new(),
            listeners: self.listeners.clone(),
            datagrams: self.datagrams.clone(),
            echoers: self.echoers.clone(),
            syns_dropped: self.syns_dropped,
            addresses: self.addresses.clone(),
            fragments: self.fragments.clone(),
            own_over_ipv6: self.own_over_ipv6,
            port: Port::default(),
            routes: BTreeMap::new(),
            time_wait: self.time_wait.clone(),
            timers: BTreeSet::new(),
            next_id: self.next_id,
            ephemeral: self.ephemeral.clone(),
            random: self.random.clone(),
        })
    }

    /// When something happens of its own accord.
    pub(super) fn next(&self) -> Option<Picoseconds> {
        let timer = self.timers.first().map(|(at, _)| *at);
        [timer, self.output.neighbours.next()].into_iter().flatten().min()
    }

    /// Lets the timers run that are due.
    pub(super) fn advance(&mut self, now: Picoseconds) {
        while let Some((at, id)) = self.timers.first().copied()
            && at <= now
        {
            let told = self.with(now, id, TcpConnection::wake).unwrap_or(false);
            if told {
                self.tell(now, id);
            }
        }
        if self.output.neighbours.next().is_some_and(|at| at <= now) {
            for frame in self.output.advance(now) {
                self.give_up(now, &frame);
            }
        }
    }

    /// Does something with a connection, and afterwards what follows from it.
    pub(super) fn with<R>(
        &mut self,
        now: Picoseconds,
        id: TcpId,
        work: impl FnOnce(&mut TcpConnection, &mut Below<'_>) -> R,
    ) -> Option<R> {
        let connection = self.tcp.get_mut(&id)?;
        let mut below = below!(self, now);
        let was_open = !connection.is_opening();
        let was_over = connection.ending.is_some();
        let result = work(connection, &mut below);
        let wake_at = connection.wake_at(&mut below);
        if let Some(filed) = connection.filed.take() {
            self.timers.remove(&(filed, id));
        }
        connection.filed = wake_at;
        if let Some(at) = wake_at {
            self.timers.insert((at, id));
        }
        let opens = !was_open && !connection.is_opening() && connection.ending.is_none();
        let ends = !was_over && connection.ending.is_some();
        if opens {
            self.note_open(now, id);
        }
        if ends {
            self.note_over(now, id, was_open);
        }
        Some(result)
    }

    /// Opens a connection to a peer.
    pub(super) fn connect(
        &mut self,
        now: Picoseconds,
        seat: SeatId,
        to: (IpAddr, u16),
    ) -> Result<TcpId, HostError> {
        let (remote, remote_port) = to;
        let is_everyone = remote == IpAddr::V4(Ipv4Addr::BROADCAST);
        let special = remote.is_multicast() || is_everyone || remote.is_unspecified();
        if special || remote_port == 0 || !self.has_route(remote) {
            return Err(HostError::no_route(remote, remote_port));
        }
        if !self.make_room() {
            return Err(HostError::TooManyConnections);
        }
        let local = self.local_for(now, remote);
        let tuple = self.free_tuple(local, remote, remote_port).ok_or(HostError::NoFreePort)?;
        let random_seed = self.ephemeral.seed_for(now, &tuple);
        let mut below = below!(self, now);
        let connection = TcpConnection::active(tuple, seat, random_seed, &mut below)
            .ok_or_else(|| HostError::no_route(remote, remote_port))?;
        let id = self.enter(connection);
        self.with(now, id, |connection, below| connection.pump(below));
        Ok(id)
    }

    /// A port of the PC's own for a UDP socket.
    pub(super) fn free_udp_port(&mut self) -> Option<u16> {
        let first = self.random.below(EPHEMERALS);
        (0..EPHEMERALS)
            .map(|n| FIRST_EPHEMERAL + ((first + n) % EPHEMERALS) as u16)
            .find(|port| !self.datagrams.udp.contains_key(port))
    }

    /// Has a connection's application look at it.
    pub(super) fn tell(&mut self, now: Picoseconds, id: TcpId) {
        let at = now + self.options.application_time;
        let Some(connection) = self.tcp.get_mut(&id) else { return };
        let unaccepted = connection.listener.is_some_and(|port| {
            self.listeners.get(&port).is_some_and(|listener| listener.ready.contains(&id))
        });
        if unaccepted || connection.listener.is_some() && connection.is_opening() {
            return;
        }
        let mailbox = &mut self.mail[connection.seat.0];
        mailbox.call(at);
        mailbox.again = mailbox.again.max(connection.becomes_readable(now));
        if !std::mem::replace(&mut connection.in_news, true) {
            mailbox.news.push_back(News::Tcp(id));
        }
    }

    /// Forgets a connection that is over, or resets one that is not.
    pub(super) fn forget(&mut self, now: Picoseconds, id: TcpId) {
        self.with(now, id, |connection, below| connection.abort(below));
        self.remove(id);
    }

    pub(super) fn counts(&self) -> HostCounts {
        HostCounts {
            syns_dropped: self.syns_dropped,
            frames_dropped: self.output.dropped(),
            datagrams_dropped: self.datagrams.dropped,
            addresses_refused: self.addresses.refused,
            notices_dropped: self.mail.iter().map(|mailbox| mailbox.dropped).sum(),
        }
    }

    pub(super) fn has_route(&self, to: IpAddr) -> bool {
        self.output.neighbours.has_route(to)
    }

    /// A connection's peer cannot be reached.
    pub(super) fn unreachable(&mut self, now: Picoseconds, tuple: &Tuple, refused: bool) {
        if let Some(id) = self.routes.get(tuple).copied() {
            self.with(now, id, |connection, _| connection.unreachable(refused));
        }
    }

    /// A TCP segment for the PC arrived.
    pub(super) fn arrive_tcp(&mut self, now: Picoseconds, frame: Vec<u8>, segment: &Segment) {
        let tuple = segment.incoming();
        if let Some(id) = self.routes.get(&tuple).copied() {
            let told = self.with(now, id, |connection, below| connection.arrive(frame, segment, below));
            if told == Some(true) {
                self.tell(now, id);
            }
            return;
        }
        match self.time_wait.answer(now, segment) {
            Answer::Frame(answer) => self.output.send_packet(now, answer),
            Answer::Nothing => {}
            Answer::Unknown if segment.flags & (SYN | ACK | RST | FIN) == SYN && self.listens(segment) => {
                self.arrive_syn(now, frame, segment);
            }
            Answer::Unknown => self.refuse_segment(now, &frame, segment),
        }
    }

    fn listens(&self, segment: &Segment) -> bool {
        self.listeners.contains_key(&segment.destination_port)
    }

    fn arrive_syn(&mut self, now: Picoseconds, frame: Vec<u8>, segment: &Segment) {
        let Some(listener) = self.listeners.get(&segment.destination_port) else { return };
        let seat = listener.seat;
        let full = listener.half_open >= self.options.backlog || listener.ready.len() >= self.options.backlog;
        if full || !self.make_room() {
            self.syns_dropped += 1;
            return;
        }
        let random_seed = self.ephemeral.seed_for(now, &segment.incoming());
        let mut below = below!(self, now);
        let Some(connection) = TcpConnection::passive(segment.incoming(), seat, random_seed, &mut below)
        else {
            return;
        };
        let id = self.enter(connection);
        self.count_half_open(segment.destination_port, 1);
        self.with(now, id, |connection, below| connection.arrive(frame, segment, below));
        if self.tcp.get(&id).is_some_and(|connection| connection.state() == State::Listen) {
            self.count_half_open(segment.destination_port, -1);
            self.remove(id);
        }
    }

    fn enter(&mut self, connection: TcpConnection) -> TcpId {
        let id = TcpId(self.next_id);
        self.next_id += 1;
        self.routes.insert(connection.tuple, id);
        self.tcp.insert(id, connection);
        id
    }

    fn remove(&mut self, id: TcpId) {
        let Some(connection) = self.tcp.remove(&id) else { return };
        if let Some(filed) = connection.filed {
            self.timers.remove(&(filed, id));
        }
        if self.routes.get(&connection.tuple) == Some(&id) {
            self.routes.remove(&connection.tuple);
        }
    }

    fn count_half_open(&mut self, port: u16, by: isize) {
        if let Some(listener) = self.listeners.get_mut(&port) {
            listener.half_open = listener.half_open.saturating_add_signed(by);
        }
    }

    fn note_open(&mut self, now: Picoseconds, id: TcpId) {
        let at = now + self.options.application_time;
        let Some(connection) = self.tcp.get(&id) else { return };
        let Some(port) = connection.listener else { return };
        let seat = connection.seat;
        self.count_half_open(port, -1);
        let Some(listener) = self.listeners.get_mut(&port) else { return };
        listener.ready.push_back(id);
        if listener.ready.len() == 1 {
            self.mail[seat.0].news.push_back(News::Listener(super::ListenerId(port)));
        }
        self.mail[seat.0].call(at);
    }

    /// A connection is over: its place is free, and its application is told.
    fn note_over(&mut self, now: Picoseconds, id: TcpId, was_open: bool) {
        let Some(connection) = self.tcp.get_mut(&id) else { return };
        let tuple = connection.tuple;
        if connection.state() == State::TimeWait {
            self.time_wait.insert(now, tuple, std::mem::take(&mut connection.last_acknowledgement));
        }
        let half_open = connection.listener.is_some() && !was_open;
        self.routes.remove(&tuple);
        if half_open {
            self.count_half_open(tuple.local_port, -1);
            self.remove(id);
        } else {
            self.tell(now, id);
        }
    }

    /// Makes room for another connection; those that are over go first.
    fn make_room(&mut self) -> bool {
        if self.tcp.len() < self.options.most_connections {
            return true;
        }
        let over = self.tcp.iter().find(|(_, connection)| connection.ending.is_some()).map(|(id, _)| *id);
        match over {
            Some(id) => self.remove(id),
            None => return false,
        }
        true
    }

    fn free_tuple(&mut self, local: IpAddr, remote: IpAddr, remote_port: u16) -> Option<Tuple> {
        let Self { ephemeral, routes, time_wait, listeners, .. } = self;
        let base = Tuple { local, remote, remote_port, local_port: 0 };
        ephemeral.port_for(&base, |tuple| {
            !routes.contains_key(tuple)
                && !time_wait.holds(tuple)
                && !listeners.contains_key(&tuple.local_port)
        })
    }
}
