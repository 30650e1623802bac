//! The command set of a W25Q flash chip (Winbond W25Q16JV datasheet, section 8): which bytes mean what, how many clocks
//! each part of a command takes and on how many lines, and how long the chip is busy afterwards. The chip itself is in
//! `chip`. Left out: QPI mode, suspend and resume, security registers, individual block locks, burst with wrap.

use units::Picoseconds;

/// Reads at up to a third of the clock of the others.
pub const READ_DATA: u8 = 0x03;
/// As [`READ_DATA`] with 8 dummy clocks.
pub const FAST_READ: u8 = 0x0b;
/// Data on two lines.
pub const FAST_READ_DUAL_OUTPUT: u8 = 0x3b;
/// Data on four lines.
pub const FAST_READ_QUAD_OUTPUT: u8 = 0x6b;
/// Address and data on two lines.
pub const FAST_READ_DUAL_IO: u8 = 0xbb;
/// Address and data on four lines.
pub const FAST_READ_QUAD_IO: u8 = 0xeb;
/// Manufacturer, type, capacity.
pub const JEDEC_ID: u8 = 0x9f;
/// Manufacturer and device.
pub const MANUFACTURER_ID: u8 = 0x90;
/// Ends power-down; reads the device identity.
pub const RELEASE_POWER_DOWN: u8 = 0xab;
/// Deep power-down.
pub const POWER_DOWN: u8 = 0xb9;
/// The factory-set 64-bit number.
pub const UNIQUE_ID: u8 = 0x4b;
/// Serial flash discoverable parameters.
pub const READ_SFDP: u8 = 0x5a;
/// Status register 1: busy, write enable latch.
pub const READ_STATUS_1: u8 = 0x05;
/// Status register 2: quad enable.
pub const READ_STATUS_2: u8 = 0x35;
/// Status register 3: driver strength.
pub const READ_STATUS_3: u8 = 0x15;
/// Status register 1, and 2 with a second byte.
pub const WRITE_STATUS_1: u8 = 0x01;
/// Status register 2.
pub const WRITE_STATUS_2: u8 = 0x31;
/// Status register 3.
pub const WRITE_STATUS_3: u8 = 0x11;
/// Sets the write enable latch.
pub const WRITE_ENABLE: u8 = 0x06;
/// Clears the write enable latch.
pub const WRITE_DISABLE: u8 = 0x04;
/// Lets the next write of a status register be a volatile one.
pub const VOLATILE_STATUS_WRITE_ENABLE: u8 = 0x50;
/// Programs up to 256 bytes of a page.
pub const PAGE_PROGRAM: u8 = 0x02;
/// As [`PAGE_PROGRAM`] with the data on four lines.
pub const QUAD_PAGE_PROGRAM: u8 = 0x32;
/// Erases 4 kB.
pub const SECTOR_ERASE: u8 = 0x20;
/// Erases 32 kB.
pub const HALF_BLOCK_ERASE: u8 = 0x52;
/// Erases 64 kB.
pub const BLOCK_ERASE: u8 = 0xd8;
/// Erases everything.
pub const CHIP_ERASE: u8 = 0xc7;
/// The other code of [`CHIP_ERASE`].
pub const CHIP_ERASE_ALTERNATIVE: u8 = 0x60;
/// Makes [`RESET`] valid as the next command.
pub const ENABLE_RESET: u8 = 0x66;
/// Resets the chip.
pub const RESET: u8 = 0x99;
/// All ones: no command, but the end of continuous reading.
pub const MODE_RESET: u8 = 0xff;

/// Typical times of the W25Q16JV (Winbond W25Q16JV datasheet, section 9.6, AC characteristics, column "typ").
pub const PAGE_PROGRAM_TIME: Picoseconds = microseconds(400);
/// Sector erase, 4 kB.
pub const SECTOR_ERASE_TIME: Picoseconds = microseconds(45_000);
/// Block erase, 32 kB.
pub const HALF_BLOCK_ERASE_TIME: Picoseconds = microseconds(120_000);
/// Block erase, 64 kB.
pub const BLOCK_ERASE_TIME: Picoseconds = microseconds(150_000);
/// Chip erase.
pub const CHIP_ERASE_TIME: Picoseconds = microseconds(5_000_000);
/// Write of a status register to its non-volatile cells.
pub const STATUS_WRITE_TIME: Picoseconds = microseconds(10_000);
/// Time from 99h until the next command is taken (tRST).
pub const RESET_TIME: Picoseconds = microseconds(30);

const fn microseconds(us: i64) -> Picoseconds {
    Picoseconds::from_ns(us * 1000)
}

/// What follows an opcode on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Shape {
    /// Lines of the 24 address bits; 0 when the command has no address.
    pub address_lines: u8,
    /// Whether eight mode bits follow the address, on the same lines.
    pub mode: bool,
    /// Clocks between address and data in which nobody drives the lines.
    pub dummy_clocks: u8,
    /// Lines of the data; 0 when there are none.
    pub data_lines: u8,
    /// Whether the data go to the chip.
    pub input: bool,
}

const NOTHING: Shape = Shape { address_lines: 0, mode: false, dummy_clocks: 0, data_lines: 0, input: false };
const OUTPUT: Shape = Shape { data_lines: 1, ..NOTHING };
const INPUT: Shape = Shape { data_lines: 1, input: true, ..NOTHING };
const ADDRESS: Shape = Shape { address_lines: 1, ..NOTHING };
const READ: Shape = Shape { data_lines: 1, ..ADDRESS };

impl Shape {
    /// Of a command; nothing for one that the chip does not know.
    pub fn of(opcode: u8) -> Option<Shape> {
        Some(match opcode {
            READ_DATA | MANUFACTURER_ID | RELEASE_POWER_DOWN => READ,
            FAST_READ | READ_SFDP => Shape { dummy_clocks: 8, ..READ },
            FAST_READ_DUAL_OUTPUT => Shape { dummy_clocks: 8, data_lines: 2, ..READ },
            FAST_READ_QUAD_OUTPUT => Shape { dummy_clocks: 8, data_lines: 4, ..READ },
            FAST_READ_DUAL_IO => Shape { address_lines: 2, mode: true, data_lines: 2, ..NOTHING },
            FAST_READ_QUAD_IO => {
                Shape { address_lines: 4, mode: true, dummy_clocks: 4, data_lines: 4, input: false }
            }
            UNIQUE_ID => Shape { dummy_clocks: 32, ..OUTPUT },
            JEDEC_ID | READ_STATUS_1 | READ_STATUS_2 | READ_STATUS_3 => OUTPUT,
            WRITE_STATUS_1 | WRITE_STATUS_2 | WRITE_STATUS_3 => INPUT,
            PAGE_PROGRAM => Shape { input: true, ..READ },
            QUAD_PAGE_PROGRAM => Shape { input: true, data_lines: 4, ..READ },
            SECTOR_ERASE | HALF_BLOCK_ERASE | BLOCK_ERASE => ADDRESS,
            WRITE_ENABLE
            | WRITE_DISABLE
            | VOLATILE_STATUS_WRITE_ENABLE
            | CHIP_ERASE
            | CHIP_ERASE_ALTERNATIVE
            | POWER_DOWN
            | ENABLE_RESET
            | RESET => NOTHING,
            _ => return None,
        })
    }
}

/// Whether a command needs the quad enable bit of status register 2.
pub fn needs_quad(opcode: u8) -> bool {
    matches!(opcode, FAST_READ_QUAD_OUTPUT | FAST_READ_QUAD_IO | QUAD_PAGE_PROGRAM)
}

/// Whether a command is taken while the chip erases or programs.
pub fn works_while_busy(opcode: u8) -> bool {
    matches!(opcode, READ_STATUS_1 | READ_STATUS_2 | READ_STATUS_3 | ENABLE_RESET | RESET)
}

/// What to tell the user of a command that is not modelled.
pub fn describe_unknown(opcode: u8) -> &'static str {
    match opcode {
        0x42 | 0x44 | 0x48 => "flash command for security registers (42h, 44h, 48h)",
        0x75 | 0x7a => "flash command erase/program suspend or resume (75h, 7Ah)",
        0x36 | 0x39 | 0x3d | 0x7e | 0x98 => {
            "flash command for individual block locks (36h, 39h, 3Dh, 7Eh, 98h)"
        }
        0x77 => "flash command set burst with wrap (77h)",
        0x92 | 0x94 => "flash command manufacturer identity on two or four lines (92h, 94h)",
        0x38 => "flash command enter QPI (38h)",
        0xb7 | 0xe9 => "flash command for 4-byte addresses (B7h, E9h)",
        _ => "flash command that a W25Q does not have",
    }
}

/// Where the basic parameter table stands in the SFDP space.
const SFDP_TABLE: usize = 0x80;
/// Double words of the basic parameter table of JESD216 (first revision).
const SFDP_TABLE_WORDS: usize = 9;

/// A byte of the SFDP space of a chip of this size (JESD216: header, one parameter header, the basic table).
pub fn sfdp(address: u32, size_bytes: u32) -> u8 {
    let table: [u32; SFDP_TABLE_WORDS] = [
        // 4 kB erase with 20h, 64-byte writes, 3-byte addresses, reads 1-1-2, 1-2-2, 1-4-4 and 1-1-4.
        0xfff1_20e5,
        // Size in bits less one.
        (size_bytes * 8).wrapping_sub(1),
        // 1-4-4: EBh with 2 mode and 4 wait clocks; 1-1-4: 6Bh with 8 wait clocks.
        u32::from_be_bytes([FAST_READ_QUAD_OUTPUT, 0x08, FAST_READ_QUAD_IO, 2 << 5 | 4]),
        // 1-1-2: 3Bh with 8 wait clocks; 1-2-2: BBh with 4 mode clocks.
        u32::from_be_bytes([FAST_READ_DUAL_IO, 4 << 5, FAST_READ_DUAL_OUTPUT, 0x08]),
        // Neither 2-2-2 nor 4-4-4.
        0xffff_ffee,
        0x0000_ffff,
        0x0000_ffff,
        // Erase types: 4 kB, 32 kB, 64 kB, none.
        u32::from_be_bytes([HALF_BLOCK_ERASE, 15, SECTOR_ERASE, 12]),
        u32::from_be_bytes([0, 0, BLOCK_ERASE, 16]),
    ];
    // Signature, revision 1.0, one header; then of the basic table: JEDEC's, revision 1.0, length and place.
    let header =
        [b"SFDP", &[0, 1, 0, 0xff], &[0, 0, 1, SFDP_TABLE_WORDS as u8], &[SFDP_TABLE as u8, 0, 0, 0xff]];
    let at = address as usize;
    if let Some(part) = header.get(at / 4) {
        return part[at % 4];
    }
    let word = at.checked_sub(SFDP_TABLE).and_then(|offset| table.get(offset / 4));
    word.map_or(0xff, |word| word.to_le_bytes()[at % 4])
}
