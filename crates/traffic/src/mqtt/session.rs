//! What the broker remembers of a client (section 3.1.2.4 of the standard): subscriptions, messages on their way and those
//! that wait. It knows no connection's bytes; what it sends it returns as packets.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::packet::{Packet, Publish, QualityOfService};
use super::settings::Settings;
use super::topic;
use crate::Connection;

/// A client's state.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) clean: bool,
    /// None while the client is away.
    pub(super) connection: Option<Connection>,
    subscriptions: BTreeMap<String, QualityOfService>,
    /// Sent with quality 1 and not acknowledged, in the order of sending.
    inflight: VecDeque<Publish>,
    queued: VecDeque<Publish>,
    /// Packet identifiers of messages with quality 2 that the client has sent and not released.
    unreleased: BTreeSet<u16>,
    last_packet_id: u16,
}

impl Session {
    pub(super) fn new(clean: bool) -> Self {
        Self {
            clean,
            connection: None,
            subscriptions: BTreeMap::new(),
            inflight: VecDeque::new(),
            queued: VecDeque::new(),
            unreleased: BTreeSet::new(),
            last_packet_id: 0,
        }
    }

    /// The quality granted, which is 1 at most; None when there are too many subscriptions.
    pub(super) fn subscribe(
        &mut self,
        filter: &str,
        asked: QualityOfService,
        settings: &Settings,
    ) -> Option<QualityOfService> {
        let granted = asked.min(QualityOfService::AtLeastOnce);
        if !self.subscriptions.contains_key(filter) && self.subscriptions.len() >= settings.most_subscriptions
        {
            return None;
        }
        self.subscriptions.insert(filter.to_owned(), granted);
        Some(granted)
    }

    pub(super) fn unsubscribe(&mut self, filter: &str) {
        self.subscriptions.remove(filter);
    }

    pub(super) fn subscriptions(&self) -> usize {
        self.subscriptions.len()
    }

    /// The greatest quality of the subscriptions that a topic matches.
    pub(super) fn quality_for(&self, topic: &str) -> Option<QualityOfService> {
        self.subscriptions
            .iter()
            .filter(|(filter, _)| topic::matches(filter, topic))
            .map(|(_, quality)| *quality)
            .max()
    }

    /// Takes a message for this client; false when it found no place.
    pub(super) fn offer(&mut self, message: Publish, settings: &Settings) -> bool {
        let away = self.connection.is_none();
        if away && (self.clean || message.quality == QualityOfService::AtMostOnce) {
            return true;
        }
        if self.queued.len() >= settings.most_queued {
            return false;
        }
        self.queued.push_back(message);
        true
    }

    /// The next message that may go out now.
    pub(super) fn next_message(&mut self, settings: &Settings) -> Option<Packet> {
        let acknowledged = self.queued.front()?.quality != QualityOfService::AtMostOnce;
        if acknowledged && self.inflight.len() >= settings.most_inflight {
            return None;
        }
        let mut message = self.queued.pop_front()?;
        if acknowledged {
            message.packet_id = self.free_packet_id();
            let mut again = message.clone();
            again.duplicate = true;
            self.inflight.push_back(again);
        }
        Some(Packet::Publish(message))
    }

    fn free_packet_id(&mut self) -> u16 {
        loop {
            self.last_packet_id = self.last_packet_id.wrapping_add(1).max(1);
            if self.inflight.iter().all(|message| message.packet_id != self.last_packet_id) {
                return self.last_packet_id;
            }
        }
    }

    /// Section 4.4: what was not acknowledged is sent again when the client comes back.
    pub(super) fn unacknowledged(&self) -> Vec<Packet> {
        self.inflight.iter().cloned().map(Packet::Publish).collect()
    }

    pub(super) fn acknowledge(&mut self, packet_id: u16) {
        self.inflight.retain(|message| message.packet_id != packet_id);
    }

    /// Whether a message with quality 2 is new (section 4.3.3, method B). A client has 65535 identifiers, so this is bounded.
    pub(super) fn receive_once(&mut self, packet_id: u16) -> bool {
        self.unreleased.insert(packet_id)
    }

    pub(super) fn release(&mut self, packet_id: u16) {
        self.unreleased.remove(&packet_id);
    }
}
