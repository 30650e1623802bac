//! What comes to a connection: segments of its peer, and the reading of its application.

use smoltcp::socket::tcp::State;
use units::Picoseconds;

use super::{Below, TcpConnection};
use crate::host::HostOptions;
use crate::host::ack::TakenIn;
use crate::host::clock;
use crate::host::ip;
use crate::host::persist::{emptied, half_window};
use crate::host::segment::{ACK, FIN, PSH, RST, SYN, Segment};

/// A timestamp and its padding (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u32 = 12;

impl TcpConnection {
    /// A segment for it arrived; true when its application may want to know.
    pub(in crate::host) fn arrive(
        &mut self,
        mut frame: Vec<u8>,
        segment: &Segment,
        below: &mut Below<'_>,
    ) -> bool {
        let before = (self.state(), self.socket().recv_queue(), self.socket().send_queue());
        if self.repeats_syn(segment) {
            self.send_handshake(below);
            return false;
        }
        if self.is_doubtful(segment) {
            if !segment.has(RST) || self.is_in_window(segment) {
                self.acknowledge_again(below);
                self.drain(below);
            }
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
        if segment.has(ACK) && self.sender.take_hole() {
            self.repeat_oldest(self.sender.shown_field(), below);
        }
        if segment.has(RST) && matches!(self.state(), State::Closed | State::Listen) {
            self.was_reset = true;
            // smoltcp would listen again, with the window of the connection that was. Here it is over, and its SYN|ACK is not
            // repeated.
            if self.state() == State::Listen {
                self.handshake = None;
            }
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

    /// A peer that has forgotten the connection begins it anew, or somebody resets it who does not know what comes next. Neither is taken
    /// at its word. An acknowledgement says where the connection stands (RFC 9293 section 3.10.7.4); a peer without it resets it then.
    fn is_doubtful(&self, segment: &Segment) -> bool {
        let resets = segment.has(RST);
        let is_apart = segment.sequence != self.expected;
        !self.is_opening() && self.ending.is_none() && (segment.has(SYN) && !resets || resets && is_apart)
    }

    fn is_in_window(&self, segment: &Segment) -> bool {
        let free = self.socket().recv_capacity() - self.socket().recv_queue();
        (segment.sequence.wrapping_sub(self.expected) as usize) < free
    }

    /// The peer's end came before data that had been lost, and comes again behind data that is all there by now. smoltcp looks
    /// for data in its window only, and would drop the end for ever.
    fn repeats_all_but_end(&self, segment: &Segment) -> bool {
        let data_end = segment.sequence.wrapping_add(segment.payload_bytes);
        segment.has(FIN) && !segment.has(SYN) && segment.payload_bytes > 0 && data_end == self.expected
    }

    /// Lets `read` have what arrived, until it leaves some.
    pub(in crate::host) fn receive(
        &mut self,
        read: &mut dyn FnMut(&[u8]) -> usize,
        below: &mut Below<'_>,
    ) -> usize {
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

    fn take_offer(&mut self, frame: &mut [u8], segment: &Segment, options: &HostOptions) {
        let longest_bytes = ip::longest_segment_bytes(segment.source);
        let offered_bytes =
            u32::from(segment.maximum_segment_size(frame).unwrap_or(536)).clamp(48, longest_bytes);
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
}
