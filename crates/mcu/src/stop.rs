//! Why a run of a chip comes back, and why a core does not execute.

use crate::Fault;

/// Why a core does not execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Sleep {
    /// It does execute.
    Awake,
    /// Until an interrupt comes.
    Interrupt,
    /// Until an event or an interrupt comes.
    Event,
    /// In the boot ROM, until the other core launches it.
    Launch,
    /// For ever: it was switched off, or locked up.
    Off,
}

/// What stopped a core for a debugger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum DebugEvent {
    /// It stands at a breakpoint, which it has not executed.
    Breakpoint(u32),
    /// It executed BKPT with this number.
    Bkpt(u8),
    /// It accessed a watched address.
    Watchpoint {
        /// The address.
        address: u32,
        /// Whether it was written.
        write: bool,
    },
}

/// Why a run came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The time was reached.
    Time,
    /// Every core sleeps, and nothing will ever wake one.
    Asleep,
    /// The image faulted.
    Fault(Fault),
    /// A core faulted while it handled a fault, and stopped for good.
    LockedUp(Fault),
    /// A breakpoint, a watchpoint or BKPT, on a core.
    Debug(usize, DebugEvent),
    /// The image ended itself (semihosting exit), with this code.
    Ended(u32),
    /// The image asked the boot ROM for its USB boot loader.
    BootLoader,
    /// Something came from a console that is watched.
    Console,
    /// A pin that is watched changed its level.
    Pin,
    /// It cannot go on before it knows what is on a line that it receives from another board.
    AwaitsLine,
}

/// What a run stops at besides its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StopAt {
    /// Any byte from a UART or the USB console.
    pub console: bool,
    /// A level that changes on one of these pins, a bit each.
    pub pins: u32,
}

/// A core slept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slept {
    /// Which.
    pub core: u8,
    /// From the instruction that sent it to sleep.
    pub from: units::Picoseconds,
    /// To its wake-up.
    pub to: units::Picoseconds,
    /// The interrupt that was pending then; nothing where an event woke it.
    pub woken_by: Option<Waker>,
}

/// An interrupt that ends a sleep, by what it means for the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waker {
    /// A timer, as the image set it.
    Timer,
    /// A pin.
    Pin,
    /// Another one, by its name where it has one.
    Other(Option<&'static str>),
}
