//! The Cortex-M0+ core (ARMv6-M) in virtual time: it decodes and executes Thumb code, cycle for cycle, on whatever a chip
//! wires it to ([`Bus`]).
//!
//! [`Core`] has the registers and sleeps; [`Core::run`] executes decoded instructions ([`Code`]) until a cycle is reached or
//! the chip has to look at something ([`Exit`]); [`Core::take_pending`] enters handlers; [`Ppb`] is the private bus with
//! NVIC, SysTick and system control.
//!
//! Left out: the MPU does not guard anything (its registers are there), and debug registers do nothing.

mod access;
mod alu;
mod branch_trace;
mod bus;
mod code;
mod cursor;
mod decode;
mod disassembly;
mod exception;
mod execute;
pub mod gdb;
mod interpreter;
mod isa;
mod multiple;
mod ppb;
mod resident;
mod short_spin;
#[cfg(test)]
mod short_spin_tests;
mod spin_loop;
mod superinstruction;
mod system;
mod systick;
#[cfg(test)]
mod tests;
mod watch;

pub use branch_trace::{Branch, BranchTrace};
pub use bus::{Bus, Refusal, Region, Size, Trap};
pub use code::Code;
pub use disassembly::{Instruction, Target, disassemble};
use mcu::{DebugEvent, Fault, FaultKind, Sleep};
pub use ppb::{HARD_FAULT, NMI, Ppb, PpbEffect, SYS_TICK};
pub use spin_loop::{LoopStep, loop_step};
pub use watch::Watch;

/// Number of the stack pointer.
pub const SP: usize = 13;
/// Number of the link register.
pub const LR: usize = 14;
/// Number of the program counter.
pub const PC: usize = 15;

/// Exceptions of ARMv6-M: 16 of the core, 32 interrupts.
const EXCEPTIONS: usize = 48;

/// The flags of the APSR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Flags {
    /// A result, from which N and Z follow when they are asked for: Z when its low 32 bits are zero, N when bit 31 is set,
    /// or bit 32, which no result has, for N and Z together.
    pub(crate) nz: u64,
    pub(crate) c: bool,
    pub(crate) v: bool,
}

impl Flags {
    #[inline(always)]
    pub(crate) fn zero(self) -> bool {
        self.nz as u32 == 0
    }

    #[inline(always)]
    pub(crate) fn negative(self) -> bool {
        self.nz >> 31 != 0
    }

    /// As the top bits of the APSR.
    pub(crate) fn to_apsr(self) -> u32 {
        [self.negative(), self.zero(), self.c, self.v]
            .into_iter()
            .zip([31, 30, 29, 28])
            .map(|(flag, bit)| u32::from(flag) << bit)
            .sum()
    }

    pub(crate) fn from_apsr(apsr: u32) -> Self {
        let nz = match (apsr >> 31 & 1, apsr >> 30 & 1) {
            (0, 0) => 1,
            (0, _) => 0,
            (_, 0) => 1 << 31,
            _ => 1 << 32,
        };
        Self { nz, c: apsr >> 29 & 1 == 1, v: apsr >> 28 & 1 == 1 }
    }
}

/// Why a core came back from executing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exit {
    /// It reached the cycle that it was to stop at, or something changed that the chip must look at.
    Limit,
    /// It went to sleep.
    Sleep,
    /// A breakpoint, a watchpoint or a single step ended.
    Debug(DebugEvent),
    /// A fault, which the chip may report or hand to the image's own handler.
    Fault(Fault),
    /// The image asked for the USB boot loader.
    BootLoader,
    /// The image asked to end (semihosting exit).
    Ended(u32),
}

/// A processor core.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Core {
    /// Its number.
    pub id: usize,
    /// R0 to R14; R15 is the address of the next instruction whenever the core is not executing. Only 16 are used:
    /// with 256 an 8-bit number needs no check of its range.
    #[serde(with = "sim::state::array")]
    pub r: [u32; 256],
    pub(crate) flags: Flags,
    /// The stack pointer that is not in use.
    pub other_sp: u32,
    /// CONTROL: bit 0 unprivileged, bit 1 process stack.
    pub control: u32,
    /// The number of the exception that is handled, 0 in thread mode.
    pub ipsr: u32,
    /// Why it does not execute.
    pub sleep: Sleep,
    /// Cycles of clk_sys since the chip started, at which the next instruction begins.
    pub cycle: u64,
    /// The word of code that was fetched last through a window of the flash other than the usual one.
    pub(crate) fetched: u32,
    /// The word of code that was fetched last in the usual windows, unless a branch or an exception came since: an address
    /// divided by 4.
    pub(crate) fetched_word: u32,
    /// The run of code that it knows to be in the flash's cache, while it executes.
    #[serde(skip)]
    pub(crate) run: resident::Run,
    /// Cycles asleep.
    pub idle_cycles: u64,
    pub(crate) instructions: u64,
    /// Exceptions entered, by number.
    #[serde(with = "sim::state::array")]
    pub(crate) exceptions: [u64; EXCEPTIONS],
    /// The last branches, for whoever asks how it came here.
    pub branches: BranchTrace,
}

impl Core {
    /// A core with a number, which stands at address 0.
    pub fn new(id: usize) -> Self {
        Self {
            id,
            r: [0; 256],
            flags: Flags { nz: 1, c: false, v: false },
            other_sp: 0,
            control: 0,
            ipsr: 0,
            sleep: Sleep::Awake,
            cycle: 0,
            fetched: execute::NO_WORD,
            fetched_word: execute::NO_WORD,
            run: resident::Run::default(),
            idle_cycles: 0,
            instructions: 0,
            exceptions: [0; EXCEPTIONS],
            branches: BranchTrace::default(),
        }
    }

    /// Starts at an entry address with a stack, as after reset; time goes on.
    pub fn restart(&mut self, entry: u32, stack: u32) {
        let (cycle, idle_cycles) = (self.cycle, self.idle_cycles);
        let (instructions, exceptions) = (self.instructions, self.exceptions);
        let branches = std::mem::take(&mut self.branches);
        *self = Self { cycle, idle_cycles, instructions, exceptions, branches, ..Self::new(self.id) };
        self.r[PC] = entry & !1;
        self.r[SP] = stack & !3;
        self.r[LR] = 0xffff_ffff;
    }

    /// The cycles that passed without it are idle ones.
    pub fn catch_up(&mut self, cycle: u64) {
        self.idle_cycles += cycle.saturating_sub(self.cycle);
        self.cycle = self.cycle.max(cycle);
    }

    /// R0 to R15.
    pub fn registers(&self) -> [u32; 16] {
        std::array::from_fn(|number| self.r[number])
    }

    /// Sets a register; the low bits of SP and PC are dropped.
    pub fn set_register(&mut self, number: usize, value: u32) {
        let value = match number {
            SP => value & !3,
            PC => value & !1,
            _ => value,
        };
        if let Some(register) = self.r[..16].get_mut(number) {
            *register = value;
        }
    }

    /// APSR, IPSR and EPSR in one word.
    pub fn xpsr(&self) -> u32 {
        self.flags.to_apsr() | 1 << 24 | self.ipsr
    }

    /// Sets the flags of the APSR.
    pub fn set_apsr(&mut self, apsr: u32) {
        self.flags = Flags::from_apsr(apsr);
    }

    /// Main and process stack pointer.
    pub fn stack_pointers(&self) -> (u32, u32) {
        if self.control & 2 == 0 { (self.r[SP], self.other_sp) } else { (self.other_sp, self.r[SP]) }
    }

    /// Why it does not execute.
    pub fn sleep(&self) -> Sleep {
        self.sleep
    }

    /// Instructions executed.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Exceptions entered.
    pub fn exceptions(&self) -> u64 {
        self.exceptions.iter().sum()
    }

    /// How often the exception of a number was entered; interrupt line 0 has number 16.
    pub fn exceptions_of(&self, number: usize) -> u64 {
        self.exceptions.get(number).copied().unwrap_or(0)
    }

    /// Cycles asleep.
    pub fn idle_cycles(&self) -> u64 {
        self.idle_cycles
    }
}
