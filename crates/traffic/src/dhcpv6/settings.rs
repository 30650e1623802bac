//! What the DHCPv6 server gives out, with the table of its options.

use std::net::Ipv6Addr;

use units::Picoseconds;

use crate::options::{self, Values, option};
use crate::{Declared, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Flag, Text};

const MOST_DNS_SERVERS: usize = 3;
const MOST_DOMAIN_BYTES: usize = 64;

/// The options of the DHCPv6 server.
pub const OPTIONS: &[Field] = &[
    option("first", Text("an IPv6 address"), "fd00::1000", "First address of the pool.", "2001:db8::100"),
    option("addresses", Count(1, 4096), "256", "How many addresses the pool has.", "1"),
    option(
        "dns",
        Text("up to three IPv6 addresses between commas"),
        "fd00::1",
        "DNS servers, whose addresses are given to nobody.",
        "2001:db8::1,2001:db8::2",
    ),
    option(
        "domain",
        Text("a domain or nothing"),
        "airwire.test",
        "The domain of the network, told to who asks for it.",
        "lan",
    ),
    option("lease_s", Count(1, 4_294_967_295), "3600", "How many seconds an address holds.", "60"),
    option(
        "rapid_commit",
        Flag,
        "true",
        "Whether a client that wishes it has its address after two messages.",
        "false",
    ),
    option("answers", Flag, "true", "Whether requests are answered at all.", "false"),
    option("delay", Duration, "0 s", "Time from a request to its answer.", "200ms"),
];

/// What the server gives out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// First address of the pool.
    pub first: Ipv6Addr,
    /// How many addresses the pool has.
    pub addresses: u32,
    /// DNS servers, at most three.
    pub dns: Vec<Ipv6Addr>,
    /// The domain of the network; empty for none.
    pub domain: String,
    /// How long an address holds.
    pub lease_s: u32,
    /// Whether two messages may do instead of four.
    pub rapid_commit: bool,
    /// Whether requests are answered at all.
    pub answers: bool,
    /// Time from a request to its answer.
    pub delay: Picoseconds,
}

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let settings = Self {
            first: values.read("first", options::parsed)?,
            addresses: values.read("addresses", options::parsed)?,
            dns: values.read("dns", |text| {
                options::list(text, options::parsed).filter(|servers| servers.len() <= MOST_DNS_SERVERS)
            })?,
            domain: values.read("domain", domain)?,
            lease_s: values.read("lease_s", options::parsed)?,
            rapid_commit: values.read("rapid_commit", options::switch)?,
            answers: values.read("answers", options::switch)?,
            delay: values.read("delay", options::time)?,
        };
        let first = settings.first;
        if first.is_multicast() || first.is_unspecified() || first.is_loopback() {
            let reason = format!("{first} is no address of one host");
            return Err(OptionError::Together { name: "first", reason });
        }
        Ok(settings)
    }
}

fn domain(text: &str) -> Option<String> {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_domain = text.is_empty() || text.len() <= MOST_DOMAIN_BYTES && text.split('.').all(is_label);
    is_domain.then(|| text.to_owned())
}
