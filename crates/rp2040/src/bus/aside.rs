//! Accesses of a core that neither see nor change what PIO blocks do which are led on later (`unnoticed`): spinlocks, the time, and
//! registers of the DMA that have to do with no sequence under way. The DMA's other registers and the FIFOs are among them as long as no
//! word moves. The FIFOs also are where it is known which words do, or where one machine alone is led on for them (`pio/foreseen.rs`,
//! `pio/apart.rs`). Such a block stays behind, so that many words of it are gone through in one go.

use units::Picoseconds;

use crate::bus::Bus;
use crate::bus::block::Block;
use crate::bus::registers::ALIAS_BITS;
use crate::memory::{SRAM_BASE, SRAM_BYTES};
use crate::peripherals::pio::Pio;
use crate::peripherals::resets::block as reset;
use crate::peripherals::{Peripheral, Source};

const BLOCKS: [Source; 2] = [Source::Pio0, Source::Pio1];
const RESETS: [u32; 2] = [reset::PIO0, reset::PIO1];
/// FSTAT of both blocks (RP2040 datasheet 3.7).
const FSTATS: [u32; 2] = [0x5020_0004, 0x5030_0004];
/// CPUID of the single-cycle block, and its divider, interpolators and spinlocks, which have to do with no pin (RP2040 datasheet
/// 2.3.1.7).
const CPUID: u32 = 0;
const COMPUTING: std::ops::Range<u32> = 0x5c..0x180;

/// What such an access goes to, by its offset.
#[derive(Debug, Clone, Copy)]
enum Register {
    Sio(u32),
    /// One that has to do with no PIO block but by words.
    Other(Block, u32),
    Pio(usize, u32),
}

impl Register {
    fn of(address: u32) -> Option<Self> {
        let offset = address & 0xffc;
        match address >> 28 {
            0xd => {
                let offset = address & 0x0fff_fffc;
                (offset == CPUID || COMPUTING.contains(&offset)).then_some(Self::Sio(offset))
            }
            0x4 => Block::on_apb(address)
                .filter(|&block| block == Block::Timer)
                .map(|block| Self::Other(block, offset)),
            0x5 => match Block::on_ahb(address)? {
                Block::Pio(block) => Some(Self::Pio(block, offset)),
                Block::Dma => Some(Self::Other(Block::Dma, offset)),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Bus {
    /// Whether an access to a register sees and changes nothing of the words that move between PIO blocks and memory.
    fn is_apart_from_words(&self, register: &Register, writes: bool, now: Picoseconds) -> bool {
        match *register {
            Register::Sio(_) | Register::Other(Block::Timer, _) => true,
            Register::Pio(_, offset) => Pio::shows_flags(offset),
            Register::Other(Block::Dma, offset) => {
                self.blocks.dma.is_apart(offset, writes, self.quiet_transfers())
                    || !writes && self.shows_busy(offset, now)
            }
            Register::Other(..) => false,
        }
    }

    /// Whether a register of the DMA shows a channel as busy, whatever has been transferred by `now`.
    fn shows_busy(&self, offset: u32, now: Picoseconds) -> bool {
        let Some(due) = self.io.due(Source::Dma) else { return false };
        // One in each cycle at the most, the first of them when it is due.
        let cycles = self.clock.cycle_at(now).saturating_sub(self.clock.cycle_at(due)) + 1;
        let memory = SRAM_BASE..SRAM_BASE + SRAM_BYTES;
        self.blocks.dma.shows_busy(offset, cycles, (self.quiet_transfers(), memory))
    }

    /// Loads a word from a register while the blocks stay behind; nothing, before anything has happened, where that would show.
    #[inline]
    pub(super) fn load_aside(&mut self, core: usize, pc: u32, address: u32, cycle: u64) -> Option<u32> {
        if !self.may_lead_on() {
            return None;
        }
        self.known_fstat((core, pc, address), cycle).or_else(|| self.find_aside(core, pc, address, cycle))
    }

    /// FSTAT of a block that nobody notices, while it is known which words move: whoever feeds a machine looks there before each word.
    #[inline]
    fn known_fstat(&mut self, (core, pc, address): (usize, u32, u32), cycle: u64) -> Option<u32> {
        let block = FSTATS.iter().position(|&fstat| fstat == address)?;
        let now = self.clock.time_of(cycle);
        let is_known = self.io.unnoticed >> BLOCKS[block].index() & 1 == 1
            && self.io.patient_pio == 0
            && self.blocks.pio[block].knows_words(now)
            && self.io.next_wake_besides(0) > now
            && !self.is_observed();
        if !is_known {
            return None;
        }
        let led_to = self.turn_aside(core, pc, address, now);
        self.io.now = led_to;
        Some(self.blocks.pio[block].fstat())
    }

    #[inline(never)]
    fn find_aside(&mut self, core: usize, pc: u32, address: u32, cycle: u64) -> Option<u32> {
        let now = self.clock.time_of(cycle);
        let register = Register::of(address)?;
        if !self.may_stay_behind(&register, false, now) {
            return None;
        }
        match register {
            Register::Pio(block, offset) => self.load_fifo_aside((core, pc, address), now, (block, offset)),
            Register::Other(block, _) if self.blocks.is_held(block) => None,
            Register::Other(block, offset) => {
                let led_to = self.turn_aside(core, pc, address, now);
                let value = self.blocks.read(block, offset, &mut self.io);
                self.io.now = led_to;
                Some(value)
            }
            Register::Sio(offset) => {
                let led_to = self.turn_aside(core, pc, address, now);
                let value = self.blocks.sio.read(core, offset, &mut self.io);
                self.io.now = led_to;
                Some(value)
            }
        }
    }

    fn load_fifo_aside(
        &mut self,
        (core, pc, address): (usize, u32, u32),
        now: Picoseconds,
        (block, offset): (usize, u32),
    ) -> Option<u32> {
        let pio = &self.blocks.pio[block];
        let shows_flags = Pio::shows_flags(offset);
        let stays = match shows_flags {
            true => self.is_led_later(block) && pio.leaves_flags_alone(now),
            false => self.stays_behind(block, now),
        };
        if !stays {
            return None;
        }
        let shown = if shows_flags || pio.shows_until_word(offset) {
            Some(pio.peek(offset, &self.io))
        } else {
            pio.shows_place(offset, now)
        };
        if let Some(value) = shown {
            let led_to = self.turn_aside(core, pc, address, now);
            self.io.now = led_to;
            return Some(value);
        }
        let machine = pio.gives_word(offset, now)?;
        let led_to = self.turn_aside(core, pc, address, now);
        self.io.now = led_to;
        Some(self.blocks.pio[block].hand_over(machine, &mut self.io))
    }

    /// Stores a word in the same way; false, before anything has happened, where that would show.
    #[inline]
    pub(super) fn store_aside(&mut self, core: usize, pc: u32, address: u32, value: u32, cycle: u64) -> bool {
        self.may_lead_on() && self.find_store_aside(core, pc, address, value, cycle)
    }

    #[inline(never)]
    fn find_store_aside(&mut self, core: usize, pc: u32, address: u32, value: u32, cycle: u64) -> bool {
        let now = self.clock.time_of(cycle);
        let is_plain = address & ALIAS_BITS == 0;
        let Some(register) = Register::of(address) else { return false };
        if !self.may_stay_behind(&register, true, now) {
            return false;
        }
        match register {
            Register::Sio(offset) => {
                let led_to = self.turn_aside(core, pc, address, now);
                self.blocks.sio.write(core, offset, value, &mut self.io);
                self.io.now = led_to;
            }
            Register::Other(Block::Dma, offset)
                if is_plain
                    && self.is_apart_from_words(&register, true, now)
                    && !self.blocks.is_held(Block::Dma) =>
            {
                let led_to = self.turn_aside(core, pc, address, now);
                self.blocks.write(Block::Dma, offset, value, &mut self.io);
                self.io.now = led_to;
            }
            Register::Pio(block, offset) if is_plain && self.stays_behind(block, now) => {
                let pio = &mut self.blocks.pio[block];
                let machine = pio.takes_word(offset, now);
                if machine.is_none() && !pio.takes_word_apart(offset, value, now, &mut self.io) {
                    return false;
                }
                let led_to = self.turn_aside(core, pc, address, now);
                self.io.now = led_to;
                if let Some(machine) = machine {
                    self.blocks.pio[block].be_handed(machine, value, &mut self.io);
                }
            }
            _ => return false,
        }
        self.flow = None;
        self.spin.end();
        true
    }

    /// Whether nothing is due up to and including `now` but blocks that are led on later. Words of theirs may only be due before a
    /// register in which no word shows: a core executes past these.
    fn may_stay_behind(&mut self, register: &Register, writes: bool, now: Picoseconds) -> bool {
        let io = &self.io;
        let mut late = io.unnoticed | io.patient_pio;
        let heeds_words = match *register {
            Register::Pio(_, offset) => !Pio::shows_flags(offset),
            _ => !self.is_apart_from_words(register, writes, now),
        };
        if !heeds_words && io.patient_pio != 0 {
            late |= 1 << Source::Dma.index();
        }
        io.next_wake() <= now
            && io.next_wake_besides(late) > now
            && !self.is_observed()
            && (!heeds_words || (0..BLOCKS.len()).all(|block| self.shows_words(block, now)))
    }

    /// Whether the FIFOs of a block show what they would if it were led on up to and including `now`. Of one that nobody notices it may be
    /// known which words moved.
    fn shows_words(&mut self, block: usize, now: Picoseconds) -> bool {
        let source = BLOCKS[block];
        let is_behind = self.io.due(source).is_some_and(|due| due <= now);
        let pio = &mut self.blocks.pio[block];
        match self.io.unnoticed >> source.index() & 1 == 1 {
            _ if !is_behind => true,
            true => pio.foresees_words(now, &mut self.io) || pio.runs_apart(now, &mut self.io),
            false => pio.moves_no_word(now),
        }
    }

    /// Whether a block is one that is led on later, and is not held in reset, where blocks may stay behind.
    fn stays_behind(&self, block: usize, now: Picoseconds) -> bool {
        let is_behind = self.io.due(BLOCKS[block]).is_some_and(|due| due <= now);
        self.is_led_later(block) && (is_behind || self.blocks.pio[block].moves_no_word(now))
    }

    fn is_led_later(&self, block: usize) -> bool {
        let led = self.io.unnoticed | self.io.patient_pio;
        led >> BLOCKS[block].index() & 1 == 1 && self.blocks.resets.held() & RESETS[block] == 0
    }

    /// When a core looked past the blocks last: no run ends before they have come that far.
    #[inline]
    pub(crate) fn looked_until(&self) -> Picoseconds {
        self.looked_until
    }

    /// An access happens at `now`; gives the time up to which everything has happened, to which the clock is to be put back.
    fn turn_aside(&mut self, core: usize, pc: u32, address: u32, now: Picoseconds) -> Picoseconds {
        self.spin.access();
        let io = &mut self.io;
        io.ahead = (io.now - now).max(Picoseconds::ZERO);
        (io.core, io.pc, io.address) = (core as u8, pc, address);
        let later = io.now.max(now);
        self.note_access(core, address, now);
        let io = &mut self.io;
        self.looked_until = later;
        std::mem::replace(&mut io.now, later)
    }
}
