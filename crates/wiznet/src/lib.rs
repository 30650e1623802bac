//! WIZnet's Ethernet chips in virtual time: what a driver sees on SPI, what the wire sees in frames, and the hardwired TCP/IP
//! between the two. A [`Chip`] is a plain state machine: SPI bytes, pins and frames go in with their time, answers and
//! frames come out, and [`Chip::next_event`] says when it wants to be called again.
//!
//! Nothing here knows boards or networks. The parallel buses of W5100 and W5200, PPPoE and Wake-on-LAN are left out.

mod access;
mod chip;
mod chips;
mod core;
mod map;
mod record;
pub mod spi;
mod tcp;
mod types;

pub use access::{Access, Command, Register, Role, Target};
pub use chip::Chip;
pub use chips::{Facts, Model};
pub use types::{Dropped, Duplex, LinkPartner, Options, Sent, Speed, Warning};
