//! What the DHCP server gives out and how it misbehaves for tests, with the table of its options.

use std::net::Ipv4Addr;

use units::Picoseconds;

use crate::declared::{self, Declared};
use crate::{OptionError, ServiceOption};

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
    /// To the offered address, unless the client's broadcast flag is set. The seat has to know the client's hardware
    /// address without asking, for the client cannot answer ARP yet.
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
            server: Ipv4Addr::new(192, 168, 1, 2),
            subnet_mask: Ipv4Addr::new(255, 255, 255, 0),
            router: Some(Ipv4Addr::new(192, 168, 1, 1)),
            dns: vec![Ipv4Addr::new(192, 168, 1, 2)],
            ntp: None,
            first: Ipv4Addr::new(192, 168, 1, 100),
            last: Ipv4Addr::new(192, 168, 1, 199),
            reservations: Vec::new(),
            lease_s: 3600,
            t1_s: None,
            t2_s: None,
            hostname: String::new(),
            domain: "airwire.test".to_owned(),
            reply: ReplyTo::Broadcast,
            answers: Answers::Yes,
            delay: Picoseconds::ZERO,
            offer: None,
        }
    }
}

/// The options of the DHCP server.
pub const OPTIONS: &[ServiceOption] = &[
    ServiceOption {
        name: "server",
        takes: "an IPv4 address",
        default: "192.168.1.2",
        help: "The server's own address, its identifier in every reply.",
        example: "192.168.1.10",
    },
    ServiceOption {
        name: "subnet_mask",
        takes: "an IPv4 mask",
        default: "255.255.255.0",
        help: "Mask of the network.",
        example: "255.255.0.0",
    },
    ServiceOption {
        name: "router",
        takes: "an IPv4 address or nothing",
        default: "192.168.1.1",
        help: "The way out of the network.",
        example: "192.168.1.254",
    },
    ServiceOption {
        name: "dns",
        takes: "up to three IPv4 addresses between commas",
        default: "192.168.1.2",
        help: "Name servers.",
        example: "192.168.1.2,192.168.1.1",
    },
    ServiceOption {
        name: "ntp",
        takes: "an IPv4 address or nothing",
        default: "",
        help: "A time server, told to who asks for one.",
        example: "192.168.1.2",
    },
    ServiceOption {
        name: "first",
        takes: "an IPv4 address",
        default: "192.168.1.100",
        help: "First address of the pool, which holds at most 4096.",
        example: "192.168.1.50",
    },
    ServiceOption {
        name: "last",
        takes: "an IPv4 address",
        default: "192.168.1.199",
        help: "Last address of the pool.",
        example: "192.168.1.100",
    },
    ServiceOption {
        name: "reservations",
        takes: "hardware address=IPv4 address, between commas",
        default: "",
        help: "Addresses that belong to one client each.",
        example: "02:00:00:00:00:01=192.168.1.50",
    },
    ServiceOption {
        name: "lease_s",
        takes: "1 to 4294967295; the greatest is for ever",
        default: "3600",
        help: "How many seconds a lease holds at most.",
        example: "60",
    },
    ServiceOption {
        name: "t1_s",
        takes: "a number of seconds or nothing",
        default: "",
        help: "When a client renews; nothing for half the lease.",
        example: "20",
    },
    ServiceOption {
        name: "t2_s",
        takes: "a number of seconds or nothing",
        default: "",
        help: "When a client rebinds; nothing for seven eighths of the lease.",
        example: "50",
    },
    ServiceOption {
        name: "hostname",
        takes: "up to 63 printable characters",
        default: "",
        help: "The name that a client is told to have.",
        example: "board-1",
    },
    ServiceOption {
        name: "domain",
        takes: "up to 64 printable characters",
        default: "airwire.test",
        help: "The domain of the network.",
        example: "lab.test",
    },
    ServiceOption {
        name: "reply",
        takes: "broadcast or unicast",
        default: "broadcast",
        help: "Where a reply goes that a client without an address and without the broadcast flag waits for.",
        example: "unicast",
    },
    ServiceOption {
        name: "answers",
        takes: "yes, no or nak",
        default: "yes",
        help: "Whether requests are answered, ignored, or refused after an offer.",
        example: "nak",
    },
    ServiceOption {
        name: "delay",
        takes: "a duration",
        default: "0 s",
        help: "Time from a request to its answer.",
        example: "3s",
    },
    ServiceOption {
        name: "offer",
        takes: "an IPv4 address or nothing",
        default: "",
        help: "Offered to everybody until it is declined, in use or not.",
        example: "192.168.1.2",
    },
];

fn hardware_address(text: &str) -> Option<HardwareAddress> {
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
    const SERVICE: &'static str = "dhcp";
    const OPTIONS: &'static [ServiceOption] = OPTIONS;

    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "server" => self.server = value.parse().ok()?,
            "subnet_mask" => self.subnet_mask = value.parse().ok()?,
            "router" => self.router = declared::optional(value)?,
            "dns" => {
                self.dns = declared::list(value, |text| text.parse().ok())
                    .filter(|servers: &Vec<Ipv4Addr>| servers.len() <= MOST_DNS_SERVERS)?;
            }
            "ntp" => self.ntp = declared::optional(value)?,
            "first" => self.first = value.parse().ok()?,
            "last" => self.last = value.parse().ok()?,
            "reservations" => self.reservations = declared::list(value, reservation)?,
            "lease_s" => self.lease_s = declared::number(value, 1, u32::MAX)?,
            "t1_s" => self.t1_s = declared::optional(value)?,
            "t2_s" => self.t2_s = declared::optional(value)?,
            "hostname" => self.hostname = printable(value, MOST_HOSTNAME_BYTES)?,
            "domain" => self.domain = printable(value, MOST_DOMAIN_BYTES)?,
            "delay" => self.delay = declared::duration(value)?,
            "offer" => self.offer = declared::optional(value)?,
            _ => return self.set_manner(name, value),
        }
        Some(())
    }

    fn check(&self) -> Result<(), String> {
        let (first, last) = (u32::from(self.first), u32::from(self.last));
        if last < first || last - first >= MOST_POOL_ADDRESSES {
            return Err(format!(
                "the pool from {} to {} holds no address or more than {MOST_POOL_ADDRESSES}",
                self.first, self.last
            ));
        }
        for address in [self.first, self.last].into_iter().chain(self.reservations.iter().map(|r| r.address))
        {
            if !self.in_network(address) {
                return Err(format!(
                    "{address} is outside the network of {}/{}",
                    self.server, self.subnet_mask
                ));
            }
        }
        Ok(())
    }
}

impl Settings {
    /// The defaults with pairs of option and value laid over them.
    ///
    /// # Errors
    /// When an option is not there, does not take the value, or the pool is outside the network.
    pub fn from_options(pairs: &[(&str, &str)]) -> Result<Self, OptionError> {
        Self::default().with_options(pairs)
    }

    fn set_manner(&mut self, name: &str, value: &str) -> Option<()> {
        match (name, value) {
            ("reply", "broadcast") => self.reply = ReplyTo::Broadcast,
            ("reply", "unicast") => self.reply = ReplyTo::Unicast,
            ("answers", "yes") => self.answers = Answers::Yes,
            ("answers", "no") => self.answers = Answers::No,
            ("answers", "nak") => self.answers = Answers::Nak,
            _ => return None,
        }
        Some(())
    }

    pub(super) fn in_network(&self, address: Ipv4Addr) -> bool {
        let mask = u32::from(self.subnet_mask);
        u32::from(address) & mask == u32::from(self.server) & mask
    }

    pub(super) fn broadcast_address(&self) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(self.server) | !u32::from(self.subnet_mask))
    }
}
