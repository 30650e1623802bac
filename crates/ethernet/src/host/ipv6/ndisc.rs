//! Neighbour discovery (RFC 4861): the PC asks where an address is, reads what it is told, and tells who asks.

use std::net::Ipv6Addr;

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, Icmpv6Packet, Icmpv6Repr, IpProtocol, Ipv6Repr, NdiscNeighborFlags, NdiscRepr,
};

use super::{ALL_NODES, Packet, address, frame_with, group_mac, solicited_node};

/// What keeps a message of neighbour discovery on the link (section 7.1).
pub(super) const HOP_LIMIT: u8 = 255;

/// Where a solicitation and an advertisement name the address, and where their options begin.
const TARGET_AT: usize = 8;
const OPTIONS_AT: usize = 24;

/// Options with a hardware address (section 4.6.1).
pub(super) const SOURCE_ADDRESS: u8 = 1;
const TARGET_ADDRESS: u8 = 2;

/// Where an address is, as a neighbour says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::host) struct Advertisement {
    pub(in crate::host) target: Ipv6Addr,
    pub(in crate::host) mac: Option<[u8; 6]>,
    /// It takes the place of what was known.
    pub(in crate::host) overrides: bool,
}

/// The question where `wanted` is: to all that may have it, or to the neighbour that had it.
pub(in crate::host) fn solicitation(
    mac: [u8; 6],
    local: Ipv6Addr,
    wanted: Ipv6Addr,
    to: Option<[u8; 6]>,
) -> Vec<u8> {
    let lladdr = Some(EthernetAddress(mac).into());
    let question = Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr: wanted, lladdr });
    let group = solicited_node(wanted);
    let (hardware, dst_addr) = to.map_or((group_mac(group), group), |mac| (mac, wanted));
    let header = Ipv6Repr {
        src_addr: local,
        dst_addr,
        next_header: IpProtocol::Icmpv6,
        payload_len: 0,
        hop_limit: HOP_LIMIT,
    };
    frame_with([hardware, mac], &header, question.buffer_len(), |room| {
        let mut packet = Icmpv6Packet::new_unchecked(room);
        question.emit(&local, &dst_addr, &mut packet, &ChecksumCapabilities::default());
    })
}

impl Packet<'_> {
    /// The advertisement that a message is, where it is sound (section 7.1.2).
    pub(super) fn advertisement(&self, message: &[u8]) -> Option<Advertisement> {
        let target = message.get(..OPTIONS_AT).map(|fixed| address(fixed, TARGET_AT))?;
        let flags = NdiscNeighborFlags::from_bits_truncate(message[4]);
        let mac = hardware_address_among(message.get(OPTIONS_AT..)?, TARGET_ADDRESS)?;
        let is_to_many_of_one = self.to.is_multicast() && flags.contains(NdiscNeighborFlags::SOLICITED);
        let is_sound = self.packet.hop_limit() == HOP_LIMIT && message[1] == 0 && !target.is_multicast();
        let is_ours = self.ours.has(target);
        let overrides = flags.contains(NdiscNeighborFlags::OVERRIDE);
        let mac = mac.filter(|mac| EthernetAddress(*mac).is_unicast());
        (is_sound && !is_to_many_of_one && !is_ours).then_some(Advertisement { target, mac, overrides })
    }

    /// Where the PC's address is, and the Ethernet address of who asks, where that is told. Who has no address yet is told with
    /// everyone else, as the PC's is taken.
    pub(super) fn tell_where(&self, message: &[u8]) -> Option<(Vec<u8>, Option<[u8; 6]>)> {
        let wanted = message.get(..OPTIONS_AT).map(|fixed| address(fixed, TARGET_AT))?;
        let told = hardware_address_among(message.get(OPTIONS_AT..)?, SOURCE_ADDRESS)?;
        let is_probe = self.source.is_unspecified();
        let is_to_many = self.to.is_multicast();
        let is_sound = self.packet.hop_limit() == HOP_LIMIT && message[1] == 0;
        let is_sound_probe = is_to_many && told.is_none();
        if !is_sound || !self.ours.has(wanted) || is_probe && !is_sound_probe {
            return None;
        }
        let mut flags = NdiscNeighborFlags::empty();
        flags.set(NdiscNeighborFlags::SOLICITED, !is_probe);
        flags.set(NdiscNeighborFlags::OVERRIDE, is_to_many);
        // Without it the asker would no longer take the PC for a router (section 7.3.3).
        flags.set(NdiscNeighborFlags::ROUTER, self.ours.as_router().is_some());
        let lladdr = is_to_many.then(|| EthernetAddress(self.mac).into());
        let reply = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr: wanted, lladdr });
        let (hardware, to) = match (is_probe, told) {
            (true, _) => (group_mac(ALL_NODES), ALL_NODES),
            (false, told) => (told.unwrap_or(self.asker), self.source),
        };
        let header = Ipv6Repr {
            src_addr: wanted,
            dst_addr: to,
            hop_limit: HOP_LIMIT,
            ..self.header(IpProtocol::Icmpv6)
        };
        let answer = frame_with([hardware, self.mac], &header, reply.buffer_len(), |room| {
            let mut packet = Icmpv6Packet::new_unchecked(room);
            reply.emit(&wanted, &to, &mut packet, &ChecksumCapabilities::default());
        });
        Some((answer, told))
    }
}

/// The hardware address of a kind among the options of a message, if it is there; nothing at all where they are not whole.
pub(super) fn hardware_address_among(mut options: &[u8], kind: u8) -> Option<Option<[u8; 6]>> {
    const UNIT_BYTES: usize = 8;
    let mut found = None;
    while !options.is_empty() {
        let bytes = UNIT_BYTES * usize::from(*options.get(1)?);
        let (option, behind) = options.split_at_checked(bytes).filter(|_| bytes > 0)?;
        if option[0] == kind && found.is_none() {
            found = option[2..].first_chunk().copied();
        }
        options = behind;
    }
    Some(found)
}
