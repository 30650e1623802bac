//! Neighbour discovery (RFC 4861) as far as the chip does it: questions for a hardware address, answers for the own addresses,
//! and what a router tells of itself. Redirects and the lifetimes of what was told are left out.

use std::net::{IpAddr, Ipv6Addr};

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, Icmpv6Packet, Icmpv6Repr, IpProtocol, NdiscNeighborFlags, NdiscRepr, RawHardwareAddress,
};

use crate::map::Common;

use super::Core;
use super::ip::IpHeader;
use super::ipv6::{ALL_NODES, ALL_ROUTERS, multicast_hardware_address, solicited_node};
use super::receive::Origin;

/// What every message of neighbour discovery comes with, so that it cannot come from beyond the link (RFC 4861 section 7.1).
const HOP_LIMIT: u8 = 255;

impl Core {
    /// Asks everyone who may have an address for its hardware address.
    pub(super) fn solicit(&mut self, target: Ipv6Addr) {
        let source = self.source_over_ipv6(0, target);
        self.solicit_from(source, target);
    }

    /// Asks whether anyone has an address that is not the own one yet (RFC 4862 section 5.4.2).
    pub(super) fn ask_for_duplicate(&mut self, target: Ipv6Addr) {
        self.solicit_from(Ipv6Addr::UNSPECIFIED, target);
    }

    fn solicit_from(&mut self, source: Ipv6Addr, target_addr: Ipv6Addr) {
        let lladdr = (!source.is_unspecified()).then(|| self.own_link_layer_address());
        let message = NdiscRepr::NeighborSolicit { target_addr, lladdr };
        self.send_ndisc(source, solicited_node(target_addr), message);
    }

    /// Asks the routers of the link to tell of themselves.
    pub(super) fn ask_routers(&mut self) {
        let source = self.link_local_address();
        let lladdr = (!source.is_unspecified()).then(|| self.own_link_layer_address());
        self.send_ndisc(source, ALL_ROUTERS, NdiscRepr::RouterSolicit { lladdr });
    }

    /// Tells everyone on the link the own hardware address.
    pub(super) fn announce(&mut self, address: Ipv6Addr) {
        let flags = NdiscNeighborFlags::OVERRIDE;
        self.send_advertisement(flags, address, ALL_NODES, multicast_hardware_address(ALL_NODES));
    }

    /// Somebody asks for the hardware address of an own address, or whether it is free (RFC 4861 section 7.2.4).
    pub(super) fn solicited(&mut self, origin: &Origin, target: Ipv6Addr) {
        let IpAddr::V6(from) = origin.address else { return };
        if origin.hop_limit != HOP_LIMIT || !self.is_own_ipv6(target) {
            return;
        }
        if from.is_unspecified() {
            return self.announce(target);
        }
        let flags = NdiscNeighborFlags::SOLICITED | NdiscNeighborFlags::OVERRIDE;
        self.send_advertisement(flags, target, from, origin.hardware_address);
    }

    /// Somebody told the hardware address of its address.
    pub(super) fn advertised(&mut self, origin: &Origin, target: Ipv6Addr, told: Option<RawHardwareAddress>) {
        if origin.hop_limit != HOP_LIMIT {
            return;
        }
        let hardware_address = match told.map(|told| <[u8; 6]>::try_from(told.as_bytes())) {
            Some(Ok(told)) => told,
            _ => origin.hardware_address,
        };
        self.duplicate_found(target);
        self.neighbour_found(target.into(), hardware_address);
    }

    /// A router told of itself. The prefix is taken where it is the second option behind the router's hardware address, as the
    /// chip's erratum has it (ioLibrary, w6100.h, SLIR_RS).
    pub(super) fn router_advertised(&mut self, origin: &Origin, message: &[u8]) {
        if origin.hop_limit != HOP_LIMIT {
            return;
        }
        if let Some(prefix) = prefix_among(message) {
            self.common.set(Common::Plr, prefix.length.into());
            self.common.set(Common::Pfr, prefix.flags.into());
            self.common.set(Common::Vltr, prefix.valid_seconds.into());
            self.common.set(Common::Pltr, prefix.preferred_seconds.into());
            self.common.set_ipv6(Common::Par, prefix.address);
        }
        self.router_found();
    }

    fn own_link_layer_address(&self) -> RawHardwareAddress {
        EthernetAddress(self.own_hardware_address()).into()
    }

    fn send_advertisement(
        &mut self,
        flags: NdiscNeighborFlags,
        target_addr: Ipv6Addr,
        to: Ipv6Addr,
        hardware_address: [u8; 6],
    ) {
        let lladdr = Some(self.own_link_layer_address());
        let message = Icmpv6Repr::Ndisc(NdiscRepr::NeighborAdvert { flags, target_addr, lladdr });
        let header = IpHeader {
            time_to_live: HOP_LIMIT,
            ..IpHeader::of_chip(hardware_address, target_addr.into(), to.into(), IpProtocol::Icmpv6)
        };
        self.send_icmpv6(&header, &message);
    }

    fn send_ndisc(&mut self, source: Ipv6Addr, to: Ipv6Addr, message: NdiscRepr<'_>) {
        let hardware_address = multicast_hardware_address(to);
        let header = IpHeader {
            time_to_live: HOP_LIMIT,
            ..IpHeader::of_chip(hardware_address, source.into(), to.into(), IpProtocol::Icmpv6)
        };
        self.send_icmpv6(&header, &Icmpv6Repr::Ndisc(message));
    }

    /// A message of ICMPv6 as a frame, whose addresses are of IPv6.
    pub(super) fn icmpv6_frame(&mut self, header: &IpHeader, message: &Icmpv6Repr<'_>) -> Vec<u8> {
        let mut frame = self.begin_packet(header, message.buffer_len());
        let start = frame.len();
        frame.resize(start + message.buffer_len(), 0);
        if let (IpAddr::V6(source), IpAddr::V6(destination)) = (header.source, header.destination) {
            let mut packet = Icmpv6Packet::new_unchecked(&mut frame[start..]);
            message.emit(&source, &destination, &mut packet, &ChecksumCapabilities::default());
        }
        frame
    }

    pub(super) fn send_icmpv6(&mut self, header: &IpHeader, message: &Icmpv6Repr<'_>) {
        let frame = self.icmpv6_frame(header, message);
        self.answer(frame);
    }
}

/// What a router says of a prefix (RFC 4861 section 4.6.2).
#[derive(Debug, PartialEq, Eq)]
struct Prefix {
    length: u8,
    flags: u8,
    valid_seconds: u32,
    preferred_seconds: u32,
    address: Ipv6Addr,
}

fn prefix_among(message: &[u8]) -> Option<Prefix> {
    const HEADER_BYTES: usize = 16;
    const SOURCE_ADDRESS: [u8; 2] = [1, 1];
    const PREFIX_INFORMATION: [u8; 2] = [3, 4];
    let (source, prefix) = message.get(HEADER_BYTES..)?.split_at_checked(8)?;
    let prefix: &[u8; 32] = prefix.first_chunk()?;
    if !source.starts_with(&SOURCE_ADDRESS) || !prefix.starts_with(&PREFIX_INFORMATION) {
        return None;
    }
    let word = |at: usize| u32::from_be_bytes([prefix[at], prefix[at + 1], prefix[at + 2], prefix[at + 3]]);
    let mut address = [0; 16];
    address.copy_from_slice(&prefix[16..]);
    Some(Prefix {
        length: prefix[2],
        flags: prefix[3],
        valid_seconds: word(4),
        preferred_seconds: word(8),
        address: address.into(),
    })
}
