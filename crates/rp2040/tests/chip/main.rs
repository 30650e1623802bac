//! The chip as a whole, through its public interface, with images of a few instructions. What single blocks do is tested
//! beside them; here is what takes the cores, the bus and several blocks together.

mod access;
#[path = "../support/asm.rs"]
mod asm;
mod bench;
mod code;
mod copies;
mod core_order;
mod cores;
mod exceptions;
mod fastest_sck;
mod fed_by_core;
mod foretold;
mod looks;
mod pio;
mod polled_spi;
mod pulses;
mod pwm;
#[path = "../random_images/random.rs"]
#[allow(dead_code, reason = "the values alone are used here")]
mod random;
mod resets;
mod shared_memory;
mod short_waits;
mod sleep;
mod snapshots;
mod spi_dma;
mod spi_wires;
mod superinstructions;
mod told_in_rows;
mod turns;
mod two_lines;
mod uart_wires;
mod waiting;
mod window;
