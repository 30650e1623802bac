//! An FTP server (RFC 959; SIZE, MDTM and REST of RFC 3659; EPRT and EPSV of RFC 2428) with files in memory, as a machine
//! without I/O: data connections in passive and in active mode. Left out: TLS, IPv6, transfers other than whole streams of
//! bytes, and conversion of line ends.

mod command;
mod commands;
mod session;
mod settings;

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

pub use settings::{OPTIONS, Settings};

use crate::answers::Answers;
use crate::files::Files;
use crate::losses::{Cause, Losses};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results, Sample};
use session::{Mode, Session, Transfer};

const LISTENER: Connection = Connection(0);
/// Ports of data connections, one after the other.
const FIRST_DATA_PORT: u16 = 50_000;
const DATA_PORTS: u32 = 10_000;
/// What is sent at a time.
const PIECE_BYTES: usize = 16 * 1024;
/// What is kept of the last file that was stored, for whoever asks what the board sent.
const MOST_KEPT_BYTES: usize = 64 * 1024;

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counters {
    sessions: u64,
    retrieved: u64,
    stored: u64,
    sent_bytes: u64,
    received_bytes: u64,
    broken: u64,
}

/// The server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Settings,
    files: Files,
    sessions: BTreeMap<Connection, Session>,
    /// Listeners and connections of data, by the session that they are for.
    data: BTreeMap<Connection, Connection>,
    next_number: u32,
    last_stored: Option<Vec<u8>>,
    counters: Counters,
    losses: Losses,
    answers: Answers,
    listening: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: Settings) -> Self {
        Self {
            files: settings.files.clone(),
            settings,
            sessions: BTreeMap::new(),
            data: BTreeMap::new(),
            next_number: 0,
            last_stored: None,
            counters: Counters::default(),
            losses: Losses::default(),
            answers: Answers::default(),
            listening: false,
            actions: VecDeque::new(),
        }
    }

    fn say(&mut self, control: Connection, line: &str) {
        self.actions.push_back(Action::Send(control, format!("{line}\r\n").into_bytes()));
    }

    /// A number for a listener or a connection of data.
    fn number(&mut self, control: Connection) -> (Connection, u16) {
        self.next_number = self.next_number % (Connection::FIRST_ACCEPTED - 2) + 1;
        let number = Connection(self.next_number);
        self.data.insert(number, control);
        (number, FIRST_DATA_PORT + (self.next_number % DATA_PORTS) as u16)
    }

    fn accept(
        &mut self,
        now: Picoseconds,
        listener: Connection,
        connection: Connection,
        ends: [IpEndpoint; 2],
    ) {
        if listener != LISTENER {
            return self.data_came(now, listener, connection);
        }
        let [peer, local] = ends;
        if self.sessions.len() >= self.settings.most_sessions {
            self.losses.turned_away(Cause::TooManyConnections, now, Some(peer));
            self.say(connection, "421 Too many sessions.");
            return self.actions.push_back(Action::Finish(connection));
        }
        self.counters.sessions += 1;
        self.answers.client_came(now);
        self.sessions.insert(connection, Session::new(peer, local));
        self.actions.push_back(Action::NoDelay(connection, true));
        self.say(connection, "220 Airwire FTP.");
    }

    /// A data connection in passive mode: its listener takes one.
    fn data_came(&mut self, now: Picoseconds, listener: Connection, connection: Connection) {
        let control = self.data.remove(&listener);
        let session = control.and_then(|control| self.sessions.get_mut(&control));
        let (Some(control), Some(session)) = (control, session) else {
            return self.actions.push_back(Action::Abort(connection));
        };
        session.mode = Mode::Unset;
        session.data = Some((connection, true));
        self.data.insert(connection, control);
        self.actions.push_back(Action::Abort(listener));
        self.begin(now, control);
    }

    fn opened(&mut self, now: Picoseconds, connection: Connection) {
        let Some(&control) = self.data.get(&connection) else { return };
        if let Some(session) = self.sessions.get_mut(&control) {
            session.data = Some((connection, true));
        }
        self.begin(now, control);
    }

    /// Begins the transfer of a session once there is both, a transfer and a connection for it.
    fn begin(&mut self, now: Picoseconds, control: Connection) {
        let Some(session) = self.sessions.get(&control) else { return };
        let (Some((data, true)), Some(Transfer::Send { bytes, .. })) = (session.data, &session.transfer)
        else {
            return;
        };
        if bytes.is_empty() {
            return self.end(now, control);
        }
        self.actions.push_back(Action::WantRoom(data, bytes.len().min(PIECE_BYTES)));
    }

    fn room(&mut self, now: Picoseconds, data: Connection, room: usize) {
        let Some(&control) = self.data.get(&data) else { return };
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let Some(Transfer::Send { bytes, sent }) = &mut session.transfer else { return };
        let end = bytes.len().min(*sent + room.max(1));
        self.actions.push_back(Action::Send(data, bytes[*sent..end].to_vec()));
        *sent = end;
        match bytes.len() - end {
            0 => self.end(now, control),
            left => self.actions.push_back(Action::WantRoom(data, left.min(PIECE_BYTES))),
        }
    }

    /// A transfer is over, and so is its connection.
    fn end(&mut self, now: Picoseconds, control: Connection) {
        let Some(session) = self.sessions.get_mut(&control) else { return };
        if let Some((data, _)) = session.data.take() {
            self.data.remove(&data);
            self.actions.push_back(Action::Finish(data));
        }
        match session.transfer.take() {
            Some(Transfer::Send { bytes, .. }) => {
                self.counters.retrieved += 1;
                self.counters.sent_bytes += bytes.len() as u64;
                self.answers.answered(now, 0, bytes.len());
            }
            Some(Transfer::Store { path, bytes }) => {
                self.counters.stored += 1;
                self.counters.received_bytes += bytes.len() as u64;
                self.answers.answered(now, bytes.len(), 0);
                self.last_stored = Some(bytes[..bytes.len().min(MOST_KEPT_BYTES)].to_vec());
                self.files.put(&path, bytes);
            }
            None => return,
        }
        self.say(control, "226 Transfer complete.");
        self.obey(now, control);
    }

    /// A transfer does not come to its end.
    fn break_off(&mut self, now: Picoseconds, control: Connection, line: &str) {
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let data = session.data.take();
        let had_transfer = session.transfer.take().is_some();
        if let Some((data, _)) = data {
            self.data.remove(&data);
            self.actions.push_back(Action::Abort(data));
        }
        if had_transfer {
            self.counters.broken += 1;
            self.say(control, line);
            self.obey(now, control);
        }
    }

    fn received(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        if let Some(&control) = self.data.get(&connection) {
            return self.store(now, control, bytes);
        }
        let Some(session) = self.sessions.get_mut(&connection) else { return };
        if session.push(bytes) {
            return self.obey(now, connection);
        }
        let peer = session.peer;
        self.losses.turned_away(Cause::Malformed, now, Some(peer));
        self.say(connection, "500 A line is too long.");
        self.leave(connection);
        self.actions.push_back(Action::Finish(connection));
    }

    fn store(&mut self, now: Picoseconds, control: Connection, arrived: &[u8]) {
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let Some(Transfer::Store { path, bytes }) = &mut session.transfer else { return };
        if bytes.len() + arrived.len() > self.files.room(path) {
            return self.break_off(now, control, "552 There is no room for that.");
        }
        bytes.extend(arrived);
    }

    fn peer_finished(&mut self, now: Picoseconds, connection: Connection) {
        match self.data.get(&connection).copied() {
            Some(control) => {
                let session = self.sessions.get(&control);
                let stores = session.is_some_and(|one| matches!(one.transfer, Some(Transfer::Store { .. })));
                if stores {
                    self.end(now, control);
                } else {
                    self.actions.push_back(Action::Finish(connection));
                }
            }
            None if self.sessions.contains_key(&connection) => {
                self.leave(connection);
                self.actions.push_back(Action::Finish(connection));
            }
            None => {}
        }
    }

    fn closed(&mut self, now: Picoseconds, connection: Connection) {
        match self.data.remove(&connection) {
            Some(control) if self.found_port_taken(now, control, connection) => {}
            Some(control) => {
                self.break_off(now, control, "425 The data connection could not be opened, or broke.");
            }
            None => self.leave(connection),
        }
    }

    /// A client is gone, and with it all that was opened for it.
    fn leave(&mut self, control: Connection) {
        self.sessions.remove(&control);
        let (gone, stay) =
            std::mem::take(&mut self.data).into_iter().partition(|(_, whose)| *whose == control);
        self.data = stay;
        let gone: BTreeMap<Connection, Connection> = gone;
        self.actions.extend(gone.into_keys().map(Action::Abort));
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Accepted { listener, connection, peer, to } => {
                self.accept(now, listener, connection, [peer, to]);
            }
            Event::Opened(connection) => self.opened(now, connection),
            Event::Listening(listener, port) => self.listening(now, listener, port),
            Event::Received(connection, bytes) => self.received(now, connection, bytes),
            Event::Room(connection, bytes) => self.room(now, connection, bytes),
            Event::PeerFinished(connection) => self.peer_finished(now, connection),
            Event::Closed(connection, _) => self.closed(now, connection),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        None
    }

    fn results(&self) -> Results {
        let Counters { sessions, retrieved, stored, sent_bytes, received_bytes, broken } = self.counters;
        let results = Results::counted(&[
            ("sessions", sessions, "clients"),
            ("retrieved", retrieved, "files and lists"),
            ("stored", stored, "files"),
            ("sent", sent_bytes, "bytes"),
            ("received", received_bytes, "bytes"),
            ("broken", broken, "transfers"),
            ("refused", self.losses.count(), "clients"),
        ]);
        Results { received: self.last_stored.clone(), ..results.with(&self.losses) }
    }

    fn work(&self) -> Vec<Sample> {
        self.answers.samples().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
