//! The client: knocks at every TCP port, then asks the open ones, one after another, and then the UDP ports.

use std::collections::{BTreeMap, VecDeque};

use units::{PS_PER_MS, Picoseconds};

use super::datagrams::{Datagrams, SOCKET};
use super::ports::ClientSettings;
use super::question::{Heard, MOST_GREETING, Question};
use super::{Service, Speaks};
use crate::talk::Over;
use crate::{Action, Connection, Counter, Event, IpEndpoint, Machine, Results};

/// So many knocks one after another without any answer: behind a filter, or switched off, the other ports are no better.
const MOST_UNANSWERED: u32 = 64;
/// So many ports, at which a board is most likely to listen, are knocked at one after the other: a small stack refuses those that are
/// open as well where many ask at once, as Zephyr's does, in which each connection takes a packet of those for reception.
const ALONE: usize = 10;
/// A server with one socket needs time until that listens again.
const REOPEN_PAUSE: Picoseconds = Picoseconds::new(100 * PS_PER_MS);
const MOST_REFUSALS: u32 = 10;

/// How knocking went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Ports that were knocked at.
    pub knocked: u64,
    /// Ports that opened.
    pub open: u64,
    /// Ports that refused.
    pub refused: u64,
    /// Ports that did not answer in time.
    pub unanswered: u64,
}

/// What the client does on the connection of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Waits until it may open one.
    Pausing,
    Opening,
    /// Waits whether the server speaks first.
    Listening,
    /// Has asked, and waits for the answer.
    Asked,
}

/// An open port that is being asked.
#[derive(Debug, Clone)]
struct Asking {
    port: u16,
    question: Question,
    step: Step,
    refusals: u32,
    until: Picoseconds,
    heard: Heard,
    /// What earlier questions brought: a line of text, and whether the connection was closed on each.
    first_line: Option<String>,
    closes: bool,
    texts: bool,
}

/// A client that looks for open ports.
#[derive(Debug, Clone)]
pub struct Client {
    settings: ClientSettings,
    /// The next port to knock at.
    next: usize,
    /// Connections that were asked for, with their port and the time until which they may open.
    knocks: BTreeMap<Connection, (u16, Picoseconds)>,
    unanswered_in_a_row: u32,
    /// Open ports that have not been asked, the lowest last.
    open: Vec<u16>,
    asking: Option<Asking>,
    /// Connections so far; the last one is that of the question.
    connections: u32,
    services: Vec<Service>,
    datagrams: Datagrams,
    counts: Counts,
    has_begun: bool,
    actions: VecDeque<Action>,
}

impl Client {
    /// A client that begins when it is seated.
    pub fn new(settings: ClientSettings) -> Self {
        Self {
            datagrams: Datagrams::new(settings.udp_ports.clone(), settings.datagram_time),
            settings,
            next: 0,
            knocks: BTreeMap::new(),
            unanswered_in_a_row: 0,
            open: Vec::new(),
            asking: None,
            connections: 0,
            services: Vec::new(),
            counts: Counts::default(),
            has_begun: false,
            actions: VecDeque::new(),
        }
    }

    /// The open ports so far, those of TCP first, and of each the lowest.
    pub fn services(&self) -> Vec<Service> {
        self.services.iter().cloned().chain(self.datagrams.services()).collect()
    }

    /// How knocking went.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn connect(&mut self, port: u16) -> Connection {
        let connection = Connection(self.connections);
        self.connections += 1;
        let to = IpEndpoint { address: self.settings.to, port };
        self.actions.push_back(Action::Connect(connection, to));
        connection
    }

    /// How many knocks may be under way. A board that leaves one unanswered is not kept from answering others.
    fn at_a_time(&self) -> usize {
        let known = self.next - self.knocks.len();
        let is_alone = known < ALONE && self.counts.unanswered == 0;
        if is_alone { 1 } else { self.settings.at_a_time }
    }

    /// Knocks at as many ports as may be under way; once all are known, asks the first of the open ones.
    fn go_on(&mut self, now: Picoseconds) {
        while self.knocks.len() < self.at_a_time() && self.unanswered_in_a_row < MOST_UNANSWERED {
            let Some(&port) = self.settings.ports.get(self.next) else { break };
            self.next += 1;
            self.counts.knocked += 1;
            let connection = self.connect(port);
            self.knocks.insert(connection, (port, now + self.settings.timeout));
        }
        if self.knocks.is_empty() && self.asking.is_none() {
            self.open.sort_unstable_by(|a, b| b.cmp(a));
            self.ask_next(now);
        }
    }

    fn ask_next(&mut self, now: Picoseconds) {
        if self.open.is_empty() {
            self.datagrams.begin(now, &mut self.actions);
        }
        self.asking = self.open.pop().map(|port| Asking {
            port,
            question: Question::FIRST,
            step: Step::Pausing,
            refusals: 0,
            until: now + REOPEN_PAUSE,
            heard: Heard::default(),
            first_line: None,
            closes: true,
            texts: false,
        });
    }

    fn knocked(&mut self, now: Picoseconds, connection: Connection, is_open: bool) {
        let Some((port, _)) = self.knocks.remove(&connection) else { return };
        self.unanswered_in_a_row = 0;
        if is_open {
            self.counts.open += 1;
            self.open.push(port);
            self.actions.push_back(Action::Abort(connection));
        } else {
            self.counts.refused += 1;
        }
        self.go_on(now);
    }

    fn own(&self) -> Connection {
        Connection(self.connections.wrapping_sub(1))
    }

    fn wake(&mut self, now: Picoseconds) {
        self.has_begun = true;
        let late: Vec<Connection> =
            self.knocks.iter().filter(|(_, (_, until))| *until <= now).map(|(&one, _)| one).collect();
        for connection in late {
            self.knocks.remove(&connection);
            self.counts.unanswered += 1;
            self.unanswered_in_a_row += 1;
            self.actions.push_back(Action::Abort(connection));
        }
        self.go_on(now);
        self.datagrams.wake(now, self.settings.to, &mut self.actions);
        let due = self.asking.as_ref().filter(|asking| asking.until <= now);
        match due.map(|asking| asking.step) {
            Some(Step::Pausing) => self.open_one(now),
            Some(Step::Opening) => self.refused(now),
            Some(Step::Listening) => self.ask_or_end(now),
            Some(Step::Asked) => self.end_question(now),
            None => {}
        }
    }

    fn open_one(&mut self, now: Picoseconds) {
        let until = now + self.settings.timeout;
        let Some(asking) = self.asking.as_mut() else { return };
        let port = asking.port;
        (asking.step, asking.until, asking.heard) = (Step::Opening, until, Heard::default());
        self.connect(port);
    }

    /// A port that was open does not open: it is tried again a few times.
    fn refused(&mut self, now: Picoseconds) {
        let own = self.own();
        let Some(asking) = self.asking.as_mut() else { return };
        asking.refusals += 1;
        if asking.step == Step::Opening {
            self.actions.push_back(Action::Abort(own));
        }
        if asking.refusals >= MOST_REFUSALS {
            self.conclude(now, Speaks::Refuses);
        } else {
            (asking.step, asking.until) = (Step::Pausing, now + REOPEN_PAUSE);
        }
    }

    fn opened(&mut self, now: Picoseconds) {
        let listening = self.settings.greeting_time;
        let Some(asking) = self.asking.as_mut().filter(|asking| asking.step == Step::Opening) else { return };
        if asking.question == Question::FIRST {
            (asking.step, asking.until) = (Step::Listening, now + listening);
        } else {
            self.ask(now);
        }
    }

    /// The time in which a server may speak first is over.
    fn ask_or_end(&mut self, now: Picoseconds) {
        if self.asking.as_ref().is_some_and(|asking| asking.heard.unasked) {
            self.end_question(now);
        } else {
            self.ask(now);
        }
    }

    fn ask(&mut self, now: Picoseconds) {
        let (own, until) = (self.own(), now + self.settings.timeout);
        let Some(asking) = self.asking.as_mut() else { return };
        (asking.step, asking.until) = (Step::Asked, until);
        self.actions.push_back(Action::Send(own, asking.question.text().to_vec()));
    }

    fn received(&mut self, now: Picoseconds, bytes: &[u8]) {
        let Some(asking) = self.asking.as_mut() else { return };
        asking.heard.unasked |= asking.step == Step::Listening;
        asking.heard.hear(bytes);
        let enough = match asking.step {
            Step::Listening => asking.heard.count >= MOST_GREETING,
            _ => asking.question.is_answered(&asking.heard),
        };
        if enough {
            self.end_question(now);
        }
    }

    /// The server sends no more, or the connection is gone.
    fn left(&mut self, now: Picoseconds) {
        match self.asking.as_mut() {
            Some(asking) if asking.step == Step::Opening => {
                // It is gone already, so that nothing is to be taken back.
                asking.step = Step::Pausing;
                self.refused(now);
            }
            Some(asking) if asking.step != Step::Pausing => {
                asking.heard.closed = true;
                self.end_question(now);
            }
            _ => {}
        }
    }

    fn end_question(&mut self, now: Picoseconds) {
        let own = self.own();
        let Some(asking) = self.asking.as_mut() else { return };
        self.actions.push_back(Action::Abort(own));
        asking.first_line = asking.first_line.take().or_else(|| asking.heard.first_line());
        asking.closes &= asking.heard.closed;
        asking.texts |= asking.heard.count > 0;
        if let Some(speaks) = asking.question.tells(&asking.heard) {
            if speaks == Speaks::Echo {
                // The line is our own.
                asking.first_line = None;
            }
            self.conclude(now, speaks);
        } else if let Some(next) = asking.question.next(asking.closes && !asking.texts) {
            (asking.question, asking.step, asking.until) = (next, Step::Pausing, now + REOPEN_PAUSE);
        } else {
            let speaks = match (asking.texts, asking.closes) {
                (true, _) => Speaks::Text,
                (false, true) => Speaks::Closes,
                (false, false) => Speaks::Sink,
            };
            self.conclude(now, speaks);
        }
    }

    fn conclude(&mut self, now: Picoseconds, speaks: Speaks) {
        if let Some(asking) = self.asking.take() {
            let (port, first_line) = (asking.port, asking.first_line);
            self.services.push(Service { over: Over::Tcp, port, speaks, first_line });
        }
        self.ask_next(now);
    }
}

impl Machine for Client {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        let asks = self.asking.is_some();
        match event {
            Event::Wake => self.wake(now),
            Event::Opened(connection) if self.knocks.contains_key(&connection) => {
                self.knocked(now, connection, true);
            }
            Event::Closed(connection, _) if self.knocks.contains_key(&connection) => {
                self.knocked(now, connection, false);
            }
            Event::Datagram { socket: SOCKET, from, bytes } if from.address == self.settings.to => {
                self.datagrams.hear(from.port, bytes);
            }
            Event::PortRefused(at) if at.address == self.settings.to => self.datagrams.refuse(at.port),
            Event::Opened(connection) if asks && connection == self.own() => self.opened(now),
            Event::Received(connection, bytes) if asks && connection == self.own() => {
                self.received(now, bytes);
            }
            Event::PeerFinished(connection) | Event::Closed(connection, _)
                if asks && connection == self.own() =>
            {
                self.left(now);
            }
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        if !self.has_begun {
            return Some(Picoseconds::ZERO);
        }
        let knocks = self.knocks.values().map(|(_, until)| *until);
        let asking = self.asking.as_ref().map(|asking| asking.until);
        knocks.chain(asking).chain(self.datagrams.wake_at()).min()
    }

    fn is_done(&self) -> bool {
        self.has_begun && self.knocks.is_empty() && self.asking.is_none() && self.datagrams.is_over()
    }

    fn results(&self) -> Results {
        let Counts { knocked, open, refused, unanswered } = self.counts;
        let counted =
            [("knocked", knocked), ("open", open), ("refused", refused), ("unanswered", unanswered)];
        let asked = self.datagrams.asked();
        let counted = counted.into_iter().chain([("asked", asked)]);
        let counters = counted.map(|(name, value)| Counter { name, value, unit: "ports" }).collect();
        let services = self.services();
        let found: Vec<String> = services.iter().map(in_words).collect();
        let listed =
            if found.is_empty() { "none open".to_owned() } else { format!("open: {}", found.join(", ")) };
        let summary = format!("{knocked} TCP ports and {asked} of UDP, {listed}");
        Results { counters, summary, services, ..Results::default() }
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}

/// `80 (http)`, or `7 of UDP (echo)`.
fn in_words(service: &Service) -> String {
    let of = if service.over == Over::Udp { " of UDP" } else { "" };
    format!("{}{of} ({})", service.port, service.speaks.word())
}
