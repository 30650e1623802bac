//! Keeps an answering server from queueing without bound: once it has sent much without word of room, it stops reading until
//! there is room again, so that the peer's own window closes.

use std::collections::VecDeque;

use crate::{Action, Connection};

/// Sent without word of room before reading stops.
const UNCONFIRMED_BYTES: usize = 32 * 1024;
/// Connections that a server serves at a time; it resets those beyond.
pub(crate) const MOST_CONNECTIONS: usize = 1024;

/// The flow of answers on one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flow {
    unconfirmed_bytes: usize,
    held: bool,
}

impl Flow {
    /// Sends an answer, and holds the connection if that was much.
    pub(crate) fn send(&mut self, connection: Connection, bytes: Vec<u8>, actions: &mut VecDeque<Action>) {
        self.unconfirmed_bytes += bytes.len();
        actions.push_back(Action::Send(connection, bytes));
        if !self.held && self.unconfirmed_bytes >= UNCONFIRMED_BYTES {
            self.held = true;
            actions.push_back(Action::Hold(connection, true));
            actions.push_back(Action::WantRoom(connection, UNCONFIRMED_BYTES));
        }
    }

    /// There is room: goes on reading.
    pub(crate) fn room(&mut self, connection: Connection, actions: &mut VecDeque<Action>) {
        self.unconfirmed_bytes = 0;
        if self.held {
            self.held = false;
            actions.push_back(Action::Hold(connection, false));
        }
    }
}
