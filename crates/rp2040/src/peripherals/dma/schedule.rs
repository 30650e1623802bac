//! Times on clk_sys for the DMA: how long its latency is, and when its port to the bus is free again. Transfers that follow
//! each other keep the fraction of a picosecond that a cycle leaves over, so that no rounding adds up.

use units::{PS_PER_S, Picoseconds};

/// From a trigger or a request to the transfer, of which a model has one instant where the chip has a pipeline of issue,
/// read and write. An estimate: the datasheet (2.5.5.3) says no more than "a few cycles".
pub(crate) const LATENCY_CYCLES: u64 = 4;

/// Numbers of cycles whose length is not computed each time: a transfer behind the APB bridge has 4 at the most.
const TABLED_CYCLES: usize = 5;

/// When the next transfer may be.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Schedule {
    hz: u64,
    whole_ps: u64,
    /// What `whole_ps` leaves over, in parts of 1/hz picoseconds.
    remainder: u64,
    latency_ps: u64,
    /// Whole picoseconds and what is left over of the first numbers of cycles, for what follows transfer on transfer.
    rows: [(u64, u64); TABLED_CYCLES],
    free: Picoseconds,
    /// What `free` leaves over, likewise.
    fraction: u64,
}

/// When the port is free, or how long after another time.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Free {
    at: Picoseconds,
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

    /// Whether this is the frequency of clk_sys, and the clock does not stand.
    #[inline]
    pub(super) fn is_of(&self, hz: u64) -> bool {
        hz == self.hz && hz != 0
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
        self.rows = std::array::from_fn(|cycles| {
            let ps = second * cycles as u64;
            (ps / divisor, ps % divisor)
        });
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

    /// When the port is free, to the fraction.
    #[inline]
    pub(super) fn when_free(&self) -> Free {
        Free { at: self.free, fraction: self.fraction }
    }

    /// The port is free so long after a time.
    #[inline]
    pub(super) fn free_after(&mut self, time: Picoseconds, free: Free) {
        (self.free, self.fraction) = (time + free.at, free.fraction);
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
        let (mut ps, fraction) = match self.rows.get(cycles as usize) {
            Some(&(ps, left_over)) => (ps, self.fraction + left_over),
            None => self.row(cycles),
        };
        // What is left over of two lengths is less than two picoseconds.
        self.fraction = if fraction >= self.hz { fraction - self.hz } else { fraction };
        ps += u64::from(fraction >= self.hz);
        self.free = Picoseconds::new(self.free.ps().saturating_add_unsigned(ps));
    }

    /// The length of many cycles and what is left over, the present fraction included.
    #[inline]
    fn row(&self, cycles: u32) -> (u64, u64) {
        let left_over = self.remainder.saturating_mul(cycles.into()).saturating_add(self.fraction);
        if left_over < self.hz {
            return (self.whole_ps.saturating_mul(cycles.into()), left_over);
        }
        self.long_row(cycles)
    }

    #[inline(never)]
    fn long_row(&self, cycles: u32) -> (u64, u64) {
        let fraction = u128::from(self.fraction) + u128::from(self.remainder) * u128::from(cycles);
        let divisor = u128::from(self.hz.max(1));
        let ps = self.whole_ps.saturating_mul(cycles.into()).saturating_add((fraction / divisor) as u64);
        (ps, (fraction % divisor) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn transfers_in_a_row_end_when_their_cycles_do(
            hz in 1_000_000u64..300_000_000,
            rows in prop::collection::vec(1u32..40, 1..60),
        ) {
            let mut schedule = Schedule::default();
            prop_assert!(schedule.follow(hz));
            let start = Picoseconds::from_ns(77);
            schedule.begin(start);
            let mut cycles = 0;
            for row in rows {
                schedule.occupy(row);
                cycles += u64::from(row);
                let elapsed = (schedule.free() - start).ps() as u64;
                prop_assert_eq!(elapsed, cycles * PS_PER_S as u64 / hz);
            }
        }
    }
}
