//! What arrives at the PC's TCP/IP and is no TCP connection's: ARP, datagrams, ICMP, pieces of packets, and TCP segments that
//! nobody waits for; and what the PC sends of its own accord.

use std::net::{IpAddr, Ipv4Addr};

use smoltcp::wire::{ArpOperation, ArpPacket, ArpRepr};
use units::Picoseconds;

use super::addresses::Whose;
use super::application::{News, SeatId, SeenFrame};
use super::datagrams::Delivery;
use super::ip::{self, ETHERNET_HEADER_BYTES, ETHERTYPE_ARP, Way};
use super::ipv6::{self, ETHERTYPE_IPV6};
use super::neighbours::Neighbours;
use super::segment::{Segment, Tuple};
use super::stack::Stack;
use super::{EchoReply, UdpId, Unreachable, fragments, icmp, neighbours};

/// Where a payload's protocol stands in a frame.
const PROTOCOL_AT: usize = 23;

impl Stack {
    /// A frame came up from the card.
    pub(super) fn arrive(&mut self, now: Picoseconds, arrived_at: Picoseconds, frame: Vec<u8>) {
        self.show(now, arrived_at, &frame);
        if frame.len() < ETHERNET_HEADER_BYTES || !self.is_for_us(&frame) {
            return;
        }
        if frame[12..14] == ETHERTYPE_ARP {
            self.arrive_arp(now, &frame);
        } else if frame[12..14] == ETHERTYPE_IPV6 {
            self.arrive_ipv6(now, &frame);
        } else if ip::is_sound(&frame) {
            self.arrive_packet(now, frame);
        }
    }

    fn is_for_us(&self, frame: &[u8]) -> bool {
        frame[0] & 1 == 1 || frame[..6] == self.options.mac
    }

    fn show(&mut self, now: Picoseconds, arrived_at: Picoseconds, frame: &[u8]) {
        let at = now + self.options.application_time;
        for mailbox in self.mail.iter_mut().filter(|mailbox| mailbox.watching) {
            mailbox.seen(SeenFrame { at: arrived_at, bytes: frame.to_vec() });
            mailbox.call(at);
        }
    }

    fn arrive_arp(&mut self, now: Picoseconds, frame: &[u8]) {
        let Ok(packet) = ArpPacket::new_checked(&frame[ETHERNET_HEADER_BYTES..]) else { return };
        let Ok(ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr: mac,
            source_protocol_addr: from,
            target_protocol_addr: wanted,
            ..
        }) = ArpRepr::parse(&packet)
        else {
            return;
        };
        let asks = operation == ArpOperation::Request;
        if !mac.is_unicast() || !asks && operation != ArpOperation::Reply {
            return;
        }
        if from.is_unspecified() {
            self.arrive_probe(now, frame, mac.0, wanted);
            return;
        }
        if !ip::is_one_host(from) || from == self.addresses.own || mac.0 == self.options.mac {
            return;
        }
        self.addresses.saw(now, from, &mac.0);
        let in_use = |address| self.tcp.values().any(|connection| connection.uses(address));
        let near = self.output.neighbours.is_near(from.into());
        if !near || from == wanted || !self.addresses.take(now, wanted, in_use) {
            self.output.neighbours.correct(now, from.into(), mac.0);
            return;
        }
        self.send_all(now, |neighbours| neighbours.learn(now, from.into(), mac.0));
        if asks {
            self.output.send(now, neighbours::reply(self.options.mac, wanted, mac.0, from));
        }
    }

    /// A station asks whether an address is free (RFC 5227): only the PC's own is not.
    fn arrive_probe(&mut self, now: Picoseconds, frame: &[u8], mac: [u8; 6], wanted: Ipv4Addr) {
        let is_request = frame[20..22] == [0, 1];
        if is_request && wanted == self.addresses.own {
            let answer = neighbours::reply(self.options.mac, wanted, mac, Ipv4Addr::UNSPECIFIED);
            self.output.send(now, answer);
        }
        self.addresses.yield_to_probe(wanted);
    }

    fn arrive_packet(&mut self, now: Picoseconds, mut frame: Vec<u8>) {
        let (from, to) = ip::ends(&frame);
        if from == self.addresses.own {
            return;
        }
        self.addresses.saw(now, from, &frame[6..12]);
        self.output.neighbours.heard(now, from.into(), &frame[6..12]);
        let in_use = |address| self.tcp.values().any(|connection| connection.uses(address));
        let whose = if from == to { Whose::Other } else { self.addresses.whose(now, &frame, to, in_use) };
        if whose == Whose::Other {
            return;
        }
        if fragments::is_piece(&frame) {
            match self.fragments.take_in(now, &frame) {
                Some(whole) => frame = whole,
                None => return,
            }
        }
        match frame[PROTOCOL_AT] {
            icmp::PROTOCOL_UDP => self.arrive_datagram(now, &frame, whose),
            _ if whose != Whose::Own || !ip::is_one_host(from) => {}
            icmp::PROTOCOL_TCP => {
                if let Some(segment) = Segment::of(&frame) {
                    self.arrive_tcp(now, frame, &segment);
                }
            }
            icmp::PROTOCOL_ICMP => self.arrive_icmp(now, &frame),
            _ => self.refuse(now, &frame, icmp::PROTOCOL_UNREACHABLE),
        }
    }

    fn arrive_datagram(&mut self, now: Picoseconds, frame: &[u8], whose: Whose) {
        let (_, to) = ip::ends(frame);
        let alias = (whose == Whose::Own && to != self.addresses.own).then_some(to.into());
        match self.datagrams.arrive(frame, alias) {
            Delivery::Taken(port) => self.tell_datagrams(now, port),
            Delivery::NoPort if whose == Whose::Own => self.refuse(now, frame, icmp::PORT_UNREACHABLE),
            Delivery::NoPort | Delivery::Dropped => {}
        }
    }

    /// Sends the frames that waited for what the neighbours are told.
    pub(super) fn send_all(&mut self, now: Picoseconds, tell: impl FnOnce(&mut Neighbours) -> Vec<Vec<u8>>) {
        for waiting in tell(&mut self.output.neighbours) {
            self.output.send(now, waiting);
        }
    }

    pub(super) fn tell_datagrams(&mut self, now: Picoseconds, port: u16) {
        let at = now + self.options.application_time;
        let Some(socket) = self.datagrams.udp.get_mut(&port) else { return };
        let mailbox = &mut self.mail[socket.seat.0];
        if !std::mem::replace(&mut socket.in_news, true) {
            mailbox.news.push_back(News::Udp(UdpId(port)));
            mailbox.call(at);
        }
    }

    /// Resets what belongs to no connection. Over IPv6 the PC does that where the segment came from, and asks for no neighbour.
    pub(super) fn refuse_segment(&mut self, now: Picoseconds, frame: &[u8], segment: &Segment) {
        let Some(mut reset) = ip::reset(frame, segment) else { return };
        if segment.source.is_ipv4() {
            return self.output.send_packet(now, reset);
        }
        reset[..6].copy_from_slice(&frame[6..12]);
        reset[6..12].copy_from_slice(&self.options.mac);
        self.output.send(now, reset);
    }

    fn refuse(&mut self, now: Picoseconds, frame: &[u8], code: u8) {
        if let Some(notice) = icmp::unreachable(frame, code) {
            self.output.send_packet(now, notice);
        }
    }

    fn arrive_icmp(&mut self, now: Picoseconds, frame: &[u8]) {
        match icmp::read(now, frame) {
            Some(icmp::Message::Ping(answer)) => self.output.send_packet(now, answer),
            Some(icmp::Message::Echo(reply)) => self.note_echo(now, reply),
            Some(icmp::Message::Unreachable(notice)) => {
                self.note_unreachable(now, notice, Way::of(frame).to);
            }
            None => {}
        }
    }

    /// Tells whoever asked.
    pub(super) fn note_echo(&mut self, now: Picoseconds, reply: EchoReply) {
        let at = now + self.options.application_time;
        if let Some((seat, identifier)) = self.echoers.asker(reply.identifier) {
            self.mail[seat.0].echo(EchoReply { identifier, ..reply });
            self.mail[seat.0].call(at);
        }
    }

    /// A packet of the PC's found no neighbour: its sender hears of it, as from a router.
    pub(super) fn give_up(&mut self, now: Picoseconds, frame: &[u8]) {
        let from = Way::of(frame).from;
        let packet = &frame[ETHERNET_HEADER_BYTES..];
        let notice = match from {
            IpAddr::V4(_) => icmp::quoted(self.addresses.own.into(), icmp::HOST_UNREACHABLE, from, packet),
            IpAddr::V6(_) => ipv6::icmp::quoted(from, icmp::HOST_UNREACHABLE, from, packet),
        };
        if let Some(notice) = notice {
            self.note_unreachable(now, notice, from);
        }
    }

    pub(super) fn note_unreachable(&mut self, now: Picoseconds, mut notice: Unreachable, local: IpAddr) {
        let at = now + self.options.application_time;
        if notice.protocol == icmp::PROTOCOL_TCP {
            let tuple = Tuple {
                local,
                remote: notice.to,
                remote_port: notice.remote_port,
                local_port: notice.local_port,
            };
            self.unreachable(now, &tuple, notice.code >= icmp::PROTOCOL_UNREACHABLE);
            return;
        }
        let seat = match notice.protocol {
            icmp::PROTOCOL_UDP => self.datagrams.udp.get(&notice.local_port).map(|socket| socket.seat),
            _ => self.echoers.asker(notice.local_port).map(|(seat, chosen)| {
                notice.local_port = chosen;
                seat
            }),
        };
        if let Some(seat) = seat {
            self.mail[seat.0].notice(notice);
            self.mail[seat.0].call(at);
        }
    }

    /// As whom the PC speaks to an address of its own accord.
    pub(super) fn local_for(&mut self, now: Picoseconds, to: IpAddr) -> IpAddr {
        let to = match to {
            IpAddr::V4(to) => to,
            IpAddr::V6(to) => return self.own_over_ipv6.local_for(to).into(),
        };
        let in_use = |address| self.tcp.values().any(|connection| connection.uses(address));
        self.addresses.local_for(now, to, in_use).into()
    }

    /// Sends a datagram from a port.
    pub(super) fn send_datagram(&mut self, now: Picoseconds, port: u16, to: (IpAddr, u16), bytes: &[u8]) {
        let has = |alias: &IpAddr| matches!(*alias, IpAddr::V4(alias) if self.addresses.has(alias));
        let spoken_to = self.datagrams.spoken_to(port, to).filter(has);
        let from = spoken_to.unwrap_or_else(|| self.local_for(now, to.0));
        self.output.send_packet(now, ip::datagram(Way { from, to: to.0 }, port, to.1, bytes));
    }

    /// Sends an echo request for a seat; false where every identifier is another's.
    pub(super) fn send_echo(
        &mut self,
        now: Picoseconds,
        seat: SeatId,
        to: IpAddr,
        request: (u16, u16, &[u8]),
    ) -> bool {
        let (chosen, sequence, payload) = request;
        let Some(identifier) = self.echoers.on_the_wire(seat, chosen) else { return false };
        let from = self.local_for(now, to);
        let frame = match (from, to) {
            (IpAddr::V6(from), IpAddr::V6(to)) => {
                ipv6::icmp::echo_request((from, to), identifier, sequence, payload)
            }
            _ => icmp::echo_request(Way { from, to }, identifier, sequence, payload),
        };
        self.output.send_packet(now, frame);
        true
    }
}
