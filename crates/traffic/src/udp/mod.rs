//! Ping-pong over UDP: a datagram, its answer, the next datagram; or datagrams at fixed times. Each carries its number, so that
//! answers that are lost, late, doubled or out of order are told apart.

mod client;
mod counts;
mod server;
mod settings;
#[cfg(test)]
mod tests;

/// The port of ping-pong, as over TCP.
const PORT: u16 = 5000;

pub use client::Client;
pub use counts::Counts;
pub use server::{SERVER_OPTIONS, Server, ServerSettings};
pub use settings::{CLIENT_OPTIONS, ClientSettings};
