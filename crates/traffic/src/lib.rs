//! The load: clients and servers as state machines without I/O. A [`Machine`] takes events and asks for actions; whoever seats
//! it (OS sockets here, a virtual PC elsewhere) carries them out. The very client that loads a real board loads a virtual
//! one, which is what makes the two comparable.
//!
//! Nothing here knows where time comes from or who carries the bytes.

pub mod bulk;
pub mod coap;
mod declared;
pub mod dhcp;
pub mod dns;
mod flow;
pub mod http;
pub mod iperf;
mod kinds;
mod machine;
pub mod memory;
mod meter;
pub mod mqtt;
mod options;
pub mod os;
mod outbox;
pub mod pattern;
pub mod ping;
pub mod pingpong;
mod sample;
pub mod small;
pub mod sntp;
#[cfg(test)]
mod testing;

pub use declared::{OptionError, ServiceOption};
pub use kinds::{KINDS, Kind, KindError, machine};
pub use machine::{Action, Connection, Event, Ipv4Endpoint, Machine};
pub use meter::Interval;
pub use options::{OptionKind, OptionSpec};
pub use sample::{Outcome, Sample};

/// Every table of options in this crate, by the name of its machine.
pub const OPTION_TABLES: &[(&str, &[OptionSpec])] = &[
    ("bulk-client", bulk::CLIENT_OPTIONS),
    ("bulk-server", bulk::SERVER_OPTIONS),
    ("http-client", http::CLIENT_OPTIONS),
    ("http-server", http::SERVER_OPTIONS),
    ("iperf-tcp-client", iperf::TCP_CLIENT_OPTIONS),
    ("iperf-tcp-server", iperf::TCP_SERVER_OPTIONS),
    ("iperf-udp-client", iperf::UDP_CLIENT_OPTIONS),
    ("iperf-udp-server", iperf::UDP_SERVER_OPTIONS),
    ("ping-client", ping::CLIENT_OPTIONS),
    ("pingpong-client", pingpong::CLIENT_OPTIONS),
    ("pingpong-server", pingpong::SERVER_OPTIONS),
    ("small-server", small::SERVER_OPTIONS),
];
