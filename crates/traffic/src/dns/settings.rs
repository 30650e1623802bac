//! The names that the DNS server knows and how it misbehaves for tests, with the table of its options.

use std::net::Ipv4Addr;

use units::Picoseconds;

use crate::options::{self, Values, option};
use crate::{Declared, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Port, Text, Word};

/// RFC 1035 section 4.2.
const PORT: u16 = 53;

/// A name and its address. `*.lab` stands for every name below `lab` that has no record of its own, `*` for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its labels, in lower case.
    pub(super) labels: Vec<Vec<u8>>,
    /// What it stands for.
    pub(super) address: Ipv4Addr,
}

impl Record {
    /// None when the name is no domain name.
    pub fn new(name: &str, address: Ipv4Addr) -> Option<Self> {
        let labels: Vec<Vec<u8>> = name
            .trim_end_matches('.')
            .split('.')
            .map(|label| label.as_bytes().to_ascii_lowercase())
            .collect();
        let fits = labels.iter().all(|label| (1..=63).contains(&label.len())) && name.len() <= 253;
        fits.then_some(Self { labels, address })
    }

    fn parse(text: &str) -> Option<Self> {
        let (name, address) = text.split_once('=')?;
        Self::new(name.trim(), address.trim().parse().ok()?)
    }
}

/// How queries are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// From the table.
    Yes,
    /// Not at all.
    No,
    /// Over UDP with the truncation flag and no record, over TCP from the table.
    Truncated,
}

/// What the server knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Where it listens, UDP and TCP.
    pub port: u16,
    /// The table; a name may have several addresses.
    pub records: Vec<Record>,
    /// How long an answer may be kept.
    pub ttl_s: u32,
    /// How queries are answered.
    pub answers: Answers,
    /// Time from query to answer.
    pub delay: Picoseconds,
}

impl Default for Settings {
    fn default() -> Self {
        Self { port: PORT, records: Vec::new(), ttl_s: 60, answers: Answers::Yes, delay: Picoseconds::ZERO }
    }
}

/// The options of the DNS server.
pub const OPTIONS: &[Field] = &[
    option("port", Port, "53", "Where the server listens, over UDP and TCP.", "5353"),
    option(
        "records",
        Text("name=IPv4 address, between commas"),
        "",
        "The names that it knows; *.lab stands for every other name below lab, * for all.",
        "pc.airwire.test=192.168.1.2,*.lab=192.168.1.3",
    ),
    option("ttl", Count(0, 2_147_483_647), "60", "How many seconds an answer may be kept.", "1"),
    option(
        "answers",
        Word(&["yes", "no", "truncated"]),
        "yes",
        "Whether queries are answered, ignored, or over UDP truncated to nothing.",
        "truncated",
    ),
    option("delay", Duration, "0 s", "Time from a query to its answer.", "200ms"),
];

impl Declared for Settings {
    const OPTIONS: &'static [Field] = OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let answers = [("yes", Answers::Yes), ("no", Answers::No), ("truncated", Answers::Truncated)];
        Ok(Self {
            answers: values.choose("answers", &answers)?,
            port: values.read("port", options::parsed)?,
            records: values.read("records", |text| options::list(text, Record::parse))?,
            ttl_s: values.read("ttl", options::parsed)?,
            delay: values.read("delay", options::time)?,
        })
    }
}

impl Settings {
    /// The addresses of a name; None when there is no such name. A name of the table wins over a wildcard, and a longer
    /// wildcard over a shorter one. Unlike in RFC 4592, a name of the table does not end a wildcard for the names below it.
    pub(super) fn addresses(&self, labels: &[Vec<u8>]) -> Option<Vec<Ipv4Addr>> {
        let of = |wanted: &[Vec<u8>]| -> Vec<Ipv4Addr> {
            self.records
                .iter()
                .filter(|record| record.labels == wanted)
                .map(|record| record.address)
                .collect()
        };
        let named = of(labels);
        if !named.is_empty() {
            return Some(named);
        }
        let below = |record: &Record| record.labels.len() > labels.len() && record.labels.ends_with(labels);
        if !labels.is_empty() && self.records.iter().any(below) {
            return Some(Vec::new());
        }
        (1..=labels.len())
            .map(|cut| of(&[&[b"*".to_vec()], &labels[cut..]].concat()))
            .find(|addresses| !addresses.is_empty())
    }
}
