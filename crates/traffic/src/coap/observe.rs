//! Who observes what (RFC 7641): the register of observers and what each has yet to be told; registration with a request,
//! notifications of a change, the tick of the resource that changes by itself, and their acknowledgement.

use std::collections::BTreeMap;

use units::Picoseconds;

use super::Server;
use super::block::Block;
use super::exchange::ObserverKey;
use super::message::{Message, MessageType, code, option};
use super::resources::{Answer, Asked, Resources};
use super::respond::Request;
use crate::IpEndpoint;
use crate::outbox::after;

/// RFC 7641 section 2.
const OBSERVE_REGISTER: u32 = 0;
const OBSERVE_DEREGISTER: u32 = 1;
/// RFC 7641 section 4.5 asks for a confirmable notification once in a while, so that an observer that is gone is noticed.
const CONFIRMED_EVERY: u32 = 64;
/// RFC 7641 section 3.4: sequence numbers have 24 bits.
const SEQUENCE_MASK: u32 = (1 << 24) - 1;

#[derive(Debug, Clone)]
pub(super) struct Observer {
    pub(super) path: Vec<String>,
    /// The greatest block that the observer asked for.
    pub(super) exponent: u8,
    told: u32,
    /// A confirmable notification is on its way.
    pub(super) unconfirmed: bool,
    /// The resource changed since that notification.
    pub(super) stale: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Observers {
    all: BTreeMap<ObserverKey, Observer>,
    sequence: u32,
}

impl Observers {
    /// False when there are too many.
    pub(super) fn register(&mut self, key: ObserverKey, path: &[String], exponent: u8, most: usize) -> bool {
        if !self.all.contains_key(&key) && self.all.len() >= most {
            return false;
        }
        let observer = Observer { path: path.to_vec(), exponent, told: 0, unconfirmed: false, stale: false };
        self.all.insert(key, observer);
        true
    }

    pub(super) fn remove(&mut self, key: &ObserverKey) {
        self.all.remove(key);
    }

    pub(super) fn get_mut(&mut self, key: &ObserverKey) -> Option<&mut Observer> {
        self.all.get_mut(key)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn of(&self, path: &[String]) -> Vec<ObserverKey> {
        self.all.iter().filter(|(_, observer)| observer.path == path).map(|(key, _)| key.clone()).collect()
    }

    pub(super) fn next_sequence(&mut self) -> u32 {
        self.sequence = (self.sequence + 1) & SEQUENCE_MASK;
        self.sequence
    }
}

impl Observer {
    /// Whether this notification has to be acknowledged.
    pub(super) fn tell(&mut self, always_confirmable: bool) -> bool {
        self.told = self.told.wrapping_add(1);
        let confirmable = always_confirmable || self.told.is_multiple_of(CONFIRMED_EVERY);
        self.unconfirmed = confirmable;
        self.stale = false;
        confirmable
    }
}

impl Server {
    /// RFC 7641 section 4.1: registers, or takes the registration back.
    pub(super) fn observe(
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

    pub(super) fn plan_tick(&mut self, now: Picoseconds) {
        let observed = !self.observers.of(&["ticks".to_owned()]).is_empty();
        let tick = self.settings.tick.ps();
        self.next_tick = observed.then(|| Picoseconds::new((now.ps() / tick + 1).saturating_mul(tick)));
    }

    pub(super) fn notify(&mut self, now: Picoseconds, path: &[String]) {
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

    pub(super) fn acknowledged(&mut self, now: Picoseconds, from: IpEndpoint, id: u16) {
        let Some(Some(key)) = self.retransmission.settle((from, id)) else { return };
        let Some(observer) = self.observers.get_mut(&key) else { return };
        observer.unconfirmed = false;
        if observer.stale {
            self.notify_one(now, &key);
        }
    }
}
