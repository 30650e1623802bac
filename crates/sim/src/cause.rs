//! What a span of time is spent on. One closed set for links and boards, so that everything that reads spans reads both; its
//! codes stand in run folders and stay.

use serde::Serialize;

/// What a time is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A processor or the firmware on it.
    Cpu,
    /// Bytes on a wire between chips.
    Bus,
    /// Bits on the air.
    Air,
    /// Waiting for a gate to open: a slot, a tick, a poll, a timer.
    Gate,
    /// Gaps, turnarounds, acknowledgements: what the protocol demands between frames.
    Protocol,
    /// Doing again what failed.
    Retry,
    /// Waiting behind earlier messages.
    Queue,
    /// Frames on the network's wire, characters on a serial line.
    Wire,
    /// On the way beside the frames themselves: the delay of a cable.
    Delay,
    /// Waiting for a window or an acknowledgement.
    Window,
    /// The other end has what was sent.
    Pc,
    /// The network chip at work.
    Chip,
    /// Asleep until something happens.
    Sleep,
    /// Waiting for the console.
    Console,
    /// Measured, not understood.
    Empirical,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Cpu,
        Self::Bus,
        Self::Air,
        Self::Gate,
        Self::Protocol,
        Self::Retry,
        Self::Queue,
        Self::Wire,
        Self::Delay,
        Self::Window,
        Self::Pc,
        Self::Chip,
        Self::Sleep,
        Self::Console,
        Self::Empirical,
    ];

    /// Its code in tables and JSON.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Bus => "bus",
            Self::Air => "air",
            Self::Gate => "gate",
            Self::Protocol => "protocol",
            Self::Retry => "retry",
            Self::Queue => "queue",
            Self::Wire => "wire",
            Self::Delay => "delay",
            Self::Window => "window",
            Self::Pc => "pc",
            Self::Chip => "chip",
            Self::Sleep => "sleep",
            Self::Console => "console",
            Self::Empirical => "empirical",
        }
    }
}
