//! What the fuzz targets of the RP2040's blocks do with their bytes: registers of two I2Cs that are wired together, and of two
//! UARTs of which one hears a serial line. The targets call it under libFuzzer; a test of crate `rp2040` replays the corpora
//! through the same functions.

mod bench;
mod i2c;
#[path = "../input.rs"]
// Shared with other targets; not all of it is for these.
#[allow(dead_code)]
mod input;
mod serial;

pub use i2c::i2c_target;
pub use serial::serial_line;

/// A target: gives whether the bytes mean something, where they can be wrong.
#[allow(dead_code)]
pub type Target = fn(&[u8]) -> Result<(), String>;

/// All targets by the names of their corpora.
#[allow(dead_code)]
pub const TARGETS: [(&str, Target); 2] = [("i2c_target", i2c_target), ("serial_line", serial_line)];
