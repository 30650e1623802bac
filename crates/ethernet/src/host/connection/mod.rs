//! One TCP connection: a smoltcp socket of its own, and around it what Linux does otherwise: the handshake's repetitions,
//! acknowledgements held back, Nagle's algorithm, the congestion window and window scale 7. smoltcp's segments pass
//! through `departure` on their way out.

mod arrival;
mod departure;

use std::net::{IpAddr, Ipv4Addr};

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State};
use smoltcp::wire::{HardwareAddress, IpCidr};
use units::Picoseconds;

use super::ack::{AckEngine, AckTime};
use super::application::SeatId;
use super::clock;
use super::handshake::Handshake;
use super::ipv6;
use super::limits::Limits;
use super::output::Output;
use super::persist::Persist;
use super::port::Port;
use super::segment::Tuple;
use super::sender::Sender;
use super::{Ending, HostOptions};

/// The window scale that Linux offers with `tcp_rmem` at most 6 MB or 32 MB wide (RFC 7323 section 2.3).
pub(super) const WINDOW_SHIFT: u8 = 7;

/// What a connection needs of its PC.
pub(super) struct Below<'a> {
    pub now: Picoseconds,
    pub port: &'a mut Port,
    pub output: &'a mut Output,
    pub options: &'a HostOptions,
}

/// A connection.
pub(super) struct TcpConnection {
    pub tuple: Tuple,
    pub seat: SeatId,
    /// The listener's port, where it came from one.
    pub listener: Option<u16>,
    pub no_delay: bool,
    pub held: bool,
    pub ending: Option<Ending>,
    pub sender: Sender,
    pub limits: Limits,
    /// The frame that answers whatever comes after the end.
    pub last_acknowledgement: Vec<u8>,
    /// When it wants to be called again, as filed with the stack.
    pub filed: Option<Picoseconds>,
    /// Whether its application has it in its list of news.
    pub in_news: bool,
    pub(super) active: bool,
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    acks: AckEngine,
    persist: Persist,
    /// The peer's next sequence number, as smoltcp has it.
    expected: u32,
    waiting_ack: Option<Vec<u8>>,
    acknowledged_to: Option<u32>,
    pub(super) handshake: Option<Handshake>,
    was_reset: bool,
    closed_by_peer: bool,
    /// Until then its application does not know of what has arrived, though it may run for another reason.
    pub readable_at: Picoseconds,
    aborted: bool,
    /// The application has finished; the FIN leaves as soon as it fits the peer's window, which smoltcp does not heed.
    pub finishing: bool,
    /// smoltcp's own window shift, and whether the wire sees another.
    pub(super) shift: u8,
    scaled: bool,
}

impl TcpConnection {
    fn new(tuple: Tuple, seat: SeatId, random_seed: u64, below: &mut Below<'_>) -> Self {
        let options = below.options;
        let receive_bytes = options.window_bytes(tuple.remote).max(1);
        let mut socket = Socket::new(
            SocketBuffer::new(vec![0; receive_bytes]),
            SocketBuffer::new(vec![0; options.send_buffer_bytes.max(1)]),
        );
        socket.set_congestion_control(CongestionControl::None);
        socket.set_ack_delay(None);
        if options.timestamps {
            socket.set_tsval_generator(Some(clock::timestamp));
        }
        let bits = usize::BITS - receive_bytes.leading_zeros();
        let mut sockets = SocketSet::new(Vec::with_capacity(1));
        let handle = sockets.add(socket);
        Self {
            tuple,
            seat,
            listener: None,
            no_delay: !options.nagle,
            held: false,
            ending: None,
            sender: Sender::new(),
            limits: Limits::default(),
            last_acknowledgement: Vec::new(),
            filed: None,
            in_news: false,
            active: false,
            interface: interface(tuple.local, random_seed, below),
            sockets,
            handle,
            acks: AckEngine::new(options.ack_policy, below.now, receive_bytes),
            persist: Persist::default(),
            expected: 0,
            waiting_ack: None,
            acknowledged_to: None,
            handshake: None,
            was_reset: false,
            closed_by_peer: false,
            readable_at: Picoseconds::ZERO,
            aborted: false,
            finishing: false,
            shift: bits.saturating_sub(16) as u8,
            scaled: false,
        }
    }

    /// One that a SYN to a listener begins; the SYN itself follows.
    pub(super) fn passive(
        tuple: Tuple,
        seat: SeatId,
        random_seed: u64,
        below: &mut Below<'_>,
    ) -> Option<Self> {
        let mut connection = Self::new(tuple, seat, random_seed, below);
        connection.listener = Some(tuple.local_port);
        connection.socket_mut().listen(tuple.local_port).ok()?;
        Some(connection)
    }

    /// One that the PC opens.
    pub(super) fn active(
        tuple: Tuple,
        seat: SeatId,
        random_seed: u64,
        below: &mut Below<'_>,
    ) -> Option<Self> {
        let mut connection = Self::new(tuple, seat, random_seed, below);
        connection.active = true;
        let socket = connection.sockets.get_mut::<Socket<'_>>(connection.handle);
        socket
            .connect(
                connection.interface.context(),
                (tuple.remote, tuple.remote_port),
                (tuple.local, tuple.local_port),
            )
            .ok()?;
        Some(connection)
    }

    pub(super) fn socket(&self) -> &Socket<'static> {
        self.sockets.get(self.handle)
    }

    pub(super) fn socket_mut(&mut self) -> &mut Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    pub(super) fn state(&self) -> State {
        self.socket().state()
    }

    /// Still before the end of its handshake.
    pub(super) fn is_opening(&self) -> bool {
        matches!(self.state(), State::Listen | State::SynSent | State::SynReceived)
    }

    /// Whether it is not over and has this address of the PC's.
    pub(super) fn uses(&self, address: Ipv4Addr) -> bool {
        self.tuple.local == address && self.ending.is_none()
    }

    /// Whether the peer has finished and everything it sent was read.
    pub(super) fn peer_finished(&self) -> bool {
        let finished =
            matches!(self.state(), State::CloseWait | State::LastAck | State::Closing | State::TimeWait)
                || self.ending == Some(Ending::Finished);
        finished && self.socket().recv_queue() == 0
    }

    /// Bytes that its application can read by now.
    pub(super) fn readable(&self, now: Picoseconds) -> usize {
        if self.held || now < self.readable_at { 0 } else { self.socket().recv_queue() }
    }

    /// When what has arrived can be read, where that is still to come.
    pub(super) fn becomes_readable(&self, now: Picoseconds) -> Option<Picoseconds> {
        (now < self.readable_at && self.socket().recv_queue() > 0).then_some(self.readable_at)
    }

    /// Its time has come; true when its application may want to know.
    pub(super) fn wake(&mut self, below: &mut Below<'_>) -> bool {
        let ended = self.ending.is_some();
        if self.is_opening() {
            self.wake_opening(below);
        }
        if let (AckTime::At(at), true) = (self.acks.decided(), self.waiting_ack.is_some())
            && at <= below.now
        {
            self.acks.timed_out();
            self.release_ack(below);
        }
        if self.persist.is_due(below.now) {
            self.probe_window(below);
        }
        self.pump(below);
        self.ending.is_some() && !ended
    }

    /// When it wants [`Self::wake`]: always later than now.
    pub(super) fn wake_at(&mut self, below: &mut Below<'_>) -> Option<Picoseconds> {
        if self.ending.is_some() {
            return None;
        }
        if let Some(handshake) = &self.handshake
            && self.is_opening()
        {
            return Some(handshake.again_at);
        }
        let polled = self
            .interface
            .poll_at(clock::instant(below.now), &self.sockets)
            .map(|at| clock::picoseconds(at).max(below.now + Picoseconds::new(units::PS_PER_MS)));
        let held = match self.acks.decided() {
            AckTime::At(at) if self.waiting_ack.is_some() => Some(at),
            _ => None,
        };
        [polled, held, self.persist.at()].into_iter().flatten().min()
    }

    /// Sends the rest, then a FIN.
    pub(super) fn finish(&mut self, below: &mut Below<'_>) {
        if self.is_opening() && self.active {
            self.abort(below);
            return;
        }
        self.finishing = true;
        self.pump(below);
    }

    /// Resets the connection.
    pub(super) fn abort(&mut self, below: &mut Below<'_>) {
        if self.ending.is_some() {
            return;
        }
        self.aborted = true;
        let silent = self.state() == State::SynSent;
        self.handshake = None;
        self.socket_mut().abort();
        if !silent {
            self.pump(below);
        }
        self.ending = Some(Ending::Aborted);
    }

    /// The peer or the way to it was said to be out of reach (RFC 1122 section 4.2.3.9: fatal only while opening).
    pub(super) fn unreachable(&mut self, refused: bool) {
        if self.state() == State::SynSent {
            self.ending = Some(if refused { Ending::Refused } else { Ending::Unreachable });
        }
    }

    pub(super) fn timestamp_offset(&self) -> u32 {
        u32::from(self.tuple.local_port).wrapping_mul(0x9E37_79B1)
    }

    /// Sees whether the connection is over, and why.
    fn conclude(&mut self) {
        if self.ending.is_some() {
            return;
        }
        let opening = self.handshake.is_some();
        self.ending = match self.state() {
            State::TimeWait => Some(Ending::Finished),
            State::Listen if self.was_reset => Some(Ending::Refused),
            State::Closed if self.was_reset && opening => Some(Ending::Refused),
            State::Closed if self.was_reset => Some(Ending::Reset),
            State::Closed if self.aborted => Some(Ending::Aborted),
            State::Closed if self.closed_by_peer => Some(Ending::Finished),
            State::Closed => Some(Ending::TimedOut),
            _ => None,
        };
    }
}

/// What smoltcp takes for the network of one connection, so that its random numbers are the connection's own.
fn interface(local: IpAddr, random_seed: u64, below: &mut Below<'_>) -> Interface {
    let mut config = Config::new(HardwareAddress::Ip);
    config.random_seed = random_seed;
    let mut interface = Interface::new(config, below.port, clock::instant(below.now));
    interface.update_ip_addrs(|addresses| {
        let prefix = if local.is_ipv4() { below.options.prefix } else { ipv6::PREFIX };
        let _ = addresses.push(IpCidr::new(local.into(), prefix));
    });
    interface
}

impl std::fmt::Debug for TcpConnection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("TcpConnection")
            .field("tuple", &self.tuple)
            .field("state", &self.state())
            .field("ending", &self.ending)
            .finish_non_exhaustive()
    }
}
