//! Who has which address until when (RFC 2131 section 4.3.1). The table never holds more than the pool and the
//! reservations; a lease that ran out stays in it, so that its client finds its address again.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use units::Picoseconds;

use super::settings::{HardwareAddress, Settings};
use crate::outbox::{after, seconds};

/// How long an offer is kept for its client.
const OFFER_S: u32 = 60;
/// RFC 2131 section 3.3.
const FOR_EVER_S: u32 = u32::MAX;

/// What a lease is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseState {
    /// Offered, not taken yet.
    Offered,
    /// Taken.
    Bound,
    /// Given back, or refused by the server.
    Released,
    /// A client found it in use by another host.
    Declined,
}

/// An address and its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// Its client identifier, or hardware type and address.
    pub client: Vec<u8>,
    /// The client's hardware address.
    pub hardware_address: HardwareAddress,
    /// The name that the client gave itself.
    pub hostname: Vec<u8>,
    /// What the lease is.
    pub state: LeaseState,
    /// Until when.
    pub until: Picoseconds,
}

impl Lease {
    fn holds(&self, now: Picoseconds) -> bool {
        self.state != LeaseState::Released && now < self.until
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Leases(BTreeMap<Ipv4Addr, Lease>);

impl Leases {
    pub(super) fn all(&self) -> impl Iterator<Item = (Ipv4Addr, &Lease)> {
        self.0.iter().map(|(address, lease)| (*address, lease))
    }

    pub(super) fn get(&self, address: Ipv4Addr) -> Option<&Lease> {
        self.0.get(&address)
    }

    /// The address that this client had last, if it was not declined.
    pub(super) fn of_client(&self, client: &[u8]) -> Option<(Ipv4Addr, &Lease)> {
        self.all().find(|(_, lease)| lease.client == client && lease.state != LeaseState::Declined)
    }

    fn free_for(&self, address: Ipv4Addr, client: &[u8], now: Picoseconds) -> bool {
        self.0.get(&address).is_none_or(|lease| {
            !lease.holds(now) || (lease.client == client && lease.state != LeaseState::Declined)
        })
    }

    /// The address for a client, in the order of RFC 2131 section 4.3.1: its own, the one that it asks for, a new one, one
    /// whose lease ran out first.
    pub(super) fn choose(
        &self,
        settings: &Settings,
        hardware_address: HardwareAddress,
        client: &[u8],
        requested: Option<Ipv4Addr>,
        now: Picoseconds,
    ) -> Option<Ipv4Addr> {
        let reserved = |address: Ipv4Addr| settings.reservations.iter().any(|other| other.address == address);
        let in_pool = |address: Ipv4Addr| {
            (settings.first..=settings.last).contains(&address)
                && address != settings.server
                && settings.router != Some(address)
                && !reserved(address)
        };
        if let Some(own) = settings.reservations.iter().find(|other| other.client == hardware_address) {
            return self.free_for(own.address, client, now).then_some(own.address);
        }
        let had = self.of_client(client).map(|(address, _)| address);
        for address in [had, requested].into_iter().flatten() {
            if in_pool(address) && self.free_for(address, client, now) {
                return Some(address);
            }
        }
        let pool = || (u32::from(settings.first)..=u32::from(settings.last)).map(Ipv4Addr::from);
        let unused = pool().find(|address| in_pool(*address) && !self.0.contains_key(address));
        unused.or_else(|| {
            pool()
                .filter(|address| in_pool(*address) && self.free_for(*address, client, now))
                .min_by_key(|address| self.0[address].until)
        })
    }

    /// Offers an address or binds it; what else the client had is forgotten.
    pub(super) fn put(&mut self, address: Ipv4Addr, lease: Lease) {
        self.0.retain(|other, old| {
            *other == address || old.client != lease.client || old.state == LeaseState::Declined
        });
        self.0.insert(address, lease);
    }

    /// The client chose another server: what it was offered is free again.
    pub(super) fn release_offer(&mut self, client: &[u8]) {
        self.0.retain(|_, lease| lease.client != client || lease.state != LeaseState::Offered);
    }

    pub(super) fn release(&mut self, address: Ipv4Addr, client: &[u8]) -> bool {
        match self.0.get_mut(&address) {
            Some(lease) if lease.client == client && lease.state != LeaseState::Declined => {
                lease.state = LeaseState::Released;
                true
            }
            _ => false,
        }
    }

    pub(super) fn decline(&mut self, address: Ipv4Addr, client: &[u8], until: Picoseconds) -> bool {
        match self.0.get_mut(&address) {
            Some(lease) if lease.client == client => {
                (lease.state, lease.until) = (LeaseState::Declined, until);
                true
            }
            _ => false,
        }
    }
}

pub(super) fn offered_until(now: Picoseconds) -> Picoseconds {
    after(now, seconds(OFFER_S))
}

pub(super) fn leased_until(now: Picoseconds, lease_s: u32) -> Picoseconds {
    if lease_s == FOR_EVER_S { Picoseconds::new(i64::MAX) } else { after(now, seconds(lease_s)) }
}
