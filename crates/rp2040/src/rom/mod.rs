//! The boot ROM. [`Rom::new`] is one of our own: the tables of the genuine one (RP2040 datasheet 2.8.3) with functions
//! that consist of a trap, which [`call`] carries out in Rust and charges the published average of cycles.
//! [`Rom::from_bytes`] takes a genuine dump, whose code then runs like any other and never comes here.
//!
//! [`boot`] is what the ROM does between reset and the image's second stage; [`launch::HoldingPen`] is core 1 in the ROM,
//! waiting to be launched. Left out: the USB boot loader; an image that asks for it is told so and ends.

mod bits;
pub mod boot;
mod call;
pub mod costs;
mod double;
mod fixed;
mod flash_calls;
mod function;
mod image;
pub mod launch;
mod memory;
mod single;

#[cfg(test)]
mod test_context;
#[cfg(test)]
mod tests;

pub use boot::{BootError, Entry, boot};
pub use call::{Flags, Outcome, RomCallContext, call};
pub use function::{FloatFunction, RomFunction};
pub use image::{ROM_BYTES, Rom, RomError};
pub use launch::{HoldingPen, LaunchPort, PenState};
