//! IGMP for sockets in a multicast group: a report on OPEN and when asked, a leave on CLOSE. Timers are left out: reports come
//! at once and once.

use smoltcp::wire::{IgmpPacket, IgmpRepr, IgmpVersion, IpProtocol, Ipv4Address};

use crate::map::SocketRegister;

use super::Core;
use super::ip::IpHeader;
use super::socket::{protocol, status};
use super::udp::MULTICAST;

/// RFC 2236 section 9.
const ALL_ROUTERS: [u8; 4] = [224, 0, 0, 2];

impl Core {
    fn is_in_group(&self, n: usize) -> bool {
        let socket = &self.sockets[n];
        socket.protocol() == protocol::UDP && socket.mode() & MULTICAST != 0
    }

    /// Says that a socket's group has a member here.
    pub(super) fn report_membership(&mut self, n: usize) {
        if self.is_in_group(n) {
            let group = self.sockets[n].registers.address(SocketRegister::Dipr);
            let report = IgmpRepr::MembershipReport {
                group_addr: Ipv4Address::from(group),
                version: self.igmp_version(n),
            };
            self.send_igmp(group, &report);
        }
    }

    /// Says that a socket's group has one member less; version 1 knows no such message.
    pub(super) fn report_leave(&mut self, n: usize) {
        if self.is_in_group(n)
            && self.sockets[n].status() == status::UDP
            && matches!(self.igmp_version(n), IgmpVersion::Version2)
        {
            let group = self.sockets[n].registers.address(SocketRegister::Dipr);
            self.send_igmp(ALL_ROUTERS, &IgmpRepr::LeaveGroup { group_addr: Ipv4Address::from(group) });
        }
    }

    pub(super) fn receive_igmp(&mut self, payload: &[u8]) {
        let Ok(IgmpRepr::MembershipQuery { group_addr, .. }) =
            IgmpPacket::new_checked(payload).and_then(|packet| IgmpRepr::parse(&packet))
        else {
            return;
        };
        for n in 0..self.sockets.len() {
            let group = self.sockets[n].registers.address(SocketRegister::Dipr);
            let meant = group_addr.is_unspecified() || group_addr.octets() == group;
            if meant && self.sockets[n].status() == status::UDP {
                self.report_membership(n);
            }
        }
    }

    /// Sn_MR.MC: 0 is version 2.
    fn igmp_version(&self, n: usize) -> IgmpVersion {
        const VERSION_1: u8 = 0x20;
        if self.sockets[n].mode() & VERSION_1 == 0 { IgmpVersion::Version2 } else { IgmpVersion::Version1 }
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
