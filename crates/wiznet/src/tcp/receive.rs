//! What a segment from the peer does to a connection. The order of the checks is that of RFC 9293 section 3.10.7, without
//! what the chip lacks: segments that do not begin at the next expected byte are acknowledged again and dropped.

use std::net::IpAddr;

use units::Picoseconds;

use super::connection::{Connection, Endpoints, Retry, Status, interrupt};
use super::memory::{Memory, Pointers};
use super::segment::{Header, flag, reset_for};
use super::settings::Settings;

/// What a peer takes that offers no segment size (RFC 9293 section 3.7.1).
const MSS_WITHOUT_OFFER: u16 = 536;

/// How far `later` lies behind `earlier`, negative if before: sequence numbers wrap on purpose.
fn distance(earlier: u32, later: u32) -> i64 {
    i64::from(later.wrapping_sub(earlier) as i32)
}

impl Connection {
    /// A segment that [`Self::matches`], or a SYN that [`Self::would_accept`]; its checksum is right.
    pub(crate) fn receive(
        &mut self,
        now: Picoseconds,
        remote_address: IpAddr,
        header: &Header,
        payload: &[u8],
        settings: &Settings,
        memory: &mut Memory<'_>,
    ) {
        match self.status {
            Status::Closed | Status::Init => self.counters.unacceptable += 1,
            Status::Listen => self.receive_in_listen(remote_address, header, settings),
            Status::SynSent => self.receive_in_syn_sent(now, header, settings),
            _ => self.receive_in_connection(now, header, payload, settings, memory),
        }
        self.arm_persist(now, settings, memory.pointers);
    }

    fn receive_in_listen(&mut self, remote_address: IpAddr, header: &Header, settings: &Settings) {
        if !self.would_accept(header) {
            self.counters.unacceptable += 1;
            return;
        }
        let local_port = header.destination_port;
        self.endpoints = Endpoints { local_port, remote_port: header.source_port, remote_address };
        self.note_syn(header, settings);
        self.status = Status::SynRecv;
        self.syn_due = true;
    }

    fn receive_in_syn_sent(&mut self, now: Picoseconds, header: &Header, settings: &Settings) {
        let acknowledged = header.has(flag::ACK);
        if acknowledged && header.acknowledgement != self.acknowledged {
            self.counters.unacceptable += 1;
            self.reset_due = reset_for(header, 0);
        } else if header.has(flag::RST) {
            if acknowledged {
                self.end(interrupt::DISCON);
            }
        } else if header.has(flag::SYN) {
            self.note_syn(header, settings);
            if acknowledged {
                self.establish(now);
                self.ack_due = true;
            } else {
                self.status = Status::SynRecv;
                self.retry = Retry::default();
                self.syn_due = true;
            }
        }
    }

    fn note_syn(&mut self, header: &Header, settings: &Settings) {
        self.receive_next = header.sequence.wrapping_add(1);
        self.peer_window = header.window;
        self.mss = Some(settings.own_mss().min(header.mss.unwrap_or(MSS_WITHOUT_OFFER)).max(1));
    }

    fn establish(&mut self, now: Picoseconds) {
        self.status = Status::Established;
        self.interrupts |= interrupt::CON;
        self.syn_due = false;
        self.retry = Retry::default();
        self.last_activity = now;
    }

    fn receive_in_connection(
        &mut self,
        now: Picoseconds,
        header: &Header,
        payload: &[u8],
        settings: &Settings,
        memory: &mut Memory<'_>,
    ) {
        let window = memory.window();
        let ahead = distance(self.receive_next, header.sequence);
        if header.has(flag::RST) {
            if (0..i64::from(window.max(1))).contains(&ahead) {
                self.end(interrupt::DISCON);
            } else {
                self.counters.unacceptable += 1;
            }
        } else if header.has(flag::SYN) {
            self.receive_syn_again(now, header);
        } else if ahead > i64::from(window) || -ahead > i64::from(u16::MAX) {
            self.counters.unacceptable += 1;
            self.ack_due = true;
        } else if self.receive_ack(now, header, settings, memory.pointers) {
            self.last_activity = now;
            self.receive_text(now, header, payload, settings, memory);
        }
    }

    /// A SYN on a connection: the peer did not get the answer to its first, or both sides opened at once, or it is a
    /// stranger, which RFC 5961 section 4 answers with an acknowledgement.
    fn receive_syn_again(&mut self, now: Picoseconds, header: &Header) {
        let same = header.sequence.wrapping_add(1) == self.receive_next;
        let in_answer = header.has(flag::ACK) && header.acknowledgement == self.acknowledged;
        match self.status {
            Status::SynRecv if same && in_answer => {
                self.establish(now);
                self.ack_due = true;
            }
            Status::SynRecv if same => self.syn_due = true,
            _ => {
                self.counters.unacceptable += 1;
                self.ack_due = true;
            }
        }
    }

    /// The acknowledgement and the window; false if the segment is not to be looked at any further.
    fn receive_ack(
        &mut self,
        now: Picoseconds,
        header: &Header,
        settings: &Settings,
        pointers: &mut Pointers,
    ) -> bool {
        if !header.has(flag::ACK) {
            self.counters.unacceptable += 1;
            return false;
        }
        let progress = distance(self.acknowledged, header.acknowledgement);
        if self.status == Status::SynRecv {
            if progress != 0 {
                self.counters.unacceptable += 1;
                self.reset_due = reset_for(header, 0);
                return false;
            }
            self.establish(now);
        }
        if progress > i64::from(self.highest) {
            self.counters.unacceptable += 1;
            self.ack_due = true;
            return false;
        }
        self.note_answer();
        if progress > 0 {
            self.take_progress(now, progress as u32, settings, pointers);
        }
        let is_behind = distance(self.receive_next, header.sequence) < 0;
        if progress > 0 || progress == 0 && !is_behind {
            self.note_window(header);
        }
        self.status != Status::Closed
    }

    /// The peer lives: a question is answered, and a closed window is an answer to data too.
    fn note_answer(&mut self) {
        if self.probing || self.peer_window == 0 {
            self.retry.unanswered = 0;
        }
        if self.probing {
            self.probing = false;
            if self.highest == 0 {
                self.retry.deadline = None;
            }
        }
    }

    fn take_progress(&mut self, now: Picoseconds, bytes: u32, settings: &Settings, pointers: &mut Pointers) {
        let pending = pointers.tx_pending_bytes();
        let data = bytes.min(u32::from(pending)) as u16;
        pointers.tx_acknowledged = pointers.tx_acknowledged.wrapping_add(data);
        self.acknowledged = self.acknowledged.wrapping_add(bytes);
        self.next = self.next.saturating_sub(bytes);
        self.highest -= bytes;
        self.retry = Retry::default();
        if self.highest > 0 {
            self.retry.deadline = Some(now + settings.retry_wait(0));
        }
        self.settle_send(settings, pointers);
        if bytes > u32::from(data) {
            self.fin_acknowledged = true;
            self.own_fin_is_acknowledged(now, settings);
        }
    }

    fn own_fin_is_acknowledged(&mut self, now: Picoseconds, settings: &Settings) {
        match self.status {
            // W5200 datasheet, DISCON: without the peer's FIN the final time-out comes as well.
            Status::FinWait => self.linger_deadline = Some(now + settings.final_wait()),
            Status::Closing => self.enter_time_wait(now, settings),
            Status::LastAck => self.end(0),
            _ => {}
        }
    }

    /// The window of a segment that is not behind what was received. RFC 9293 wants more (SND.WL1, SND.WL2), and then never
    /// believes a peer again that has gone back to repeat a lost segment.
    fn note_window(&mut self, header: &Header) {
        if self.peer_window == 0 && header.window != 0 {
            self.retry =
                Retry { deadline: self.retry.deadline.filter(|_| self.highest > 0), ..Retry::default() };
            self.probe_due = false;
        }
        self.peer_window = header.window;
    }

    fn receive_text(
        &mut self,
        now: Picoseconds,
        header: &Header,
        payload: &[u8],
        settings: &Settings,
        memory: &mut Memory<'_>,
    ) {
        let known = distance(header.sequence, self.receive_next);
        let length = i64::from(header.sequence_length(payload.len()));
        if length == 0 && known <= 0 {
            return;
        }
        if known < 0 || known >= length || self.fin_received {
            let counter =
                if known < 0 { &mut self.counters.out_of_order } else { &mut self.counters.duplicate };
            *counter += 1;
            self.ack_due = true;
            if self.status == Status::TimeWait {
                self.enter_time_wait(now, settings);
            }
            return;
        }
        let fresh = &payload[known as usize..];
        let fitting = &fresh[..fresh.len().min(usize::from(memory.window()))];
        self.take_payload(now, fitting, settings, memory);
        if fitting.len() < fresh.len() {
            self.counters.beyond_window += 1;
            self.ack_due = true;
        } else if header.has(flag::FIN) {
            self.receive_fin(now, settings);
        }
    }

    fn take_payload(&mut self, now: Picoseconds, bytes: &[u8], settings: &Settings, memory: &mut Memory<'_>) {
        if bytes.is_empty() {
            return;
        }
        memory.append(bytes);
        self.receive_next = self.receive_next.wrapping_add(bytes.len() as u32);
        self.exchanged = true;
        self.interrupts |= interrupt::RECV;
        match settings.ack_delay() {
            None => self.ack_due = true,
            Some(delay) => {
                self.ack_deadline.get_or_insert(now + delay);
            }
        }
    }

    fn receive_fin(&mut self, now: Picoseconds, settings: &Settings) {
        self.receive_next = self.receive_next.wrapping_add(1);
        self.fin_received = true;
        self.ack_due = true;
        self.interrupts |= interrupt::DISCON;
        match self.status {
            Status::FinWait if self.fin_acknowledged => self.enter_time_wait(now, settings),
            Status::FinWait => self.status = Status::Closing,
            _ => self.status = Status::CloseWait,
        }
    }

    fn enter_time_wait(&mut self, now: Picoseconds, settings: &Settings) {
        if settings.time_wait > Picoseconds::ZERO {
            self.status = Status::TimeWait;
            self.linger_deadline = Some(now + settings.time_wait);
        } else {
            let last_ack_due = self.ack_due;
            self.end(0);
            self.ack_due = last_ack_due;
        }
    }
}
