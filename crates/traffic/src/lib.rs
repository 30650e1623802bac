//! The load: clients and servers as state machines without I/O. A [`Machine`] takes events and asks for actions; whoever seats
//! it (OS sockets here, a virtual PC elsewhere) carries them out. The very client that loads a real board loads a virtual
//! one, which is what makes the two comparable.
//!
//! Nothing here knows where time comes from or who carries the bytes.

mod answers;
mod arrival;
pub mod bulk;
pub mod coap;
pub mod dhcp;
pub mod dhcpv6;
pub mod dns;
mod files;
mod flow;
pub mod ftp;
pub mod http;
pub mod iperf;
pub mod iperf3;
mod kinds;
mod losses;
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
mod results;
mod sample;
pub mod scan;
mod schedule;
pub mod small;
pub mod sntp;
pub mod talk;
#[cfg(test)]
mod testing;
pub mod tftp;
pub mod tls;
pub mod udp;
mod waiting;
pub mod ws;

pub use kinds::{KINDS, Kind, KindError, kind, machine};
pub use losses::{Cause, Loss, Mark};
pub use machine::{Action, Connection, Event, IpEndpoint, Machine};
pub use meter::Interval;
pub use options::{Declared, OptionError, Values};
pub use results::{Counter, Results};
pub use sample::{Outcome, Sample};
pub use waiting::Waiting;
