//! The chip as a debugger sees it: memory and registers without effects on what runs, breakpoints, watchpoints, and cores
//! that run one by one.
//!
//! Left out: the private bus (0xe0000000) is that of core 0, and what the DMA accesses hits no watchpoint.

use units::Picoseconds;

use crate::bus::{Bus, ResetCause, Size};
use crate::chip::{Rp2040, SetupError};
use crate::image::load_image;
use crate::memory::SRAM_BASE;
use cortexm::{Core, PC, SP};
use mcu::Sleep;
use mcu::image::{Boot, LoadOptions, RawBinary};
use mcu::{MemoryError, Observer, Watchpoint};

impl Rp2040 {
    /// Reads memory and registers without the effects that reading has.
    pub fn read_memory(&self, address: u32, length: usize) -> Result<Vec<u8>, MemoryError> {
        (0..length as u32)
            .map(|i| {
                let address = address.wrapping_add(i);
                let byte = self.bus.peek(address, Size::Byte).ok_or(MemoryError(address))?;
                Ok(byte as u8)
            })
            .collect()
    }

    /// The word at an address.
    pub fn read_word(&self, address: u32) -> Result<u32, MemoryError> {
        self.bus.peek(address & !3, Size::Word).ok_or(MemoryError(address))
    }

    /// SRAM as a whole, with its first address.
    pub fn sram(&self) -> (u32, &[u8]) {
        (SRAM_BASE, self.bus.sram.bytes())
    }

    /// Writes memory: RAM and flash as they are, registers word by word with the effects that writing has.
    pub fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        match address >> 28 {
            0x4 | 0x5 | 0xd | 0xe => self.write_registers(address, bytes)?,
            _ => self.bus.poke(address, bytes).map_err(MemoryError)?,
        }
        self.code.forget_stale(&mut self.bus);
        Ok(())
    }

    /// As a store of core 0 that ends now: words where they are whole, bytes elsewhere.
    fn write_registers(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        let mut rest = bytes;
        let mut address = address;
        self.bus.may_run_to = [u64::MAX; 2];
        while !rest.is_empty() {
            let size = if address & 3 == 0 && rest.len() >= 4 { Size::Word } else { Size::Byte };
            let (part, behind) = rest.split_at(size as usize);
            let value = part.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
            let mut cycle = self.current_cycle().saturating_sub(Bus::register_write_cycles(address));
            let pc = self.cores[0].r[PC];
            self.bus.store(0, pc, address, size, value, &mut cycle).map_err(|_| MemoryError(address))?;
            self.bus.watch.forget_hits();
            address = address.wrapping_add(size as u32);
            rest = behind;
        }
        Ok(())
    }

    /// The cycle that has begun last.
    fn current_cycle(&self) -> u64 {
        let now = self.now();
        let next = self.bus.clock.cycle_at(now);
        if self.bus.clock.time_of(next) > now { next.saturating_sub(1) } else { next }
    }

    /// The size of the flash chip.
    pub fn flash_bytes(&self) -> u32 {
        self.bus.ssi.flash().size_bytes()
    }

    /// A core, to change its registers.
    pub fn core_mut(&mut self, id: usize) -> &mut Core {
        &mut self.cores[id]
    }

    /// Lets a core go on at an address; if it sleeps until something comes, it wakes, as at a debugger's halt.
    pub fn set_program_counter(&mut self, core: usize, address: u32) {
        let cycle = self.bus.clock.cycle_at(self.now());
        let core = &mut self.cores[core];
        core.set_register(PC, address);
        if matches!(core.sleep, Sleep::Interrupt | Sleep::Event) {
            core.sleep = Sleep::Awake;
            core.catch_up(cycle);
        }
    }

    /// Sets main and process stack pointer of a core.
    pub fn set_stack_pointers(&mut self, core: usize, main: u32, process: u32) {
        let core = &mut self.cores[core];
        let (current, other) = if core.control & 2 == 0 { (main, process) } else { (process, main) };
        core.r[SP] = current & !3;
        core.other_sp = other & !3;
    }

    /// CONTROL of a core.
    pub fn control(&self, core: usize) -> u32 {
        self.cores[core].control
    }

    /// Sets CONTROL of a core; a handler stays on the main stack.
    pub fn set_control(&mut self, core: usize, value: u32) {
        let core = &mut self.cores[core];
        let stack = if core.ipsr == 0 { value & 2 } else { core.control & 2 };
        if stack != core.control & 2 {
            std::mem::swap(&mut core.r[SP], &mut core.other_sp);
        }
        core.control = stack | value & 1;
        self.bus.ppb[core.id].set_unprivileged(!core.privileged());
    }

    /// Whether any interrupt may come to a core as it is set now: one of a peripheral's, or its own SysTick's.
    pub fn may_be_interrupted(&self, core: usize) -> bool {
        let ppb = &self.bus.ppb[core];
        let ticks = ppb.next_tick(self.cores[core].cycle).is_some();
        !ppb.primask() && (ticks || ppb.enabled_irqs() != 0)
    }

    /// PRIMASK of a core: whether interrupts wait.
    pub fn primask(&self, core: usize) -> bool {
        self.bus.ppb[core].primask()
    }

    /// Sets PRIMASK of a core.
    pub fn set_primask(&mut self, core: usize, masked: bool) {
        self.bus.ppb[core].set_primask(masked);
        self.bus.attention = true;
    }

    /// Where the cores stop before they execute.
    pub fn set_breakpoints(&mut self, addresses: Vec<u32>) {
        self.bus.watch.set_breakpoints(addresses);
    }

    /// Which memory accesses stop the cores.
    pub fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>) {
        self.bus.watch.set_watchpoints(watchpoints);
    }

    /// With a debugger BKPT stops a core; without one it is a fault.
    pub fn set_debugger(&mut self, attached: bool) {
        self.bus.watch.set_debugger(attached);
    }

    /// Lets somebody look at every instruction; gives back who did before.
    pub fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>> {
        self.bus.watch.set_observer(observer)
    }

    /// Lets a core go on from the breakpoint at which it stands.
    pub fn pass_breakpoint(&mut self, core: usize) {
        let pc = self.cores[core].registers()[PC];
        // An instruction that is not decoded yet is begun twice, and only the first time would pass.
        self.code.code.decode_at(&mut self.bus, pc);
        self.bus.watch.pass(core, pc);
    }

    /// The next time at which a core ends an instruction, or something wakes one: a run until then executes no more than
    /// one instruction of each core.
    pub fn next_moment(&self) -> Picoseconds {
        if self.bus.stands_still() {
            return self.bus.io.next_wake();
        }
        let awake = self.cores.iter().filter(|core| core.sleep == Sleep::Awake);
        let next = awake.map(|core| self.bus.clock.time_of(core.cycle + 1)).min();
        next.unwrap_or_else(|| self.bus.io.next_wake())
    }

    /// Holds a core while the other one runs; [`Self::release_core`] takes what this gives.
    pub fn hold_core(&mut self, core: usize) -> Sleep {
        std::mem::replace(&mut self.cores[core].sleep, Sleep::Off)
    }

    /// Ends a core's hold. It goes on from now, as it was before, unless the chip was reset in between.
    pub fn release_core(&mut self, core: usize, before: Sleep) {
        let cycle = self.bus.clock.cycle_at(self.now());
        let core = &mut self.cores[core];
        if core.sleep == Sleep::Off {
            core.sleep = before;
            if before == Sleep::Awake {
                core.catch_up(cycle);
            }
        }
    }

    /// Resets the whole chip at once, as the pin RUN does; flash and RAM keep what is in them.
    ///
    /// # Errors
    /// When the boot ROM finds nothing to start.
    pub fn reset_now(&mut self) -> Result<(), SetupError> {
        let now = self.now();
        self.bus.io.now = self.bus.io.now.max(now);
        self.bus.watch.forget_hits();
        self.reset(ResetCause::Software)
    }

    /// Starts what was programmed into the flash: as [`Self::reset_now`], but how the chip boots is decided anew.
    ///
    /// # Errors
    /// When the boot ROM finds nothing to start.
    pub fn reset_to_flash(&mut self) -> Result<(), SetupError> {
        let options = LoadOptions { raw_binary: RawBinary::Flash };
        let image = load_image(&self.bus.ssi.flash().to_bytes(), "flash", &options);
        self.boot = image.map_or(Boot::Flash, |image| image.boot());
        self.reset_now()
    }

    /// The last branches of a core, each from and to, the last one first.
    pub fn last_branches(&self, core: usize) -> Vec<(u32, u32)> {
        self.cores[core].branches.backwards().map(|branch| (branch.from, branch.to)).collect()
    }
}
