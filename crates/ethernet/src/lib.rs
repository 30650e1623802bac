//! Ethernet in virtual time: wires with serialisation time, a learning switch, impairments, a pcapng tap, and a PC with a
//! TCP/IP stack at the other end. A [`Network`] is a plain state machine with ports for whatever is not its own (a chip on
//! a board, a TAP interface): frames go in with their time, and come out with theirs.
//!
//! ```
//! use ethernet::{Cable, Direction, Frame, Network, Speed};
//! use units::Picoseconds;
//!
//! let mut network = Network::new(1);
//! let board = network.add_port("board", Cable::new(Speed::Mbps10));
//! let pc = network.add_port("pc", Cable::new(Speed::Mbps100));
//! let impairments = "loss=1%,delay=3ms".parse()?;
//! network.set_impairments(board, Direction::Outbound, impairments)?;
//! network.send(board, Picoseconds::ZERO, Frame::new(vec![0xff; 60]));
//! while let Some(at) = network.next_event() {
//!     network.advance(at);
//! }
//! // 57.6 us at 10 Mbit/s, 3 ms, and 5.76 us at 100 Mbit/s.
//! assert_eq!(network.take_arrival(pc).map(|arrival| arrival.at), Some(Picoseconds::from_ns(3_063_360)));
//! # Ok::<(), ethernet::ImpairmentError>(())
//! ```
//!
//! Left out: half duplex and collisions, negotiation (a plugged cable has its speed at once), PAUSE and other control
//! frames, VLANs, and noise other than the impairments'.
//!
//! Nothing here knows boards, chips or what the PC's applications speak.

mod cable;
mod counters;
mod flight;
mod frame;
mod hop;
mod host;
mod impairment;
mod network;
mod pcapng;
mod setup;
mod station;
mod switch;
mod tap;
mod wires;

pub use cable::{Cable, Direction};
pub use counters::{DropReason, LaneCounters, PortCounters, SwitchCounters};
pub use flight::Marks;
pub use frame::{Frame, Speed};
pub use hop::{Hop, HopId, HopPassed};
pub use host::{
    AckPolicy, AddressConfiguration, Application, EchoReply, Ending, Host, HostCounts, HostError,
    HostOptions, ListenerId, News, SeatId, SeenFrame, Sockets, TcpId, TcpLimits, TcpState, UdpId,
    Unreachable,
};
pub use impairment::{
    BitRate, IMPAIRMENT_OPTIONS, ImpairmentError, ImpairmentOption, Impairments, JitterShape, Probability,
};
pub use network::{Arrival, EndId, Network, NoDirectCable, PortId, StationId};
pub use pcapng::{Capture, CaptureError, Interface, InterfaceId, Packet};
pub use station::Station;
pub use tap::{TapId, Tapped};
