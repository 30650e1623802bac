//! What leaves a connection: how smoltcp is led to send, and what Linux does otherwise with its segments on their way out.

use smoltcp::socket::tcp::State;

use super::{Below, TcpConnection, WINDOW_SHIFT};
use crate::host::ack::AckTime;
use crate::host::clock;
use crate::host::limits::Limit;
use crate::host::persist::{probe, window_update};
use crate::host::segment::{ACK, RST, SYN, Segment, after};
use crate::host::sender::DUPLICATES;

/// Segments of one go; a window holds fewer.
const MOST_SEGMENTS: usize = 65_536;

impl TcpConnection {
    /// Takes bytes to send.
    pub(in crate::host) fn send(&mut self, bytes: &[u8], below: &mut Below<'_>) -> usize {
        if self.finishing {
            return 0;
        }
        let taken = self.socket_mut().send_slice(bytes).unwrap_or(0);
        if taken > 0 {
            self.pump(below);
        }
        taken
    }

    /// Lets smoltcp send what it may, one segment at a time, so that Nagle's algorithm sees each.
    pub(in crate::host) fn pump(&mut self, below: &mut Below<'_>) {
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
            if self.sender.take_time_out() || self.sender.is_coarse() {
                self.steer(false, below);
            }
        }
        self.conclude();
        self.persist.note(below.now, self.waits_for_window());
        self.limits.note(below.now, self.limit());
    }

    /// What keeps it from sending more. A buffer counts as full while less than a third of it is free: from there on Linux lets
    /// its application write (`sk_stream_write_space`).
    fn limit(&self) -> Option<Limit> {
        if self.is_opening() || self.ending.is_some() {
            return None;
        }
        let socket = self.socket();
        let queued = socket.send_queue();
        let unsent = queued.saturating_sub(self.sender.in_flight() as usize);
        match self.sender.window_limit(queued) {
            Some(limit) => Some(limit),
            None if unsent > 0 => None,
            None if socket.send_capacity() - queued < queued / 2 => Some(Limit::SendBuffer),
            None => Some(Limit::Application),
        }
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

    /// Has smoltcp repeat the oldest segment, as it does when an acknowledgement has come three times more.
    pub(super) fn repeat_oldest(&mut self, window: u16, below: &mut Below<'_>) {
        let acknowledgment = self.sender.unacknowledged();
        for _ in 0..DUPLICATES {
            below.port.offer(window_update(&self.tuple, self.expected, acknowledgment, window));
            self.interface.poll_ingress_single(clock::instant(below.now), below.port, &mut self.sockets);
        }
    }

    /// The window was closed for long: what fits is sent, or the peer is asked (RFC 9293 section 3.8.6.1), as Linux does with
    /// a segment before its window.
    pub(super) fn probe_window(&mut self, below: &mut Below<'_>) {
        if self.sender.room() > 0 {
            self.steer(true, below);
            self.poll_once(below);
            self.drain(below);
        } else {
            if self.last_acknowledgement.is_empty() {
                self.find_acknowledgement(below);
            }
            let before = self.sender.unacknowledged().wrapping_sub(1);
            if let Some(probe) = probe(&self.last_acknowledgement, before) {
                below.output.send_packet(below.now, probe);
            }
        }
    }

    /// Has smoltcp acknowledge once more what it has, as it does when a keep-alive comes.
    pub(super) fn acknowledge_again(&mut self, below: &mut Below<'_>) {
        let (earlier, acknowledgment) = (self.expected.wrapping_sub(1), self.sender.unacknowledged());
        let keep_alive = window_update(&self.tuple, earlier, acknowledgment, self.sender.shown_field());
        clock::set_timestamp(below.now, self.timestamp_offset());
        below.port.offer(keep_alive);
        self.interface.poll_ingress_single(clock::instant(below.now), below.port, &mut self.sockets);
    }

    /// The acknowledgement that a PC would send that has sent none so far: it only answered a SYN, into a window that was closed.
    fn find_acknowledgement(&mut self, below: &mut Below<'_>) {
        self.acknowledge_again(below);
        for mut frame in below.port.take_sent() {
            if let Some(segment) = Segment::of(&frame).filter(Segment::is_pure_ack) {
                self.scale_window(&mut frame, &segment);
                self.last_acknowledgement = frame;
            }
        }
    }

    pub(in crate::host) fn poll_once(&mut self, below: &mut Below<'_>) {
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
    pub(super) fn drain(&mut self, below: &mut Below<'_>) -> usize {
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

    pub(super) fn release_ack(&mut self, below: &mut Below<'_>) {
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
        self.scale_window(&mut frame, segment);
        if segment.has(ACK) && !segment.has(SYN) {
            self.last_acknowledgement.clone_from(&frame);
        }
        below.output.send_packet(below.now, frame);
    }
    /// The wire sees another window scale than smoltcp.
    fn scale_window(&self, frame: &mut [u8], segment: &Segment) {
        let shift = WINDOW_SHIFT.max(self.shift);
        if segment.has(SYN) {
            segment.set_window_scale(frame, shift);
        } else if self.scaled && !segment.has(RST) {
            let window = (u32::from(segment.window) << self.shift) >> shift;
            segment.set_window(frame, window as u16);
        }
    }
}
