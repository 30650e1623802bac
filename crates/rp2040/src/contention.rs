//! Clashes on the banks of SRAM, while more than one bus master is at work.

/// Cycles for which it is remembered who used a bank: cores run ahead of each other by less.
const REMEMBERED_CYCLES: usize = 64;

/// Who used which bank of SRAM in the last cycles.
#[derive(Debug, Clone)]
pub(crate) struct Contention {
    used: Box<[[(u64, u8); 6]; REMEMBERED_CYCLES]>,
}

impl Default for Contention {
    fn default() -> Self {
        Self { used: Box::new([[(u64::MAX, 0); 6]; REMEMBERED_CYCLES]) }
    }
}

impl Contention {
    /// A master uses a bank at a cycle; gives the cycles that it waits because another one used it just then.
    #[inline]
    pub(crate) fn use_bank(&mut self, bank: u32, master: u8, cycle: u64) -> u64 {
        let place = |cycle: u64| cycle as usize % REMEMBERED_CYCLES;
        let used = &mut self.used[place(cycle)][bank as usize % 6];
        if used.0 == cycle && used.1 != master {
            self.used[place(cycle + 1)][bank as usize % 6] = (cycle + 1, master);
            return 1;
        }
        *used = (cycle, master);
        0
    }
}
