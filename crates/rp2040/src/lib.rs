//! A virtual RP2040: it runs the firmware image that is flashed on a board, in virtual time.
//!
//! The main path: an [`mcu::image::Image`] is loaded into the memories ([`chip`]), a [`cortexm::Core`] decodes and executes it,
//! the bus charges each access its cycles and leads it to a memory or to one of the [`peripherals`], whose events come out of
//! the agenda in order of time. What stands around the chip is an [`mcu::Outside`]. A board has the chip as an [`mcu::Mcu`]
//! (`seam`), by its line in a table ([`KIND`]).

mod bus;
pub mod chip;
mod contention;
mod cycle_clock;
mod facts;
pub mod flash;
mod foretold;
pub mod frequencies;
mod image;
pub mod io;
pub mod lines;
mod memory;
mod outgoing_lines;
pub mod peripherals;
pub mod pins;
pub mod report;
pub mod rom;
mod seam;
mod waits;

pub use chip::Rp2040;
pub use facts::FACTS;
pub use frequencies::Frequencies;
pub use image::load_image;
pub use io::Io;
pub use lines::{Dreq, Irq, Lines};
pub use peripherals::{Peripheral, Source};
pub use pins::{Function, Pins};
pub use seam::KIND;
