//! The pin levels as the state machines see them: through a register stage, and unless it is bypassed through a
//! synchroniser of two flip-flops before it (RP2040 datasheet 3.5.6.1 and 3.5.6.3). Kept as the last few changes with
//! the cycle of each, so that nothing needs to be clocked.

/// Cycles between an edge of a pin and the last cycle that does not see it: the register stage alone, and with the
/// synchroniser. A state machine that watches its own output is two or four cycles behind it.
pub(super) const STAGE_CYCLES: u64 = 1;
pub(super) const SYNCHRONISER_CYCLES: u64 = 3;

/// As many changes as may be under way at once, and the one before them.
pub(super) const KEPT: usize = SYNCHRONISER_CYCLES as usize + 2;

#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
struct Change {
    cycle: u64,
    levels: u32,
}

/// The recent history of all pins; the newest change comes first.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Inputs {
    changes: [Change; KEPT],
    /// INPUT_SYNC_BYPASS.
    pub(super) bypass: u32,
}

impl Inputs {
    /// The pins have had these levels for long.
    pub(super) fn settle(&mut self, levels: u32) {
        self.changes = [Change { cycle: 0, levels }; KEPT];
    }

    /// The pins have these levels after the edge of `cycle`; gives the pins that changed.
    #[inline]
    pub(super) fn record(&mut self, cycle: u64, levels: u32) -> u32 {
        let newest = self.changes[0];
        let changed = newest.levels ^ levels;
        if changed != 0 {
            if newest.cycle != cycle {
                let [a, b, c, d, _] = self.changes;
                self.changes = [a, a, b, c, d];
            }
            self.changes[0] = Change { cycle, levels };
        }
        changed
    }

    /// The pins had these levels after an edge that is past, unless a later one is known already.
    pub(super) fn record_late(&mut self, cycle: u64, levels: u32) {
        if cycle > self.changes[0].cycle {
            self.record(cycle, levels);
        }
    }

    /// What an instruction at `cycle` sees.
    #[inline]
    pub(super) fn seen(&self, cycle: u64) -> u32 {
        let synchronised = self.levels_behind(cycle, SYNCHRONISER_CYCLES);
        if self.bypass == 0 {
            return synchronised;
        }
        synchronised & !self.bypass | self.levels_behind(cycle, STAGE_CYCLES) & self.bypass
    }

    /// Whether an instruction sees nothing else on these pins later than at `cycle`, unless they change again.
    pub(super) fn are_settled(&self, cycle: u64, mask: u32) -> bool {
        (self.seen(cycle) ^ self.changes[0].levels) & mask == 0
            && self.changes.iter().all(|change| {
                change.cycle + SYNCHRONISER_CYCLES < cycle
                    || (change.levels ^ self.changes[0].levels) & mask == 0
            })
    }

    /// The levels after the newest change.
    #[inline]
    pub(super) fn newest(&self) -> u32 {
        self.changes[0].levels
    }

    /// Whether an instruction at `cycle` and any later one sees these pins high, unless they change again.
    pub(super) fn stay_high(&self, cycle: u64, mask: u32) -> bool {
        let comes = |change: &Change| change.cycle + SYNCHRONISER_CYCLES >= cycle;
        self.seen(cycle) & mask == mask
            && self.changes.iter().all(|change| !comes(change) || change.levels & mask == mask)
    }

    /// The first cycle that sees a change of these pins after the edge of `cycle`.
    pub(super) fn visible_from(&self, cycle: u64, changed: u32) -> u64 {
        cycle + 1 + if changed & self.bypass != 0 { STAGE_CYCLES } else { SYNCHRONISER_CYCLES }
    }

    /// Whether instructions from `cycle` on see what those from another one on see in another history, unless pins change.
    pub(super) fn show_the_same(&self, cycle: u64, other: &Self, other_cycle: u64) -> bool {
        self.changes[0].levels == other.changes[0].levels
            && (0..=SYNCHRONISER_CYCLES).all(|n| {
                [SYNCHRONISER_CYCLES, STAGE_CYCLES].into_iter().all(|delay| {
                    self.levels_behind(cycle + n, delay) == other.levels_behind(other_cycle + n, delay)
                })
            })
    }

    /// All changes were some cycles later.
    pub(super) fn put_off(&mut self, cycles: u64) {
        for change in &mut self.changes {
            change.cycle += cycles;
        }
    }

    #[inline]
    fn levels_behind(&self, cycle: u64, delay: u64) -> u32 {
        let [newer @ .., oldest] = &self.changes;
        newer.iter().find(|change| change.cycle + delay < cycle).unwrap_or(oldest).levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_seen_four_cycles_later_and_two_without_its_synchroniser() {
        let mut inputs = Inputs::default();
        inputs.record(100, 0b11);
        assert_eq!((101..106).map(|cycle| inputs.seen(cycle)).collect::<Vec<_>>(), [0, 0, 0, 3, 3]);
        inputs.bypass = 0b01;
        assert_eq!((101..106).map(|cycle| inputs.seen(cycle)).collect::<Vec<_>>(), [0, 1, 1, 3, 3]);
    }

    #[test]
    fn a_pulse_of_one_cycle_passes_as_a_pulse_of_one_cycle() {
        let mut inputs = Inputs::default();
        inputs.record(50, 1);
        inputs.record(51, 0);
        assert_eq!((52..58).map(|cycle| inputs.seen(cycle)).collect::<Vec<_>>(), [0, 0, 1, 0, 0, 0]);
        assert!(!inputs.are_settled(53, 1) && !inputs.are_settled(54, 1) && inputs.are_settled(55, 1));
        assert!(inputs.are_settled(53, 2));
    }

    #[test]
    fn a_change_in_every_cycle_is_followed() {
        let mut inputs = Inputs::default();
        for cycle in 10..40 {
            inputs.record(cycle, cycle as u32);
            if cycle > 14 {
                assert_eq!(inputs.seen(cycle), cycle as u32 - 4);
            }
        }
    }
}
