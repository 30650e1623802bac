//! A virtual RP2040: it runs the firmware image that is flashed on a board, in virtual time.
//!
//! The main path: an [`image`] is loaded into the memories, a core decodes and executes it, the bus charges each
//! access its cycles and leads it to a memory or to one of the [`peripherals`], whose events come out of the agenda in
//! order of time. What stands around the chip is an [`Outside`].

mod bus;
pub mod chip;
mod core;
mod cycle_clock;
pub mod flash;
pub mod frequencies;
pub mod image;
pub mod io;
pub mod lines;
mod memory;
pub mod outside;
pub mod peripherals;
pub mod pins;
pub mod report;
pub mod rom;
mod waits;
mod watch;

pub use core::{Core, DebugEvent, Fault, FaultKind, Sleep};
pub use frequencies::Frequencies;
pub use io::Io;
pub use lines::{Dreq, Irq, Lines};
pub use outside::{Outside, Reaction, SpiFrame, Unconnected};
pub use peripherals::{Peripheral, Source};
pub use pins::{Function, Pins};
pub use waits::Slept;
pub use watch::{Observer, Step, Watchpoint};
