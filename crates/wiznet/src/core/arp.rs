//! ARP: who has what the sockets ask for, answers for the own address, and the conflict that another owner of it is. The chips
//! keep no table: a socket remembers the answer for the address that it used last.

use smoltcp::wire::{ArpOperation, ArpPacket, ArpRepr, EthernetAddress, EthernetProtocol, Ipv4Address};
use units::{PS_PER_US, Picoseconds};

use crate::map::{Common, SocketRegister};

use super::ip::{ETHERNET_HEADER_BYTES, HARDWARE_BROADCAST, UNSPECIFIED};
use super::opened::Destination;
use super::socket::{Neighbour, Purpose, Resolution, interrupt, status};
use super::{Core, interrupts};

/// RTR and its like count in 100 us.
pub(super) const RETRY_UNIT_PS: i64 = 100 * PS_PER_US;

impl Core {
    /// Asks for a socket's next hop; what it is for happens when the answer is here.
    pub(super) fn resolve(&mut self, socket: usize, destination: Destination, purpose: Purpose) {
        let next_hop = self.next_hop(destination.address);
        let (retry_time, retries) = self.retries_of(socket);
        self.ask(next_hop);
        let due = self.now + retry_period(retry_time);
        self.sockets[socket].resolution = Some(Resolution { next_hop, destination, purpose, retries, due });
    }

    /// RTR and RCR, or the socket's own on the W5100S where they are not zero.
    pub(super) fn retries_of(&self, socket: usize) -> (u16, u8) {
        let own = &self.sockets[socket].registers;
        let retry_time = match own.u16(SocketRegister::Rtr) {
            0 => self.common.u16(Common::Rtr),
            own => own,
        };
        let retries = match own.u8(SocketRegister::Rcr) {
            0 => self.common.u8(Common::Rcr),
            own => own,
        };
        (retry_time, retries)
    }

    /// Sends a request to everyone.
    pub(super) fn ask(&mut self, target: [u8; 4]) {
        let frame = self.arp_frame(HARDWARE_BROADCAST, ArpOperation::Request, [0; 6], target);
        self.answer(frame);
    }

    /// Asks again, or gives up.
    pub(super) fn retry_resolutions(&mut self) {
        for n in 0..self.sockets.len() {
            let Some(resolution) = self.sockets[n].resolution.filter(|resolution| resolution.due <= self.now)
            else {
                continue;
            };
            if resolution.retries == 0 {
                self.give_up(n, resolution.purpose);
                continue;
            }
            let (retry_time, _) = self.retries_of(n);
            self.sockets[n].resolution = Some(Resolution {
                retries: resolution.retries - 1,
                due: self.now + retry_period(retry_time),
                ..resolution
            });
            self.ask(resolution.next_hop);
        }
    }

    /// ARPTO: a socket in TCP mode closes in the same instant.
    fn give_up(&mut self, n: usize, purpose: Purpose) {
        let socket = &mut self.sockets[n];
        socket.resolution = None;
        match purpose {
            Purpose::Connect => {
                socket.connection.fail();
                socket.set_status(status::CLOSED);
                self.connection_changed(n);
            }
            Purpose::Send => {
                let written = socket.pointers.tx_boundary;
                socket.pointers.tx_read = written;
                socket.pointers.tx_acknowledged = written;
                socket.raise(interrupt::TIMEOUT);
            }
        }
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
            return self.resolved(operation, sender, sender_address);
        }
        if sender_address == own && sender != self.own_hardware_address() {
            self.common.raise(Common::Ir, interrupts::CONFLICT);
        }
        if operation == ArpOperation::Request && target_protocol_addr.octets() == own {
            let frame = self.arp_frame(sender, ArpOperation::Reply, sender, sender_address);
            self.answer(frame);
        }
        self.resolved(operation, sender, sender_address);
    }

    fn resolved(&mut self, operation: ArpOperation, sender: [u8; 6], sender_address: [u8; 4]) {
        if operation != ArpOperation::Reply {
            return;
        }
        for n in 0..self.sockets.len() {
            let socket = &mut self.sockets[n];
            let Some(resolution) = socket.resolution.filter(|wanted| wanted.next_hop == sender_address)
            else {
                continue;
            };
            socket.resolution = None;
            socket.neighbour = Some(Neighbour {
                next_hop: sender_address,
                destination: resolution.destination.address,
                hardware_address: sender,
            });
            socket.registers.set_hardware_address(SocketRegister::Dhar, sender);
            match resolution.purpose {
                Purpose::Send => self.send_datagrams(n, sender, resolution.destination),
                Purpose::Connect => self.connect(n, sender, resolution.destination),
            }
        }
        self.errand_resolved(sender, sender_address);
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

/// A retry time of zero counts as one.
pub(super) fn retry_period(retry_time: u16) -> Picoseconds {
    Picoseconds::new(i64::from(retry_time.max(1)) * RETRY_UNIT_PS)
}
