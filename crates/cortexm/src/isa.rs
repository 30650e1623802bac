//! The instruction set as the core executes it: one table of all kinds of operations, each with its class, and of the
//! superinstructions, each by its parts. The kinds, their classes, what [`superinstruction`](crate::superinstruction) looks
//! up, and the arms of the interpreter come from it.
//!
//! An instruction is decoded once, when it is first executed, and kept until its memory is written.

/// Hands the table to a macro, behind whatever tokens come first.
///
/// `other` kinds leave the interpreter or go elsewhere; the others have the class that says how they are executed. Of the
/// superinstructions those with the same first part stand side by side, the longer ones first.
macro_rules! table {
    ($callback:ident! { $($before:tt)* }) => {
        $callback! {
            $($before)*
            other {
                /// Not decoded yet.
                Undecoded,
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
                /// mov pc, b (c = 0) or add pc, b with imm = PC + 4 (c = 1)
                ToProgramCounter,
                Branch,
                /// bl: imm is the distance in halfwords
                BranchLink,
                /// bx a
                BranchExchange,
                /// blx a
                BranchLinkExchange,
            }
            executed {
                /// nop, yield
                compute Nop,
                /// movs a, imm
                compute MovImmediate,
                /// movs a, b
                compute MovsRegister,
                /// lsls a, b, #imm (1 to 31); c is the number of the bit that becomes the carry
                compute LslImmediate,
                /// lsrs a, b, #imm (1 to 31)
                compute LsrImmediate,
                /// lsrs a, b, #32
                compute Lsr32,
                /// asrs a, b, #imm (1 to 31; 32 is kept as 31 with another kind)
                compute AsrImmediate,
                /// asrs a, b, #32
                compute Asr32,
                /// adds a, b, c
                compute AddRegister,
                /// subs a, b, c
                compute SubRegister,
                /// adds a, b, #imm
                compute AddImmediate,
                /// subs a, b, #imm
                compute SubImmediate,
                /// cmp a, #imm
                compute CmpImmediate,
                /// ands a, b
                compute And,
                /// eors a, b
                compute Eor,
                /// lsls a, b
                compute LslRegister,
                /// lsrs a, b
                compute LsrRegister,
                /// asrs a, b
                compute AsrRegister,
                /// adcs a, b
                compute Adc,
                /// sbcs a, b
                compute Sbc,
                /// rors a, b
                compute Ror,
                /// tst a, b
                compute Tst,
                /// rsbs a, b, #0
                compute Neg,
                /// cmp a, b (also of high registers)
                compute CmpRegister,
                /// cmn a, b
                compute Cmn,
                /// orrs a, b
                compute Orr,
                /// muls a, b
                compute Mul,
                /// bics a, b
                compute Bic,
                /// mvns a, b
                compute Mvn,
                /// add a, b, without flags; a is not PC or SP
                compute AddHigh,
                /// mov a, b, without flags; a is not PC or SP
                compute MovHigh,
                /// a = imm without flags (adr, mov a, pc)
                compute Constant,
                /// a = b + imm without flags (add a, sp, #imm)
                compute AddAddress,
                /// add or mov to SP: the low two bits are dropped. c: 0 = mov sp, b; 1 = add sp, b
                compute ToStackPointer,
                /// add sp, #imm (also negative)
                compute AdjustStackPointer,
                /// add a, pc with imm = PC + 4
                compute AddProgramCounter,
                /// ldr a, [pc, ..]: imm is the address
                load LoadLiteral,
                /// ldr a, [b, #imm]
                load LoadWordImmediate,
                /// ldr a, [b, c]
                load LoadWordRegister,
                /// ldrh a, [b, #imm]
                load LoadHalfImmediate,
                /// ldrh a, [b, c]
                load LoadHalfRegister,
                /// ldrb a, [b, #imm]
                load LoadByteImmediate,
                /// ldrb a, [b, c]
                load LoadByteRegister,
                /// ldrsh a, [b, c]
                load LoadSignedHalf,
                /// ldrsb a, [b, c]
                load LoadSignedByte,
                /// str a, [b, #imm]
                store StoreWordImmediate,
                /// str a, [b, c]
                store StoreWordRegister,
                /// strh a, [b, #imm]
                store StoreHalfImmediate,
                /// strh a, [b, c]
                store StoreHalfRegister,
                /// strb a, [b, #imm]
                store StoreByteImmediate,
                /// strb a, [b, c]
                store StoreByteRegister,
                /// push, imm = register list (bit 14 is LR). Of all with a list a is the base and b the number of words
                store_list Push,
                /// pop, imm = register list without PC
                load_list Pop,
                /// pop, imm = register list, and PC
                load_list PopProgramCounter,
                /// stmia a!, imm = register list
                store_list StoreMultiple,
                /// ldmia a, imm = register list; c = 1 writes back
                load_list LoadMultiple,
                /// sxth a, b
                compute SignExtendHalf,
                /// sxtb a, b
                compute SignExtendByte,
                /// uxth a, b
                compute ZeroExtendHalf,
                /// uxtb a, b
                compute ZeroExtendByte,
                /// rev a, b
                compute Rev,
                /// rev16 a, b
                compute Rev16,
                /// revsh a, b
                compute Revsh,
                /// Branches: imm is the distance in halfwords from this instruction.
                branch BranchEq,
                branch BranchNe,
                branch BranchCs,
                branch BranchCc,
                branch BranchMi,
                branch BranchPl,
                branch BranchVs,
                branch BranchVc,
                branch BranchHi,
                branch BranchLs,
                branch BranchGe,
                branch BranchLt,
                branch BranchGt,
                branch BranchLe,
            }
            superinstructions {
                LoadWordImmediateThenCmpImmediateThenBranchEq = load LoadWordImmediate, compute CmpImmediate, branch BranchEq;
                LoadWordImmediateThenCmpImmediateThenBranchNe = load LoadWordImmediate, compute CmpImmediate, branch BranchNe;
                LoadWordImmediateThenLoadWordImmediate = load LoadWordImmediate, load LoadWordImmediate;
                LoadWordImmediateThenStoreWordImmediate = load LoadWordImmediate, store StoreWordImmediate;
                LoadWordImmediateThenCmpRegister = load LoadWordImmediate, compute CmpRegister;
                LoadWordImmediateThenAddImmediate = load LoadWordImmediate, compute AddImmediate;
                LoadByteImmediateThenCmpImmediateThenBranchEq = load LoadByteImmediate, compute CmpImmediate, branch BranchEq;
                LoadByteImmediateThenCmpImmediateThenBranchNe = load LoadByteImmediate, compute CmpImmediate, branch BranchNe;
                LoadByteImmediateThenAddImmediate = load LoadByteImmediate, compute AddImmediate;
                AddRegisterThenCmpImmediateThenBranchNe = compute AddRegister, compute CmpImmediate, branch BranchNe;
                AddRegisterThenCmpRegisterThenBranchNe = compute AddRegister, compute CmpRegister, branch BranchNe;
                AddImmediateThenCmpImmediateThenBranchNe = compute AddImmediate, compute CmpImmediate, branch BranchNe;
                AddImmediateThenCmpRegisterThenBranchNe = compute AddImmediate, compute CmpRegister, branch BranchNe;
                SubImmediateThenCmpImmediateThenBranchNe = compute SubImmediate, compute CmpImmediate, branch BranchNe;
                SubImmediateThenCmpRegisterThenBranchNe = compute SubImmediate, compute CmpRegister, branch BranchNe;
                SubImmediateThenBranchEq = compute SubImmediate, branch BranchEq;
                SubImmediateThenBranchNe = compute SubImmediate, branch BranchNe;
                SubImmediateThenBranchCs = compute SubImmediate, branch BranchCs;
                SubImmediateThenBranchCc = compute SubImmediate, branch BranchCc;
                SubImmediateThenBranchPl = compute SubImmediate, branch BranchPl;
                CmpImmediateThenBranchEq = compute CmpImmediate, branch BranchEq;
                CmpImmediateThenBranchNe = compute CmpImmediate, branch BranchNe;
                CmpImmediateThenBranchCs = compute CmpImmediate, branch BranchCs;
                CmpImmediateThenBranchCc = compute CmpImmediate, branch BranchCc;
                CmpImmediateThenBranchHi = compute CmpImmediate, branch BranchHi;
                CmpImmediateThenBranchLs = compute CmpImmediate, branch BranchLs;
                CmpImmediateThenBranchGe = compute CmpImmediate, branch BranchGe;
                CmpImmediateThenBranchLt = compute CmpImmediate, branch BranchLt;
                CmpImmediateThenBranchGt = compute CmpImmediate, branch BranchGt;
                CmpImmediateThenBranchLe = compute CmpImmediate, branch BranchLe;
                CmpRegisterThenBranchEq = compute CmpRegister, branch BranchEq;
                CmpRegisterThenBranchNe = compute CmpRegister, branch BranchNe;
                CmpRegisterThenBranchCs = compute CmpRegister, branch BranchCs;
                CmpRegisterThenBranchCc = compute CmpRegister, branch BranchCc;
                CmpRegisterThenBranchHi = compute CmpRegister, branch BranchHi;
                CmpRegisterThenBranchLs = compute CmpRegister, branch BranchLs;
                CmpRegisterThenBranchGe = compute CmpRegister, branch BranchGe;
                CmpRegisterThenBranchLt = compute CmpRegister, branch BranchLt;
                CmpRegisterThenBranchGt = compute CmpRegister, branch BranchGt;
                CmpRegisterThenBranchLe = compute CmpRegister, branch BranchLe;
                TstThenBranchEq = compute Tst, branch BranchEq;
                TstThenBranchNe = compute Tst, branch BranchNe;
                LslImmediateThenBranchMi = compute LslImmediate, branch BranchMi;
                LslImmediateThenBranchPl = compute LslImmediate, branch BranchPl;
                LslImmediateThenLsrImmediate = compute LslImmediate, compute LsrImmediate;
                LslImmediateThenAsrImmediate = compute LslImmediate, compute AsrImmediate;
                LslImmediateThenAddRegister = compute LslImmediate, compute AddRegister;
                LslImmediateThenOrr = compute LslImmediate, compute Orr;
                LslImmediateThenEor = compute LslImmediate, compute Eor;
                StoreWordImmediateThenLoadWordImmediate = store StoreWordImmediate, load LoadWordImmediate;
                StoreWordImmediateThenStoreWordImmediate = store StoreWordImmediate, store StoreWordImmediate;
                StoreWordImmediateThenAddImmediate = store StoreWordImmediate, compute AddImmediate;
                StoreWordImmediateThenLoadLiteral = store StoreWordImmediate, load LoadLiteral;
                StoreWordImmediateThenMovImmediate = store StoreWordImmediate, compute MovImmediate;
                LoadHalfImmediateThenAddImmediate = load LoadHalfImmediate, compute AddImmediate;
                StoreByteImmediateThenAddImmediate = store StoreByteImmediate, compute AddImmediate;
                LoadLiteralThenLoadWordImmediate = load LoadLiteral, load LoadWordImmediate;
                LoadLiteralThenStoreWordImmediate = load LoadLiteral, store StoreWordImmediate;
                LoadLiteralThenLoadLiteral = load LoadLiteral, load LoadLiteral;
                MovsRegisterThenMovsRegister = compute MovsRegister, compute MovsRegister;
                MovsRegisterThenLoadWordImmediate = compute MovsRegister, load LoadWordImmediate;
                MovsRegisterThenAddImmediate = compute MovsRegister, compute AddImmediate;
                MovImmediateThenMovsRegister = compute MovImmediate, compute MovsRegister;
                MovImmediateThenMovImmediate = compute MovImmediate, compute MovImmediate;
                MovImmediateThenLslImmediate = compute MovImmediate, compute LslImmediate;
                MovImmediateThenStoreWordImmediate = compute MovImmediate, store StoreWordImmediate;
                MovHighThenMovHigh = compute MovHigh, compute MovHigh;
                MovHighThenLoadWordImmediate = compute MovHigh, load LoadWordImmediate;
                LsrImmediateThenEor = compute LsrImmediate, compute Eor;
                LoadMultipleThenStoreMultiple = load_list LoadMultiple, store_list StoreMultiple;
            }
        }
    };
}

pub(crate) use table as instruction_set;

/// How a kind is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the words of the table")]
pub(crate) enum Class {
    /// It changes registers and flags from registers and flags, in one cycle.
    compute,
    /// It loads one register.
    load,
    /// It stores one register.
    store,
    /// It loads a list of registers.
    load_list,
    /// It stores a list of registers.
    store_list,
    /// It branches on a condition, and changes nothing else.
    branch,
    /// The interpreter has an arm of its own for it.
    other,
}

macro_rules! define_kinds {
    (
        other { $($(#[$other_doc:meta])* $other:ident,)* }
        executed { $($(#[$doc:meta])* $class:ident $kind:ident,)* }
        superinstructions { $($name:ident = $($part_class:ident $part:ident),+;)* }
    ) => {
        /// What an instruction does, with operands named as in [`Op`]. `s` means that the flags are set.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, zerocopy::FromZeros)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($(#[$other_doc])* $other,)*
            $($(#[$doc])* $kind,)*
            $(
                /// The operands are those of the first part; the further ones have their own in the entries behind.
                $name,
            )*
        }

        impl Kind {
            /// How one instruction of this kind is executed.
            #[inline]
            pub(crate) const fn class(self) -> Class {
                match self {
                    $(Self::$kind => Class::$class,)*
                    _ => Class::other,
                }
            }
        }

        /// Every superinstruction with its parts, in the order of the table.
        pub(crate) const SUPERINSTRUCTIONS: &[(Kind, &[Kind])] = &[$((Kind::$name, &[$(Kind::$part),+])),*];
    };
}

table!(define_kinds! {});

/// A decoded instruction. `a`, `b` and `c` are register numbers unless the kind says otherwise.
/// Memory of zeros is one that was not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, zerocopy::FromZeros)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) a: u8,
    pub(crate) b: u8,
    pub(crate) c: u8,
    pub(crate) imm: u32,
}

/// By how many words the fetch of the next instruction lies further back, counted from where it would be, when the core branches
/// from one halfword to another.
#[inline(always)]
pub(crate) const fn words_left(from: u32, to: u32) -> u32 {
    (from as i32 >> 1).wrapping_sub(to as i32 >> 1).wrapping_add(1) as u32
}

impl Op {
    pub(crate) const UNDECODED: Self = Self::new(Kind::Undecoded, 0, 0, 0, 0);

    pub(crate) const fn new(kind: Kind, a: u32, b: u32, c: u32, imm: u32) -> Self {
        Self { kind, a: a as u8, b: b as u8, c: c as u8, imm }
    }

    /// A branch over so many halfwords. It keeps in `b` and `c` over how many words it does not go on fetching.
    pub(crate) const fn branch(kind: Kind, pc: u32, halfwords: u32) -> Self {
        let from = pc >> 1;
        let words = words_left(from, from.wrapping_add(halfwords)) as u16;
        Self::new(kind, 0, words as u32 & 0xff, (words >> 8) as u32, halfwords)
    }

    /// What [`words_left`] gives for a branch.
    #[inline(always)]
    pub(crate) fn words_left(self) -> u32 {
        i16::from_le_bytes([self.b, self.c]) as u32
    }
}
