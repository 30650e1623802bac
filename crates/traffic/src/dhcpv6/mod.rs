//! A DHCPv6 server (RFC 8415) as a machine without I/O: addresses from a pool, DNS servers and a domain, with four messages or
//! two. Left out: relays, delegated prefixes, temporary addresses, reconfiguration, and authentication.

mod leases;
mod settings;
mod wire;

use units::Picoseconds;

pub use settings::{OPTIONS, Settings};

use crate::losses::{Cause, Losses};
use crate::outbox::{Outbox, after, seconds};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results};
use leases::Leases;
use wire::{Answer, Association, Lifetimes, Message, Status};

/// RFC 8415.
const PORT: u16 = 547;
const CLIENT_PORT: u16 = 546;
const SOCKET: Connection = Connection(0);
/// The server's identifier, by a link-layer address (RFC 8415): of Ethernet, and not assigned to anybody.
const IDENTIFIER: [u8; 10] = [0, 3, 0, 1, 0x02, 0, 0, 0, 0x05, 0x47];

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Counters {
    advertised: u64,
    given: u64,
    informed: u64,
    released: u64,
    declined: u64,
    malformed: u64,
    exhausted: u64,
    ignored: u64,
}

/// The server.
#[derive(Debug, Clone)]
pub struct Server {
    settings: Settings,
    seated: bool,
    leases: Leases,
    outbox: Outbox,
    counters: Counters,
    losses: Losses,
}

impl Server {
    /// A server that has no seat yet.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            seated: false,
            leases: Leases::default(),
            outbox: Outbox::default(),
            counters: Counters::default(),
            losses: Losses::default(),
        }
    }

    /// The answer to a message; nothing where it is for another server, or asks for nothing.
    fn answer(&mut self, now: Picoseconds, message: &Message) -> Option<Answer> {
        let names_me = message.server.as_deref() == Some(&IDENTIFIER);
        let names_nobody = message.server.is_none();
        let Some(client) = &message.client else {
            let asks = message.kind == wire::INFORMATION_REQUEST && (names_me || names_nobody);
            return asks.then(|| self.information(message));
        };
        match message.kind {
            wire::SOLICIT if names_nobody => {
                let at_once = message.rapid_commit && self.settings.rapid_commit;
                Some(self.assign(now, message, client, if at_once { wire::REPLY } else { wire::ADVERTISE }))
            }
            wire::REQUEST | wire::RENEW if names_me => Some(self.assign(now, message, client, wire::REPLY)),
            wire::REBIND if names_nobody => Some(self.assign(now, message, client, wire::REPLY)),
            wire::CONFIRM if names_nobody => self.confirm(message),
            wire::RELEASE | wire::DECLINE if names_me => Some(self.take_back(now, message, client)),
            wire::INFORMATION_REQUEST if names_me || names_nobody => Some(self.information(message)),
            _ => None,
        }
    }

    /// Addresses for all associations, offered or given.
    fn assign(&mut self, now: Picoseconds, message: &Message, client: &[u8], kind: u8) -> Answer {
        let valid_s = self.settings.lease_s;
        let lifetimes = Lifetimes { preferred_s: (u64::from(valid_s) * 5 / 8) as u32, valid_s };
        let mut answer = self.begun(message, kind);
        if kind == wire::REPLY && message.kind == wire::SOLICIT {
            answer.add(wire::RAPID_COMMIT, &[]);
        }
        for Association { number, addresses } in &message.associations {
            let holder = (client.to_vec(), *number);
            let chosen = self.leases.choose(&self.settings, now, &holder, addresses);
            match chosen {
                Some(address) if kind == wire::REPLY => {
                    self.counters.given += 1;
                    self.leases.give(address, after(now, seconds(valid_s)), &holder);
                }
                Some(address) => {
                    self.counters.advertised += 1;
                    self.leases.offer(address, now, &holder);
                }
                None => {
                    self.counters.exhausted += 1;
                    self.losses.turned_away(Cause::NoAddress, now, None);
                }
            }
            answer.add_association(
                *number,
                chosen.map(|address| (address, lifetimes)).ok_or(Status::NoAddresses),
            );
        }
        self.add_configuration(&mut answer, message);
        answer
    }

    /// Whether addresses fit the network, of which the pool knows the first 64 bits.
    fn confirm(&mut self, message: &Message) -> Option<Answer> {
        let network = self.settings.first.to_bits() >> 64;
        let mut addresses = message.associations.iter().flat_map(|one| &one.addresses).peekable();
        addresses.peek()?;
        let fits = addresses.all(|address| address.to_bits() >> 64 == network);
        let mut answer = self.begun(message, wire::REPLY);
        answer.add_status(if fits { Status::Success } else { Status::NotOnLink });
        Some(answer)
    }

    /// A client gives addresses back, or has found that another host uses them; both are answered (RFC 8415, section 18.3.8).
    fn take_back(&mut self, now: Picoseconds, message: &Message, client: &[u8]) -> Answer {
        let until = after(now, seconds(self.settings.lease_s));
        let mut answer = self.begun(message, wire::REPLY);
        answer.add_status(Status::Success);
        for Association { number, addresses } in &message.associations {
            let holder = (client.to_vec(), *number);
            let mut had_all = true;
            for address in addresses {
                let (had, count) = if message.kind == wire::DECLINE {
                    (self.leases.decline(*address, until, &holder), &mut self.counters.declined)
                } else {
                    (self.leases.release(*address, &holder), &mut self.counters.released)
                };
                *count += u64::from(had);
                had_all &= had;
            }
            if !had_all {
                answer.add_association(*number, Err(Status::NoBinding));
            }
        }
        answer
    }

    fn information(&mut self, message: &Message) -> Answer {
        self.counters.informed += 1;
        let mut answer = self.begun(message, wire::REPLY);
        self.add_configuration(&mut answer, message);
        answer
    }

    /// An answer with both identifiers.
    fn begun(&self, message: &Message, kind: u8) -> Answer {
        let mut answer = Answer::to(message, kind);
        answer.add(wire::SERVER_IDENTIFIER, &IDENTIFIER);
        if let Some(client) = &message.client {
            answer.add(wire::CLIENT_IDENTIFIER, client);
        }
        answer
    }

    /// DNS servers are told to everybody, as some clients of microcontrollers ask for nothing by name.
    fn add_configuration(&self, answer: &mut Answer, message: &Message) {
        let Settings { dns, domain, .. } = &self.settings;
        if !dns.is_empty() {
            answer.add(wire::DNS_SERVERS, &dns.iter().flat_map(|server| server.octets()).collect::<Vec<_>>());
        }
        if !domain.is_empty() && message.wanted.contains(&wire::DOMAINS) {
            answer.add(wire::DOMAINS, &wire::labels(domain));
        }
    }

    fn datagram(&mut self, now: Picoseconds, from: IpEndpoint, bytes: &[u8]) {
        let Some(message) = Message::parse(bytes) else {
            self.counters.malformed += 1;
            return self.losses.turned_away(Cause::Malformed, now, Some(from));
        };
        let answer = if self.settings.answers { self.answer(now, &message) } else { None };
        let Some(answer) = answer else {
            self.counters.ignored += 1;
            return;
        };
        let at = after(now, self.settings.delay);
        let to = IpEndpoint::new(from.address, CLIENT_PORT);
        if !self.outbox.push_at(now, at, Action::SendTo(SOCKET, to, answer.into_bytes())) {
            self.losses.note(Cause::NoRoom, now, None, Some(to), None);
        }
    }
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        self.outbox.release(now);
        match event {
            Event::Wake if !self.seated => {
                self.seated = true;
                self.outbox.push(Action::Bind(SOCKET, PORT, false));
            }
            Event::Datagram { from, bytes, .. } => self.datagram(now, from, bytes),
            _ => {}
        }
    }

    fn poll(&mut self) -> Option<Action> {
        self.outbox.pop()
    }

    fn wake_at(&self) -> Option<Picoseconds> {
        self.outbox.wake_at()
    }

    fn results(&self) -> Results {
        let Counters { advertised, given, informed, released, declined, malformed, exhausted, ignored } =
            self.counters;
        Results::counted(&[
            ("advertised", advertised, "addresses"),
            ("given", given, "addresses"),
            ("informed", informed, "clients"),
            ("released", released, "addresses"),
            ("declined", declined, "addresses"),
            ("malformed", malformed, "messages"),
            ("exhausted", exhausted, "messages"),
            ("ignored", ignored, "messages"),
        ])
        .with(&self.losses)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
