//! What every client and server speaks to whoever seats it.

use std::any::Any;
use std::fmt;
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use bytes::Bytes;
use units::Picoseconds;

use crate::{Results, Sample, Waiting};

/// An address of either family and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IpEndpoint {
    /// The address.
    pub address: IpAddr,
    /// The port.
    pub port: u16,
}

impl IpEndpoint {
    /// Of an address and a port.
    pub fn new(address: impl Into<IpAddr>, port: u16) -> Self {
        Self { address: address.into(), port }
    }

    /// Everyone in the network, at a port: IPv4 alone knows that address.
    pub(crate) fn everyone(port: u16) -> Self {
        Self::new(Ipv4Addr::BROADCAST, port)
    }
}

impl fmt::Display for IpEndpoint {
    /// An address of IPv6 stands in brackets before a port (RFC 3986 section 3.2.2).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", SocketAddr::new(self.address, self.port))
    }
}

/// A TCP connection, a UDP socket or a listener of one machine; the machine chooses the numbers of what it asks for, and the
/// seat those of connections that a listener accepted (from [`Connection::FIRST_ACCEPTED`] up).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Connection(pub u32);

impl Connection {
    /// Accepted connections are numbered from here.
    pub const FIRST_ACCEPTED: u32 = 0x8000_0000;
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The seat is there, or the time of [`Machine::wake_at`] has come.
    Wake,
    /// A connection that was asked for is open.
    Opened(Connection),
    /// A listener that was asked for listens at a port. Where it cannot, it is closed with a reason.
    Listening(Connection, u16),
    /// A listener accepted a connection.
    Accepted {
        /// Whose.
        listener: Connection,
        /// The new connection.
        connection: Connection,
        /// From where.
        peer: IpEndpoint,
        /// To which address of the server's own, and which port.
        to: IpEndpoint,
    },
    /// Bytes arrived on a TCP connection.
    Received(Connection, &'a [u8]),
    /// There is room for at least so many bytes to send; told when it was asked for with [`Action::WantRoom`].
    Room(Connection, usize),
    /// Everything that was sent so far was acknowledged by the peer, where the seat can tell; told with `WantRoom(_, 0)`.
    Drained(Connection),
    /// The peer will send no more.
    PeerFinished(Connection),
    /// A connection is over: both sides finished, or it broke with a reason.
    Closed(Connection, Option<&'a str>),
    /// A datagram arrived at a UDP socket.
    Datagram {
        /// Which.
        socket: Connection,
        /// From where.
        from: IpEndpoint,
        /// Its bytes.
        bytes: &'a [u8],
    },
    /// A host says that nobody has the UDP port that a datagram was sent to. Not every seat can tell.
    PortRefused(IpEndpoint),
    /// An ICMP echo reply arrived.
    EchoReply {
        /// From whom.
        from: IpAddr,
        /// Of the request.
        identifier: u16,
        /// Of the request.
        sequence: u16,
        /// What came back.
        payload: &'a [u8],
    },
}

/// What a machine asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Listens for TCP connections.
    Listen(Connection, u16),
    /// Opens a TCP connection.
    Connect(Connection, IpEndpoint),
    /// Sends on a TCP connection; what finds no room waits at the seat, without bound, so bulk asks for room first.
    Send(Connection, Vec<u8>),
    /// The same of bytes that are sent again and again, so that nobody copies them.
    SendBlock(Connection, Bytes),
    /// Asks for [`Event::Room`] when there is room for so many bytes; with 0 for [`Event::Drained`].
    WantRoom(Connection, usize),
    /// Stops (true) or resumes reading from a TCP connection: its window closes.
    Hold(Connection, bool),
    /// Switches Nagle's algorithm off (true) or on. It is on at first.
    NoDelay(Connection, bool),
    /// Sends what waits and then finishes its own direction.
    Finish(Connection),
    /// Resets a connection, or closes a listener or a UDP socket; no event of it follows.
    Abort(Connection),
    /// Binds a UDP socket; port 0 chooses one. With true it may broadcast.
    Bind(Connection, u16, bool),
    /// Sends a datagram.
    SendTo(Connection, IpEndpoint, Vec<u8>),
    /// Sends a datagram to a station whose Ethernet address is known and which answers no ARP yet. A seat that cannot do so
    /// sends it to everybody (RFC 2131 section 4.1).
    SendToStation(Connection, IpEndpoint, [u8; 6], Vec<u8>),
    /// Sends an ICMP echo request.
    EchoRequest {
        /// To whom.
        to: IpAddr,
        /// Of this client.
        identifier: u16,
        /// Counts requests.
        sequence: u16,
        /// What goes along.
        payload: Vec<u8>,
    },
}

/// A client or a server.
pub trait Machine: Any + Debug + Send {
    /// Takes an event.
    fn handle(&mut self, now: Picoseconds, event: Event<'_>);

    /// When the bytes of the event that follows arrived, where a seat knows better than that it was just now.
    fn arrived(&mut self, at: Picoseconds) {
        let _ = at;
    }

    /// The next action, in order; asked until there is none after each event.
    fn poll(&mut self) -> Option<Action>;

    /// When it wants [`Event::Wake`].
    fn wake_at(&self) -> Option<Picoseconds>;

    /// Whether it has done all it was made for; servers never have.
    fn is_done(&self) -> bool {
        false
    }

    /// What was measured and counted so far.
    fn results(&self) -> Results {
        Results::default()
    }

    /// The messages by which a board is measured: those of a client as it saw them, those of a server from one answer to the
    /// next, and of a transfer the intervals in which it counted bytes.
    fn work(&self) -> Vec<Sample> {
        self.results().samples
    }

    /// The same without the first `from` and without what is still under way, for those who ask often.
    fn work_since(&self, from: usize) -> Vec<Sample> {
        let mut work = self.work();
        work.split_off(from.min(work.len()))
    }

    /// What it waits for, and for how long already; nothing where it waits for nobody, or cannot say it.
    fn waiting(&self, now: Picoseconds) -> Option<Waiting> {
        let _ = now;
        None
    }

    /// A copy in the same state.
    fn boxed_clone(&self) -> Box<dyn Machine>;
}

impl Clone for Box<dyn Machine> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
