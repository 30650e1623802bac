//! A TCP connection of the seat in memory: two ends with a queue, a window and the peer's unread bytes.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use crate::{Connection, IpEndpoint};

/// What may be under way or unread in one direction.
const WINDOW_BYTES: usize = 64 * 1024;
/// The send buffer, of which `Room` speaks.
const SEND_BUFFER_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) ends: [End; 2],
}

#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) host: Option<usize>,
    pub(super) connection: Connection,
    pub(super) local: IpEndpoint,
    pub(super) open: bool,
    pub(super) gone: bool,
    waiting: VecDeque<u8>,
    /// Sent, and not yet known to be read by the other machine.
    pub(super) in_flight: usize,
    pub(super) unread: VecDeque<Vec<u8>>,
    pub(super) held: bool,
    wanted_room_bytes: Option<usize>,
    wants_drained: bool,
    /// A delivery that will tell of room is under way.
    pub(super) telling: bool,
    pub(super) finish: bool,
    finish_sent: bool,
    pub(super) peer_finish: bool,
    peer_finish_told: bool,
}

impl End {
    pub(super) fn new(host: usize, connection: Connection, local: IpEndpoint) -> Self {
        Self { host: Some(host), connection, local, ..Self::nobody(local) }
    }

    /// The end that nobody has accepted.
    pub(super) fn nobody(local: IpEndpoint) -> Self {
        debug_assert!(local.address != Ipv4Addr::BROADCAST, "a connection has one peer");
        Self {
            host: None,
            connection: Connection(0),
            local,
            open: false,
            gone: false,
            waiting: VecDeque::new(),
            in_flight: 0,
            unread: VecDeque::new(),
            held: false,
            wanted_room_bytes: None,
            wants_drained: false,
            telling: false,
            finish: false,
            finish_sent: false,
            peer_finish: false,
            peer_finish_told: false,
        }
    }

    pub(super) fn queue(&mut self, bytes: &[u8]) {
        if !self.finish {
            self.waiting.extend(bytes);
        }
    }

    pub(super) fn want_room(&mut self, bytes: usize) {
        if bytes == 0 {
            self.wants_drained = true;
        } else {
            self.wanted_room_bytes = Some(bytes);
        }
    }

    /// The next bytes that the window takes.
    pub(super) fn next_segment(&mut self, segment_bytes: usize) -> Option<Vec<u8>> {
        let count = self.waiting.len().min(segment_bytes).min(WINDOW_BYTES - self.in_flight);
        if !self.open || self.gone || count == 0 {
            return None;
        }
        self.in_flight += count;
        Some(self.waiting.drain(..count).collect())
    }

    pub(super) fn take_finish(&mut self) -> bool {
        let now = self.finish && !self.finish_sent && self.open && !self.gone && self.waiting.is_empty();
        self.finish_sent |= now;
        now
    }

    fn room(&self) -> Option<usize> {
        let wanted = self.wanted_room_bytes?;
        let kept = self.waiting.len() + self.in_flight;
        let free = SEND_BUFFER_BYTES.saturating_sub(kept);
        (self.open && (wanted <= free || kept == 0)).then_some(free.max(wanted))
    }

    fn drained(&self) -> bool {
        self.wants_drained && self.open && self.waiting.is_empty() && self.in_flight == 0
    }

    /// Whether something that was waited for is there.
    pub(super) fn asks(&self) -> bool {
        !self.gone && !self.telling && (self.room().is_some() || self.drained())
    }

    pub(super) fn take_room(&mut self) -> Option<usize> {
        let room = if self.gone { None } else { self.room() }?;
        self.wanted_room_bytes = None;
        Some(room)
    }

    pub(super) fn take_drained(&mut self) -> bool {
        let drained = !self.gone && self.drained();
        self.wants_drained &= !drained;
        drained
    }

    pub(super) fn next_unread(&mut self) -> Option<Vec<u8>> {
        if self.held || self.gone { None } else { self.unread.pop_front() }
    }

    pub(super) fn take_peer_finished(&mut self) -> bool {
        let now = self.peer_finish && !self.peer_finish_told && self.unread.is_empty() && !self.gone;
        self.peer_finish_told |= now;
        now
    }

    pub(super) fn is_over(&self) -> bool {
        self.finish_sent && self.peer_finish_told && !self.gone
    }
}
