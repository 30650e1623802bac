//! IGMP for sockets in a multicast group: a report on OPEN and when asked, a leave on CLOSE. Timers are left out: reports come
//! at once and once.

use smoltcp::wire::{IgmpPacket, IgmpRepr, IgmpVersion, IpProtocol, Ipv4Address};

use super::Core;
use super::ip::IpHeader;
use super::opened::Group;
use super::socket::status;

/// RFC 2236 section 9.
const ALL_ROUTERS: [u8; 4] = [224, 0, 0, 2];

impl Core {
    /// The group of a socket that is open.
    fn group_of(&self, n: usize) -> Option<Group> {
        let socket = &self.sockets[n];
        socket.opened.group.filter(|_| socket.status() == status::UDP)
    }

    /// Says that a socket's group has a member here.
    pub(super) fn report_membership(&mut self, n: usize) {
        if let Some(group) = self.group_of(n) {
            let address = group.peer.address;
            let version =
                if group.is_of_igmp_version_1 { IgmpVersion::Version1 } else { IgmpVersion::Version2 };
            let report = IgmpRepr::MembershipReport { group_addr: Ipv4Address::from(address), version };
            self.send_igmp(address, &report);
        }
    }

    /// Says that a socket's group has one member less; version 1 knows no such message.
    pub(super) fn report_leave(&mut self, n: usize) {
        if let Some(group) = self.group_of(n).filter(|group| !group.is_of_igmp_version_1) {
            let group_addr = Ipv4Address::from(group.peer.address);
            self.send_igmp(ALL_ROUTERS, &IgmpRepr::LeaveGroup { group_addr });
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
            if group_addr.is_unspecified() || group_addr.octets() == group.peer.address {
                self.report_membership(n);
            }
        }
    }

    fn send_igmp(&mut self, destination: [u8; 4], message: &IgmpRepr) {
        let [_, b, c, d] = destination;
        let hardware_address = [0x01, 0x00, 0x5E, b & 0x7F, c, d];
        let header = IpHeader {
            time_to_live: 1,
            ..IpHeader::of_chip(hardware_address, destination, IpProtocol::Igmp)
        };
        let mut frame = self.begin_packet(&header, message.buffer_len());
        let start = frame.len();
        frame.resize(start + message.buffer_len(), 0);
        message.emit(&mut IgmpPacket::new_unchecked(&mut frame[start..]));
        self.answer(frame);
    }
}
