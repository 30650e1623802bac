//! A CoAP server (RFC 7252) as a machine without I/O: requests of both kinds, deduplication, piggybacked and separate
//! responses, blockwise transfer both ways (RFC 7959), observation (RFC 7641) and discovery (RFC 6690), with manners for tests
//! (silent, late, separate). It has no DTLS, no multicast, no proxy and no entity tags. Its first retransmission comes after
//! exactly the acknowledgement time-out, without the random factor.

mod block;
mod exchange;
mod message;
mod observe;
mod resources;
mod settings;
mod upload;

use units::Picoseconds;

pub use message::{FormatError, Message, MessageType, code, option};
pub use settings::{OPTIONS, Settings};

use crate::outbox::{Outbox, after};
use crate::{Action, Connection, Event, Ipv4Endpoint, Machine, Results};
use block::Block;
use exchange::{Due, Duplicates, ObserverKey, Retransmission};
use observe::Observers;
use resources::{Answer, Asked, Resources};
use upload::Uploads;

const SOCKET: Connection = Connection(0);
/// RFC 7641 section 2.
const OBSERVE_REGISTER: u32 = 0;
const OBSERVE_DEREGISTER: u32 = 1;

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
}

/// What the server knows of a request beside its message.
struct Request<'a> {
    from: Ipv4Endpoint,
    message: &'a Message,
    path: Vec<String>,
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

    fn datagram(&mut self, now: Picoseconds, from: Ipv4Endpoint, bytes: &[u8]) {
        let message = match Message::parse(bytes) {
            Ok(message) => message,
            Err(error) => {
                self.counters.malformed += 1;
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
            (MessageType::NonConfirmable, _) => self.counters.malformed += 1,
        }
    }

    fn reject(&mut self, now: Picoseconds, to: Ipv4Endpoint, id: u16) {
        let reset = Message::new(MessageType::Reset, code::EMPTY, id).encode();
        self.send_at(now, after(now, self.settings.delay), to, reset);
    }

    fn send_at(&mut self, now: Picoseconds, at: Picoseconds, to: Ipv4Endpoint, bytes: Vec<u8>) {
        if self.settings.answers {
            self.outbox.push_at(now, at, Action::SendTo(SOCKET, to, bytes));
        }
    }

    fn request(&mut self, now: Picoseconds, from: Ipv4Endpoint, message: &Message) {
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
            self.counters.malformed += 1;
            return;
        }
        self.counters.requests += 1;
        let mut changed = None;
        let mut response = if critical {
            Message::new(MessageType::NonConfirmable, code::BAD_OPTION, 0)
        } else {
            self.respond(now, from, message, &mut changed)
        };
        response.token.clone_from(&message.token);
        self.send_response(now, from, message, response);
        if let Some(path) = changed {
            self.notify(now, &path);
            self.notify(now, &path[..1]);
        }
    }

    fn send_response(
        &mut self,
        now: Picoseconds,
        to: Ipv4Endpoint,
        request: &Message,
        mut response: Message,
    ) {
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
        to: Ipv4Endpoint,
        mut message: Message,
        observer: Option<ObserverKey>,
    ) {
        message.id = self.next_id();
        if !self.retransmission.add((to, message.id), at, message.encode(), observer, &self.settings) {
            self.counters.dropped += 1;
        }
    }

    /// The response without its message layer; `changed` becomes the path whose observers have to be told.
    fn respond(
        &mut self,
        now: Picoseconds,
        from: Ipv4Endpoint,
        message: &Message,
        changed: &mut Option<Vec<String>>,
    ) -> Message {
        let plain = |code| Message::new(MessageType::NonConfirmable, code, 0);
        if message.values(option::PROXY_URI).chain(message.values(option::PROXY_SCHEME)).next().is_some() {
            return plain(code::PROXYING_NOT_SUPPORTED);
        }
        let path: Result<Vec<String>, _> =
            message.values(option::URI_PATH).map(|segment| String::from_utf8(segment.to_vec())).collect();
        let blocks = (Block::of(message, option::BLOCK1), Block::of(message, option::BLOCK2));
        let (Ok(path), (Ok(block1), Ok(block2))) = (path, blocks) else { return plain(code::BAD_REQUEST) };
        let request = Request { from, message, path };
        match self.body(now, &request, block1) {
            Ok(body) => self.carry_out(now, &request, &body, (block1, block2), changed),
            Err(code) => {
                let mut response = plain(code);
                if let Some(block) = block1 {
                    let exponent = block.exponent().min(self.settings.block_exponent());
                    let taken = Block::new(block.number, code == code::CONTINUE, exponent);
                    response.add_number(option::BLOCK1, taken.value());
                }
                response
            }
        }
    }

    /// The whole body, or the code to respond with before there is one.
    fn body(
        &mut self,
        now: Picoseconds,
        request: &Request<'_>,
        block1: Option<Block>,
    ) -> Result<Vec<u8>, u8> {
        let payload = &request.message.payload;
        let Some(block) = block1 else { return Ok(payload.clone()) };
        let key = (request.from, request.message.code, request.path.clone());
        let body = self.uploads.take(now, key, block, payload, self.settings.most_store_bytes)?;
        body.ok_or(code::CONTINUE)
    }

    fn carry_out(
        &mut self,
        now: Picoseconds,
        request: &Request<'_>,
        body: &[u8],
        (block1, block2): (Option<Block>, Option<Block>),
        changed: &mut Option<Vec<String>>,
    ) -> Message {
        let Request { message, path, .. } = request;
        let asked = Asked { method: message.code, path, message, body };
        let answer = self.resources.answer(now, &asked, &self.settings);
        if answer.is_success() && message.code != code::GET && path[0] == "store" {
            *changed = Some(if answer.location.is_empty() { path.clone() } else { answer.location.clone() });
        }
        let mut response = self.laid_out(&answer, block2);
        if let Some(block) = block1 {
            response.add_number(option::BLOCK1, block.value());
        }
        if message.code == code::GET {
            self.observe(now, request, &answer, block2, &mut response);
        }
        response
    }

    /// The answer as a message, or the block of it that was asked for.
    fn laid_out(&self, answer: &Answer, block2: Option<Block>) -> Message {
        let most = self.settings.block_exponent();
        let exponent = block2.map_or(most, |block| block.exponent().min(most));
        let start = block2.map_or(0, Block::start);
        let bytes = Block::new(0, false, exponent).bytes();
        let mut response = Message::new(MessageType::NonConfirmable, answer.code, 0);
        if start > 0 && start >= answer.body.len() {
            response.code = if answer.is_success() { code::BAD_REQUEST } else { answer.code };
            return response;
        }
        for segment in &answer.location {
            response.add(option::LOCATION_PATH, segment.as_bytes());
        }
        if let Some(format) = answer.format {
            response.add_number(option::CONTENT_FORMAT, u32::from(format));
        }
        let end = answer.body.len().min(start + bytes);
        if answer.is_success() && (block2.is_some() || end < answer.body.len()) {
            let number = u32::try_from(start / bytes).expect("a body of at most 2^20 bytes has fewer blocks");
            let block = Block::new(number, end < answer.body.len(), exponent);
            response.add_number(option::BLOCK2, block.value());
            if start == 0 {
                let size = u32::try_from(answer.body.len()).expect("a body has at most 2^20 bytes");
                response.add_number(option::SIZE2, size);
            }
        }
        response.payload = answer.body[start..end].to_vec();
        response
    }

    /// RFC 7641 section 4.1: registers, or takes the registration back.
    fn observe(
        &mut self,
        now: Picoseconds,
        request: &Request<'_>,
        answer: &Answer,
        block2: Option<Block>,
        response: &mut Message,
    ) {
        let key = (request.from, request.message.token.clone());
        match request.message.number(option::OBSERVE) {
            Some(OBSERVE_DEREGISTER) => self.observers.remove(&key),
            Some(OBSERVE_REGISTER)
                if answer.is_success()
                    && Resources::is_observable(&request.path)
                    && block2.is_none_or(|block| block.number == 0) =>
            {
                let exponent = block2.map_or(self.settings.block_exponent(), Block::exponent);
                if self.observers.register(key, &request.path, exponent, self.settings.most_observers) {
                    response.add_number(option::OBSERVE, self.observers.next_sequence());
                    self.plan_tick(now);
                }
            }
            _ => {}
        }
    }

    fn plan_tick(&mut self, now: Picoseconds) {
        let observed = !self.observers.of(&["ticks".to_owned()]).is_empty();
        let tick = self.settings.tick.ps();
        self.next_tick = observed.then(|| Picoseconds::new((now.ps() / tick + 1).saturating_mul(tick)));
    }

    fn notify(&mut self, now: Picoseconds, path: &[String]) {
        for key in self.observers.of(path) {
            self.notify_one(now, &key);
        }
    }

    /// One notification on its way at a time; what changes meanwhile is told after it (RFC 7641 section 4.5.2).
    fn notify_one(&mut self, now: Picoseconds, key: &ObserverKey) {
        let Some(observer) = self.observers.get_mut(key) else { return };
        if observer.unconfirmed {
            observer.stale = true;
            return;
        }
        let confirmable = observer.tell(self.settings.confirmable_notifications);
        let (path, exponent) = (observer.path.clone(), observer.exponent);
        let get = Message::new(MessageType::NonConfirmable, code::GET, 0);
        let asked = Asked { method: code::GET, path: &path, message: &get, body: &[] };
        let answer = self.resources.answer(now, &asked, &self.settings);
        let cut = (answer.body.len() > 16 << exponent).then(|| Block::new(0, false, exponent));
        let mut message = self.laid_out(&answer, cut);
        message.token.clone_from(&key.1);
        if answer.is_success() {
            message.add_number(option::OBSERVE, self.observers.next_sequence());
        } else {
            self.observers.remove(key);
        }
        self.counters.notifications += 1;
        let at = after(now, self.settings.delay);
        if confirmable {
            message.kind = MessageType::Confirmable;
            self.send_confirmable(at, key.0, message, Some(key.clone()));
        } else {
            message.id = self.next_id();
            self.send_at(now, at, key.0, message.encode());
        }
    }

    fn acknowledged(&mut self, now: Picoseconds, from: Ipv4Endpoint, id: u16) {
        let Some(Some(key)) = self.retransmission.settle((from, id)) else { return };
        let Some(observer) = self.observers.get_mut(&key) else { return };
        observer.unconfirmed = false;
        if observer.stale {
            self.notify_one(now, &key);
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
                Due::GiveUp(observer) => {
                    self.counters.given_up += 1;
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
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
