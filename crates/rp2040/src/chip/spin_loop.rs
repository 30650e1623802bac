//! Iterations of a core that waits are left out: a short loop that only looks at registers, which see the same until the next
//! event, does the same until then. What the iterations would have counted is counted, so that nobody can tell.

use units::Picoseconds;

use crate::bus::{Looks, ROUNDED, Steady};
use crate::chip::Rp2040;

/// Branches in an iteration of it.
const MOST_BRANCHES: usize = 8;
/// The upper half of the addresses of the DMA's registers.
const DMA: u32 = 0x5000;
/// The highest digit of the addresses of all blocks that do nothing unnoticed but the PWM.
const APB: u32 = 4;
/// Fewer iterations are executed as fast as they are left out.
const FEWEST_ITERATIONS: u64 = 4;

/// A core at the end of an iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct Iteration {
    core: usize,
    cycle: u64,
    instructions: u64,
    registers: [u32; 16],
    xpsr: u32,
    xip: (u64, u64),
    accesses: u32,
    branches: usize,
}

/// What an iteration takes, and whether it looks at registers alone.
struct Length {
    cycles: u64,
    instructions: u64,
    xip_accesses: u64,
    branches: usize,
    reads_memory: bool,
}

impl Rp2040 {
    /// A core ended an iteration that looks like one of a spin: leaves out as many as can be left out. Gives whether the core is to
    /// look once more before it sees that anything happened.
    pub(super) fn leave_out_iterations(&mut self, id: usize, end: Picoseconds) -> bool {
        if self.bus.is_observed() {
            self.bus.spin.give_up();
            return false;
        }
        // An exception comes first.
        if self.bus.ppb[id].ready().is_some() {
            self.bus.spin.end();
            return false;
        }
        if self.bus.spin.begins() {
            self.iteration = Some(self.iteration_of(id));
            return false;
        }
        let happened = self.skip(id, end);
        match happened {
            Some(_) => self.bus.spin.remember(),
            None => self.bus.spin.give_up(),
        }
        happened.unwrap_or(false)
    }

    fn iteration_of(&self, id: usize) -> Iteration {
        let core = &self.cores[id];
        Iteration {
            core: id,
            cycle: core.cycle,
            instructions: core.instructions(),
            registers: core.registers(),
            xpsr: core.xpsr(),
            xip: self.bus.xip.statistics_of_cores(),
            accesses: self.bus.spin.accesses(),
            branches: core.branches.taken(),
        }
    }

    fn skip(&mut self, id: usize, end: Picoseconds) -> Option<bool> {
        let length = self.length(self.iteration.as_ref()?, &self.iteration_of(id))?;
        if length.reads_memory && self.bus.blocks.bus_ctrl.is_counting() {
            return None;
        }
        if !self.bus.shows_the_same() {
            return Some(false);
        }
        // What is loaded from memory stays as it is unless the DMA stores there.
        let sees_memory_change = length.reads_memory && self.bus.blocks.dma.stores(crate::bus::is_sram);
        let mut flows = !sees_memory_change && self.bus.spin.registers().len() == 1;
        let mut until = end;
        let mut looks =
            Looks { words_of: None, flags_of: None, in_flash: length.xip_accesses != 0, at_dma: false };
        for &register in self.bus.spin.registers() {
            let (steady, at_most) = self.bus.steady(register)?;
            until = until.min(at_most);
            flows &= steady != Steady::UntilEvent;
            looks.at_dma |= register >> 16 == DMA;
            match steady {
                Steady::UntilWord(block) => looks.words_of = Some(block),
                Steady::UntilFlag(block) => looks.flags_of = Some(block),
                _ => {}
            }
        }
        let happened = flows && self.bus.let_flows(until, looks);
        if happened {
            until = until.min(self.bus.io.now);
        }
        // Who looks at a block beside something else is not told of what it does while it is led on and nobody notices.
        let is_told = flows || self.bus.spin.registers().iter().all(|register| register >> 28 == APB);
        let next = if is_told { self.bus.next_noticed() } else { self.bus.io.next_wake() };
        let until = self.bus.clock.cycle_at(until.min(next) - ROUNDED);
        let core = &mut self.cores[id];
        let iterations = until.saturating_sub(core.cycle + 1) / length.cycles;
        core.leave_out(iterations, length.cycles, length.instructions, length.branches);
        self.bus.xip.count_hits(iterations * length.xip_accesses);
        self.iteration = Some(self.iteration_of(id));
        (happened || iterations >= FEWEST_ITERATIONS).then_some(happened)
    }

    /// What an iteration takes, if it is one: the core stands where it stood, with the same in its registers, and did nothing on its
    /// way but compute and look.
    fn length(&self, from: &Iteration, to: &Iteration) -> Option<Length> {
        let length = Length {
            cycles: to.cycle.checked_sub(from.cycle).filter(|&cycles| cycles > 0)?,
            instructions: to.instructions - from.instructions,
            xip_accesses: to.xip.0 - from.xip.0,
            branches: to.branches.wrapping_sub(from.branches),
            reads_memory: false,
        };
        let same = (from.core, from.registers, from.xpsr) == (to.core, to.registers, to.xpsr);
        let all_hit = to.xip.1 - from.xip.1 == length.xip_accesses;
        let looks = self.bus.spin.registers().len();
        let looked = to.accesses.wrapping_sub(from.accesses) as usize == looks;
        let branched = (1..=MOST_BRANCHES).contains(&length.branches);
        if !(same && all_hit && looked && branched) {
            return None;
        }
        let (first, last) = self.cores[to.core].loop_of(length.branches)?;
        let loads = self.bus.loads_between(first, last)?;
        Some(Length { reads_memory: loads != looks, ..length })
    }
}
