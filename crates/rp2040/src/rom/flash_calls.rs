//! The flash functions of the boot ROM (RP2040 datasheet 2.8.3.1.3). Registers of SSI, pins and cache are written over
//! the bus as the ROM writes them; commands go to the flash chip at once, and their time on the wire is charged. While the
//! chip erases or programs, the trap repeats, so that time passes and interrupts are taken.

use super::call::{Outcome, RomCallContext};
use super::costs;
use crate::flash::chip::{PAGE_BYTES, SECTOR_BYTES};
use crate::flash::command;
use crate::frequencies;

const SET_ALIAS: u32 = 0x2000;
const CLEAR_ALIAS: u32 = 0x3000;
/// RP2040 datasheet 2.14.3.
pub(super) const RESETS: u32 = 0x4000_c000;
const RESET_IO_QSPI: u32 = 1 << 6;
const RESET_PADS_QSPI: u32 = 1 << 9;
/// RP2040 datasheet 2.19.6.2: control register of pin SCLK; those of the other five follow at 8 bytes each.
const IO_QSPI_SCLK_CTRL: u32 = 0x4001_8004;
const IO_QSPI_SS_CTRL: u32 = 0x4001_800c;
const IO_QSPI_PINS: u32 = 6;
const OUTOVER_HIGH: u32 = 3 << 8;
/// RP2040 datasheet 2.19.6.4: pads of the data lines 2 and 3, which may be write-protect and hold.
const PADS_QSPI_SD2: u32 = 0x4002_0010;
const PADS_QSPI_SD3: u32 = 0x4002_0014;
const PAD_PULL_UP: u32 = 1 << 3;
const PAD_PULL_DOWN: u32 = 1 << 2;
/// RP2040 datasheet 2.6.3.6.
const XIP_CTRL: u32 = 0x1400_0000;
const XIP_FLUSH: u32 = 0x1400_0004;
const XIP_ENABLE: u32 = 1;
/// RP2040 datasheet 4.10.13.
const SSI: u32 = 0x1800_0000;
const SSI_CTRLR0: u32 = SSI;
const SSI_SSIENR: u32 = SSI + 0x08;
const SSI_SER: u32 = SSI + 0x10;
const SSI_BAUDR: u32 = SSI + 0x14;
const SSI_SR: u32 = SSI + 0x28;
const SSI_ICR: u32 = SSI + 0x48;
const SSI_SPI_CTRLR0: u32 = SSI + 0xf4;
/// Frames of 8 bits, both ways, on one line.
const CTRLR0_COMMANDS: u32 = 7 << 16;
/// Frames of 32 bits, received after instruction and address, on one line.
const CTRLR0_SERIAL_READ: u32 = 31 << 16 | 3 << 8;
/// Command 03h, 8 bits of instruction, 24 of address.
const SPI_CTRLR0_SERIAL_READ: u32 = 0x03 << 24 | 2 << 8 | 6 << 2;
/// The divider that the ROM sets for commands.
const COMMAND_DIVIDER: u32 = 6;

pub(super) fn connect(context: &mut dyn RomCallContext) -> Outcome {
    let blocks = RESET_IO_QSPI | RESET_PADS_QSPI;
    context.write32(RESETS + SET_ALIAS, blocks);
    context.write32(RESETS + CLEAR_ALIAS, blocks);
    for pin in 0..IO_QSPI_PINS {
        context.write32(IO_QSPI_SCLK_CTRL + 8 * pin, 0);
    }
    Outcome::Done { cycles: costs::CONNECT_FLASH }
}

pub(super) fn exit_xip(context: &mut dyn RomCallContext) -> Outcome {
    context.write32(SSI_SSIENR, 0);
    context.read32(SSI_SR);
    context.read32(SSI_ICR);
    context.write32(SSI_BAUDR, COMMAND_DIVIDER);
    context.write32(SSI_CTRLR0, CTRLR0_COMMANDS);
    context.write32(SSI_SER, 1);
    context.write32(SSI_SSIENR, 1);
    for pad in [PADS_QSPI_SD2, PADS_QSPI_SD3] {
        let control = context.read32(pad);
        context.write32(pad, control & !PAD_PULL_DOWN | PAD_PULL_UP);
    }
    leave_continuous_read(context);
    context.write32(IO_QSPI_SS_CTRL, 0);
    let bytes = costs::EXIT_XIP_BYTES * byte_cycles(context);
    Outcome::Done { cycles: costs::EXIT_XIP + 2 * costs::EXIT_XIP_WAIT + bytes }
}

/// 32 clocks with all lines high, then 16 on one line: whatever read the chip goes on with, it sees mode bits that end it.
fn leave_continuous_read(context: &mut dyn RomCallContext) {
    let now = context.io().now;
    let chip = context.flash();
    for clocks in [32, 16] {
        chip.select(now);
        for _ in 0..clocks {
            chip.clock(now, 0b1111);
        }
        chip.deselect(now);
    }
}

/// R0 offset, R1 bytes, R2 size of the larger unit, R3 the command that erases it. R0 and R1 go on with each unit.
pub(super) fn range_erase(context: &mut dyn RomCallContext) -> Outcome {
    if let Some(wait) = wait_ready(context) {
        return wait;
    }
    let (offset, left, block_bytes) = (context.reg(0), context.reg(1), context.reg(2));
    if left == 0 {
        return finish(context);
    }
    let by_block = offset & block_bytes.wrapping_sub(1) == 0 && left >= block_bytes && block_bytes > 0;
    let (opcode, bytes) = if by_block {
        (context.reg(3) as u8, block_bytes)
    } else {
        (command::SECTOR_ERASE, SECTOR_BYTES as u32)
    };
    let [_, high, middle, low] = offset.to_be_bytes();
    let cycles = send(context, &[opcode, high, middle, low]);
    context.set_reg(0, offset.wrapping_add(bytes));
    context.set_reg(1, left.saturating_sub(bytes));
    Outcome::Again { cycles }
}

/// R0 offset, R1 data, R2 bytes. All three go on with each page.
pub(super) fn range_program(context: &mut dyn RomCallContext) -> Outcome {
    if let Some(wait) = wait_ready(context) {
        return wait;
    }
    let (offset, data, left) = (context.reg(0), context.reg(1), context.reg(2));
    if left == 0 || context.faulted() {
        return finish(context);
    }
    let [_, high, middle, low] = offset.to_be_bytes();
    let mut page = [0; 4 + PAGE_BYTES];
    page[..4].copy_from_slice(&[command::PAGE_PROGRAM, high, middle, low]);
    for (at, byte) in page[4..].iter_mut().enumerate() {
        *byte = context.read8(data.wrapping_add(at as u32));
    }
    if context.faulted() {
        return finish(context);
    }
    let cycles = send(context, &page);
    context.set_reg(0, offset.wrapping_add(PAGE_BYTES as u32));
    context.set_reg(1, data.wrapping_add(PAGE_BYTES as u32));
    context.set_reg(2, left.saturating_sub(PAGE_BYTES as u32));
    Outcome::Again { cycles }
}

pub(super) fn flush_cache(context: &mut dyn RomCallContext) -> Outcome {
    context.write32(XIP_FLUSH, 1);
    context.read32(XIP_FLUSH);
    context.write32(XIP_CTRL + SET_ALIAS, XIP_ENABLE);
    context.write32(IO_QSPI_SS_CTRL, 0);
    Outcome::Done { cycles: costs::FLUSH_CACHE }
}

pub(super) fn enter_command_xip(context: &mut dyn RomCallContext) -> Outcome {
    context.write32(SSI_SSIENR, 0);
    context.write32(SSI_CTRLR0, CTRLR0_SERIAL_READ);
    context.write32(SSI_SPI_CTRLR0, SPI_CTRLR0_SERIAL_READ);
    context.write32(SSI_SSIENR, 1);
    Outcome::Done { cycles: costs::ENTER_COMMAND_XIP }
}

/// Reads the flash with plain serial reads; the cycles it takes.
pub(super) fn read_flash(context: &mut dyn RomCallContext, offset: u32, into: &mut [u8]) -> u32 {
    let [_, high, middle, low] = offset.to_be_bytes();
    let now = context.io().now;
    context.flash().command(now, &[command::READ_DATA, high, middle, low], into);
    costs::FLASH_COMMAND + (4 + into.len() as u32) * byte_cycles(context)
}

/// Clears a peripheral's reset, after setting it when `first` is true.
pub(super) fn reset_cycle(context: &mut dyn RomCallContext, blocks: u32, first: bool) {
    if first {
        context.write32(RESETS + SET_ALIAS, blocks);
    }
    context.write32(RESETS + CLEAR_ALIAS, blocks);
}

/// Write enable, then a command; the cycles until its last bit is out. The chip is busy from then on.
fn send(context: &mut dyn RomCallContext, bytes: &[u8]) -> u32 {
    let cycles = 2 * costs::FLASH_COMMAND + (1 + bytes.len() as u32) * byte_cycles(context);
    let io = context.io();
    let taken = frequencies::duration(io.clocks.sys_hz, u64::from(cycles));
    let end = taken.map_or(io.now, |taken| io.now + taken);
    let chip = context.flash();
    chip.command(end, &[command::WRITE_ENABLE], &mut []);
    chip.command(end, bytes, &mut []);
    cycles
}

/// A turn of the wait for the chip; nothing when it is ready.
fn wait_ready(context: &mut dyn RomCallContext) -> Option<Outcome> {
    // As the ROM, it looks over the bus, which also brings the time up to date.
    context.read32(SSI_SR);
    let (now, sys_hz) = (context.io().now, context.io().clocks.sys_hz);
    let left_ps = (context.flash().busy_until() - now).ps();
    if left_ps <= 0 {
        return None;
    }
    let cycles = i128::from(left_ps) * i128::from(sys_hz) / i128::from(units::PS_PER_S) + 1;
    Some(Outcome::Again { cycles: cycles.min(i128::from(costs::FLASH_POLL)) as u32 })
}

/// The select line stays forced high until the cache is flushed.
fn finish(context: &mut dyn RomCallContext) -> Outcome {
    context.write32(IO_QSPI_SS_CTRL, OUTOVER_HIGH);
    Outcome::Done { cycles: costs::FLASH_COMMAND + 2 * byte_cycles(context) }
}

fn byte_cycles(context: &mut dyn RomCallContext) -> u32 {
    costs::FLASH_BYTE.max((context.read32(SSI_BAUDR) & 0xfffe) * 8)
}
