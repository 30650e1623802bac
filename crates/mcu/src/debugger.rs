//! The chip as a debugger has it: memory and registers without effects on what runs, breakpoints, watchpoints, resets, and
//! cores that are held one by one.

use crate::{Observer, SetupError, Sleep, Stop, Watchpoint};

/// An address where nothing is that could be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing to access at {0:#010x}")]
pub struct MemoryError(
    /// The address.
    pub u32,
);

/// What a core is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CoreState {
    /// Whether it executes, and why not.
    pub sleep: Sleep,
    /// The instruction that is next.
    pub pc: u32,
    /// The number of the exception that it handles, 0 outside of handlers.
    pub exception: u32,
    /// Instructions executed so far.
    pub instructions: u64,
}

/// How the remote protocol of GDB describes a chip.
#[derive(Debug)]
pub struct GdbFacts {
    /// The registers of a core (GDB manual, "Target Descriptions").
    pub description: &'static str,
    /// The registers by the numbers that the description gives them.
    pub registers: &'static [Register],
    /// The number of the program counter.
    pub pc: usize,
    /// The memories other than flash; registers are memory of the kind `ram`.
    pub regions: &'static [GdbRegion],
    /// Where the flash begins.
    pub flash_start: u32,
    /// What the flash erases at once.
    pub sector_bytes: u32,
}

/// A register of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// Its name.
    pub name: &'static str,
    /// Its size.
    pub bytes: usize,
    /// Who has to do with it.
    pub role: RegisterRole,
}

/// Who has to do with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterRole {
    /// Programs see it and set it.
    General,
    /// Programs see it.
    Status,
    /// Debuggers alone.
    System,
}

/// A range of addresses with GDB's kind for it: `rom` or `ram`.
#[derive(Debug, Clone, Copy)]
pub struct GdbRegion {
    /// The kind.
    pub kind: &'static str,
    /// The first address.
    pub start: u32,
    /// Its bytes.
    pub bytes: u32,
}

/// What a debugger does to a chip.
pub trait Debugger {
    /// Reads memory and registers without the effects that reading has.
    ///
    /// # Errors
    /// With the first address where nothing is.
    fn read_memory(&self, address: u32, length: usize) -> Result<Vec<u8>, MemoryError>;

    /// Writes memory: RAM and flash as they are, registers with the effects that writing has.
    ///
    /// # Errors
    /// With the first address where nothing is.
    fn write_memory(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError>;

    /// The RAM that a debug probe reads while the cores run, with its first address; nothing on a chip that lets nobody.
    fn ram(&self) -> Option<(u32, &[u8])> {
        None
    }

    /// A register of a core, by its number in [`GdbFacts`].
    fn register(&self, core: usize, number: usize) -> u32;

    /// Sets a register of a core, as far as it can be set.
    fn set_register(&mut self, core: usize, number: usize, value: u32);

    /// Lets a core go on at an address; if it sleeps until something comes, it wakes, as at a debugger's halt.
    fn set_program_counter(&mut self, core: usize, address: u32);

    /// The size of the flash.
    fn flash_bytes(&self) -> u32;

    /// With a debugger a trap in the image stops a core; without one it is a fault.
    fn set_debugger(&mut self, attached: bool);

    /// Where the cores stop before they execute.
    fn set_breakpoints(&mut self, addresses: Vec<u32>);

    /// Which memory accesses stop the cores.
    fn set_watchpoints(&mut self, watchpoints: Vec<Watchpoint>);

    /// Lets somebody look at every instruction; gives back who did before.
    fn observe(&mut self, observer: Option<Box<dyn Observer>>) -> Option<Box<dyn Observer>>;

    /// Executes one instruction of a core, and more on another that is behind.
    fn step(&mut self, core: usize) -> Stop;

    /// Lets a core go on that was stopped where it stands: from a breakpoint, or behind a trap in the image.
    fn leave_stop(&mut self, core: usize);

    /// Holds a core while others run; [`Self::release_core`] takes what this gives.
    fn hold_core(&mut self, core: usize) -> Sleep;

    /// Ends a core's hold.
    fn release_core(&mut self, core: usize, before: Sleep);

    /// Resets the chip at once; flash and RAM keep what is in them.
    ///
    /// # Errors
    /// When the chip finds nothing to start.
    fn reset_now(&mut self) -> Result<(), SetupError>;

    /// Starts what was programmed into the flash: as [`Self::reset_now`], but how the chip boots is decided anew.
    ///
    /// # Errors
    /// When the chip finds nothing to start.
    fn reset_to_flash(&mut self) -> Result<(), SetupError>;
}
