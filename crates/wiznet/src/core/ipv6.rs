//! IPv6: the own addresses, which of them a packet comes from, whom it is handed to, and packets that arrive. Neighbour discovery
//! is in `ndisc`. Extension headers are skipped; a packet with one of fragments is dropped.

use std::net::Ipv6Addr;

use smoltcp::wire::{IpProtocol, Ipv6Packet};

use crate::chips::is_set;
use crate::map::Common;

use super::Core;
use super::receive::{Cast, Origin};

/// RFC 4291 section 2.7.1.
pub(super) const ALL_NODES: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 1);
pub(super) const ALL_ROUTERS: Ipv6Addr = Ipv6Addr::new(0xFF02, 0, 0, 0, 0, 0, 0, 2);
/// The index of IPv6 in facts that have one value for each family.
pub(super) const OF_IPV6: usize = 1;

/// Sn_PSR and SLPSR (ioLibrary, w6100.h, PSR_AUTO, PSR_LLA and PSR_GUA).
mod preference {
    pub(super) const LINK_LOCAL: u8 = 0x02;
    pub(super) const GLOBAL: u8 = 0x03;
}

/// Where everybody listens who has an address that ends alike (RFC 4291 section 2.7.1).
pub(super) fn solicited_node(address: Ipv6Addr) -> Ipv6Addr {
    const PREFIX: u128 = 0xFF02_0000_0000_0000_0000_0001_FF00_0000;
    const LAST_BYTES: u128 = 0x00FF_FFFF;
    (PREFIX | u128::from(address) & LAST_BYTES).into()
}

/// Whom a frame for a multicast address is sent to (RFC 2464 section 7).
pub(super) fn multicast_hardware_address(address: Ipv6Addr) -> [u8; 6] {
    let [.., a, b, c, d] = address.octets();
    [0x33, 0x33, a, b, c, d]
}

/// Whether an address means something on this link alone.
fn is_of_link(address: Ipv6Addr) -> bool {
    const SCOPE: u16 = 0x000F;
    const LINK_SCOPE: u16 = 0x0002;
    let first = address.segments()[0];
    address.is_unicast_link_local() || address.is_multicast() && first & SCOPE == LINK_SCOPE
}

impl Core {
    /// LLAR.
    pub(super) fn link_local_address(&self) -> Ipv6Addr {
        self.common.ipv6(Common::Llar)
    }

    /// GUAR.
    pub(super) fn global_address(&self) -> Ipv6Addr {
        self.common.ipv6(Common::Guar)
    }

    /// Whether LLAR or GUAR holds an address; neither does while it is zero.
    pub(super) fn is_own_ipv6(&self, address: Ipv6Addr) -> bool {
        !address.is_unspecified() && [self.link_local_address(), self.global_address()].contains(&address)
    }

    /// The own address for packets to a destination: LLAR on the link and GUAR beyond, unless the driver prefers one.
    pub(super) fn source_over_ipv6(&self, preference: u8, destination: Ipv6Addr) -> Ipv6Addr {
        match preference {
            preference::LINK_LOCAL => self.link_local_address(),
            preference::GLOBAL => self.global_address(),
            _ if is_of_link(destination) => self.link_local_address(),
            _ => self.global_address(),
        }
    }

    /// Whom to ask for a hardware address: the destination, or the router where SUB6R tells its prefix from the own.
    pub(super) fn next_hop_over_ipv6(&self, destination: Ipv6Addr) -> Ipv6Addr {
        let differs = u128::from(destination) ^ self.common.whole(Common::Guar);
        let is_near = is_of_link(destination) || differs & self.common.whole(Common::Sub6r) == 0;
        if is_near { destination } else { self.common.ipv6(Common::Ga6r) }
    }

    /// Whom a packet is for, if the chip is among them.
    fn cast_over_ipv6(&self, destination: Ipv6Addr) -> Option<Cast> {
        if self.is_own_ipv6(destination) {
            Some(Cast::One)
        } else if destination == ALL_NODES {
            Some(Cast::All)
        } else if self.is_own_solicited_node(destination) {
            Some(Cast::Solicited)
        } else {
            destination.is_multicast().then_some(Cast::Many)
        }
    }

    /// Whether the neighbours of an own address are asked for there.
    pub(super) fn is_own_solicited_node(&self, destination: Ipv6Addr) -> bool {
        let own = [self.link_local_address(), self.global_address()];
        own.into_iter().any(|own| !own.is_unspecified() && solicited_node(own) == destination)
    }

    /// Whether a socket took it.
    pub(super) fn receive_ipv6(&mut self, source: [u8; 6], frame_cast: Cast, bytes: &[u8]) -> bool {
        let Ok(packet) = Ipv6Packet::new_checked(bytes) else {
            self.dropped.malformed += 1;
            return false;
        };
        if packet.version() != 6 {
            self.dropped.malformed += 1;
            return false;
        }
        if is_set(self.facts.protocols.switches.packet_block[OF_IPV6], &self.common) {
            return false;
        }
        let Some(cast) = self.cast_over_ipv6(packet.dst_addr()) else { return false };
        if cast == Cast::One && frame_cast != Cast::One {
            return false;
        }
        let origin = Origin {
            hardware_address: source,
            address: packet.src_addr().into(),
            destination: packet.dst_addr().into(),
            cast,
            hop_limit: packet.hop_limit(),
        };
        let Some((protocol, payload)) = behind_extensions(packet.next_header(), packet.payload()) else {
            self.dropped.fragments += 1;
            return false;
        };
        match protocol {
            IpProtocol::Udp => self.receive_udp(&origin, payload, bytes),
            IpProtocol::Tcp => self.receive_tcp(&origin, payload),
            IpProtocol::Icmpv6 => self.receive_icmpv6(&origin, payload),
            protocol => self.receive_ip_raw(&origin, protocol, payload),
        }
    }
}

/// What follows the headers of options; nothing where one says that it is a fragment, or where they do not end.
fn behind_extensions(first: IpProtocol, payload: &[u8]) -> Option<(IpProtocol, &[u8])> {
    const MOST_EXTENSIONS: usize = 8;
    const UNIT_BYTES: usize = 8;
    let (mut protocol, mut rest) = (first, payload);
    for _ in 0..MOST_EXTENSIONS {
        match protocol {
            IpProtocol::Ipv6Frag => return None,
            IpProtocol::HopByHop | IpProtocol::Ipv6Opts | IpProtocol::Ipv6Route => {
                let (&next, &units) = (rest.first()?, rest.get(1)?);
                rest = rest.get(UNIT_BYTES * (usize::from(units) + 1)..)?;
                protocol = IpProtocol::from(next);
            }
            _ => return Some((protocol, rest)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_asked_for_where_its_last_three_bytes_say() {
        let address: Ipv6Addr = "2001:db8::12:3456:789a".parse().unwrap();
        let group: Ipv6Addr = "ff02::1:ff56:789a".parse().unwrap();
        assert_eq!(solicited_node(address), group);
        assert_eq!(multicast_hardware_address(group), [0x33, 0x33, 0xFF, 0x56, 0x78, 0x9A]);
    }

    #[test]
    fn options_are_skipped_and_fragments_are_none() {
        let options = [58, 0, 0, 0, 0, 0, 0, 0, 0xAA];
        assert_eq!(
            behind_extensions(IpProtocol::HopByHop, &options),
            Some((IpProtocol::Icmpv6, &[0xAA][..]))
        );
        assert_eq!(behind_extensions(IpProtocol::Ipv6Frag, &options), None);
        assert_eq!(behind_extensions(IpProtocol::HopByHop, &options[..4]), None);
        assert_eq!(behind_extensions(IpProtocol::HopByHop, &[0; 80]), None, "they do not end");
    }
}
