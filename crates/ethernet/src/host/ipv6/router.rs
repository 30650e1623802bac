//! The PC as the router of its network (RFC 4861 section 6.2): who asks is told the prefix, how it comes to an address and to a DNS
//! server (RFC 8106), and the router. Nobody is told unasked, and nothing is forwarded.

use smoltcp::wire::{Icmpv6Packet, IpProtocol, Ipv6Repr};

use super::ndisc::{HOP_LIMIT, SOURCE_ADDRESS, hardware_address_among};
use super::{ALL_NODES, Packet, frame_with, group_mac};
use crate::host::AddressConfiguration;

/// Where the options of a solicitation begin (section 4.1).
const OPTIONS_AT: usize = 8;

const ADVERTISEMENT: u8 = 134;
/// What hosts are to send with, as Linux does.
const HOST_HOP_LIMIT: u8 = 64;
/// MaxRtrAdvInterval is 600 s, and the router's lifetime three times that (section 6.2.1). So is that of the DNS server (RFC 8106
/// section 5.1).
const LIFETIME_S: u16 = 3 * 600;

/// Options in units of 8 bytes (section 4.6; RFC 8106 section 5.1).
const PREFIX_INFORMATION: u8 = 3;
const PREFIX_UNITS: u8 = 4;
const ON_LINK: u8 = 0x80;
const AUTONOMOUS: u8 = 0x40;
/// An address comes by DHCPv6, and other configuration does (section 4.2).
const MANAGED: u8 = 0x80;
const OTHER: u8 = 0x40;
const DNS_SERVER: u8 = 25;
const DNS_SERVER_UNITS: u8 = 3;
/// AdvValidLifetime and AdvPreferredLifetime (section 6.2.1): 30 and 7 days.
const VALID_S: u32 = 2_592_000;
const PREFERRED_S: u32 = 604_800;

impl Packet<'_> {
    /// The advertisement that answers a solicitation, where that is sound (section 6.1.1) and the PC is a router.
    pub(super) fn router_advertisement(&self, message: &[u8]) -> Option<Vec<u8>> {
        let (router, (dns_server, prefix_bits), configuration) = self.ours.as_router()?;
        let (flags, prefix_flags) = match configuration {
            AddressConfiguration::Slaac => (0, ON_LINK | AUTONOMOUS),
            AddressConfiguration::StatelessDhcp => (OTHER, ON_LINK | AUTONOMOUS),
            AddressConfiguration::StatefulDhcp => (MANAGED | OTHER, ON_LINK),
        };
        let told = hardware_address_among(message.get(OPTIONS_AT..)?, SOURCE_ADDRESS)?;
        let is_sound = self.packet.hop_limit() == HOP_LIMIT && message[1] == 0;
        if !is_sound || self.source.is_unspecified() && told.is_some() {
            return None;
        }
        let network = dns_server.to_bits() & u128::MAX.checked_shl(128 - u32::from(prefix_bits)).unwrap_or(0);
        let [high, low] = LIFETIME_S.to_be_bytes();
        let mut advertisement =
            vec![ADVERTISEMENT, 0, 0, 0, HOST_HOP_LIMIT, flags, high, low, 0, 0, 0, 0, 0, 0, 0, 0];
        advertisement.extend([SOURCE_ADDRESS, 1]);
        advertisement.extend(self.mac);
        advertisement.extend([PREFIX_INFORMATION, PREFIX_UNITS, prefix_bits, prefix_flags]);
        advertisement.extend(VALID_S.to_be_bytes());
        advertisement.extend(PREFERRED_S.to_be_bytes());
        advertisement.extend([0; 4]);
        advertisement.extend(network.to_be_bytes());
        if configuration == AddressConfiguration::Slaac {
            advertisement.extend([DNS_SERVER, DNS_SERVER_UNITS, 0, 0]);
            advertisement.extend(u32::from(LIFETIME_S).to_be_bytes());
            advertisement.extend(dns_server.octets());
        }
        let header = Ipv6Repr {
            src_addr: router,
            dst_addr: ALL_NODES,
            next_header: IpProtocol::Icmpv6,
            payload_len: 0,
            hop_limit: HOP_LIMIT,
        };
        Some(frame_with([group_mac(ALL_NODES), self.mac], &header, advertisement.len(), |room| {
            room.copy_from_slice(&advertisement);
            Icmpv6Packet::new_unchecked(room).fill_checksum(&router, &ALL_NODES);
        }))
    }
}
