//! Ethernet in virtual time: wires with serialisation time, a learning switch, impairments, a pcapng tap, and a PC with a
//! TCP/IP stack at the other end. A [`Network`] is a plain state machine with ports for whatever is not its own (a chip on
//! a board, a TAP interface): frames go in with their time, and come out with theirs.
//!
//! Nothing here knows boards, chips or what the PC's applications speak.

mod cable;
mod counters;
mod flight;
mod frame;
mod network;
mod station;
mod switch;
mod wires;

pub use cable::{Cable, Direction};
pub use counters::{DropReason, LaneCounters, PortCounters, SwitchCounters};
pub use flight::Marks;
pub use frame::{Frame, Speed};
pub use network::{Arrival, EndId, Network, PortId, StationId};
pub use station::Station;
