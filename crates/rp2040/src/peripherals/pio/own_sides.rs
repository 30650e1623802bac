//! Side-sets of pins that no other machine writes to. A loop that counts down to itself writes the same levels in each round, so that
//! such a loop is one long delay.

use super::state_machine::StateMachine;
use super::{ALL_PINS, MACHINES, Pio};

impl Pio {
    /// Finds out again which machines have the pins of their side-set for themselves: a register was written in cycle `now`.
    pub(super) fn find_own_sides(&mut self, now: u64) {
        let written = self.machines.each_ref().map(StateMachine::writes_to);
        for n in 0..MACHINES {
            let others =
                (0..MACHINES).filter(|&other| other != n).fold(0, |pins, other| pins | written[other]);
            let config = &self.machines[n].config;
            let is_own = config.side_mask & others == 0 && !config.out_sticky;
            if is_own != self.machines[n].side_is_own {
                self.machines[n].side_becomes(is_own, now);
                self.spare[n].put(&mut self.decoded[n]);
            }
        }
    }
}

impl StateMachine {
    /// The pins that it may write to before one of its registers is written.
    fn writes_to(&self) -> u32 {
        let config = &self.config;
        match self.is_at_rest() {
            true => 0,
            // What it holds may be of pins that it had before.
            false if config.out_sticky => ALL_PINS,
            false => config.out_mask | config.set_mask | config.side_mask,
        }
    }

    fn side_becomes(&mut self, is_own: bool, now: u64) {
        self.settle(now);
        self.stop_counting();
        self.side_is_own = is_own;
        self.reschedule();
    }
}
