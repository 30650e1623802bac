//! One client of the FTP server: what it said, where it is, and the transfer that is under way.

use super::command;
use crate::{Connection, IpEndpoint};

/// A client that sends a longer line is no FTP client.
const LONGEST_LINE: usize = 4096;

/// Where the next data connection comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// The client has said neither PASV nor PORT.
    Unset,
    /// The client comes to this listener.
    Passive(Connection),
    /// The client is told of this listener once it has a port; another one is tried so many times.
    Awaited { listener: Connection, is_extended: bool, tries: u32 },
    /// The server goes there.
    Active(IpEndpoint),
}

/// What goes over a data connection.
#[derive(Debug, Clone)]
pub(super) enum Transfer {
    /// To the client: how much of it has gone.
    Send { bytes: Vec<u8>, sent: usize },
    /// From the client, into a file.
    Store { path: String, bytes: Vec<u8> },
}

/// A client.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) peer: IpEndpoint,
    /// The server's own address, as the client has it.
    pub(super) local: IpEndpoint,
    pub(super) user: Option<String>,
    pub(super) is_logged_in: bool,
    pub(super) folder: String,
    pub(super) rename_from: Option<String>,
    pub(super) restart: usize,
    pub(super) mode: Mode,
    /// The data connection, and whether it is open.
    pub(super) data: Option<(Connection, bool)>,
    pub(super) transfer: Option<Transfer>,
    unread: Vec<u8>,
}

impl Session {
    /// The number of the connection's family (RFC 2428 section 2).
    pub(super) fn family(&self) -> &'static str {
        if self.local.address.is_ipv4() { "1" } else { "2" }
    }

    /// Whether a client that may name a family means that of its connection.
    pub(super) fn takes_family(&self, named: &str) -> bool {
        named.is_empty() || named == self.family()
    }

    pub(super) fn new(peer: IpEndpoint, local: IpEndpoint) -> Self {
        Self {
            peer,
            local,
            user: None,
            is_logged_in: false,
            folder: "/".to_owned(),
            rename_from: None,
            restart: 0,
            mode: Mode::Unset,
            data: None,
            transfer: None,
            unread: Vec::new(),
        }
    }

    /// Takes bytes of the control connection; false when they are no lines.
    pub(super) fn push(&mut self, bytes: &[u8]) -> bool {
        self.unread.extend(bytes);
        self.unread.len() <= LONGEST_LINE || self.unread.contains(&b'\n')
    }

    /// The next command. During a transfer those that are about it are heard, and the others wait.
    pub(super) fn next_command(&mut self) -> Option<(String, String)> {
        let end = self.unread.iter().position(|&byte| byte == b'\n')?;
        let read = command::read(&self.unread[..end]);
        if self.transfer.is_some() && !matches!(read.0.as_str(), "ABOR" | "STAT" | "NOOP") {
            return None;
        }
        self.unread.drain(..=end);
        Some(read)
    }
}
