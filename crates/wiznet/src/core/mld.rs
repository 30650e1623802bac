//! MLD version 1 (RFC 2710) for sockets in a multicast group of IPv6: a report on OPEN and when asked, "done" on CLOSE. Timers
//! are left out, as those of IGMP: reports come at once and once.

use std::net::{IpAddr, Ipv6Addr};

use smoltcp::wire::{Icmpv6Packet, IpProtocol};

use super::Core;
use super::ip::IpHeader;
use super::ipv6::{ALL_ROUTERS, multicast_hardware_address};

const REPORT: u8 = 131;
const DONE: u8 = 132;
const MESSAGE_BYTES: usize = 24;
/// Hop-by-hop options: router alert for MLD, and padding (RFC 2711 section 2.1).
const ROUTER_ALERT: [u8; 8] = [58, 0, 5, 2, 0, 0, 1, 0];

impl Core {
    /// Says that a group has a member here.
    pub(super) fn report_ipv6_membership(&mut self, group: Ipv6Addr) {
        self.send_mld(REPORT, group, group);
    }

    /// Says that a group has one member less.
    pub(super) fn report_ipv6_leave(&mut self, group: Ipv6Addr) {
        self.send_mld(DONE, group, ALL_ROUTERS);
    }

    /// A router asks who is a member of a group, or of any.
    pub(super) fn membership_queried(&mut self, message: &[u8]) {
        let Some(group) = message.get(8..).and_then(|rest| rest.first_chunk::<16>()) else { return };
        let asked = Ipv6Addr::from(*group);
        for n in 0..self.sockets.len() {
            let own = self.group_of(n).map(|group| group.peer.address);
            if own.is_some_and(|own| own.is_ipv6() && (asked.is_unspecified() || own == IpAddr::V6(asked))) {
                self.report_membership(n);
            }
        }
    }

    fn send_mld(&mut self, kind: u8, group: Ipv6Addr, to: Ipv6Addr) {
        let source = self.link_local_address();
        let header = IpHeader {
            time_to_live: 1,
            ..IpHeader::of_chip(
                multicast_hardware_address(to),
                source.into(),
                to.into(),
                IpProtocol::HopByHop,
            )
        };
        let mut frame = self.begin_packet(&header, ROUTER_ALERT.len() + MESSAGE_BYTES);
        frame.extend_from_slice(&ROUTER_ALERT);
        let start = frame.len();
        frame.extend_from_slice(&[kind, 0, 0, 0, 0, 0, 0, 0]);
        frame.extend_from_slice(&group.octets());
        Icmpv6Packet::new_unchecked(&mut frame[start..]).fill_checksum(&source, &to);
        self.answer(frame);
    }
}
