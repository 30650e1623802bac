//! Ping-pong over TCP: one side sends a message, the other answers it, and only then comes the next. It is what field reports
//! measure as messages a second, with a counter in decimal text, and as round trips, with messages of a fixed size.
//!
//! Of the counter, each side sends what it received plus one. Without newlines nothing marks where a number ends: the client
//! knows what must come; the server knows it too after the first number of a connection, which it takes to be whole in its
//! first segment, as the field's programs do with every one.

mod client;
mod message;
mod server;
#[cfg(test)]
mod tests;

/// The port that the field's programs use, and the default here.
pub const PORT: u16 = 5000;

pub use client::{CLIENT_OPTIONS, Client, ClientSettings};
pub use message::{LEAST_MESSAGE_BYTES, Payload};
pub use server::{Answer, SERVER_OPTIONS, Server, ServerSettings};
