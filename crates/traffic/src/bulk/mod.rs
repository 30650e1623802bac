//! Bulk transfer over TCP: so many bytes, or for so long, one way or both ways at once. The bytes are those of a seed, so that
//! the other end finds the first wrong one, and both ends keep a CRC-32 of the whole.
//!
//! A source asks for room before it sends; it never queues more than one block.

mod client;
mod duplex;
mod server;
#[cfg(test)]
mod tests;

use crate::OptionError;
use crate::options::{self, Values};

/// The port of bulk transfers: beside iperf's.
const PORT: u16 = 5002;

/// What `send` and `time` say: so many bytes, or for so long; nothing when it is no bytes.
pub(crate) fn amount(values: &Values<'_>) -> Result<Option<Amount>, OptionError> {
    let (bytes, time) =
        (values.read_if_set("send", options::size)?, values.read_if_set("time", options::time)?);
    if values.is_given("send") && values.is_given("time") && bytes.is_some() && time.is_some() {
        let reason = "send says how much, and only one of the two can hold".to_owned();
        return Err(OptionError::Together { name: "time", reason });
    }
    let bytes = bytes.map(Amount::Bytes);
    let time = time.map(Amount::Time);
    let amount = if values.is_given("send") { bytes.or(time) } else { time.or(bytes) };
    Ok(amount.filter(|amount| *amount != Amount::Bytes(0)))
}

pub use client::{CLIENT_OPTIONS, Client, ClientSettings};
pub use duplex::{Amount, Direction, Transfer};
pub(crate) use duplex::{BLOCK_BYTES, Content, Duplex, MOST_BLOCK_BYTES, MOST_KEPT};
pub use server::{SERVER_OPTIONS, Server, ServerSettings};
