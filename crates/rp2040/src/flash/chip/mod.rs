//! The QSPI NOR flash chip of the board, a Winbond W25Q: its state here, the commands that come over the wire, clock by clock, in
//! `wire`, and what they do in `effects`. The SSI drives it; reads through the XIP window take [`FlashChip::word`].
//!
//! Erasing and programming change the contents when the command ends, and the chip is busy for the datasheet's typical
//! time from then on. Left out: block protection (the bits are kept but protect nothing), wear, and what `command.rs` lists.

mod effects;
mod wire;

use std::ops::Range;
use std::sync::Arc;

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

/// The unique identity of a chip that was given none.
pub const DEFAULT_UNIQUE_ID: [u8; 8] = [0xe6, 0x61, 0x41, 0x57, 0x52, 0x20, 0x40, 0x01];

/// Bit of status register 2.
const QUAD_ENABLE: u8 = 1 << 1;
/// Status registers as the W25Q16JV-IQ leaves the factory: quad enabled, driver strength 25 %.
const FACTORY_STATUS: [u8; 3] = [0, QUAD_ENABLE, 0x60];

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
        self.load_shared(offset, &Arc::new(bytes.to_vec()))
    }

    /// The same with bytes that others have as well: the cells copy none of them before somebody changes one.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn load_shared(&mut self, offset: usize, bytes: &Arc<Vec<u8>>) -> Result<(), FlashError> {
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
}

impl Default for FlashChip {
    /// The erased chip of a Raspberry Pi Pico.
    fn default() -> Self {
        Self::new(PICO_FLASH_BYTES).expect("2 MB is a size that the family has")
    }
}
