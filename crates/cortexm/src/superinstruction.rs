//! Rows of two or three instructions that compilers write one behind the other, each with a kind of its own, so that the
//! walk decides once what to do for all of them. A row is a matter of speed alone: near the end of a stretch, and while
//! somebody looks on, the walk takes the first instruction only.

use crate::op::Kind;

/// Instructions in the longest row.
pub(crate) const LONGEST_ROW: usize = 3;
/// What the instructions of a row before its last one take at the most, all memory being SRAM.
pub(super) const MOST_CYCLES_BEFORE_LAST: u64 = 9;

/// The rows, those with the same first instruction side by side, of which the longer ones come first.
const ROWS: &[(Kind, &[Kind])] = &[
    (
        Kind::LoadWordImmediateThenCmpImmediateThenBranchEq,
        &[Kind::LoadWordImmediate, Kind::CmpImmediate, Kind::BranchEq],
    ),
    (
        Kind::LoadWordImmediateThenCmpImmediateThenBranchNe,
        &[Kind::LoadWordImmediate, Kind::CmpImmediate, Kind::BranchNe],
    ),
    (Kind::LoadWordImmediateThenLoadWordImmediate, &[Kind::LoadWordImmediate, Kind::LoadWordImmediate]),
    (Kind::LoadWordImmediateThenStoreWordImmediate, &[Kind::LoadWordImmediate, Kind::StoreWordImmediate]),
    (Kind::LoadWordImmediateThenCmpRegister, &[Kind::LoadWordImmediate, Kind::CmpRegister]),
    (Kind::LoadWordImmediateThenAddImmediate, &[Kind::LoadWordImmediate, Kind::AddImmediate]),
    (
        Kind::LoadByteImmediateThenCmpImmediateThenBranchEq,
        &[Kind::LoadByteImmediate, Kind::CmpImmediate, Kind::BranchEq],
    ),
    (
        Kind::LoadByteImmediateThenCmpImmediateThenBranchNe,
        &[Kind::LoadByteImmediate, Kind::CmpImmediate, Kind::BranchNe],
    ),
    (Kind::LoadByteImmediateThenAddImmediate, &[Kind::LoadByteImmediate, Kind::AddImmediate]),
    (Kind::AddRegisterThenCmpImmediateThenBranchNe, &[Kind::AddRegister, Kind::CmpImmediate, Kind::BranchNe]),
    (Kind::AddRegisterThenCmpRegisterThenBranchNe, &[Kind::AddRegister, Kind::CmpRegister, Kind::BranchNe]),
    (
        Kind::AddImmediateThenCmpImmediateThenBranchNe,
        &[Kind::AddImmediate, Kind::CmpImmediate, Kind::BranchNe],
    ),
    (Kind::AddImmediateThenCmpRegisterThenBranchNe, &[Kind::AddImmediate, Kind::CmpRegister, Kind::BranchNe]),
    (
        Kind::SubImmediateThenCmpImmediateThenBranchNe,
        &[Kind::SubImmediate, Kind::CmpImmediate, Kind::BranchNe],
    ),
    (Kind::SubImmediateThenCmpRegisterThenBranchNe, &[Kind::SubImmediate, Kind::CmpRegister, Kind::BranchNe]),
    (Kind::SubImmediateThenBranchEq, &[Kind::SubImmediate, Kind::BranchEq]),
    (Kind::SubImmediateThenBranchNe, &[Kind::SubImmediate, Kind::BranchNe]),
    (Kind::SubImmediateThenBranchCs, &[Kind::SubImmediate, Kind::BranchCs]),
    (Kind::SubImmediateThenBranchCc, &[Kind::SubImmediate, Kind::BranchCc]),
    (Kind::SubImmediateThenBranchPl, &[Kind::SubImmediate, Kind::BranchPl]),
    (Kind::CmpImmediateThenBranchEq, &[Kind::CmpImmediate, Kind::BranchEq]),
    (Kind::CmpImmediateThenBranchNe, &[Kind::CmpImmediate, Kind::BranchNe]),
    (Kind::CmpImmediateThenBranchCs, &[Kind::CmpImmediate, Kind::BranchCs]),
    (Kind::CmpImmediateThenBranchCc, &[Kind::CmpImmediate, Kind::BranchCc]),
    (Kind::CmpImmediateThenBranchHi, &[Kind::CmpImmediate, Kind::BranchHi]),
    (Kind::CmpImmediateThenBranchLs, &[Kind::CmpImmediate, Kind::BranchLs]),
    (Kind::CmpImmediateThenBranchGe, &[Kind::CmpImmediate, Kind::BranchGe]),
    (Kind::CmpImmediateThenBranchLt, &[Kind::CmpImmediate, Kind::BranchLt]),
    (Kind::CmpImmediateThenBranchGt, &[Kind::CmpImmediate, Kind::BranchGt]),
    (Kind::CmpImmediateThenBranchLe, &[Kind::CmpImmediate, Kind::BranchLe]),
    (Kind::CmpRegisterThenBranchEq, &[Kind::CmpRegister, Kind::BranchEq]),
    (Kind::CmpRegisterThenBranchNe, &[Kind::CmpRegister, Kind::BranchNe]),
    (Kind::CmpRegisterThenBranchCs, &[Kind::CmpRegister, Kind::BranchCs]),
    (Kind::CmpRegisterThenBranchCc, &[Kind::CmpRegister, Kind::BranchCc]),
    (Kind::CmpRegisterThenBranchHi, &[Kind::CmpRegister, Kind::BranchHi]),
    (Kind::CmpRegisterThenBranchLs, &[Kind::CmpRegister, Kind::BranchLs]),
    (Kind::CmpRegisterThenBranchGe, &[Kind::CmpRegister, Kind::BranchGe]),
    (Kind::CmpRegisterThenBranchLt, &[Kind::CmpRegister, Kind::BranchLt]),
    (Kind::CmpRegisterThenBranchGt, &[Kind::CmpRegister, Kind::BranchGt]),
    (Kind::CmpRegisterThenBranchLe, &[Kind::CmpRegister, Kind::BranchLe]),
    (Kind::TstThenBranchEq, &[Kind::Tst, Kind::BranchEq]),
    (Kind::TstThenBranchNe, &[Kind::Tst, Kind::BranchNe]),
    (Kind::LslImmediateThenBranchMi, &[Kind::LslImmediate, Kind::BranchMi]),
    (Kind::LslImmediateThenBranchPl, &[Kind::LslImmediate, Kind::BranchPl]),
    (Kind::LslImmediateThenLsrImmediate, &[Kind::LslImmediate, Kind::LsrImmediate]),
    (Kind::LslImmediateThenAsrImmediate, &[Kind::LslImmediate, Kind::AsrImmediate]),
    (Kind::LslImmediateThenAddRegister, &[Kind::LslImmediate, Kind::AddRegister]),
    (Kind::LslImmediateThenOrr, &[Kind::LslImmediate, Kind::Orr]),
    (Kind::LslImmediateThenEor, &[Kind::LslImmediate, Kind::Eor]),
    (Kind::StoreWordImmediateThenLoadWordImmediate, &[Kind::StoreWordImmediate, Kind::LoadWordImmediate]),
    (Kind::StoreWordImmediateThenStoreWordImmediate, &[Kind::StoreWordImmediate, Kind::StoreWordImmediate]),
    (Kind::StoreWordImmediateThenAddImmediate, &[Kind::StoreWordImmediate, Kind::AddImmediate]),
    (Kind::StoreWordImmediateThenLoadLiteral, &[Kind::StoreWordImmediate, Kind::LoadLiteral]),
    (Kind::StoreWordImmediateThenMovImmediate, &[Kind::StoreWordImmediate, Kind::MovImmediate]),
    (Kind::LoadHalfImmediateThenAddImmediate, &[Kind::LoadHalfImmediate, Kind::AddImmediate]),
    (Kind::StoreByteImmediateThenAddImmediate, &[Kind::StoreByteImmediate, Kind::AddImmediate]),
    (Kind::LoadLiteralThenLoadWordImmediate, &[Kind::LoadLiteral, Kind::LoadWordImmediate]),
    (Kind::LoadLiteralThenStoreWordImmediate, &[Kind::LoadLiteral, Kind::StoreWordImmediate]),
    (Kind::LoadLiteralThenLoadLiteral, &[Kind::LoadLiteral, Kind::LoadLiteral]),
    (Kind::MovsRegisterThenMovsRegister, &[Kind::MovsRegister, Kind::MovsRegister]),
    (Kind::MovsRegisterThenLoadWordImmediate, &[Kind::MovsRegister, Kind::LoadWordImmediate]),
    (Kind::MovsRegisterThenAddImmediate, &[Kind::MovsRegister, Kind::AddImmediate]),
    (Kind::MovImmediateThenMovsRegister, &[Kind::MovImmediate, Kind::MovsRegister]),
    (Kind::MovImmediateThenMovImmediate, &[Kind::MovImmediate, Kind::MovImmediate]),
    (Kind::MovImmediateThenLslImmediate, &[Kind::MovImmediate, Kind::LslImmediate]),
    (Kind::MovImmediateThenStoreWordImmediate, &[Kind::MovImmediate, Kind::StoreWordImmediate]),
    (Kind::MovHighThenMovHigh, &[Kind::MovHigh, Kind::MovHigh]),
    (Kind::MovHighThenLoadWordImmediate, &[Kind::MovHigh, Kind::LoadWordImmediate]),
    (Kind::LsrImmediateThenEor, &[Kind::LsrImmediate, Kind::Eor]),
    (Kind::LoadMultipleThenStoreMultiple, &[Kind::LoadMultiple, Kind::StoreMultiple]),
];

/// Of every kind that is a row the kind of its first instruction.
static FIRST: [Kind; u8::MAX as usize + 1] = {
    let mut first = [Kind::Undecoded; u8::MAX as usize + 1];
    let mut row = 0;
    while row < ROWS.len() {
        first[ROWS[row].0 as usize] = ROWS[row].1[0];
        row += 1;
    }
    first
};

impl Kind {
    /// The kind of one instruction: itself, or the first of a row.
    #[inline]
    pub(super) fn first(self) -> Self {
        match FIRST[self as usize] {
            Self::Undecoded => self,
            first => first,
        }
    }
}

/// For every kind the rows that it begins: the number of the first one, and of the one behind the last.
static BEGUN: [(u8, u8); u8::MAX as usize + 1] = {
    let mut begun = [(0, 0); u8::MAX as usize + 1];
    let mut row = 0;
    while row < ROWS.len() {
        let entry = &mut begun[ROWS[row].1[0] as usize];
        if entry.1 == 0 {
            entry.0 = row as u8;
        }
        entry.1 = row as u8 + 1;
        row += 1;
    }
    begun
};

/// The longest row that begins with an instruction of this kind; `follows` tells the kinds of those behind it.
pub(super) fn longest_row(kind: Kind, mut follows: impl FnMut(usize) -> Kind) -> Option<(Kind, usize)> {
    let (first, end) = BEGUN[kind as usize];
    let rows = &ROWS[usize::from(first)..usize::from(end)];
    let row = rows.iter().find(|(_, kinds)| (1..kinds.len()).all(|number| kinds[number] == follows(number)));
    row.map(|(kind, kinds)| (*kind, kinds.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_instructions() {
        for (row, kinds) in ROWS {
            // No row is hidden behind another that is shorter or the same.
            assert_eq!(longest_row(kinds[0], |number| kinds[number]), Some((*row, kinds.len())), "{row:?}");
            assert_eq!(row.first(), kinds[0]);
            assert!((2..=LONGEST_ROW).contains(&kinds.len()));
        }
    }

    #[test]
    fn what_begins_no_row_stays_alone() {
        assert_eq!(longest_row(Kind::BranchExchange, |_| Kind::Nop), None);
        assert_eq!(longest_row(Kind::CmpImmediate, |_| Kind::Nop), None);
        assert_eq!(Kind::Nop.first(), Kind::Nop);
    }
}
