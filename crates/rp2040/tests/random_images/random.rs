//! Random numbers that depend on nothing but their seed.

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        (self.next() >> 32) as u32 % limit
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.next().to_le_bytes());
        words.take(count.div_ceil(8)).flatten().take(count).collect()
    }

    /// A word as registers get them: any, few bits, a small number, nearly all bits, an address.
    pub(crate) fn value(&mut self) -> u32 {
        match self.below(8) {
            0 | 1 => self.next() as u32,
            2 => 1 << self.below(32),
            3 => self.below(16),
            4 => self.below(0x1000),
            5 => !(1 << self.below(32)),
            6 => self.of(&[0, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0xffff, 0xff, 1]),
            _ => self.address(),
        }
    }

    /// An address in one of the windows of the chip, mostly aligned.
    pub(crate) fn address(&mut self) -> u32 {
        let address = match self.below(16) {
            0 | 1 => 0x2000_0000 + self.below(0x4_2100),
            2 => 0x2100_0000 + self.below(0x4_0100),
            3 => ((0x10 + self.below(4)) << 24) + self.below(0x2_0000),
            4 => self.of(&[0x1400_0000, 0x1500_0000, 0x1800_0000]) + self.below(0x4100),
            5..=9 => self.register(),
            10 => 0xd000_0000 + self.below(0x184),
            11 => 0xe000_e000 + self.below(0x1000),
            12 => 0x5010_0000 + self.below(0x1100),
            13 => self.below(0x4100),
            14 => self.of(&[0x5030_0000, 0x5040_0000, 0x5011_0000, 0xe000_e100, 0x6000_0000]),
            _ => self.next() as u32,
        };
        if self.one_in(16) { address } else { address & !3 }
    }

    /// A register behind one of the bridges, often through an atomic alias.
    pub(crate) fn register(&mut self) -> u32 {
        const AHB: [u32; 5] = [0x5000_0000, 0x5011_0000, 0x5020_0000, 0x5030_0000, 0x5000_0000];
        let block = match self.below(4) {
            0 => self.of(&AHB),
            _ => 0x4000_0000 + 0x4000 * self.below(28),
        };
        let alias = if self.one_in(2) { 0 } else { 0x1000 * self.below(4) };
        let offset = if self.one_in(4) { self.below(0x1000) } else { self.below(0x140) };
        block + alias + (offset & !3)
    }
}
