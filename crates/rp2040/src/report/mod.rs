//! What a user reads when an image fails: a fault with the code and the calls that led to it ([`FaultReport`]), and one
//! sentence for each way in which a run can stop ([`describe_stop`]).
//!
//! It only reads: the chip as a debugger sees it, and the image's symbols. Memory is read as it is when the report is made,
//! registers are those at the fault.

mod backtrace;
mod guess;
mod history;
mod place;
mod registers;
mod stack;
mod stop;
#[cfg(test)]
mod tests;
mod text;
mod waking;

use units::Picoseconds;

use crate::chip::{AtFault, Rp2040};
use cortexm::SP;
use mcu::image::Symbols;
use mcu::{Fault, FaultKind};

pub use backtrace::{Backtrace, End, Found, Frame, backtrace};
pub use cortexm::{Instruction, Target, disassemble};
pub use history::Executed;
pub use place::Place;
pub use registers::{INTERRUPTS, ReadWord, Registers, exception_name};
pub use stop::{describe_cores, describe_hang, describe_stop, describe_stopped_clock, end_status};
pub use waking::wakes_from_outside;

/// A fault, with what a user needs to find its reason. Its text has at most 60 lines; the fields have everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultReport {
    /// What happened, in a sentence with the place.
    pub what: String,
    /// What else points to the reason.
    pub notes: Vec<String>,
    /// The core, 0 or 1.
    pub core: u8,
    /// When.
    pub at: Picoseconds,
    /// The cycle of clk_sys, counted from the start.
    pub cycle: u64,
    /// The instruction that faulted, or the address that was jumped to.
    pub place: Place,
    /// Where a jump to no code came from.
    pub jumped_from: Option<Place>,
    /// The instruction, where there is one, with the name of a branch's target.
    pub instruction: Option<String>,
    /// The registers before the fault was handled.
    pub registers: Registers,
    /// Who called whom.
    pub backtrace: Backtrace,
    /// The last instructions, oldest first; the last one is the one that faulted, where there is one.
    pub last_instructions: Vec<Executed>,
}

impl FaultReport {
    /// The report of a fault of a chip. Best right after the run that came back with it: the stack changes when it goes on.
    pub fn of(chip: &Rp2040, symbols: &Symbols, fault: Fault) -> Self {
        let now;
        let state = match chip.at_fault().filter(|kept| kept.fault == fault) {
            Some(kept) => kept,
            None => {
                let core = chip.core(usize::from(fault.core)).clone();
                let vector_table = chip.vector_table(core.id);
                now = AtFault { fault, core, vector_table, no_handler: None, answer_until: None };
                &now
            }
        };
        let read = registers::reader(chip);
        let failed_entry = failed_entry(state, &read);
        let mut registers = Registers::of(&state.core);
        if let Some(before) = failed_entry.and_then(|_| registers.before_exception(registers.r[14], &read)) {
            registers = before;
        }
        let mut report = Self {
            what: String::new(),
            notes: Vec::new(),
            core: fault.core,
            at: chip.time_of(state.core.cycle),
            cycle: state.core.cycle,
            place: Place::of(fault.pc, symbols),
            jumped_from: jumped_from(state, symbols),
            instruction: instruction_at(fault, &read).map(|instruction| instruction.with_names(symbols)),
            registers,
            backtrace: backtrace(&for_backtrace(state, registers, &read), &read, symbols),
            last_instructions: history::last_instructions(fault.pc, &state.core.branches, &read, symbols),
        };
        report.what = report.sentence(state, failed_entry);
        report.notes = notes(chip, state, &registers, &read);
        report.notes.extend(stack::overflow(usize::from(fault.core), &registers, symbols));
        report
    }

    fn sentence(&self, state: &AtFault, failed_entry: Option<u32>) -> String {
        let fault = state.fault;
        if let Some(number) = failed_entry {
            return format!(
                "core {} at {}: {}",
                fault.core,
                self.place,
                no_vector(state, fault.kind, number)
            );
        }
        match &self.jumped_from {
            Some(from) => format!("core {} faulted: {}, from {from}", fault.core, fault.kind),
            None => {
                format!("core {} faulted: {}, by the instruction at {}", fault.core, fault.kind, self.place)
            }
        }
    }
}

/// The instruction that faulted, where there is one.
fn instruction_at(fault: Fault, read: ReadWord<'_>) -> Option<Instruction> {
    let fetched = !matches!(fault.kind, FaultKind::Fetch { .. });
    let (first, second) = fetched.then(|| place::halfwords(read, fault.pc)).flatten()?;
    Some(disassemble(fault.pc, first, second))
}

/// The exception whose handler could not be entered, if that is the fault: its vector cannot be read or is none.
fn failed_entry(state: &AtFault, read: ReadWord<'_>) -> Option<u32> {
    let number = state.core.ipsr;
    let vector = state.vector_table.wrapping_add(4 * number);
    let failed = match state.fault.kind {
        _ if number == 0 => false,
        FaultKind::Unmapped { address, .. } | FaultKind::Unaligned { address, .. } => address == vector,
        FaultKind::NotThumb { target } => {
            read(vector) == Some(target) && !returns_or_branches(state.fault.pc, read)
        }
        _ => false,
    };
    failed.then_some(number)
}

fn returns_or_branches(pc: u32, read: ReadWord<'_>) -> bool {
    let code = place::halfwords(read, pc).map_or(0, |(first, _)| first);
    code & 0xff00 == 0x4700 || code & 0xff00 == 0xbd00
}

/// Why a handler could not be entered.
fn no_vector(state: &AtFault, kind: FaultKind, number: u32) -> String {
    let (exception, table) = (exception_name(number), state.vector_table);
    let vector = table.wrapping_add(4 * number);
    match kind {
        FaultKind::NotThumb { target } => format!(
            "{exception} came, but its entry of the vector table at {table:#010x} is {target:#010x}, which is no handler"
        ),
        FaultKind::Unmapped { address, .. } if address == vector => {
            format!("{exception} came, but the vector table at {table:#010x} (VTOR) is where no memory is")
        }
        // The registers are stacked before the vector is read (ARMv6-M manual, B1.5.6).
        FaultKind::Unmapped { write: true, .. } => {
            format!("{exception} came, but the registers cannot be put on the stack: {kind}")
        }
        other => format!("{exception} came, but its handler cannot be entered: {other}"),
    }
}

fn notes(chip: &Rp2040, state: &AtFault, registers: &Registers, read: ReadWord<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let sp = registers.sp();
    if place::memory_name(sp.wrapping_sub(4)) != "SRAM" {
        notes.push(format!(
            "the stack pointer {sp:#010x} is outside SRAM: the stack has overflowed or was never set"
        ));
    }
    let code = place::halfwords(read, state.fault.pc).map_or(0, |(first, _)| first);
    if let Some(function) = chip.rom().function_at(state.fault.pc, code) {
        notes.push(format!("it happened in the boot ROM's function {function:?}"));
    }
    if let Some(kind) = state.no_handler {
        notes.push(no_vector(state, kind, cortexm::HARD_FAULT));
    }
    notes
}

/// The branch that led to where no code is.
fn jumped_from(state: &AtFault, symbols: &Symbols) -> Option<Place> {
    let FaultKind::Fetch { .. } = state.fault.kind else { return None };
    let last = state.core.branches.backwards().next()?;
    (last.to == state.fault.pc).then(|| Place::of(last.from, symbols))
}

/// A `pop` that loads a bad program counter has moved the stack pointer already.
fn for_backtrace(state: &AtFault, mut registers: Registers, read: ReadWord<'_>) -> Registers {
    let popped = match (state.fault.kind, place::halfwords(read, state.fault.pc)) {
        (FaultKind::NotThumb { .. }, Some((first, _))) if first & 0xff00 == 0xbd00 => {
            4 * ((first & 0xff).count_ones() + 1)
        }
        _ => 0,
    };
    registers.r[SP] = registers.sp().wrapping_sub(popped);
    registers
}
