//! IPv6 as a Linux PC speaks it (RFC 8200). It has the link-local address that its Ethernet address gives, and its sockets serve
//! both families.
//!
//! `own` knows its addresses. `arrival` takes frames in, and `answers` has what the kernel says where no program does. `ndisc`
//! finds neighbours and tells them of the PC. `router` tells them of its network, where the PC is the router of that. `icmp` has
//! the PC's own pings, and the notices that it is sent.
//!
//! Left out: more than one address beside that, other routers, reports of groups, packets in pieces, flow labels, and notices
//! about options.

mod answers;
mod arrival;
pub(super) mod icmp;
pub(super) mod ndisc;
mod own;
mod packet;
mod router;

use std::net::{IpAddr, Ipv6Addr};
use std::ops::Range;

use smoltcp::wire::{IpProtocol, Ipv6Packet, Ipv6Repr};

use super::ip::{ETHERNET_HEADER_BYTES, HOP_LIMIT, Way};
pub(super) use own::{Own, may_be_beside};
use packet::Packet;

pub(super) const ETHERTYPE_IPV6: [u8; 2] = [0x86, 0xDD];

const HEADER_BYTES: usize = 40;
const PAYLOAD_AT: usize = ETHERNET_HEADER_BYTES + HEADER_BYTES;
/// Where addresses stand in a frame.
const SOURCE_AT: usize = 22;
const DESTINATION_AT: usize = 38;
const NEXT_HEADER_AT: usize = 20;

/// How many bits of a link-local address name its network (RFC 4291 section 2.5.6).
pub(super) const PREFIX: u8 = 64;

const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
const ALL_ROUTERS: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 2);

/// In which DHCPv6 servers are looked for (RFC 8415).
const ALL_DHCP_SERVERS: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 1, 2);

/// The address that an interface forms of its Ethernet address (RFC 4291 appendix A).
pub(super) fn link_local(mac: [u8; 6]) -> Ipv6Addr {
    const OTHER_SCOPE: u8 = 0x02;
    let [a, b, c, d, e, f] = mac;
    Ipv6Addr::from([0xFE, 0x80, 0, 0, 0, 0, 0, 0, a ^ OTHER_SCOPE, b, c, 0xFF, 0xFE, d, e, f])
}

/// The group in which a host is asked for its Ethernet address (RFC 4291 section 2.7.1).
fn solicited_node(of: Ipv6Addr) -> Ipv6Addr {
    let [.., e, f, g] = of.octets();
    Ipv6Addr::from([0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, e, f, g])
}

/// The Ethernet address of a group (RFC 2464 section 7).
pub(super) fn group_mac(group: Ipv6Addr) -> [u8; 6] {
    let [.., d, e, f, g] = group.octets();
    [0x33, 0x33, d, e, f, g]
}

/// Where the packet in a frame with a whole header comes from and goes to.
pub(super) fn way_of(frame: &[u8]) -> Way {
    Way { from: address(frame, SOURCE_AT).into(), to: address(frame, DESTINATION_AT).into() }
}

fn address(bytes: &[u8], at: usize) -> Ipv6Addr {
    bytes[at..].first_chunk::<16>().copied().map_or(Ipv6Addr::UNSPECIFIED, Ipv6Addr::from)
}

/// The payload of the packet in a frame, as far as it is there.
pub(super) fn payload(frame: &[u8]) -> &[u8] {
    let end = (PAYLOAD_AT + payload_bytes(frame)).min(frame.len());
    frame.get(PAYLOAD_AT..end).unwrap_or_default()
}

fn payload_bytes(frame: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([frame[18], frame[19]]))
}

/// The protocol of a packet without further headers, where in its frame it stands what that carries, and both ends.
pub(super) fn carried(frame: &[u8]) -> Option<(u8, Range<usize>, IpAddr, IpAddr)> {
    if frame.len() < PAYLOAD_AT || frame[12..14] != ETHERTYPE_IPV6 {
        return None;
    }
    let end = PAYLOAD_AT + payload_bytes(frame);
    let Way { from, to } = way_of(frame);
    (end <= frame.len()).then_some((frame[NEXT_HEADER_AT], PAYLOAD_AT..end, from, to))
}

/// Has the header say how long the packet in a frame is.
pub(super) fn set_length(frame: &mut [u8]) {
    let payload_bytes = (frame.len() - PAYLOAD_AT) as u16;
    frame[18..20].copy_from_slice(&payload_bytes.to_be_bytes());
}

/// A frame with a packet whose Ethernet addresses are still to come; `write` fills its payload.
pub(super) fn frame(
    (src_addr, dst_addr): (Ipv6Addr, Ipv6Addr),
    next_header: IpProtocol,
    payload_bytes: usize,
    write: impl FnOnce(&mut [u8]),
) -> Vec<u8> {
    let header = Ipv6Repr { src_addr, dst_addr, next_header, payload_len: 0, hop_limit: HOP_LIMIT };
    frame_with([[0; 6]; 2], &header, payload_bytes, write)
}

/// A frame to an Ethernet address and from one, with a packet; `write` fills its payload.
fn frame_with(
    [to, from]: [[u8; 6]; 2],
    header: &Ipv6Repr,
    payload_bytes: usize,
    write: impl FnOnce(&mut [u8]),
) -> Vec<u8> {
    let mut frame = vec![0; PAYLOAD_AT + payload_bytes];
    frame[..6].copy_from_slice(&to);
    frame[6..12].copy_from_slice(&from);
    frame[12..ETHERNET_HEADER_BYTES].copy_from_slice(&ETHERTYPE_IPV6);
    let mut packet = Ipv6Packet::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]);
    Ipv6Repr { payload_len: payload_bytes, ..*header }.emit(&mut packet);
    write(packet.payload_mut());
    frame
}
