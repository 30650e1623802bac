//! What the DHCP server gives out and how it misbehaves for tests, with the table of its options.

use std::net::Ipv4Addr;

use units::Picoseconds;

use crate::options::{self, Values, option};
use crate::{Declared, OptionError};
use fields::Field;
use fields::TakesOf::{Address, Count, Duration, Text, Word};

/// An Ethernet address.
pub type HardwareAddress = [u8; 6];

/// Addresses that a pool may hold.
const MOST_POOL_ADDRESSES: u32 = 4096;
/// So that a reply stays within the 312 bytes of options that every client takes (RFC 2131 section 2).
const MOST_DOMAIN_BYTES: usize = 64;
/// RFC 1035 section 2.3.4.
const MOST_HOSTNAME_BYTES: usize = 63;
const MOST_DNS_SERVERS: usize = 3;

/// Where a reply goes that a client without an address waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyTo {
    /// To 255.255.255.255, which needs nothing of the seat.
    Broadcast,
    /// To the offered address and the client's Ethernet address, unless the client's broadcast flag is set: as RFC 2131 section
    /// 4.1 has it, and dnsmasq and routers do. Stacks that take no broadcasts depend on it.
    Unicast,
}

/// How requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// As RFC 2131 has it.
    Yes,
    /// Not at all.
    No,
    /// Offers, but refuses each request.
    Nak,
}

/// An address that belongs to one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// Whose.
    pub client: HardwareAddress,
    /// What it gets.
    pub address: Ipv4Addr,
}

/// What the server gives out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The server's own address.
    pub server: Ipv4Addr,
    /// Of the network.
    pub subnet_mask: Ipv4Addr,
    /// The way out, if there is one.
    pub router: Option<Ipv4Addr>,
    /// Name servers, at most three.
    pub dns: Vec<Ipv4Addr>,
    /// A time server.
    pub ntp: Option<Ipv4Addr>,
    /// First address of the pool.
    pub first: Ipv4Addr,
    /// Last address of the pool.
    pub last: Ipv4Addr,
    /// Addresses that belong to one client each.
    pub reservations: Vec<Reservation>,
    /// How long a lease holds at most.
    pub lease_s: u32,
    /// When a client renews; None for half the lease (RFC 2131 section 4.4.5).
    pub t1_s: Option<u32>,
    /// When a client rebinds; None for seven eighths of the lease.
    pub t2_s: Option<u32>,
    /// The name that a client is told to have; empty for none.
    pub hostname: String,
    /// The domain of the network; empty for none.
    pub domain: String,
    /// Where replies go.
    pub reply: ReplyTo,
    /// How requests are answered.
    pub answers: Answers,
    /// Time from request to answer.
    pub delay: Picoseconds,
    /// Offered to everybody until somebody declines it, whether it is in use or not.
    pub offer: Option<Ipv4Addr>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            server: Ipv4Addr::new(192, 168, 1, 1),
            subnet_mask: Ipv4Addr::new(255, 255, 255, 0),
            router: Some(Ipv4Addr::new(192, 168, 1, 1)),
            dns: vec![Ipv4Addr::new(192, 168, 1, 1)],
            ntp: None,
            first: Ipv4Addr::new(192, 168, 1, 100),
            last: Ipv4Addr::new(192, 168, 1, 199),
            reservations: Vec::new(),
            lease_s: 3600,
            t1_s: None,
            t2_s: None,
            hostname: String::new(),
            domain: "airwire.test".to_owned(),
            reply: ReplyTo::Unicast,
            answers: Answers::Yes,
            delay: Picoseconds::ZERO,
            offer: None,
        }
    }
}

/// The options of the DHCP server.
pub const OPTIONS: &[Field] = &[
    option(
        "server",
        Address,
        "192.168.1.1",
        "The server's own address, its identifier in every reply.",
        "192.168.1.10",
    ),
    option("subnet_mask", Address, "255.255.255.0", "Mask of the network.", "255.255.0.0"),
    option(
        "router",
        Text("an IPv4 address or nothing"),
        "192.168.1.1",
        "The way out of the network.",
        "192.168.1.254",
    ),
    option(
        "dns",
        Text("up to three IPv4 addresses between commas"),
        "192.168.1.1",
        "Name servers.",
        "192.168.1.2,192.168.1.1",
    ),
    option(
        "ntp",
        Text("an IPv4 address or nothing"),
        "",
        "A time server, told to who asks for one.",
        "192.168.1.2",
    ),
    option(
        "first",
        Address,
        "192.168.1.100",
        "First address of the pool, which holds at most 4096.",
        "192.168.1.50",
    ),
    option("last", Address, "192.168.1.199", "Last address of the pool.", "192.168.1.100"),
    option(
        "reservations",
        Text("hardware address=IPv4 address, between commas"),
        "",
        "Addresses that belong to one client each.",
        "02:00:00:00:00:01=192.168.1.50",
    ),
    option("lease_s", Count(1, 4_294_967_295), "3600", "How many seconds a lease holds at most.", "60"),
    option("t1_s", Count(0, 4_294_967_295), "", "When a client renews; nothing for half the lease.", "20"),
    option(
        "t2_s",
        Count(0, 4_294_967_295),
        "",
        "When a client rebinds; nothing for seven eighths of the lease.",
        "50",
    ),
    option(
        "hostname",
        Text("up to 63 printable characters"),
        "",
        "The name that a client is told to have.",
        "board-1",
    ),
    option(
        "domain",
        Text("up to 64 printable characters"),
        "airwire.test",
        "The domain of the network.",
        "lab.test",
    ),
    option(
        "reply",
        Word(&["broadcast", "unicast"]),
        "unicast",
        "Where a reply goes that a client without an address and without the broadcast flag waits for.",
        "broadcast",
    ),
    option(
        "answers",
        Word(&["yes", "no", "nak"]),
        "yes",
        "Whether requests are answered, ignored, or refused after an offer.",
        "nak",
    ),
    option("delay", Duration, "0 s", "Time from a request to its answer.", "3s"),
    option(
        "offer",
        Text("an IPv4 address or nothing"),
        "",
        "Offered to everybody until it is declined, in use or not.",
        "192.168.1.2",
    ),
];

pub(super) fn hardware_address(text: &str) -> Option<HardwareAddress> {
    let bytes: Option<Vec<u8>> = text
        .split(':')
        .map(|digits| (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok())?)
        .collect();
    bytes?.try_into().ok()
}

fn reservation(text: &str) -> Option<Reservation> {
    let (client, address) = text.split_once('=')?;
    Some(Reservation { client: hardware_address(client.trim())?, address: address.trim().parse().ok()? })
}

fn printable(text: &str, most_bytes: usize) -> Option<String> {
    (text.len() <= most_bytes && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| text.to_owned())
}

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let answers = [("yes", Answers::Yes), ("no", Answers::No), ("nak", Answers::Nak)];
        let replies = [("broadcast", ReplyTo::Broadcast), ("unicast", ReplyTo::Unicast)];
        let settings = Self {
            server: values.read("server", options::parsed)?,
            subnet_mask: values.read("subnet_mask", options::parsed)?,
            router: values.read_if_set("router", options::parsed)?,
            ntp: values.read_if_set("ntp", options::parsed)?,
            first: values.read("first", options::parsed)?,
            last: values.read("last", options::parsed)?,
            reservations: values.read("reservations", |text| options::list(text, reservation))?,
            lease_s: values.read("lease_s", options::parsed)?,
            t1_s: values.read_if_set("t1_s", options::parsed)?,
            t2_s: values.read_if_set("t2_s", options::parsed)?,
            reply: values.choose("reply", &replies)?,
            answers: values.choose("answers", &answers)?,
            dns: values.read("dns", |text| {
                options::list(text, options::parsed).filter(|servers| servers.len() <= MOST_DNS_SERVERS)
            })?,
            hostname: values.read("hostname", |text| printable(text, MOST_HOSTNAME_BYTES))?,
            domain: values.read("domain", |text| printable(text, MOST_DOMAIN_BYTES))?,
            delay: values.read("delay", options::time)?,
            offer: values.read_if_set("offer", options::parsed)?,
        };
        settings.check().map_err(|(name, reason)| OptionError::Together { name, reason })?;
        Ok(settings)
    }
}

impl Settings {
    /// Refuses a pool or a reservation outside the network.
    fn check(&self) -> Result<(), (&'static str, String)> {
        let reserved = self.reservations.iter().map(|one| ("reservations", one.address));
        for (name, address) in [("first", self.first), ("last", self.last)].into_iter().chain(reserved) {
            if !self.in_network(address) {
                let network = format!("{}/{}", self.server, self.subnet_mask);
                return Err((name, format!("{address} is outside the network of {network}")));
            }
        }
        let (first, last) = (u32::from(self.first), u32::from(self.last));
        if last < first || last - first >= MOST_POOL_ADDRESSES {
            let (first, last) = (self.first, self.last);
            let reason = format!(
                "the pool from {first} to {last} holds no address or more than {MOST_POOL_ADDRESSES}"
            );
            return Err(("last", reason));
        }
        Ok(())
    }

    pub(super) fn in_network(&self, address: Ipv4Addr) -> bool {
        let mask = u32::from(self.subnet_mask);
        u32::from(address) & mask == u32::from(self.server) & mask
    }

    pub(super) fn broadcast_address(&self) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(self.server) | !u32::from(self.subnet_mask))
    }
}
