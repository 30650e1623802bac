//! The chips over SPI and over the wire: registers, sockets, faults, and what each command takes over.

mod faults;
mod peer;
mod registers;
mod spi;
mod support;
mod told;
mod w6100;
mod wire;
