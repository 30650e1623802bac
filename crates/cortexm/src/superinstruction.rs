//! Superinstructions: two or three instructions that compilers write one behind the other, each such group with a kind of its
//! own ([`isa`](crate::isa)), so that the interpreter decides once what to do for all of them. They are a matter of speed
//! alone: near the end of a stretch, and while somebody looks on, the interpreter takes the first instruction only.

use crate::isa::{Kind, SUPERINSTRUCTIONS};

/// Instructions in the longest superinstruction.
pub(crate) const LONGEST: usize = 3;
/// What the instructions of one before its last take at the most, all memory being SRAM.
pub(super) const MOST_CYCLES_BEFORE_LAST: u64 = 9;

/// Of every superinstruction the kind of its first part.
static FIRST: [Kind; u8::MAX as usize + 1] = {
    let mut first = [Kind::Undecoded; u8::MAX as usize + 1];
    let mut number = 0;
    while number < SUPERINSTRUCTIONS.len() {
        first[SUPERINSTRUCTIONS[number].0 as usize] = SUPERINSTRUCTIONS[number].1[0];
        number += 1;
    }
    first
};

/// Of every superinstruction the kinds of the parts behind the first.
static FURTHER: [&[Kind]; u8::MAX as usize + 1] = {
    let mut further: [&[Kind]; u8::MAX as usize + 1] = [&[]; u8::MAX as usize + 1];
    let mut number = 0;
    while number < SUPERINSTRUCTIONS.len() {
        let (kind, parts) = SUPERINSTRUCTIONS[number];
        if let Some((_, rest)) = parts.split_first() {
            further[kind as usize] = rest;
        }
        number += 1;
    }
    further
};

/// Of every kind how many instructions it has.
static LENGTHS: [u8; u8::MAX as usize + 1] = {
    let mut lengths = [1; u8::MAX as usize + 1];
    let mut number = 0;
    while number < SUPERINSTRUCTIONS.len() {
        lengths[SUPERINSTRUCTIONS[number].0 as usize] = SUPERINSTRUCTIONS[number].1.len() as u8;
        number += 1;
    }
    lengths
};

impl Kind {
    /// How many instructions it has.
    pub(super) fn length(self) -> u32 {
        u32::from(LENGTHS[self as usize])
    }

    /// The kind of one instruction: itself, or the first part of a superinstruction.
    #[inline]
    pub(super) fn first(self) -> Self {
        match FIRST[self as usize] {
            Self::Undecoded => self,
            first => first,
        }
    }

    /// The kind of the first instruction, and those of the further ones of a superinstruction.
    pub(super) fn in_parts(self) -> (Self, &'static [Self]) {
        (self.first(), FURTHER[self as usize])
    }
}

/// For every kind the superinstructions that it begins: the number of the first one, and of the one behind the last.
static BEGUN: [(u8, u8); u8::MAX as usize + 1] = {
    let mut begun = [(0, 0); u8::MAX as usize + 1];
    let mut number = 0;
    while number < SUPERINSTRUCTIONS.len() {
        let entry = &mut begun[SUPERINSTRUCTIONS[number].1[0] as usize];
        if entry.1 == 0 {
            entry.0 = number as u8;
        }
        entry.1 = number as u8 + 1;
        number += 1;
    }
    begun
};

/// The longest superinstruction that begins with an instruction of this kind; `follows` tells the kinds of those behind it.
pub(super) fn longest(kind: Kind, mut follows: impl FnMut(usize) -> Kind) -> Option<(Kind, usize)> {
    let (first, end) = BEGUN[kind as usize];
    let candidates = &SUPERINSTRUCTIONS[usize::from(first)..usize::from(end)];
    let found =
        candidates.iter().find(|(_, parts)| (1..parts.len()).all(|number| parts[number] == follows(number)));
    found.map(|(kind, parts)| (*kind, parts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_superinstruction_is_found_by_its_parts_and_named_after_them() {
        for (whole, parts) in SUPERINSTRUCTIONS {
            // None is hidden behind another that is shorter or the same.
            assert_eq!(longest(parts[0], |number| parts[number]), Some((*whole, parts.len())), "{whole:?}");
            assert_eq!((whole.first(), whole.length() as usize), (parts[0], parts.len()));
            assert!((2..=LONGEST).contains(&parts.len()));
            let names: Vec<String> = parts.iter().map(|part| format!("{part:?}")).collect();
            assert_eq!(format!("{whole:?}"), names.join("Then"));
        }
    }

    #[test]
    fn what_begins_no_superinstruction_stays_alone() {
        assert_eq!(longest(Kind::BranchExchange, |_| Kind::Nop), None);
        assert_eq!(longest(Kind::CmpImmediate, |_| Kind::Nop), None);
        assert_eq!(Kind::Nop.first(), Kind::Nop);
    }
}
