//! HTTP/1.0 and 1.1: a client that keeps a number of requests under way, as ApacheBench (`ab`) does, or makes them at fixed
//! times, as wrk2 does, and a small server of static pages for the other end. Heads are parsed by `httparse`; bodies are counted, not kept.
//!
//! A body's length may change from answer to answer: that is no failure. Left out: TLS, proxies, HTTP/2, compression, pipelining
//! by the client, and `Expect: 100-continue` by the client (the server answers it).

mod body;
mod client;
mod content;
mod lanes;
#[cfg(test)]
mod load_tests;
mod request;
mod response;
mod server;
mod settings;
mod summary;
#[cfg(test)]
mod tests;

/// The port of HTTP (RFC 9110, section 4.2.1).
const PORT: u16 = 80;

/// A path as it can stand in a request's first line.
pub(crate) fn path(text: &str) -> Option<String> {
    (text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| text.to_owned())
}

pub use client::Client;
pub use response::{Progress, ResponseError, ResponseReader};
pub use server::{Page, SERVER_OPTIONS, Server, ServerSettings};
pub use settings::{CLIENT_OPTIONS, ClientSettings, Method};
pub use summary::{Row, Summary};
