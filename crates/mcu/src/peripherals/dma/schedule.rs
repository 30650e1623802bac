//! Times on clk_sys for the DMA: how long its latency is, and when its port to the bus is free again. Transfers that follow
//! each other keep the fraction of a picosecond that a cycle leaves over, so that no rounding adds up.

use units::{PS_PER_S, Picoseconds};

/// From a trigger or a request to the transfer, of which a model has one instant where the chip has a pipeline of issue,
/// read and write. An estimate: the datasheet (2.5.5.3) says no more than "a few cycles".
pub(super) const LATENCY_CYCLES: u64 = 4;

/// When the next transfer may be.
#[derive(Debug, Clone, Default)]
pub(super) struct Schedule {
    hz: u64,
    whole_ps: u64,
    /// What `whole_ps` leaves over, in parts of 1/hz picoseconds.
    remainder: u64,
    latency_ps: u64,
    free: Picoseconds,
    /// What `free` leaves over, likewise.
    fraction: u64,
}

impl Schedule {
    /// Takes over the frequency of clk_sys; false when the clock stands.
    #[inline]
    pub(super) fn follow(&mut self, hz: u64) -> bool {
        if hz != self.hz {
            self.set_frequency(hz);
        }
        hz != 0
    }

    fn set_frequency(&mut self, hz: u64) {
        let second = PS_PER_S as u64;
        self.hz = hz;
        self.fraction = 0;
        // A clock that stands is never asked.
        let divisor = hz.max(1);
        self.whole_ps = second / divisor;
        self.remainder = second % divisor;
        self.latency_ps = second * LATENCY_CYCLES / divisor;
    }

    /// When something that is asked for now can move at the earliest.
    #[inline]
    pub(super) fn after_latency(&self, now: Picoseconds) -> Picoseconds {
        Picoseconds::new(now.ps().saturating_add_unsigned(self.latency_ps))
    }

    /// When the port is free.
    #[inline]
    pub(super) fn free(&self) -> Picoseconds {
        self.free
    }

    /// A transfer begins; when it does not follow the last one at once, it begins now.
    #[inline]
    pub(super) fn begin(&mut self, now: Picoseconds) {
        if now > self.free {
            (self.free, self.fraction) = (now, 0);
        }
    }

    /// The port is taken for a number of cycles.
    #[inline]
    pub(super) fn occupy(&mut self, cycles: u32) {
        let mut ps = self.whole_ps;
        self.fraction += self.remainder;
        if cycles != 1 {
            ps = ps.saturating_mul(cycles.into());
            let fraction =
                u128::from(self.fraction) + u128::from(self.remainder) * u128::from(cycles.saturating_sub(1));
            let divisor = u128::from(self.hz.max(1));
            ps = ps.saturating_add((fraction / divisor) as u64);
            self.fraction = (fraction % divisor) as u64;
        } else if self.fraction >= self.hz {
            self.fraction -= self.hz;
            ps += 1;
        }
        self.free = Picoseconds::new(self.free.ps().saturating_add_unsigned(ps));
    }
}
