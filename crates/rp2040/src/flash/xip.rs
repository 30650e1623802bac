//! The XIP cache between the bus and the SSI (RP2040 datasheet 2.6.3): 16 kB, two ways of 1024 lines of 8 bytes, filled
//! word by word; its registers at 0x14000000; streaming of flash into a FIFO.
//!
//! Only tags and times are modelled: data always come from the flash itself, so a line that went stale behind the
//! cache's back (flash programmed without a flush) shows the new contents here and the old ones on a board. The memory
//! of the cache is there as SRAM while the cache is off.

use std::collections::VecDeque;

use units::Picoseconds;

use super::chip::FlashChip;
use super::ssi::XipTiming;
use crate::frequencies;
use crate::io::Io;
use crate::lines::Dreq;
use crate::peripherals::{Peripheral, Source};

const BLOCK: &str = "XIP_CTRL";

/// Bytes of the cache, and of the SRAM that it is when it is off.
pub const CACHE_BYTES: usize = 16 * 1024;
/// Sets of two lines (RP2040 datasheet 2.6.3.1).
const SETS: usize = 1024;
/// How far ahead it is looked whether words are in first ways.
const MOST_RESIDENT_WORDS: u32 = 8;
/// Cycles of a flush: one for each set (RP2040 datasheet 2.6.3.2: "just over 1024 clock cycles").
pub const FLUSH_CYCLES: u32 = 1024;
/// Cycles that streaming leaves the SSI alone after a miss (RP2040 datasheet 2.6.3.4).
const STREAM_COOLDOWN_CYCLES: u64 = 7;
const STREAM_DEPTH: usize = 2;

const CTRL: u32 = 0x00;
const FLUSH: u32 = 0x04;
const STAT: u32 = 0x08;
const CTR_HIT: u32 = 0x0c;
const CTR_ACC: u32 = 0x10;
const STREAM_ADDR: u32 = 0x14;
const STREAM_CTR: u32 = 0x18;
/// Offset of the streaming FIFO, which XIP_AUX at 0x50400000 shows as well.
pub const STREAM_FIFO: u32 = 0x1c;

const CTRL_EN: u32 = 1 << 0;
const CTRL_ERR_BADWRITE: u32 = 1 << 1;
const CTRL_POWER_DOWN: u32 = 1 << 3;
const CTRL_RESET: u32 = CTRL_EN | CTRL_ERR_BADWRITE;
const STAT_FLUSH_READY: u32 = 1 << 0;
const STAT_FIFO_EMPTY: u32 = 1 << 1;
const STAT_FIFO_FULL: u32 = 1 << 2;
const STREAM_CTR_BITS: u32 = 0x003f_ffff;

/// A way of a set is 16 bits: the valid bits of its two words, then the 11 bits of the tag.
const WAY_BITS: u32 = 16;
const WAY: u32 = 0xffff;
const TAG: u32 = 0x1ffc;

/// Which line makes room. What the chip does is not published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Replacement {
    /// A pseudo-random one, as in the public cache designs of the chip's bus designer (github.com/Wren6991/libfpga,
    /// mem/cache_mem_set_associative.v): an LFSR that runs from a fixed start, one step for each miss.
    #[default]
    PseudoRandom,
    /// The one that was not used for longest.
    LeastRecentlyUsed,
}

/// The windows onto the flash, which differ in what the cache does (RP2040 datasheet 2.6.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alias {
    /// 0x10000000: looked up, and kept on a miss.
    Cached,
    /// 0x11000000: looked up, not kept.
    NoAllocate,
    /// 0x12000000: not looked up, but kept.
    NoCheck,
    /// 0x13000000: past the cache.
    Uncached,
}

impl Alias {
    /// Of an address in any of the windows; nothing elsewhere.
    #[inline]
    pub fn of(address: u32) -> Option<Self> {
        match address >> 24 {
            0x10 => Some(Self::Cached),
            0x11 => Some(Self::NoAllocate),
            0x12 => Some(Self::NoCheck),
            0x13 => Some(Self::Uncached),
            _ => None,
        }
    }
}

/// The cache, its registers and its stream.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct XipCache {
    /// Both ways of each set, in halves of a word, the one that was used last in the lower half; empty where no valid
    /// bit is set.
    #[serde(with = "sim::state::boxed_array")]
    sets: Box<[u32; SETS]>,
    /// How often anything changed in them.
    #[serde(skip)]
    residents: u32,
    miss_cycles: u32,
    accesses: u64,
    misses: u64,
    /// Those of the DMA among them. Nothing of this is state of the chip.
    #[serde(skip)]
    dma_accesses: u64,
    #[serde(skip)]
    dma_misses: u64,
    replacement: Replacement,
    random: u16,
    ctrl: u32,
    /// What the counters were when they were cleared.
    accesses_cleared: u64,
    hits_cleared: u64,
    flush_end: Picoseconds,
    stall_cycles: u32,
    sram: Box<[u8]>,
    stream_address: u32,
    stream_left: u32,
    stream: VecDeque<u32>,
}

impl Default for XipCache {
    /// After reset: on, empty.
    fn default() -> Self {
        Self {
            sets: Box::new([0; SETS]),
            residents: 0,
            miss_cycles: 0,
            accesses: 0,
            misses: 0,
            dma_accesses: 0,
            dma_misses: 0,
            replacement: Replacement::default(),
            random: 1,
            ctrl: CTRL_RESET,
            accesses_cleared: 0,
            hits_cleared: 0,
            flush_end: Picoseconds::ZERO,
            stall_cycles: 0,
            sram: vec![0; CACHE_BYTES].into(),
            stream_address: 0,
            stream_left: 0,
            stream: VecDeque::with_capacity(STREAM_DEPTH),
        }
    }
}

impl XipCache {
    /// What a word from the flash costs from now on; to be set whenever the SSI's registers were written.
    pub fn set_timing(&mut self, timing: XipTiming) {
        self.miss_cycles = timing.miss_cycles_32bit;
    }

    /// Which line makes room from now on.
    pub fn set_replacement(&mut self, replacement: Replacement) {
        self.replacement = replacement;
    }

    /// A read through the cached window at an offset in the flash: the cycles that it takes longer than a read of SRAM.
    #[inline(always)]
    pub fn access(&mut self, offset: u32) -> u32 {
        self.accesses += 1;
        // What nearly every access finds.
        if self.is_in_first_way(offset) {
            return 0;
        }
        self.beyond_first_way(offset)
    }

    /// Whether the word at an offset lies in the first way of its set: the tag and the valid bit, in fewer steps than `place` takes.
    /// Reading such a word costs nothing and changes nothing but the number of accesses.
    #[inline(always)]
    pub(crate) fn is_in_first_way(&self, offset: u32) -> bool {
        let differs = self.sets[(offset >> 3) as usize & (SETS - 1)] ^ offset >> 11 & TAG;
        differs & TAG == 0 && differs >> (offset >> 2 & 1) & 1 == 1
    }

    /// A read through any of the windows: the cycles that it takes longer than a read of SRAM.
    #[inline]
    pub fn access_through(&mut self, alias: Alias, offset: u32) -> u32 {
        if alias == Alias::Cached {
            return self.access(offset);
        }
        self.accesses += 1;
        let (set, wanted, mask) = Self::place(offset);
        if alias == Alias::NoAllocate && self.way_with(set, wanted, mask).is_some() {
            return 0;
        }
        if alias == Alias::NoCheck {
            self.fill(set, wanted);
        }
        self.miss()
    }

    /// A read of the DMA through any of the windows: the cycles that it takes longer than a read of SRAM.
    #[inline]
    pub(crate) fn access_of_dma(&mut self, alias: Alias, offset: u32) -> u32 {
        let misses = self.misses;
        let waited = self.access_through(alias, offset);
        self.dma_accesses += 1;
        self.dma_misses += self.misses - misses;
        waited
    }

    /// Reads of the DMA that are hits in a first way.
    #[inline(always)]
    pub(crate) fn count_hits_of_dma(&mut self, reads: u64) {
        self.accesses += reads;
        self.dma_accesses += reads;
    }

    /// A write through the cached window: a line that holds the address is dropped.
    pub fn invalidate(&mut self, offset: u32) {
        let (set, wanted, _) = Self::place(offset);
        self.residents = self.residents.wrapping_add(1);
        let (first, second) = (self.sets[set] & WAY, self.sets[set] >> WAY_BITS);
        if (first ^ wanted) & TAG == 0 {
            self.sets[set] = second;
        } else if (second ^ wanted) & TAG == 0 {
            self.sets[set] = first;
        }
    }

    /// Whether a write through a window is a bus error.
    pub fn write_is_fault(&self, alias: Alias) -> bool {
        alias != Alias::Cached && self.ctrl & CTRL_ERR_BADWRITE != 0
    }

    /// The cache's memory as SRAM at 0x15000000; nothing, which is a bus error, while the cache is on or powered down.
    pub fn sram(&self) -> Option<&[u8]> {
        (self.ctrl & (CTRL_EN | CTRL_POWER_DOWN) == 0).then_some(&*self.sram)
    }

    /// As [`Self::sram`], to write.
    pub fn sram_mut(&mut self) -> Option<&mut [u8]> {
        (self.ctrl & (CTRL_EN | CTRL_POWER_DOWN) == 0).then_some(&mut *self.sram)
    }

    /// Accesses and hits since the start, whatever the counters in the registers were cleared to.
    pub fn statistics(&self) -> (u64, u64) {
        (self.accesses, self.accesses - self.misses)
    }

    /// The same without those of the DMA.
    pub(crate) fn statistics_of_cores(&self) -> (u64, u64) {
        let accesses = self.accesses - self.dma_accesses;
        (accesses, accesses - (self.misses - self.dma_misses))
    }

    /// Whether it keeps what is read.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.ctrl & CTRL_EN != 0
    }

    /// The word behind those, from this one on, that lie in first ways: reading them costs nothing and changes nothing but
    /// the number of accesses. Looks no further than a few lines.
    #[inline]
    pub(crate) fn resident_until(&self, word: u32) -> u32 {
        let (mut at, end) = (word, word + MOST_RESIDENT_WORDS);
        while at < end {
            // `place`, for both words of a line at once.
            let ways = self.sets[(at >> 1) as usize & (SETS - 1)];
            let valid = if (ways ^ at >> 9) & TAG == 0 { (ways & 3) >> (at & 1) } else { 0 };
            // Of the rest of the line: nothing, its first word, or all of it.
            match valid {
                0b11 => at += 2,
                0b01 if at & 1 == 1 => at += 1,
                0b01 => return at + 1,
                _ => break,
            }
        }
        at.min(end)
    }

    /// A number that is another one after any line changed.
    #[inline(always)]
    pub(crate) fn residents(&self) -> u32 {
        self.residents
    }

    /// Accesses that were not made one by one, all of them hits.
    pub(crate) fn count_hits(&mut self, hits: u64) {
        self.accesses += hits;
    }

    /// Takes the cycles of clk_sys for which the last access to the registers held the bus: reading FLUSH waits for the
    /// end of a flush.
    #[inline]
    pub fn take_stall(&mut self) -> u32 {
        std::mem::take(&mut self.stall_cycles)
    }

    /// A word of the stream has come from the flash: the wake-up of [`Source::Flash`].
    pub fn wake_stream(&mut self, flash: &FlashChip, io: &mut Io) {
        if self.stream_left == 0 || self.stream.len() == STREAM_DEPTH {
            return;
        }
        self.stream.push_back(flash.word(self.stream_address));
        self.stream_address = self.stream_address.wrapping_add(4);
        self.stream_left -= 1;
        self.request_stream(io);
    }

    /// The set of an offset, what its way must hold for a hit, and the bits of that.
    #[inline(always)]
    fn place(offset: u32) -> (usize, u32, u32) {
        let valid = 1 << (offset >> 2 & 1);
        let tag = offset >> 13 & 0x7ff;
        ((offset >> 3) as usize & (SETS - 1), tag << 2 | valid, TAG | valid)
    }

    #[inline(always)]
    fn way_with(&self, set: usize, wanted: u32, mask: u32) -> Option<u32> {
        let ways = self.sets[set];
        [0, WAY_BITS].into_iter().find(|shift| ways >> shift & mask == wanted)
    }

    #[inline(never)]
    fn beyond_first_way(&mut self, offset: u32) -> u32 {
        self.residents = self.residents.wrapping_add(1);
        let (set, wanted, mask) = Self::place(offset);
        if self.sets[set] >> WAY_BITS & mask == wanted {
            self.sets[set] = self.sets[set].rotate_left(WAY_BITS);
            return 0;
        }
        self.fill(set, wanted);
        self.miss()
    }

    #[inline]
    fn miss(&mut self) -> u32 {
        self.misses += 1;
        self.miss_cycles
    }

    /// Keeps a word in the line with its tag, or in one that makes room. The line that was used last is put first.
    fn fill(&mut self, set: usize, wanted: u32) {
        if self.ctrl & CTRL_EN == 0 {
            return;
        }
        self.residents = self.residents.wrapping_add(1);
        let (first, second) = (self.sets[set] & WAY, self.sets[set] >> WAY_BITS);
        let same_tag = |way: u32| way & !TAG != 0 && (way ^ wanted) & TAG == 0;
        self.sets[set] = if same_tag(first) {
            second << WAY_BITS | first | wanted
        } else if same_tag(second) {
            first << WAY_BITS | second | wanted
        } else {
            let kept = if self.first_makes_room() { second } else { first };
            kept << WAY_BITS | wanted
        };
    }

    fn first_makes_room(&mut self) -> bool {
        self.replacement == Replacement::PseudoRandom && self.next_random()
    }

    /// A 16-bit LFSR with the polynomial x^16 + x^15 + x^13 + x^4 + 1, of full period.
    fn next_random(&mut self) -> bool {
        let bit = self.random & 1;
        self.random >>= 1;
        if bit == 1 {
            self.random ^= 0xd008;
        }
        bit == 1
    }

    fn empty(&mut self) {
        self.residents = self.residents.wrapping_add(1);
        self.sets.fill(0);
    }

    fn flush(&mut self, io: &Io) {
        self.empty();
        let time = frequencies::duration(io.clocks.sys_hz, u64::from(FLUSH_CYCLES));
        self.flush_end = io.now + time.unwrap_or(Picoseconds::ZERO);
    }

    fn set_ctrl(&mut self, value: u32) {
        let value = value & (CTRL_EN | CTRL_ERR_BADWRITE | CTRL_POWER_DOWN);
        self.ctrl = if value & CTRL_POWER_DOWN != 0 { value & !CTRL_EN } else { value };
        if self.ctrl & CTRL_EN == 0 {
            // A line in the tags means a hit, so that a cache that is off must have none.
            self.empty();
        }
    }

    fn stat(&self, io: &Io) -> u32 {
        let flag = |condition: bool, bit| if condition { bit } else { 0 };
        flag(io.now >= self.flush_end, STAT_FLUSH_READY)
            | flag(self.stream.is_empty(), STAT_FIFO_EMPTY)
            | flag(self.stream.len() == STREAM_DEPTH, STAT_FIFO_FULL)
    }

    fn hits(&self) -> u64 {
        self.accesses - self.misses
    }

    fn stall_until_flushed(&mut self, io: &Io) {
        let left_ps = (self.flush_end - io.now).ps();
        if left_ps > 0 {
            let cycles = i128::from(left_ps) * i128::from(io.clocks.sys_hz);
            // Never more than FLUSH_CYCLES, which the clock may have cut short since.
            let cycles = cycles.div_euclid(i128::from(units::PS_PER_S)) + 1;
            self.stall_cycles = cycles.min(i128::from(FLUSH_CYCLES)) as u32;
        }
    }

    /// Asks for the next word of the stream when there is one and room for it, and tells the DMA what is there.
    fn request_stream(&mut self, io: &mut Io) {
        io.lines.set_dreq(Dreq::XIP_STREAM, !self.stream.is_empty());
        if self.stream_left == 0 || self.stream.len() == STREAM_DEPTH {
            io.cancel(Source::Flash);
        } else if io.due(Source::Flash).is_none() {
            io.wake_after(
                Source::Flash,
                io.clocks.sys_hz,
                u64::from(self.miss_cycles) + STREAM_COOLDOWN_CYCLES,
            );
        }
    }
}

impl Peripheral for XipCache {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let value = self.peek(offset, io);
        match offset {
            FLUSH => self.stall_until_flushed(io),
            STREAM_FIFO => {
                self.stream.pop_front();
                self.request_stream(io);
            }
            CTRL | STAT | CTR_HIT | CTR_ACC | STREAM_ADDR | STREAM_CTR => {}
            _ => io.unknown(BLOCK, "no such register", false),
        }
        value
    }

    fn peek(&self, offset: u32, io: &Io) -> u32 {
        let saturated = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        match offset {
            CTRL => self.ctrl,
            STAT => self.stat(io),
            CTR_HIT => saturated(self.hits() - self.hits_cleared),
            CTR_ACC => saturated(self.accesses - self.accesses_cleared),
            STREAM_ADDR => self.stream_address,
            STREAM_CTR => self.stream_left,
            STREAM_FIFO => self.stream.front().copied().unwrap_or(0),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            CTRL => self.set_ctrl(value),
            FLUSH if value & 1 != 0 => self.flush(io),
            CTR_HIT => self.hits_cleared = self.hits(),
            CTR_ACC => self.accesses_cleared = self.accesses,
            STREAM_ADDR => self.stream_address = value & !3,
            STREAM_CTR => {
                self.stream_left = value & STREAM_CTR_BITS;
                io.cancel(Source::Flash);
                self.request_stream(io);
            }
            FLUSH | STAT | STREAM_FIFO => {}
            _ => io.unknown(BLOCK, "no such register", true),
        }
    }
}
