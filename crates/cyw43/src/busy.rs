//! What the chip was busy with, kept while somebody looks: transfers on its bus, and frames in its own processor.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

/// What it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// A transfer with a register, or with the backplane.
    Register,
    /// A packet on the bus.
    Packet {
        /// Whether it comes from the host.
        from_host: bool,
    },
    /// An Ethernet frame between the bus and the air.
    Frame {
        /// Whether it comes from the host.
        from_host: bool,
    },
}

/// Something that lasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// What.
    pub activity: Activity,
    /// Its first moment.
    pub start: Picoseconds,
    /// The first moment behind it.
    pub end: Picoseconds,
    /// Bytes of data.
    pub bytes: u32,
}
