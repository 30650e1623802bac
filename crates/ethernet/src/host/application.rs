//! What runs on a PC, and what it hears of.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::net::IpAddr;

use units::Picoseconds;

use super::Sockets;
use super::icmp::{PORT_UNREACHABLE, PROTOCOL_UDP};

/// Something that runs on a PC: a state machine that is run when something happened at its sockets, or when it asked for.
pub trait Application: Any + Debug + Send {
    /// Runs; answers when it wants to be run again at the latest (not before 1 us has passed), which replaces what it
    /// answered before. It is also run once as soon as it is seated.
    fn run(&mut self, now: Picoseconds, sockets: &mut Sockets<'_>) -> Option<Picoseconds>;

    /// A copy in the same state; nothing when it cannot be copied.
    fn snapshot(&self) -> Option<Box<dyn Application>> {
        None
    }
}

/// An application's place on a PC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SeatId(pub(super) usize);

/// A TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TcpId(pub(super) u64);

/// A TCP listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerId(pub(super) u16);

/// A UDP socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UdpId(pub(super) u16);

/// Where something may have happened. It is told once until it is taken, so look at everything there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// A connection: its state, its bytes or its room changed.
    Tcp(TcpId),
    /// A listener has connections to accept.
    Listener(ListenerId),
    /// A UDP socket has datagrams.
    Udp(UdpId),
    /// There are echo replies.
    Echo,
    /// There are notices that something is unreachable.
    Unreachable,
    /// There are frames that were watched.
    Frames,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Both sides finished.
    Finished,
    /// The peer reset it.
    Reset,
    /// The peer would not have it: a reset in answer to the SYN.
    Refused,
    /// The peer did not answer for too long.
    TimedOut,
    /// The PC's own application reset it.
    Aborted,
    /// No neighbour answered for its address, or a router said so.
    Unreachable,
}

impl Ending {
    /// In words; nothing for a connection that both sides finished.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            Self::Finished => None,
            Self::Reset => Some("connection reset by peer"),
            Self::Refused => Some("connection refused"),
            Self::TimedOut => Some("connection timed out"),
            Self::Aborted => Some("connection aborted"),
            Self::Unreachable => Some("host unreachable"),
        }
    }
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TcpState {
    /// The handshake is not over.
    Opening,
    /// Open; either side may have finished.
    Open,
    /// Over.
    Over(Ending),
}

/// An ICMP echo reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoReply {
    /// When it arrived at the stack.
    pub at: Picoseconds,
    /// From whom.
    pub from: IpAddr,
    /// Of the request.
    pub identifier: u16,
    /// Of the request.
    pub sequence: u16,
    /// What came back.
    pub payload: Vec<u8>,
}

/// An ICMP notice that a packet did not get through (RFC 792, or RFC 4443 over IPv6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unreachable {
    /// Who says so.
    pub from: IpAddr,
    /// The code: 0 network, 1 host, 2 protocol, 3 port; one of IPv6 is told as that of IPv4 that means the same.
    pub code: u8,
    /// The IP protocol of the packet.
    pub protocol: u8,
    /// Where the packet was going.
    pub to: IpAddr,
    /// From which port of the PC, where the protocol has ports.
    pub local_port: u16,
    /// To which port, where the protocol has ports.
    pub remote_port: u16,
}

impl Unreachable {
    /// The port to which a datagram went in vain, where its own host says that nobody has it.
    pub fn refused_datagram(&self) -> Option<(IpAddr, u16)> {
        let is_refusal =
            self.protocol == PROTOCOL_UDP && self.code == PORT_UNREACHABLE && self.from == self.to;
        is_refusal.then_some((self.to, self.remote_port))
    }
}

/// A frame that a PC received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFrame {
    /// When its last bit arrived.
    pub at: Picoseconds,
    /// Its bytes, without the check sequence.
    pub bytes: Vec<u8>,
}

/// Notices of one kind that wait for an application; more are dropped.
const MOST_NOTICES: usize = 4_096;

/// What waits for an application.
#[derive(Debug, Default, Clone)]
pub(super) struct Mailbox {
    pub news: VecDeque<News>,
    /// Connections with bytes that the application may not know of yet.
    pub later: Vec<TcpId>,
    /// When it may know of the last of them.
    pub again: Option<Picoseconds>,
    pub echoes: VecDeque<EchoReply>,
    pub unreachable: VecDeque<Unreachable>,
    pub frames: VecDeque<SeenFrame>,
    pub watching: bool,
    pub due: Option<Picoseconds>,
    pub dropped: u64,
}

impl Mailbox {
    /// Has the application run at `at`, or earlier where that was planned.
    pub(super) fn call(&mut self, at: Picoseconds) {
        self.due = Some(self.due.map_or(at, |due| due.min(at)));
    }

    /// The application runs: what it may know of by now is news.
    pub(super) fn begin_run(&mut self, now: Picoseconds) {
        self.due = self.again.take().filter(|&again| again > now);
        self.news.extend(self.later.drain(..).map(News::Tcp));
    }

    pub(super) fn echo(&mut self, reply: EchoReply) {
        if self.echoes.is_empty() {
            self.news.push_back(News::Echo);
        }
        self.dropped += file(&mut self.echoes, reply);
    }

    pub(super) fn notice(&mut self, notice: Unreachable) {
        if self.unreachable.is_empty() {
            self.news.push_back(News::Unreachable);
        }
        self.dropped += file(&mut self.unreachable, notice);
    }

    pub(super) fn seen(&mut self, frame: SeenFrame) {
        if self.frames.is_empty() {
            self.news.push_back(News::Frames);
        }
        self.dropped += file(&mut self.frames, frame);
    }
}

fn file<T>(queue: &mut VecDeque<T>, item: T) -> u64 {
    if queue.len() >= MOST_NOTICES {
        return 1;
    }
    queue.push_back(item);
    0
}
