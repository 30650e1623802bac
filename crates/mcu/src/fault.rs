//! What makes an image fault.

/// A fault of the image, at an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What it did.
    pub kind: FaultKind,
    /// The instruction that did it.
    pub pc: u32,
    /// The core.
    pub core: u8,
}

/// What an image may do to fault (ARMv6-M: those that it knows become a HardFault).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// An access that is not aligned to its size.
    #[error("{} of {size} bytes at {address:#010x}, which is not aligned", access(*.write))]
    Unaligned {
        /// Where.
        address: u32,
        /// Bytes.
        size: u8,
        /// Whether it was written.
        write: bool,
    },
    /// An access to where nothing is.
    #[error("{} at {address:#010x}, where no memory and no peripheral is", access(*.write))]
    Unmapped {
        /// Where.
        address: u32,
        /// Whether it was written.
        write: bool,
    },
    /// A write to memory that cannot be written over the bus.
    #[error("write to {address:#010x}, which is read-only ({memory})")]
    ReadOnly {
        /// Where.
        address: u32,
        /// What is there.
        memory: &'static str,
    },
    /// An instruction fetched from where no memory is.
    #[error("jump to {address:#010x}, where no memory is that code can run from")]
    Fetch {
        /// Where.
        address: u32,
    },
    /// No instruction of ARMv6-M, or UDF, which is there to fault.
    #[error("{}", undefined(*code))]
    Undefined {
        /// Its (first) halfword.
        code: u16,
    },
    /// A branch to an address with bit 0 clear.
    #[error("branch to {target:#010x} with bit 0 clear, which means ARM code; this core has Thumb code only")]
    NotThumb {
        /// The target.
        target: u32,
    },
    /// A return from an exception that is not active.
    #[error("return from an exception with {value:#010x}, which fits no active exception")]
    ExceptionReturn {
        /// EXC_RETURN.
        value: u32,
    },
    /// SVC where its priority does not allow it.
    #[error("SVC #{number} in a handler of the same or a higher priority, or with interrupts masked")]
    SvcPriority {
        /// Its number.
        number: u8,
    },
    /// A word that is no instruction of the core.
    #[error("the word {code:#06x}, which is no instruction of this core")]
    NoInstruction {
        /// It.
        code: u16,
    },
    /// Code that goes on in flash that is empty.
    #[error("it runs into flash that nothing was programmed into")]
    Erased,
    /// A stack that meets what lies below it.
    #[error("the stack has grown into the variables or the heap below it, to {sp:#06x}")]
    StackOverflow {
        /// The stack pointer.
        sp: u32,
    },
    /// BKPT without a debugger.
    #[error("BKPT #{number} (the end of main, a panic or an assertion in most images)")]
    Bkpt {
        /// Its number.
        number: u8,
    },
    /// A register of the private bus accessed without privilege.
    #[error("access to {address:#010x} on the private bus from unprivileged code")]
    Unprivileged {
        /// Where.
        address: u32,
    },
}

fn access(write: bool) -> &'static str {
    if write { "write" } else { "read" }
}

/// UDF with its number, and what is none.
fn undefined(code: u16) -> String {
    match udf_number(code) {
        Some(number) => format!("UDF #{number} (a panic or a compiler's trap in most images)"),
        None => format!("instruction {code:#06x}, which ARMv6-M does not have"),
    }
}

/// The number of a halfword that is UDF, which is there to fault (ARMv6-M Architecture Reference Manual, A5.2.6).
pub fn udf_number(code: u16) -> Option<u8> {
    let [upper, number] = code.to_be_bytes();
    (upper == 0xde).then_some(number)
}
