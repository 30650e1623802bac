//! TLS 1.2 and 1.3 around any server that speaks over TCP, by rustls. The server within is told of a connection once its
//! handshake is over, and speaks in plain bytes.
//!
//! One suite for each version (AES-128-GCM, P-256, ECDSA): what TLS stacks for microcontrollers have. Left out: certificates
//! of clients, RSA, resumption, TLS around a client.

mod certificate;
mod der;
mod provider;
mod random;
mod record;
mod session;
mod settings;

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

pub use settings::{Secured, TlsSettings};

use crate::losses::{Cause, Losses};
use crate::{Action, Connection, Counter, Event, IpEndpoint, Machine, Results, Sample};
use session::{Heard, Session};

/// What room on a connection is set aside for handshakes, headers and tags: some bytes, and a share of the rest.
const LEAST_OVERHEAD_BYTES: usize = 128;
const OVERHEAD_SHARE: usize = 128;

#[derive(Debug)]
struct Peer {
    session: Session,
    listener: Connection,
    peer: IpEndpoint,
    local: IpEndpoint,
    /// The server within knows of it.
    is_told: bool,
    peer_finished: bool,
    finished: bool,
}

/// A server behind TLS.
#[derive(Debug)]
pub struct Server {
    settings: TlsSettings,
    inner: Box<dyn Machine>,
    peers: BTreeMap<Connection, Peer>,
    accepted: u64,
    handshakes: u64,
    refused: Losses,
    actions: VecDeque<Action>,
}

impl Server {
    /// A server that listens where the one within does.
    pub fn new(settings: TlsSettings, inner: Box<dyn Machine>) -> Self {
        let (peers, actions) = (BTreeMap::new(), VecDeque::new());
        Self { settings, inner, peers, accepted: 0, handshakes: 0, refused: Losses::default(), actions }
    }

    fn tell(&mut self, now: Picoseconds, event: Event<'_>) {
        self.inner.handle(now, event);
        while let Some(action) = self.inner.poll() {
            self.carry_out(action);
        }
    }

    fn carry_out(&mut self, action: Action) {
        match action {
            // Datagrams are not TLS's.
            Action::Bind(..) | Action::SendTo(..) | Action::SendToStation(..) => {}
            Action::Send(connection, bytes) => {
                if let Some(peer) = self.peers.get_mut(&connection) {
                    peer.session.send(&bytes);
                }
                self.flush(connection);
            }
            Action::SendBlock(connection, bytes) => self.carry_out(Action::Send(connection, bytes.into())),
            Action::WantRoom(connection, bytes) if bytes > 0 => {
                let overhead = LEAST_OVERHEAD_BYTES + bytes / OVERHEAD_SHARE;
                self.actions.push_back(Action::WantRoom(connection, bytes + overhead));
            }
            Action::Finish(connection) => self.finish(connection),
            Action::Abort(connection) => {
                self.peers.remove(&connection);
                self.actions.push_back(Action::Abort(connection));
            }
            action => self.actions.push_back(action),
        }
    }

    fn flush(&mut self, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let output = peer.session.take_output();
        if !output.is_empty() {
            self.actions.push_back(Action::Send(connection, output));
        }
    }

    fn finish(&mut self, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        if !std::mem::replace(&mut peer.finished, true) {
            peer.session.finish();
            self.flush(connection);
            self.actions.push_back(Action::Finish(connection));
        }
    }

    fn accept(&mut self, listener: Connection, connection: Connection, peer: IpEndpoint, local: IpEndpoint) {
        self.accepted += 1;
        match Session::new(&self.settings, self.accepted, local.address) {
            Ok(session) => {
                let (is_told, peer_finished, finished) = (false, false, false);
                let peer = Peer { session, listener, peer, local, is_told, peer_finished, finished };
                self.peers.insert(connection, peer);
            }
            Err(_) => self.actions.push_back(Action::Abort(connection)),
        }
    }

    fn receive(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        // Who left in the handshake was told good-bye: what still comes counts no more.
        let is_heard = |peer: &&mut Peer| !peer.finished || peer.session.is_open();
        let Some(peer) = self.peers.get_mut(&connection).filter(is_heard) else { return };
        let Heard { plain, finished, error } = peer.session.receive(bytes);
        let opens = peer.session.is_open() && !std::mem::replace(&mut peer.is_told, peer.session.is_open());
        let (listener, from, to) = (peer.listener, peer.peer, peer.local);
        self.flush(connection);
        if opens {
            self.handshakes += 1;
            self.tell(now, Event::Accepted { listener, connection, peer: from, to });
        }
        if !plain.is_empty() {
            self.tell(now, Event::Received(connection, &plain));
        }
        if finished {
            self.peer_finished(now, connection);
        }
        if let Some(error) = error {
            self.break_off(now, connection, &error);
        }
    }

    /// The alert that says why was the last thing that the session had to send.
    fn break_off(&mut self, now: Picoseconds, connection: Connection, error: &str) {
        self.flush(connection);
        let Some(peer) = self.peers.remove(&connection) else { return };
        self.refused.note(Cause::Tls, now, None, Some(peer.peer), Some(error));
        self.actions.push_back(Action::Finish(connection));
        if peer.is_told {
            self.tell(now, Event::Closed(connection, Some(error)));
        }
    }

    /// By a close alert, or by TCP without one.
    fn peer_finished(&mut self, now: Picoseconds, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        if std::mem::replace(&mut peer.peer_finished, true) {
            return;
        }
        if peer.is_told {
            self.tell(now, Event::PeerFinished(connection));
        } else {
            let from = peer.peer;
            self.refused.note(Cause::Tls, now, None, Some(from), Some("the client left in the handshake"));
            self.finish(connection);
        }
    }

    fn closed(&mut self, now: Picoseconds, connection: Connection, reason: Option<&str>) {
        if self.peers.remove(&connection).is_some_and(|peer| peer.is_told) {
            self.tell(now, Event::Closed(connection, reason));
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Accepted { listener, connection, peer, to } => self.accept(listener, connection, peer, to),
            Event::Received(connection, bytes) => self.receive(now, connection, bytes),
            Event::PeerFinished(connection) => self.peer_finished(now, connection),
            Event::Closed(connection, reason) if self.peers.contains_key(&connection) => {
                self.closed(now, connection, reason);
            }
            Event::Room(connection, bytes) => {
                let overhead = LEAST_OVERHEAD_BYTES / 2 + bytes / (2 * OVERHEAD_SHARE);
                self.tell(now, Event::Room(connection, bytes.saturating_sub(overhead)));
            }
            Event::Closed(connection, _) if connection.0 >= Connection::FIRST_ACCEPTED => {}
            event => self.tell(now, event),
        }
    }

    fn arrived(&mut self, at: Picoseconds) {
        self.inner.arrived(at);
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.inner.wake_at()
    }

    fn results(&self) -> Results {
        let mut results = self.inner.results();
        let handshakes = Counter { name: "handshakes", value: self.handshakes, unit: "connections" };
        let failed = Counter { name: "failed_handshakes", value: self.refused.count(), unit: "connections" };
        let told = [handshakes, failed].into_iter().filter(|counter| counter.value > 0);
        let told: Vec<String> =
            told.map(|one| format!("{} {}", one.name.replace('_', " "), one.value)).collect();
        if !told.is_empty() {
            results.summary = format!("{}; {}", results.summary, told.join(", "));
        }
        results.counters.extend([handshakes, failed]);
        results.losses.extend(self.refused.list());
        results
    }

    fn work(&self) -> Vec<Sample> {
        self.inner.work()
    }

    /// Without its connections, whose state rustls does not copy: a PC is copied while it has none.
    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(Self {
            settings: self.settings.clone(),
            inner: self.inner.boxed_clone(),
            peers: BTreeMap::new(),
            accepted: self.accepted,
            handshakes: self.handshakes,
            refused: self.refused.clone(),
            actions: self.actions.clone(),
        })
    }
}
