//! What the walk does for each kind of operation that goes on to its successor: of one instruction, or of a row, the class of
//! each instruction (`compute`, `load`, `store`, `load_list`, `store_list`, `branch`) and the kind that it has. How a class is
//! executed is the walk's business.
//!
//! It is a macro because the arms are the walk's own code: each of them executes a kind that is known where it stands.

/// A `match` of the kind, whose arms execute instructions of a row by the walk's `row!`; the walk adds those that leave it or go
/// elsewhere.
macro_rules! dispatch {
    ($kind:expr, $row:ident; $($others:tt)*) => {
        match $kind {
            Kind::Nop => row!($row; compute Nop),
            Kind::MovImmediate => row!($row; compute MovImmediate),
            Kind::MovsRegister => row!($row; compute MovsRegister),
            Kind::LslImmediate => row!($row; compute LslImmediate),
            Kind::LsrImmediate => row!($row; compute LsrImmediate),
            Kind::Lsr32 => row!($row; compute Lsr32),
            Kind::AsrImmediate => row!($row; compute AsrImmediate),
            Kind::Asr32 => row!($row; compute Asr32),
            Kind::AddRegister => row!($row; compute AddRegister),
            Kind::SubRegister => row!($row; compute SubRegister),
            Kind::AddImmediate => row!($row; compute AddImmediate),
            Kind::SubImmediate => row!($row; compute SubImmediate),
            Kind::CmpImmediate => row!($row; compute CmpImmediate),
            Kind::And => row!($row; compute And),
            Kind::Eor => row!($row; compute Eor),
            Kind::LslRegister => row!($row; compute LslRegister),
            Kind::LsrRegister => row!($row; compute LsrRegister),
            Kind::AsrRegister => row!($row; compute AsrRegister),
            Kind::Adc => row!($row; compute Adc),
            Kind::Sbc => row!($row; compute Sbc),
            Kind::Ror => row!($row; compute Ror),
            Kind::Tst => row!($row; compute Tst),
            Kind::Neg => row!($row; compute Neg),
            Kind::CmpRegister => row!($row; compute CmpRegister),
            Kind::Cmn => row!($row; compute Cmn),
            Kind::Orr => row!($row; compute Orr),
            Kind::Mul => row!($row; compute Mul),
            Kind::Bic => row!($row; compute Bic),
            Kind::Mvn => row!($row; compute Mvn),
            Kind::AddHigh => row!($row; compute AddHigh),
            Kind::MovHigh => row!($row; compute MovHigh),
            Kind::Constant => row!($row; compute Constant),
            Kind::AddAddress => row!($row; compute AddAddress),
            Kind::ToStackPointer => row!($row; compute ToStackPointer),
            Kind::AdjustStackPointer => row!($row; compute AdjustStackPointer),
            Kind::AddProgramCounter => row!($row; compute AddProgramCounter),
            Kind::SignExtendHalf => row!($row; compute SignExtendHalf),
            Kind::SignExtendByte => row!($row; compute SignExtendByte),
            Kind::ZeroExtendHalf => row!($row; compute ZeroExtendHalf),
            Kind::ZeroExtendByte => row!($row; compute ZeroExtendByte),
            Kind::Rev => row!($row; compute Rev),
            Kind::Rev16 => row!($row; compute Rev16),
            Kind::Revsh => row!($row; compute Revsh),
            Kind::LoadLiteral => row!($row; load LoadLiteral),
            Kind::LoadWordImmediate => row!($row; load LoadWordImmediate),
            Kind::LoadWordRegister => row!($row; load LoadWordRegister),
            Kind::LoadHalfImmediate => row!($row; load LoadHalfImmediate),
            Kind::LoadHalfRegister => row!($row; load LoadHalfRegister),
            Kind::LoadByteImmediate => row!($row; load LoadByteImmediate),
            Kind::LoadByteRegister => row!($row; load LoadByteRegister),
            Kind::LoadSignedHalf => row!($row; load LoadSignedHalf),
            Kind::LoadSignedByte => row!($row; load LoadSignedByte),
            Kind::StoreWordImmediate => row!($row; store StoreWordImmediate),
            Kind::StoreWordRegister => row!($row; store StoreWordRegister),
            Kind::StoreHalfImmediate => row!($row; store StoreHalfImmediate),
            Kind::StoreHalfRegister => row!($row; store StoreHalfRegister),
            Kind::StoreByteImmediate => row!($row; store StoreByteImmediate),
            Kind::StoreByteRegister => row!($row; store StoreByteRegister),
            Kind::Push => row!($row; store_list Push),
            Kind::StoreMultiple => row!($row; store_list StoreMultiple),
            Kind::Pop => row!($row; load_list Pop),
            Kind::LoadMultiple => row!($row; load_list LoadMultiple),
            Kind::PopProgramCounter => row!($row; load_list PopProgramCounter),
            Kind::BranchEq => row!($row; branch BranchEq),
            Kind::BranchNe => row!($row; branch BranchNe),
            Kind::BranchCs => row!($row; branch BranchCs),
            Kind::BranchCc => row!($row; branch BranchCc),
            Kind::BranchMi => row!($row; branch BranchMi),
            Kind::BranchPl => row!($row; branch BranchPl),
            Kind::BranchVs => row!($row; branch BranchVs),
            Kind::BranchVc => row!($row; branch BranchVc),
            Kind::BranchHi => row!($row; branch BranchHi),
            Kind::BranchLs => row!($row; branch BranchLs),
            Kind::BranchGe => row!($row; branch BranchGe),
            Kind::BranchLt => row!($row; branch BranchLt),
            Kind::BranchGt => row!($row; branch BranchGt),
            Kind::BranchLe => row!($row; branch BranchLe),
            Kind::LoadWordImmediateThenCmpImmediateThenBranchEq => {
                row!($row; load LoadWordImmediate; compute CmpImmediate; branch BranchEq);
            }
            Kind::LoadWordImmediateThenCmpImmediateThenBranchNe => {
                row!($row; load LoadWordImmediate; compute CmpImmediate; branch BranchNe);
            }
            Kind::LoadByteImmediateThenCmpImmediateThenBranchEq => {
                row!($row; load LoadByteImmediate; compute CmpImmediate; branch BranchEq);
            }
            Kind::LoadByteImmediateThenCmpImmediateThenBranchNe => {
                row!($row; load LoadByteImmediate; compute CmpImmediate; branch BranchNe);
            }
            Kind::AddRegisterThenCmpImmediateThenBranchNe => {
                row!($row; compute AddRegister; compute CmpImmediate; branch BranchNe);
            }
            Kind::AddRegisterThenCmpRegisterThenBranchNe => {
                row!($row; compute AddRegister; compute CmpRegister; branch BranchNe);
            }
            Kind::AddImmediateThenCmpImmediateThenBranchNe => {
                row!($row; compute AddImmediate; compute CmpImmediate; branch BranchNe);
            }
            Kind::AddImmediateThenCmpRegisterThenBranchNe => {
                row!($row; compute AddImmediate; compute CmpRegister; branch BranchNe);
            }
            Kind::SubImmediateThenCmpImmediateThenBranchNe => {
                row!($row; compute SubImmediate; compute CmpImmediate; branch BranchNe);
            }
            Kind::SubImmediateThenCmpRegisterThenBranchNe => {
                row!($row; compute SubImmediate; compute CmpRegister; branch BranchNe);
            }
            Kind::CmpImmediateThenBranchEq => row!($row; compute CmpImmediate; branch BranchEq),
            Kind::CmpImmediateThenBranchNe => row!($row; compute CmpImmediate; branch BranchNe),
            Kind::CmpImmediateThenBranchCs => row!($row; compute CmpImmediate; branch BranchCs),
            Kind::CmpImmediateThenBranchCc => row!($row; compute CmpImmediate; branch BranchCc),
            Kind::CmpImmediateThenBranchHi => row!($row; compute CmpImmediate; branch BranchHi),
            Kind::CmpImmediateThenBranchLs => row!($row; compute CmpImmediate; branch BranchLs),
            Kind::CmpImmediateThenBranchGe => row!($row; compute CmpImmediate; branch BranchGe),
            Kind::CmpImmediateThenBranchLt => row!($row; compute CmpImmediate; branch BranchLt),
            Kind::CmpImmediateThenBranchGt => row!($row; compute CmpImmediate; branch BranchGt),
            Kind::CmpImmediateThenBranchLe => row!($row; compute CmpImmediate; branch BranchLe),
            Kind::CmpRegisterThenBranchEq => row!($row; compute CmpRegister; branch BranchEq),
            Kind::CmpRegisterThenBranchNe => row!($row; compute CmpRegister; branch BranchNe),
            Kind::CmpRegisterThenBranchCs => row!($row; compute CmpRegister; branch BranchCs),
            Kind::CmpRegisterThenBranchCc => row!($row; compute CmpRegister; branch BranchCc),
            Kind::CmpRegisterThenBranchHi => row!($row; compute CmpRegister; branch BranchHi),
            Kind::CmpRegisterThenBranchLs => row!($row; compute CmpRegister; branch BranchLs),
            Kind::CmpRegisterThenBranchGe => row!($row; compute CmpRegister; branch BranchGe),
            Kind::CmpRegisterThenBranchLt => row!($row; compute CmpRegister; branch BranchLt),
            Kind::CmpRegisterThenBranchGt => row!($row; compute CmpRegister; branch BranchGt),
            Kind::CmpRegisterThenBranchLe => row!($row; compute CmpRegister; branch BranchLe),
            Kind::SubImmediateThenBranchEq => row!($row; compute SubImmediate; branch BranchEq),
            Kind::SubImmediateThenBranchNe => row!($row; compute SubImmediate; branch BranchNe),
            Kind::SubImmediateThenBranchCs => row!($row; compute SubImmediate; branch BranchCs),
            Kind::SubImmediateThenBranchCc => row!($row; compute SubImmediate; branch BranchCc),
            Kind::SubImmediateThenBranchPl => row!($row; compute SubImmediate; branch BranchPl),
            Kind::TstThenBranchEq => row!($row; compute Tst; branch BranchEq),
            Kind::TstThenBranchNe => row!($row; compute Tst; branch BranchNe),
            Kind::LslImmediateThenBranchMi => row!($row; compute LslImmediate; branch BranchMi),
            Kind::LslImmediateThenBranchPl => row!($row; compute LslImmediate; branch BranchPl),
            Kind::LoadWordImmediateThenLoadWordImmediate => {
                row!($row; load LoadWordImmediate; load LoadWordImmediate);
            }
            Kind::LoadWordImmediateThenStoreWordImmediate => {
                row!($row; load LoadWordImmediate; store StoreWordImmediate);
            }
            Kind::StoreWordImmediateThenLoadWordImmediate => {
                row!($row; store StoreWordImmediate; load LoadWordImmediate);
            }
            Kind::StoreWordImmediateThenStoreWordImmediate => {
                row!($row; store StoreWordImmediate; store StoreWordImmediate);
            }
            Kind::LoadWordImmediateThenCmpRegister => {
                row!($row; load LoadWordImmediate; compute CmpRegister);
            }
            Kind::LoadWordImmediateThenAddImmediate => {
                row!($row; load LoadWordImmediate; compute AddImmediate);
            }
            Kind::LoadHalfImmediateThenAddImmediate => {
                row!($row; load LoadHalfImmediate; compute AddImmediate);
            }
            Kind::LoadByteImmediateThenAddImmediate => {
                row!($row; load LoadByteImmediate; compute AddImmediate);
            }
            Kind::StoreWordImmediateThenAddImmediate => {
                row!($row; store StoreWordImmediate; compute AddImmediate);
            }
            Kind::StoreByteImmediateThenAddImmediate => {
                row!($row; store StoreByteImmediate; compute AddImmediate);
            }
            Kind::LoadLiteralThenLoadWordImmediate => row!($row; load LoadLiteral; load LoadWordImmediate),
            Kind::LoadLiteralThenStoreWordImmediate => {
                row!($row; load LoadLiteral; store StoreWordImmediate);
            }
            Kind::LoadLiteralThenLoadLiteral => row!($row; load LoadLiteral; load LoadLiteral),
            Kind::StoreWordImmediateThenLoadLiteral => {
                row!($row; store StoreWordImmediate; load LoadLiteral);
            }
            Kind::MovsRegisterThenMovsRegister => row!($row; compute MovsRegister; compute MovsRegister),
            Kind::MovImmediateThenMovsRegister => row!($row; compute MovImmediate; compute MovsRegister),
            Kind::MovImmediateThenMovImmediate => row!($row; compute MovImmediate; compute MovImmediate),
            Kind::MovImmediateThenLslImmediate => row!($row; compute MovImmediate; compute LslImmediate),
            Kind::MovHighThenMovHigh => row!($row; compute MovHigh; compute MovHigh),
            Kind::MovHighThenLoadWordImmediate => row!($row; compute MovHigh; load LoadWordImmediate),
            Kind::MovImmediateThenStoreWordImmediate => {
                row!($row; compute MovImmediate; store StoreWordImmediate);
            }
            Kind::StoreWordImmediateThenMovImmediate => {
                row!($row; store StoreWordImmediate; compute MovImmediate);
            }
            Kind::MovsRegisterThenLoadWordImmediate => {
                row!($row; compute MovsRegister; load LoadWordImmediate);
            }
            Kind::MovsRegisterThenAddImmediate => row!($row; compute MovsRegister; compute AddImmediate),
            Kind::LslImmediateThenLsrImmediate => row!($row; compute LslImmediate; compute LsrImmediate),
            Kind::LslImmediateThenAsrImmediate => row!($row; compute LslImmediate; compute AsrImmediate),
            Kind::LslImmediateThenAddRegister => row!($row; compute LslImmediate; compute AddRegister),
            Kind::LslImmediateThenOrr => row!($row; compute LslImmediate; compute Orr),
            Kind::LslImmediateThenEor => row!($row; compute LslImmediate; compute Eor),
            Kind::LsrImmediateThenEor => row!($row; compute LsrImmediate; compute Eor),
            Kind::LoadMultipleThenStoreMultiple => {
                row!($row; load_list LoadMultiple; store_list StoreMultiple);
            }
            $($others)*
        }
    };
}

pub(super) use dispatch;
