//! What arrives at the PC over IPv6: for one of its sockets, about a neighbour, or for nobody.

use smoltcp::wire::{Icmpv6Packet, IpProtocol};
use units::Picoseconds;

use super::packet::Carried;
use super::{ETHERNET_HEADER_BYTES, HEADER_BYTES, NEXT_HEADER_AT, PAYLOAD_AT, Packet, icmp, set_length};
use crate::host::datagrams::Delivery;
use crate::host::segment::Segment;
use crate::host::stack::Stack;

impl Stack {
    /// A frame with a packet of IPv6 came up from the card.
    pub(in crate::host) fn arrive_ipv6(&mut self, now: Picoseconds, frame: &[u8]) {
        let Some(packet) = Packet::of(self.options.mac, self.own_over_ipv6, frame) else { return };
        self.output.neighbours.heard(now, packet.source.into(), &packet.asker);
        let Some(carried) = packet.behind_options() else { return };
        match carried.protocol {
            IpProtocol::Icmpv6 => self.arrive_icmpv6(now, &packet, carried.bytes),
            IpProtocol::Ipv6NoNxt | IpProtocol::Ipv6Frag | IpProtocol::Ipv6Route => {}
            _ if packet.source.is_unspecified() => {}
            IpProtocol::Udp => self.arrive_datagram_over_ipv6(now, &packet, &carried),
            _ if !packet.is_between_two() => {}
            IpProtocol::Tcp => {
                let frame = plain(frame, &carried);
                if let Some(segment) = Segment::of(&frame) {
                    self.arrive_tcp(now, frame, &segment);
                }
            }
            _ => self.send_if_any(now, packet.refuse_protocol(carried.named_at)),
        }
    }

    fn send_if_any(&mut self, now: Picoseconds, answer: Option<Vec<u8>>) {
        if let Some(answer) = answer {
            self.output.send(now, answer);
        }
    }

    fn arrive_datagram_over_ipv6(&mut self, now: Picoseconds, packet: &Packet<'_>, carried: &Carried<'_>) {
        match self.datagrams.arrive_at((packet.source, packet.to), carried.bytes) {
            Delivery::Taken(port) => self.tell_datagrams(now, port),
            Delivery::NoPort if packet.is_between_two() => {
                self.send_if_any(now, packet.refuse_datagram(carried.bytes));
            }
            Delivery::NoPort | Delivery::Dropped => {}
        }
    }

    fn arrive_icmpv6(&mut self, now: Picoseconds, packet: &Packet<'_>, message: &[u8]) {
        let intact = Icmpv6Packet::new_checked(message)
            .is_ok_and(|message| message.verify_checksum(&packet.source, &packet.to));
        let (Some(kind), true) = (message.first(), intact) else { return };
        match *kind {
            icmp::ECHO_REQUEST if !packet.source.is_unspecified() => {
                self.output.send(now, packet.echo(message));
            }
            icmp::ECHO_REPLY => {
                if let Some(reply) = icmp::echo_reply(now, packet.source, message) {
                    self.note_echo(now, reply);
                }
            }
            icmp::UNREACHABLE => {
                if let Some(notice) = icmp::unreachable(packet.source, packet.own, message) {
                    self.note_unreachable(now, notice, packet.own.into());
                }
            }
            icmp::SOLICITATION => self.arrive_solicitation(now, packet, message),
            icmp::ROUTER_SOLICITATION => self.send_if_any(now, packet.router_advertisement(message)),
            icmp::ADVERTISEMENT => {
                if let Some(told) = packet.advertisement(message) {
                    self.send_all(now, |neighbours| neighbours.advertised(now, told));
                }
            }
            _ => {}
        }
    }

    fn arrive_solicitation(&mut self, now: Picoseconds, packet: &Packet<'_>, message: &[u8]) {
        let Some((answer, asker)) = packet.tell_where(message) else { return };
        if let Some(mac) = asker {
            self.send_all(now, |neighbours| neighbours.learn(now, packet.source.into(), mac));
        }
        self.output.send(now, answer);
    }
}

/// The frame as it would be without options, which whoever looks at the payload next does not have to step over.
fn plain(frame: &[u8], carried: &Carried<'_>) -> Vec<u8> {
    if usize::try_from(carried.named_at).is_ok_and(|at| at == NEXT_HEADER_AT - ETHERNET_HEADER_BYTES) {
        return frame.to_vec();
    }
    let mut plain = Vec::with_capacity(PAYLOAD_AT + carried.bytes.len());
    plain.extend_from_slice(&frame[..ETHERNET_HEADER_BYTES + HEADER_BYTES]);
    plain.extend_from_slice(carried.bytes);
    plain[NEXT_HEADER_AT] = carried.protocol.into();
    set_length(&mut plain);
    plain
}
