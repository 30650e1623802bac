//! Clashes on the banks of SRAM, while more than one bus master is at work.

/// Cycles for which it is remembered who used a bank: cores run ahead of each other by less.
const REMEMBERED_CYCLES: usize = 64;

/// Places in a row: the six banks, and two that make it a power of two.
const ROW: usize = 8;
/// A use is the cycle above the number of the master.
const MASTER_BITS: u32 = 2;
/// Two uses in one cycle differ by less than this.
const MASTERS: u64 = 1 << MASTER_BITS;

/// Who used which bank of SRAM in the last cycles.
#[derive(Debug, Clone)]
pub(crate) struct Contention {
    used: Box<[u64; ROW * REMEMBERED_CYCLES]>,
    is_on: bool,
    /// It is on, and nobody counts accesses besides.
    is_all: bool,
}

impl Default for Contention {
    /// One master alone.
    fn default() -> Self {
        Self { used: Box::new([u64::MAX; ROW * REMEMBERED_CYCLES]), is_on: false, is_all: false }
    }
}

fn place(bank: u32, cycle: u64) -> usize {
    cycle as usize % REMEMBERED_CYCLES * ROW + bank as usize % ROW
}

impl Contention {
    /// More than one master is at work from here on, or no longer.
    pub(crate) fn switch(&mut self, on: bool) {
        (self.is_on, self.is_all) = (on, false);
        self.used.fill(u64::MAX);
    }

    /// Whether more than one master is at work.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Somebody counts accesses besides, or nobody does.
    pub(crate) fn set_counted(&mut self, counted: bool) {
        self.is_all = self.is_on && !counted;
    }

    /// Whether clashes are all that there is to see of an access.
    #[inline(always)]
    pub(crate) fn is_all(&self) -> bool {
        self.is_all
    }

    /// A master uses a bank at a cycle; true when another one used it just then: it comes a cycle later.
    #[inline(always)]
    pub(crate) fn clashes(&mut self, bank: u32, master: u8, cycle: u64) -> bool {
        let own = cycle << MASTER_BITS | u64::from(master);
        let used = &mut self.used[place(bank, cycle)];
        if (*used ^ own).wrapping_sub(1) < MASTERS - 1 {
            self.put_off(bank, own);
            return true;
        }
        *used = own;
        false
    }

    #[cold]
    #[inline(never)]
    fn put_off(&mut self, bank: u32, own: u64) {
        self.used[place(bank, (own >> MASTER_BITS) + 1)] = own + MASTERS;
    }
}
