//! The two blocks of PIO: where each is on the bus, on the interrupt lines and among the requests to the DMA.

use crate::lines::{Dreq, Irq};
use crate::peripherals::Source;
use crate::pins::Function;

/// What distinguishes the two blocks.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) name: &'static str,
    pub(super) base: u32,
    pub(super) source: Source,
    pub(super) function: Function,
    pub(super) irqs: [Irq; 2],
    pub(super) dreq_tx0: u8,
}

impl Block {
    pub(super) fn index(&self) -> usize {
        usize::from(self.source == Source::Pio1)
    }
}

pub(super) static BLOCKS: [Block; 2] = [
    Block {
        name: "PIO0",
        base: 0x5020_0000,
        source: Source::Pio0,
        function: Function::Pio0,
        irqs: [Irq::PIO0_0, Irq::PIO0_1],
        dreq_tx0: Dreq::PIO0_TX0.0,
    },
    Block {
        name: "PIO1",
        base: 0x5030_0000,
        source: Source::Pio1,
        function: Function::Pio1,
        irqs: [Irq::PIO1_0, Irq::PIO1_1],
        dreq_tx0: Dreq::PIO1_TX0.0,
    },
];

/// In a saved state a block is its number.
pub(super) mod block_number {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::{Serialize, Serializer};

    use super::{BLOCKS, Block};

    pub(in super::super) fn serialize<S: Serializer>(
        block: &&'static Block,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        u8::from(block.source == BLOCKS[1].source).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<&'static Block, D::Error> {
        let number = u8::deserialize(from)?;
        BLOCKS.get(usize::from(number)).ok_or_else(|| D::Error::custom("there are two PIO blocks"))
    }
}
