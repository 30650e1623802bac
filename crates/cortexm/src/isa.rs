//! Decoded instructions: what the executor walks over. An instruction is decoded once, when it is first executed, and
//! kept until its memory is written.

/// What an instruction does, with operands named as in [`Op`]. `s` means that the flags are set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Not decoded yet.
    Undecoded,
    /// nop, yield
    Nop,
    Wfe,
    Wfi,
    Sev,
    /// cpsie (a = 0), cpsid (a = 1)
    ChangePrimask,
    /// svc #imm
    Svc,
    /// bkpt #imm
    Bkpt,
    /// dmb, dsb, isb
    Barrier,
    /// mrs a, imm = SYSm
    Mrs,
    /// msr imm = SYSm, a
    Msr,
    /// No instruction of ARMv6-M
    Undefined,
    /// movs a, imm
    MovImmediate,
    /// movs a, b
    MovsRegister,
    /// lsls a, b, #imm (1 to 31); c is the number of the bit that becomes the carry
    LslImmediate,
    /// lsrs a, b, #imm (1 to 31)
    LsrImmediate,
    /// lsrs a, b, #32
    Lsr32,
    /// asrs a, b, #imm (1 to 31; 32 is kept as 31 with another kind)
    AsrImmediate,
    /// asrs a, b, #32
    Asr32,
    /// adds a, b, c
    AddRegister,
    /// subs a, b, c
    SubRegister,
    /// adds a, b, #imm
    AddImmediate,
    /// subs a, b, #imm
    SubImmediate,
    /// cmp a, #imm
    CmpImmediate,
    /// ands a, b
    And,
    /// eors a, b
    Eor,
    /// lsls a, b
    LslRegister,
    /// lsrs a, b
    LsrRegister,
    /// asrs a, b
    AsrRegister,
    /// adcs a, b
    Adc,
    /// sbcs a, b
    Sbc,
    /// rors a, b
    Ror,
    /// tst a, b
    Tst,
    /// rsbs a, b, #0
    Neg,
    /// cmp a, b (also of high registers)
    CmpRegister,
    /// cmn a, b
    Cmn,
    /// orrs a, b
    Orr,
    /// muls a, b
    Mul,
    /// bics a, b
    Bic,
    /// mvns a, b
    Mvn,
    /// add a, b, without flags; a is not PC or SP
    AddHigh,
    /// mov a, b, without flags; a is not PC or SP
    MovHigh,
    /// a = imm without flags (adr, mov a, pc)
    Constant,
    /// a = b + imm without flags (add a, sp, #imm)
    AddAddress,
    /// add or mov to SP: the low two bits are dropped. c: 0 = mov sp, b; 1 = add sp, b
    ToStackPointer,
    /// add sp, #imm (also negative)
    AdjustStackPointer,
    /// mov pc, b (c = 0) or add pc, b with imm = PC + 4 (c = 1)
    ToProgramCounter,
    /// add a, pc with imm = PC + 4
    AddProgramCounter,
    /// ldr a, [pc, ..]: imm is the address
    LoadLiteral,
    /// ldr a, [b, #imm]
    LoadWordImmediate,
    /// ldr a, [b, c]
    LoadWordRegister,
    /// ldrh a, [b, #imm]
    LoadHalfImmediate,
    /// ldrh a, [b, c]
    LoadHalfRegister,
    /// ldrb a, [b, #imm]
    LoadByteImmediate,
    /// ldrb a, [b, c]
    LoadByteRegister,
    /// ldrsh a, [b, c]
    LoadSignedHalf,
    /// ldrsb a, [b, c]
    LoadSignedByte,
    /// str a, [b, #imm]
    StoreWordImmediate,
    /// str a, [b, c]
    StoreWordRegister,
    /// strh a, [b, #imm]
    StoreHalfImmediate,
    /// strh a, [b, c]
    StoreHalfRegister,
    /// strb a, [b, #imm]
    StoreByteImmediate,
    /// strb a, [b, c]
    StoreByteRegister,
    /// push, imm = register list (bit 14 is LR). Of all with a list a is the base and b the number of words
    Push,
    /// pop, imm = register list without PC
    Pop,
    /// pop, imm = register list, and PC
    PopProgramCounter,
    /// stmia a!, imm = register list
    StoreMultiple,
    /// ldmia a, imm = register list; c = 1 writes back
    LoadMultiple,
    /// sxth a, b
    SignExtendHalf,
    /// sxtb a, b
    SignExtendByte,
    /// uxth a, b
    ZeroExtendHalf,
    /// uxtb a, b
    ZeroExtendByte,
    /// rev a, b
    Rev,
    /// rev16 a, b
    Rev16,
    /// revsh a, b
    Revsh,
    /// Branches: imm is the distance in halfwords from this instruction.
    BranchEq,
    BranchNe,
    BranchCs,
    BranchCc,
    BranchMi,
    BranchPl,
    BranchVs,
    BranchVc,
    BranchHi,
    BranchLs,
    BranchGe,
    BranchLt,
    BranchGt,
    BranchLe,
    Branch,
    /// bl: imm is the distance in halfwords
    BranchLink,
    /// bx a
    BranchExchange,
    /// blx a
    BranchLinkExchange,
    /// Rows: an instruction and what mostly follows it, executed in one step (`fuse`). The operands are those of the first
    /// instruction; the further ones have their own in the entries behind.
    LoadWordImmediateThenCmpImmediateThenBranchEq,
    LoadWordImmediateThenCmpImmediateThenBranchNe,
    LoadByteImmediateThenCmpImmediateThenBranchEq,
    LoadByteImmediateThenCmpImmediateThenBranchNe,
    AddRegisterThenCmpImmediateThenBranchNe,
    AddRegisterThenCmpRegisterThenBranchNe,
    AddImmediateThenCmpImmediateThenBranchNe,
    AddImmediateThenCmpRegisterThenBranchNe,
    SubImmediateThenCmpImmediateThenBranchNe,
    SubImmediateThenCmpRegisterThenBranchNe,
    CmpImmediateThenBranchEq,
    CmpImmediateThenBranchNe,
    CmpImmediateThenBranchCs,
    CmpImmediateThenBranchCc,
    CmpImmediateThenBranchHi,
    CmpImmediateThenBranchLs,
    CmpImmediateThenBranchGe,
    CmpImmediateThenBranchLt,
    CmpImmediateThenBranchGt,
    CmpImmediateThenBranchLe,
    CmpRegisterThenBranchEq,
    CmpRegisterThenBranchNe,
    CmpRegisterThenBranchCs,
    CmpRegisterThenBranchCc,
    CmpRegisterThenBranchHi,
    CmpRegisterThenBranchLs,
    CmpRegisterThenBranchGe,
    CmpRegisterThenBranchLt,
    CmpRegisterThenBranchGt,
    CmpRegisterThenBranchLe,
    SubImmediateThenBranchEq,
    SubImmediateThenBranchNe,
    SubImmediateThenBranchCs,
    SubImmediateThenBranchCc,
    SubImmediateThenBranchPl,
    TstThenBranchEq,
    TstThenBranchNe,
    LslImmediateThenBranchMi,
    LslImmediateThenBranchPl,
    LoadWordImmediateThenLoadWordImmediate,
    LoadWordImmediateThenStoreWordImmediate,
    StoreWordImmediateThenLoadWordImmediate,
    StoreWordImmediateThenStoreWordImmediate,
    LoadWordImmediateThenCmpRegister,
    LoadWordImmediateThenAddImmediate,
    LoadHalfImmediateThenAddImmediate,
    LoadByteImmediateThenAddImmediate,
    StoreWordImmediateThenAddImmediate,
    StoreByteImmediateThenAddImmediate,
    LoadLiteralThenLoadWordImmediate,
    LoadLiteralThenStoreWordImmediate,
    LoadLiteralThenLoadLiteral,
    StoreWordImmediateThenLoadLiteral,
    MovsRegisterThenMovsRegister,
    MovImmediateThenMovsRegister,
    MovImmediateThenMovImmediate,
    MovImmediateThenLslImmediate,
    MovHighThenMovHigh,
    MovHighThenLoadWordImmediate,
    MovImmediateThenStoreWordImmediate,
    StoreWordImmediateThenMovImmediate,
    MovsRegisterThenLoadWordImmediate,
    MovsRegisterThenAddImmediate,
    LslImmediateThenLsrImmediate,
    LslImmediateThenAsrImmediate,
    LslImmediateThenAddRegister,
    LslImmediateThenOrr,
    LslImmediateThenEor,
    LsrImmediateThenEor,
    LoadMultipleThenStoreMultiple,
}

impl Kind {
    /// Whether it loads one register.
    pub(crate) fn loads_one(self) -> bool {
        (Self::LoadLiteral as u8..=Self::LoadSignedByte as u8).contains(&(self as u8))
    }

    /// Whether it changes nothing but registers and flags, from registers and flags.
    pub(crate) fn computes(self) -> bool {
        let within = |first: Self, last: Self| (first as u8..=last as u8).contains(&(self as u8));
        matches!(self, Self::Nop | Self::AddProgramCounter)
            || within(Self::MovImmediate, Self::AdjustStackPointer)
            || within(Self::SignExtendHalf, Self::Revsh)
    }

    /// Whether it is a branch that changes nothing else.
    pub(crate) fn branches(self) -> bool {
        (Self::BranchEq as u8..=Self::Branch as u8).contains(&(self as u8))
    }
}

/// A decoded instruction. `a`, `b` and `c` are register numbers unless the kind says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) imm: u32,
}

impl Op {
    pub(crate) const UNDECODED: Self = Self::new(Kind::Undecoded, 0, 0, 0, 0);

    pub(crate) const fn new(kind: Kind, a: u32, b: u32, c: u32, imm: u32) -> Self {
        Self { kind, a: a as u8, b: b as u8, c: c as u8, imm }
    }
}
