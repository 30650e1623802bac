//! Moves what the DMA wants moved. A transfer is an event of its own; those between memories, where nobody can see one before the
//! next, are done several at one go, and in `rows` where they are words and nothing else.

use crate::bus::access::{narrow, replicate};
use crate::bus::block::Block;
use crate::bus::flow::bring;
use crate::bus::{Bus, Size};
use crate::flash::Alias;
use crate::memory::{SRAM_BASE, SRAM_BYTES};
use crate::peripherals::Peripheral;
use crate::peripherals::dma::lane::Lane;
use crate::peripherals::dma::{BusError, Transfer};
use mcu::FaultKind;

/// The DMA among the masters that may clash on a memory bank.
pub(super) const DMA_MASTER: u8 = 2;
/// Transfers between memories that are done at one go: the cores see their results this many cycles early at the most.
pub(super) const MOST_IN_ONE_GO: u32 = 32;
/// Fewer are made one by one.
const FEWEST_AT_ONCE: u32 = 4;
/// What a transfer takes beyond a cycle when it reads or writes behind the APB bridge, whose data phase has 3 cycles to read
/// and 4 to write (RP2040 datasheet 2.1.3).
pub(super) const APB_READ_WAIT_CYCLES: u32 = 2;
pub(super) const APB_WRITE_WAIT_CYCLES: u32 = 3;

impl Bus {
    pub(super) fn move_data(&mut self) {
        let cycle = if self.shares_memory { self.cycle_now() } else { 0 };
        let Some(mut transfer) = self.blocks.dma.next_transfer(&mut self.io) else { return };
        let mut left = self.rows(&transfer);
        if left >= FEWEST_AT_ONCE && !self.shares_memory && !self.blocks.bus_ctrl.is_counting() {
            let (moved, next) = self.move_at_once(left - 1);
            (transfer, left) = (next, left - moved);
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

    /// Makes so many transfers of a batch within SRAM, or fewer where one goes elsewhere; gives how many, and the one that follows.
    fn move_at_once(&mut self, count: u32) -> (u32, Transfer) {
        let (mut from, mut to) = self.blocks.dma.ends_of_batch();
        let size = usize::from(from.transfer().bytes);
        let mut bytes = [0; 4 * MOST_IN_ONE_GO as usize];
        let moved = match self.move_piece((&mut from, &mut to), &mut bytes[..count as usize * size]) {
            true => count,
            false => self.move_each((&mut from, &mut to), &mut bytes[..count as usize * size]),
        };
        self.dma_transfers += u64::from(moved);
        let next = self.blocks.dma.go_on_in_batch((&from, &to), &bytes[..moved as usize * size]);
        (moved, next)
    }

    /// Makes so many transfers within SRAM from one end to the other, and gives the bytes of each piece.
    pub(super) fn copy_many(
        &mut self,
        (from, to): (&mut Lane, &mut Lane),
        count: u32,
        tell: impl Fn(&mut Self, &[u8]),
    ) {
        let size = usize::from(from.transfer().bytes);
        let mut left = count as usize;
        while left != 0 {
            let mut bytes = [0; 4 * MOST_IN_ONE_GO as usize];
            let bytes = &mut bytes[..left.min(MOST_IN_ONE_GO as usize) * size];
            if !self.move_piece((&mut *from, &mut *to), bytes) {
                self.move_each((&mut *from, &mut *to), bytes);
            }
            left -= bytes.len() / size;
            tell(self, bytes);
        }
    }

    /// Moves a piece of memory as it is, which is given back; false, before anything has happened, where its transfers do more, or somebody
    /// is told of them.
    fn move_piece(&mut self, (from, to): (&mut Lane, &mut Lane), bytes: &mut [u8]) -> bool {
        let count = bytes.len() as u32 / u32::from(from.transfer().bytes);
        let (first, last) = (to.aligned(), to.aligned() + bytes.len() as u32 - 1);
        let is_piece = from.is_piece(count) && to.is_piece(count) && from.is_read_before(to);
        let is_plain = is_sram(last) && !self.sram.is_near_code(first) && !self.sram.is_near_code(last);
        if !is_piece || !is_plain || !self.sram.load_piece(from.aligned(), bytes) {
            return false;
        }
        self.sram.store(first - SRAM_BASE, bytes);
        from.pass(count);
        to.pass(count);
        true
    }

    /// Moves one after the other, of which these are the bytes; gives how many.
    fn move_each(&mut self, (from, to): (&mut Lane, &mut Lane), bytes: &mut [u8]) -> u32 {
        let size = usize::from(from.transfer().bytes);
        let mut moved = 0;
        for place in bytes.chunks_exact_mut(size) {
            if !is_sram(from.aligned()) || !is_sram(to.aligned()) {
                break;
            }
            let value = self.copy_word(from.transfer(), (from.aligned(), to.aligned()));
            place.copy_from_slice(&value.to_le_bytes()[..size]);
            from.advance();
            to.advance();
            moved += 1;
        }
        moved
    }

    /// Makes the next transfer where that is one within SRAM, before which and after which others are about to move; false, before
    /// anything has happened, where it is not.
    pub(super) fn copy_single(&mut self) -> bool {
        if self.shares_memory || self.blocks.bus_ctrl.is_counting() {
            return false;
        }
        let Some(transfer) = self.blocks.dma.next_single(is_sram, &mut self.io) else { return false };
        let value = self.copy_word(&transfer, (transfer.read_address, transfer.write_address));
        self.blocks.dma.copied(transfer.channel, value);
        self.dma_transfers += 1;
        true
    }

    /// Copies one word or part of one; gives what was stored.
    #[inline(always)]
    fn copy_word(&mut self, transfer: &Transfer, (from, address): (u32, u32)) -> u32 {
        let value = bring(&self.sram, transfer, from);
        let size = Size::of_bytes(transfer.bytes);
        let stored = match size {
            Size::Byte => self.sram.store_byte(address, value),
            Size::Half => self.sram.store_half(address, value),
            Size::Word => self.sram.store_word(address, value),
        };
        if !stored {
            self.store_sram(address - SRAM_BASE, size, value);
        }
        value
    }

    /// How many transfers to make at one go: several where they stay within SRAM from the first to the last.
    fn rows(&self, first: &Transfer) -> u32 {
        if is_far_from_end(first.read_address) && is_far_from_end(first.write_address) {
            self.blocks.dma.batch().clamp(1, MOST_IN_ONE_GO)
        } else {
            1
        }
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
                    let waited = self.xip.access_of_dma(alias, address & 0xff_ffff);
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

/// Whether all that one go may move from an address on is in SRAM.
pub(super) fn is_far_from_end(address: u32) -> bool {
    is_sram(address) && is_sram(address.wrapping_add(4 * MOST_IN_ONE_GO))
}

pub(crate) fn is_sram(address: u32) -> bool {
    address.wrapping_sub(SRAM_BASE) < SRAM_BYTES
}
