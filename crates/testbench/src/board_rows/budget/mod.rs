//! The budget of a message: every picosecond between its start and its end goes to exactly one stage.
//!
//! Stages overlap in reality: a frame is on the wire while the processor sleeps. What comes first in [`Rank`] takes the time;
//! that is the order in which a change would help. Looks at a register that saw nothing new give way to what they waited
//! for, and a processor that spins while the PC thinks is not what the message waits for either. What the board waits between
//! taking data and sending some has a stage of its own (`held`).
//!
//! Of a bulk transfer many messages are under way at a time, and something is always on the wire. There the board's work takes
//! the time, and only while it waits the question is what for (`bulk`).

mod accesses;
mod bulk;
mod cpu;
mod evidence;
mod flow;
mod frames;
mod held;
mod purposes;
mod shares;
mod sleeps;
mod spans;
mod sweep;
mod trace;
mod transfers;
mod wire;
mod witness;

use units::Picoseconds;

use crate::run_folder::{Site, Stage, Subject, UnderWay};

pub use evidence::Evidence;
pub use trace::{HEAVY_TAIL, RowBudget, budget_of};
pub use transfers::{BulkEvidence, LimitShares};

/// Who takes a time when several could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// SPI moves something.
    Spi,
    /// The board waits, in a bulk transfer for what its stage says. Of several such the first counts.
    Waiting,
    /// A frame is between the chip and the PC.
    Wire,
    /// The PC has what the board sent and has not yet sent what follows.
    Pc,
    /// The chip was told to send and has not yet begun.
    Chip,
    /// Nothing happens until a timer of TCP runs out.
    Protocol,
    /// SPI looks at a register again that says the same.
    Polling,
    /// The processor waits for room in a UART.
    Console,
    /// The processor sleeps.
    Asleep,
    /// The processor works.
    Processor,
    /// The processor sleeps on beyond the end of what is looked at.
    AsleepOn,
}

/// Something that lasted from one time to another.
#[derive(Debug, Clone)]
struct Interval {
    start: Picoseconds,
    end: Picoseconds,
    rank: Rank,
    stage: Stage,
    bytes: u64,
}

/// A part of a message's time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BudgetSpan {
    /// The message's index.
    pub(crate) message: u64,
    /// What it goes to.
    pub(crate) stage: Stage,
    pub(crate) start: Picoseconds,
    pub(crate) end: Picoseconds,
    /// Bytes that were moved.
    pub(crate) bytes: u64,
}
