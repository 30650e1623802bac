//! Moves what the DMA wants moved. A transfer is an event of its own; a row of transfers between memories, where nobody can see one
//! before the next, is done at one go.

use crate::bus::access::{narrow, replicate};
use crate::bus::block::Block;
use crate::bus::{Bus, Size};
use crate::flash::Alias;
use crate::memory::{self, SRAM_BASE, SRAM_BYTES};
use crate::peripherals::Peripheral;
use crate::peripherals::dma::{BusError, Row, Transfer};
use mcu::FaultKind;

/// The DMA among the masters that may clash on a memory bank.
const DMA_MASTER: u8 = 2;
/// Transfers between memories that are done at one go: the cores see their results this many cycles early at the most.
const MOST_IN_ONE_GO: u32 = 32;
/// Fewer are made one by one.
const FEWEST_IN_A_ROW: u32 = 9;
/// What a transfer takes beyond a cycle when it reads or writes behind the APB bridge, whose data phase has 3 cycles to read
/// and 4 to write (RP2040 datasheet 2.1.3).
pub(super) const APB_READ_WAIT_CYCLES: u32 = 2;
pub(super) const APB_WRITE_WAIT_CYCLES: u32 = 3;

impl Bus {
    pub(super) fn move_data(&mut self) {
        let cycle = if self.contention.is_some() { self.cycle_now() } else { 0 };
        let Some(mut transfer) = self.blocks.dma.next_transfer(&mut self.io) else { return };
        let mut left = self.rows(&transfer);
        if left >= FEWEST_IN_A_ROW
            && let Some(row) = self.blocks.dma.row(left)
            && self.move_row(&row, cycle)
        {
            self.dma_transfers += u64::from(left);
            self.blocks.dma.end_row(left);
            return self.blocks.dma.transferred(transfer.channel, 0, None, &mut self.io);
        }
        loop {
            self.dma_transfers += 1;
            let moved = self.move_one(&transfer, cycle);
            left -= 1;
            match moved {
                Ok(value) if left > 0 => transfer = self.blocks.dma.next_in_batch(value),
                Ok(value) => return self.blocks.dma.transferred(transfer.channel, value, None, &mut self.io),
                Err(error) => {
                    return self.blocks.dma.transferred(transfer.channel, 0, Some(error), &mut self.io);
                }
            }
        }
    }

    /// How many transfers to make at one go: several where they stay within SRAM from the first to the last.
    fn rows(&self, first: &Transfer) -> u32 {
        let within = |address: u32| is_sram(address) && is_sram(address.wrapping_add(4 * MOST_IN_ONE_GO));
        if within(first.read_address) && within(first.write_address) {
            self.blocks.dma.batch().clamp(1, MOST_IN_ONE_GO)
        } else {
            1
        }
    }

    /// Moves a row of words within the striped banks; false where one of them has to go the long way.
    fn move_row(&mut self, row: &Row, cycle: u64) -> bool {
        let end = |address: u32, step: u32| address.wrapping_add(step * (row.words - 1));
        let (last_read, last_write) = (end(row.read, row.read_step), end(row.write, row.write_step));
        let striped = [row.read, last_read, row.write, last_write].into_iter().all(memory::is_striped);
        let near_code = self.sram.is_near_code(row.write) || self.sram.is_near_code(last_write);
        if !striped || near_code || self.blocks.bus_ctrl.is_counting() {
            return false;
        }
        if self.contention.is_some() {
            self.contend_for_row(row, cycle);
        }
        self.sram.move_words((row.read, row.read_step), (row.write, row.write_step), row.words);
        true
    }

    /// The waits of a row whose transfers all use their banks in the same two cycles. Who used them is the same from the second
    /// time on that the transfers come to the same banks, and so is what they wait.
    fn contend_for_row(&mut self, row: &Row, cycle: u64) {
        const BANKS: usize = 4;
        let period = if row.read_step | row.write_step == 0 { 1 } else { BANKS };
        let mut waits = [0; BANKS];
        let mut most = 0;
        let words = row.words as usize;
        for number in 0..words.min(2 * period) {
            let read = row.read + row.read_step * number as u32 - SRAM_BASE;
            let write = row.write + row.write_step * number as u32 - SRAM_BASE;
            let [read, write] =
                [(read, cycle), (write, cycle + 1)].map(|(at, cycle)| self.contend(DMA_MASTER, at, cycle));
            most = most.max(read).max(write);
            waits[number % period] = read + write;
        }
        let left = words.saturating_sub(2 * period);
        let sum_of = |count: usize| waits[..count].iter().sum::<u64>();
        self.bank_wait_cycles += (left / period) as u64 * sum_of(period) + sum_of(left % period);
        self.blocks.dma.wait(most as u32);
    }

    fn move_one(&mut self, transfer: &Transfer, cycle: u64) -> Result<u32, BusError> {
        let size = Size::of_bytes(transfer.bytes);
        let value = self.dma_read(transfer.read_address, size, cycle).map_err(|_| BusError::Read)?;
        let value = transfer.written(value);
        self.dma_write(transfer.write_address, size, value, cycle).map_err(|_| BusError::Write)?;
        Ok(value)
    }

    fn dma_read(&mut self, address: u32, size: Size, cycle: u64) -> Result<u32, FaultKind> {
        match address >> 28 {
            0x2 => {
                let offset = self.sram_offset(address, false)?;
                let waits = self.contend(DMA_MASTER, offset, cycle);
                self.blocks.dma.wait(waits as u32);
                self.peek(address, size).ok_or(FaultKind::Unmapped { address, write: false })
            }
            0x1 => match Alias::of(address) {
                Some(alias) => {
                    let waited = self.xip.access_through(alias, address & 0xff_ffff);
                    self.blocks.dma.wait(waited);
                    Ok(self.peek_flash(address, size))
                }
                None => {
                    let mut end = cycle;
                    self.load_flash(usize::from(self.io.core), self.io.pc, address, size, &mut end)
                }
            },
            0x0 => self.peek(address, size).ok_or(FaultKind::Unmapped { address, write: false }),
            0x4 => {
                self.io.address = address;
                self.blocks.dma.wait(APB_READ_WAIT_CYCLES);
                if let Some(spi) = self.spi_data(address) {
                    return Ok(narrow(self.blocks.spi[spi].read(SSPDR, &mut self.io), address, size));
                }
                Ok(narrow(self.read_apb(address)?, address, size))
            }
            0x5 => {
                self.io.address = address;
                self.read_ahb(address, size)
            }
            0x6 => self.read_outside(address, size),
            _ => Err(FaultKind::Unmapped { address, write: false }),
        }
    }

    fn dma_write(&mut self, address: u32, size: Size, value: u32, cycle: u64) -> Result<(), FaultKind> {
        match address >> 28 {
            0x2 => {
                let offset = self.sram_offset(address, true)?;
                let waits = self.contend(DMA_MASTER, offset, cycle + 1);
                self.blocks.dma.wait(waits as u32);
                self.store_sram(offset, size, value);
                Ok(())
            }
            0x1 => {
                let mut end = cycle;
                self.store_flash(usize::from(self.io.core), self.io.pc, address, size, value, &mut end)
            }
            0x4 => {
                self.io.address = address;
                self.blocks.dma.wait(APB_WRITE_WAIT_CYCLES);
                if let Some(spi) = self.spi_data(address) {
                    self.blocks.spi[spi].write(SSPDR, value, &mut self.io);
                    return Ok(());
                }
                self.write_apb(address, replicate(value, size)).map(|_| ())
            }
            0x5 => {
                self.io.address = address;
                self.write_ahb(address, size, value)
            }
            0x6 => self.write_outside(address, size, value),
            _ => Err(FaultKind::Unmapped { address, write: true }),
        }
    }
}

/// Offset of the data register of a serial port.
const SSPDR: u32 = 0x8;

impl Bus {
    /// The serial port whose data register is at an address, if it is at work: the way of most transfers that are paced.
    #[inline]
    fn spi_data(&self, address: u32) -> Option<usize> {
        let port = match address & !3 {
            0x4003_c008 => 0,
            0x4004_0008 => 1,
            _ => return None,
        };
        (!self.blocks.is_held(Block::Spi(port))).then_some(port)
    }
}

pub(crate) fn is_sram(address: u32) -> bool {
    address.wrapping_sub(SRAM_BASE) < SRAM_BYTES
}
