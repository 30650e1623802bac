//! What the commands of the flash chip answer and what they change: status, identity and contents. A command is carried out when
//! the select line rises behind it.

use units::Picoseconds;

use super::{FlashChip, PAGE_BYTES, SECTOR_BYTES};
use crate::flash::command as c;

const MANUFACTURER: u8 = 0xef;
/// Memory type of the W25QxxJV-IQ (datasheet 8.1.1).
const MEMORY_TYPE: u8 = 0x40;

const BUSY: u8 = 1 << 0;
const WRITE_ENABLE_LATCH: u8 = 1 << 1;
/// Bits of each status register that a write changes: protection; quad and locks; driver strength and block lock.
const WRITABLE_STATUS: [u8; 3] = [0xfc, 0x7b, 0x64];

impl FlashChip {
    pub(super) fn output_byte(&mut self, now: Picoseconds) -> u8 {
        let index = self.data_bytes;
        self.data_bytes = self.data_bytes.wrapping_add(1);
        match self.opcode {
            c::READ_STATUS_1 => {
                let busy = if self.is_busy(now) { BUSY } else { 0 };
                let latch = if self.write_enabled { WRITE_ENABLE_LATCH } else { 0 };
                self.status[0] | busy | latch
            }
            c::READ_STATUS_2 => self.status[1],
            c::READ_STATUS_3 => self.status[2],
            c::JEDEC_ID => [MANUFACTURER, MEMORY_TYPE, self.capacity()][index as usize % 3],
            c::MANUFACTURER_ID => {
                [MANUFACTURER, self.device()][(self.address.wrapping_add(index) & 1) as usize]
            }
            c::RELEASE_POWER_DOWN => self.device(),
            c::UNIQUE_ID => self.unique_id[index as usize % self.unique_id.len()],
            c::READ_SFDP => c::sfdp(self.address.wrapping_add(index) & 0xff_ffff, self.size_bytes()),
            _ => {
                let byte = self.cells.byte(self.offset());
                self.address = self.address.wrapping_add(1);
                byte
            }
        }
    }

    pub(super) fn is_array_read(&self) -> bool {
        matches!(
            self.opcode,
            c::READ_DATA
                | c::FAST_READ
                | c::FAST_READ_DUAL_OUTPUT
                | c::FAST_READ_QUAD_OUTPUT
                | c::FAST_READ_DUAL_IO
                | c::FAST_READ_QUAD_IO
        )
    }

    /// Third byte of the JEDEC identity: the binary logarithm of the size.
    fn capacity(&self) -> u8 {
        self.size_bytes().ilog2() as u8
    }

    fn device(&self) -> u8 {
        self.capacity() - 1
    }

    pub(super) fn carry_out(&mut self, now: Picoseconds) {
        let reset = self.opcode == c::RESET && self.reset_enabled;
        self.reset_enabled = self.opcode == c::ENABLE_RESET;
        match self.opcode {
            c::WRITE_ENABLE => self.write_enabled = true,
            c::WRITE_DISABLE => self.write_enabled = false,
            c::VOLATILE_STATUS_WRITE_ENABLE => self.volatile_write = true,
            c::POWER_DOWN => self.powered_down = true,
            c::RELEASE_POWER_DOWN => self.powered_down = false,
            c::RESET if reset => self.reset(now),
            c::WRITE_STATUS_1 => self.write_status(now, 0),
            c::WRITE_STATUS_2 => self.write_status(now, 1),
            c::WRITE_STATUS_3 => self.write_status(now, 2),
            c::PAGE_PROGRAM | c::QUAD_PAGE_PROGRAM => self.program(now),
            c::SECTOR_ERASE => self.erase(now, SECTOR_BYTES, c::SECTOR_ERASE_TIME),
            c::HALF_BLOCK_ERASE => self.erase(now, 8 * SECTOR_BYTES, c::HALF_BLOCK_ERASE_TIME),
            c::BLOCK_ERASE => self.erase(now, 16 * SECTOR_BYTES, c::BLOCK_ERASE_TIME),
            c::CHIP_ERASE | c::CHIP_ERASE_ALTERNATIVE => {
                self.erase(now, self.size_bytes() as usize, c::CHIP_ERASE_TIME);
            }
            _ => {}
        }
    }

    fn reset(&mut self, now: Picoseconds) {
        self.write_enabled = false;
        self.volatile_write = false;
        self.continuous = None;
        self.busy_until = now + c::RESET_TIME;
    }

    fn write_status(&mut self, now: Picoseconds, first: usize) {
        if !self.write_enabled && !self.volatile_write {
            return;
        }
        // Command 01h with two bytes writes registers 1 and 2 (datasheet 8.2.5); the bytes came in at page offsets 0 and 1.
        let count = if first == 0 { self.data_bytes.min(2) } else { 1 };
        for index in 0..count as usize {
            let writable = WRITABLE_STATUS[first + index];
            let register = &mut self.status[first + index];
            *register = *register & !writable | self.page[index] & writable;
        }
        if self.write_enabled {
            self.busy_until = now + c::STATUS_WRITE_TIME;
        }
        self.write_enabled = false;
        self.volatile_write = false;
    }

    fn program(&mut self, now: Picoseconds) {
        if !std::mem::take(&mut self.write_enabled) {
            return;
        }
        self.cells.program(self.offset() & !(PAGE_BYTES - 1), &self.page);
        self.busy_until = now + c::PAGE_PROGRAM_TIME;
    }

    fn erase(&mut self, now: Picoseconds, bytes: usize, time: Picoseconds) {
        if !std::mem::take(&mut self.write_enabled) {
            return;
        }
        self.cells.erase(self.offset() & !(bytes - 1), bytes);
        self.busy_until = now + time;
    }

    /// Where in the contents the address lies: the bits above the size do not exist.
    pub(super) fn offset(&self) -> usize {
        (self.address & (self.size_bytes() - 1)) as usize
    }
}
