//! Who observes what (RFC 7641): the register of observers, and what each has yet to be told.

use std::collections::BTreeMap;

use super::exchange::ObserverKey;

/// RFC 7641 section 4.5 asks for a confirmable notification once in a while, so that an observer that is gone is noticed.
const CONFIRMED_EVERY: u32 = 64;
/// RFC 7641 section 3.4: sequence numbers have 24 bits.
const SEQUENCE_MASK: u32 = (1 << 24) - 1;

#[derive(Debug, Clone)]
pub(super) struct Observer {
    pub(super) path: Vec<String>,
    /// The greatest block that the observer asked for.
    pub(super) exponent: u8,
    told: u32,
    /// A confirmable notification is on its way.
    pub(super) unconfirmed: bool,
    /// The resource changed since that notification.
    pub(super) stale: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Observers {
    all: BTreeMap<ObserverKey, Observer>,
    sequence: u32,
}

impl Observers {
    /// False when there are too many.
    pub(super) fn register(&mut self, key: ObserverKey, path: &[String], exponent: u8, most: usize) -> bool {
        if !self.all.contains_key(&key) && self.all.len() >= most {
            return false;
        }
        let observer = Observer { path: path.to_vec(), exponent, told: 0, unconfirmed: false, stale: false };
        self.all.insert(key, observer);
        true
    }

    pub(super) fn remove(&mut self, key: &ObserverKey) {
        self.all.remove(key);
    }

    pub(super) fn get_mut(&mut self, key: &ObserverKey) -> Option<&mut Observer> {
        self.all.get_mut(key)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn of(&self, path: &[String]) -> Vec<ObserverKey> {
        self.all.iter().filter(|(_, observer)| observer.path == path).map(|(key, _)| key.clone()).collect()
    }

    pub(super) fn next_sequence(&mut self) -> u32 {
        self.sequence = (self.sequence + 1) & SEQUENCE_MASK;
        self.sequence
    }
}

impl Observer {
    /// Whether this notification has to be acknowledged.
    pub(super) fn tell(&mut self, always_confirmable: bool) -> bool {
        self.told = self.told.wrapping_add(1);
        let confirmable = always_confirmable || self.told.is_multiple_of(CONFIRMED_EVERY);
        self.unconfirmed = confirmable;
        self.stale = false;
        confirmable
    }
}
