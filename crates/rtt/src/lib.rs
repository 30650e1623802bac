//! A debug probe at a chip, as far as it reads what an image says over RTT (SEGGER's Real Time Transfer): it finds the control
//! block in RAM ([`Probe`]), takes what the up-buffers hold, and moves their read offsets. Text goes on as it is. What Rust
//! images write with defmt becomes text by what their ELF says of it.
//!
//! Left out: the mode of a buffer stays as the image sets it, whereas some probes have a full one block; and SEGGER's virtual
//! terminals, several in one channel.

mod control_block;
mod defmt;
mod probe;

pub use probe::{Probe, ProbeState};
