//! The functions of the boot ROM and the trap that stands for each: `UDF #n`, an encoding that ordinary code never
//! holds, where n is the number of the function.

/// A function of the boot ROM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RomFunction {
    /// Looks a code up in a table; not in a table itself, but at address 0x18.
    TableLookup,
    /// P3: how many bits are set.
    PopulationCount,
    /// R3: the bits in reverse order.
    Reverse,
    /// L3: leading zeros.
    LeadingZeros,
    /// T3: trailing zeros.
    TrailingZeros,
    /// MS: memset.
    MemorySet,
    /// S4: memset of whole words.
    MemorySetWords,
    /// MC: memcpy.
    MemoryCopy,
    /// C4: memcpy of whole words.
    MemoryCopyWords,
    /// UB: restarts into the USB boot loader.
    ResetUsbBoot,
    /// WV: waits for a launch as core 1 does after reset.
    WaitForVector,
    /// IF: connects the SSI to the flash's pins.
    ConnectInternalFlash,
    /// EX: brings flash and SSI from reading in place to commands.
    FlashExitXip,
    /// RE: erases.
    FlashRangeErase,
    /// RP: programs.
    FlashRangeProgram,
    /// FC: empties the XIP cache.
    FlashFlushCache,
    /// CX: lets the flash be read in place with plain serial reads.
    FlashEnterCmdXip,
    /// The reset vector.
    Reset,
    /// A function of the table SF.
    Single(FloatFunction),
    /// A function of the table SD.
    Double(FloatFunction),
}

/// The functions of a floating point table, in its order (RP2040 datasheet 2.8.3.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FloatFunction {
    Add,
    Subtract,
    Multiply,
    Divide,
    CompareFast,
    CompareFastFlags,
    SquareRoot,
    ToInt,
    ToFix,
    ToUint,
    ToUfix,
    FromInt,
    FromFix,
    FromUint,
    FromUfix,
    Cos,
    Sin,
    Tan,
    SinCos,
    Exp,
    Ln,
    Compare,
    Atan2,
    FromInt64,
    FromFix64,
    FromUint64,
    FromUfix64,
    ToInt64,
    ToFix64,
    ToUint64,
    ToUfix64,
    /// To the other precision.
    Convert,
}

impl FloatFunction {
    /// All, by their place in the table.
    #[rustfmt::skip]
    pub const ALL: [Self; 32] = {
        use FloatFunction as F;
        [
            F::Add, F::Subtract, F::Multiply, F::Divide, F::CompareFast, F::CompareFastFlags, F::SquareRoot,
            F::ToInt, F::ToFix, F::ToUint, F::ToUfix, F::FromInt, F::FromFix, F::FromUint, F::FromUfix,
            F::Cos, F::Sin, F::Tan, F::SinCos, F::Exp, F::Ln, F::Compare, F::Atan2,
            F::FromInt64, F::FromFix64, F::FromUint64, F::FromUfix64,
            F::ToInt64, F::ToFix64, F::ToUint64, F::ToUfix64, F::Convert,
        ]
    };
}

/// Traps of the functions that have a place of their own, in this order from 0.
#[rustfmt::skip]
const PLAIN: [RomFunction; 18] = {
    use RomFunction as R;
    [
        R::TableLookup, R::PopulationCount, R::Reverse, R::LeadingZeros, R::TrailingZeros, R::MemorySet,
        R::MemorySetWords, R::MemoryCopy, R::MemoryCopyWords, R::ResetUsbBoot, R::WaitForVector,
        R::ConnectInternalFlash, R::FlashExitXip, R::FlashRangeErase, R::FlashRangeProgram, R::FlashFlushCache,
        R::FlashEnterCmdXip, R::Reset,
    ]
};
/// First trap of the single precision functions.
const SINGLE_TRAPS: u8 = 0x40;
/// First trap of the double precision functions.
const DOUBLE_TRAPS: u8 = 0x60;
/// `UDF #0`.
pub(super) const UDF: u16 = 0xde00;

impl RomFunction {
    /// The number in its trap.
    pub fn trap(self) -> u8 {
        match self {
            Self::Single(function) => SINGLE_TRAPS + function as u8,
            Self::Double(function) => DOUBLE_TRAPS + function as u8,
            plain => {
                PLAIN.iter().position(|&entry| entry == plain).expect("every plain function is listed") as u8
            }
        }
    }

    /// The function that a trap stands for.
    pub fn from_trap(number: u8) -> Option<Self> {
        let float = |first: u8| FloatFunction::ALL.get(usize::from(number.checked_sub(first)?)).copied();
        PLAIN
            .get(usize::from(number))
            .copied()
            .or_else(|| float(DOUBLE_TRAPS).map(Self::Double))
            .or_else(|| float(SINGLE_TRAPS).map(Self::Single))
    }
}
