//! iperf 3 over TCP, client and server, in both directions, as Debian's iperf3 3.12 speaks it.
//!
//! A test has a connection of its own for control: a cookie, states of one byte, and two exchanges of JSON, parameters before
//! the test and results after it. The bytes of the test pass on other connections, which begin with the same cookie. The client
//! ends the test, whoever sends; what counts is what the receiver says in its results. Facts are from iperf3's documentation
//! and from its connections as they were recorded.
//! Left out: UDP and SCTP, authentication, `--bidir` by the client (the server serves it), and the server's text output.

mod client;
mod control;
mod json;
mod server;
mod settings;
mod stream;
#[cfg(test)]
mod tests;

/// The port of iperf 3.
const PORT: u16 = 5201;
/// What is sent at a time, where nobody says otherwise.
const BLOCK_BYTES: u32 = 128 * 1024;
/// iperf3 has the same limits.
const MOST_BLOCK_BYTES: u32 = 1024 * 1024;
const MOST_STREAMS: u32 = 128;

/// The numbers of streams in results: there is no 2.
fn stream_id(index: usize) -> u32 {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    if index == 0 { 1 } else { index.saturating_add(2) }
}

pub use client::Client;
pub use server::Server;
pub use settings::{CLIENT_OPTIONS, ClientSettings, SERVER_OPTIONS, ServerSettings};
