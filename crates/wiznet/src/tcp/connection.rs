//! One TCP connection: what it remembers, and what a driver's commands do to it. Segments that arrive are in `receive`,
//! segments that leave in `transmit`, time in `timing`.

use std::net::{IpAddr, Ipv4Addr};

use units::Picoseconds;

use super::memory::{Memory, Pointers};
use super::segment::{Header, flag};
use super::settings::{SendOk, Settings};

/// Bits of Sn_IR.
pub(crate) mod interrupt {
    pub(crate) const CON: u8 = 0x01;
    pub(crate) const DISCON: u8 = 0x02;
    pub(crate) const RECV: u8 = 0x04;
    pub(crate) const TIMEOUT: u8 = 0x08;
    pub(crate) const SENDOK: u8 = 0x10;
}

/// Sn_SR in TCP mode; the numbers are the register's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[repr(u8)]
pub(crate) enum Status {
    #[default]
    Closed = 0x00,
    Init = 0x13,
    Listen = 0x14,
    SynSent = 0x15,
    SynRecv = 0x16,
    Established = 0x17,
    FinWait = 0x18,
    Closing = 0x1A,
    TimeWait = 0x1B,
    CloseWait = 0x1C,
    LastAck = 0x1D,
}

/// Who talks to whom; the own address is the chip's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Endpoints {
    pub(crate) local_port: u16,
    pub(crate) remote_port: u16,
    pub(crate) remote_address: IpAddr,
}

impl Default for Endpoints {
    fn default() -> Self {
        Self { local_port: 0, remote_port: 0, remote_address: Ipv4Addr::UNSPECIFIED.into() }
    }
}

/// What was received and not taken in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Counters {
    /// Segments that lay ahead of the next expected byte.
    pub(crate) out_of_order: u64,
    /// Segments that brought only what was there already.
    pub(crate) duplicate: u64,
    /// Segments that reached beyond the free receive memory and were cut.
    pub(crate) beyond_window: u64,
    /// Segments that the status or their numbers made meaningless.
    pub(crate) unacceptable: u64,
}

/// The wait for an answer from the peer.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Retry {
    pub(super) deadline: Option<Picoseconds>,
    /// Time-outs since the peer last answered.
    pub(super) unanswered: u16,
    /// How often the wait has doubled.
    pub(super) doublings: u8,
}

/// A connection. It is kept as long as its socket and starts anew at each OPEN.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Connection {
    pub(super) status: Status,
    pub(super) endpoints: Endpoints,
    pub(super) mss: Option<u16>,

    /// The sequence number at `tx_acknowledged`; all offsets count from here. SYN lies one before the first data byte.
    pub(super) acknowledged: u32,
    /// The offset at which sending goes on: falls back to zero at a time-out.
    pub(super) next: u32,
    /// The offset up to which something was ever sent, FIN included.
    pub(super) highest: u32,
    pub(super) fin_queued: bool,
    pub(super) fin_acknowledged: bool,
    pub(super) peer_window: u16,
    /// A SEND for which SENDOK has not come.
    pub(super) send_pending: bool,

    pub(super) receive_next: u32,
    pub(super) fin_received: bool,
    /// Whether any data has passed: before that there is no keep-alive.
    pub(super) exchanged: bool,

    pub(super) reset_due: Option<Header>,
    pub(super) syn_due: bool,
    pub(super) probe_due: bool,
    pub(super) ack_due: bool,

    pub(super) retry: Retry,
    /// A keep-alive or a question for the window is on its way.
    pub(super) probing: bool,
    pub(super) ack_deadline: Option<Picoseconds>,
    /// The end of TIME_WAIT, or of the wait for the peer's FIN.
    pub(super) linger_deadline: Option<Picoseconds>,
    pub(super) last_activity: Picoseconds,

    pub(super) interrupts: u8,
    pub(super) counters: Counters,
}

impl Connection {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Who talks to whom, also after the end.
    pub(crate) fn endpoints(&self) -> Endpoints {
        self.endpoints
    }

    /// What both sides' offers left as the segment size (W5200 datasheet, Sn_MSSR), once the peer's is known and until the end.
    pub(crate) fn mss(&self) -> Option<u16> {
        self.mss.filter(|_| self.status != Status::Closed)
    }

    /// The bits for Sn_IR since the last call.
    pub(crate) fn take_interrupts(&mut self) -> u8 {
        std::mem::take(&mut self.interrupts)
    }

    /// What was dropped since the socket was first opened.
    pub(crate) fn counters(&self) -> Counters {
        self.counters
    }

    /// OPEN: whatever was, is over.
    pub(crate) fn open(&mut self, pointers: &mut Pointers) {
        *self = Self { status: Status::Init, counters: self.counters, ..Self::default() };
        *pointers = Pointers::default();
    }

    /// LISTEN. False, and nothing, in every status but SOCK_INIT.
    pub(crate) fn listen(&mut self, local_port: u16, initial_sequence: u32) -> bool {
        if self.status != Status::Init {
            return false;
        }
        self.status = Status::Listen;
        self.endpoints = Endpoints { local_port, ..Endpoints::default() };
        self.acknowledged = initial_sequence.wrapping_add(1);
        true
    }

    /// CONNECT, once the peer's hardware address is known. False, and nothing, in every status but SOCK_INIT.
    pub(crate) fn connect(&mut self, endpoints: Endpoints, initial_sequence: u32) -> bool {
        if self.status != Status::Init {
            return false;
        }
        self.status = Status::SynSent;
        self.endpoints = endpoints;
        self.acknowledged = initial_sequence.wrapping_add(1);
        self.syn_due = true;
        true
    }

    /// The peer's hardware address could not be had.
    pub(crate) fn fail(&mut self) {
        self.end(interrupt::TIMEOUT);
    }

    /// SEND of everything up to Sn_TX_WR. False, and nothing, when status or memory let nothing be sent.
    pub(crate) fn send(
        &mut self,
        now: Picoseconds,
        tx_write: u16,
        settings: &Settings,
        memory: &mut Memory<'_>,
    ) -> bool {
        let open = matches!(self.status, Status::Established | Status::CloseWait);
        if !open || memory.tx.is_empty() {
            return false;
        }
        memory.pointers.tx_boundary = tx_write;
        self.send_pending = true;
        self.settle_send(settings, memory.pointers);
        self.arm_persist(now, settings, memory.pointers);
        true
    }

    /// RECV: the bytes before Sn_RX_RD are free again, which the peer is told at once: a capture of a WIZ550io shows a
    /// window update behind the acknowledgement of two bytes (forum.wiznet.io, topic 5213).
    pub(crate) fn recv(&mut self, rx_read: u16, pointers: &mut Pointers) {
        let moved = pointers.rx_read != rx_read;
        pointers.rx_read = rx_read;
        self.ack_due |= moved && self.receives_data();
    }

    /// DISCON: FIN behind what SEND was given; before a connection stands, the end. False, and nothing, when there is no
    /// connection, or the own side has been closed.
    pub(crate) fn disconnect(&mut self) -> bool {
        match self.status {
            Status::Established => self.status = Status::FinWait,
            Status::CloseWait => self.status = Status::LastAck,
            Status::Init | Status::Listen | Status::SynSent | Status::SynRecv => {
                self.close();
                return true;
            }
            _ => return false,
        }
        self.fin_queued = true;
        true
    }

    /// CLOSE: the end, without a word to the peer.
    pub(crate) fn close(&mut self) {
        self.end(0);
    }

    /// SEND_KEEP. False, and nothing, when the chip keeps alive by itself, or no data has passed (documentation of
    /// the crate w5500-ll 0.13, `sn_kpalvtr`).
    pub(crate) fn send_keep(&mut self, settings: &Settings) -> bool {
        let allowed = settings.keep_alive_time == 0 && self.may_keep_alive();
        self.probe_due |= allowed;
        allowed
    }

    /// Whether a segment is this connection's. A listening socket has none yet.
    pub(crate) fn matches(&self, remote_address: IpAddr, header: &Header) -> bool {
        let from_peer = Endpoints {
            local_port: header.destination_port,
            remote_port: header.source_port,
            remote_address,
        };
        !matches!(self.status, Status::Closed | Status::Init | Status::Listen) && self.endpoints == from_peer
    }

    /// Whether a segment opens a connection here.
    pub(crate) fn would_accept(&self, header: &Header) -> bool {
        self.status == Status::Listen
            && header.destination_port == self.endpoints.local_port
            && header.flags & (flag::SYN | flag::ACK | flag::RST) == flag::SYN
    }

    /// SOCK_CLOSED with a reason, and nothing more is sent.
    pub(super) fn end(&mut self, reason: u8) {
        self.interrupts |= reason;
        self.status = Status::Closed;
        self.reset_due = None;
        self.syn_due = false;
        self.probe_due = false;
        self.ack_due = false;
        self.probing = false;
        self.send_pending = false;
        self.fin_queued = false;
        self.retry = Retry::default();
        self.ack_deadline = None;
        self.linger_deadline = None;
    }

    pub(super) fn receives_data(&self) -> bool {
        matches!(self.status, Status::Established | Status::FinWait)
    }

    pub(super) fn sends_data(&self) -> bool {
        use Status::{CloseWait, Closing, Established, FinWait, LastAck};
        matches!(self.status, Established | CloseWait | FinWait | Closing | LastAck) && !self.fin_acknowledged
    }

    /// SENDOK, if a SEND is done.
    pub(super) fn settle_send(&mut self, settings: &Settings, pointers: &Pointers) {
        let pending = pointers.tx_pending_bytes();
        let done = match settings.send_ok {
            SendOk::Sent => self.highest >= u32::from(pending),
            SendOk::Acknowledged => pending == 0,
        };
        if self.send_pending && done {
            self.send_pending = false;
            self.interrupts |= interrupt::SENDOK;
        }
    }
}
