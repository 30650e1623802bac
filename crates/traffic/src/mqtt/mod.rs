//! An MQTT 3.1.1 broker (OASIS standard of 2014-10-29) as a machine without I/O, which speaks MQTT 3.1 too. It delivers with quality 0 and 1; messages
//! that clients publish with quality 2 are taken exactly once and go on with 1, and a subscription is granted 1 at most.
//! There is no MQTT 5, no bridge, no `$SYS` tree and nothing is kept beyond the machine. Every queue is bounded; what a bound
//! drops is counted.

mod client;
mod machine;
mod packet;
mod reader;
mod session;
mod settings;
mod topic;

use std::collections::BTreeMap;

use units::Picoseconds;

pub use packet::{Connect, Malformed, Packet, Publish, QualityOfService, Will};
pub use reader::Reader;
pub use settings::{OPTIONS, Settings};

use crate::answers::Answers;
use crate::losses::{Cause, Losses};
use crate::outbox::Outbox;
use crate::{Action, Connection, IpEndpoint};
use client::{Client, Stage};
use session::Session;

const LISTENER: Connection = Connection(0);

/// Section 3.2.2.3 of the standard.
mod code {
    pub(super) const ACCEPTED: u8 = 0;
    pub(super) const UNACCEPTABLE_PROTOCOL_VERSION: u8 = 1;
    pub(super) const IDENTIFIER_REJECTED: u8 = 2;
    pub(super) const SERVER_UNAVAILABLE: u8 = 3;
    pub(super) const BAD_USER_OR_PASSWORD: u8 = 4;
    pub(super) const SUBSCRIPTION_FAILED: u8 = 0x80;
}

/// What the broker counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Clients accepted.
    pub connects: u64,
    /// Connections refused: by CONNACK, or reset because there were too many.
    pub refused: u64,
    /// Messages published by clients and by their wills.
    pub published: u64,
    /// Messages put on their way to a subscriber.
    pub delivered: u64,
    /// Messages that found a queue full.
    pub dropped: u64,
    /// Retained messages that found no place.
    pub not_retained: u64,
    /// Connections closed for a malformed packet, or one out of place.
    pub malformed: u64,
    /// Connections closed for their silence.
    pub silent: u64,
    /// Connections closed because their client came again.
    pub taken_over: u64,
    /// Connections closed because they did not read what they asked for.
    pub stalled: u64,
}

/// The broker.
#[derive(Debug, Clone)]
pub struct Broker {
    settings: Settings,
    seated: bool,
    clients: BTreeMap<Connection, Client>,
    sessions: BTreeMap<String, Session>,
    retained: BTreeMap<String, Publish>,
    outbox: Outbox,
    names_given: u64,
    counters: Counters,
    /// Whom it turned away, and why.
    losses: Losses,
    /// Each message from the one before: of a client that publishes, the time of its own loop.
    answers: Answers,
}

impl Broker {
    /// A broker that has no seat yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            seated: false,
            clients: BTreeMap::new(),
            sessions: BTreeMap::new(),
            retained: BTreeMap::new(),
            outbox: Outbox::default(),
            names_given: 0,
            counters: Counters::default(),
            losses: Losses::default(),
            answers: Answers::default(),
        }
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Clients that are connected now.
    pub fn connected(&self) -> usize {
        self.sessions.values().filter(|session| session.connection.is_some()).count()
    }

    /// Sessions, those of absent clients among them.
    pub fn sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Subscriptions of all sessions.
    pub fn subscriptions(&self) -> usize {
        self.sessions.values().map(Session::subscriptions).sum()
    }

    fn accepted(&mut self, now: Picoseconds, connection: Connection, peer: IpEndpoint) {
        if self.clients.len() >= self.settings.most_connections {
            self.counters.refused += 1;
            self.losses.turned_away(Cause::TooManyConnections, now, Some(peer));
            self.outbox.push(Action::Abort(connection));
            return;
        }
        if self.settings.no_delay {
            self.outbox.push(Action::NoDelay(connection, true));
        }
        let mut client = Client::new(now, peer, self.settings.most_packet_bytes);
        if !self.settings.answers {
            client.deadline = None;
        }
        self.clients.insert(connection, client);
    }

    fn received(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        if !self.settings.answers {
            return;
        }
        let Some(client) = self.clients.get_mut(&connection) else { return };
        client.reader.push(bytes);
        // The client may be gone or finished after any packet.
        while let Some(client) = self.clients.get_mut(&connection) {
            if matches!(client.stage, Stage::Finished) {
                return;
            }
            let read = match client.reader.next_packet() {
                Ok(None) => return,
                Ok(Some(packet)) => self.take(now, connection, packet),
                Err(malformed) => Err(malformed),
            };
            if read.is_err() {
                self.counters.malformed += 1;
                self.turn_away(Cause::Malformed, now, connection, read.err().map(|one| one.0));
                self.lose(now, connection);
                return;
            }
            self.close_when_stalled(now, connection);
        }
    }

    fn take(&mut self, now: Picoseconds, connection: Connection, packet: Packet) -> Result<(), Malformed> {
        let client = self.clients.get_mut(&connection).expect("the packet was read from this client");
        let (client_id, packet) = match (&client.stage, packet) {
            (Stage::New, Packet::Connect(connect)) => {
                self.connect(now, connection, connect);
                return Ok(());
            }
            (Stage::Connected { client_id, .. }, packet) => (client_id.clone(), packet),
            _ => return Err(Malformed("the first packet is a CONNECT")),
        };
        client.heard(now);
        match packet {
            Packet::Publish(publish) => self.received_publish(connection, &client_id, &publish),
            Packet::Puback(packet_id) => {
                self.session(&client_id).acknowledge(packet_id);
                self.pump(&client_id);
            }
            Packet::Pubrel(packet_id) => {
                self.session(&client_id).release(packet_id);
                self.send(connection, &Packet::Pubcomp(packet_id));
            }
            Packet::Subscribe { packet_id, filters } => {
                self.subscribe(connection, &client_id, packet_id, &filters);
            }
            Packet::Unsubscribe { packet_id, filters } => {
                let session = self.session(&client_id);
                filters.iter().for_each(|filter| session.unsubscribe(filter));
                self.send(connection, &Packet::Unsuback(packet_id));
            }
            Packet::Pingreq => self.send(connection, &Packet::Pingresp),
            Packet::Disconnect => {
                if let Some(Client { stage: Stage::Connected { will, .. }, .. }) =
                    self.clients.get_mut(&connection)
                {
                    *will = None;
                }
                self.lose(now, connection);
            }
            // The broker sends nothing with quality 2, so nobody has a PUBREC or PUBCOMP to send.
            _ => return Err(Malformed("a packet that no client has to send")),
        }
        Ok(())
    }

    fn session(&mut self, client_id: &str) -> &mut Session {
        self.sessions.get_mut(client_id).expect("a connected client has a session")
    }

    fn turn_away(&mut self, cause: Cause, now: Picoseconds, connection: Connection, detail: Option<&str>) {
        let peer = self.clients.get(&connection).map(|client| client.peer);
        self.losses.note(cause, now, None, peer, detail);
    }

    fn refuse(&mut self, now: Picoseconds, connection: Connection, code: u8) {
        self.counters.refused += 1;
        self.turn_away(cause_of(code), now, connection, None);
        self.send(connection, &Packet::Connack { session_present: false, code });
        self.lose(now, connection);
    }

    fn connect(&mut self, now: Picoseconds, connection: Connection, mut connect: Connect) {
        if !matches!(connect.level, packet::LEVEL_3_1_1 | packet::LEVEL_3_1) {
            return self.refuse(now, connection, code::UNACCEPTABLE_PROTOCOL_VERSION);
        }
        let settings = &self.settings;
        let known = settings.user.is_empty()
            || (connect.user.as_ref() == Some(&settings.user)
                && connect.password.as_deref().unwrap_or_default() == settings.password.as_bytes());
        if !known {
            return self.refuse(now, connection, code::BAD_USER_OR_PASSWORD);
        }
        if connect.client_id.is_empty() {
            // MQTT 3.1 has no client without a name (section 3.1, "Client Identifier").
            if !connect.clean_session || connect.level == packet::LEVEL_3_1 {
                return self.refuse(now, connection, code::IDENTIFIER_REJECTED);
            }
            self.names_given += 1;
            connect.client_id = format!("$unnamed/{}", self.names_given);
        }
        let other = self.sessions.get(&connect.client_id).and_then(|session| session.connection);
        if let Some(other) = other {
            self.counters.taken_over += 1;
            self.lose(now, other);
        }
        if !self.sessions.contains_key(&connect.client_id)
            && self.sessions.len() >= self.settings.most_sessions
        {
            return self.refuse(now, connection, code::SERVER_UNAVAILABLE);
        }
        self.open_session(now, connection, connect);
    }

    fn open_session(&mut self, now: Picoseconds, connection: Connection, connect: Connect) {
        let Connect { level, client_id, clean_session, keep_alive_s, will, .. } = connect;
        let session_present = !clean_session && self.sessions.contains_key(&client_id);
        if !session_present {
            self.sessions.insert(client_id.clone(), Session::new(clean_session));
        }
        self.session(&client_id).connection = Some(connection);
        let client = self.clients.get_mut(&connection).expect("the packet was read from this client");
        client.stage = Stage::Connected { client_id: client_id.clone(), will };
        client.keep_alive_s = keep_alive_s;
        client.heard(now);
        self.counters.connects += 1;
        // In MQTT 3.1 the byte is reserved.
        let told = session_present && level == packet::LEVEL_3_1_1;
        self.send(connection, &Packet::Connack { session_present: told, code: code::ACCEPTED });
        for packet in self.session(&client_id).unacknowledged() {
            self.send(connection, &packet);
        }
        self.pump(&client_id);
    }

    fn received_publish(&mut self, connection: Connection, client_id: &str, publish: &Publish) {
        let packet_id = publish.packet_id;
        match publish.quality {
            QualityOfService::AtMostOnce => self.publish(publish),
            QualityOfService::AtLeastOnce => {
                self.publish(publish);
                self.send(connection, &Packet::Puback(packet_id));
            }
            QualityOfService::ExactlyOnce => {
                if self.session(client_id).receive_once(packet_id) {
                    self.publish(publish);
                }
                self.send(connection, &Packet::Pubrec(packet_id));
            }
        }
    }

    fn publish(&mut self, publish: &Publish) {
        self.counters.published += 1;
        if publish.retain {
            self.retain(publish);
        }
        let mut reached = Vec::new();
        for (client_id, session) in &mut self.sessions {
            let Some(granted) = session.quality_for(&publish.topic) else { continue };
            let message = copy_for(publish, granted, false);
            if session.offer(message, &self.settings) {
                reached.push(client_id.clone());
            } else {
                self.counters.dropped += 1;
            }
        }
        for client_id in reached {
            self.pump(&client_id);
        }
    }

    /// Section 3.3.1.3: the last message of its topic is kept; an empty one removes it.
    fn retain(&mut self, publish: &Publish) {
        if publish.payload.is_empty() {
            self.retained.remove(&publish.topic);
        } else if self.retained.contains_key(&publish.topic)
            || self.retained.len() < self.settings.most_retained
        {
            self.retained.insert(publish.topic.clone(), publish.clone());
        } else {
            self.counters.not_retained += 1;
        }
    }

    fn subscribe(
        &mut self,
        connection: Connection,
        client_id: &str,
        packet_id: u16,
        filters: &[(String, QualityOfService)],
    ) {
        let mut codes = Vec::with_capacity(filters.len());
        let session = self.sessions.get_mut(client_id).expect("a connected client has a session");
        for (place, (filter, asked)) in filters.iter().enumerate() {
            let allowed = place < self.settings.most_subscriptions;
            let granted = allowed.then(|| session.subscribe(filter, *asked, &self.settings)).flatten();
            codes.push(granted.map_or(code::SUBSCRIPTION_FAILED, |quality| quality as u8));
            let Some(granted) = granted else { continue };
            for message in self.retained.values().filter(|message| topic::matches(filter, &message.topic)) {
                if !session.offer(copy_for(message, granted, true), &self.settings) {
                    self.counters.dropped += 1;
                }
            }
        }
        self.send(connection, &Packet::Suback { packet_id, codes });
        self.pump(client_id);
    }

    /// Sends what a session has for its client, as far as the connection's bound lets it.
    fn pump(&mut self, client_id: &str) {
        let Some(session) = self.sessions.get_mut(client_id) else { return };
        let Some(connection) = session.connection else { return };
        let Some(client) = self.clients.get_mut(&connection) else { return };
        while client.unsent_bytes() < self.settings.most_unsent_bytes {
            let Some(packet) = session.next_message(&self.settings) else { return };
            self.counters.delivered += 1;
            client.send(connection, &packet, &mut self.outbox);
        }
    }

    fn send(&mut self, connection: Connection, packet: &Packet) {
        if let Some(client) = self.clients.get_mut(&connection) {
            client.send(connection, packet, &mut self.outbox);
        }
    }

    /// A client that asks and asks and never reads would fill the memory with answers.
    fn close_when_stalled(&mut self, now: Picoseconds, connection: Connection) {
        let most = 2 * self.settings.most_unsent_bytes + self.settings.most_packet_bytes;
        if self.clients.get(&connection).is_some_and(|client| client.unsent_bytes() > most) {
            self.counters.stalled += 1;
            self.turn_away(Cause::Stalled, now, connection, None);
            self.lose(now, connection);
        }
    }

    /// Finishes a connection; its will goes out unless it was taken back, and a clean session ends.
    fn lose(&mut self, now: Picoseconds, connection: Connection) {
        let Some(client) = self.clients.get_mut(&connection) else { return };
        let stage = std::mem::replace(&mut client.stage, Stage::Finished);
        if !matches!(stage, Stage::Finished) {
            client.finish(now, connection, &mut self.outbox);
        }
        self.leave(stage);
    }

    fn leave(&mut self, stage: Stage) {
        let Stage::Connected { client_id, will } = stage else { return };
        let session = self.session(&client_id);
        session.connection = None;
        if session.clean {
            self.sessions.remove(&client_id);
        }
        if let Some(Will { topic, payload, quality, retain }) = will {
            self.publish(&Publish { duplicate: false, quality, retain, topic, packet_id: 0, payload });
        }
    }
}

/// Why a client is refused with a code of CONNACK.
fn cause_of(code: u8) -> Cause {
    match code {
        code::UNACCEPTABLE_PROTOCOL_VERSION => Cause::ProtocolVersion,
        code::IDENTIFIER_REJECTED => Cause::Identifier,
        code::SERVER_UNAVAILABLE => Cause::TooManySessions,
        _ => Cause::Credentials,
    }
}

/// A message as one subscriber gets it.
fn copy_for(message: &Publish, granted: QualityOfService, retain: bool) -> Publish {
    let quality = message.quality.min(granted);
    Publish { duplicate: false, quality, retain, packet_id: 0, ..message.clone() }
}
