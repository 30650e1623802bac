//! smoltcp's time. It runs five times as fast as the virtual one, because smoltcp's smallest retransmission time-out is a
//! constant of 1 s (RFC 6298) where Linux has 200 ms (`TCP_RTO_MIN`, tcp(7)); whatever else smoltcp times is either set in
//! its own time here or replaced by the wrapper.

use std::cell::Cell;

use smoltcp::time::{Duration, Instant};
use units::Picoseconds;

/// How many times faster smoltcp's clock runs.
pub(super) const SPEED: i64 = 5;

/// One microsecond of smoltcp's.
const TICK_PS: i64 = units::PS_PER_US / SPEED;

thread_local! {
    /// smoltcp takes its timestamps from a plain function, which cannot carry a clock; each poll sets it first.
    static TIMESTAMP: Cell<u32> = const { Cell::new(0) };
}

/// The moment in smoltcp's time, rounded down.
pub(super) fn instant(at: Picoseconds) -> Instant {
    Instant::from_micros(at.ps().div_euclid(TICK_PS))
}

/// When smoltcp's moment is reached: the first virtual time that [`instant`] maps on it.
pub(super) fn picoseconds(instant: Instant) -> Picoseconds {
    Picoseconds::new(instant.total_micros().saturating_mul(TICK_PS))
}

/// A virtual duration in smoltcp's time.
pub(super) fn duration(time: Picoseconds) -> Duration {
    Duration::from_micros(u64::try_from(time.ps() / TICK_PS).unwrap_or(0))
}

/// Sets what [`timestamp`] answers: milliseconds, as Linux counts them (RFC 7323), from `offset`.
pub(super) fn set_timestamp(now: Picoseconds, offset: u32) {
    TIMESTAMP.set(offset.wrapping_add((now.ps() / units::PS_PER_MS) as u32));
}

/// The TCP timestamp of the last poll.
pub(super) fn timestamp() -> u32 {
    TIMESTAMP.get()
}
