//! ARP: requests for an address, answers for the own one, and the conflict that another owner of it is.

use smoltcp::wire::{ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetProtocol, Ipv4Address};

use crate::map::Common;

use super::Core;
use super::ip::{ETHERNET_HEADER_BYTES, HARDWARE_BROADCAST, UNSPECIFIED};

impl Core {
    /// Sends a request to everyone.
    pub(super) fn ask_by_arp(&mut self, target: [u8; 4]) {
        let frame = self.arp_frame(HARDWARE_BROADCAST, ArpOperation::Request, [0; 6], target);
        self.answer(frame);
    }

    /// An ARP packet that everyone or this chip was sent.
    pub(super) fn receive_arp(&mut self, payload: &[u8]) {
        let Ok(ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr,
            source_protocol_addr,
            target_protocol_addr,
            ..
        }) = ArpPacket::new_checked(payload).and_then(|packet| ArpRepr::parse(&packet))
        else {
            self.dropped.malformed += 1;
            return;
        };
        let (sender, sender_address) = (source_hardware_addr.0, source_protocol_addr.octets());
        let own = self.own_address();
        if own == UNSPECIFIED {
            return self.heed_reply(operation, sender, sender_address);
        }
        if sender_address == own && sender != self.own_hardware_address() {
            self.common.raise(Common::Ir, self.facts.protocols.alarms.conflict);
        }
        if operation == ArpOperation::Request && target_protocol_addr.octets() == own {
            let frame = self.arp_frame(sender, ArpOperation::Reply, sender, sender_address);
            self.answer(frame);
        }
        self.heed_reply(operation, sender, sender_address);
    }

    fn heed_reply(&mut self, operation: ArpOperation, sender: [u8; 6], sender_address: [u8; 4]) {
        if operation == ArpOperation::Reply {
            self.neighbour_found(sender_address.into(), sender);
        }
    }

    fn arp_frame(
        &self,
        to: [u8; 6],
        operation: ArpOperation,
        target: [u8; 6],
        target_address: [u8; 4],
    ) -> Vec<u8> {
        let repr = ArpRepr::EthernetIpv4 {
            operation,
            source_hardware_addr: EthernetAddress(self.own_hardware_address()),
            source_protocol_addr: Ipv4Address::from(self.own_address()),
            target_hardware_addr: EthernetAddress(target),
            target_protocol_addr: Ipv4Address::from(target_address),
        };
        let mut frame = vec![0; ETHERNET_HEADER_BYTES + repr.buffer_len()];
        self.emit_ethernet(&mut frame, to, EthernetProtocol::Arp);
        repr.emit(&mut ArpPacket::new_unchecked(&mut frame[ETHERNET_HEADER_BYTES..]));
        frame
    }
}
