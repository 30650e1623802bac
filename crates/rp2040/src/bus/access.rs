//! The accesses of a core (RP2040 datasheet 2.1): each goes to a memory or to a register block, and is charged what it costs.
//! One to SRAM, ROM or flash is finished here; those to peripherals go on in `registers`, and what follows from them, to
//! interrupts, pins and the DMA, in `consequences`.
//!
//! `load` and `store` take the cycle at which the instruction began and add what LDR or STR cost there: 2 cycles on the
//! AHB, 4 to read and 5 to write behind the APB bridge, 1 on the single-cycle I/O port.

use cortexm::{PpbEffect, Refusal};
use mcu::FaultKind;

use crate::bus::short_loops::{GPIO_IN, SYST_CSR};
use crate::bus::{Bus, ROM_BYTES, Size};
use crate::memory::{self, SRAM_BASE, SRAM_BYTES};
use crate::peripherals::busctrl::BusPort;

/// Above the windows onto the flash: registers.
const XIP_CONTROL_BASE: u32 = 0x1400_0000;

/// The cycles of a load or store on the AHB.
pub(super) const AHB_CYCLES: u64 = 2;
/// On the single-cycle I/O port.
const IO_PORT_CYCLES: u64 = 1;
/// Behind the bridge to the APB (RP2040 datasheet 2.1.3).
pub(super) const APB_READ_CYCLES: u64 = 4;
pub(super) const APB_WRITE_CYCLES: u64 = 5;

/// The ports of the banks of SRAM.
const SRAM_PORTS: [BusPort; 6] =
    [BusPort::Sram0, BusPort::Sram1, BusPort::Sram2, BusPort::Sram3, BusPort::Sram4, BusPort::Sram5];

impl Bus {
    /// The cycles that a master waits for the bank of SRAM at `offset`, because another uses it in this cycle.
    #[inline]
    pub(crate) fn contend(&mut self, master: u8, offset: u32, cycle: u64) -> u64 {
        let waits = if self.shares_memory { self.contend_uncounted(master, offset, cycle) } else { 0 };
        self.count_access(SRAM_PORTS[memory::bank(offset) as usize % SRAM_PORTS.len()], waits != 0);
        waits
    }

    /// The same where memory is shared, or accesses are counted.
    #[inline(always)]
    pub(crate) fn contend_in_sight(&mut self, master: u8, offset: u32, cycle: u64) -> u64 {
        match self.blocks.bus_ctrl.is_counting() {
            true => self.contend(master, offset, cycle),
            false => self.contend_uncounted(master, offset, cycle),
        }
    }

    #[inline(always)]
    fn contend_uncounted(&mut self, master: u8, offset: u32, cycle: u64) -> u64 {
        let waits = self.contention.use_bank(memory::bank(offset), master, cycle);
        if waits != 0 {
            self.bank_wait_cycles += waits;
        }
        waits
    }

    /// Counts an access for the performance counters, if they count anything.
    #[inline]
    pub(super) fn count_access(&mut self, port: BusPort, contested: bool) {
        if self.blocks.bus_ctrl.is_counting() {
            self.blocks.bus_ctrl.count(port, 1, u32::from(contested));
        }
    }

    /// A load of a core; `cycle` moves on by what it costs.
    pub(crate) fn load(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        if address & (size as u32 - 1) != 0 {
            return Err(FaultKind::Unaligned { address, size: size as u8, write: false }.into());
        }
        let is_own = self.shows_own_cycles(address, *cycle);
        if !is_own {
            self.keep_order(core, address, false, *cycle)?;
        }
        if self.watch.is_on() {
            self.watch.access(core, address, size as u32, false);
        }
        match address >> 28 {
            0x2 => {
                let offset = self.sram_offset(address, false)?;
                *cycle += AHB_CYCLES + self.contend(core as u8, offset, *cycle + 1);
                self.peek(address, size).ok_or(FaultKind::Unmapped { address, write: false }.into())
            }
            0x0 if address < ROM_BYTES => {
                *cycle += AHB_CYCLES;
                self.count_access(BusPort::Rom, false);
                self.peek(address, size).ok_or(FaultKind::Unmapped { address, write: false }.into())
            }
            0xe => {
                *cycle += AHB_CYCLES;
                if is_own {
                    self.spin.access();
                    self.note_access(core, address, self.clock.time_of(*cycle));
                } else {
                    self.begin(core, pc, address, *cycle);
                }
                self.check_privilege(core, address)?;
                let offset = address & 0x0fff_fffc;
                let value = self.ppb[core].read(offset, *cycle);
                let value = value.ok_or(FaultKind::Unmapped { address, write: false })?;
                if address == SYST_CSR {
                    self.note_short_look(pc, address);
                }
                Ok(narrow(value, address, size))
            }
            0x1 => Ok(self.load_flash(core, pc, address, size, cycle)?),
            _ => self.load_register(core, pc, address, size, cycle),
        }
    }

    /// Whether a register shows what follows from the cycles of its core alone, and nothing is due before a look at it: a core that is
    /// ahead of the other need not wait with that.
    #[inline(always)]
    fn shows_own_cycles(&self, address: u32, cycle: u64) -> bool {
        address == SYST_CSR && self.io.next_wake() > self.clock.time_of(cycle + AHB_CYCLES)
    }

    /// A load from a register of the chip, or of what stands outside.
    #[inline(always)]
    fn load_register(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        *cycle += Self::register_read_cycles(address);
        let region = address >> 28;
        let is_whole = matches!(region, 0x4 | 0xd);
        let value = match self.load_aside(core, pc, address, *cycle) {
            Some(value) if is_whole => value,
            Some(value) => narrow(value, address, size),
            None => {
                self.begin(core, pc, address, *cycle);
                let value = match region {
                    0x4 => self.read_apb(address)?,
                    0xd => self.read_sio(core, address)?,
                    0x6 => self.read_outside(address, size)?,
                    _ => self.read_ahb(address, size)?,
                };
                self.settle();
                value
            }
        };
        if matches!(region, 0x4 | 0x5) {
            self.note_look(pc, address, value);
        } else if address == GPIO_IN {
            self.note_short_look(pc, address);
        }
        Ok(if is_whole { narrow(value, address, size) } else { value })
    }

    /// What a load from a register takes.
    #[inline]
    pub(super) fn register_read_cycles(address: u32) -> u64 {
        match address >> 28 {
            0x4 => APB_READ_CYCLES,
            0xd => IO_PORT_CYCLES,
            _ => AHB_CYCLES,
        }
    }

    /// What a store to a register takes, atomic aliases left aside.
    #[inline]
    pub(crate) fn register_write_cycles(address: u32) -> u64 {
        match address >> 28 {
            0x4 => APB_WRITE_CYCLES,
            0xd => IO_PORT_CYCLES,
            _ => AHB_CYCLES,
        }
    }

    /// A store of a core; `cycle` moves on by what it costs.
    pub(crate) fn store(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        value: u32,
        cycle: &mut u64,
    ) -> Result<(), Refusal> {
        if address & (size as u32 - 1) != 0 {
            return Err(FaultKind::Unaligned { address, size: size as u8, write: true }.into());
        }
        self.keep_order(core, address, true, *cycle)?;
        if self.watch.is_on() {
            self.watch.access(core, address, size as u32, true);
        }
        match address >> 28 {
            0x2 => {
                let offset = self.sram_offset(address, true)?;
                *cycle += AHB_CYCLES + self.contend(core as u8, offset, *cycle + 1);
                self.store_sram(offset, size, value);
                return Ok(());
            }
            0x0 if address < ROM_BYTES => {
                *cycle += AHB_CYCLES;
                self.begin(core, pc, address, *cycle);
                self.note_rom_write(address, value);
                return Ok(());
            }
            0xe => {
                *cycle += AHB_CYCLES;
                self.begin(core, pc, address, *cycle);
                self.check_privilege(core, address)?;
                self.write_ppb(core, address, value, *cycle)?;
            }
            0x1 => self.store_flash(core, pc, address, size, value, cycle)?,
            _ => {
                if self.store_register(core, pc, address, size, value, cycle)? {
                    return Ok(());
                }
            }
        }
        self.flow = None;
        self.spin.end();
        self.settle();
        Ok(())
    }

    /// A store to a register of the chip, or of what stands outside; true when nothing follows from it.
    #[inline(always)]
    fn store_register(
        &mut self,
        core: usize,
        pc: u32,
        address: u32,
        size: Size,
        value: u32,
        cycle: &mut u64,
    ) -> Result<bool, Refusal> {
        *cycle += Self::register_write_cycles(address);
        let lanes = replicate(value, size);
        let region = address >> 28;
        if region != 0x4 && self.store_aside(core, pc, address, lanes, *cycle) {
            return Ok(true);
        }
        self.begin(core, pc, address, *cycle);
        match region {
            0x4 => *cycle += self.write_apb(address, lanes)?,
            0xd => self.write_sio(core, address, lanes)?,
            0x6 => self.write_outside(address, size, value)?,
            _ => self.write_ahb(address, size, value)?,
        }
        Ok(false)
    }

    /// While both cores are awake each runs some cycles ahead of the other. What is not memory must be accessed in the
    /// order of time, so that the core that is ahead waits with it. That holds for a core's own interrupt controller too: whatever
    /// is due happens before such an access, and so would what the other core has not asked for yet.
    #[inline]
    pub(crate) fn keep_order(
        &self,
        core: usize,
        address: u32,
        is_write: bool,
        cycle: u64,
    ) -> Result<(), Refusal> {
        let memory = address < XIP_CONTROL_BASE && !is_write || matches!(address >> 28, 0x2 | 0x3);
        if cycle > self.may_run_to[core] && !memory {
            return Err(Refusal::OtherCoreFirst);
        }
        Ok(())
    }

    /// From here on a core keeps no order, until the limit that is given back is set again: an instruction of several accesses
    /// is carried out whole.
    pub(crate) fn run_free(&mut self, core: usize) -> u64 {
        std::mem::replace(&mut self.may_run_to[core], u64::MAX)
    }

    pub(super) fn sram_offset(&self, address: u32, write: bool) -> Result<u32, FaultKind> {
        let striped = Some(address.wrapping_sub(SRAM_BASE)).filter(|&offset| offset < SRAM_BYTES);
        striped.or_else(|| memory::unstriped_offset(address)).ok_or(FaultKind::Unmapped { address, write })
    }

    /// Stores to SRAM; where code had been decoded, the cores stop and decode it anew.
    pub(super) fn store_sram(&mut self, offset: u32, size: Size, value: u32) {
        let address = SRAM_BASE + offset;
        if !self.sram.is_near_code(address) && cortexm::Bus::store_sram(self, address, size, value) {
            return;
        }
        if self.sram.store(offset, &value.to_le_bytes()[..size as usize]) {
            self.stale_sram.push(offset);
            self.attention = true;
        }
    }

    fn check_privilege(&self, core: usize, address: u32) -> Result<(), FaultKind> {
        if self.ppb[core].is_unprivileged() {
            return Err(FaultKind::Unprivileged { address });
        }
        Ok(())
    }

    fn write_ppb(&mut self, core: usize, address: u32, value: u32, cycle: u64) -> Result<(), FaultKind> {
        let before = self.ppb[core].pending_irqs();
        let effect = self.ppb[core].write(address & 0x0fff_fffc, value, cycle);
        if self.ppb[core].event_on_pending() && self.ppb[core].pending_irqs() & !before != 0 {
            self.events[core] = true;
        }
        match effect.ok_or(FaultKind::Unmapped { address, write: true })? {
            PpbEffect::None => {}
            PpbEffect::SysTick => self.arm_systick(core, cycle),
            PpbEffect::Reset => self.request_core_reset(core),
            PpbEffect::Unknown(what) => self.io.unknown("PPB", what, true),
        }
        self.attention = true;
        Ok(())
    }
}

/// The bytes of a register that a narrow load takes.
pub(super) fn narrow(value: u32, address: u32, size: Size) -> u32 {
    value >> (8 * (address & 3)) & size.mask()
}

/// A narrow store to a register puts its value on all byte lanes (RP2040 datasheet 2.1.4).
pub(super) fn replicate(value: u32, size: Size) -> u32 {
    match size {
        Size::Byte => (value & 0xff) * 0x0101_0101,
        Size::Half => (value & 0xffff) * 0x0001_0001,
        Size::Word => value,
    }
}
