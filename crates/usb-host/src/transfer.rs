//! One transaction at a time: the token arrives and the device decides (`begin`); its packets take their time; then both
//! sides take note (`finish`).

use units::Picoseconds;

use crate::control::Failure;
use crate::net::PassedPacket;
use crate::port::Endpoint;
use crate::port::{Answer, Device};
use crate::schedule::{Owner, Planned};
use crate::wire::{GAP_BITS, HANDSHAKE_BITS, Packet, TIMEOUT_BITS, bit_times};
use crate::{UsbHost, Want};

/// Transactions that may fail in a row before the host gives a transfer up (USB 2.0 8.6.5; xHCI: CErr).
const MAX_ERRORS: u8 = 3;

/// A transaction on the wire.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub(crate) struct InFlight {
    pub(crate) pipe: usize,
    endpoint: Endpoint,
    want: Want,
    answer: Answer,
    packet: Packet,
    start: Picoseconds,
    /// When the last packet is over.
    pub(crate) end: Picoseconds,
}

impl UsbHost {
    /// The device has the token of a planned transaction.
    pub(crate) fn begin(&mut self, planned: Planned, device: &mut dyn Device) {
        let Planned { pipe, start, token_end } = planned;
        let want = self.want(pipe);
        let endpoint = Endpoint::new(self.pipes[pipe].endpoint.number, want != Want::In);
        let answer = match want {
            Want::Setup if device.is_at(self.address) => Answer::Buffer(0),
            Want::Setup => Answer::Silence,
            _ => device.begin(self.address, endpoint),
        };
        let packet = match (want, answer) {
            (Want::In, Answer::Buffer(buffer)) => device.outgoing(endpoint, buffer),
            (Want::In, _) => Packet::new(false, &[]),
            _ => self.outgoing(pipe),
        };
        let data = GAP_BITS + packet.wire_bits();
        let handshake = GAP_BITS + HANDSHAKE_BITS;
        let bits = match (want, answer) {
            (Want::In, Answer::Buffer(_)) => data + handshake,
            (Want::In, Answer::Silence) => TIMEOUT_BITS,
            (Want::In, _) => handshake,
            (_, Answer::Silence) => data + TIMEOUT_BITS,
            _ => data + handshake,
        };
        let end = token_end + bit_times(bits);
        self.in_flight = Some(InFlight { pipe, endpoint, want, answer, packet, start, end });
    }

    /// The last packet of the transaction is over.
    pub(crate) fn finish(&mut self, flight: InFlight, device: &mut dyn Device, now: Picoseconds) {
        let InFlight { pipe, endpoint, want, answer, ref packet, start, .. } = flight;
        self.bus_free = now + bit_times(GAP_BITS);
        let done = match (want, answer) {
            (Want::Setup, Answer::Buffer(_)) => {
                device.take_setup(packet.payload());
                true
            }
            (Want::In, Answer::Buffer(buffer)) => {
                self.accepts(pipe, packet) && device.finish_in(endpoint, buffer)
            }
            (_, Answer::Buffer(buffer)) => device.finish_out(endpoint, buffer, packet),
            _ => true,
        };
        self.note_packet(pipe, &flight, done, now);
        self.pace(pipe, start, answer != Answer::Nak);
        match answer {
            Answer::Nak => self.pipes[pipe].errors = 0,
            Answer::Stall => self.stalled(pipe, now),
            Answer::Buffer(_) if done => self.deliver(pipe, want, packet, now),
            Answer::Buffer(_) | Answer::Silence => self.transaction_failed(pipe, device, endpoint, now),
        }
        self.begin_waiting(now);
    }

    /// A packet with a piece of a network's frame passed.
    fn note_packet(&mut self, pipe: usize, flight: &InFlight, done: bool, now: Picoseconds) {
        let carried = done && matches!(flight.answer, Answer::Buffer(_));
        if self.pipes[pipe].owner != Owner::Network || !carried {
            return;
        }
        let bytes = flight.packet.payload().len() as u32;
        let packet =
            PassedPacket { start: flight.start, end: now, from_device: flight.want == Want::In, bytes };
        if let Some(network) = &mut self.network {
            network.packet_passed(packet);
        }
    }

    /// Whether a data packet is none too long: a longer one is babble, and stays without an acknowledgement.
    fn accepts(&self, pipe: usize, packet: &Packet) -> bool {
        !packet.oversize && packet.payload().len() <= self.pipes[pipe].max_packet_bytes
    }

    fn deliver(&mut self, index: usize, want: Want, packet: &Packet, now: Picoseconds) {
        let pipe = &mut self.pipes[index];
        pipe.errors = 0;
        if want == Want::In && pipe.owner != Owner::Control {
            // A packet with the wrong toggle repeats one that the host has: acknowledged and dropped (USB 2.0 8.6).
            if packet.data1 != pipe.data1 {
                return;
            }
            pipe.stalls = 0;
            pipe.data1 = !pipe.data1;
            return self.received(index, packet, now);
        }
        if want == Want::In {
            return self.received(index, packet, now);
        }
        pipe.stalls = 0;
        pipe.data1 = !pipe.data1;
        self.sent(index, packet, now);
    }

    fn transaction_failed(
        &mut self,
        index: usize,
        device: &mut dyn Device,
        endpoint: Endpoint,
        now: Picoseconds,
    ) {
        device.give_up(endpoint);
        let pipe = &mut self.pipes[index];
        pipe.errors += 1;
        if pipe.errors < MAX_ERRORS {
            return;
        }
        pipe.errors = 0;
        if pipe.owner == Owner::Control {
            let finished = self.control.fail(Failure::Protocol);
            self.request_finished(finished, now);
        } else {
            pipe.halted = true;
        }
    }
}
