//! Ethernet in virtual time: wires with serialisation time, a learning switch, impairments, a pcapng tap, and a PC with a
//! TCP/IP stack at the other end. A [`Network`] is a plain state machine with ports for whatever is not its own (a chip on
//! a board, a TAP interface): frames go in with their time, and come out with theirs.
//!
//! Nothing here knows boards, chips or what the PC's applications speak.

mod frame;
mod network;
mod station;

pub use frame::{Frame, Speed};
pub use network::{Arrival, Cable, Network, PortId, StationId};
pub use station::Station;
