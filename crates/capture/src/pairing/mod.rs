//! Pairs trigger edges with done edges and accounts for every edge of both.
//!
//! [`Pairer`] takes the level changes of two channels (bit 0 trigger, bit 1 done) and gives one [`Trigger`] per
//! trigger edge, however many there are, in memory that grows only with the result. The three [`Rule`]s differ
//! in what they do when messages are lost or overtake the next trigger; `docs/explanation/pairing.md` shows on
//! real captures what each does to the figures.

mod fifo;
mod outcome;
mod pairer;
mod published;
mod strict;

pub use outcome::{DoneOutcome, Outcomes, Pairing, Trigger, TriggerOutcome, UnpairedDone};
pub use pairer::{MAX_OUTSTANDING, Pairer, Rule, Settings, UnknownRule};
