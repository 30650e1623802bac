//! A TFTP server (RFC 1350) with files in memory, as a machine without I/O. It takes the options blksize (RFC 2348), tsize and
//! timeout (RFC 2349) and windowsize (RFC 7440). Left out: the mode mail, which RFC 1350 calls obsolete.

mod netascii;
mod packet;
mod settings;
mod transfer;

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

pub use settings::{OPTIONS, Settings};

use crate::answers::Answers;
use crate::files::Files;
use crate::losses::{Cause, Losses};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results, Sample};
use packet::{Code, Packet, Request};
use transfer::{Outcome, Transfer, Work};

const REQUESTS: Connection = Connection(0);
/// What a datagram over IPv4 holds beside the headers of IP and UDP; RFC 2348 bounds a block by it.
const LONGEST_DATAGRAM_BYTES: usize = 65_535 - 20 - 8;
/// The same over IPv6, where the PC does not fragment.
const LONGEST_DATAGRAM_BYTES_OVER_IPV6: usize = 1500 - 40 - 8;
/// Transfers that wait in case that their last acknowledgement was lost.
const MOST_COMPLETE: usize = 64;
/// What is kept of the last file that was stored, for whoever asks what the board sent.
const MOST_KEPT_BYTES: usize = 64 * 1024;

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counters {
    retrieved: u64,
    stored: u64,
    sent_bytes: u64,
    received_bytes: u64,
    sent_again: u64,
    broken: u64,
}

/// The server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Settings,
    files: Files,
    /// By their sockets: each has a port of its own (RFC 1350).
    transfers: BTreeMap<Connection, Transfer>,
    last_socket: u32,
    last_stored: Option<Vec<u8>>,
    counters: Counters,
    losses: Losses,
    answers: Answers,
    bound: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// A server that binds its port when it is seated.
    pub fn new(settings: Settings) -> Self {
        Self {
            files: settings.files.clone(),
            settings,
            transfers: BTreeMap::new(),
            last_socket: 0,
            last_stored: None,
            counters: Counters::default(),
            losses: Losses::default(),
            answers: Answers::default(),
            bound: false,
            actions: VecDeque::new(),
        }
    }

    /// A socket with a port of its own.
    fn bind(&mut self) -> Connection {
        let next = |number: u32| number % (Connection::FIRST_ACCEPTED - 1) + 1;
        self.last_socket = next(self.last_socket);
        while self.transfers.contains_key(&Connection(self.last_socket)) {
            self.last_socket = next(self.last_socket);
        }
        let socket = Connection(self.last_socket);
        self.actions.push_back(Action::Bind(socket, 0, false));
        socket
    }

    fn say(&mut self, socket: Connection, to: IpEndpoint, packets: Vec<Vec<u8>>) {
        for packet in packets {
            self.actions.push_back(Action::SendTo(socket, to, packet));
        }
    }

    fn requested(&mut self, now: Picoseconds, peer: IpEndpoint, bytes: &[u8]) {
        self.answers.client_came(now);
        let request = match packet::read(bytes) {
            Some(Packet::Request(request)) => request,
            // Two servers are not to tell each other errors for ever (RFC 1350).
            Some(Packet::Error(_)) => return self.losses.turned_away(Cause::Malformed, now, Some(peer)),
            _ => {
                let why = "That is no request.";
                return self.refuse(now, peer, Cause::Malformed, Code::IllegalOperation, (why, None));
            }
        };
        // The client has not heard the answer yet, which is sent again in time.
        if self.transfers.values().any(|transfer| transfer.peer == peer && !transfer.is_complete) {
            return;
        }
        match self.begin(peer, &request) {
            Ok(mut transfer) => {
                let socket = self.bind();
                let first = transfer.say(now);
                self.transfers.insert(socket, transfer);
                self.say(socket, peer, first);
            }
            Err((cause, code, why)) => self.refuse(now, peer, cause, code, (why, Some(&request.name))),
        }
    }

    fn begin(&self, peer: IpEndpoint, request: &Request) -> Result<Transfer, (Cause, Code, &'static str)> {
        let under_way = self.transfers.values().filter(|transfer| !transfer.is_complete).count();
        if under_way >= self.settings.most_transfers {
            return Err((Cause::TooManyConnections, Code::Undefined, "There are too many transfers."));
        }
        let is_text = match request.mode.as_str() {
            "netascii" => true,
            "octet" => false,
            _ => return Err((Cause::Unsupported, Code::IllegalOperation, "That is no mode of this server.")),
        };
        let path = Files::resolve("/", &request.name);
        let work = if request.reads {
            let file =
                self.files.get(&path).ok_or((Cause::NoFile, Code::NoFile, "There is no such file."))?;
            let bytes = if is_text { netascii::encoded(file) } else { file.clone() };
            Work::Send { bytes, sent: 0 }
        } else {
            if !self.settings.writable || !self.files.takes(&path) {
                return Err((Cause::Unsupported, Code::AccessViolation, "That cannot be written."));
            }
            let room_bytes = self.files.room(&path);
            Work::Store { path, is_text, bytes: Vec::new(), room_bytes, unacknowledged: 0, gap_told: false }
        };
        let longest =
            if peer.address.is_ipv4() { LONGEST_DATAGRAM_BYTES } else { LONGEST_DATAGRAM_BYTES_OVER_IPV6 };
        let file_bytes = match &work {
            Work::Send { bytes, .. } => Some(bytes.len()),
            Work::Store { .. } => None,
        };
        let (terms, answer) = self.settings.agree(request, longest, file_bytes);
        match (&work, terms.announced_bytes) {
            (Work::Store { room_bytes, .. }, Some(bytes)) if bytes > *room_bytes as u64 => {
                Err((Cause::NoRoom, Code::DiskFull, "There is no room for that."))
            }
            _ => Ok(Transfer::new(peer, work, terms, answer)),
        }
    }

    /// A request is not granted; it is told so from a port of its own, as a transfer would be.
    fn refuse(
        &mut self,
        now: Picoseconds,
        peer: IpEndpoint,
        cause: Cause,
        code: Code,
        (why, name): (&str, Option<&str>),
    ) {
        self.losses.note(cause, now, None, Some(peer), name);
        let socket = self.bind();
        self.say(socket, peer, vec![packet::error(code, why)]);
        self.actions.push_back(Action::Abort(socket));
    }

    fn datagram(&mut self, now: Picoseconds, socket: Connection, from: IpEndpoint, bytes: &[u8]) {
        let Some(transfer) = self.transfers.get_mut(&socket) else { return };
        if transfer.peer != from {
            // Whoever sent it is told, and the transfer goes on (RFC 1350).
            let packet = packet::error(Code::UnknownTransfer, "This is the transfer of another.");
            return self.say(socket, from, vec![packet]);
        }
        let (outcome, packets) = match packet::read(bytes) {
            Some(Packet::Acknowledgement(number)) => transfer.acknowledged(now, number),
            Some(Packet::Data(number, arrived)) => transfer.came(now, number, arrived),
            Some(Packet::Error(why)) => return self.break_off(now, socket, Cause::Stalled, Some(&why)),
            _ => (Outcome::Broken(Code::IllegalOperation, "That is no packet of a transfer."), Vec::new()),
        };
        self.say(socket, from, packets);
        match outcome {
            Outcome::GoesOn => {}
            Outcome::Complete => self.complete(now, socket),
            Outcome::Broken(code, why) => {
                self.say(socket, from, vec![packet::error(code, why)]);
                let cause = if code == Code::DiskFull { Cause::NoRoom } else { Cause::Malformed };
                self.break_off(now, socket, cause, None);
            }
        }
    }

    /// The whole file has gone, or has come.
    fn complete(&mut self, now: Picoseconds, socket: Connection) {
        let Some(transfer) = self.transfers.get_mut(&socket) else { return };
        match &mut transfer.work {
            Work::Send { bytes, .. } => {
                let length = bytes.len();
                self.counters.retrieved += 1;
                self.counters.sent_bytes += length as u64;
                self.answers.answered(now, 0, length);
                self.close(socket);
            }
            Work::Store { path, is_text, bytes, .. } => {
                let came = std::mem::take(bytes);
                self.counters.stored += 1;
                self.counters.received_bytes += came.len() as u64;
                self.answers.answered(now, came.len(), 0);
                let file = if *is_text { netascii::decoded(&came) } else { came };
                self.last_stored = Some(file[..file.len().min(MOST_KEPT_BYTES)].to_vec());
                self.files.put(path, file);
                self.close_the_first_of_many();
            }
        }
    }

    fn close_the_first_of_many(&mut self) {
        let complete = self.transfers.iter().filter(|(_, transfer)| transfer.is_complete);
        let complete: Vec<Connection> = complete.map(|(socket, _)| *socket).collect();
        if complete.len() > MOST_COMPLETE {
            self.close(complete[0]);
        }
    }

    fn break_off(&mut self, now: Picoseconds, socket: Connection, cause: Cause, detail: Option<&str>) {
        let peer = self.transfers.get(&socket).map(|transfer| transfer.peer);
        self.losses.note(cause, now, None, peer, detail);
        self.counters.broken += 1;
        self.close(socket);
    }

    fn close(&mut self, socket: Connection) {
        self.transfers.remove(&socket);
        self.actions.push_back(Action::Abort(socket));
    }

    /// Says again what was not acknowledged in time, and gives up who is silent.
    fn wake(&mut self, now: Picoseconds) {
        let due = self.transfers.iter().filter(|(_, transfer)| transfer.deadline <= now);
        for socket in due.map(|(socket, _)| *socket).collect::<Vec<_>>() {
            let Some(transfer) = self.transfers.get_mut(&socket) else { continue };
            let is_over = transfer.retries >= self.settings.retries;
            if transfer.is_complete && is_over {
                self.close(socket);
            } else if transfer.is_complete {
                // The client may not have heard the last acknowledgement (RFC 1350, section 6).
                transfer.wait_on(now);
            } else if is_over {
                self.break_off(now, socket, Cause::Silent, None);
            } else {
                transfer.wait_on(now);
                let (peer, packets) = (transfer.peer, transfer.say(now));
                self.counters.sent_again += packets.len() as u64;
                self.say(socket, peer, packets);
            }
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.bound => {
                self.bound = true;
                self.actions.push_back(Action::Bind(REQUESTS, self.settings.port, false));
            }
            Event::Wake => self.wake(now),
            Event::Datagram { socket: REQUESTS, from, bytes } => self.requested(now, from, bytes),
            Event::Datagram { socket, from, bytes } => self.datagram(now, socket, from, bytes),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.transfers.values().map(|transfer| transfer.deadline).min()
    }

    fn results(&self) -> Results {
        let Counters { retrieved, stored, sent_bytes, received_bytes, sent_again, broken } = self.counters;
        let refused = self.losses.count() - broken;
        let results = Results::counted(&[
            ("retrieved", retrieved, "files"),
            ("stored", stored, "files"),
            ("sent", sent_bytes, "bytes"),
            ("received", received_bytes, "bytes"),
            ("sent_again", sent_again, "packets"),
            ("broken", broken, "transfers"),
            ("refused", refused, "requests"),
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
