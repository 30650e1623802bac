//! Words and addresses at random, as the RP2040's registers get them.

use testing::Random;

/// What random programs of the RP2040 need beside plain numbers.
pub(crate) trait Registers {
    /// A word as registers get them: any, few bits, a small number, nearly all bits, an address.
    fn value(&mut self) -> u32;

    /// An address in one of the windows of the chip, mostly aligned.
    fn address(&mut self) -> u32;

    /// A register behind one of the bridges, often through an atomic alias.
    fn register(&mut self) -> u32;
}

impl Registers for Random {
    fn value(&mut self) -> u32 {
        match self.below(8) {
            0 | 1 => self.any() as u32,
            2 => 1 << self.below(32),
            3 => self.below(16),
            4 => self.below(0x1000),
            5 => !(1 << self.below(32)),
            6 => self.of(&[0, u32::MAX, 0x8000_0000, 0x7fff_ffff, 0xffff, 0xff, 1]),
            _ => self.address(),
        }
    }

    fn address(&mut self) -> u32 {
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
            _ => self.any() as u32,
        };
        if self.one_in(16) { address } else { address & !3 }
    }

    fn register(&mut self) -> u32 {
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
