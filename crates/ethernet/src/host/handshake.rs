//! The handshake of a connection: SYNs and their answers are sent again as Linux does, not as smoltcp would.

use smoltcp::socket::tcp::State;
use units::Picoseconds;

use super::Ending;
use super::clock;
use super::connection::{Below, TcpConnection, WINDOW_SHIFT};
use super::segment::{ACK, RST, SYN, Segment};

/// A SYN or its answer, to be sent again.
#[derive(Debug)]
pub(super) struct Handshake {
    frame: Vec<u8>,
    pub(super) first_sent: Picoseconds,
    pub(super) times_sent: u32,
    interval: Picoseconds,
    pub(super) again_at: Picoseconds,
}

impl TcpConnection {
    pub(super) fn repeats_syn(&self, segment: &Segment) -> bool {
        self.state() == State::SynReceived
            && self.handshake.is_some()
            && segment.has(SYN)
            && !segment.has(ACK | RST)
    }

    pub(super) fn note_handshake(&mut self, frame: &[u8], segment: &Segment, below: &Below<'_>) {
        if self.handshake.is_none() {
            self.sender.leaves(segment);
            let interval = below.options.initial_rto;
            let mut kept = frame.to_vec();
            segment.set_window_scale(&mut kept, WINDOW_SHIFT.max(self.shift));
            self.handshake = Some(Handshake {
                frame: kept,
                first_sent: below.now,
                times_sent: 1,
                interval,
                again_at: below.now + interval,
            });
        }
    }

    pub(super) fn wake_opening(&mut self, below: &mut Below<'_>) {
        let Some(handshake) = &self.handshake else { return };
        if handshake.again_at > below.now {
            return;
        }
        let options = below.options;
        let retries = if self.active {
            options.linear_syn_retries + options.syn_retries
        } else {
            options.synack_retries
        };
        if handshake.times_sent > retries {
            self.ending = Some(Ending::TimedOut);
            return;
        }
        if handshake.times_sent == 1 {
            clock::set_timestamp(below.now, self.timestamp_offset());
            self.poll_once(below);
            let _ = below.port.take_sent();
        }
        self.send_handshake(below);
        self.schedule_handshake(below);
    }

    fn schedule_handshake(&mut self, below: &Below<'_>) {
        let linear = if self.active { below.options.linear_syn_retries } else { 0 };
        let Some(handshake) = &mut self.handshake else { return };
        if handshake.times_sent > linear {
            handshake.interval = handshake.interval + handshake.interval;
        }
        handshake.times_sent += 1;
        handshake.again_at = below.now + handshake.interval;
    }

    pub(super) fn send_handshake(&mut self, below: &mut Below<'_>) {
        if let Some(handshake) = &self.handshake {
            below.output.send_packet(below.now, handshake.frame.clone());
        }
    }
}
