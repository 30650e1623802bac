//! A CoAP server (RFC 7252) as a machine without I/O: requests of both kinds, deduplication, piggybacked and separate
//! responses, blockwise transfer both ways (RFC 7959), observation (RFC 7641) and discovery (RFC 6690), with manners for tests
//! (silent, late, separate). It has no DTLS, no multicast, no proxy and no entity tags. Its first retransmission comes after
//! exactly the acknowledgement time-out, without the random factor.
//!
//! Messages and their exchange are here; what a request is answered with is in `respond`, and what observers are told in `observe`.

mod block;
mod exchange;
mod message;
mod observe;
mod resources;
mod respond;
mod settings;
mod upload;

use units::Picoseconds;

pub use message::{FormatError, Message, MessageType, code, option};
pub use settings::{OPTIONS, Settings};

use crate::answers::Answers;
use crate::losses::{Cause, Losses};
use crate::outbox::{Outbox, after};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results, Sample};
use exchange::{Due, Duplicates, ObserverKey, Retransmission};
use observe::Observers;
use resources::Resources;
use upload::Uploads;

const SOCKET: Connection = Connection(0);

/// Critical options (odd numbers, RFC 7252 section 5.4.1) that the server understands.
const UNDERSTOOD: &[u16] = &[
    option::IF_MATCH,
    option::URI_HOST,
    option::IF_NONE_MATCH,
    option::URI_PORT,
    option::URI_PATH,
    option::URI_QUERY,
    option::ACCEPT,
    option::BLOCK2,
    option::BLOCK1,
    option::PROXY_URI,
    option::PROXY_SCHEME,
];

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Requests carried out.
    pub requests: u64,
    /// Requests seen before.
    pub duplicates: u64,
    /// Messages rejected or ignored for their form.
    pub malformed: u64,
    /// Notifications sent first.
    pub notifications: u64,
    /// Confirmable messages sent again.
    pub retransmissions: u64,
    /// Confirmable messages never acknowledged.
    pub given_up: u64,
    /// Confirmable messages that found no place.
    pub dropped: u64,
}

/// The server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Settings,
    seated: bool,
    resources: Resources,
    duplicates: Duplicates,
    retransmission: Retransmission,
    observers: Observers,
    uploads: Uploads,
    next_tick: Option<Picoseconds>,
    last_id: u16,
    outbox: Outbox,
    counters: Counters,
    answers: Answers,
    losses: Losses,
}

impl Server {
    /// A server that has no seat yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            seated: false,
            resources: Resources::default(),
            duplicates: Duplicates::default(),
            retransmission: Retransmission::default(),
            observers: Observers::default(),
            uploads: Uploads::default(),
            next_tick: None,
            last_id: 0,
            outbox: Outbox::default(),
            counters: Counters::default(),
            answers: Answers::default(),
            losses: Losses::default(),
        }
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Observers that are registered now.
    pub fn observers(&self) -> usize {
        self.observers.len()
    }

    /// Late answers that found no place to wait in.
    pub fn dropped(&self) -> u64 {
        self.outbox.dropped()
    }

    fn next_id(&mut self) -> u16 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    fn datagram(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        let message = match Message::parse(bytes) {
            Ok(message) => message,
            Err(error) => {
                self.malformed(Cause::Malformed, now, from);
                if let FormatError::Format { kind: MessageType::Confirmable, id, .. } = error {
                    self.reject(now, from, id);
                }
                return;
            }
        };
        match (message.kind, message.code) {
            (MessageType::Acknowledgement, _) => self.acknowledged(now, from, message.id),
            (MessageType::Reset, _) => {
                if let Some(Some(observer)) = self.retransmission.settle((from, message.id)) {
                    self.observers.remove(&observer);
                }
            }
            (MessageType::Confirmable | MessageType::NonConfirmable, 1..32) => {
                self.request(now, from, &message);
            }
            // RFC 7252 section 4.3: an empty one is a ping, and the answer to what is no request is the same.
            (MessageType::Confirmable, _) => self.reject(now, from, message.id),
            (MessageType::NonConfirmable, _) => self.malformed(Cause::Malformed, now, from),
        }
    }

    fn malformed(&mut self, cause: Cause, now: Picoseconds, from: IpEndpoint) {
        self.counters.malformed += 1;
        self.losses.turned_away(cause, now, Some(from));
    }

    fn reject(&mut self, now: Picoseconds, to: IpEndpoint, id: u16) {
        let reset = Message::new(MessageType::Reset, code::EMPTY, id).encode();
        self.send_at(now, after(now, self.settings.delay), to, reset);
    }

    fn send_at(&mut self, now: Picoseconds, at: Picoseconds, to: IpEndpoint, bytes: Vec<u8>) {
        if self.settings.answers && !self.outbox.push_at(now, at, Action::SendTo(SOCKET, to, bytes)) {
            self.losses.note(Cause::NoRoom, now, None, Some(to), None);
        }
    }

    fn request(&mut self, now: Picoseconds, from: IpEndpoint, message: &Message) {
        let key = (from, message.id);
        if let Some(seen) = self.duplicates.find(now, key) {
            self.counters.duplicates += 1;
            let again = seen.answer.clone().filter(|_| seen.answered_at <= now);
            if let Some(answer) = again {
                self.send_at(now, after(now, self.settings.delay), from, answer);
            }
            return;
        }
        let confirmable = message.kind == MessageType::Confirmable;
        let unknown = |number: &u16| number % 2 == 1 && !UNDERSTOOD.contains(number);
        let critical = message.options.iter().any(|(number, _)| unknown(number));
        if critical && !confirmable {
            self.malformed(Cause::Unsupported, now, from);
            return;
        }
        self.counters.requests += 1;
        self.answers.client_came(now);
        let mut changed = None;
        let mut response = if critical {
            Message::new(MessageType::NonConfirmable, code::BAD_OPTION, 0)
        } else {
            self.respond(now, from, message, &mut changed)
        };
        response.token.clone_from(&message.token);
        let answered = after(now, self.settings.delay);
        self.answers.answered(answered, message.payload.len(), response.payload.len());
        self.send_response(now, from, message, response);
        if let Some(path) = changed {
            self.notify(now, &path);
            self.notify(now, &path[..1]);
        }
    }

    fn send_response(&mut self, now: Picoseconds, to: IpEndpoint, request: &Message, mut response: Message) {
        let at = after(now, self.settings.delay);
        let confirmable = request.kind == MessageType::Confirmable;
        let separate = confirmable && self.settings.separate > Picoseconds::ZERO;
        let answer = if separate {
            Message::new(MessageType::Acknowledgement, code::EMPTY, request.id).encode()
        } else {
            (response.kind, response.id) = if confirmable {
                (MessageType::Acknowledgement, request.id)
            } else {
                (MessageType::NonConfirmable, self.next_id())
            };
            response.encode()
        };
        self.duplicates.remember(now, (to, request.id), at, confirmable.then(|| answer.clone()));
        self.send_at(now, at, to, answer);
        if separate {
            response.kind = MessageType::Confirmable;
            self.send_confirmable(after(at, self.settings.separate), to, response, None);
        }
    }

    fn send_confirmable(
        &mut self,
        at: Picoseconds,
        to: IpEndpoint,
        mut message: Message,
        observer: Option<ObserverKey>,
    ) {
        message.id = self.next_id();
        if !self.retransmission.add((to, message.id), at, message.encode(), observer, &self.settings) {
            self.counters.dropped += 1;
            self.losses.note(Cause::NoRoom, at, None, Some(to), None);
        }
    }

    fn wake(&mut self, now: Picoseconds) {
        if self.next_tick.is_some_and(|at| at <= now) {
            self.notify(now, &["ticks".to_owned()]);
            self.plan_tick(now);
        }
        while let Some(due) = self.retransmission.due(now) {
            match due {
                Due::Send(to, bytes) => self.send_at(now, now, to, bytes),
                Due::GiveUp(to, observer) => {
                    self.counters.given_up += 1;
                    self.losses.note(Cause::Unacknowledged, now, None, Some(to), None);
                    if let Some(observer) = observer {
                        self.observers.remove(&observer);
                    }
                }
            }
        }
        self.outbox.release(now);
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        self.outbox.release(now);
        match event {
            Event::Wake if !self.seated => {
                self.seated = true;
                self.outbox.push(Action::Bind(SOCKET, self.settings.port, false));
            }
            Event::Datagram { from, bytes, .. } => self.datagram(now, from, bytes),
            _ => {}
        }
        self.wake(now);
    }

    fn poll(&mut self) -> Option<Action> {
        self.outbox.pop()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        [self.outbox.wake_at(), self.retransmission.next_at(), self.next_tick].into_iter().flatten().min()
    }

    fn results(&self) -> Results {
        let counters = self.counters();
        Results::counted(&[
            ("requests", counters.requests, "requests"),
            ("duplicates", counters.duplicates, "messages"),
            ("malformed", counters.malformed, "messages"),
            ("notifications", counters.notifications, "messages"),
            ("retransmissions", counters.retransmissions, "messages"),
            ("given_up", counters.given_up, "messages"),
            ("dropped", counters.dropped, "messages"),
        ])
        .with(&self.losses)
    }

    fn work(&self) -> Vec<Sample> {
        self.answers.samples().to_vec()
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
