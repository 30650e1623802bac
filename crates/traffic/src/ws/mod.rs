//! Ping-pong over WebSocket (RFC 6455): an echo client and an echo server. Messages are text or binary of one size; what comes
//! in fragments is put together, pings are answered, and a connection ends with the closing handshake.
//!
//! The framing is our own, since the libraries there are read and write a socket themselves, and a machine has none; digests and
//! Base64 are those of `sha1` and `base64`. A machine has no source of chance either: keys and masks are those of a seed, which
//! is as good between a bench and its board, and no protection from a proxy between them.
//! Left out: TLS, extensions, subprotocols.

mod client;
mod frame;
mod handshake;
mod server;
mod settings;
#[cfg(test)]
mod tests;

/// The port that examples of WebSocket servers have.
const PORT: u16 = 8765;
/// A message that is longer is refused.
const MOST_MESSAGE_BYTES: usize = 1 << 20;

pub use client::Client;
pub use server::Server;
pub use settings::{CLIENT_OPTIONS, ClientSettings, SERVER_OPTIONS, ServerSettings};
