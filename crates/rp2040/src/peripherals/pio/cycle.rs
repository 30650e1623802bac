//! A cycle of a block: what its machines share in it, what they write to the pins, and what else they leave behind.

use super::inputs::Inputs;

/// What a machine writes to the pins in a cycle: levels and output enables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct PinWrites {
    pub(super) level_mask: u32,
    pub(super) levels: u32,
    pub(super) enable_mask: u32,
    pub(super) enables: u32,
}

impl PinWrites {
    /// What the pins are driven to after these writes, if it was this before.
    #[inline]
    pub(super) fn after(&self, (levels, enables): (u32, u32)) -> (u32, u32) {
        (
            levels & !self.level_mask | self.levels & self.level_mask,
            enables & !self.enable_mask | self.enables & self.enable_mask,
        )
    }

    /// Writes to levels, or to output enables; what comes later wins.
    #[inline]
    pub(super) fn add(&mut self, pindirs: bool, mask: u32, values: u32) {
        let (all, at) = if pindirs {
            (&mut self.enable_mask, &mut self.enables)
        } else {
            (&mut self.level_mask, &mut self.levels)
        };
        *all |= mask;
        *at = *at & !mask | values & mask;
    }
}

/// What all machines share in one cycle, and what they leave behind in it.
#[derive(Debug)]
pub(super) struct Cycle<'a> {
    pub(super) number: u64,
    pub(super) program: &'a [u16; 32],
    pub(super) inputs: &'a Inputs,
    /// The IRQ flags before this cycle.
    pub(super) flags: u8,
    pub(super) flags_set: u8,
    pub(super) flags_cleared: u8,
    /// FDEBUG flags of the machine under way, as those of machine 0.
    pub(super) debug: u32,
    pub(super) fifo_moved: bool,
    pub(super) wrote: bool,
    /// What the machine under way writes.
    pub(super) writes: PinWrites,
}

impl<'a> Cycle<'a> {
    /// A cycle in which nothing has happened yet.
    #[inline]
    pub(super) fn new(number: u64, program: &'a [u16; 32], inputs: &'a Inputs, flags: u8) -> Self {
        Self {
            number,
            program,
            inputs,
            flags,
            flags_set: 0,
            flags_cleared: 0,
            debug: 0,
            fifo_moved: false,
            wrote: false,
            writes: PinWrites::default(),
        }
    }

    /// The machine under way writes levels or directions.
    #[inline]
    pub(super) fn write(&mut self, pindirs: bool, mask: u32, values: u32) {
        self.writes.add(pindirs, mask, values);
        self.wrote |= mask != 0;
    }
}
