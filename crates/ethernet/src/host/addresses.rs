//! The addresses that a PC has: its own, and where it answers for all also those that the board asked for. An address is
//! another station's when a frame of that station carried it; one that never sent anything is not known.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use smoltcp::wire::Ipv4Cidr;
use units::Picoseconds;

use super::ip::is_one_host;

/// Addresses beside its own.
const MOST_ALIASES: usize = 7;

/// Stations that are remembered; more push out the one that was silent longest.
const MOST_STATIONS: usize = 1_024;

#[derive(Debug, Clone)]
struct Station {
    mac: [u8; 6],
    seen: Picoseconds,
}

/// Whose a packet is, by its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whose {
    /// The PC's.
    Own,
    /// Everyone's.
    All,
    /// Another station's.
    Other,
}

/// The PC's addresses.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    pub own: Ipv4Addr,
    network: Ipv4Cidr,
    mac: [u8; 6],
    answers_for_all: bool,
    aliases: BTreeMap<Ipv4Addr, Picoseconds>,
    stations: BTreeMap<Ipv4Addr, Station>,
    /// Addresses that were not taken because connections held all others.
    pub(super) refused: u64,
}

impl Addresses {
    pub(super) fn new(own: Ipv4Addr, prefix: u8, mac: [u8; 6], answers_for_all: bool) -> Self {
        Self {
            own,
            network: Ipv4Cidr::new(own, prefix),
            mac,
            answers_for_all,
            aliases: BTreeMap::new(),
            stations: BTreeMap::new(),
            refused: 0,
        }
    }

    /// Has another address of its own from here on.
    pub(super) fn become_host(&mut self, own: Ipv4Addr, prefix: u8) {
        (self.own, self.network) = (own, Ipv4Cidr::new(own, prefix));
        self.aliases.remove(&own);
        self.stations.remove(&own);
    }

    /// Takes on further addresses from here on, or no more.
    pub(super) fn answer_for_all(&mut self, on: bool) {
        self.answers_for_all = on;
    }

    /// Whether it takes on further addresses.
    pub(super) fn answers_for_all(&self) -> bool {
        self.answers_for_all
    }

    /// Whether the PC has an address.
    pub(super) fn has(&self, address: Ipv4Addr) -> bool {
        address == self.own || self.aliases.contains_key(&address)
    }

    /// Whether an address is that of everyone in the PC's network.
    pub(super) fn is_network_broadcast(&self, address: Ipv4Addr) -> bool {
        self.network.broadcast() == Some(address)
    }

    /// Notes that a station has an address; the PC gives it up if it played that host.
    pub(super) fn saw(&mut self, now: Picoseconds, address: Ipv4Addr, mac: &[u8]) {
        let Ok(mac) = <[u8; 6]>::try_from(mac) else { return };
        if !self.answers_for_all || mac == self.mac || address == self.own || !is_one_host(address) {
            return;
        }
        self.aliases.remove(&address);
        if self.stations.len() >= MOST_STATIONS && !self.stations.contains_key(&address) {
            let oldest = self.stations.iter().min_by_key(|(_, station)| station.seen).map(|(a, _)| *a);
            oldest.map(|oldest| self.stations.remove(&oldest));
        }
        self.stations.insert(address, Station { mac, seen: now });
    }

    /// Gives up an address that another station is about to take.
    pub(super) fn yield_to_probe(&mut self, address: Ipv4Addr) {
        self.aliases.remove(&address);
    }

    /// Whether the PC has an address that `mac` asked for, or takes it now. `in_use` says which addresses stay.
    pub(super) fn take(
        &mut self,
        now: Picoseconds,
        address: Ipv4Addr,
        in_use: impl Fn(Ipv4Addr) -> bool,
    ) -> bool {
        if address == self.own {
            return true;
        }
        let takes = self.answers_for_all
            && is_one_host(address)
            && !self.is_network_broadcast(address)
            && self.network.network().address() != address
            && self.stations.get(&address).is_none_or(|station| station.mac == self.mac);
        if !takes {
            return false;
        }
        if !self.aliases.contains_key(&address) && self.aliases.len() >= MOST_ALIASES {
            let free = self.aliases.iter().filter(|(alias, _)| !in_use(**alias));
            let Some(oldest) = free.min_by_key(|(_, used)| **used).map(|(alias, _)| *alias) else {
                self.refused += 1;
                return false;
            };
            self.aliases.remove(&oldest);
        }
        self.aliases.insert(address, now);
        true
    }

    /// As whom the PC speaks to an address of its own accord: as its own, or as a host of the /24 of that address.
    pub(super) fn local_for(
        &mut self,
        now: Picoseconds,
        to: Ipv4Addr,
        in_use: impl Fn(Ipv4Addr) -> bool,
    ) -> Ipv4Addr {
        if !self.answers_for_all || self.network.contains_addr(&to) || !is_one_host(to) {
            return self.own;
        }
        let [a, b, c, _] = to.octets();
        let near = |address: &Ipv4Addr| address.octets()[..3] == [a, b, c];
        let last = self.aliases.iter().filter(|(alias, _)| near(alias)).max_by_key(|(_, used)| **used);
        let alias = last.map(|(alias, _)| *alias);
        let candidates = [1, 254].map(|d| Ipv4Addr::new(a, b, c, d));
        alias
            .into_iter()
            .chain(candidates.into_iter().filter(|candidate| *candidate != to))
            .find(|candidate| self.take(now, *candidate, &in_use))
            .unwrap_or(self.own)
    }

    /// Whose a packet is that arrived with this Ethernet destination.
    pub(super) fn whose(
        &mut self,
        now: Picoseconds,
        frame: &[u8],
        to: Ipv4Addr,
        in_use: impl Fn(Ipv4Addr) -> bool,
    ) -> Whose {
        if to.is_broadcast() || self.is_network_broadcast(to) || to == ALL_SYSTEMS {
            return Whose::All;
        }
        let to_everyone = frame[0] & 1 == 1;
        match to_everyone {
            false if self.take(now, to, in_use) => Whose::Own,
            true if self.has(to) => Whose::Own,
            true if self.answers_for_all && is_one_host(to) => Whose::All,
            _ => Whose::Other,
        }
    }
}

/// RFC 1112.
const ALL_SYSTEMS: Ipv4Addr = Ipv4Addr::new(224, 0, 0, 1);
