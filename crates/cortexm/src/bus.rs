//! What a core is wired to. A chip implements [`Bus`]; the core is compiled anew for each, so that a call costs nothing.

use mcu::FaultKind;
use units::Picoseconds;

use crate::ppb::Ppb;
use crate::watch::Watch;
use crate::{Core, Exit};

/// How many bytes an access has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// One.
    Byte = 1,
    /// Two.
    Half = 2,
    /// Four.
    Word = 4,
}

impl Size {
    /// The size of 1, 2 or 4 bytes.
    #[inline]
    pub fn of_bytes(bytes: u8) -> Self {
        match bytes {
            1 => Self::Byte,
            2 => Self::Half,
            _ => Self::Word,
        }
    }

    /// The bits of a word that it takes.
    #[inline]
    pub fn mask(self) -> u32 {
        u32::MAX >> (32 - 8 * self as u32)
    }
}

/// Why an access of a core was not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is a fault.
    Fault(FaultKind),
    /// The other core is behind in time, and might come first: the instruction is to be executed again later.
    OtherCoreFirst,
}

impl From<FaultKind> for Refusal {
    fn from(kind: FaultKind) -> Self {
        Self::Fault(kind)
    }
}

/// Where the program counter is: each of the first three has a table of decoded instructions, and begins at
/// [`Bus::region_base`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Memory that never waits and is never written.
    Rom,
    /// Memory behind a cache: a fetch may have to wait.
    Flash,
    /// Memory that never waits for a core alone, and that the core may write.
    Sram,
    /// A window or alias that code rarely runs from: decoded anew each time.
    Other,
}

/// What came of an instruction that ARMv6-M does not have.
#[derive(Debug)]
pub enum Trap {
    /// The chip does not know it either: a fault.
    Unknown,
    /// It was carried out; the core goes on where its program counter is.
    Done,
    /// It was carried out, and the chip has to look at something.
    Left(Exit),
    /// It did what an image must not do.
    Fault(FaultKind),
}

/// The bus of a chip, with what stands on a core's private bus, as the core sees it. `core` is the number of the core, and
/// a `cycle` counts cycles of its clock.
pub trait Bus {
    /// Where an address of code is.
    fn region(address: u32) -> Region;

    /// Where a region begins; 0 for [`Region::Other`].
    fn region_base(region: u8) -> u32;

    /// Bytes of a region.
    fn region_bytes(&self, region: Region) -> u32;

    /// The halfword at an address, if memory is there, without any effect.
    fn peek_half(&self, address: u32) -> Option<u16>;

    /// The halfwords at an address of code anywhere.
    fn fetch_elsewhere(&self, address: u32) -> Option<(u16, u16)>;

    /// An instruction was decoded so many bytes behind the beginning of the SRAM: stores there must be told.
    fn mark_code(&mut self, offset: u32);

    /// What is at an aligned address of the SRAM, zero-extended; nothing elsewhere.
    fn load_sram(&self, address: u32, size: Size) -> Option<u32>;

    /// Stores to an aligned address of the SRAM; false elsewhere, and near decoded code.
    fn store_sram(&mut self, address: u32, size: Size, value: u32) -> bool;

    /// A load of a core from an aligned address of the SRAM that another bus master may use as well; `cycle` moves on by what it
    /// costs. Nothing elsewhere.
    fn load_shared(&mut self, core: usize, address: u32, size: Size, cycle: &mut u64) -> Option<u32>;

    /// The same for a store; false elsewhere, and near decoded code.
    fn store_shared(&mut self, core: usize, address: u32, size: Size, value: u32, cycle: &mut u64) -> bool;

    /// Aligned words of the SRAM one behind the other; nothing where one is elsewhere.
    fn sram_words(&self, address: u32, words: usize) -> Option<&[[u8; 4]]>;

    /// The same to store to; nothing where one is elsewhere or near decoded code.
    fn sram_words_mut(&mut self, address: u32, words: usize) -> Option<&mut [[u8; 4]]>;

    /// A load; `cycle` moves on by what it costs.
    ///
    /// # Errors
    /// When it is not carried out.
    fn load(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        cycle: &mut u64,
    ) -> Result<u32, Refusal>;

    /// A store; `cycle` moves on by what it costs.
    ///
    /// # Errors
    /// When it is not carried out.
    fn store(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        value: u32,
        cycle: &mut u64,
    ) -> Result<(), Refusal>;

    /// What it costs beyond a hit to fetch a word of code, counted from the beginning of the flash.
    fn fetch_flash(&mut self, core: usize, word: u32, cycle: u64) -> u64;

    /// Whether a word of code that was fetched from the flash is resident in its cache then.
    fn keeps_code(&self) -> bool;

    /// The word behind those, from this one on, whose fetch would cost nothing and change nothing but the count of fetches.
    fn resident_until(&self, word: u32) -> u32;

    /// So many words of code were fetched that were known to be resident.
    fn count_fetches(&mut self, words: u32);

    /// A number that is another one after anything changed which words are resident.
    fn residents(&self) -> u32;

    /// The same as [`Bus::fetch_flash`] for an instruction of one or two halfwords in any window. `fetched` is the word that the core holds already.
    fn fetch_through_window(
        &mut self,
        core: usize,
        pc: u32,
        halfwords: u32,
        cycle: u64,
        fetched: &mut u32,
    ) -> u64;

    /// Cycles that a fetch from SRAM waits, because another bus master uses its bank in this cycle.
    fn contend(&mut self, core: usize, offset: u32, cycle: u64) -> u64;

    /// The same while every access to memory is to be seen, and nothing else ([`Watch::is_for_memory`]).
    fn contend_in_sight(&mut self, core: usize, offset: u32, cycle: u64) -> u64;

    /// Whether an access may be made at this cycle: of two cores the one that is ahead waits with all that is not memory, and with
    /// stores (`is_write`) to what only reads as memory.
    ///
    /// # Errors
    /// When the other core is behind, and might come first.
    fn keep_order(&self, core: usize, address: u32, is_write: bool, cycle: u64) -> Result<(), Refusal>;

    /// From here on a core keeps no order, until the limit that is given back is set again by [`Bus::set_order`]: an
    /// instruction of several accesses is carried out whole.
    fn run_free(&mut self, core: usize) -> u64;

    /// Sets the cycle up to which a core may access what is not memory.
    fn set_order(&mut self, core: usize, limit: u64);

    /// The cycle that a core must not run past.
    fn limit(&self) -> u64;

    /// Whether [`Bus::take_limit`] would give another limit, or the core is to stop.
    fn limit_changed(&self) -> bool;

    /// The cycle that a core must not run past, after an access.
    fn take_limit(&mut self) -> u64;

    /// Whether the last load of a core may have been a look at a register that loops look at again and again; once for each.
    fn take_look(&mut self) -> bool {
        false
    }

    /// What a core would see that looks at an address now, and how many cycles that would take; nothing where looking changes anything.
    fn seen_at(&self, _core: usize, _address: u32) -> Option<(u32, u64)> {
        None
    }

    /// For how many cycles a core that has looked at an address just now would see the same, and nobody would notice anything.
    fn seen_for(&self, _core: usize, _address: u32, _cycle: u64) -> u64 {
        0
    }

    /// How many turns of so many cycles a core may leave out that has looked at the first of these addresses just now. It would look
    /// again at the end of each turn, and at the others within it: all turns would see the same, and nobody else would notice anything.
    fn unseen_turns(&mut self, _core: usize, _addresses: &[u32], _cycle: u64, _turn_cycles: u64) -> u64 {
        0
    }

    /// Whether something changed that the chip must look at before the next instruction.
    fn attention(&self) -> bool;

    /// Something changed that the chip must look at before the next instruction.
    fn call_attention(&mut self);

    /// A core's private peripheral bus.
    fn ppb(&self, core: usize) -> &Ppb;

    /// A core's private peripheral bus, to change it.
    fn ppb_mut(&mut self, core: usize) -> &mut Ppb;

    /// Takes a core's event (WFE).
    fn take_event(&mut self, core: usize) -> bool;

    /// Sets a core's event.
    fn set_event(&mut self, core: usize);

    /// SEV: every core has an event, at this cycle.
    fn send_event(&mut self, cycle: u64);

    /// When a cycle is.
    fn time_of(&self, cycle: u64) -> Picoseconds;

    /// Who looks over the core's shoulder.
    fn watch(&self) -> &Watch;

    /// The same, to change it.
    fn watch_mut(&mut self) -> &mut Watch;

    /// The core stands at an instruction that ARMv6-M does not have: a chip may give it a meaning.
    fn trap(&mut self, core: &mut Core, code: u16) -> Trap;
}
