//! Callers without call frame information, as in images without symbols and in assembler: a guess. A return address is odd
//! and follows a call (BL or BLX). It is where the pushes at the beginning of the function put it, if that is known
//! (by its symbol, or as the target of the call); else it is the first one on the stack that could be meant.
//!
//! What misleads it: functions that make room on the stack by more than a constant, that push behind a branch, and
//! return addresses that calls long ago left on the stack.

use crate::report::backtrace::{End, Found, State, return_to};
use crate::report::place::{halfwords, is_code};
use crate::report::registers::{ReadWord, Registers, is_exception_return};
use cortexm::{LR, SP};
use mcu::image::Symbols;

/// How much of the stack is searched.
const SEARCHED_WORDS: u32 = 256;
/// How long a function can be for the target of a call to be its beginning.
const FUNCTION_MAX_BYTES: u32 = 0x4000;
/// How much a handler that has called nobody can have on the stack.
const HANDLER_WORDS: u32 = 64;
const BX_LR: u16 = 0x4770;
/// The bits of xPSR that a stack frame can have, and the one that it must have (ARMv6-M Architecture Reference Manual B1.4.2).
const XPSR_BITS: u32 = 0xf100_023f;
const XPSR_THUMB: u32 = 1 << 24;

/// Whether the instruction is in a function of the boot ROM that has nothing on the stack: its trap, or its return.
pub(super) fn is_leaf_of_rom(pc: u32, read: ReadWord<'_>) -> bool {
    let is_trap = |first: u16| first >> 8 == 0xde;
    match halfwords(read, pc) {
        Some((BX_LR, _)) => true,
        Some((first, BX_LR)) => is_trap(first),
        _ => false,
    }
}

/// The frame that seems to have called.
pub(super) fn caller(state: &State, read: ReadWord<'_>, symbols: &Symbols) -> Result<(State, Found), End> {
    let guess =
        Guess { state, read, start: start_of_function(state, symbols), has_names: !symbols.is_empty() };
    if !is_code(state.registers.pc()) {
        return guess.after_a_jump_to_nowhere();
    }
    guess.by_beginning().or_else(|| guess.in_register()).or_else(|| guess.on_stack()).ok_or(End::Unknown)
}

fn start_of_function(state: &State, symbols: &Symbols) -> Option<u32> {
    let within = state.within();
    symbols.function_at(within).map(|(_, offset)| within.wrapping_sub(offset) & !1)
}

struct Guess<'a> {
    state: &'a State,
    read: ReadWord<'a>,
    /// Where the function begins, by its symbol.
    start: Option<u32>,
    has_names: bool,
}

type Caller = (State, Found);

impl Guess<'_> {
    /// A call of an address where no code is leaves its return address in R14; a damaged return address leaves an old one.
    fn after_a_jump_to_nowhere(&self) -> Result<Caller, End> {
        let link = self.state.registers.r[LR];
        match call_before(self.read, link) {
            Some(Call::Indirect) => return_to(self.state.registers, link, self.read),
            None if is_exception_return(link) => return_to(self.state.registers, link, self.read),
            Some(Call::To(_)) | None => self.on_stack().ok_or(End::Unknown),
        }
    }

    /// By what the function pushes at its beginning.
    fn by_beginning(&self) -> Option<Caller> {
        let pushed = pushed_between(self.read, self.start?, self.state.within())?;
        match pushed.below_entry[LR] {
            Some(_) => self.restored(&pushed),
            None if self.state.exact => {
                self.to(self.state.registers.r[LR], self.sp().wrapping_add(pushed.depth))
            }
            None => None,
        }
    }

    /// In R14, if the function that is called there has not saved it yet; or it is a handler that has called nobody.
    fn in_register(&self) -> Option<Caller> {
        let link = self.state.registers.r[LR];
        if !self.state.exact || self.start.is_some() {
            return None;
        }
        if is_exception_return(link) {
            let stacks = (0..HANDLER_WORDS).map(|word| self.sp().wrapping_add(4 * word));
            return stacks.into_iter().find_map(|stack| self.to(link, stack));
        }
        let Some(Call::To(start)) = call_before(self.read, link) else { return None };
        let pushed = pushed_between(self.read, start, self.state.within())?;
        let unsaved = pushed.below_entry[LR].is_none() && self.may_begin_at(start);
        unsaved.then(|| self.to(link, self.sp().wrapping_add(pushed.depth)))?
    }

    /// On the stack: best where the pushes of the called function agree.
    fn on_stack(&self) -> Option<Caller> {
        let mut first = None;
        for slot in (0..SEARCHED_WORDS).map(|word| self.sp().wrapping_add(4 * word)) {
            let Some(value) = (self.read)(slot) else { break };
            let above = slot.wrapping_add(4);
            let interrupted = is_exception_return(value).then(|| self.to(value, above)).flatten();
            if interrupted.is_some() {
                return interrupted;
            }
            match call_before(self.read, value) {
                Some(Call::To(start)) if self.may_begin_at(start) => {
                    let pushed = pushed_between(self.read, start, self.state.within());
                    let agreed = pushed.filter(|pushed| pushed.slot(self.sp(), LR) == Some(slot));
                    if let Some(caller) = agreed.and_then(|pushed| self.restored(&pushed)) {
                        return Some(caller);
                    }
                    first = first.or(Some((value, above)));
                }
                Some(Call::Indirect) if self.state.exact || !self.has_names => {
                    first = first.or(Some((value, above)));
                }
                _ => {}
            }
        }
        first.and_then(|(value, above)| self.to(value, above))
    }

    fn sp(&self) -> u32 {
        self.state.registers.sp()
    }

    /// Whether the function could begin there.
    fn may_begin_at(&self, start: u32) -> bool {
        let within = self.state.within();
        match self.start {
            Some(known) => known == start,
            // Names are known, and there is none here: no function, or a jump to nowhere.
            None => !is_code(within) || within.wrapping_sub(start) < FUNCTION_MAX_BYTES,
        }
    }

    /// With the registers that the function pushed.
    fn restored(&self, pushed: &Pushed) -> Option<Caller> {
        let mut registers = self.state.registers;
        for number in 0..=LR {
            if let Some(slot) = pushed.slot(self.sp(), number) {
                registers.r[number] = (self.read)(slot)?;
            }
        }
        let entry = self.sp().wrapping_add(pushed.depth);
        let link = registers.r[LR];
        let mut state = *self.state;
        state.registers = registers;
        Guess { state: &state, ..*self }.to(link, entry)
    }

    /// The frame behind a return address, with the stack pointer there.
    fn to(&self, address: u32, stack_pointer: u32) -> Option<Caller> {
        let mut registers = self.state.registers;
        registers.r[SP] = stack_pointer;
        let (state, found) = return_to(registers, address, self.read).ok()?;
        match found {
            Found::Interrupted(_) if is_interrupted(&state.registers) => Some((state, found)),
            Found::Interrupted(_) => None,
            _ => Some((state, Found::Guessed)),
        }
    }
}

/// Whether these could be the registers of interrupted code, and not something else that lay on the stack.
fn is_interrupted(registers: &Registers) -> bool {
    let is_xpsr = registers.xpsr & !XPSR_BITS == 0 && registers.xpsr & XPSR_THUMB != 0;
    is_xpsr && is_code(registers.pc())
}

/// Whether this could be a return address: odd, and behind a call, if there is memory to look at.
pub(super) fn follows_call(address: u32, read: ReadWord<'_>) -> bool {
    let unknown = address & 1 == 1 && is_code(address) && halfwords(read, address.wrapping_sub(4)).is_none();
    unknown || call_before(read, address).is_some()
}

/// The call in front of a return address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    To(u32),
    Indirect,
}

fn call_before(read: ReadWord<'_>, address: u32) -> Option<Call> {
    if address & 1 == 0 || !is_code(address) {
        return None;
    }
    let after = address & !1;
    let (first, second) = halfwords(read, after.wrapping_sub(4))?;
    let is_blx = second & 0xff87 == 0x4780;
    match super::disassemble(after.wrapping_sub(4), first, second) {
        super::Instruction { bytes: 4, target: Some(super::Target::Branch(target)), .. } => {
            Some(Call::To(target))
        }
        _ => is_blx.then_some(Call::Indirect),
    }
}

/// What a function has put on the stack.
#[derive(Debug, Clone, Copy)]
struct Pushed {
    /// Bytes by which the stack pointer is lower than at its beginning.
    depth: u32,
    /// Where each register is, in bytes below the stack pointer at its beginning.
    below_entry: [Option<u32>; 16],
}

impl Pushed {
    fn slot(&self, sp: u32, number: usize) -> Option<u32> {
        Some(sp.wrapping_add(self.depth).wrapping_sub(self.below_entry[number]?))
    }

    fn push(&mut self, registers: u32) {
        self.depth += 4 * registers.count_ones();
        let pushed = (0..16).filter(|number| registers >> number & 1 == 1);
        for (index, number) in (0..).zip(pushed) {
            self.below_entry[number].get_or_insert(self.depth - 4 * index);
        }
    }
}

/// Walks from a function's beginning to an instruction of it; nothing when the stack pointer was changed by a register.
fn pushed_between(read: ReadWord<'_>, start: u32, end: u32) -> Option<Pushed> {
    let mut pushed = Pushed { depth: 0, below_entry: [None; 16] };
    let mut deepest = 0;
    let mut at = start & !1;
    if end.wrapping_sub(at) >= FUNCTION_MAX_BYTES {
        return None;
    }
    while at < end {
        let (first, second) = halfwords(read, at)?;
        let code = u32::from(first);
        match code >> 7 {
            0b1_0110_1000..=0b1_0110_1011 => pushed.push(code & 0xff | (code & 0x100) << 6),
            0b1_0110_0001 => pushed.depth += (code & 0x7f) << 2,
            0b1_0110_0000 => pushed.depth = pushed.depth.checked_sub((code & 0x7f) << 2)?,
            0b1_0111_1000..=0b1_0111_1001 => {
                pushed.depth = pushed.depth.checked_sub(4 * (code & 0xff).count_ones())?;
            }
            _ => {}
        }
        // Behind a return in the middle the stack is as it was before that return was prepared.
        let returns = code & 0xff00 == 0xbd00 || first == BX_LR;
        let adds_register_to_sp = code & 0xff87 == 0x4485;
        if adds_register_to_sp {
            return None;
        }
        deepest = deepest.max(pushed.depth);
        if returns {
            pushed.depth = deepest;
        }
        at = at.wrapping_add(super::disassemble(at, first, second).bytes);
    }
    Some(pushed)
}
