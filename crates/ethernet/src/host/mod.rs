//! A PC: a station with a full TCP/IP stack, smoltcp's, wrapped so that on the wire it behaves like a Linux desktop. Its
//! [`Application`]s are state machines that use its [`Sockets`] in virtual time.
//!
//! Left out: sending packets in fragments, receive buffers that grow, SYN cookies, and sending selectively what
//! selective acknowledgements ask for.

mod ack;
mod addresses;
mod application;
mod clock;
mod connection;
mod datagrams;
mod echoers;
mod ephemeral;
mod fragments;
mod handshake;
mod icmp;
mod ip;
mod ipv6;
mod limits;
mod neighbours;
mod options;
mod output;
mod packets;
mod persist;
mod port;
mod segment;
mod sender;
mod sockets;
mod stack;
mod time_wait;

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;
use units::Picoseconds;

pub use application::{
    Application, EchoReply, Ending, ListenerId, News, SeatId, SeenFrame, TcpId, TcpState, UdpId, Unreachable,
};
pub use limits::TcpLimits;
pub use options::{AckPolicy, AddressConfiguration, HostOptions};
pub use sockets::Sockets;
pub use stack::HostCounts;

use crate::{Frame, Speed, Station};
use application::Mailbox;
use stack::Stack;

/// Frames between the card and the stack; more are dropped, as a card's ring does.
const MOST_RECEIVED: usize = 65_536;

/// An application that wants to be run again at once is run after this, so that it cannot stop time.
const SHORTEST_SLEEP: Picoseconds = Picoseconds::from_ns(1_000);

/// What a PC cannot do.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum HostError {
    /// An Ethernet address that is not one station's.
    #[error("PC {0}: its Ethernet address is a group's. Clear the lowest bit of the first byte.")]
    MacAddress(String),
    /// An IPv4 address that no PC has.
    #[error("PC {0}: its IPv4 address is not that of one host, or its prefix is longer than 32.")]
    Address(String),
    /// An IPv6 address that no PC has beside the link-local one.
    #[error(
        "PC {0}: its IPv6 address is not that of one host beyond its link, or its prefix is longer than 128."
    )]
    Ipv6Address(String),
    /// The port has a socket already, or is 0.
    #[error("port {0} is in use or no port. Choose another one.")]
    PortInUse(u16),
    /// All ports are in use.
    #[error("every port from 32768 to 60999 is in use. Close some connections first.")]
    NoFreePort,
    /// There is no way to an address.
    #[error(
        "{0}:{1} cannot be reached. Give the PC a gateway, or use an address of one host in its network."
    )]
    NoRoute(Ipv4Addr, u16),
    /// There is no way to an address of IPv6.
    #[error(
        "[{0}]:{1} cannot be reached: over IPv6 the PC reaches its own networks alone. Use a link-local address, which \
         begins with fe80, or give the PC an address in that network."
    )]
    NoRouteOverIpv6(Ipv6Addr, u16),
    /// The PC's bound on connections is reached.
    #[error("the PC has as many connections as its options allow. Raise most_connections.")]
    TooManyConnections,
}

impl HostError {
    fn no_route(to: IpAddr, port: u16) -> Self {
        match to {
            IpAddr::V4(to) => Self::NoRoute(to, port),
            IpAddr::V6(to) => Self::NoRouteOverIpv6(to, port),
        }
    }
}

/// A PC.
pub struct Host {
    now: Picoseconds,
    stack: Stack,
    applications: Vec<Option<Box<dyn Application>>>,
    received: VecDeque<(Picoseconds, Picoseconds, Vec<u8>)>,
    received_dropped: u64,
    plugged: bool,
}

impl Host {
    /// A PC that is plugged in.
    pub fn new(options: HostOptions) -> Result<Self, HostError> {
        Ok(Self {
            now: Picoseconds::ZERO,
            stack: Stack::new(options)?,
            applications: Vec::new(),
            received: VecDeque::new(),
            received_dropped: 0,
            plugged: true,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.stack.options.name
    }

    /// Its IPv4 address.
    pub fn address(&self) -> Ipv4Addr {
        self.stack.options.address
    }

    /// Its link-local address of IPv6, which its Ethernet address gives.
    pub fn link_local_address(&self) -> Ipv6Addr {
        ipv6::link_local(self.stack.options.mac)
    }

    /// Has another address from here on, in a network of so many bits, behind a gateway. Connections keep that of before.
    ///
    /// # Errors
    /// An address that is not one host's, or a prefix longer than 32.
    pub fn set_address(
        &mut self,
        address: Ipv4Addr,
        prefix: u8,
        gateway: Option<Ipv4Addr>,
    ) -> Result<(), HostError> {
        self.stack.set_address(address, prefix, gateway)
    }

    /// Has no address from here on: it speaks from 0.0.0.0, and only to everyone, until it is given one (RFC 2131, section 4.1).
    pub fn give_up_address(&mut self) {
        self.stack.give_up_address();
    }

    /// Answers from here on for every address that is asked for, or for its own ones only: those that it has taken on stay.
    pub fn answer_for_all(&mut self, on: bool) {
        self.stack.addresses.answer_for_all(on);
    }

    /// Whether it answers for every address that is asked for.
    pub fn answers_for_all(&self) -> bool {
        self.stack.addresses.answers_for_all()
    }

    /// Starts an application: it runs for the first time at the PC's present.
    pub fn seat(&mut self, application: Box<dyn Application>) -> SeatId {
        let mut mailbox = Mailbox::default();
        mailbox.call(self.now);
        self.stack.mail.push(mailbox);
        self.applications.push(Some(application));
        SeatId(self.applications.len() - 1)
    }

    /// An application, to look at it.
    pub fn application(&self, id: SeatId) -> Option<&dyn Application> {
        self.applications.get(id.0)?.as_deref()
    }

    /// An application. Have [`Self::call`] run it when it was changed.
    pub fn application_mut(&mut self, id: SeatId) -> Option<&mut dyn Application> {
        self.applications.get_mut(id.0)?.as_deref_mut()
    }

    /// An application as what it is.
    pub fn application_as<A: Application>(&mut self, id: SeatId) -> Option<&mut A> {
        (self.application_mut(id)? as &mut dyn Any).downcast_mut()
    }

    /// Has an application run at `at`.
    pub fn call(&mut self, at: Picoseconds, id: SeatId) {
        if let Some(mailbox) = self.stack.mail.get_mut(id.0) {
            mailbox.call(at);
        }
    }

    /// Sends any frame as it is.
    pub fn send_frame(&mut self, at: Picoseconds, bytes: Vec<u8>) {
        self.stack.output.send(at, bytes);
    }

    /// How many connections there are, those included that are over and not forgotten.
    pub fn connections(&self) -> usize {
        self.stack.tcp.len()
    }

    /// What has kept each connection from sending up to a time, by its port here and the peer's.
    pub fn tcp_limits(&self, now: Picoseconds) -> impl Iterator<Item = ((u16, u16), TcpLimits)> {
        let ports = |tuple: &segment::Tuple| (tuple.local_port, tuple.remote_port);
        self.stack.tcp.values().map(move |one| (ports(&one.tuple), one.limits.until(now)))
    }

    /// What it did not do.
    pub fn counts(&self) -> HostCounts {
        let mut counts = self.stack.counts();
        counts.frames_dropped += self.received_dropped;
        counts
    }

    /// Why the PC cannot be copied now; nothing when it can.
    pub fn snapshot_refusal(&self) -> Option<String> {
        let name = self.name();
        let connections = self.connections();
        if connections > 0 {
            return Some(format!(
                "PC {name} has TCP connections ({connections}), which cannot be copied; wait until they are over"
            ));
        }
        let fixed = self.applications.iter().flatten().find(|application| application.snapshot().is_none());
        fixed.map(|fixed| format!("PC {name} runs an application that cannot be copied now: {fixed:?}"))
    }

    /// When something happens that is not a frame leaving.
    fn next_inside(&self) -> Option<Picoseconds> {
        let received = self.received.front().map(|(at, ..)| *at);
        let called = self.stack.mail.iter().filter_map(|mailbox| mailbox.due).min();
        [received, called, self.stack.next()].into_iter().flatten().min()
    }

    /// Lets everything happen that is due at one moment: frames first, then timers, then applications.
    fn step(&mut self, now: Picoseconds) {
        self.now = self.now.max(now);
        while self.received.front().is_some_and(|(at, ..)| *at <= now) {
            if let Some((_, arrived_at, frame)) = self.received.pop_front() {
                self.stack.arrive(now, arrived_at, frame);
            }
        }
        self.stack.advance(now);
        for seat in 0..self.applications.len() {
            if self.stack.mail[seat].due.is_some_and(|due| due <= now) {
                self.run(now, SeatId(seat));
            }
        }
    }

    fn run(&mut self, now: Picoseconds, seat: SeatId) {
        self.stack.mail[seat.0].begin_run(now);
        let Some(mut application) = self.applications[seat.0].take() else { return };
        let wake_at = application.run(now, &mut Sockets { stack: &mut self.stack, seat, now });
        self.applications[seat.0] = Some(application);
        if let Some(at) = wake_at {
            self.stack.mail[seat.0].call(at.max(now + SHORTEST_SLEEP));
        }
    }
}

impl Station for Host {
    fn receive(&mut self, at: Picoseconds, frame: &Frame) {
        if self.received.len() >= MOST_RECEIVED {
            self.received_dropped += 1;
            return;
        }
        if self.plugged && frame.intact {
            self.received.push_back((at + self.stack.options.receive_time, at, frame.bytes.clone()));
        }
    }

    fn next_event(&self) -> Option<Picoseconds> {
        [self.next_inside(), self.stack.output.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, at: Picoseconds) {
        while let Some(next) = self.next_inside()
            && next <= at
        {
            self.step(next);
        }
        self.now = self.now.max(at);
    }

    fn take_frame(&mut self) -> Option<Frame> {
        loop {
            let frame = self.stack.output.take(self.now)?;
            if self.plugged {
                return Some(frame);
            }
        }
    }

    fn link_changed(&mut self, at: Picoseconds, link: Option<Speed>) {
        self.now = self.now.max(at);
        self.plugged = link.is_some();
    }

    /// Nothing while [`Host::snapshot_refusal`] has a reason.
    fn snapshot(&self) -> Option<Box<dyn Station>> {
        let copies = self.applications.iter().map(|application| application.as_deref()?.snapshot().map(Some));
        Some(Box::new(Self {
            now: self.now,
            stack: self.stack.snapshot()?,
            applications: copies.collect::<Option<_>>()?,
            received: self.received.clone(),
            received_dropped: self.received_dropped,
            plugged: self.plugged,
        }))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Host")
            .field("name", &self.stack.options.name)
            .field("address", &self.stack.options.address)
            .field("now", &self.now)
            .field("connections", &self.stack.tcp.len())
            .finish_non_exhaustive()
    }
}
