//! The 16 kB of the boot ROM: vectors, magic, function and data tables where software looks for them (RP2040 datasheet
//! 2.8.3), and behind each function pointer a trap and a return.
//!
//! The version is 3 (chip stepping B2): with version 1 and 2 the Pico SDK patches holes of the ROM with code that jumps
//! to addresses inside it, which only the genuine one can serve.

use std::sync::Arc;

use super::function::{FloatFunction, RomFunction, UDF};

/// Bytes of the ROM (RP2040 datasheet 2.6.1).
pub const ROM_BYTES: usize = 16 * 1024;
/// The initial stack pointer: below the 256 bytes of the second stage at the end of the SRAM.
pub(super) const STACK_TOP: u32 = 0x2004_1f00;
const MAGIC: [u8; 3] = *b"Mu\x01";
const MAGIC_AT: usize = 0x10;
const VERSION_AT: usize = 0x13;
const VERSION: u8 = 3;
const FUNCTION_TABLE_AT: usize = 0x14;
const DATA_TABLE_AT: usize = 0x16;
const TABLE_LOOKUP_AT: usize = 0x18;
const CODE_START: usize = 0x1c;

const BX_LR: u16 = 0x4770;
/// `MOVS R3, R0`: the copying traps keep where they are in R3.
const MOVS_R3_R0: u16 = 0x1c03;
const BLX_R7: u16 = 0x47b8;
const BKPT: u16 = 0xbe00;
const WFI: u16 = 0xbf30;
/// `B` to the instruction before the one before.
const B_BACK_TWO: u16 = 0xe7fc;
/// `B` to the instruction before.
const B_BACK_ONE: u16 = 0xe7fd;
/// Fills what is not used: a trap that stands for nothing.
const FILLER: u16 = UDF | 0xff;

const COPYRIGHT: &[u8] = b"Airwire virtual RP2040 boot ROM\0";
/// Stands where the genuine ROM has the hex digits of its source's revision.
const REVISION: u32 = 0xa1a1_0001;

/// What is wrong with a ROM dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RomError {
    /// It does not have the length.
    #[error("the ROM dump has {0} bytes, the RP2040's boot ROM has 16384; dump addresses 0x0 to 0x3fff")]
    Length(usize),
    /// It has no magic.
    #[error(
        "the ROM dump has no \"Mu\" and 1 at offset 0x10, so it is no RP2040 boot ROM; dump addresses 0x0 to 0x3fff"
    )]
    Magic,
}

/// The boot ROM.
#[derive(Debug, Clone)]
pub struct Rom {
    bytes: Arc<[u8; ROM_BYTES]>,
    genuine: bool,
    landmarks: Landmarks,
}

/// Addresses in our own ROM that the rest needs.
#[derive(Debug, Clone, Copy, Default)]
struct Landmarks {
    reset: u32,
    dead: u32,
    wait_for_vector: u32,
}

impl Rom {
    /// Our own.
    pub fn new() -> Self {
        Builder::new().build()
    }

    /// A dump of a genuine ROM; its code runs as it is, without traps.
    ///
    /// # Errors
    /// When it is none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RomError> {
        let bytes: &[u8; ROM_BYTES] = bytes.try_into().map_err(|_| RomError::Length(bytes.len()))?;
        if bytes[MAGIC_AT..VERSION_AT] != MAGIC {
            return Err(RomError::Magic);
        }
        Ok(Self { bytes: Arc::new(*bytes), genuine: true, landmarks: Landmarks::default() })
    }

    /// The contents.
    #[inline]
    pub fn bytes(&self) -> &[u8; ROM_BYTES] {
        &self.bytes
    }

    /// Whether it is a dump of a genuine ROM, which boots and launches by running its own code.
    pub fn is_genuine(&self) -> bool {
        self.genuine
    }

    /// The ROM version: 1 for chips B0, 2 for B1, 3 for B2.
    pub fn version(&self) -> u8 {
        self.bytes[VERSION_AT]
    }

    /// The function for which an undefined instruction at this address stands, if it is one of the ROM's traps.
    pub fn function_at(&self, address: u32, instruction: u16) -> Option<RomFunction> {
        let trap = !self.genuine && (address as usize) < ROM_BYTES && instruction & 0xff00 == UDF;
        RomFunction::from_trap(instruction as u8).filter(|_| trap)
    }

    /// Address of the trap behind the reset vector.
    pub fn reset_address(&self) -> u32 {
        self.landmarks.reset
    }

    /// Address of the endless sleep in which core 1 ends when what was launched returns.
    pub fn dead_address(&self) -> u32 {
        self.landmarks.dead
    }

    /// Address of the trap at which a core that waits for its launch stands.
    pub fn wait_for_vector_address(&self) -> u32 {
        self.landmarks.wait_for_vector
    }
}

impl Default for Rom {
    fn default() -> Self {
        Self::new()
    }
}

struct Builder {
    bytes: [u8; ROM_BYTES],
    at: usize,
}

impl Builder {
    fn new() -> Self {
        let mut bytes = [0; ROM_BYTES];
        for pair in bytes.as_chunks_mut::<2>().0 {
            *pair = FILLER.to_le_bytes();
        }
        Self { bytes, at: CODE_START }
    }

    fn build(mut self) -> Rom {
        let table_lookup = self.trap(RomFunction::TableLookup);
        let landmarks = Landmarks {
            reset: u32::from(self.trap(RomFunction::Reset)),
            dead: u32::from(self.code(&[WFI, B_BACK_ONE])),
            wait_for_vector: u32::from(self.trap(RomFunction::WaitForVector)),
        };
        let nothing = self.code(&[BX_LR]);
        let functions = self.functions(landmarks.wait_for_vector as u16);
        let function_table = self.table(&functions);
        let data = self.data();
        let data_table = self.table(&data);
        for (at, word) in
            [(0, STACK_TOP), (4, landmarks.reset | 1), (8, u32::from(nothing) | 1), (12, landmarks.dead | 1)]
        {
            self.put(at, &word.to_le_bytes());
        }
        self.put(MAGIC_AT, &MAGIC);
        self.put(VERSION_AT, &[VERSION]);
        self.put(FUNCTION_TABLE_AT, &function_table.to_le_bytes());
        self.put(DATA_TABLE_AT, &data_table.to_le_bytes());
        self.put(TABLE_LOOKUP_AT, &(table_lookup | 1).to_le_bytes());
        self.put(TABLE_LOOKUP_AT + 2, &[0, 0]);
        Rom { bytes: Arc::new(self.bytes), genuine: false, landmarks }
    }

    /// The code of every function of the function table (RP2040 datasheet 2.8.3.1), with its pointer.
    fn functions(&mut self, wait_for_vector: u16) -> Vec<([u8; 2], u16)> {
        use RomFunction as R;
        let mut entries = Vec::new();
        for (code, function) in [
            (*b"P3", R::PopulationCount),
            (*b"R3", R::Reverse),
            (*b"L3", R::LeadingZeros),
            (*b"T3", R::TrailingZeros),
            (*b"UB", R::ResetUsbBoot),
            (*b"IF", R::ConnectInternalFlash),
            (*b"EX", R::FlashExitXip),
            (*b"RE", R::FlashRangeErase),
            (*b"RP", R::FlashRangeProgram),
            (*b"FC", R::FlashFlushCache),
            (*b"CX", R::FlashEnterCmdXip),
        ] {
            entries.push((code, self.trap(function) | 1));
        }
        for (code, function) in [
            (*b"MS", R::MemorySet),
            (*b"S4", R::MemorySetWords),
            (*b"MC", R::MemoryCopy),
            (*b"C4", R::MemoryCopyWords),
        ] {
            let trap = UDF | u16::from(function.trap());
            entries.push((code, self.code(&[MOVS_R3_R0, trap, BX_LR]) | 1));
        }
        entries.push((*b"WV", wait_for_vector | 1));
        // The debugger puts a function's address into R7, its arguments into R0 to R3, jumps to DT, and stops at DE.
        let trampoline = self.code(&[BLX_R7, BKPT, B_BACK_TWO]);
        entries.push((*b"DT", trampoline | 1));
        entries.push((*b"DE", (trampoline + 2) | 1));
        entries
    }

    /// The contents of the data table (RP2040 datasheet 2.8.3.3).
    fn data(&mut self) -> Vec<([u8; 2], u16)> {
        let single_start = self.at as u16;
        let single = FloatFunction::ALL.map(|function| self.trap(RomFunction::Single(function)));
        let single_end = self.at as u16;
        let double = FloatFunction::ALL.map(|function| self.trap(RomFunction::Double(function)));
        let double_end = self.at as u16;
        let revision = self.words(&[REVISION]);
        let copyright = self.text(COPYRIGHT);
        // The SDK reads the number of entries from two bytes in front of the single precision table.
        self.align(4);
        let size = self.text(&[0, 0, FloatFunction::ALL.len() as u8, 0]) + 2;
        let single = self.words(&single.map(|address| u32::from(address) | 1));
        let double = self.words(&double.map(|address| u32::from(address) | 1));
        vec![
            (*b"GR", revision),
            (*b"CR", copyright),
            (*b"SF", single),
            (*b"SD", double),
            (*b"FZ", size),
            (*b"FS", single_start),
            (*b"FE", single_end),
            (*b"DS", single_end),
            (*b"DE", double_end),
        ]
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn align(&mut self, bytes: usize) {
        self.at = self.at.next_multiple_of(bytes);
    }

    fn text(&mut self, text: &[u8]) -> u16 {
        let at = self.at;
        self.put(at, text);
        self.at += text.len();
        at as u16
    }

    fn code(&mut self, instructions: &[u16]) -> u16 {
        self.align(4);
        let at = self.at as u16;
        for instruction in instructions {
            self.text(&instruction.to_le_bytes());
        }
        at
    }

    fn trap(&mut self, function: RomFunction) -> u16 {
        self.code(&[UDF | u16::from(function.trap()), BX_LR])
    }

    fn words(&mut self, words: &[u32]) -> u16 {
        self.align(4);
        let at = self.at as u16;
        for word in words {
            self.text(&word.to_le_bytes());
        }
        at
    }

    fn table(&mut self, entries: &[([u8; 2], u16)]) -> u16 {
        self.align(2);
        let at = self.at as u16;
        for (code, value) in entries {
            self.text(code);
            self.text(&value.to_le_bytes());
        }
        self.text(&[0, 0]);
        at
    }
}
