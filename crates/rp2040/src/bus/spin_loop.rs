//! Notices a core that looks at a register again and again and always sees the same, and knows for how long it will: what the
//! chip needs to leave such iterations out.

use cortexm::{LoopStep, loop_step};
use units::Picoseconds;

use crate::bus::block::Block;
use crate::bus::dma::{is_far_from_end, is_sram};
use crate::bus::short_loops::ShortLoops;
use crate::bus::{Bus, Size};
use crate::flash::Alias;
use crate::peripherals::Source;
use crate::peripherals::pio::Pio;

/// So many looks that saw the same are a spin, and fewer where iterations were left out before.
const LOOKS_OF_A_SPIN: i32 = 4;
const LOOKS_OF_A_KNOWN_SPIN: i32 = 1;
/// Spins that are known: a driver waits at a few places again and again.
const KNOWN_SPINS: usize = 4;
/// Looks after which a spin that could not be left out is tried again.
const LOOKS_UNTIL_RETRY: i32 = 64;
/// An edge of another domain of the same clock that is so far ahead counts as there (`pio/edges.rs`): whoever looks sees it.
pub(crate) const ROUNDED: Picoseconds = Picoseconds::new(1);
/// Registers that one iteration may look at.
const MOST_REGISTERS: usize = 4;

/// The looks of late. Nothing of this is state of the chip: whoever forgets it leaves out fewer iterations, and sees the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spin {
    /// The look that counts the iterations: which instruction saw what, and where.
    pc: u32,
    /// How often it saw that, one after the other; negative while a retry is to wait.
    looks: i32,
    /// How many of them make a spin here.
    looks_needed: i32,
    /// Which instructions looked where iterations were left out, the last first.
    known: [u32; KNOWN_SPINS],
    /// Whether the chip has not yet been told of the last iteration.
    is_news: bool,
    /// Every register that was looked at in this iteration, of which the first is the one that counts.
    registers: [u32; MOST_REGISTERS],
    /// What each of them showed.
    values: [u32; MOST_REGISTERS],
    others: usize,
    /// Those of the last full iteration.
    iteration_registers: usize,
    /// Accesses to what is not memory, whether they are looks or not.
    accesses: u32,
    pub(super) short_loops: ShortLoops,
}

/// What a register shows as long as nothing writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steady {
    /// The same until the next event.
    UntilEvent,
    /// The same until the next event that is no frame or transfer of a flow.
    ThroughFlow,
    /// The same until a word moves through a FIFO of a PIO block that no channel of the DMA waits for.
    UntilWord(usize),
    /// The same until a flag of such a block changes.
    UntilFlag(usize),
}

/// What a core looks at, and from where, while flows go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Looks {
    /// At which PIO block's FIFOs, or at its flags alone.
    pub(crate) words_of: Option<usize>,
    pub(crate) flags_of: Option<usize>,
    /// It executes from the flash, whose cache another's access would change for it.
    pub(crate) in_flash: bool,
    /// At registers of the DMA.
    pub(crate) at_dma: bool,
}

impl Spin {
    /// A core saw a value in a register; true when that makes an iteration of a spin.
    #[inline]
    pub(super) fn look(&mut self, pc: u32, address: u32, value: u32) -> bool {
        let is_short = self.short_loops.look(pc, address);
        if pc != self.pc || value != self.values[0] || address != self.registers[0] {
            self.look_elsewhere(pc, address, value);
            return false;
        }
        self.looks = self.looks.saturating_add(1);
        self.iteration_registers = 1 + std::mem::take(&mut self.others);
        // A loop that the core leaves out by itself need not stop it, unless that comes to nothing.
        if is_short && self.looks < LOOKS_OF_A_SPIN {
            self.looks_needed = LOOKS_OF_A_SPIN;
        }
        self.is_news = self.looks >= self.looks_needed;
        self.is_news
    }

    #[inline]
    fn look_elsewhere(&mut self, pc: u32, address: u32, value: u32) {
        if pc != self.pc && self.others + 1 < MOST_REGISTERS {
            self.others += 1;
            (self.registers[self.others], self.values[self.others]) = (address, value);
            return;
        }
        let is_known = self.known.contains(&pc);
        self.looks_needed = if is_known { LOOKS_OF_A_KNOWN_SPIN } else { LOOKS_OF_A_SPIN };
        (self.pc, self.looks, self.others) = (pc, 0, 0);
        (self.registers[0], self.values[0]) = (address, value);
    }

    /// An access begins.
    #[inline]
    pub(super) fn access(&mut self) {
        self.accesses = self.accesses.wrapping_add(1);
    }

    /// Something was written, or something else is executed: what was seen before counts no more.
    #[inline]
    pub(crate) fn end(&mut self) {
        (self.looks, self.is_news) = (self.looks.min(0), false);
    }

    /// Whether an iteration of a spin has ended with the last instruction.
    #[inline]
    pub(crate) fn take_iteration(&mut self) -> bool {
        std::mem::take(&mut self.is_news)
    }

    /// Whether that is the first iteration of it.
    pub(crate) fn begins(&self) -> bool {
        self.looks == self.looks_needed
    }

    /// Iterations of it were left out: it need not go on for as long when it comes again.
    pub(crate) fn remember(&mut self) {
        let place = self.known.iter().position(|&pc| pc == self.pc).unwrap_or(KNOWN_SPINS - 1);
        self.known[..=place].rotate_right(1);
        self.known[0] = self.pc;
    }

    /// It is no spin, or leaving it out is not worth the effort.
    pub(crate) fn give_up(&mut self) {
        self.looks = -LOOKS_UNTIL_RETRY;
        self.known.iter_mut().filter(|pc| **pc == self.pc).for_each(|pc| *pc = 0);
    }

    /// The registers that were looked at in the iteration.
    pub(crate) fn registers(&self) -> &[u32] {
        &self.registers[..self.iteration_registers]
    }

    /// The same, each with what it showed.
    pub(crate) fn looked_at(&self) -> impl Iterator<Item = (u32, u32)> {
        self.registers().iter().copied().zip(self.values)
    }

    /// A number that every access to what is not memory raises by one.
    pub(crate) fn accesses(&self) -> u32 {
        self.accesses
    }
}

impl Bus {
    /// A core saw a value in a register. Where two cores take turns nobody stops for that: it would change their turns.
    #[inline]
    pub(super) fn note_look(&mut self, pc: u32, address: u32, value: u32) {
        self.attention |= !self.shares_memory && self.spin.look(pc, address, value);
    }

    /// The same of a register that the chip itself leaves no iterations out at.
    #[inline]
    pub(super) fn note_short_look(&mut self, pc: u32, address: u32) {
        if !self.shares_memory {
            self.spin.short_loops.look(pc, address);
        }
    }

    /// What a register that is looked at again will show, and up to which time in any case; nothing when looking changes
    /// something, or when what it shows depends on the time.
    pub(crate) fn steady(&self, address: u32) -> Option<(Steady, Picoseconds)> {
        const ALWAYS: Picoseconds = Picoseconds::new(i64::MAX);
        let offset = address & 0xffc;
        let block = match address >> 28 {
            0x4 => Block::on_apb(address)?,
            0x5 => Block::on_ahb(address)?,
            _ => return None,
        };
        if self.blocks.is_held(block) {
            return None;
        }
        match block {
            Block::Dma if self.blocks.dma.shows_through_flow(offset) => Some((Steady::ThroughFlow, ALWAYS)),
            Block::Dma => Some((Steady::UntilEvent, ALWAYS)),
            Block::Spi(index) => {
                let until = self.blocks.spi[index].shows_until(offset, self.io.now)?;
                Some((Steady::UntilEvent, until))
            }
            Block::Pio(index) => {
                let pio = &self.blocks.pio[index];
                let steady = match (pio.shows_words(offset), Pio::shows_flags(offset)) {
                    (true, _) => Some(Steady::UntilWord(index)),
                    (_, true) => Some(Steady::UntilFlag(index)),
                    _ => None,
                };
                if let Some(steady) = steady.filter(|_| !self.is_fed(index)) {
                    return Some((steady, ALWAYS));
                }
                pio.shows_through_flow(offset).then_some((Steady::ThroughFlow, ALWAYS))
            }
            Block::Uart(index) => {
                self.blocks.uart[index].is_steady(offset).then_some((Steady::UntilEvent, ALWAYS))
            }
            _ => None,
        }
    }

    /// Whether every register of the iteration shows what it showed: one that was looked at early in it may have changed since.
    pub(crate) fn shows_the_same(&self) -> bool {
        let mut looks = self.spin.looked_at();
        self.spin.registers().len() == 1 || looks.all(|(at, value)| self.peek(at, Size::Word) == Some(value))
    }

    /// Whether somebody follows or counts single accesses to registers.
    pub(crate) fn is_observed(&self) -> bool {
        let is_followed = self.watch.is_on() && !self.watch.is_for_memory();
        is_followed || self.shares_memory || self.blocks.bus_ctrl.counts_besides_scratch()
    }

    /// Lets everything flow that does so by itself, up to and including `until`; true when something came of it, at the time of
    /// which it stopped, that a core will see when it looks at a register again.
    pub(crate) fn let_flows(&mut self, until: Picoseconds, looks: Looks) -> bool {
        // The flows are to go on whatever the cores have stopped for before.
        self.horizon = Picoseconds::new(i64::MIN);
        self.heeds_words = looks.words_of.is_some();
        if let Some(block) = looks.flags_of {
            self.blocks.pio[block].heed_flags(true);
        }
        self.flash_is_free = !looks.in_flash;
        self.find_patient(true);
        let shown = self.shown_to(looks);
        while let Some(first) = self.io.first_due(until) {
            let goes_on = self.may_lead_on() && self.lead_on(first, until)
                || self.let_flow(first, until)
                || self.move_unseen(first, until, looks);
            self.attention |= self.shown_to(looks) != shown;
            if !goes_on || self.attention {
                break;
            }
        }
        (self.heeds_words, self.flash_is_free) = (false, false);
        self.blocks.pio.iter_mut().for_each(|pio| pio.heed_flags(false));
        std::mem::take(&mut self.attention)
    }

    /// What a core sees of FIFOs and flags.
    fn shown_to(&self, looks: Looks) -> [Option<u32>; 2] {
        let pio = |block: usize| &self.blocks.pio[block];
        [looks.words_of.map(|block| pio(block).fstat()), looks.flags_of.map(|block| pio(block).flags())]
    }

    /// A transfer of the DMA that is due first takes a word out of the flash, or ends its sequence, as no flow does: nobody notices
    /// it who neither executes from there nor looks at what moves.
    fn move_unseen(&mut self, first: Source, until: Picoseconds, looks: Looks) -> bool {
        let dma = &self.blocks.dma;
        let ends_unseen = if looks.at_dma {
            dma.ends_nothing_at_once(is_far_from_end)
        } else {
            dma.is_quiet_unless_looked_at(1, false, |_, _| false)
        };
        let reads_unseen = !looks.in_flash || !dma.reads(|address| Alias::of(address).is_some());
        let is_unseen = first == Source::Dma && self.io.patient_pio != 0 && ends_unseen && reads_unseen;
        let due = if is_unseen { self.io.take_due(until) } else { None };
        let Some((at, source)) = due else { return false };
        self.io.now = self.io.now.max(at);
        self.wake(source);
        self.settle();
        true
    }

    /// Lets the frames of a serial port and the transfers of the DMA that follow on each flow up to and including `until`, if nobody
    /// outside hears them and none of these addresses is written: a core that looks at nothing else cannot notice.
    pub(crate) fn let_flow_past(&mut self, until: Picoseconds, looks: &[u32]) {
        let unheard = (0..2).all(|port| self.io.outside.unheard_spi(port).is_some());
        if !unheard || self.may_lead_on() || looks.iter().any(|&address| self.blocks.dma.may_write(address)) {
            return;
        }
        self.horizon = Picoseconds::new(i64::MIN);
        while let Some(first) = self.io.first_due(until) {
            if !self.let_flow(first, until) || self.attention {
                break;
            }
        }
    }

    /// How many instructions from `first` to `last` load what may change; nothing when any does more than compute, load and
    /// branch.
    pub(crate) fn loads_between(&self, first: u32, last: u32) -> Option<usize> {
        let half = |address: u32| self.peek(address, Size::Half).unwrap_or_default() as u16;
        let mut loads = 0;
        for pc in (first..=last).step_by(2) {
            match loop_step(pc, half(pc), half(pc.wrapping_add(2))) {
                LoopStep::LoadsLiteral(address) if !is_sram(address) => {}
                LoopStep::LoadsLiteral(_) | LoopStep::Loads => loads += 1,
                LoopStep::Computes => {}
                LoopStep::Other => return None,
            }
        }
        Some(loads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Setup;

    const RESETS_CLEARED: u32 = 0x4000_f000;
    const BUSCTRL: u32 = 1 << 1;
    const PERFSEL0: u32 = 0x4003_000c;

    /// Whether iterations are left alone while a performance counter counts an event (RP2040 datasheet 2.1.5, PERFSEL).
    fn is_observed_while_counting(event: u32) -> bool {
        let mut bus = Bus::new(&Setup::default()).expect("the default setup is valid");
        let mut cycle = 0;
        for (address, value) in [(RESETS_CLEARED, BUSCTRL), (PERFSEL0, event)] {
            bus.store(0, 0x1000_0100, address, Size::Word, value, &mut cycle).expect("there is a register");
        }
        assert!(bus.blocks.bus_ctrl.is_counting(), "event {event:#x}");
        bus.is_observed()
    }

    #[test]
    fn waits_are_left_out_although_an_sdk_counts_accesses_to_a_stack_for_random_numbers() {
        let (sram4_contested, sram5_accesses) = (0x04, 0x07);
        assert!((sram4_contested..=sram5_accesses).all(|event| !is_observed_while_counting(event)));
        let (apb_accesses, sram3_contested, flash_accesses) = (0x01, 0x08, 0x11);
        assert!([apb_accesses, sram3_contested, flash_accesses].into_iter().all(is_observed_while_counting));
    }
}
