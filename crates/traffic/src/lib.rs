//! The load: clients and servers as state machines without I/O. A [`Machine`] takes events and asks for actions; whoever seats
//! it (OS sockets here, a virtual PC elsewhere) carries them out. The very client that loads a real board loads a virtual
//! one, which is what makes the two comparable.
//!
//! Nothing here knows where time comes from or who carries the bytes.

mod machine;

pub use machine::{Action, Connection, Event, Ipv4Endpoint, Machine};
