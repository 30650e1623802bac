//! The bus as a core sees it: what the core asks of it is led to the memories and blocks.

use cortexm::{Core, Exit, Ppb, Refusal, Region, Trap, Watch};
use mcu::Sleep;
use units::Picoseconds;

use crate::bus::access::AHB_CYCLES;
use crate::bus::{Bus, FLASH_BASE, ROM_BYTES, RomCall, Size};
use crate::memory::{SRAM_BASE, SRAM_BYTES};
use crate::rom::{self, Outcome};

impl cortexm::Bus for Bus {
    #[inline(always)]
    fn region(pc: u32) -> Region {
        match pc >> 24 {
            0x00 if pc < ROM_BYTES => Region::Rom,
            0x10 => Region::Flash,
            0x20 if pc < SRAM_BASE + SRAM_BYTES => Region::Sram,
            _ => Region::Other,
        }
    }

    #[inline(always)]
    fn region_base(region: u8) -> u32 {
        const FLASH: u8 = Region::Flash as u8;
        const SRAM: u8 = Region::Sram as u8;
        match region {
            FLASH => FLASH_BASE,
            SRAM => SRAM_BASE,
            _ => 0,
        }
    }

    fn region_bytes(&self, region: Region) -> u32 {
        match region {
            Region::Rom => ROM_BYTES,
            Region::Flash => self.ssi.flash().size_bytes(),
            Region::Sram => SRAM_BYTES,
            Region::Other => 0,
        }
    }

    fn peek_half(&self, address: u32) -> Option<u16> {
        self.peek(address, Size::Half).map(|half| half as u16)
    }

    fn fetch_elsewhere(&self, address: u32) -> Option<(u16, u16)> {
        Self::fetch_elsewhere(self, address)
    }

    fn mark_code(&mut self, offset: u32) {
        self.sram.mark_code(offset);
    }

    #[inline(always)]
    fn load_sram(&self, address: u32, size: Size) -> Option<u32> {
        match size {
            Size::Word => self.sram.load_word(address),
            Size::Half => self.sram.load_half(address),
            Size::Byte => self.sram.load_byte(address),
        }
    }

    #[inline(always)]
    fn store_sram(&mut self, address: u32, size: Size, value: u32) -> bool {
        match size {
            Size::Word => self.sram.store_word(address, value),
            Size::Half => self.sram.store_half(address, value),
            Size::Byte => self.sram.store_byte(address, value),
        }
    }

    #[inline(always)]
    fn load_shared(&mut self, core: usize, address: u32, size: Size, cycle: &mut u64) -> Option<u32> {
        let value = cortexm::Bus::load_sram(self, address, size)?;
        *cycle += AHB_CYCLES + self.contend_in_sight(core as u8, address - SRAM_BASE, *cycle + 1);
        Some(value)
    }

    #[inline(always)]
    fn store_shared(&mut self, core: usize, address: u32, size: Size, value: u32, cycle: &mut u64) -> bool {
        if self.sram.is_near_code(address) || !cortexm::Bus::store_sram(self, address, size, value) {
            return false;
        }
        *cycle += AHB_CYCLES + self.contend_in_sight(core as u8, address - SRAM_BASE, *cycle + 1);
        true
    }

    #[inline(always)]
    fn sram_words(&self, address: u32, words: usize) -> Option<&[[u8; 4]]> {
        self.sram.words(address, words)
    }

    #[inline(always)]
    fn sram_words_mut(&mut self, address: u32, words: usize) -> Option<&mut [[u8; 4]]> {
        self.sram.words_mut(address, words)
    }

    #[inline]
    fn load(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        Self::load(self, core, pc, address, size, cycle)
    }

    #[inline]
    fn store(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        value: u32,
        cycle: &mut u64,
    ) -> Result<(), Refusal> {
        Self::store(self, core, pc, address, size, value, cycle)
    }

    #[inline(always)]
    fn fetch_flash(&mut self, core: usize, word: u32, cycle: u64) -> u64 {
        Self::fetch_flash(self, core, word, cycle)
    }

    #[inline(always)]
    fn keeps_code(&self) -> bool {
        self.xip.is_on()
    }

    #[inline(always)]
    fn resident_until(&self, word: u32) -> u32 {
        self.xip.resident_until(word)
    }

    #[inline(always)]
    fn count_fetches(&mut self, words: u32) {
        self.xip.count_hits(u64::from(words));
    }

    #[inline(always)]
    fn residents(&self) -> u32 {
        self.xip.residents()
    }

    fn fetch_through_window(
        &mut self,
        core: usize,
        pc: u32,
        halfwords: u32,
        cycle: u64,
        fetched: &mut u32,
    ) -> u64 {
        Self::fetch_through_window(self, core, pc, halfwords, cycle, fetched)
    }

    #[inline(always)]
    fn contend(&mut self, core: usize, offset: u32, cycle: u64) -> u64 {
        Self::contend(self, core as u8, offset, cycle)
    }

    #[inline(always)]
    fn contend_in_sight(&mut self, core: usize, offset: u32, cycle: u64) -> u64 {
        Self::contend_in_sight(self, core as u8, offset, cycle)
    }

    #[inline]
    fn keep_order(&self, core: usize, address: u32, is_write: bool, cycle: u64) -> Result<(), Refusal> {
        Self::keep_order(self, core, address, is_write, cycle)
    }

    #[inline]
    fn run_free(&mut self, core: usize) -> u64 {
        Self::run_free(self, core)
    }

    #[inline]
    fn set_order(&mut self, core: usize, limit: u64) {
        self.may_run_to[core] = limit;
    }

    #[inline(always)]
    fn limit(&self) -> u64 {
        self.limit
    }

    #[inline(always)]
    fn limit_changed(&self) -> bool {
        self.attention || self.has_moved
    }

    #[inline]
    fn take_limit(&mut self) -> u64 {
        Self::take_limit(self)
    }

    #[inline(always)]
    fn take_look(&mut self) -> bool {
        self.spin.short_loops.take_look()
    }

    fn seen_at(&self, core: usize, address: u32) -> Option<(u32, u64)> {
        Self::seen_at(self, core, address)
    }

    fn seen_for(&self, core: usize, address: u32, cycle: u64) -> u64 {
        Self::seen_for(self, core, address, cycle)
    }

    fn unseen_turns(&mut self, core: usize, addresses: &[u32], cycle: u64, turn_cycles: u64) -> u64 {
        Self::unseen_turns(self, core, addresses, cycle, turn_cycles)
    }

    #[inline(always)]
    fn attention(&self) -> bool {
        self.attention
    }

    #[inline(always)]
    fn call_attention(&mut self) {
        self.attention = true;
    }

    #[inline(always)]
    fn ppb(&self, core: usize) -> &Ppb {
        &self.ppb[core]
    }

    #[inline(always)]
    fn ppb_mut(&mut self, core: usize) -> &mut Ppb {
        &mut self.ppb[core]
    }

    #[inline]
    fn take_event(&mut self, core: usize) -> bool {
        std::mem::take(&mut self.events[core])
    }

    #[inline]
    fn set_event(&mut self, core: usize) {
        self.events[core] = true;
    }

    fn send_event(&mut self, cycle: u64) {
        let now = self.clock.time_of(cycle);
        if self.io.unnoticed != 0 {
            self.lead_all_on(now);
        }
        // The instruction may have waited long for the flash: what is due meanwhile happens at its own times.
        if self.io.next_wake() <= now {
            self.process_events(now);
        }
        // Whoever sleeps wakes at this cycle, not at that of the last access.
        self.io.now = self.io.now.max(now);
        self.events = [true; 2];
        self.attention = true;
    }

    #[inline]
    fn time_of(&self, cycle: u64) -> Picoseconds {
        self.clock.time_of(cycle)
    }

    #[inline(always)]
    fn watch(&self) -> &Watch {
        &self.watch
    }

    #[inline(always)]
    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// One of our own boot ROM stands for a whole function.
    fn trap(&mut self, core: &mut Core, code: u16) -> Trap {
        let pc = core.r[cortexm::PC];
        let Some(function) = self.rom.function_at(pc, code) else { return Trap::Unknown };
        let (id, cycle) = (core.id, core.cycle);
        let limit = self.run_free(id);
        let flash = self.ssi.flash().generation();
        let mut called = RomCall { core, bus: self, cycle, fault: None };
        let outcome = rom::call(function, &mut called);
        let (end, fault) = (called.cycle, called.fault);
        self.may_run_to[id] = limit;
        self.attention |= self.ssi.flash().generation() != flash;
        if let Some(kind) = fault {
            return Trap::Fault(kind);
        }
        match outcome {
            Outcome::Done { cycles } => {
                core.cycle = end + u64::from(cycles);
                core.r[cortexm::PC] = pc.wrapping_add(2);
                return Trap::Done;
            }
            Outcome::Again { cycles } => {
                core.cycle = end + u64::from(cycles.max(1));
                return Trap::Done;
            }
            Outcome::UsbBoot { .. } => return Trap::Left(Exit::BootLoader),
            Outcome::WaitForLaunch => core.sleep = Sleep::Launch,
            Outcome::Reset => {
                self.request_reset();
                core.sleep = Sleep::Off;
            }
        }
        Trap::Left(Exit::Sleep)
    }
}
