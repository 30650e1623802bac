//! A packet that was sent to the PC, or to a group that it is in: both ends, and what stands behind its options.

use std::net::Ipv6Addr;

use smoltcp::wire::{EthernetAddress, IpProtocol, Ipv6Packet};

use super::{ETHERNET_HEADER_BYTES, HEADER_BYTES, NEXT_HEADER_AT, Own};

/// Where the first header says what follows it.
const FIRST_NAMED_AT: u32 = (NEXT_HEADER_AT - ETHERNET_HEADER_BYTES) as u32;

/// A packet for the PC.
pub(super) struct Packet<'a> {
    pub(super) mac: [u8; 6],
    pub(super) ours: Own,
    /// The address of the PC's that it is to, or that answers what went to a group.
    pub(super) own: Ipv6Addr,
    pub(super) asker: [u8; 6],
    pub(super) source: Ipv6Addr,
    pub(super) to: Ipv6Addr,
    pub(super) packet: Ipv6Packet<&'a [u8]>,
}

/// What a packet carries behind its options.
pub(super) struct Carried<'a> {
    pub(super) protocol: IpProtocol,
    /// Where in the packet the protocol is named.
    pub(super) named_at: u32,
    pub(super) bytes: &'a [u8],
}

impl<'a> Packet<'a> {
    /// The packet in a frame; nothing where it is not for the PC, or comes from nobody who could be.
    pub(super) fn of(mac: [u8; 6], ours: Own, frame: &'a [u8]) -> Option<Self> {
        let packet = Ipv6Packet::new_checked(&frame[ETHERNET_HEADER_BYTES..]).ok()?;
        let (source, to) = (packet.src_addr(), packet.dst_addr());
        let is_ours = ours.has(to) || ours.is_in(to);
        if packet.version() != 6
            || !is_ours
            || source.is_multicast()
            || source.is_loopback()
            || ours.has(source)
        {
            return None;
        }
        let asker = frame.get(6..12)?.try_into().ok().filter(|asker| EthernetAddress(*asker).is_unicast())?;
        let own = if ours.has(to) { to } else { ours.local_for(source) };
        Some(Self { mac, ours, own, asker, source, to, packet })
    }

    /// Whether it goes from one host to the PC alone.
    pub(super) fn is_between_two(&self) -> bool {
        self.ours.has(self.to) && !self.source.is_unspecified()
    }

    /// What stands behind the options; nothing where they are not whole, or where one wants the packet dropped.
    pub(super) fn behind_options(&self) -> Option<Carried<'a>> {
        const UNIT_BYTES: usize = 8;
        let (mut protocol, mut rest) = (self.packet.next_header(), self.payload());
        let (mut named_at, mut next_at) = (FIRST_NAMED_AT, HEADER_BYTES as u32);
        while protocol == IpProtocol::Ipv6Opts
            || protocol == IpProtocol::HopByHop && named_at == FIRST_NAMED_AT
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
        Some(Carried { protocol, named_at, bytes: rest })
    }

    fn payload(&self) -> &'a [u8] {
        let bytes: &'a [u8] = self.packet.clone().into_inner();
        bytes.get(HEADER_BYTES..self.packet.total_len()).unwrap_or_default()
    }
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
