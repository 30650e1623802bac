//! Which of the channels that may move comes next (RP2040 datasheet 2.5 and HIGH_PRIORITY in 2.5.7): in each round every
//! channel of high priority once, then a single one of low priority; the low ones take turns.

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Arbiter {
    /// Channels of high priority below this had their turn in this round.
    high_from: u32,
    /// The low channel after the one that came last.
    low_from: u32,
}

impl Arbiter {
    /// Chooses one of `candidates`, of which `high` have priority.
    ///
    /// # Panics
    /// When there is no candidate.
    #[inline]
    pub(super) fn pick(&mut self, candidates: u16, high: u16) -> usize {
        assert!(candidates != 0, "the arbiter needs a channel to choose");
        let urgent = u32::from(candidates & high);
        let waiting = urgent >> self.high_from << self.high_from;
        if waiting != 0 {
            return self.take_high(waiting);
        }
        let others = u32::from(candidates & !high);
        if others == 0 {
            return self.take_high(urgent);
        }
        self.high_from = 0;
        let after = others >> self.low_from << self.low_from;
        let channel = if after != 0 { after } else { others }.trailing_zeros();
        self.low_from = channel + 1;
        channel as usize
    }

    fn take_high(&mut self, channels: u32) -> usize {
        let channel = channels.trailing_zeros();
        self.high_from = channel + 1;
        channel as usize
    }
}
