//! Accesses to the flash and what belongs to it: the four windows onto it, the cache as memory, the registers of the cache and of
//! the serial controller (RP2040 datasheet 2.6.3).

use crate::bus::access::{AHB_CYCLES, APB_READ_CYCLES, APB_WRITE_CYCLES, narrow, replicate};
use crate::bus::{Bus, FLASH_BASE, Size};
use crate::flash::Alias;
use crate::peripherals::Peripheral;
use mcu::FaultKind;

const XIP_CONTROL: u32 = 0x14;
const XIP_SRAM: u32 = 0x15;
const SSI: u32 = 0x18;
/// What a write through an atomic alias of the SSI takes beyond a plain one (RP2040 datasheet 2.1.2).
const ALIAS_CYCLES: u64 = 2;
/// Bytes of each window onto the flash.
const WINDOW_BYTES: u32 = 1 << 24;
/// Bytes of the cache as memory.
pub(crate) const XIP_SRAM_BYTES: u32 = 16 * 1024;

impl Bus {
    /// What it costs beyond a hit to fetch a word of code from the flash.
    #[inline(always)]
    pub(crate) fn fetch_flash(&mut self, core: usize, word: u32, cycle: u64) -> u64 {
        let waited = self.xip.access(word << 2);
        if waited != 0 {
            self.xip_stall_cycles += u64::from(waited);
            self.check_flash(core, FLASH_BASE + (word << 2), FLASH_BASE, cycle);
        }
        u64::from(waited)
    }

    /// The same for an instruction of one or two halfwords that is fetched through any of the windows. `fetched` is the
    /// word that the core holds already.
    pub(crate) fn fetch_through_window(
        &mut self,
        core: usize,
        pc: u32,
        halfwords: u32,
        cycle: u64,
        fetched: &mut u32,
    ) -> u64 {
        let mut waited = 0;
        for word in [pc & !3, (pc + 2 * (halfwords - 1)) & !3] {
            let Some(alias) = Alias::of(word).filter(|_| word != *fetched) else { continue };
            *fetched = word;
            waited += u64::from(self.xip.access_through(alias, word & 0xff_ffff));
        }
        if waited != 0 {
            self.xip_stall_cycles += waited;
            self.check_flash(core, pc, pc, cycle);
        }
        waited
    }

    pub(super) fn load_flash(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        cycle: &mut u64,
    ) -> Result<u32, FaultKind> {
        if let Some(alias) = Alias::of(address) {
            let waited = self.xip.access_through(alias, address & 0xff_ffff);
            *cycle += AHB_CYCLES + u64::from(waited);
            if waited != 0 {
                self.xip_stall_cycles += u64::from(waited);
                self.check_flash(core, pc, address, *cycle);
            }
            return Ok(self.peek_flash(address, size));
        }
        match address >> 24 {
            XIP_CONTROL | SSI => {
                *cycle += APB_READ_CYCLES;
                self.begin(core, pc, address, *cycle);
                let offset = address & 0xffc;
                let value = if address >> 24 == SSI {
                    self.ssi.read(offset, &mut self.io)
                } else {
                    self.xip.read(offset, &mut self.io)
                };
                *cycle += u64::from(self.xip.take_stall());
                self.settle();
                Ok(narrow(value, address, size))
            }
            XIP_SRAM => {
                *cycle += AHB_CYCLES;
                self.peek(address, size).ok_or(FaultKind::Unmapped { address, write: false })
            }
            _ => Err(FaultKind::Unmapped { address, write: false }),
        }
    }

    pub(super) fn store_flash(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        value: u32,
        cycle: &mut u64,
    ) -> Result<(), FaultKind> {
        if let Some(alias) = Alias::of(address) {
            *cycle += AHB_CYCLES;
            let what = if alias == Alias::Cached {
                self.xip.invalidate(address & 0xff_ffff);
                "a write to the cached flash window drops the line from the cache, and changes nothing in the flash"
            } else if self.xip.write_is_fault(alias) {
                return Err(FaultKind::ReadOnly { address, memory: "the flash" });
            } else {
                "a write to the flash window changes nothing"
            };
            self.begin(core, pc, address, *cycle);
            self.io.ignored_in_window(WINDOW_BYTES, "XIP", what);
            return Ok(());
        }
        match address >> 24 {
            XIP_CONTROL | SSI => {
                *cycle += APB_WRITE_CYCLES;
                self.begin(core, pc, address, *cycle);
                self.write_flash_register(address, replicate(value, size));
                if address >> 24 == SSI && address & 0x3000 != 0 {
                    *cycle += ALIAS_CYCLES;
                }
                *cycle += u64::from(self.xip.take_stall());
                Ok(())
            }
            XIP_SRAM => {
                *cycle += AHB_CYCLES;
                let offset = (address & (XIP_SRAM_BYTES - 1)) as usize;
                let memory = self.xip.sram_mut().ok_or(FaultKind::Unmapped { address, write: true })?;
                memory[offset..offset + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
                Ok(())
            }
            _ => Err(FaultKind::Unmapped { address, write: true }),
        }
    }

    /// A register of the cache or of the serial controller, which have no atomic aliases of their own (RP2040 datasheet
    /// 2.1.2 gives them to both all the same).
    fn write_flash_register(&mut self, address: u32, value: u32) {
        let offset = address & 0xffc;
        if address >> 24 == SSI {
            let value = modified(address, self.ssi.peek(offset, &self.io), value);
            self.ssi.write(offset, value, &mut self.io);
        } else {
            let value = modified(address, self.xip.peek(offset, &self.io), value);
            self.xip.write(offset, value, &mut self.io);
        }
        self.flash_settings_changed();
    }

    /// The cache learns what a miss costs now.
    pub(crate) fn flash_settings_changed(&mut self) {
        self.xip.set_timing(self.ssi.xip_timing());
    }

    /// Whether a read that the cache could not serve would have got what the chip holds.
    fn check_flash(&mut self, core: usize, pc: u32, address: u32, cycle: u64) {
        let now = self.clock.time_of(cycle);
        if let Some(problem) = self.ssi.xip_problem(now) {
            (self.io.core, self.io.pc, self.io.address) = (core as u8, pc, address & 0xff00_0000);
            self.io.unknown("XIP", problem, false);
        }
    }

    pub(super) fn peek_flash(&self, address: u32, size: Size) -> u32 {
        narrow(self.ssi.flash().word(address & 0xff_ffff), address, size)
    }
}

/// What a write through the atomic alias at `address` makes of a register (RP2040 datasheet 2.1.2).
pub(super) fn modified(address: u32, before: u32, value: u32) -> u32 {
    match address >> 12 & 3 {
        0 => value,
        1 => before ^ value,
        2 => before | value,
        _ => before & !value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::Setup;

    #[test]
    fn a_write_to_the_flash_is_told_with_what_it_does_to_the_cache() {
        let mut bus = Bus::new(&Setup::default()).expect("the default setup is valid");
        let mut cycle = 0;
        // CTRL: a write through another window than the cached one is no bus error.
        // Each window is told once, with the address of the first write.
        let writes =
            [(0x1400_0000, 1), (0x1008_0000, 0), (0x1000_0100, 0), (0x1300_0100, 0), (0x1308_0000, 0)];
        for (address, value) in writes {
            bus.store(0, 0x2000_0100, address, Size::Word, value, &mut cycle).expect("nothing faults");
        }
        let told: Vec<_> = bus.io.unknown_accesses().map(|access| (access.address, access.detail)).collect();
        let cached = "a write to the cached flash window drops the line from the cache, and changes nothing in the flash";
        assert_eq!(
            told,
            [(0x1008_0000, cached), (0x1300_0100, "a write to the flash window changes nothing")]
        );
    }
}
