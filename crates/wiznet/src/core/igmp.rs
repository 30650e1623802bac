//! Sockets in a multicast group, and IGMP for those of IPv4: a report on OPEN and when asked, a leave on CLOSE. Timers are left out: reports come
//! at once and once.

use std::net::{IpAddr, Ipv4Addr};

use smoltcp::wire::{IgmpPacket, IgmpRepr, IgmpVersion, IpProtocol};

use super::Core;
use super::ip::IpHeader;
use super::opened::Group;
use super::socket::status;

/// RFC 2236 section 9.
const ALL_ROUTERS: Ipv4Addr = Ipv4Addr::new(224, 0, 0, 2);

impl Core {
    /// The group of a socket that is open.
    pub(super) fn group_of(&self, n: usize) -> Option<Group> {
        let socket = &self.sockets[n];
        socket.opened.group.filter(|_| socket.status() == status::UDP)
    }

    /// Says that a socket's group has a member here.
    pub(super) fn report_membership(&mut self, n: usize) {
        let Some(group) = self.group_of(n) else { return };
        match group.peer.address {
            IpAddr::V4(group_addr) => {
                let version =
                    if group.is_of_igmp_version_1 { IgmpVersion::Version1 } else { IgmpVersion::Version2 };
                self.send_igmp(group_addr, &IgmpRepr::MembershipReport { group_addr, version });
            }
            IpAddr::V6(address) => self.report_ipv6_membership(address),
        }
    }

    /// Says that a socket's group has one member less; version 1 of IGMP knows no such message.
    pub(super) fn report_leave(&mut self, n: usize) {
        let Some(group) = self.group_of(n) else { return };
        match group.peer.address {
            IpAddr::V4(_) if group.is_of_igmp_version_1 => {}
            IpAddr::V4(group_addr) => self.send_igmp(ALL_ROUTERS, &IgmpRepr::LeaveGroup { group_addr }),
            IpAddr::V6(address) => self.report_ipv6_leave(address),
        }
    }

    pub(super) fn receive_igmp(&mut self, payload: &[u8]) {
        let Ok(IgmpRepr::MembershipQuery { group_addr, .. }) =
            IgmpPacket::new_checked(payload).and_then(|packet| IgmpRepr::parse(&packet))
        else {
            return;
        };
        for n in 0..self.sockets.len() {
            let Some(group) = self.group_of(n) else { continue };
            let own = group.peer.address;
            if own.is_ipv4() && (group_addr.is_unspecified() || IpAddr::V4(group_addr) == own) {
                self.report_membership(n);
            }
        }
    }

    fn send_igmp(&mut self, destination: Ipv4Addr, message: &IgmpRepr) {
        let [_, b, c, d] = destination.octets();
        let hardware_address = [0x01, 0x00, 0x5E, b & 0x7F, c, d];
        let header = IpHeader {
            time_to_live: 1,
            ..IpHeader::of_chip(
                hardware_address,
                self.own_address().into(),
                destination.into(),
                IpProtocol::Igmp,
            )
        };
        let mut frame = self.begin_packet(&header, message.buffer_len());
        let start = frame.len();
        frame.resize(start + message.buffer_len(), 0);
        message.emit(&mut IgmpPacket::new_unchecked(&mut frame[start..]));
        self.answer(frame);
    }
}
