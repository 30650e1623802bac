//! What the client is told: whom and what to ask, how often, and what must come back.

use units::{PS_PER_S, Picoseconds};

use super::PORT;
use crate::options::{self, Values, option, to};
use crate::{Declared, IpEndpoint, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Endpoint, Flag, Text, Word};

/// Requests of one run, also of one that ends by time: each leaves a sample.
const MOST_REQUESTS: u64 = 10_000_000;

/// The settings of [`super::Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Endpoint(PORT), "Where the server listens.", "192.168.1.20:8080"),
    option("path", Text("a path that begins with /"), "/", "What to ask for.", "/index.shtml"),
    option("host", Text("a host name"), "", "The Host header; the server's address if empty.", "board.local"),
    option("method", Word(&["GET", "HEAD", "POST"]), "GET", "How to ask; POST sends a body.", "POST"),
    option("body", Text("a text"), "", "What POST sends.", "led=on"),
    option("requests", Count(1, MOST_REQUESTS), "1000", "How many requests to make.", "100"),
    option(
        "duration",
        Duration,
        "",
        "For how long to make requests, instead of how many; with both, whichever ends first.",
        "10s",
    ),
    option(
        "rate",
        Count(1, 1_000_000),
        "",
        "Requests a second at fixed times, whether or not answers come; latency counts from those times.",
        "200",
    ),
    option("concurrency", Count(1, 1000), "1", "How many are under way at a time.", "4"),
    option("keep_alive", Flag, "false", "Whether connections are used again.", "true"),
    option("timeout", Duration, "30s", "How long to wait for a whole response.", "2s"),
    option(
        "body_crc32",
        Text("eight hexadecimal digits"),
        "",
        "The CRC-32 that every response's body must have; not looked at if empty.",
        "cbf43926",
    ),
    option(
        "body_contains",
        Text("a text"),
        "",
        "What every response's body must hold; not looked at if empty.",
        "Welcome",
    ),
];

/// How to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// For a page.
    Get,
    /// For a page's head.
    Head,
    /// With a body.
    Post(Vec<u8>),
}

/// The settings of [`super::Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Where the server listens.
    pub to: IpEndpoint,
    /// What to ask for.
    pub path: String,
    /// The Host header; the server's address if empty.
    pub host: String,
    /// How to ask.
    pub method: Method,
    /// How many requests to make at most.
    pub requests: u64,
    /// For how long to make requests.
    pub duration: Option<Picoseconds>,
    /// Requests a second at fixed times (open loop); without it each answer is followed by the next request (closed loop).
    pub rate: Option<u32>,
    /// How many are under way at a time; 0 is taken as 1.
    pub concurrency: u32,
    /// Whether connections are used again.
    pub keep_alive: bool,
    /// How long to wait for a whole response; in an open loop it counts from the scheduled time.
    pub timeout: Picoseconds,
    /// The CRC-32 that every response's body must have.
    pub body_crc32: Option<u32>,
    /// What every response's body must hold; not looked at if empty.
    pub body_contains: String,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`].
    pub fn to(to: IpEndpoint) -> Self {
        Self {
            to,
            path: "/".to_owned(),
            host: String::new(),
            method: Method::Get,
            requests: 1000,
            duration: None,
            rate: None,
            concurrency: 1,
            keep_alive: false,
            timeout: Picoseconds::new(30 * PS_PER_S),
            body_crc32: None,
            body_contains: String::new(),
        }
    }

    pub(super) fn request(&self) -> Vec<u8> {
        let (method, body): (_, &[u8]) = match &self.method {
            Method::Get => ("GET", &[]),
            Method::Head => ("HEAD", &[]),
            Method::Post(body) => ("POST", body),
        };
        let host = if self.host.is_empty() { self.to.to_string() } else { self.host.clone() };
        let path = &self.path;
        let connection = if self.keep_alive { "keep-alive" } else { "close" };
        let mut text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: airwire\r\nAccept: */*\r\nConnection: {connection}\r\n"
        );
        if method == "POST" {
            text += &format!("Content-Type: text/plain\r\nContent-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        [text.as_bytes(), body].concat()
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let duration = values.read_if_set("duration", options::time)?;
        let ends_by_time = duration.is_some() && !values.is_given("requests");
        let requests = values.read("requests", options::parsed)?;
        if matches!(values.text("method"), "GET" | "HEAD") {
            values.have_no_use(&["body"], "the method is not POST")?;
        }
        Ok(Self {
            to: values.read("to", |text| options::endpoint(text, PORT))?,
            path: values.read("path", super::path)?,
            host: values.read("host", |text| (!text.contains(char::is_control)).then(|| text.to_owned()))?,
            method: values.read("method", |method| match method {
                "GET" => Some(Method::Get),
                "HEAD" => Some(Method::Head),
                _ => Some(Method::Post(values.text("body").as_bytes().to_vec())),
            })?,
            requests: if ends_by_time { MOST_REQUESTS } else { requests },
            duration,
            rate: values.read_if_set("rate", options::parsed)?,
            concurrency: values.read("concurrency", options::parsed)?,
            keep_alive: values.read("keep_alive", options::switch)?,
            timeout: values.read("timeout", options::time)?,
            body_crc32: values.read_if_set("body_crc32", crc32)?,
            body_contains: values.text("body_contains").to_owned(),
        })
    }
}

fn crc32(text: &str) -> Option<u32> {
    let is_one = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_one.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}
