//! The flash memory beside the chip and the way to it: [`chip`] is the QSPI NOR chip on the board, [`ssi`] the serial
//! controller that talks to it, [`xip`] the cache through which cores execute code in place.
//!
//! Two ways lead to the chip. Commands (status, identity, erase, program) go clock by clock over the SSI's FIFO.
//! Reads through the address window at 0x10000000 are served from [`chip::FlashChip::word`] at once; what they cost comes
//! from the cache and from the SSI's registers, and whether chip and controller agree on the frame is checked whenever
//! either was set anew.

mod cells;
pub mod chip;
pub mod command;
mod fifo;
mod frame;
mod shared;
pub mod ssi;
pub mod xip;

#[cfg(test)]
mod tests;

pub use chip::{FlashChip, FlashError};
pub use ssi::{Ssi, XipTiming};
pub use xip::{Alias, Replacement, XipCache};
