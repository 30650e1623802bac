//! Looks at where the cores of a chip are, while it runs.

use units::Picoseconds;

/// Whoever looks at the cores from time to time. A look changes nothing.
pub trait Samples {
    /// When the next look is due.
    fn due(&self) -> Picoseconds;

    /// The look that is due: the cycle and the frequency of the chip's clock at `now`, and the program counters of the cores that are awake.
    /// The next one is due later than `now`.
    fn look(&mut self, now: Picoseconds, clock: (u64, u64), awake: &[u32]);
}
