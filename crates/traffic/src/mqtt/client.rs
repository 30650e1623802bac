//! One network connection of the broker: what it read, what waits for room, and until when it may stay silent.

use units::{PS_PER_S, Picoseconds};

use super::packet::{Packet, Will};
use super::reader::Reader;
use crate::outbox::{Outbox, after, seconds};
use crate::{Action, Connection, IpEndpoint};

/// How long a connection may take to its CONNECT: the standard asks for a reasonable time (section 3.1).
const CONNECT_WITHIN_S: u32 = 10;
/// How long a connection that was finished may linger before it is reset.
const LINGER_S: u32 = 5;
/// Room is asked for in no greater pieces, so that a seat with small buffers has it.
const ROOM_BYTES: usize = 512;

#[derive(Debug, Clone)]
pub(super) enum Stage {
    /// Nothing was read yet.
    New,
    /// A client with a session.
    Connected { client_id: String, will: Option<Will> },
    /// Finished by the broker; what still arrives is not read.
    Finished,
}

#[derive(Debug, Clone)]
pub(super) struct Client {
    pub(super) stage: Stage,
    pub(super) peer: IpEndpoint,
    pub(super) reader: Reader,
    pub(super) keep_alive_s: u16,
    pub(super) deadline: Option<Picoseconds>,
    unsent: Vec<u8>,
    asked_for_room: bool,
}

impl Client {
    pub(super) fn new(now: Picoseconds, peer: IpEndpoint, most_packet_bytes: usize) -> Self {
        Self {
            stage: Stage::New,
            peer,
            reader: Reader::new(most_packet_bytes),
            keep_alive_s: 0,
            deadline: Some(after(now, seconds(CONNECT_WITHIN_S))),
            unsent: Vec::new(),
            asked_for_room: false,
        }
    }

    /// Section 3.1.2.10: one and a half times the keep-alive time without a packet.
    pub(super) fn heard(&mut self, now: Picoseconds) {
        let silence = Picoseconds::new(i64::from(self.keep_alive_s) * PS_PER_S * 3 / 2);
        self.deadline = (self.keep_alive_s > 0).then(|| after(now, silence));
    }

    pub(super) fn unsent_bytes(&self) -> usize {
        self.unsent.len()
    }

    pub(super) fn send(&mut self, connection: Connection, packet: &Packet, outbox: &mut Outbox) {
        self.unsent.extend(packet.encode());
        self.ask_for_room(connection, outbox);
    }

    fn ask_for_room(&mut self, connection: Connection, outbox: &mut Outbox) {
        if !self.unsent.is_empty() && !self.asked_for_room {
            self.asked_for_room = true;
            outbox.push(Action::WantRoom(connection, self.unsent.len().min(ROOM_BYTES)));
        }
    }

    pub(super) fn room(&mut self, connection: Connection, bytes: usize, outbox: &mut Outbox) {
        self.asked_for_room = false;
        let count = bytes.min(self.unsent.len());
        if count > 0 {
            outbox.push(Action::Send(connection, self.unsent.drain(..count).collect()));
        }
        self.ask_for_room(connection, outbox);
    }

    /// Finishes after what waits; a peer that does not finish in turn is reset later.
    pub(super) fn finish(&mut self, now: Picoseconds, connection: Connection, outbox: &mut Outbox) {
        self.stage = Stage::Finished;
        self.deadline = Some(after(now, seconds(LINGER_S)));
        if !self.unsent.is_empty() {
            outbox.push(Action::Send(connection, std::mem::take(&mut self.unsent)));
        }
        outbox.push(Action::Finish(connection));
    }
}
