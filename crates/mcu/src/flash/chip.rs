//! The QSPI NOR flash chip of the board, a Winbond W25Q: its contents, its registers, and the commands that come over the
//! wire, clock by clock. The SSI (`ssi.rs`) drives it; reads through the XIP window take [`FlashChip::bytes`].
//!
//! Erasing and programming change the contents when the command ends, and the chip is busy for the datasheet's typical
//! time from then on. Left out: block protection (the bits are kept but protect nothing), wear, and what `command.rs` lists.

use std::ops::Range;

use units::Picoseconds;

use super::cells::{Cells, ERASED};
use super::command::{self as c, Shape};

/// Flash of a Raspberry Pi Pico: a W25Q16JV.
pub const PICO_FLASH_BYTES: usize = 2 * 1024 * 1024;
/// The XIP window has 24 address bits (RP2040 datasheet 2.6.3).
pub const MAXIMUM_BYTES: usize = 16 * 1024 * 1024;
const MINIMUM_BYTES: usize = 64 * 1024;
/// Bytes that one page program command can reach.
pub const PAGE_BYTES: usize = 256;
/// Bytes that one sector erase command reaches.
pub const SECTOR_BYTES: usize = 4096;

const MANUFACTURER: u8 = 0xef;
/// Memory type of the W25QxxJV-IQ (datasheet 8.1.1).
const MEMORY_TYPE: u8 = 0x40;
/// The unique identity of a chip that was given none.
pub const DEFAULT_UNIQUE_ID: [u8; 8] = [0xe6, 0x61, 0x41, 0x57, 0x52, 0x20, 0x40, 0x01];

const BUSY: u8 = 1 << 0;
const WRITE_ENABLE_LATCH: u8 = 1 << 1;
/// Bit of status register 2.
const QUAD_ENABLE: u8 = 1 << 1;
/// Status registers as the W25Q16JV-IQ leaves the factory: quad enabled, driver strength 25 %.
const FACTORY_STATUS: [u8; 3] = [0, QUAD_ENABLE, 0x60];
/// Bits of each status register that a write changes: protection; quad and locks; driver strength and block lock.
const WRITABLE_STATUS: [u8; 3] = [0xfc, 0x7b, 0x64];
/// Mode bits M5 and M4 and the value that keeps the chip reading (datasheet 8.2.12).
const MODE_MASK: u8 = 0x30;
const MODE_CONTINUOUS: u8 = 0x20;

/// What is wrong with a flash chip that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FlashError {
    /// Not a size that the chip family has and the window shows.
    #[error("a flash of {0} bytes does not exist here; use a power of two from 65536 to 16777216")]
    Size(usize),
    /// The contents reach behind the end.
    #[error(
        "{bytes} bytes at flash offset {offset:#x} do not fit into {size} bytes of flash; choose a larger flash for the board"
    )]
    TooLong {
        /// Where they begin.
        offset: usize,
        /// How many.
        bytes: usize,
        /// Of the chip.
        size: usize,
    },
}

/// Where in a command the chip is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Phase {
    Opcode,
    Address,
    Mode,
    Dummy,
    Output,
    Input,
    /// All has come that the command needs: it is carried out when the select line rises.
    Complete,
    /// Nothing makes sense any more until the select line rises.
    Deaf,
}

/// The flash chip.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct FlashChip {
    cells: Cells,
    unique_id: [u8; 8],
    status: [u8; 3],
    write_enabled: bool,
    volatile_write: bool,
    powered_down: bool,
    reset_enabled: bool,
    /// The read command that goes on without an opcode.
    continuous: Option<u8>,
    busy_until: Picoseconds,
    selected: bool,
    phase: Phase,
    opcode: u8,
    shape: Shape,
    shift: u32,
    bits: u8,
    dummy_left: u8,
    address: u32,
    data_bytes: u32,
    #[serde(with = "sim::state::array")]
    page: [u8; PAGE_BYTES],
    #[serde(skip)]
    note: Option<&'static str>,
}

impl FlashChip {
    /// An erased chip of this size, quad enabled as the factory does it.
    ///
    /// # Errors
    /// When no chip has that size.
    pub fn new(size_bytes: usize) -> Result<Self, FlashError> {
        if !(MINIMUM_BYTES..=MAXIMUM_BYTES).contains(&size_bytes) || !size_bytes.is_power_of_two() {
            return Err(FlashError::Size(size_bytes));
        }
        Ok(Self {
            cells: Cells::new(size_bytes),
            unique_id: DEFAULT_UNIQUE_ID,
            status: FACTORY_STATUS,
            write_enabled: false,
            volatile_write: false,
            powered_down: false,
            reset_enabled: false,
            continuous: None,
            busy_until: Picoseconds::ZERO,
            selected: false,
            phase: Phase::Opcode,
            opcode: 0,
            shape: Shape::of(c::WRITE_ENABLE).expect("write enable is a command"),
            shift: 0,
            bits: 0,
            dummy_left: 0,
            address: 0,
            data_bytes: 0,
            page: [ERASED; PAGE_BYTES],
            note: None,
        })
    }

    /// A copy of the contents.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.cells.to_bytes()
    }

    /// The aligned word that has the byte at an offset; a smaller chip repeats itself in the window onto it.
    #[inline]
    pub fn word(&self, offset: u32) -> u32 {
        self.cells.word((offset & (self.size_bytes() - 1)) as usize)
    }

    /// How many bytes it has, a power of two.
    #[inline]
    pub fn size_bytes(&self) -> u32 {
        self.cells.size_bytes() as u32
    }

    /// A number that grows whenever the contents change.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.cells.generation()
    }

    /// The offsets whose contents changed since the last call, for whoever keeps something derived from them.
    pub fn take_changes(&mut self) -> Vec<Range<u32>> {
        self.cells.take_changes()
    }

    /// The stretches that are not the same in another chip of the same size.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = Range<usize>> + 'a {
        self.cells.differences(&other.cells)
    }

    /// Puts bytes in, as a programming device does before the board is switched on.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn load(&mut self, offset: usize, bytes: &[u8]) -> Result<(), FlashError> {
        self.cells.load(offset, bytes)
    }

    /// Sets the 64-bit number that command 4Bh reads; the SDK makes the board identity of it.
    pub fn set_unique_id(&mut self, unique_id: [u8; 8]) {
        self.unique_id = unique_id;
    }

    /// Whether quad commands work (bit QE of status register 2).
    pub fn quad_enabled(&self) -> bool {
        self.status[1] & QUAD_ENABLE != 0
    }

    /// Sets QE, which a W25Q…-IQ has from the factory and a W25Q…-IM has not.
    pub fn set_quad_enabled(&mut self, enabled: bool) {
        self.status[1] = if enabled { self.status[1] | QUAD_ENABLE } else { self.status[1] & !QUAD_ENABLE };
    }

    /// Whether it erases, programs or writes a status register at this time.
    pub fn is_busy(&self, now: Picoseconds) -> bool {
        now < self.busy_until
    }

    /// When it is or was last done with erasing, programming or writing a status register.
    pub fn busy_until(&self) -> Picoseconds {
        self.busy_until
    }

    /// The read command in which the chip is without that an opcode comes (continuous read), if it is.
    pub fn continuous_read(&self) -> Option<u8> {
        self.continuous
    }

    /// Whether it sleeps in deep power-down.
    pub fn is_powered_down(&self) -> bool {
        self.powered_down
    }

    /// Where and on how many lines the next data clock reads the array; nothing unless a read command is under way
    /// and its data are at a byte's start.
    pub fn reading_at(&self) -> Option<(u32, u8)> {
        let reads = self.shape.address_lines > 0 && self.is_array_read();
        (self.selected && self.phase == Phase::Output && self.bits == 0 && reads)
            .then_some((self.offset() as u32, self.shape.data_lines))
    }

    /// Takes the note on a command that is not modelled.
    pub fn take_note(&mut self) -> Option<&'static str> {
        self.note.take()
    }

    /// The select line falls.
    pub fn select(&mut self, _now: Picoseconds) {
        if self.selected {
            return;
        }
        self.selected = true;
        self.data_bytes = 0;
        self.enter(Phase::Opcode);
        if let Some((opcode, shape)) = self.continuous.and_then(|read| Some((read, Shape::of(read)?))) {
            (self.opcode, self.shape) = (opcode, shape);
            self.enter(Phase::Address);
        }
    }

    /// The select line rises: what was received whole is carried out.
    pub fn deselect(&mut self, now: Picoseconds) {
        if !self.selected {
            return;
        }
        self.selected = false;
        let whole = match self.phase {
            Phase::Complete => true,
            Phase::Input => self.bits == 0 && self.data_bytes > 0,
            // Release from power-down needs no more than its opcode.
            Phase::Address | Phase::Output => self.opcode == c::RELEASE_POWER_DOWN,
            _ => false,
        };
        if whole {
            self.carry_out(now);
        }
    }

    /// One clock: the four lines as the controller drives them; the answer is what the chip drives (one-line data
    /// come on line 1).
    pub fn clock(&mut self, now: Picoseconds, lines: u8) -> u8 {
        if !self.selected {
            return 0;
        }
        match self.phase {
            Phase::Opcode => {
                if self.shift_in(lines, 1, 8) {
                    self.begin(now, self.shift as u8);
                }
            }
            Phase::Address => {
                if self.shift_in(lines, self.shape.address_lines, 24) {
                    self.address = self.shift & 0xff_ffff;
                    self.after_address();
                }
            }
            Phase::Mode => {
                if self.shift_in(lines, self.shape.address_lines, 8) {
                    let stays = self.shift as u8 & MODE_MASK == MODE_CONTINUOUS;
                    self.continuous = stays.then_some(self.opcode);
                    self.after_mode();
                }
            }
            Phase::Dummy => {
                self.dummy_left -= 1;
                if self.dummy_left == 0 {
                    self.enter(Phase::Output);
                }
            }
            Phase::Output => return self.shift_out(now),
            Phase::Input => {
                if self.shift_in(lines, self.shape.data_lines, 8) {
                    self.take_byte(self.shift as u8);
                }
            }
            Phase::Complete => self.phase = Phase::Deaf,
            Phase::Deaf => {}
        }
        0
    }

    /// A whole command on one line: sends bytes, then receives. The boot ROM's routines work with it.
    pub fn command(&mut self, now: Picoseconds, send: &[u8], receive: &mut [u8]) {
        self.select(now);
        for &byte in send {
            self.exchange(now, byte);
        }
        for byte in receive {
            *byte = self.exchange(now, 0);
        }
        self.deselect(now);
    }

    /// Eight clocks on one line.
    pub fn exchange(&mut self, now: Picoseconds, byte: u8) -> u8 {
        (0..8).rev().fold(0, |received, bit| {
            // Nobody drives lines 1 to 3: pull-ups hold them high (RP2040 datasheet 2.8.1.2).
            received << 1 | self.clock(now, 0b1110 | byte >> bit & 1) >> 1 & 1
        })
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.shift = 0;
        self.bits = 0;
    }

    /// Shifts in from the lines; true when `wanted` bits are together.
    fn shift_in(&mut self, lines: u8, count: u8, wanted: u8) -> bool {
        let mask = (1u8 << count) - 1;
        self.shift = self.shift << count | u32::from(lines & mask);
        self.bits += count;
        if self.bits < wanted {
            return false;
        }
        self.bits = 0;
        true
    }

    fn begin(&mut self, now: Picoseconds, opcode: u8) {
        self.opcode = opcode;
        let deaf = (self.powered_down && opcode != c::RELEASE_POWER_DOWN)
            || (self.is_busy(now) && !c::works_while_busy(opcode))
            || (c::needs_quad(opcode) && !self.quad_enabled())
            || opcode == c::MODE_RESET;
        let shape = Shape::of(opcode);
        if shape.is_none() && !deaf {
            self.note = Some(c::describe_unknown(opcode));
        }
        match shape.filter(|_| !deaf) {
            None => self.enter(Phase::Deaf),
            Some(shape) => {
                self.shape = shape;
                self.address = 0;
                if shape.address_lines > 0 { self.enter(Phase::Address) } else { self.after_mode() }
            }
        }
    }

    fn after_address(&mut self) {
        if self.shape.mode { self.enter(Phase::Mode) } else { self.after_mode() }
    }

    fn after_mode(&mut self) {
        let Shape { data_lines, input, dummy_clocks, .. } = self.shape;
        self.page = if input { [ERASED; PAGE_BYTES] } else { self.page };
        self.dummy_left = dummy_clocks;
        self.enter(match (dummy_clocks, data_lines, input) {
            (1.., ..) => Phase::Dummy,
            (0, 0, _) => Phase::Complete,
            (0, _, true) => Phase::Input,
            (0, _, false) => Phase::Output,
        });
    }

    fn shift_out(&mut self, now: Picoseconds) -> u8 {
        if self.bits == 0 {
            self.shift = u32::from(self.output_byte(now));
            self.bits = 8;
        }
        let count = self.shape.data_lines;
        self.bits -= count;
        let lines = (self.shift >> self.bits) & ((1 << count) - 1);
        if count == 1 { (lines << 1) as u8 } else { lines as u8 }
    }

    fn output_byte(&mut self, now: Picoseconds) -> u8 {
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

    fn is_array_read(&self) -> bool {
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

    fn take_byte(&mut self, byte: u8) {
        // Programming begins anywhere in a page and wraps at its end (datasheet 8.2.13).
        let index = self.address.wrapping_add(self.data_bytes) as usize % PAGE_BYTES;
        self.page[index] = byte;
        self.data_bytes = self.data_bytes.saturating_add(1);
    }

    fn carry_out(&mut self, now: Picoseconds) {
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
    fn offset(&self) -> usize {
        (self.address & (self.size_bytes() - 1)) as usize
    }
}

impl Default for FlashChip {
    /// The erased chip of a Raspberry Pi Pico.
    fn default() -> Self {
        Self::new(PICO_FLASH_BYTES).expect("2 MB is a size that the family has")
    }
}
