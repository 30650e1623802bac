//! The last instructions that a core executed, reconstructed from its last branches: between two of them instructions lie
//! in a row. Code is read as it is now.

use crate::report::place::{Place, halfwords};
use crate::report::registers::ReadWord;
use cortexm::{BranchTrace, disassemble};
use mcu::image::Symbols;

/// How many are reconstructed.
pub(super) const INSTRUCTIONS: usize = 32;
/// No row of instructions without a branch is longer; a longer one means a reset in between.
const ROW_MAX_BYTES: u32 = 0x1_0000;

/// An instruction that was executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// Where.
    pub place: Place,
    /// What, with the name of a branch's target.
    pub instruction: String,
    /// Whether an exception was taken before the next one of this list.
    pub then_exception: bool,
}

/// The last instructions before the one at `pc`, oldest first, with that one if there is code at all.
pub(super) fn last_instructions(
    pc: u32,
    branches: &BranchTrace,
    read: ReadWord<'_>,
    symbols: &Symbols,
) -> Vec<Executed> {
    let executed = |address: u32, then_exception: bool| {
        let (first, second) = halfwords(read, address)?;
        let place = Place::of(address, symbols);
        let instruction = disassemble(address, first, second).with_names(symbols);
        Some(Executed { place, instruction, then_exception })
    };
    // From the last one backwards.
    let mut list: Vec<Executed> = Vec::new();
    let mut row_end = Some((pc, false));
    for branch in branches.backwards() {
        let Some((last, excluded)) = row_end else { break };
        let Some(row) = row(branch.to, last, read) else { break };
        let row = if excluded { &row[..row.len() - 1] } else { &row[..] };
        for (behind, &address) in row.iter().rev().enumerate() {
            list.extend(executed(address, excluded && behind == 0));
        }
        row_end = Some((branch.from, branch.is_exception));
        if list.len() >= INSTRUCTIONS {
            break;
        }
    }
    if list.is_empty() {
        list.extend(executed(pc, false));
    }
    list.truncate(INSTRUCTIONS);
    list.reverse();
    list
}

/// The addresses of the instructions from `first` to `last`; nothing when they are no row.
fn row(first: u32, last: u32, read: ReadWord<'_>) -> Option<Vec<u32>> {
    if last.wrapping_sub(first) > ROW_MAX_BYTES {
        return None;
    }
    let mut addresses = Vec::new();
    let mut at = first;
    while at < last {
        addresses.push(at);
        let (halfword, second) = halfwords(read, at)?;
        at = at.wrapping_add(disassemble(at, halfword, second).bytes);
    }
    (at == last).then(|| {
        addresses.push(last);
        addresses
    })
}
