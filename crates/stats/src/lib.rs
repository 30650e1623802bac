//! Statistics of latencies, on plain slices of picoseconds: what happened ([`Summary`], [`Ecdf`]), how sure
//! that is ([`bootstrap`]), how two runs differ ([`compare`]), and what patterns they hold ([`detect`]).
//!
//! Nothing here knows files or boards. Results depend on the data and the seed only: transcendental functions
//! come from a pure-Rust libm, random numbers from ChaCha.

pub mod bootstrap;
mod compare;
pub mod detect;
mod distance;
mod ecdf;
mod order;
mod quantile;
mod random;
mod summary;

pub use compare::{Comparison, compare};
pub use distance::{kolmogorov_smirnov, resolution_floor_ps, wasserstein_ps};
pub use ecdf::Ecdf;
pub use quantile::{median, quantile};
pub use random::Random;
pub use summary::Summary;
