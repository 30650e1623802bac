//! Who looks over a core's shoulder: what is watched, and every instruction for whoever asks.

use std::any::Any;

use units::Picoseconds;

/// An address range that is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watchpoint {
    /// Its first byte.
    pub address: u32,
    /// Its length.
    pub bytes: u32,
    /// Whether reads stop the core.
    pub reads: bool,
    /// Whether writes stop the core.
    pub writes: bool,
}

/// An instruction that begins, with what tells a call from a branch and a handler from a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The core.
    pub core: u8,
    /// The instruction.
    pub pc: u32,
    /// The cycle at which it began.
    pub cycle: u64,
    /// The time at which it began.
    pub at: Picoseconds,
    /// The cycles that the core was asleep so far.
    pub idle_cycles: u64,
    /// The stack pointer.
    pub sp: u32,
    /// The link register: where the function that was called last returns to. A core that has none keeps the return address
    /// of its last call here.
    pub lr: u32,
    /// The number of the exception that is handled, 0 in thread mode.
    pub exception: u8,
}

/// Receives every instruction as it begins. Whoever set one finds it again by its type.
pub trait Observer: Any + std::fmt::Debug + Send {
    /// An instruction begins.
    fn instruction(&mut self, step: Step);
}
