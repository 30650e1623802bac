//! Quantities that every other crate speaks in: time in integer picoseconds, frequencies in hertz and
//! sizes in bytes, with their parsing and display. Nothing else belongs here.
//!
//! ```
//! use units::{Hertz, Picoseconds};
//! let slot: Picoseconds = "115.65ms".parse().unwrap();
//! assert_eq!(slot.ps(), 115_650_000_000);
//! assert_eq!(slot.to_string(), "115.65 ms");
//! let analyser: Hertz = "100 MHz".parse().unwrap();
//! assert_eq!(analyser.edge(3), Picoseconds::from_ns(30));
//! ```

mod bytes;
mod decimal;
mod hertz;
mod time;

pub use bytes::Bytes;
pub use decimal::ParseQuantityError;
pub use hertz::Hertz;
pub use time::{PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US, Picoseconds};
