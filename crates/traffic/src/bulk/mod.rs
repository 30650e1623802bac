//! Bulk transfer over TCP: so many bytes, or for so long, one way or both ways at once. The bytes are those of a seed, so that
//! the other end finds the first wrong one, and both ends keep a CRC-32 of the whole.
//!
//! A source asks for room before it sends; it never queues more than one block.

mod client;
mod duplex;
mod server;
#[cfg(test)]
mod tests;

pub use client::{CLIENT_OPTIONS, Client, ClientSettings};
pub use duplex::{Amount, Direction, Transfer};
pub(crate) use duplex::{Content, Duplex};
pub use server::{SERVER_OPTIONS, Server, ServerSettings};
