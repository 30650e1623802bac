//! Attacks on a chip, its cable and its peers, seen as a driver sees them over SPI: what the datasheets promise holds, nothing
//! panics, and nothing is lost that TCP promised. The bytes of each transfer are 64 KiB in each direction;
//! `AIRWIRE_TRANSFER_BYTES` raises that.

mod cable;
mod crowd;
mod driver;
mod exchange;
mod frames;
mod impaired;
mod ipv6;
mod peers;
mod spi;
mod storms;
