//! The budget of a message: every picosecond between its start and its end goes to exactly one stage.
//!
//! Stages overlap in reality: a frame is on the wire while the processor sleeps. What comes first in [`Rank`] takes the time;
//! that is the order in which a change would help. Looks at a register that saw nothing new give way to what they waited
//! for, and a processor that spins while the PC thinks is not what the message waits for either. What the board waits between
//! taking data and sending some has a stage of its own (`held`).
//!
//! Of a bulk transfer many messages are under way at a time, and something is always on the wire. There the board's work takes
//! the time, and only while it waits the question is what for (`bulk`).

pub mod accesses;
pub mod bulk;
pub mod clock;
mod evidence;
pub mod flow;
pub mod frames;
pub mod held;
pub mod looks;
pub mod pauses;
mod purposes;
pub mod radio;
pub mod shares;
pub mod sleeps;
pub mod spans;
mod sweep;
pub mod testimony;
pub mod transfers;

use record::run_folder::{Site, Stage, Subject, UnderWay};
use units::Picoseconds;

pub use evidence::Evidence;
pub use testimony::Testimony;
pub use transfers::{BulkEvidence, LimitShares};

/// Who takes a time when several could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
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
    /// The processor sleeps, or does what the message does not wait for.
    Asleep,
    /// The processor works.
    Processor,
    /// The processor sleeps on beyond the end of what is looked at.
    AsleepOn,
}

/// Something that lasted from one time to another.
#[derive(Debug, Clone)]
pub struct Interval {
    /// Its first moment.
    pub start: Picoseconds,
    /// The first moment behind it.
    pub end: Picoseconds,
    /// Against whom it takes the time.
    pub rank: Rank,
    /// What the time goes to.
    pub stage: Stage,
    /// Bytes that were moved.
    pub bytes: u64,
}

/// A part of a message's time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetSpan {
    /// The message's index.
    pub message: u64,
    /// What it goes to.
    pub stage: Stage,
    /// Its first moment.
    pub start: Picoseconds,
    /// The first moment behind it.
    pub end: Picoseconds,
    /// Bytes that were moved.
    pub bytes: u64,
}
