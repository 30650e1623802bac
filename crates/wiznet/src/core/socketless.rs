//! Commands without a socket (W5100S datasheet, SLCR; ioLibrary, w6100.h, SLCR): questions for a hardware address and PING to
//! SLPIPR, and over IPv6 those that a driver configures its addresses with. They have their own retries and interrupts.

use std::net::{IpAddr, Ipv6Addr};

use smoltcp::wire::{Icmpv4Repr, Icmpv6Repr, IpProtocol};
use units::Picoseconds;

use crate::chips::{Errand as Kind, Family};
use crate::map::Common;

use super::Core;
use super::ip::IpHeader;
use super::neighbours::retry_period;

/// SLPSR: the own address is GUAR.
const PREFERS_GLOBAL: u8 = 0x03;

/// A command under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Errand {
    kind: Kind,
    /// SLIR's bit for success.
    done: u8,
    target: IpAddr,
    next_hop: IpAddr,
    /// Known once somebody has told it.
    hardware_address: Option<[u8; 6]>,
    retries: u8,
    due: Picoseconds,
}

impl Core {
    /// SLCR was written; it reads zero again at once. A command while one is under way takes its place.
    pub(super) fn begin_errand(&mut self, command: u8) {
        self.common.set(Common::Slcr, 0);
        let kinds = self.facts.protocols.errands.kinds;
        let Some(&(done, kind)) = kinds.iter().find(|&&(bit, _)| bit == command) else { return };
        let target = match kind {
            Kind::Announce => self.preferred_address().into(),
            Kind::Ask(Family::Ipv4) | Kind::Ping(Family::Ipv4) => self.common.address(Common::Slpipr).into(),
            _ => self.errand_ipv6_target().into(),
        };
        let next_hop = match kind {
            Kind::Ask(_) | Kind::Ping(_) => self.next_hop(target),
            Kind::Duplicate | Kind::Routers | Kind::Announce => target,
        };
        let errand = Errand {
            kind,
            done,
            target,
            next_hop,
            hardware_address: None,
            retries: self.common.u8(Common::Slrcr),
            due: self.now + self.errand_period(),
        };
        self.errand = Some(errand);
        self.carry_out(&errand);
    }

    /// SLDIP6R, whose last four bytes are a register of their own.
    fn errand_ipv6_target(&self) -> Ipv6Addr {
        (self.common.whole(Common::Sldip6r) << 32 | self.common.whole(Common::Slpipr)).into()
    }

    fn errand_period(&self) -> Picoseconds {
        retry_period(self.common.u16(Common::Slrtr))
    }

    fn preferred_address(&self) -> Ipv6Addr {
        let prefers_global = self.common.u8(Common::Slpsr) == PREFERS_GLOBAL;
        if prefers_global { self.global_address() } else { self.link_local_address() }
    }

    pub(super) fn errand_event(&self) -> Option<Picoseconds> {
        self.errand.map(|errand| errand.due)
    }

    pub(super) fn run_errand(&mut self) {
        let Some(errand) = self.errand.filter(|errand| errand.due <= self.now) else {
            return;
        };
        if errand.retries == 0 {
            return self.end_errand(self.facts.protocols.errands.timeout);
        }
        let due = self.now + self.errand_period();
        self.errand = Some(Errand { retries: errand.retries - 1, due, ..errand });
        self.carry_out(&errand);
    }

    /// Sends what the command waits for an answer to.
    fn carry_out(&mut self, errand: &Errand) {
        match (errand.kind, errand.hardware_address, errand.target) {
            (Kind::Routers, ..) => self.ask_routers(),
            (Kind::Announce, _, IpAddr::V6(own)) => self.announce(own),
            (Kind::Duplicate, _, IpAddr::V6(target)) => self.ask_for_duplicate(target),
            (_, Some(hardware_address), target) => self.send_echo_request(hardware_address, target),
            _ => self.ask(errand.next_hop),
        }
    }

    pub(super) fn errand_resolved(&mut self, address: IpAddr, hardware_address: [u8; 6]) {
        let asks = |errand: &Errand| matches!(errand.kind, Kind::Ask(_) | Kind::Ping(_));
        let wanted = |errand: &Errand| errand.hardware_address.is_none() && errand.next_hop == address;
        let Some(errand) = self.errand.filter(|errand| asks(errand) && wanted(errand)) else {
            return;
        };
        self.common.set_hardware_address(Common::Slphar, hardware_address);
        if matches!(errand.kind, Kind::Ask(_)) {
            return self.end_errand(errand.done);
        }
        let errand = Errand {
            hardware_address: Some(hardware_address),
            retries: self.common.u8(Common::Slrcr),
            due: self.now + self.errand_period(),
            ..errand
        };
        self.errand = Some(errand);
        self.carry_out(&errand);
    }

    pub(super) fn errand_answered(&mut self, from: IpAddr, identifier: u16, sequence: u16) {
        let is_answer = |errand: &Errand| matches!(errand.kind, Kind::Ping(_)) && errand.target == from;
        if let Some(errand) = self.errand.filter(is_answer)
            && identifier == self.common.u16(Common::Pingidr)
            && sequence == self.common.u16(Common::Pingseqr)
        {
            self.end_errand(errand.done);
        }
    }

    /// Somebody has the address that the driver wants to have.
    pub(super) fn duplicate_found(&mut self, address: Ipv6Addr) {
        let is_of = |errand: &Errand| errand.kind == Kind::Duplicate && errand.target == IpAddr::V6(address);
        if let Some(errand) = self.errand.filter(is_of) {
            self.end_errand(errand.done);
        }
    }

    /// A router has told of itself, asked or not.
    pub(super) fn router_found(&mut self) {
        match self.errand.filter(|errand| errand.kind == Kind::Routers) {
            Some(errand) => self.end_errand(errand.done),
            None => self.common.raise(Common::Slir, self.facts.protocols.errands.advertised),
        }
    }

    fn end_errand(&mut self, interrupt: u8) {
        self.errand = None;
        self.common.raise(Common::Slir, interrupt);
    }

    fn send_echo_request(&mut self, hardware_address: [u8; 6], target: IpAddr) {
        let ident = self.common.u16(Common::Pingidr);
        let seq_no = self.common.u16(Common::Pingseqr);
        let frame = match target {
            IpAddr::V4(_) => {
                let request = Icmpv4Repr::EchoRequest { ident, seq_no, data: &[] };
                self.icmp_frame(hardware_address, target, &request)
            }
            IpAddr::V6(address) => {
                let preference = self.common.u8(Common::Slpsr);
                let source = self.source_over_ipv6(preference, address).into();
                let header = IpHeader {
                    time_to_live: self.common.u8(Common::Slhopr),
                    ..IpHeader::of_chip(hardware_address, source, target, IpProtocol::Icmpv6)
                };
                self.icmpv6_frame(&header, &Icmpv6Repr::EchoRequest { ident, seq_no, data: &[] })
            }
        };
        self.transmit(frame);
    }
}
