//! One TCP connection: a smoltcp socket of its own, and around it what Linux does otherwise: the handshake's repetitions,
//! acknowledgements held back, Nagle's algorithm, the congestion window and window scale 7. smoltcp's segments pass
//! through [`TcpConnection::leaves`] on their way out.

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{CongestionControl, Socket, SocketBuffer, State};
use smoltcp::wire::{HardwareAddress, IpCidr, Ipv4Cidr};
use units::Picoseconds;

use super::ack::{AckEngine, AckTime, TakenIn};
use super::application::SeatId;
use super::clock;
use super::handshake::Handshake;
use super::output::Output;
use super::persist::{Persist, emptied, half_window, probe, window_update};
use super::port::Port;
use super::segment::{ACK, FIN, PSH, RST, SYN, Segment, Tuple, after};
use super::sender::Sender;
use super::{Ending, HostOptions};

/// The window scale that Linux offers with `tcp_rmem` at most 6 MB or 32 MB wide (RFC 7323 section 2.3).
pub(super) const WINDOW_SHIFT: u8 = 7;

/// Ethernet's 1500 bytes without 20 of IPv4 and 20 of TCP.
const SEGMENT_BYTES: u32 = 1460;

/// A timestamp and its padding (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u32 = 12;

/// Segments of one go; a window holds fewer.
const MOST_SEGMENTS: usize = 65_536;

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
        let receive_bytes = options.receive_buffer_bytes.max(1);
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
    pub(super) fn uses(&self, address: std::net::Ipv4Addr) -> bool {
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

    /// A segment for it arrived; true when its application may want to know.
    pub(super) fn arrive(&mut self, mut frame: Vec<u8>, segment: &Segment, below: &mut Below<'_>) -> bool {
        let before = (self.state(), self.socket().recv_queue(), self.socket().send_queue());
        if self.repeats_syn(segment) {
            self.send_handshake(below);
            return false;
        }
        if segment.has(SYN) {
            self.take_offer(&mut frame, segment, below.options);
        }
        if segment.has(ACK) && !segment.has(RST) {
            let queued = self.socket().send_queue();
            let window = self.sender.acknowledged(segment, queued);
            if window != segment.window {
                segment.set_window(&mut frame, window);
            }
        }
        if self.repeats_all_but_end(segment) {
            frame = emptied(&frame, self.expected, true).unwrap_or(frame);
        }
        below.port.offer(frame);
        clock::set_timestamp(below.now, self.timestamp_offset());
        self.interface.poll_ingress_single(clock::instant(below.now), below.port, &mut self.sockets);
        if segment.has(RST) && matches!(self.state(), State::Closed | State::Listen) {
            self.was_reset = true;
        }
        self.closed_by_peer = before.0 == State::LastAck && self.state() == State::Closed;
        let grown = self.socket().recv_queue() - before.1.min(self.socket().recv_queue());
        if grown > 0 && before.1 == 0 {
            self.readable_at = below.now + below.options.application_time;
        }
        if before.0 != State::Established && before.0 != self.state() {
            self.note_opened(before.0, below);
        }
        self.consider_ack(segment, grown, below);
        self.drain(below);
        self.pump(below);
        (self.state(), self.socket().send_queue()) != (before.0, before.2) || grown > 0
    }

    /// The peer's end came before data that had been lost, and comes again behind data that is all there by now. smoltcp looks
    /// for data in its window only, and would drop the end for ever.
    fn repeats_all_but_end(&self, segment: &Segment) -> bool {
        let data_end = segment.sequence.wrapping_add(segment.payload_bytes);
        segment.has(FIN) && !segment.has(SYN) && segment.payload_bytes > 0 && data_end == self.expected
    }

    /// Lets smoltcp send what it may, one segment at a time, so that Nagle's algorithm sees each.
    pub(super) fn pump(&mut self, below: &mut Below<'_>) {
        clock::set_timestamp(below.now, self.timestamp_offset());
        self.steer(false, below);
        for _ in 0..MOST_SEGMENTS {
            if self.handshake.is_some() && self.is_opening() || self.ending.is_some() {
                return;
            }
            self.poll_once(below);
            if self.drain(below) == 0 {
                break;
            }
        }
        self.conclude();
        self.persist.note(below.now, self.waits_for_window());
    }

    /// Nothing is on its way, and what waits does not fit the window.
    fn waits_for_window(&self) -> bool {
        !self.is_opening()
            && self.ending.is_none()
            && self.sender.in_flight() == 0
            && self.sender.is_blocked(self.socket().send_queue())
    }

    /// Shows smoltcp the window into which it may send.
    fn steer(&mut self, force: bool, below: &mut Below<'_>) {
        if self.is_opening() || self.ending.is_some() || !self.socket().is_active() {
            return;
        }
        let queued = self.socket().send_queue();
        if let Some(window) = self.sender.steer(queued, force) {
            let acknowledgment = self.sender.unacknowledged();
            below.port.offer(window_update(&self.tuple, self.expected, acknowledgment, window));
            self.interface.poll_ingress_single(clock::instant(below.now), below.port, &mut self.sockets);
        }
    }

    /// The window was closed for long: what fits is sent, or the peer is asked (RFC 9293 section 3.8.6.1), as Linux does with
    /// a segment before its window.
    fn probe_window(&mut self, below: &mut Below<'_>) {
        if self.sender.room() > 0 {
            self.steer(true, below);
            self.poll_once(below);
            self.drain(below);
        } else {
            let before = self.sender.unacknowledged().wrapping_sub(1);
            if let Some(probe) = probe(&self.last_acknowledgement, before) {
                below.output.send_packet(below.now, probe);
            }
        }
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

    /// Takes bytes to send.
    pub(super) fn send(&mut self, bytes: &[u8], below: &mut Below<'_>) -> usize {
        if self.finishing {
            return 0;
        }
        let taken = self.socket_mut().send_slice(bytes).unwrap_or(0);
        if taken > 0 {
            self.pump(below);
        }
        taken
    }

    /// Lets `read` have what arrived, until it leaves some.
    pub(super) fn receive(&mut self, read: &mut dyn FnMut(&[u8]) -> usize, below: &mut Below<'_>) -> usize {
        let mut total = 0;
        while self.socket().recv_queue() > 0 {
            let result = self.socket_mut().recv(|bytes| {
                let taken = read(bytes).min(bytes.len());
                (taken, (taken, bytes.len()))
            });
            let Ok((taken, offered)) = result else { break };
            total += taken;
            if taken < offered {
                break;
            }
        }
        if total > 0 {
            let emptied = self.socket().recv_queue() == 0;
            if self.acks.read(total, emptied) {
                self.release_ack(below);
            }
            self.pump(below);
        }
        total
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

    fn take_offer(&mut self, frame: &mut [u8], segment: &Segment, options: &HostOptions) {
        let offered_bytes =
            u32::from(segment.maximum_segment_size(frame).unwrap_or(536)).clamp(48, SEGMENT_BYTES);
        let stamped = options.timestamps && segment.has_timestamp(frame);
        let scale = segment.window_scale(frame);
        self.scaled = scale.is_some();
        let stamp_bytes = if stamped { TIMESTAMP_BYTES } else { 0 };
        let own_bytes = (offered_bytes - stamp_bytes).min(half_window(segment.window));
        segment.set_maximum_segment_size(frame, (own_bytes + stamp_bytes) as u16);
        self.sender.opened(own_bytes, scale.unwrap_or(0));
    }

    fn note_opened(&mut self, before: State, below: &mut Below<'_>) {
        let opened = matches!(before, State::SynSent | State::SynReceived) && !self.is_opening();
        if opened && self.state() != State::Closed {
            let round_trip = match &self.handshake {
                Some(handshake) if handshake.times_sent == 1 => below.now - handshake.first_sent,
                _ => Picoseconds::ZERO,
            };
            self.handshake = None;
            self.acks.opened(below.now, round_trip);
        }
    }

    fn consider_ack(&mut self, segment: &Segment, grown: usize, below: &Below<'_>) {
        if self.is_opening() || segment.payload_bytes == 0 && !segment.has(FIN) || segment.has(SYN) {
            return;
        }
        self.acks.take_in(
            below.now,
            TakenIn {
                payload_bytes: segment.payload_bytes,
                in_order_bytes: grown as u32,
                pushed: segment.has(PSH),
                finished: segment.has(FIN),
            },
        );
    }

    pub(super) fn poll_once(&mut self, below: &mut Below<'_>) {
        if self.finishing && self.socket().may_send() && self.sender.fits_fin(self.socket().send_queue()) {
            self.socket_mut().close();
        }
        let nagle = !self.no_delay && !self.finishing && self.sender.short_in_flight();
        let owed = self.socket().send_queue() > 0
            || matches!(self.state(), State::FinWait1 | State::Closing | State::LastAck);
        let give_up = owed.then(|| clock::duration(below.options.give_up));
        self.socket_mut().set_nagle_enabled(nagle);
        self.socket_mut().set_timeout(give_up);
        self.interface.poll_egress(clock::instant(below.now), below.port, &mut self.sockets);
    }

    /// Passes on what smoltcp sent; how many frames that was.
    fn drain(&mut self, below: &mut Below<'_>) -> usize {
        let frames = below.port.take_sent();
        let count = frames.len();
        for frame in frames {
            match Segment::of(&frame) {
                Some(segment) if segment.outgoing() == self.tuple => self.leaves(frame, &segment, below),
                _ => below.output.send_packet(below.now, frame),
            }
        }
        count
    }

    /// A segment of smoltcp's is on its way out.
    fn leaves(&mut self, frame: Vec<u8>, segment: &Segment, below: &mut Below<'_>) {
        if segment.has(SYN) {
            self.note_handshake(&frame, segment, below);
        }
        if segment.has(ACK) {
            self.expected = segment.acknowledgment;
        }
        if self.sender.is_probe(segment) {
            return;
        }
        if segment.is_pure_ack() && self.may_wait(segment) {
            self.waiting_ack = Some(frame);
            if self.acks.decided() == AckTime::Now {
                self.release_ack(below);
            }
            return;
        }
        self.waiting_ack = None;
        if self.sender.leaves(segment) {
            self.acks.sent_data(below.now);
        }
        self.put_out(frame, segment, below);
    }

    /// Only what acknowledges more than the last segment on the wire may wait, and only while the peer may send more.
    fn may_wait(&self, segment: &Segment) -> bool {
        let more = self.acknowledged_to.is_some_and(|last| after(segment.acknowledgment, last));
        let repeats = self
            .waiting_ack
            .as_deref()
            .and_then(Segment::of)
            .is_some_and(|waiting| waiting.acknowledgment == segment.acknowledgment);
        let open =
            matches!(self.state(), State::Established | State::FinWait1 | State::FinWait2 | State::CloseWait);
        more && !repeats && open
    }

    fn release_ack(&mut self, below: &mut Below<'_>) {
        let Some(frame) = self.waiting_ack.take() else { return };
        if let Some(segment) = Segment::of(&frame) {
            self.put_out(frame, &segment, below);
        }
    }

    fn put_out(&mut self, mut frame: Vec<u8>, segment: &Segment, below: &mut Below<'_>) {
        if segment.has(ACK) {
            self.acks.acknowledged();
            self.acknowledged_to = Some(segment.acknowledgment);
        }
        let shift = WINDOW_SHIFT.max(self.shift);
        if segment.has(SYN) {
            segment.set_window_scale(&mut frame, shift);
        } else if self.scaled && !segment.has(RST) {
            let window = (u32::from(segment.window) << self.shift) >> shift;
            segment.set_window(&mut frame, window as u16);
        }
        if segment.has(ACK) && !segment.has(SYN) {
            self.last_acknowledgement.clone_from(&frame);
        }
        below.output.send_packet(below.now, frame);
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
fn interface(local: std::net::Ipv4Addr, random_seed: u64, below: &mut Below<'_>) -> Interface {
    let mut config = Config::new(HardwareAddress::Ip);
    config.random_seed = random_seed;
    let mut interface = Interface::new(config, below.port, clock::instant(below.now));
    interface.update_ip_addrs(|addresses| {
        let _ = addresses.push(IpCidr::Ipv4(Ipv4Cidr::new(local, below.options.prefix)));
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
