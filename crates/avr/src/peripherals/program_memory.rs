//! The flash as the core reads and programs it (ATmega328P datasheet, "Self-Programming the Flash"): LPM, SPM with its page
//! buffer, erasing and writing of pages in 3.7 ms each (the least that the datasheet gives), fuses, lock bits and signature.
//!
//! Left out: the section that can be read while another is written answers as if nothing went on, and lock bits lock nothing.

use super::{NEVER, has};
use crate::chips::Part;
use crate::core::{Instruction, decode};

const SPMIE: u8 = 7;
const RWWSB: u8 = 1 << 6;
const SIGRD: u8 = 1 << 5;
const RWWSRE: u8 = 1 << 4;
const BLBSET: u8 = 1 << 3;
const PGWRT: u8 = 1 << 2;
const PGERS: u8 = 1 << 1;
const SPMEN: u8 = 1 << 0;
const WINDOW_CYCLES: u64 = 4;
const PAGE_US: u64 = 3_700;
const ERASED: u8 = 0xff;
/// Low fuse, lock bits, extended and high fuse, in the order of their addresses: an external crystal, nothing locked, brown-out
/// detection at 2.7 V, and a boot loader of the largest size, from which a reset starts where the image has one.
const FUSES: [u8; 4] = [0xff, 0xff, 0xfd, 0xd9];
const BOOTRST: u8 = 1;

/// The flash.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct ProgramMemory {
    pub(crate) bytes: Vec<u8>,
    #[serde(skip)]
    pub(crate) code: Vec<Instruction>,
    /// Words that changed while the core had the code.
    #[serde(skip)]
    stale: Vec<std::ops::Range<usize>>,
    buffer: Vec<u8>,
    control: u8,
    /// A page below the largest boot loader was erased or written, and nobody has enabled that section since (RWWSB).
    rww_is_busy: bool,
    window_until: u64,
    busy_until: u64,
    /// Where the boot section begins, from which alone SPM works.
    pub(crate) boot_section: u32,
    /// Whether a reset starts the boot loader.
    pub(crate) starts_boot_loader: bool,
}

impl ProgramMemory {
    pub(crate) fn new(part: &Part) -> Self {
        let mut memory = Self {
            bytes: vec![ERASED; part.flash_bytes as usize],
            code: Vec::new(),
            stale: Vec::new(),
            buffer: vec![ERASED; part.page_bytes as usize],
            control: 0,
            rww_is_busy: false,
            window_until: 0,
            busy_until: NEVER,
            boot_section: part.largest_boot_section(),
            starts_boot_loader: false,
        };
        memory.decode_all();
        memory
    }

    pub(crate) fn reset(&mut self) {
        (self.control, self.window_until, self.rww_is_busy) = (0, 0, false);
    }

    /// Decodes all of it, as after its bytes were set.
    pub(crate) fn decode_all(&mut self) {
        self.code = (0..self.bytes.len() / 2).map(|word| self.decoded(word)).collect();
    }

    /// Puts bytes at an address.
    pub(crate) fn put(&mut self, address: usize, bytes: &[u8]) {
        self.bytes[address..address + bytes.len()].copy_from_slice(bytes);
        let first = (address / 2).saturating_sub(1);
        let words = first..(address + bytes.len()).div_ceil(2);
        if self.code.is_empty() {
            self.stale.push(words);
        } else {
            words.for_each(|word| self.code[word] = self.decoded(word));
        }
    }

    /// Takes the code back that the core ran from.
    pub(crate) fn take_back(&mut self, code: Vec<Instruction>) {
        self.code = code;
        for words in std::mem::take(&mut self.stale) {
            words.for_each(|word| self.code[word] = self.decoded(word));
        }
    }

    fn decoded(&self, word: usize) -> Instruction {
        decode(self.word(word), self.word(word + 1))
    }

    fn word(&self, word: usize) -> u16 {
        let at = 2 * word % self.bytes.len();
        u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    pub(crate) fn next(&self) -> u64 {
        self.busy_until
    }

    pub(crate) fn advance(&mut self, cycle: u64) {
        if self.busy_until <= cycle {
            self.busy_until = NEVER;
            self.control &= !(PGWRT | PGERS | SPMEN);
        }
    }

    pub(crate) fn interrupts(&self) -> bool {
        has(self.control, SPMIE) && self.control & SPMEN == 0
    }

    /// LPM and ELPM.
    pub(crate) fn load(&mut self, part: &Part, address: u32, cycle: u64) -> u8 {
        if cycle < self.window_until {
            if self.control & SIGRD != 0 {
                self.end_window();
                // Bytes 0, 2 and 4; others are the oscillator's calibration.
                return part.signature.get(address as usize / 2).copied().unwrap_or(ERASED);
            }
            if self.control & BLBSET != 0 {
                self.end_window();
                let fuse = FUSES[address as usize & 3];
                let boots = self.starts_boot_loader && address & 3 == 3;
                return if boots { fuse & !BOOTRST } else { fuse };
            }
        }
        self.bytes[address as usize % self.bytes.len()]
    }

    fn end_window(&mut self) {
        self.window_until = 0;
        self.control &= 1 << SPMIE;
    }

    pub(crate) fn read_control(&mut self, cycle: u64) -> u8 {
        self.lapse(cycle);
        self.control | if self.rww_is_busy { RWWSB } else { 0 }
    }

    fn lapse(&mut self, cycle: u64) {
        if self.busy_until == NEVER && cycle >= self.window_until {
            self.control &= 1 << SPMIE;
        }
    }

    pub(crate) fn write_control(&mut self, value: u8, cycle: u64) {
        if self.busy_until != NEVER {
            return;
        }
        self.control = value & (1 << SPMIE | SIGRD | RWWSRE | BLBSET | PGWRT | PGERS | SPMEN);
        if value & SPMEN != 0 {
            self.window_until = cycle + 1 + WINDOW_CYCLES;
        }
    }

    /// SPM of a word to an address; `cycles_of` says how many cycles some microseconds are.
    pub(crate) fn store(
        &mut self,
        part: &Part,
        (address, word): (u32, u16),
        cycle: u64,
        cycles_of: impl Fn(u64) -> u64,
    ) {
        if cycle >= self.window_until {
            return;
        }
        self.window_until = 0;
        let page_bytes = self.buffer.len();
        let page = address as usize % self.bytes.len() / page_bytes * page_bytes;
        let action = self.control & (SIGRD | RWWSRE | BLBSET | PGWRT | PGERS);
        // Which section is busy depends on the chip, and not on BOOTSZ ("Read-While-Write and No Read-While-Write Flash Sections").
        if matches!(action, PGERS | PGWRT) && page < part.largest_boot_section() as usize {
            self.rww_is_busy = true;
        }
        match action {
            0 => {
                let offset = (address as usize % page_bytes) & !1;
                self.buffer[offset..offset + 2].copy_from_slice(&word.to_le_bytes());
                // "SPMCSR", bit 6: a page load clears it.
                self.rww_is_busy = false;
                self.control &= 1 << SPMIE;
            }
            PGERS => {
                self.put(page, &vec![ERASED; page_bytes]);
                self.busy_until = cycle + cycles_of(PAGE_US);
            }
            PGWRT => {
                // A bit that is clear stays so until its page is erased.
                let written = self.bytes[page..].iter().zip(&self.buffer).map(|(old, new)| old & new);
                let written: Vec<u8> = written.collect();
                self.put(page, &written);
                self.buffer.fill(ERASED);
                self.busy_until = cycle + cycles_of(PAGE_US);
            }
            RWWSRE => {
                self.rww_is_busy = false;
                self.buffer.fill(ERASED);
                self.control &= 1 << SPMIE;
            }
            _ => self.control &= 1 << SPMIE,
        }
    }
}
