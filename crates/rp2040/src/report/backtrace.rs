//! Who called whom: from a core's registers and its stack, outwards. Frames follow from the compiler's call frame information
//! and through the stack frames of exceptions; where there is none (`guess`), from how code looks, and are marked so.

use crate::report::guess;
use crate::report::place::{Place, is_code};
use crate::report::registers::{ReadWord, Registers, is_exception_return};
use cortexm::{LR, PC, SP};
use mcu::image::{CallFrame, RegisterRecovery, Symbols};

/// More frames than these are cut.
const FRAMES_MAX: usize = 64;

/// The functions that are active, from the innermost outwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backtrace {
    /// Each with its place.
    pub frames: Vec<Frame>,
    /// Why there are no more.
    pub end: End,
}

/// A function that is active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The instruction, or the return address with the line of the call.
    pub place: Place,
    /// The stack pointer there.
    pub stack_pointer: u32,
    /// How it was found.
    pub found: Found,
}

/// How a frame was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The core is there.
    Here,
    /// It called the frame before.
    Called,
    /// It was interrupted by the exception with this number, whose handler is the frame before.
    Interrupted(u32),
    /// It seems to have called the frame before.
    Guessed,
}

/// Why a backtrace ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum End {
    /// Nobody called the last frame.
    #[error("nobody called it")]
    Outermost,
    /// The return address follows no call.
    #[error(
        "its return address {0:#010x} follows no call: a program or a task begins here, or the stack is damaged"
    )]
    NotCode(u32),
    /// The stack pointer leads to where no memory is.
    #[error("the stack at {0:#010x} cannot be read")]
    Unreadable(u32),
    /// There is no call frame information, and nothing looks like a return address.
    #[error("no return address is known")]
    Unknown,
    /// The caller has the same stack as the function.
    #[error("the stack does not go on")]
    Circular,
    /// There are very many.
    #[error("more are left out")]
    Long,
}

/// Follows the stack from these registers.
pub fn backtrace(registers: &Registers, read: ReadWord<'_>, symbols: &Symbols) -> Backtrace {
    let mut state = State { registers: *registers, exact: true };
    let place = Place::of(registers.pc(), symbols);
    let mut frames = vec![Frame { place, stack_pointer: registers.sp(), found: Found::Here }];
    loop {
        if frames.len() == FRAMES_MAX {
            return Backtrace { frames, end: End::Long };
        }
        let (next, found) = match state.caller(read, symbols) {
            Ok(caller) => caller,
            Err(end) => return Backtrace { frames, end },
        };
        if !state.leads_to(&next, found) {
            return Backtrace { frames, end: End::Circular };
        }
        let pc = next.registers.pc();
        let place = if next.exact { Place::of(pc, symbols) } else { Place::of_return(pc, symbols) };
        frames.push(Frame { place, stack_pointer: next.registers.sp(), found });
        state = next;
    }
}

/// The registers in one frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) registers: Registers,
    /// Whether the program counter is an instruction that was not executed yet, and not a return address; R14 holds then
    /// what it holds in that frame.
    pub(super) exact: bool,
}

impl State {
    /// An address within the instruction that is being executed or the call.
    pub(super) fn within(&self) -> u32 {
        if self.exact { self.registers.pc() } else { self.registers.pc().wrapping_sub(2) }
    }

    fn caller(&self, read: ReadWord<'_>, symbols: &Symbols) -> Result<(Self, Found), End> {
        if is_code(self.registers.pc()) {
            if let Some(frame) = symbols.call_frame_at(self.within()) {
                return self.by_call_frame(&frame, read);
            }
            if self.exact && guess::is_leaf_of_rom(self.registers.pc(), read) {
                return return_to(self.registers, self.registers.r[LR], read);
            }
        }
        guess::caller(self, read, symbols)
    }

    fn by_call_frame(&self, frame: &CallFrame, read: ReadWord<'_>) -> Result<(Self, Found), End> {
        let before = &self.registers.r;
        let (base, offset) = frame.address;
        let address = before[base].wrapping_add_signed(offset);
        let mut registers = self.registers;
        registers.r[SP] = address;
        for (number, rule) in frame.registers.iter().enumerate().filter(|(number, _)| *number != PC) {
            let saved = |offset: i32| address.wrapping_add_signed(offset);
            match *rule {
                RegisterRecovery::Same => {}
                RegisterRecovery::Lost if number == LR => return Err(End::Outermost),
                RegisterRecovery::Lost => {}
                RegisterRecovery::Saved(offset) => {
                    let at = saved(offset);
                    registers.r[number] = read(at).ok_or(End::Unreadable(at))?;
                }
                RegisterRecovery::Offset(offset) => registers.r[number] = saved(offset),
                RegisterRecovery::Moved(other) => registers.r[number] = before[other],
            }
        }
        // After a call R14 is that call's: a function that did not save its own does not return.
        if frame.registers[LR] == RegisterRecovery::Same && !self.exact {
            return Err(End::Outermost);
        }
        return_to(registers, registers.r[LR], read)
    }

    /// The stack grows downwards, so callers are further up; only an exception may have changed the stack.
    fn leads_to(&self, next: &Self, found: Found) -> bool {
        let (before, after) = (self.registers.sp(), next.registers.sp());
        let innermost_leaf = self.exact && !next.exact && before == after;
        matches!(found, Found::Interrupted(_)) || after > before || innermost_leaf
    }
}

/// The frame that a function returns to with these registers.
pub(super) fn return_to(
    mut registers: Registers,
    address: u32,
    read: ReadWord<'_>,
) -> Result<(State, Found), End> {
    if matches!(address, 0 | u32::MAX) {
        return Err(End::Outermost);
    }
    if is_exception_return(address) && registers.exception() != 0 {
        let found = Found::Interrupted(registers.exception());
        let stack = registers.sp();
        let registers = registers.before_exception(address, read).ok_or(End::Unreadable(stack))?;
        return Ok((State { registers, exact: true }, found));
    }
    if !guess::follows_call(address, read) {
        return Err(End::NotCode(address));
    }
    registers.r[PC] = address & !1;
    Ok((State { registers, exact: false }, Found::Called))
}
