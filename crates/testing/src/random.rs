//! Random numbers that depend on nothing but their seed.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// One that begins at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// One of the numbers below a limit.
    pub fn below(&mut self, limit: u32) -> u32 {
        (self.any() >> 32) as u32 % limit
    }

    /// True once in so many times.
    pub fn one_in(&mut self, count: u32) -> bool {
        self.below(count) == 0
    }

    /// One of some.
    pub fn of<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// So many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.any().to_le_bytes());
        words.take(count.div_ceil(8)).flatten().take(count).collect()
    }
}
