//! A DHCP server (RFC 2131, options of RFC 2132) as a machine without I/O: a pool, leases by client, and manners for tests
//! (silent, late, refusing, offering an address in use). It does not probe an address before it offers it, and it serves one
//! network: a relay's requests are answered to the relay, from the same pool.

mod client;
mod leases;
mod settings;
mod wire;

use std::net::Ipv4Addr;

use smoltcp::wire::DhcpMessageType;
use units::Picoseconds;

pub use client::{Client, ClientSettings, Given};
pub use leases::{Lease, LeaseState};
pub use settings::{Answers, HardwareAddress, OPTIONS, ReplyTo, Reservation, Settings};

use crate::losses::{Cause, Losses};
use crate::outbox::{Outbox, after};
use crate::{Action, Connection, Event, IpEndpoint, Machine, Results};
use leases::{Leases, leased_until, offered_until};
use wire::{Reply, Request, option};

/// RFC 2131 section 4.1.
const SERVER_PORT: u16 = 67;
const CLIENT_PORT: u16 = 68;
const SOCKET: Connection = Connection(0);

/// What the server counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Offers sent.
    pub offers: u64,
    /// Leases granted or renewed, and answers to INFORM.
    pub acks: u64,
    /// Requests refused.
    pub naks: u64,
    /// Addresses declined by clients.
    pub declines: u64,
    /// Addresses given back.
    pub releases: u64,
    /// Datagrams that were no request of an Ethernet client.
    pub malformed: u64,
    /// Clients that found the pool empty.
    pub exhausted: u64,
    /// Requests that got no answer: for another server, of an unknown client, or by the setting.
    pub ignored: u64,
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

    /// All addresses that have or had a client, by address.
    pub fn leases(&self) -> impl Iterator<Item = (Ipv4Addr, &Lease)> {
        self.leases.all()
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Late answers that found no place to wait in.
    pub fn dropped(&self) -> u64 {
        self.outbox.dropped()
    }

    fn request(&mut self, now: Picoseconds, request: &Request) {
        match (request.kind, self.settings.answers) {
            (DhcpMessageType::Decline, _) => self.decline(now, request),
            (DhcpMessageType::Release, _) => self.release(request),
            (_, Answers::No) => self.counters.ignored += 1,
            (DhcpMessageType::Discover, _) => self.discover(now, request),
            (DhcpMessageType::Request, Answers::Nak) if self.is_for_me(request) => self.nak(now, request),
            (DhcpMessageType::Request, _) => self.requested(now, request),
            (DhcpMessageType::Inform, _) => self.inform(now, request),
            _ => self.counters.ignored += 1,
        }
    }

    fn is_for_me(&self, request: &Request) -> bool {
        request.server.is_none_or(|server| server == self.settings.server)
    }

    fn discover(&mut self, now: Picoseconds, request: &Request) {
        let key = request.key();
        let forced = self.settings.offer.filter(|address| {
            self.leases.get(*address).is_none_or(|lease| lease.state != LeaseState::Declined)
        });
        let chosen = forced
            .or_else(|| self.leases.choose(&self.settings, request.chaddr, &key, request.requested, now));
        let Some(address) = chosen else {
            self.counters.exhausted += 1;
            self.losses.turned_away(Cause::NoAddress, now, None);
            return;
        };
        let bound = self.leases.get(address).is_some_and(|lease| {
            lease.client == key && lease.state == LeaseState::Bound && now < lease.until
        });
        if !bound {
            self.put(address, request, LeaseState::Offered, offered_until(now));
        }
        let mut reply = Reply::new(DhcpMessageType::Offer);
        self.add_lease_times(&mut reply, request);
        self.add_configuration(&mut reply, request);
        let bytes = reply.into_bytes(request, Ipv4Addr::UNSPECIFIED, address);
        self.counters.offers += 1;
        self.reply(now, request, address, bytes);
    }

    /// Which of the four kinds of REQUEST it is follows from what is filled in: RFC 2131 section 4.3.2, table 4.
    fn requested(&mut self, now: Picoseconds, request: &Request) {
        let key = request.key();
        if !self.is_for_me(request) {
            self.leases.release_offer(&key);
            self.counters.ignored += 1;
            return;
        }
        let renews = !request.ciaddr.is_unspecified();
        let address = if renews { Some(request.ciaddr) } else { request.requested };
        let Some(address) = address else {
            self.counters.ignored += 1;
            return;
        };
        let own = self.leases.get(address).is_some_and(|lease| {
            lease.client == key && matches!(lease.state, LeaseState::Offered | LeaseState::Bound)
        });
        let known = self.leases.of_client(&key).is_some();
        let foreign = self.leases.get(address).is_some() || !self.settings.in_network(address);
        if own {
            self.ack(now, request, address);
        } else if known || foreign || request.server.is_some() {
            self.nak(now, request);
        } else {
            self.counters.ignored += 1;
        }
    }

    fn ack(&mut self, now: Picoseconds, request: &Request, address: Ipv4Addr) {
        let until = leased_until(now, self.lease_s(request));
        self.put(address, request, LeaseState::Bound, until);
        let mut reply = Reply::new(DhcpMessageType::Ack);
        self.add_lease_times(&mut reply, request);
        self.add_configuration(&mut reply, request);
        let bytes = reply.into_bytes(request, request.ciaddr, address);
        self.counters.acks += 1;
        self.reply(now, request, address, bytes);
    }

    /// RFC 2131 section 4.3.2: broadcast, or with the broadcast flag set to a relay that has to broadcast it.
    fn nak(&mut self, now: Picoseconds, request: &Request) {
        let relayed = !request.giaddr.is_unspecified();
        let mut marked = request.clone();
        marked.broadcast |= relayed;
        let mut reply = Reply::new(DhcpMessageType::Nak);
        reply.add_addresses(option::SERVER_IDENTIFIER, &[self.settings.server]);
        reply.add(option::MESSAGE, b"not your address");
        add_client_id(&mut reply, request);
        let bytes = reply.into_bytes(&marked, Ipv4Addr::UNSPECIFIED, Ipv4Addr::UNSPECIFIED);
        let to = if relayed { relay(request) } else { everybody() };
        self.counters.naks += 1;
        self.send(now, to, bytes);
    }

    /// RFC 2131 section 4.3.5: configuration without a lease, to an address that the client has already.
    fn inform(&mut self, now: Picoseconds, request: &Request) {
        if request.ciaddr.is_unspecified() {
            self.counters.ignored += 1;
            return;
        }
        let mut reply = Reply::new(DhcpMessageType::Ack);
        reply.add_addresses(option::SERVER_IDENTIFIER, &[self.settings.server]);
        self.add_configuration(&mut reply, request);
        let bytes = reply.into_bytes(request, request.ciaddr, Ipv4Addr::UNSPECIFIED);
        self.counters.acks += 1;
        self.send(now, IpEndpoint::new(request.ciaddr, CLIENT_PORT), bytes);
    }

    fn decline(&mut self, now: Picoseconds, request: &Request) {
        let until = leased_until(now, self.settings.lease_s);
        let declined = request.requested.is_some_and(|address| {
            self.is_for_me(request) && self.leases.decline(address, &request.key(), until)
        });
        if declined { self.counters.declines += 1 } else { self.counters.ignored += 1 }
    }

    fn release(&mut self, request: &Request) {
        let released = self.is_for_me(request) && self.leases.release(request.ciaddr, &request.key());
        if released { self.counters.releases += 1 } else { self.counters.ignored += 1 }
    }

    fn put(&mut self, address: Ipv4Addr, request: &Request, state: LeaseState, until: Picoseconds) {
        let hostname = request.hostname.clone().unwrap_or_default();
        let client = request.key();
        self.leases.put(address, Lease { client, hardware_address: request.chaddr, hostname, state, until });
    }

    fn lease_s(&self, request: &Request) -> u32 {
        request.lease_s.unwrap_or(u32::MAX).clamp(1, self.settings.lease_s)
    }

    fn add_lease_times(&self, reply: &mut Reply, request: &Request) {
        let lease_s = self.lease_s(request);
        let t2_s = self.settings.t2_s.unwrap_or(lease_s - lease_s / 8).min(lease_s);
        let t1_s = self.settings.t1_s.unwrap_or(lease_s / 2).min(t2_s);
        reply.add_addresses(option::SERVER_IDENTIFIER, &[self.settings.server]);
        for (kind, value) in [
            (option::IP_ADDRESS_LEASE_TIME, lease_s),
            (option::RENEWAL_TIME_VALUE, t1_s),
            (option::REBINDING_TIME_VALUE, t2_s),
        ] {
            reply.add(kind, &value.to_be_bytes());
        }
    }

    fn add_configuration(&self, reply: &mut Reply, request: &Request) {
        let settings = &self.settings;
        reply.add_addresses(option::SUBNET_MASK, &[settings.subnet_mask]);
        reply.add_addresses(option::ROUTER, settings.router.as_slice());
        reply.add_addresses(option::DOMAIN_NAME_SERVER, &settings.dns);
        for (kind, text) in [(option::HOST_NAME, &settings.hostname), (option::DOMAIN_NAME, &settings.domain)]
        {
            if request.wants(kind) && !text.is_empty() {
                reply.add(kind, text.as_bytes());
            }
        }
        if request.wants(option::BROADCAST_ADDRESS) {
            reply.add_addresses(option::BROADCAST_ADDRESS, &[settings.broadcast_address()]);
        }
        if request.wants(option::NTP_SERVERS) {
            reply.add_addresses(option::NTP_SERVERS, settings.ntp.as_slice());
        }
        add_client_id(reply, request);
    }

    /// Where a reply goes: RFC 2131 section 4.1.
    fn reply(&mut self, now: Picoseconds, request: &Request, yiaddr: Ipv4Addr, bytes: Vec<u8>) {
        let to = if !request.giaddr.is_unspecified() {
            relay(request)
        } else if !request.ciaddr.is_unspecified() {
            IpEndpoint::new(request.ciaddr, CLIENT_PORT)
        } else if request.broadcast || self.settings.reply == ReplyTo::Broadcast {
            everybody()
        } else {
            let to = IpEndpoint::new(yiaddr, CLIENT_PORT);
            return self.push(now, to, Action::SendToStation(SOCKET, to, request.chaddr, bytes));
        };
        self.send(now, to, bytes);
    }

    fn send(&mut self, now: Picoseconds, to: IpEndpoint, bytes: Vec<u8>) {
        self.push(now, to, Action::SendTo(SOCKET, to, bytes));
    }

    fn push(&mut self, now: Picoseconds, to: IpEndpoint, action: Action) {
        let at = after(now, self.settings.delay);
        if !self.outbox.push_at(now, at, action) {
            self.losses.note(Cause::NoRoom, now, None, Some(to), None);
        }
    }
}

/// RFC 6842 section 3: a reply repeats the identifier of the client.
fn add_client_id(reply: &mut Reply, request: &Request) {
    if let Some(client_id) = &request.client_id {
        reply.add(option::CLIENT_IDENTIFIER, client_id);
    }
}

fn relay(request: &Request) -> IpEndpoint {
    IpEndpoint::new(request.giaddr, SERVER_PORT)
}

fn everybody() -> IpEndpoint {
    IpEndpoint::everyone(CLIENT_PORT)
}

impl Machine for Server {
    fn handle(&mut self, now: Picoseconds, event: Event<'_>) {
        self.outbox.release(now);
        match event {
            Event::Wake if !self.seated => {
                self.seated = true;
                self.outbox.push(Action::Bind(SOCKET, SERVER_PORT, true));
            }
            Event::Datagram { from, bytes, .. } => match Request::parse(bytes) {
                Some(request) => self.request(now, &request),
                None => {
                    self.counters.malformed += 1;
                    self.losses.turned_away(Cause::Malformed, now, Some(from));
                }
            },
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
        let counters = self.counters();
        Results::counted(&[
            ("offers", counters.offers, "answers"),
            ("acks", counters.acks, "answers"),
            ("naks", counters.naks, "answers"),
            ("declines", counters.declines, "messages"),
            ("releases", counters.releases, "messages"),
            ("malformed", counters.malformed, "messages"),
            ("exhausted", counters.exhausted, "messages"),
            ("ignored", counters.ignored, "messages"),
        ])
        .with(&self.losses)
    }

    fn boxed_clone(&self) -> Box<dyn Machine> {
        Box::new(self.clone())
    }
}
