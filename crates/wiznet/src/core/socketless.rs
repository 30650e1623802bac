//! The W5100S's commands without a socket (datasheet, SLCR): ARP and PING to SLPIPR, with their own retries and
//! interrupts.

use smoltcp::wire::Icmpv4Repr;
use units::Picoseconds;

use crate::map::Common;

use super::Core;
use super::arp::retry_period;

const PING: u8 = 0x01;
const ARP: u8 = 0x02;
const TIMEOUT: u8 = 0x04;

/// A command under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Errand {
    /// SLIR's bit for success.
    command: u8,
    next_hop: [u8; 4],
    /// Known once ARP was answered.
    hardware_address: Option<[u8; 6]>,
    retries: u8,
    due: Picoseconds,
}

impl Core {
    /// SLCR was written; it reads zero again at once. A command while one is under way takes its place.
    pub(super) fn begin_errand(&mut self, command: u8) {
        self.common.set(Common::Slcr, 0);
        if command != PING && command != ARP {
            return;
        }
        let next_hop = self.next_hop(self.common.address(Common::Slpipr));
        self.errand = Some(Errand {
            command,
            next_hop,
            hardware_address: None,
            retries: self.common.u8(Common::Slrcr),
            due: self.now + retry_period(self.common.u16(Common::Slrtr)),
        });
        self.ask(next_hop);
    }

    pub(super) fn errand_event(&self) -> Option<Picoseconds> {
        self.errand.map(|errand| errand.due)
    }

    pub(super) fn run_errand(&mut self) {
        let Some(errand) = self.errand.filter(|errand| errand.due <= self.now) else {
            return;
        };
        if errand.retries == 0 {
            return self.end_errand(TIMEOUT);
        }
        let due = self.now + retry_period(self.common.u16(Common::Slrtr));
        self.errand = Some(Errand { retries: errand.retries - 1, due, ..errand });
        match errand.hardware_address {
            Some(hardware_address) => self.send_echo_request(hardware_address),
            None => self.ask(errand.next_hop),
        }
    }

    pub(super) fn errand_resolved(&mut self, sender: [u8; 6], sender_address: [u8; 4]) {
        let wanted = |errand: &Errand| errand.hardware_address.is_none() && errand.next_hop == sender_address;
        let Some(errand) = self.errand.filter(wanted) else {
            return;
        };
        self.common.set_hardware_address(Common::Slphar, sender);
        if errand.command == ARP {
            return self.end_errand(ARP);
        }
        let due = self.now + retry_period(self.common.u16(Common::Slrtr));
        self.errand = Some(Errand {
            hardware_address: Some(sender),
            retries: self.common.u8(Common::Slrcr),
            due,
            ..errand
        });
        self.send_echo_request(sender);
    }

    pub(super) fn errand_answered(&mut self, from: [u8; 4], identifier: u16, sequence: u16) {
        let is_ping = self.errand.is_some_and(|errand| errand.command == PING);
        if is_ping
            && from == self.common.address(Common::Slpipr)
            && identifier == self.common.u16(Common::Pingidr)
            && sequence == self.common.u16(Common::Pingseqr)
        {
            self.end_errand(PING);
        }
    }

    fn end_errand(&mut self, interrupt: u8) {
        self.errand = None;
        self.common.raise(Common::Slir, interrupt);
    }

    fn send_echo_request(&mut self, hardware_address: [u8; 6]) {
        let request = Icmpv4Repr::EchoRequest {
            ident: self.common.u16(Common::Pingidr),
            seq_no: self.common.u16(Common::Pingseqr),
            data: &[],
        };
        let destination = self.common.address(Common::Slpipr);
        let frame = self.icmp_frame(hardware_address, destination, &request);
        self.transmit(frame);
    }
}
