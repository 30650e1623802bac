//! Clashes on the banks of SRAM, while more than one bus master is at work.

/// Cycles for which it is remembered who used a bank: cores run ahead of each other by less.
const REMEMBERED_CYCLES: usize = 64;

/// Places in a row: the six banks, and two that make it a power of two.
const ROW: usize = 8;
/// A use is the cycle above the number of the master.
const MASTER_BITS: u32 = 2;

/// Who used which bank of SRAM in the last cycles.
#[derive(Debug, Clone)]
pub(crate) struct Contention {
    used: [u64; ROW * REMEMBERED_CYCLES],
}

impl Default for Contention {
    fn default() -> Self {
        Self { used: [u64::MAX; ROW * REMEMBERED_CYCLES] }
    }
}

impl Contention {
    /// A master uses a bank at a cycle; gives the cycles that it waits because another one used it just then.
    #[inline(always)]
    pub(crate) fn use_bank(&mut self, bank: u32, master: u8, cycle: u64) -> u64 {
        let place = |cycle: u64| cycle as usize % REMEMBERED_CYCLES * ROW + bank as usize % ROW;
        let own = cycle << MASTER_BITS | u64::from(master);
        let used = &mut self.used[place(cycle)];
        let differs = *used ^ own;
        if differs != 0 && differs >> MASTER_BITS == 0 {
            self.used[place(cycle + 1)] = own + (1 << MASTER_BITS);
            return 1;
        }
        *used = own;
        0
    }
}
