//! The resources of the CoAP server: /hello, /echo, /large, /ticks and the tree below /store, and how they are found
//! (/.well-known/core, RFC 6690). It knows bodies and codes; blocks, observers and messages are others' matter.

use std::collections::BTreeMap;

use units::Picoseconds;

use super::message::{Message, code, option};
use super::settings::Settings;

/// Content formats, RFC 7252 section 12.3.
const TEXT_PLAIN: u16 = 0;
const LINK_FORMAT: u16 = 40;
const OCTET_STREAM: u16 = 42;
const MOST_NAME_BYTES: usize = 255;

/// What a request is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) code: u8,
    pub(super) format: Option<u16>,
    pub(super) body: Vec<u8>,
    pub(super) location: Vec<String>,
}

impl Answer {
    pub(super) fn new(code: u8) -> Self {
        Self { code, format: None, body: Vec::new(), location: Vec::new() }
    }

    fn content(format: u16, body: Vec<u8>) -> Self {
        Self { code: code::CONTENT, format: Some(format), body, location: Vec::new() }
    }

    pub(super) fn is_success(&self) -> bool {
        self.code >> 5 == 2
    }
}

#[derive(Debug, Clone)]
struct Entry {
    format: Option<u16>,
    body: Vec<u8>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Resources {
    store: BTreeMap<String, Entry>,
    names_given: u64,
}

/// A request without its message layer.
pub(super) struct Asked<'a> {
    pub(super) method: u8,
    pub(super) path: &'a [String],
    pub(super) message: &'a Message,
    pub(super) body: &'a [u8],
}

/// Path, attributes: RFC 6690 section 2.
const LINKS: &[(&str, &str)] = &[
    ("/hello", "rt=\"hello\";ct=0"),
    ("/echo", "rt=\"echo\""),
    ("/large", "rt=\"large\";ct=42"),
    ("/ticks", "rt=\"ticks\";ct=0;obs"),
    ("/store", "rt=\"store\";ct=40;obs"),
];

impl Resources {
    /// Whether a path can be observed.
    pub(super) fn is_observable(path: &[String]) -> bool {
        matches!(path, [one] if one == "ticks" || one == "store")
            || matches!(path, [store, _] if store == "store")
    }

    pub(super) fn answer(&mut self, now: Picoseconds, asked: &Asked<'_>, settings: &Settings) -> Answer {
        let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
        match (asked.method, &path[..]) {
            (code::GET, _) => self.get(now, &path, asked.message, settings),
            (code::PUT | code::POST, ["echo"]) => echo(asked, settings),
            (code::POST, ["store"]) => self.post(asked, settings),
            (code::PUT, ["store", name]) => self.put(name, asked, settings),
            (code::DELETE, ["store", name]) => self.delete(name, asked.message),
            (
                _,
                [".well-known", "core"] | ["hello" | "echo" | "large" | "ticks" | "store"] | ["store", _],
            ) => Answer::new(code::METHOD_NOT_ALLOWED),
            _ => Answer::new(code::NOT_FOUND),
        }
    }

    fn get(&self, now: Picoseconds, path: &[&str], message: &Message, settings: &Settings) -> Answer {
        let answer = match path {
            [".well-known", "core"] => match self.links(message, settings) {
                Some(links) => Answer::content(LINK_FORMAT, links.into_bytes()),
                None => return Answer::new(code::BAD_REQUEST),
            },
            ["hello"] => Answer::content(TEXT_PLAIN, settings.hello.clone().into_bytes()),
            ["large"] => Answer::content(OCTET_STREAM, large(settings.large_bytes)),
            ["ticks"] => {
                Answer::content(TEXT_PLAIN, (now.ps() / settings.tick.ps()).to_string().into_bytes())
            }
            ["store"] => {
                let links: Vec<_> =
                    self.store.keys().map(|name| format!("</store/{}>", escaped(name))).collect();
                Answer::content(LINK_FORMAT, links.join(",").into_bytes())
            }
            ["store", name] => match self.store.get(*name) {
                Some(entry) => Answer { format: entry.format, ..Answer::content(0, entry.body.clone()) },
                None => return Answer::new(code::NOT_FOUND),
            },
            ["echo"] => return Answer::new(code::METHOD_NOT_ALLOWED),
            _ => return Answer::new(code::NOT_FOUND),
        };
        let accepted = message.number(option::ACCEPT);
        if accepted.is_some_and(|accepted| answer.format.is_some_and(|format| accepted != u32::from(format)))
        {
            return Answer::new(code::NOT_ACCEPTABLE);
        }
        answer
    }

    /// The links, filtered as RFC 6690 section 4.1 has it; None for a query that is no filter.
    fn links(&self, message: &Message, settings: &Settings) -> Option<String> {
        let mut filters = Vec::new();
        for query in message.values(option::URI_QUERY) {
            filters.push(std::str::from_utf8(query).ok()?.split_once('=')?);
        }
        let fixed = LINKS.iter().map(|(path, attributes)| {
            let size =
                if *path == "/large" { format!(";sz={}", settings.large_bytes) } else { String::new() };
            ((*path).to_owned(), format!("{attributes}{size}"))
        });
        let stored = self
            .store
            .keys()
            .map(|name| (format!("/store/{}", escaped(name)), "rt=\"entry\";obs".to_owned()));
        let kept = fixed.chain(stored).filter(|(path, attributes)| {
            filters.iter().all(|(name, wanted)| match *name {
                "href" => fits(path, wanted),
                name => attributes.split(';').filter_map(|attribute| attribute.split_once('=')).any(
                    |(other, value)| {
                        other == name && value.trim_matches('"').split(' ').any(|v| fits(v, wanted))
                    },
                ),
            })
        });
        Some(kept.map(|(path, attributes)| format!("<{path}>;{attributes}")).collect::<Vec<_>>().join(","))
    }

    fn post(&mut self, asked: &Asked<'_>, settings: &Settings) -> Answer {
        let name = loop {
            self.names_given += 1;
            let name = self.names_given.to_string();
            if !self.store.contains_key(&name) {
                break name;
            }
        };
        let mut answer = self.put(&name, asked, settings);
        if answer.is_success() {
            answer.location = vec!["store".to_owned(), name];
        }
        answer
    }

    fn put(&mut self, name: &str, asked: &Asked<'_>, settings: &Settings) -> Answer {
        let there = self.store.contains_key(name);
        if !preconditions_hold(asked.message, there) {
            return Answer::new(code::PRECONDITION_FAILED);
        }
        if asked.body.len() > settings.most_store_bytes || name.len() > MOST_NAME_BYTES {
            return Answer::new(code::REQUEST_ENTITY_TOO_LARGE);
        }
        if !there && self.store.len() >= settings.most_entries {
            return Answer::new(code::SERVICE_UNAVAILABLE);
        }
        let entry = Entry { format: content_format(asked.message), body: asked.body.to_vec() };
        self.store.insert(name.to_owned(), entry);
        Answer::new(if there { code::CHANGED } else { code::CREATED })
    }

    fn delete(&mut self, name: &str, message: &Message) -> Answer {
        if !preconditions_hold(message, self.store.contains_key(name)) {
            return Answer::new(code::PRECONDITION_FAILED);
        }
        self.store.remove(name);
        Answer::new(code::DELETED)
    }
}

fn content_format(message: &Message) -> Option<u16> {
    message.number(option::CONTENT_FORMAT).and_then(|format| u16::try_from(format).ok())
}

/// RFC 7252 section 5.10.8. Entity tags are not given out, so only the empty If-Match can be met.
fn preconditions_hold(message: &Message, there: bool) -> bool {
    let mut tags = message.values(option::IF_MATCH).peekable();
    let matched = tags.peek().is_none() || (there && tags.any(<[u8]>::is_empty));
    matched && (message.values(option::IF_NONE_MATCH).next().is_none() || !there)
}

fn echo(asked: &Asked<'_>, settings: &Settings) -> Answer {
    if asked.body.len() > settings.block_bytes {
        return Answer::new(code::REQUEST_ENTITY_TOO_LARGE);
    }
    let format = content_format(asked.message);
    Answer { code: code::CHANGED, format, body: asked.body.to_vec(), location: Vec::new() }
}

/// Lines of 16 bytes that say where they stand, so that a lost or repeated block shows.
pub(super) fn large(bytes: usize) -> Vec<u8> {
    (0..bytes.div_ceil(16)).flat_map(|line| format!("{:015}\n", line * 16).into_bytes()).take(bytes).collect()
}

/// A value or a beginning with `*`.
fn fits(value: &str, wanted: &str) -> bool {
    wanted.strip_suffix('*').map_or(value == wanted, |beginning| value.starts_with(beginning))
}

/// Percent-encoding of RFC 3986 section 2.1 for what is not unreserved.
fn escaped(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
