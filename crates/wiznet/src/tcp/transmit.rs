//! The segments that a connection sends: one at a time, whenever the wire can take one. Nothing is kept for sending again;
//! what is not acknowledged is still in the transmit memory.

use units::Picoseconds;

use super::connection::{Connection, Retry, Status};
use super::memory::{Memory, Pointers};
use super::segment::{Header, Outgoing, flag};
use super::settings::Settings;

/// What is to be sent next from the transmit memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Data { bytes: u16 },
    Fin,
}

impl Connection {
    /// Whether [`Self::take_segment`] would give one; without transmit memory it may find that there is none.
    pub(crate) fn has_segment(&self, pointers: &Pointers) -> bool {
        self.reset_due.is_some()
            || self.syn_due
            || self.probe_due
            || self.ack_due
            || self.next_text(pointers, 1).is_some()
    }

    /// The next segment, which leaves at `now`: its time-out runs from then.
    pub(crate) fn take_segment(
        &mut self,
        now: Picoseconds,
        settings: &Settings,
        memory: &mut Memory<'_>,
    ) -> Option<Outgoing> {
        let window = memory.window();
        if memory.tx.is_empty() {
            self.forget_text(memory.pointers);
        }
        if let Some(header) = self.reset_due.take() {
            return Some(Outgoing { header, payload_start: 0, payload_bytes: 0 });
        }
        let outgoing = if self.syn_due {
            self.take_syn(now, window, settings)
        } else if let Some(text) = self.next_text(memory.pointers, memory.tx.len()) {
            self.take_text(now, text, window, settings, memory.pointers)
        } else if self.probe_due {
            self.take_probe(now, window, settings, memory)
        } else if self.ack_due {
            let header = self.header(self.acknowledged.wrapping_add(self.highest), flag::ACK, window);
            Outgoing { header, payload_start: 0, payload_bytes: 0 }
        } else {
            return None;
        };
        if outgoing.header.has(flag::ACK) {
            self.ack_due = false;
            self.ack_deadline = None;
        }
        self.arm_persist(now, settings, memory.pointers);
        Some(outgoing)
    }

    /// The driver took the transmit memory away under an open socket: what was in it is gone.
    fn forget_text(&mut self, pointers: &mut Pointers) {
        if pointers.tx_pending_bytes() > 0 {
            pointers.tx_boundary = pointers.tx_acknowledged;
            pointers.tx_read = pointers.tx_acknowledged;
            self.next = 0;
            self.highest = 0;
            self.retry = Retry::default();
        }
    }

    fn header(&self, sequence: u32, flags: u8, window: u16) -> Header {
        Header {
            source_port: self.endpoints.local_port,
            destination_port: self.endpoints.remote_port,
            sequence,
            acknowledgement: if flags & flag::ACK == 0 { 0 } else { self.receive_next },
            flags,
            window,
            mss: None,
        }
    }

    fn take_syn(&mut self, now: Picoseconds, window: u16, settings: &Settings) -> Outgoing {
        self.syn_due = false;
        self.await_answer(now, settings);
        let flags = if self.status == Status::SynSent { flag::SYN } else { flag::SYN | flag::ACK };
        let header = self.header(self.acknowledged.wrapping_sub(1), flags, window);
        let header = Header { mss: Some(settings.own_mss()), ..header };
        Outgoing { header, payload_start: 0, payload_bytes: 0 }
    }

    /// Data as far as the peer's window goes, in segments of its size; FIN behind all data, window or not. A driver that sets
    /// Sn_TX_WR beyond the memory has the ring sent more than once, as on the chip (forum.wiznet.io, topic 8287).
    fn next_text(&self, pointers: &Pointers, memory_bytes: usize) -> Option<Text> {
        if !self.sends_data() {
            return None;
        }
        let pending = u32::from(pointers.tx_pending_bytes());
        if self.next < pending {
            let room = u32::from(self.peer_window).saturating_sub(self.next);
            let mss = u32::from(self.mss.unwrap_or(1));
            let bytes = (pending - self.next).min(room).min(mss).min(memory_bytes as u32) as u16;
            (bytes > 0).then_some(Text::Data { bytes })
        } else {
            (self.fin_queued && self.next == pending).then_some(Text::Fin)
        }
    }

    fn take_text(
        &mut self,
        now: Picoseconds,
        text: Text,
        window: u16,
        settings: &Settings,
        pointers: &mut Pointers,
    ) -> Outgoing {
        let sequence = self.acknowledged.wrapping_add(self.next);
        let payload_start = pointers.tx_acknowledged.wrapping_add(self.next as u16);
        // Every data segment in the capture of forum.wiznet.io, topic 5213, carries PSH.
        let pending = u32::from(pointers.tx_pending_bytes());
        let pushes = |bytes| settings.pushes_each || self.next + u32::from(bytes) == pending;
        let (flags, payload_bytes) = match text {
            Text::Data { bytes } => (flag::ACK | if pushes(bytes) { flag::PSH } else { 0 }, bytes),
            Text::Fin => (flag::ACK | flag::FIN, 0),
        };
        self.next += u32::from(payload_bytes).max(1);
        self.highest = self.highest.max(self.next);
        self.exchanged |= payload_bytes > 0;
        self.last_activity = now;
        let sent = self.highest.min(u32::from(pointers.tx_pending_bytes())) as u16;
        pointers.tx_read = pointers.tx_acknowledged.wrapping_add(sent);
        self.settle_send(settings, pointers);
        self.await_answer(now, settings);
        Outgoing { header: self.header(sequence, flags, window), payload_start, payload_bytes }
    }

    /// One byte that the peer has had, which it cannot but acknowledge: keep-alive, and the question for a closed window.
    fn take_probe(
        &mut self,
        now: Picoseconds,
        window: u16,
        settings: &Settings,
        memory: &Memory<'_>,
    ) -> Outgoing {
        self.probe_due = false;
        self.probing = true;
        self.last_activity = now;
        self.await_answer(now, settings);
        Outgoing {
            header: self.header(self.acknowledged.wrapping_sub(1), flag::ACK, window),
            payload_start: memory.pointers.tx_acknowledged.wrapping_sub(1),
            payload_bytes: u16::from(!memory.tx.is_empty()),
        }
    }
}
