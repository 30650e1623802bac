//! A small server of static pages for the PC's side: fixed pages by path, whole or in chunks, at once or after a delay. A page
//! leaves in pieces as there is room; while it does, the connection is not read.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use units::Picoseconds;

use super::PORT;
use super::request::{Asked, Reading, RequestReader};
use crate::answers::Answers;
use crate::flow::MOST_CONNECTIONS;
use crate::losses::{Cause, Losses};
use crate::options::{self, Values, option};
use crate::pattern::Pattern;
use crate::{Action, Connection, Declared, Event, IpEndpoint, Machine, OptionError, Results, Sample};
use fields::Field;
use fields::TakesOf::{Duration, Flag, Port, Size, Text};

const LISTENER: Connection = Connection(0);
/// What is sent at a time, and the size of a chunk.
const PIECE_BYTES: usize = 16 * 1024;

/// A page is kept whole.
const MOST_BODY_BYTES: u64 = 16 << 20;

/// The settings of [`Server`], declared.
pub const SERVER_OPTIONS: &[Field] = &[
    option("port", Port, "80", "The TCP port to listen on.", "8080"),
    option("path", Text("a path that begins with /"), "/", "The path of the page.", "/index.html"),
    option("size", Size(0, MOST_BODY_BYTES), "137B", "The size of the page's body.", "10KiB"),
    option("chunked", Flag, "false", "Whether the body goes in chunks.", "true"),
    option("delay", Duration, "0s", "Pause before the answer.", "10ms"),
];

/// A page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Where it is asked for; a query is passed over.
    pub path: String,
    /// Its type.
    pub content_type: String,
    /// What it holds.
    pub body: Arc<[u8]>,
    /// Whether it goes in chunks (to clients of HTTP/1.0 never).
    pub chunked: bool,
    /// Pause before it is answered.
    pub delay: Picoseconds,
}

impl Page {
    /// A page of so many bytes, which the path's length and the size determine.
    pub fn of_size(path: &str, bytes: usize) -> Self {
        Self {
            path: path.to_owned(),
            content_type: "application/octet-stream".to_owned(),
            body: Pattern::new(path.len() as u64).bytes(0, bytes).into(),
            chunked: false,
            delay: Picoseconds::ZERO,
        }
    }
}

/// The settings of [`Server`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The TCP port to listen on.
    pub port: u16,
    /// The pages; of two at one path the first is served.
    pub pages: Vec<Page>,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self { port: PORT, pages: vec![Page::of_size("/", 137)] }
    }
}

impl Declared for ServerSettings {
    const OPTIONS: &'static [Field] = SERVER_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let path = values.read("path", super::path)?;
        let page = Page {
            chunked: values.read("chunked", options::switch)?,
            delay: values.read("delay", options::time)?,
            ..Page::of_size(&path, values.read("size", options::size)?)
        };
        Ok(Self { port: values.read("port", options::parsed)?, pages: vec![page] })
    }
}

/// What is being sent.
#[derive(Debug, Clone)]
struct Answering {
    head: Vec<u8>,
    body: Arc<[u8]>,
    sent: usize,
    chunked: bool,
    keep_alive: bool,
    at: Option<Picoseconds>,
}

#[derive(Debug, Clone, Default)]
struct Peer {
    reader: RequestReader,
    /// Received and not yet read, since an answer is under way.
    unread: Vec<u8>,
    answering: Option<Answering>,
    peer_finished: bool,
    finished: bool,
    held: bool,
}

/// An HTTP server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: ServerSettings,
    peers: BTreeMap<Connection, Peer>,
    answered: u64,
    answers: Answers,
    refused: Losses,
    listening: bool,
    actions: VecDeque<Action>,
}

impl Server {
    /// The connection number of the listener, by which a seat tells its port.
    pub const LISTENER: Connection = LISTENER;

    /// A server that listens when it is seated.
    pub fn new(settings: ServerSettings) -> Self {
        let (peers, actions) = (BTreeMap::new(), VecDeque::new());
        Self {
            settings,
            peers,
            answered: 0,
            answers: Answers::default(),
            refused: Losses::default(),
            listening: false,
            actions,
        }
    }

    /// Requests that were answered, with whatever status.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Connections that were reset because too many were open.
    pub fn refused(&self) -> u64 {
        self.refused.count()
    }

    fn accept(&mut self, now: Picoseconds, connection: Connection, from: IpEndpoint) {
        if self.peers.len() >= MOST_CONNECTIONS {
            self.refused.turned_away(Cause::TooManyConnections, now, Some(from));
            self.actions.push_back(Action::Abort(connection));
            return;
        }
        self.actions.push_back(Action::NoDelay(connection, true));
        self.answers.client_came(now);
        self.peers.insert(connection, Peer::default());
    }

    fn receive(&mut self, now: Picoseconds, connection: Connection, bytes: &[u8]) {
        if let Some(peer) = self.peers.get_mut(&connection).filter(|peer| !peer.finished) {
            peer.unread.extend_from_slice(bytes);
            self.read(now, connection);
        }
    }

    /// Reads on until an answer is under way or nothing is left.
    fn read(&mut self, now: Picoseconds, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let unread = std::mem::take(&mut peer.unread);
        let mut at = 0;
        while at < unread.len() && peer.answering.is_none() && !peer.finished {
            let (taken, reading) = peer.reader.take(&unread[at..]);
            at += taken;
            match reading {
                Reading::More => {}
                Reading::Continue => {
                    let interim = b"HTTP/1.1 100 Continue\r\n\r\n".to_vec();
                    self.actions.push_back(Action::Send(connection, interim));
                }
                Reading::Request(asked) => {
                    peer.answering = Some(answer(&self.settings.pages, now, &asked));
                }
                Reading::Bad(status) => peer.answering = Some(plain_answer(status, false, false)),
            }
        }
        peer.unread.extend_from_slice(&unread[at..]);
        if peer.answering.is_some() {
            self.go_on(now, connection);
        } else if peer.peer_finished && !peer.finished {
            peer.finished = true;
            self.actions.push_back(Action::Finish(connection));
        }
    }

    /// Begins an answer whose time has come.
    fn go_on(&mut self, now: Picoseconds, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let Some(answering) = &mut peer.answering else { return };
        if answering.at.is_some_and(|at| at > now) {
            return;
        }
        answering.at = None;
        self.send_piece(now, connection);
    }

    /// Sends the next piece of an answer, and asks for room for the one after it.
    fn send_piece(&mut self, now: Picoseconds, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let Some(answering) = peer.answering.as_mut().filter(|answering| answering.at.is_none()) else {
            return;
        };
        self.actions.push_back(Action::Send(connection, answering.next_piece()));
        if answering.sent < answering.body.len() {
            self.actions.push_back(Action::WantRoom(connection, PIECE_BYTES));
            return;
        }
        let keep_alive = answering.keep_alive && !(peer.peer_finished && peer.unread.is_empty());
        self.answers.answered(now, 0, answering.body.len());
        peer.answering = None;
        self.answered += 1;
        if !keep_alive {
            peer.finished = true;
            peer.unread.clear();
            self.actions.push_back(Action::Finish(connection));
        } else if !peer.unread.is_empty() {
            self.actions.push_back(Action::WantRoom(connection, PIECE_BYTES));
        }
    }

    /// There is room: for the next piece, or for the answer to a request that came along with the one before.
    fn room(&mut self, now: Picoseconds, connection: Connection) {
        match self.peers.get(&connection) {
            Some(peer) if peer.answering.is_some() => self.send_piece(now, connection),
            Some(_) => self.read(now, connection),
            None => {}
        }
    }

    /// Stops reading while an answer is under way, and goes on after it.
    fn settle(&mut self, connection: Connection) {
        let Some(peer) = self.peers.get_mut(&connection) else { return };
        let hold = peer.answering.is_some() || !peer.unread.is_empty();
        if hold != peer.held {
            peer.held = hold;
            self.actions.push_back(Action::Hold(connection, hold));
        }
    }

    fn peer_finished(&mut self, now: Picoseconds, connection: Connection) {
        if let Some(peer) = self.peers.get_mut(&connection) {
            peer.peer_finished = true;
            if peer.answering.is_none() {
                self.read(now, connection);
            }
        }
    }

    fn due(&self) -> impl Iterator<Item = (Picoseconds, Connection)> + '_ {
        self.peers.iter().filter_map(|(connection, peer)| Some((peer.answering.as_ref()?.at?, *connection)))
    }
}

impl Answering {
    fn next_piece(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.head);
        let end = self.body.len().min(self.sent + PIECE_BYTES);
        let piece = &self.body[self.sent..end];
        self.sent = end;
        if !self.chunked {
            bytes.extend_from_slice(piece);
            return bytes;
        }
        if !piece.is_empty() {
            bytes.extend(format!("{:x}\r\n", piece.len()).into_bytes());
            bytes.extend_from_slice(piece);
            bytes.extend(b"\r\n");
        }
        if self.sent == self.body.len() {
            bytes.extend(b"0\r\n\r\n");
        }
        bytes
    }
}

fn answer(pages: &[Page], now: Picoseconds, asked: &Asked) -> Answering {
    let path = asked.path.split('?').next().unwrap_or("");
    let Some(page) = pages.iter().find(|page| page.path == path) else {
        return plain_answer(404, asked.keep_alive, asked.method == "HEAD");
    };
    let with_body = match asked.method.as_str() {
        "GET" | "POST" => true,
        "HEAD" => false,
        _ => return plain_answer(405, asked.keep_alive, false),
    };
    let chunked = page.chunked && !asked.old_version;
    let framing = match chunked {
        true => "Transfer-Encoding: chunked".to_owned(),
        false => format!("Content-Length: {}", page.body.len()),
    };
    let connection = connection_field(asked.keep_alive);
    let content_type = &page.content_type;
    let head = format!(
        "HTTP/1.1 200 OK\r\nServer: airwire\r\nContent-Type: {content_type}\r\n{framing}\r\n{connection}\r\n\r\n"
    );
    Answering {
        head: head.into_bytes(),
        body: if with_body { page.body.clone() } else { Arc::new([]) },
        sent: 0,
        chunked: chunked && with_body,
        keep_alive: asked.keep_alive,
        at: (page.delay > Picoseconds::ZERO).then(|| now + page.delay),
    }
}

fn connection_field(keep_alive: bool) -> &'static str {
    if keep_alive { "Connection: keep-alive" } else { "Connection: close" }
}

/// A status and its words.
fn plain_answer(status: u16, keep_alive: bool, head_only: bool) -> Answering {
    let words = match status {
        404 => "Not Found",
        405 => "Method Not Allowed",
        431 => "Request Header Fields Too Large",
        _ => "Bad Request",
    };
    let body: &[u8] = if head_only { &[] } else { words.as_bytes() };
    let allow = if status == 405 { "Allow: GET, HEAD, POST\r\n" } else { "" };
    let (length, connection) = (words.len(), connection_field(keep_alive));
    let head = format!(
        "HTTP/1.1 {status} {words}\r\nServer: airwire\r\nContent-Type: text/plain\r\n{allow}Content-Length: {length}\r\n{connection}\r\n\r\n"
    );
    Answering { head: head.into_bytes(), body: body.into(), sent: 0, chunked: false, keep_alive, at: None }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        match event {
            Event::Wake if !self.listening => {
                self.listening = true;
                self.actions.push_back(Action::Listen(LISTENER, self.settings.port));
            }
            Event::Wake => {
                let due: Vec<Connection> =
                    self.due().filter(|(at, _)| *at <= now).map(|(_, connection)| connection).collect();
                for connection in due {
                    self.go_on(now, connection);
                    self.settle(connection);
                }
            }
            Event::Accepted { connection, peer, .. } => self.accept(now, connection, peer),
            Event::Received(connection, bytes) => {
                self.receive(now, connection, bytes);
                self.settle(connection);
            }
            Event::Room(connection, _) => {
                self.room(now, connection);
                self.settle(connection);
            }
            Event::PeerFinished(connection) => self.peer_finished(now, connection),
            Event::Closed(connection, _) => drop(self.peers.remove(&connection)),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.due().map(|(at, _)| at).min()
    }

    fn results(&self) -> Results {
        Results::counted(&[
            ("answered", self.answered, "requests"),
            ("refused", self.refused.count(), "connections"),
        ])
        .with(&self.refused)
    }

    fn work(&self) -> Vec<Sample> {
        self.answers.samples().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
