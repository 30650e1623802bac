//! Which client has which address: by its identifier and the number of its association (RFC 8415).

use std::collections::BTreeMap;
use std::net::Ipv6Addr;

use units::Picoseconds;

use super::Settings;
use crate::outbox::{after, seconds};

/// An address that was offered is kept for the client so long.
const OFFER_S: u32 = 60;

/// Who has an address: identifier and number; nobody where a client found that another host uses it.
type Holder = Option<(Vec<u8>, u32)>;

#[derive(Debug, Clone, Default)]
pub(super) struct Leases(BTreeMap<Ipv6Addr, (Holder, Picoseconds)>);

impl Leases {
    /// The address of a client: the one that it has, the one that it wishes, or one that is free. Those whose time is over are
    /// free too.
    pub(super) fn choose(
        &mut self,
        settings: &Settings,
        now: Picoseconds,
        holder: &(Vec<u8>, u32),
        wishes: &[Ipv6Addr],
    ) -> Option<Ipv6Addr> {
        self.0.retain(|_, (_, until)| *until > now);
        let own = self.0.iter().find(|(_, (known, _))| known.as_ref() == Some(holder)).map(|(own, _)| *own);
        let is_free = |address: &Ipv6Addr| !self.0.contains_key(address) && !settings.dns.contains(address);
        let in_pool = |address: &&Ipv6Addr| {
            let place = address.to_bits().checked_sub(settings.first.to_bits());
            place.is_some_and(|place| place < u128::from(settings.addresses))
        };
        let mut pool = (0..settings.addresses)
            .filter_map(|place| settings.first.to_bits().checked_add(u128::from(place)).map(Ipv6Addr::from));
        let wished = wishes.iter().filter(in_pool).copied().find(is_free);
        own.or(wished).or_else(|| pool.find(is_free))
    }

    pub(super) fn offer(&mut self, address: Ipv6Addr, now: Picoseconds, holder: &(Vec<u8>, u32)) {
        let until = after(now, seconds(OFFER_S));
        let known = self.0.entry(address).or_insert_with(|| (Some(holder.clone()), until));
        known.1 = known.1.max(until);
    }

    pub(super) fn give(&mut self, address: Ipv6Addr, until: Picoseconds, holder: &(Vec<u8>, u32)) {
        self.0.insert(address, (Some(holder.clone()), until));
    }

    /// Takes an address back from its client; false where that client does not have it.
    pub(super) fn release(&mut self, address: Ipv6Addr, holder: &(Vec<u8>, u32)) -> bool {
        let has = self.0.get(&address).is_some_and(|(known, _)| known.as_ref() == Some(holder));
        has && self.0.remove(&address).is_some()
    }

    /// The same of one that another host uses, so that nobody gets it.
    pub(super) fn decline(&mut self, address: Ipv6Addr, until: Picoseconds, holder: &(Vec<u8>, u32)) -> bool {
        let has = self.release(address, holder);
        if has {
            self.0.insert(address, (None, until));
        }
        has
    }
}
