//! What a board has at the end of a cable: a chip of WIZnet, or the ideal MAC. The network treats both alike.

use std::net::Ipv4Addr;

use ethernet::Speed;
use units::Picoseconds;
use wiznet::{Chip, Duplex, LinkPartner};

use super::IdealMac;

#[derive(Debug, Clone)]
pub(super) enum Device {
    Wiznet(Box<Chip>),
    IdealMac(IdealMac),
}

impl Device {
    /// The chip on an SPI, if it is one.
    pub(super) fn chip(&self) -> Option<&Chip> {
        match self {
            Self::Wiznet(chip) => Some(chip),
            Self::IdealMac(_) => None,
        }
    }

    /// The same, to do something to it.
    pub(super) fn chip_mut(&mut self) -> Option<&mut Chip> {
        match self {
            Self::Wiznet(chip) => Some(chip),
            Self::IdealMac(_) => None,
        }
    }

    pub(super) fn set_cable(&mut self, at: Picoseconds, speed: Option<Speed>) {
        match self {
            Self::Wiznet(chip) => chip.set_cable(at, speed.map(link_partner)),
            Self::IdealMac(mac) => mac.set_cable(speed),
        }
    }

    pub(super) fn has_link(&self) -> bool {
        match self {
            Self::Wiznet(chip) => chip.link().is_some(),
            Self::IdealMac(mac) => mac.link().is_some(),
        }
    }

    /// The address that it has by itself.
    pub(super) fn address(&self) -> Option<Ipv4Addr> {
        match self {
            Self::Wiznet(chip) => chip.address(),
            Self::IdealMac(_) => None,
        }
    }

    pub(super) fn receive(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool) {
        match self {
            Self::Wiznet(chip) => chip.receive(at, bytes, is_intact),
            Self::IdealMac(mac) => mac.receive(bytes, is_intact),
        }
    }

    pub(super) fn take_sent(&mut self) -> Option<(Picoseconds, Vec<u8>)> {
        match self {
            Self::Wiznet(chip) => chip.take_sent().map(|sent| (sent.start, sent.bytes)),
            Self::IdealMac(mac) => mac.take_sent(),
        }
    }

    #[inline]
    pub(super) fn next_event(&self) -> Option<Picoseconds> {
        match self {
            Self::Wiznet(chip) => chip.next_event(),
            Self::IdealMac(_) => None,
        }
    }

    pub(super) fn advance(&mut self, at: Picoseconds) {
        match self {
            Self::Wiznet(chip) => chip.advance(at),
            Self::IdealMac(_) => {}
        }
    }
}

/// What a chip sees at the other end of a cable. A port of the switch that speaks 1 Gbit/s speaks 100 Mbit/s as well.
fn link_partner(speed: Speed) -> LinkPartner {
    let speed = match speed {
        Speed::Mbps10 => wiznet::Speed::Mbps10,
        Speed::Mbps100 | Speed::Mbps1000 => wiznet::Speed::Mbps100,
    };
    LinkPartner { speed, duplex: Duplex::Full }
}
