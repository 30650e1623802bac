//! Whom a packet is handed to on the wire: a socket asks for its next hop, again and again, and goes on with what it was about
//! once there is an answer. The chips keep no table: a socket remembers the answer for the address that it used last.

use std::net::IpAddr;

use units::{PS_PER_US, Picoseconds};

use crate::map::{Common, SocketRegister};

use super::Core;
use super::opened::Destination;
use super::socket::{Neighbour, Purpose, Resolution, interrupt, status};

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

    /// Sends a question for a hardware address.
    pub(super) fn ask(&mut self, target: IpAddr) {
        match target {
            IpAddr::V4(target) => self.ask_by_arp(target.octets()),
            IpAddr::V6(target) => self.solicit(target),
        }
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

    /// Somebody has told its hardware address, asked for or not.
    pub(super) fn neighbour_found(&mut self, address: IpAddr, hardware_address: [u8; 6]) {
        for n in 0..self.sockets.len() {
            let socket = &mut self.sockets[n];
            let Some(resolution) = socket.resolution.filter(|wanted| wanted.next_hop == address) else {
                continue;
            };
            socket.resolution = None;
            let destination = resolution.destination.address;
            socket.neighbour = Some(Neighbour { next_hop: address, destination, hardware_address });
            socket.registers.set_hardware_address(SocketRegister::Dhar, hardware_address);
            match resolution.purpose {
                Purpose::Send => self.send_datagrams(n, hardware_address, resolution.destination),
                Purpose::Connect => self.connect(n, hardware_address, resolution.destination),
            }
        }
        self.errand_resolved(address, hardware_address);
    }
}

/// A retry time of zero counts as one.
pub(super) fn retry_period(retry_time: u16) -> Picoseconds {
    Picoseconds::new(i64::from(retry_time.max(1)) * RETRY_UNIT_PS)
}
