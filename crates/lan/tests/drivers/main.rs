//! Drivers that nobody here wrote, from the Rust registry, against the virtual chips over their SPI: `w5500-ll` and what
//! stands on it, `w5500`, and `embassy-net-wiznet` under embassy-net. Each brings the link up, gets an address, answers
//! ping, connects, listens, moves data both ways with and without loss, and closes. Their sleeps run in virtual time.
//!
//! `AIRWIRE_TRANSFER_BYTES` is how much each transfer moves in each direction (64 KiB unless it is set).

mod embassy;
mod high_level;
mod low_level;
mod nal;
mod support;
