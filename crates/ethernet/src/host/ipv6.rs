//! IPv6 as a Linux PC speaks it while every program of it uses IPv4: it has the link-local address that its Ethernet address
//! gives, tells who asks where that is (RFC 4861), answers pings, and refuses whatever is sent to a port. It says nothing of
//! its own accord and remembers nobody: an answer goes to the Ethernet address that the question came from.
//!
//! Left out: other addresses, routers, reports of groups, packets in pieces, and notices about options.

use std::net::Ipv6Addr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, Icmpv6Packet, Icmpv6Repr, IpAddress, IpProtocol, Ipv6Packet, Ipv6Repr,
    NdiscNeighborFlags, NdiscRepr, TcpPacket, UdpPacket,
};

use super::ip::{self, ETHERNET_HEADER_BYTES, HOP_LIMIT};

pub(super) const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xDD];

const HEADER_BYTES: usize = 40;
/// Where the first header says what follows it.
const NEXT_HEADER_AT: u32 = 6;
/// What keeps a message of neighbour discovery on the link (RFC 4861 section 7.1).
const NDISC_HOP_LIMIT: u8 = 255;
/// A notice quotes as much as leaves it in the smallest packet that every link takes (RFC 4443 section 2.4).
const LONGEST_NOTICE_BYTES: usize = 1280;

const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);

/// The address that an interface forms of its Ethernet address (RFC 4291 appendix A).
pub(super) fn link_local(mac: [u8; 6]) -> Ipv6Addr {
    const OTHER_SCOPE: u8 = 0x02;
    let [a, b, c, d, e, f] = mac;
    Ipv6Addr::from([0xFE, 0x80, 0, 0, 0, 0, 0, 0, a ^ OTHER_SCOPE, b, c, 0xFF, 0xFE, d, e, f])
}

/// The frame with which a PC answers a frame of IPv6.
pub(super) fn answer(mac: [u8; 6], frame: &[u8]) -> Option<Vec<u8>> {
    let packet = Ipv6Packet::new_checked(&frame[ETHERNET_HEADER_BYTES..]).ok()?;
    let own = link_local(mac);
    let (source, to) = (packet.src_addr(), packet.dst_addr());
    let [.., e, f, g] = own.octets();
    let solicited_node = Ipv6Addr::from([0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, e, f, g]);
    let is_to_one = to == own;
    let is_ours = is_to_one || to == solicited_node || to == ALL_NODES;
    if packet.version() != 6 || !is_ours || source.is_multicast() || source.is_loopback() || source == own {
        return None;
    }
    let asker = frame.get(6..12)?.try_into().ok().filter(|asker| EthernetAddress(*asker).is_unicast())?;
    let question = Question { mac, own, asker, source, to, packet };
    let (protocol, named_at, payload) = question.behind_options()?;
    match protocol {
        IpProtocol::Icmpv6 => question.answer_icmp(payload),
        IpProtocol::Ipv6NoNxt | IpProtocol::Ipv6Frag | IpProtocol::Ipv6Route => None,
        _ if !is_to_one || source.is_unspecified() => None,
        IpProtocol::Tcp => question.reset(payload),
        IpProtocol::Udp => question.refuse_datagram(payload),
        _ => question.notice([PARAMETER_PROBLEM, UNKNOWN_NEXT_HEADER], named_at),
    }
}

/// Types and codes of notices (RFC 4443 sections 3.1 and 3.4).
const UNREACHABLE: u8 = 1;
const NO_PORT: u8 = 4;
const PARAMETER_PROBLEM: u8 = 4;
const UNKNOWN_NEXT_HEADER: u8 = 1;

/// A packet for the PC.
struct Question<'a> {
    mac: [u8; 6],
    own: Ipv6Addr,
    asker: [u8; 6],
    source: Ipv6Addr,
    to: Ipv6Addr,
    packet: Ipv6Packet<&'a [u8]>,
}

impl<'a> Question<'a> {
    /// The protocol behind the options, where in the packet it is named, and what it carries; nothing where the options are
    /// not whole, or where one wants the packet dropped.
    fn behind_options(&self) -> Option<(IpProtocol, u32, &'a [u8])> {
        const UNIT_BYTES: usize = 8;
        let (mut protocol, mut rest) = (self.packet.next_header(), self.payload());
        let (mut named_at, mut next_at) = (NEXT_HEADER_AT, HEADER_BYTES as u32);
        while protocol == IpProtocol::Ipv6Opts
            || protocol == IpProtocol::HopByHop && named_at == NEXT_HEADER_AT
        {
            let (next, units) = (*rest.first()?, *rest.get(1)?);
            let bytes = UNIT_BYTES * (usize::from(units) + 1);
            let (header, behind) = rest.split_at_checked(bytes)?;
            if !may_be_skipped(&header[2..]) {
                return None;
            }
            (protocol, rest) = (next.into(), behind);
            (named_at, next_at) = (next_at, next_at + bytes as u32);
        }
        Some((protocol, named_at, rest))
    }

    fn payload(&self) -> &'a [u8] {
        let bytes: &'a [u8] = self.packet.clone().into_inner();
        bytes.get(HEADER_BYTES..self.packet.total_len()).unwrap_or_default()
    }

    fn answer_icmp(&self, message: &[u8]) -> Option<Vec<u8>> {
        const ECHO_REQUEST: u8 = 128;
        const SOLICITATION: u8 = 135;
        let intact = Icmpv6Packet::new_checked(message).ok()?.verify_checksum(&self.source, &self.to);
        match message.first() {
            Some(&ECHO_REQUEST) if intact && !self.source.is_unspecified() => Some(self.echo(message)),
            Some(&SOLICITATION) if intact => self.tell_where(message),
            _ => None,
        }
    }

    /// The reply is the request with another type.
    fn echo(&self, message: &[u8]) -> Vec<u8> {
        const ECHO_REPLY: u8 = 129;
        self.frame(IpProtocol::Icmpv6, message.len(), |room| {
            room.copy_from_slice(message);
            room[0] = ECHO_REPLY;
            Icmpv6Packet::new_unchecked(room).fill_checksum(&self.own, &self.source);
        })
    }

    /// Where the PC's address is. Who does not have one yet is told with everyone else, as that address is taken.
    fn tell_where(&self, message: &[u8]) -> Option<Vec<u8>> {
        const TARGET_AT: usize = 8;
        const OPTIONS_AT: usize = 24;
        let asks_for = message.get(TARGET_AT..OPTIONS_AT)?;
        let told = hardware_address_among(message.get(OPTIONS_AT..)?)?;
        let is_probe = self.source.is_unspecified();
        let is_to_many = self.to.is_multicast();
        let is_sound = self.packet.hop_limit() == NDISC_HOP_LIMIT && message[1] == 0;
        let is_sound_probe = is_to_many && told.is_none();
        if !is_sound || asks_for != self.own.octets() || is_probe && !is_sound_probe {
            return None;
        }
        let mut flags = NdiscNeighborFlags::empty();
        flags.set(NdiscNeighborFlags::SOLICITED, !is_probe);
        flags.set(NdiscNeighborFlags::OVERRIDE, is_to_many);
        let lladdr = is_to_many.then(|| EthernetAddress(self.mac).into());
        let reply = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr: self.own, lladdr });
        let (hardware, to) = match (is_probe, told) {
            (true, _) => ([0x33, 0x33, 0, 0, 0, 1], ALL_NODES),
            (false, told) => (told.unwrap_or(self.asker), self.source),
        };
        let header = Ipv6Repr { dst_addr: to, hop_limit: NDISC_HOP_LIMIT, ..self.header(IpProtocol::Icmpv6) };
        Some(frame_with(hardware, self.mac, &header, reply.buffer_len(), |room| {
            let mut packet = Icmpv6Packet::new_unchecked(room);
            reply.emit(&self.own, &to, &mut packet, &ChecksumCapabilities::default());
        }))
    }

    fn reset(&self, segment: &[u8]) -> Option<Vec<u8>> {
        let ends = (IpAddress::Ipv6(self.own), IpAddress::Ipv6(self.source));
        let packet = TcpPacket::new_checked(segment).ok()?;
        if !packet.verify_checksum(&ends.1, &ends.0) {
            return None;
        }
        let acknowledgment = packet.ack().then(|| packet.ack_number());
        let end = packet.seq_number() + packet.segment_len();
        let ports = (packet.src_port(), packet.dst_port());
        let reset = ip::reset_of(ports, packet.rst(), acknowledgment, end)?;
        Some(self.frame(IpProtocol::Tcp, reset.buffer_len(), |room| {
            let mut packet = TcpPacket::new_unchecked(room);
            reset.emit(&mut packet, &ends.0, &ends.1, &ChecksumCapabilities::default());
        }))
    }

    /// A datagram over IPv6 always has a check sum (RFC 8200 section 8.1).
    fn refuse_datagram(&self, datagram: &[u8]) -> Option<Vec<u8>> {
        let packet = UdpPacket::new_checked(datagram).ok()?;
        let ends = (IpAddress::Ipv6(self.source), IpAddress::Ipv6(self.to));
        let is_sound = packet.checksum() != 0 && packet.verify_checksum(&ends.0, &ends.1);
        if is_sound { self.notice([UNREACHABLE, NO_PORT], 0) } else { None }
    }

    /// A notice of a type and a code, with its number and the packet as far as there is room.
    fn notice(&self, [kind, code]: [u8; 2], number: u32) -> Option<Vec<u8>> {
        const NOTICE_HEADER_BYTES: usize = 8;
        let bytes: &[u8] = self.packet.clone().into_inner();
        let room = LONGEST_NOTICE_BYTES - HEADER_BYTES - NOTICE_HEADER_BYTES;
        let quoted = bytes.get(..self.packet.total_len().min(room))?;
        Some(self.frame(IpProtocol::Icmpv6, NOTICE_HEADER_BYTES + quoted.len(), |room| {
            room[..4].copy_from_slice(&[kind, code, 0, 0]);
            room[4..NOTICE_HEADER_BYTES].copy_from_slice(&number.to_be_bytes());
            room[NOTICE_HEADER_BYTES..].copy_from_slice(quoted);
            Icmpv6Packet::new_unchecked(room).fill_checksum(&self.own, &self.source);
        }))
    }

    /// Of an answer to one; its length is still to come.
    fn header(&self, protocol: IpProtocol) -> Ipv6Repr {
        Ipv6Repr {
            src_addr: self.own,
            dst_addr: self.source,
            next_header: protocol,
            payload_len: 0,
            hop_limit: HOP_LIMIT,
        }
    }

    fn frame(&self, protocol: IpProtocol, bytes: usize, write: impl FnOnce(&mut [u8])) -> Vec<u8> {
        frame_with(self.asker, self.mac, &self.header(protocol), bytes, write)
    }
}

/// A frame with a packet; `write` fills its payload.
fn frame_with(
    to: [u8; 6],
    mac: [u8; 6],
    header: &Ipv6Repr,
    payload_bytes: usize,
    write: impl FnOnce(&mut [u8]),
) -> Vec<u8> {
    let mut frame = vec![0; ETHERNET_HEADER_BYTES + HEADER_BYTES + payload_bytes];
    frame[..6].copy_from_slice(&to);
    frame[6..12].copy_from_slice(&mac);
    frame[12..ETHERNET_HEADER_BYTES].copy_from_slice(&ETHERTYPE_IPV6);
    let mut packet = Ipv6Packet::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]);
    Ipv6Repr { payload_len: payload_bytes, ..*header }.emit(&mut packet);
    write(packet.payload_mut());
    frame
}

/// Whether every option is padding, or one that a node which does not know it skips (RFC 8200 section 4.2).
fn may_be_skipped(mut options: &[u8]) -> bool {
    const PAD_ONE: u8 = 0;
    const ELSE_DROP: u8 = 0xC0;
    while let Some((&kind, rest)) = options.split_first() {
        let data_bytes = match (kind, rest.first()) {
            (PAD_ONE, _) => 0,
            (_, Some(&count)) => 1 + usize::from(count),
            (_, None) => return false,
        };
        match rest.get(data_bytes..) {
            Some(behind) if kind & ELSE_DROP == 0 => options = behind,
            _ => return false,
        }
    }
    true
}

/// The asker's hardware address among the options of a solicitation, if it is there; nothing at all where they are not whole.
fn hardware_address_among(mut options: &[u8]) -> Option<Option<[u8; 6]>> {
    const UNIT_BYTES: usize = 8;
    const SOURCE_ADDRESS: u8 = 1;
    let mut found = None;
    while !options.is_empty() {
        let bytes = UNIT_BYTES * usize::from(*options.get(1)?);
        let (option, behind) = options.split_at_checked(bytes).filter(|_| bytes > 0)?;
        if option[0] == SOURCE_ADDRESS && found.is_none() {
            found = option[2..].first_chunk().copied();
        }
        options = behind;
    }
    Some(found)
}
