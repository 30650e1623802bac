//! What a chip notes while it runs: edges of its pins, and accesses to what is not modelled.

use units::Picoseconds;

/// A pin changed its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Edge {
    /// When.
    pub at: Picoseconds,
    /// GPIO number.
    pub pin: u8,
    /// The level from now on.
    pub level: bool,
}

/// An access to something that is not modelled, or one that a chip ignores as well; reported once for each address and
/// direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAccess {
    /// The block of the chip, as the datasheet names it.
    pub block: &'static str,
    /// What exactly is missing, where the block itself is there.
    pub detail: &'static str,
    /// The full address.
    pub address: u32,
    /// Whether it was written.
    pub write: bool,
    /// The program counter of the first access.
    pub pc: u32,
    /// The core.
    pub core: u8,
    /// The chip ignores it as well: a mistake of the image, and nothing that the model lacks.
    pub ignored: bool,
}
