//! Which ports of a board are open, and what each speaks: a client that knocks at TCP ports, many at a time, and then asks each
//! open one questions that no server minds, on a connection of its own. UDP ports get a datagram each. What it finds are
//! [`Service`]s.
//!
//! The questions and what their answers mean are in `question`; the client that asks them is in `client`, and what it does over
//! UDP in `datagrams`.

mod client;
mod datagrams;
mod ports;
mod question;
#[cfg(test)]
mod tests;

pub use client::{Client, Counts};
pub use ports::{CLIENT_OPTIONS, ClientSettings};

use crate::talk::Over;

/// An open port of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// Over what it is reached.
    pub over: Over,
    /// The port.
    pub port: u16,
    /// What it speaks.
    pub speaks: Speaks,
    /// The first line of text that it sent, if it sent any.
    pub first_line: Option<String>,
}

/// What a server does with what it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Speaks {
    /// Answers a request of HTTP.
    Http,
    /// Sends back what comes.
    Echo,
    /// Answers a decimal number with the next one.
    Counter,
    /// The same, where a newline ends each number.
    CounterLines,
    /// Sends without being asked, and does not stop.
    Source,
    /// Sends a line of its own first.
    Greeting,
    /// Answers something else.
    Text,
    /// Takes what it is sent, and answers nothing.
    Sink,
    /// Closes the connection without an answer.
    Closes,
    /// Accepted once, and then no more.
    Refuses,
    /// Takes datagrams, for the board does not refuse them, and answers none.
    Silent,
}

impl Speaks {
    /// The word in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Echo => "echo",
            Self::Counter => "counter",
            Self::CounterLines => "counter_lines",
            Self::Source => "source",
            Self::Greeting => "greeting",
            Self::Text => "text",
            Self::Sink => "sink",
            Self::Closes => "closes",
            Self::Refuses => "refuses",
            Self::Silent => "silent",
        }
    }
}
