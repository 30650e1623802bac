//! What a chip counts and keeps while it runs, as plain figures.

use units::Picoseconds;

use crate::Slept;

/// What was counted since the start. Lists have an entry for each core.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Cycles of the cores' clock, awake and asleep.
    pub cycles: u64,
    /// Instructions executed.
    pub instructions: Vec<u64>,
    /// Cycles asleep (a core that was never started sleeps all the time).
    pub idle_cycles: Vec<u64>,
    /// Exceptions entered, interrupts among them.
    pub exceptions: Vec<u64>,
    /// Resets by watchdog or software.
    pub resets: u32,
    /// Cycles that the cores waited for the flash; 0 on a chip that never does.
    pub flash_wait_cycles: u64,
    /// What the chip's supply feels of it: every state that it knows, which together are all time.
    pub states: Vec<SupplyState>,
}

/// A state of a chip in which its supply current follows one law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupplyState {
    /// `running`, `asleep`, or a deeper sleep by the name that the datasheet gives it.
    pub state: &'static str,
    /// How long the chip was in it.
    pub time: Picoseconds,
    /// Cycles of the clock meanwhile.
    pub cycles: u64,
    /// Cycles in which a core was awake, of all cores together.
    pub core_cycles: u64,
}

/// What the cores waited for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Waits {
    /// The sleeps that ended.
    pub sleeps: Vec<Slept>,
    /// The times at which a core saw that a UART could take no more, or that it had not sent all while the core waited for that.
    pub full_uart: Vec<Picoseconds>,
    /// From when to when core 0 went round a loop until the interrupt of a UART that could take more.
    pub at_uart: Vec<(Picoseconds, Picoseconds)>,
    /// From when to when core 0 did nothing but look at a clock.
    pub at_clock: Vec<(Picoseconds, Picoseconds)>,
}
