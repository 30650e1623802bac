//! Virtual AVRs in virtual time: the ATmega328P, ATmega1284P and ATmega2560 with their core (AVRe+), exact to the cycle, and
//! their peripherals, one file each. `chips` has the tables in which they differ, `core` executes, `io` joins peripherals, pins,
//! `lines` to other boards and what stands around the chip, `chip` runs all of it, and `seam` makes it an [`mcu::Mcu`].
//!
//! What is left out stands at the head of each peripheral's file, and in the page on the AVRs' fidelity.

mod chip;
mod chips;
mod clock;
mod clock_hint;
pub mod core;
mod facts;
mod image;
mod io;
mod lines;
mod peripherals;
mod pins;
mod report;
mod seam;

pub use facts::{KIND_328P as ATMEGA328P, KIND_1284P as ATMEGA1284P, KIND_2560 as ATMEGA2560};
