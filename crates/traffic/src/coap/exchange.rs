//! CoAP's message layer (RFC 7252 section 4): which messages were seen before and what they were answered with, and the
//! confirmable messages that wait for their acknowledgement. Both tables are bounded.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::settings::Settings;
use crate::IpEndpoint;
use crate::outbox::{after, seconds};

/// RFC 7252 section 4.8.2, with the default parameters.
const EXCHANGE_LIFETIME_S: u32 = 247;
const NON_LIFETIME_S: u32 = 145;
const MOST_SEEN: usize = 1024;
const MOST_OUTSTANDING: usize = 1024;

/// Who, and which of its or our messages.
pub(super) type MessageKey = (IpEndpoint, u16);
/// Who observes, and the token it knows the observation by.
pub(super) type ObserverKey = (IpEndpoint, Vec<u8>);

/// What a message was answered with.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    until: Picoseconds,
    /// When its answer left or leaves.
    pub(super) answered_at: Picoseconds,
    pub(super) answer: Option<Vec<u8>>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Duplicates {
    seen: BTreeMap<MessageKey, Seen>,
    order: VecDeque<MessageKey>,
}

impl Duplicates {
    /// What is known of a message; what is too old is forgotten first.
    pub(super) fn find(&mut self, now: Picoseconds, key: MessageKey) -> Option<&Seen> {
        while self
            .order
            .front()
            .is_some_and(|oldest| self.seen.get(oldest).is_none_or(|seen| seen.until <= now))
        {
            let oldest = self.order.pop_front().expect("the front was there a line above");
            self.seen.remove(&oldest);
        }
        self.seen.get(&key).filter(|seen| seen.until > now)
    }

    pub(super) fn remember(
        &mut self,
        now: Picoseconds,
        key: MessageKey,
        answered_at: Picoseconds,
        answer: Option<Vec<u8>>,
    ) {
        if self.seen.contains_key(&key) {
            self.order.retain(|other| *other != key);
        } else if self.order.len() >= MOST_SEEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        let lifetime_s = if answer.is_some() { EXCHANGE_LIFETIME_S } else { NON_LIFETIME_S };
        self.order.push_back(key);
        self.seen.insert(key, Seen { until: after(now, seconds(lifetime_s)), answered_at, answer });
    }
}

/// A confirmable message of ours.
#[derive(Debug, Clone)]
struct Outstanding {
    bytes: Vec<u8>,
    next_at: Picoseconds,
    timeout: Picoseconds,
    transmissions_left: u8,
    observer: Option<ObserverKey>,
}

/// What is to be done with a confirmable message whose time has come.
pub(super) enum Due {
    Send(IpEndpoint, Vec<u8>),
    GiveUp(IpEndpoint, Option<ObserverKey>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Retransmission(BTreeMap<MessageKey, Outstanding>);

impl Retransmission {
    /// A message to be sent first at a point in time; false when too many wait.
    pub(super) fn add(
        &mut self,
        key: MessageKey,
        at: Picoseconds,
        bytes: Vec<u8>,
        observer: Option<ObserverKey>,
        settings: &Settings,
    ) -> bool {
        if self.0.len() >= MOST_OUTSTANDING {
            return false;
        }
        let (timeout, transmissions_left) = (settings.ack_timeout, settings.max_retransmit + 1);
        self.0.insert(key, Outstanding { bytes, next_at: at, timeout, transmissions_left, observer });
        true
    }

    /// The message was acknowledged or rejected; gives the observer that it was for.
    pub(super) fn settle(&mut self, key: MessageKey) -> Option<Option<ObserverKey>> {
        self.0.remove(&key).map(|outstanding| outstanding.observer)
    }

    pub(super) fn next_at(&self) -> Option<Picoseconds> {
        self.0.values().map(|outstanding| outstanding.next_at).min()
    }

    /// The next message whose time has come.
    pub(super) fn due(&mut self, now: Picoseconds) -> Option<Due> {
        let key = *self.0.iter().find(|(_, outstanding)| outstanding.next_at <= now)?.0;
        let outstanding = self.0.get_mut(&key).expect("the key was found a line above");
        if outstanding.transmissions_left == 0 {
            return self.settle(key).map(|observer| Due::GiveUp(key.0, observer));
        }
        outstanding.transmissions_left -= 1;
        outstanding.next_at = after(now, outstanding.timeout);
        outstanding.timeout = after(outstanding.timeout, outstanding.timeout);
        Some(Due::Send(key.0, outstanding.bytes.clone()))
    }
}
