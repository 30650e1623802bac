//! A chip of WIZnet as a device of the network.

use std::net::Ipv4Addr;

use ethernet::Speed;
use units::Picoseconds;
use wiznet::{Access, Chip, Duplex, Facts, LinkPartner, Warning};

use super::device::{NetDevice, SentFrame};

impl NetDevice for Chip {
    fn facts(&self) -> Option<&'static Facts> {
        Some(self.model().facts())
    }

    fn dropped_for_room(&self) -> Option<u64> {
        Some(self.dropped().no_room)
    }

    fn set_cable(&mut self, at: Picoseconds, speed: Option<Speed>) {
        Chip::set_cable(self, at, speed.map(link_partner));
    }

    fn speed(&self) -> Option<Speed> {
        self.link().map(|link| match link.speed {
            wiznet::Speed::Mbps10 => Speed::Mbps10,
            wiznet::Speed::Mbps100 => Speed::Mbps100,
        })
    }

    fn has_link(&self) -> bool {
        self.link().is_some()
    }

    fn address(&self) -> Option<Ipv4Addr> {
        Chip::address(self)
    }

    fn supply_states(&self, at: Picoseconds) -> Vec<(&'static str, Picoseconds)> {
        Chip::supply_states(self, at).to_vec()
    }

    fn takes_frames(&self) -> bool {
        self.is_network_card()
    }

    fn is_bare_mac(&self) -> bool {
        self.is_network_card_alone()
    }

    #[inline]
    fn interrupt_is_low(&self) -> bool {
        Chip::interrupt_is_low(self)
    }

    fn receive(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool) {
        Chip::receive(self, at, bytes, is_intact);
    }

    #[inline]
    fn take_sent(&mut self) -> Option<SentFrame> {
        Chip::take_sent(self).map(|sent| (sent.start, sent.bytes))
    }

    fn record(&mut self, on: bool) {
        Chip::record(self, on);
    }

    fn take_accesses(&mut self) -> Vec<Access> {
        Chip::take_accesses(self)
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        Chip::take_warnings(self)
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }

    fn saved(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    fn restored(&self, saved: &[u8]) -> Option<Box<dyn NetDevice>> {
        let chip: Chip = postcard::from_bytes(saved).ok()?;
        (chip.model() == self.model()).then(|| Box::new(chip) as _)
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
