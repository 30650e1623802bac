//! A call of a function of the boot ROM: what a trap needs of the chip, and what comes of it.

use super::function::RomFunction;
use super::{bits, double, flash_calls, memory, single};
use crate::flash::FlashChip;
use crate::io::Io;

/// What a function of the ROM works on: the registers of the core that called it and the memory as that core sees it.
///
/// Accesses are the core's own: they have their side effects, and wait states (a miss of the XIP cache, a slow bus) are
/// charged by whoever implements this, on top of the cycles that [`call`] gives for memory without any.
pub trait RomCallContext {
    /// R0 to R12.
    fn reg(&self, number: usize) -> u32;
    /// R0 to R12.
    fn set_reg(&mut self, number: usize, value: u32);
    /// The condition flags.
    fn set_flags(&mut self, flags: Flags);
    /// Reads a byte; anything when it faults.
    fn read8(&mut self, address: u32) -> u8;
    /// Reads a halfword; anything when it faults.
    fn read16(&mut self, address: u32) -> u16;
    /// Reads a word; anything when it faults.
    fn read32(&mut self, address: u32) -> u32;
    /// Writes a byte.
    fn write8(&mut self, address: u32, value: u8);
    /// Writes a halfword.
    fn write16(&mut self, address: u32, value: u16);
    /// Writes a word.
    fn write32(&mut self, address: u32, value: u32);
    /// Whether an access of this call was a bus error: the function ends at once, and the core takes a HardFault.
    fn faulted(&self) -> bool;
    /// The flash chip.
    fn flash(&mut self) -> &mut FlashChip;
    /// The time (of the call, or of its last access) and the clocks.
    fn io(&mut self) -> &mut Io;
}

/// Condition flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// Negative.
    pub n: bool,
    /// Zero.
    pub z: bool,
    /// Carry.
    pub c: bool,
    /// Overflow.
    pub v: bool,
}

/// What comes of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The function is done: the core goes on with the instruction behind the trap, which returns.
    Done {
        /// Cycles of the function without that return.
        cycles: u32,
    },
    /// A part of it is done: the core executes the same trap again, after any interrupt that waits.
    Again {
        /// Cycles of that part.
        cycles: u32,
    },
    /// The core waits to be launched over the FIFO, as core 1 does after reset.
    WaitForLaunch,
    /// The image asked for the USB boot loader, which is not here: the run ends.
    UsbBoot {
        /// Pins that would show its activity, a bit each.
        activity_pins: u32,
        /// Interfaces that would be left out: 1 mass storage, 2 PICOBOOT.
        disabled_interfaces: u32,
    },
    /// The core jumped to the reset vector: it boots as after reset.
    Reset,
}

/// Carries out a function of the ROM.
pub fn call(function: RomFunction, context: &mut dyn RomCallContext) -> Outcome {
    use RomFunction as R;
    match function {
        R::TableLookup => memory::look_up(context),
        R::PopulationCount => bits::population_count(context),
        R::Reverse => bits::reverse(context),
        R::LeadingZeros => bits::leading_zeros(context),
        R::TrailingZeros => bits::trailing_zeros(context),
        R::MemorySet | R::MemorySetWords => memory::set(context),
        R::MemoryCopy => memory::copy(context, false),
        R::MemoryCopyWords => memory::copy(context, true),
        R::ResetUsbBoot => {
            Outcome::UsbBoot { activity_pins: context.reg(0), disabled_interfaces: context.reg(1) }
        }
        R::WaitForVector => Outcome::WaitForLaunch,
        R::ConnectInternalFlash => flash_calls::connect(context),
        R::FlashExitXip => flash_calls::exit_xip(context),
        R::FlashRangeErase => flash_calls::range_erase(context),
        R::FlashRangeProgram => flash_calls::range_program(context),
        R::FlashFlushCache => flash_calls::flush_cache(context),
        R::FlashEnterCmdXip => flash_calls::enter_command_xip(context),
        R::Reset => Outcome::Reset,
        R::Single(function) => single::call(function, context),
        R::Double(function) => double::call(function, context),
    }
}
