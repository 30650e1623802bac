//! What the functions of our own boot ROM cost, in cycles of clk_sys with memory without wait states. A genuine ROM
//! needs none of this: its code is counted instruction by instruction.
//!
//! Floating point: the published averages; the real cost of one call depends on its operands (an addition takes 60 to
//! 90 cycles). Bit and memory functions: counted from the algorithm that the ROM's public source describes, with the
//! instruction times of RP2040 datasheet 2.4.3.3. Flash functions: bytes on the wire, and fixed parts that were counted
//! in the same way.

use super::function::FloatFunction;

/// The return behind a trap, `BX LR`, which the core executes itself and which the averages include.
pub const RETURN: u32 = 2;

/// Average cycles of the single precision functions, ROM version 2 and later, by their place in the table (RP2040
/// datasheet 2.8.3.2.2, table of the soft-float functions). Not in it and counted from the public source: the two fast
/// comparisons (deprecated).
pub const SINGLE: [u32; 32] = [
    71, 74, 58, 71, 12, 12, 63, 40, 39, 39, 38, 55, 53, 54, 52, 587, 577, 653, 577, 524, 789, 25, 667, 62,
    60, 58, 57, 54, 53, 42, 41, 15,
];

/// Average cycles of the double precision functions (RP2040 datasheet 2.8.3.2.2, table of the soft-double functions).
/// Not in it and counted from the public source: the two fast comparisons (deprecated).
pub const DOUBLE: [u32; 32] = [
    91, 95, 155, 183, 25, 25, 169, 75, 74, 63, 62, 69, 68, 64, 62, 1617, 1618, 1891, 1718, 804, 428, 39,
    2168, 55, 56, 50, 49, 64, 63, 53, 52, 23,
];

/// Of a single precision function, without its return.
pub fn single(function: FloatFunction) -> u32 {
    SINGLE[function as usize] - RETURN
}

/// Of a double precision function, without its return.
pub fn double(function: FloatFunction) -> u32 {
    DOUBLE[function as usize] - RETURN
}

/// Population count: the same for every value (average of RP2040 datasheet 2.8.3.1.1: 20).
pub const POPULATION_COUNT: u32 = 20;
/// Reversal of the bits: the same for every value (average of RP2040 datasheet 2.8.3.1.1: 22).
pub const REVERSE: u32 = 22;

/// Leading zeros by how many there are: the ROM looks six bits at a time up. The average over all values is 9.1; RP2040
/// datasheet 2.8.3.1.1 has 9.6.
pub fn leading_zeros(zeros: u32) -> u32 {
    match zeros {
        0..=5 | 16..=21 => 9,
        6..=11 => 12,
        12..=15 | 22..=27 => 11,
        _ => 10,
    }
}

/// Trailing zeros by how many there are. The average over all values is 11, as in RP2040 datasheet 2.8.3.1.1.
pub fn trailing_zeros(zeros: u32) -> u32 {
    match zeros {
        0..=3 => 11,
        4..=9 => 12,
        10..=15 => 10,
        16..=25 => 13,
        _ => 11,
    }
}

/// An entry of a table that is not the one looked for.
pub const LOOK_UP_ENTRY: u32 = 11;
/// The entry that is.
pub const LOOK_UP_FOUND: u32 = 10;

/// memcpy of fewer bytes than this goes through a jump table.
pub const SHORT: u32 = 8;
/// Call of the short memcpy, and each byte of it.
pub const COPY_SHORT: (u32, u32) = (11, 4);
/// memcpy between addresses that differ in their lowest two bits: call, and each byte.
pub const COPY_BYTES: (u32, u32) = (8, 7);
/// memcpy with LDM and STM of four words: call with both ends of the loop, and 16 bytes.
pub const COPY_WORDS: (u32, u32) = (33, 13);
/// As [`COPY_WORDS`] when the caller promises alignment.
pub const COPY_WORDS_PROMISED: (u32, u32) = (19, 13);
/// The last 8, 4, 2 and 1 bytes of a memcpy, where there are such, beyond the tests for them.
pub const COPY_TAIL: [(u32, u32); 4] = [(8, 5), (4, 3), (2, 5), (1, 4)];
/// memset of few bytes: call, and each byte.
pub const SET_SHORT: (u32, u32) = (11, 2);
/// memset with STM of four words: call with both ends of the loop, and 16 bytes.
pub const SET_WORDS: (u32, u32) = (39, 8);
/// The last 8, 4, 2 and 1 bytes of a memset.
pub const SET_TAIL: [(u32, u32); 4] = [(8, 2), (4, 1), (2, 3), (1, 2)];

/// Connecting the flash: 2 resets with their wait, 6 pin registers, at 4 to 5 cycles for each APB access.
pub const CONNECT_FLASH: u32 = 70;
/// Leaving XIP: set-up of SSI and pads, without the waits and the bytes.
pub const EXIT_XIP: u32 = 260;
/// The wait for pulls to take effect in leaving XIP, twice: 2048 turns of 3 cycles each.
pub const EXIT_XIP_WAIT: u32 = 2048 * 3;
/// Bytes that leaving XIP clocks out: twice 32 clocks, then 16.
pub const EXIT_XIP_BYTES: u32 = 10;
/// Setting up plain serial reads.
pub const ENTER_COMMAND_XIP: u32 = 40;
/// Emptying the cache, without the wait for it, which the bus charges.
pub const FLUSH_CACHE: u32 = 30;
/// A byte between core and flash takes at least this long, whatever the SSI's divider: the loop that moves it.
pub const FLASH_BYTE: u32 = 48;
/// Around each flash command: forcing the select line low and high.
pub const FLASH_COMMAND: u32 = 40;
/// How often the ROM's wait for an erase or program looks at the clock here; the genuine one reads the status register
/// every 150 to 200 cycles.
pub const FLASH_POLL: u32 = 1000;

/// Samples of the boot-select pin: 100 us and nine further at the fastest ring oscillator (12 MHz), three cycles a turn.
pub const BOOT_SELECT: u32 = 1200 + 9 * 24;
/// From reset to the flash: clocks, rescue flag, ADC pads, watchdog scratch registers.
pub const BOOT_START: u32 = 150;
/// Checksum of the second stage, each byte: eight bits of 4 or 5 cycles and the loop.
pub const BOOT_CHECKSUM_BYTE: u32 = 8 * 5 + 14;
