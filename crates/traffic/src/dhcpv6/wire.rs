//! The messages of DHCPv6 (RFC 8415) that a client and a server exchange without a relay.

use std::net::Ipv6Addr;

pub(super) const SOLICIT: u8 = 1;
pub(super) const ADVERTISE: u8 = 2;
pub(super) const REQUEST: u8 = 3;
pub(super) const CONFIRM: u8 = 4;
pub(super) const RENEW: u8 = 5;
pub(super) const REBIND: u8 = 6;
pub(super) const REPLY: u8 = 7;
pub(super) const RELEASE: u8 = 8;
pub(super) const DECLINE: u8 = 9;
pub(super) const INFORMATION_REQUEST: u8 = 11;

/// Options.
pub(super) const CLIENT_IDENTIFIER: u16 = 1;
pub(super) const SERVER_IDENTIFIER: u16 = 2;
const ASSOCIATION: u16 = 3;
const ADDRESS: u16 = 5;
const WANTED: u16 = 6;
const STATUS: u16 = 13;
pub(super) const RAPID_COMMIT: u16 = 14;
/// RFC 3646.
pub(super) const DNS_SERVERS: u16 = 23;
pub(super) const DOMAINS: u16 = 24;

/// The longest identifier of a client or a server, with its type (RFC 8415).
const MOST_IDENTIFIER_BYTES: usize = 130;
/// Associations of one client; others are passed over.
const MOST_ASSOCIATIONS: usize = 16;

/// How something went (RFC 8415).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Success = 0,
    NoAddresses = 2,
    NoBinding = 3,
    NotOnLink = 4,
}

/// An identity association of a client: what it has, or asks for, under a number of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Association {
    pub(super) number: u32,
    pub(super) addresses: Vec<Ipv6Addr>,
}

/// What a client sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) kind: u8,
    pub(super) transaction: [u8; 3],
    pub(super) client: Option<Vec<u8>>,
    pub(super) server: Option<Vec<u8>>,
    pub(super) associations: Vec<Association>,
    pub(super) rapid_commit: bool,
    pub(super) wanted: Vec<u16>,
}

impl Message {
    /// Reads a message; nothing where it is not whole.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let ([kind, a, b, c], rest) = bytes.split_first_chunk()?;
        let mut message = Self {
            kind: *kind,
            transaction: [*a, *b, *c],
            client: None,
            server: None,
            associations: Vec::new(),
            rapid_commit: false,
            wanted: Vec::new(),
        };
        for (code, data) in options(rest)? {
            match code {
                CLIENT_IDENTIFIER => message.client = Some(identifier(data)?),
                SERVER_IDENTIFIER => message.server = Some(identifier(data)?),
                ASSOCIATION if message.associations.len() < MOST_ASSOCIATIONS => {
                    message.associations.push(association(data)?);
                }
                RAPID_COMMIT => message.rapid_commit = true,
                WANTED => {
                    message.wanted.extend(data.as_chunks().0.iter().map(|code| u16::from_be_bytes(*code)));
                }
                _ => {}
            }
        }
        Some(message)
    }
}

/// Codes and contents; nothing where the last one is not whole.
fn options(mut bytes: &[u8]) -> Option<Vec<(u16, &[u8])>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let ([a, b, c, d], rest) = bytes.split_first_chunk()?;
        let (data, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes([*c, *d])))?;
        found.push((u16::from_be_bytes([*a, *b]), data));
        bytes = rest;
    }
    Some(found)
}

fn identifier(data: &[u8]) -> Option<Vec<u8>> {
    (3..=MOST_IDENTIFIER_BYTES).contains(&data.len()).then(|| data.to_vec())
}

fn association(data: &[u8]) -> Option<Association> {
    let (number, rest) = data.split_first_chunk()?;
    // T1 and T2 are the server's to say.
    let options = options(rest.get(8..)?)?;
    let addresses = options.iter().filter(|(code, _)| *code == ADDRESS);
    let addresses = addresses.map(|(_, data)| data.first_chunk::<16>().map(|bytes| Ipv6Addr::from(*bytes)));
    Some(Association { number: u32::from_be_bytes(*number), addresses: addresses.collect::<Option<_>>()? })
}

/// What the server sends.
#[derive(Debug)]
pub(super) struct Answer(Vec<u8>);

/// How long an address holds, in seconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lifetimes {
    pub(super) preferred_s: u32,
    pub(super) valid_s: u32,
}

impl Answer {
    pub(super) fn to(message: &Message, kind: u8) -> Self {
        let [a, b, c] = message.transaction;
        Self(vec![kind, a, b, c])
    }

    pub(super) fn add(&mut self, code: u16, data: &[u8]) {
        self.0.extend(code.to_be_bytes());
        self.0.extend((data.len() as u16).to_be_bytes());
        self.0.extend(data);
    }

    pub(super) fn add_status(&mut self, status: Status) {
        self.add(STATUS, &(status as u16).to_be_bytes());
    }

    /// An association with its address, or with the reason why it has none. T1 and T2 are as RFC 8415, section 21.4, recommends.
    pub(super) fn add_association(&mut self, number: u32, given: Result<(Ipv6Addr, Lifetimes), Status>) {
        let mut inner = Self(Vec::new());
        let [mut renew_s, mut rebind_s] = [0; 2];
        match given {
            Ok((address, Lifetimes { preferred_s, valid_s })) => {
                [renew_s, rebind_s] = [preferred_s / 2, (u64::from(preferred_s) * 4 / 5) as u32];
                let lifetimes = [preferred_s.to_be_bytes(), valid_s.to_be_bytes()].concat();
                inner.add(ADDRESS, &[&address.octets()[..], &lifetimes].concat());
            }
            Err(status) => inner.add_status(status),
        }
        let head = [number, renew_s, rebind_s].map(u32::to_be_bytes).concat();
        self.add(ASSOCIATION, &[head, inner.0].concat());
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// A domain as DNS writes it (RFC 8415).
pub(super) fn labels(domain: &str) -> Vec<u8> {
    let labels = domain.split('.').filter(|label| !label.is_empty());
    let mut bytes: Vec<u8> =
        labels.flat_map(|label| std::iter::once(label.len() as u8).chain(label.bytes())).collect();
    bytes.push(0);
    bytes
}
