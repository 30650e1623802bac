//! Which addresses the PC has over IPv6, and as which of them it speaks to whom (RFC 6724, as far as two addresses need it).

use std::net::Ipv6Addr;

use super::{ALL_DHCP_SERVERS, ALL_NODES, ALL_ROUTERS, link_local, solicited_node};
use crate::host::AddressConfiguration;

/// The link-local address, and the one beside it where there is one, with how many bits of it name its network.
#[derive(Debug, Clone, Copy)]
pub(in crate::host) struct Own {
    link_local: Ipv6Addr,
    beside: Option<(Ipv6Addr, u8)>,
    as_router: Option<AddressConfiguration>,
}

impl Own {
    /// `as_router` is what the PC tells hosts, if it is a router.
    pub(in crate::host) fn new(
        mac: [u8; 6],
        beside: Option<(Ipv6Addr, u8)>,
        as_router: Option<AddressConfiguration>,
    ) -> Self {
        Self { link_local: link_local(mac), beside, as_router }
    }

    pub(super) fn is_router(&self) -> bool {
        self.as_router.is_some()
    }

    /// The link-local address, that of the network whose router the PC is, and what it tells hosts.
    pub(super) fn as_router(&self) -> Option<(Ipv6Addr, (Ipv6Addr, u8), AddressConfiguration)> {
        Some((self.link_local, self.beside?, self.as_router?))
    }

    /// Whether the PC has an address.
    pub(in crate::host) fn has(&self, address: Ipv6Addr) -> bool {
        address == self.link_local || self.beside.is_some_and(|(beside, _)| address == beside)
    }

    /// Whether the PC is in a group: that of all nodes, that of DHCP servers, those in which it is asked for its addresses, and
    /// that of routers if it is one.
    pub(super) fn is_in(&self, group: Ipv6Addr) -> bool {
        let asked_in = |address| solicited_node(address) == group;
        group == ALL_NODES
            || group == ALL_DHCP_SERVERS
            || group == ALL_ROUTERS && self.is_router()
            || asked_in(self.link_local)
            || self.beside.is_some_and(|(beside, _)| asked_in(beside))
    }

    /// Whether frames for an address go to itself.
    pub(in crate::host) fn is_near(&self, to: Ipv6Addr) -> bool {
        let in_network = |(beside, prefix): (Ipv6Addr, u8)| {
            let mask = u128::MAX.checked_shl(128 - u32::from(prefix.min(128))).unwrap_or(0);
            (beside.to_bits() ^ to.to_bits()) & mask == 0
        };
        to.is_unicast_link_local() || !to.is_multicast() && self.beside.is_some_and(in_network)
    }

    /// As whom the PC speaks to an address: within the link from its address there.
    pub(in crate::host) fn local_for(&self, to: Ipv6Addr) -> Ipv6Addr {
        match self.beside {
            Some((beside, _)) if !to.is_unicast_link_local() && !to.is_multicast() => beside,
            _ => self.link_local,
        }
    }
}

/// Whether an address may be that of one host beyond a link-local one.
pub(in crate::host) fn may_be_beside(address: Ipv6Addr) -> bool {
    !(address.is_multicast()
        || address.is_unspecified()
        || address.is_loopback()
        || address.is_unicast_link_local()
        || address.to_ipv4_mapped().is_some())
}
