//! The AVRe+ core in virtual time: its registers and its run of decoded instructions, cycle for cycle, on whatever a chip wires
//! it to ([`Bus`]). Cycles are those of the AVR Instruction Set Manual (DS40002198) for AVRe; there is no pipeline or cache
//! that a program could notice.

pub mod alu;
mod data_space;
mod decode;
mod disassembly;
mod execute;
mod instruction;
mod rounds;

pub use decode::decode;
pub use disassembly::disassemble;
pub use instruction::{Instruction, Pointer, Step};

use mcu::Watchpoint;

/// Addresses of the core's own registers in the data space (ATmega328P datasheet, "Register Summary").
pub(crate) const RAMPZ: u16 = 0x5b;
pub(crate) const EIND: u16 = 0x5c;
pub(crate) const SPL: u16 = 0x5d;
pub(crate) const SPH: u16 = 0x5e;
pub(crate) const SREG: u16 = 0x5f;
/// The first address behind the register file.
pub(crate) const FIRST_IO: u16 = 0x20;

/// What the core is wired to, beside RAM and registers. A cycle is the one in which the access takes place; what is written is
/// there from the next one on.
pub trait Bus {
    /// The instruction that the next access is from.
    fn accessed_from(&mut self, pc: u32);

    /// Reads a register of I/O by its address in the data space.
    fn read(&mut self, address: u16, cycle: u64) -> u8;

    /// Writes one; true where the chip has to look at something before the next instruction.
    fn write(&mut self, address: u16, value: u8, cycle: u64) -> bool;

    /// Sets or clears one bit of one, as SBI and CBI do.
    fn write_bit(&mut self, address: u16, bit: u8, set: bool, cycle: u64) -> bool;

    /// A read where no RAM is, which gives 0.
    fn outside_ram(&mut self, address: u16);

    /// Reads a byte of program memory, as LPM and ELPM do.
    fn program(&mut self, address: u32, cycle: u64) -> u8;

    /// SPM: Z with RAMPZ, and R1:R0.
    fn store_program(&mut self, address: u32, word: u16, cycle: u64) -> bool;

    /// WDR.
    fn restart_watchdog(&mut self, cycle: u64);
}

/// Why the core does not go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Halt {
    /// SLEEP.
    Sleep,
    /// BREAK.
    Break,
    /// A word that is no instruction.
    Undefined(u16),
    /// Flash that nothing was programmed into.
    Erased,
    /// A write behind the RAM.
    OutsideRam(u16),
    /// The stack has grown into what lies below it.
    StackOverflow,
    /// It stands before an instruction at which it is to stop.
    Breakpoint,
    /// It accessed what is watched.
    Watchpoint {
        /// Where, in the data space.
        address: u16,
        /// Whether it was written.
        write: bool,
    },
}

/// A jump that the core took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Jump {
    /// The instruction, as the address of a word.
    pub from: u32,
    /// Where it went.
    pub to: u32,
}

/// So many jumps are remembered, for reports.
pub const JUMPS: usize = 16;

/// The core.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Core {
    /// R0 to R31.
    pub r: [u8; 32],
    /// SREG.
    pub sreg: u8,
    /// The stack pointer.
    pub sp: u16,
    /// RAMPZ.
    pub rampz: u8,
    /// EIND.
    pub eind: u8,
    /// The next instruction, as the address of a word.
    pub pc: u32,
    /// Cycles since the start.
    pub cycle: u64,
    /// Instructions since the start.
    pub instructions: u64,
    /// Whether one more instruction comes before any interrupt: after SEI and RETI, and where SREG is written.
    pub holds_off: bool,
    /// Why it does not go on.
    pub halt: Option<Halt>,
    /// Whether the last run ended with a RETI.
    pub returned: bool,
    /// The instruction that halted it.
    pub halted_at: u32,
    /// Where a call that is not finished returns to, as a byte address, for whoever follows calls.
    pub link: u32,
    /// The last place below the stack: a push that reaches it is an overflow. A stack that begins below never does.
    pub stack_floor: u16,
    /// Whether erased flash stops it, which a real core runs through.
    pub stops_at_erased: bool,
    /// The last jumps that were no plain loops, a ring with the place of the next one.
    pub jumps: ([Jump; JUMPS], u8),
    layout: Layout,
    /// It runs up to here; 0 ends a run after the instruction.
    limit: u64,
}

/// What differs between chips for the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Layout {
    /// The first address of RAM in the data space.
    pub ram_start: u16,
    /// Whether the program counter has 22 bits, so that calls keep three bytes.
    pub long_pc: bool,
    /// Whether there is a RAMPZ.
    pub has_rampz: bool,
}

/// The memories that a core runs in.
#[derive(Debug)]
pub struct Memories<'a> {
    /// Decoded flash, a power of two of words.
    pub code: &'a [Instruction],
    /// RAM.
    pub ram: &'a mut [u8],
}

/// All that an instruction reaches outside the core.
struct Attached<'m, 'a, B> {
    memories: &'m mut Memories<'a>,
    bus: &'m mut B,
    watch: &'m Watch,
}

/// What a debugger wants of a run.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// Addresses of words.
    pub breakpoints: Vec<u32>,
    /// Ranges of the data space.
    pub watchpoints: Vec<Watchpoint>,
    /// A breakpoint that is passed once.
    pub passed: Option<u32>,
}

impl Watch {
    /// Whether a run has to look at anything.
    pub fn is_active(&self) -> bool {
        !self.breakpoints.is_empty() || !self.watchpoints.is_empty()
    }

    /// Whether an access is watched.
    pub fn watches(&self, address: u16, write: bool) -> bool {
        self.watchpoints.iter().any(|watch| {
            let offset = u32::from(address).wrapping_sub(watch.address);
            offset < watch.bytes && if write { watch.writes } else { watch.reads }
        })
    }
}

impl Core {
    /// A core after its reset.
    pub fn new(layout: Layout) -> Self {
        Self {
            r: [0; 32],
            sreg: 0,
            sp: 0,
            rampz: 0,
            eind: 0,
            pc: 0,
            cycle: 0,
            instructions: 0,
            holds_off: false,
            halt: None,
            returned: false,
            halted_at: 0,
            link: 0,
            stack_floor: layout.ram_start - 1,
            stops_at_erased: false,
            jumps: Default::default(),
            layout,
            limit: 0,
        }
    }

    /// Whether interrupts are enabled.
    pub fn interrupts_are_enabled(&self) -> bool {
        self.sreg & alu::I != 0
    }

    /// A pair of registers.
    #[inline(always)]
    pub fn pair(&self, base: u8) -> u16 {
        let base = usize::from(base & 0x1e);
        u16::from_le_bytes([self.r[base], self.r[base + 1]])
    }

    /// Sets a pair of registers.
    #[inline(always)]
    pub fn set_pair(&mut self, base: u8, value: u16) {
        let base = usize::from(base & 0x1e);
        [self.r[base], self.r[base + 1]] = value.to_le_bytes();
    }

    /// The bytes that a return address takes on the stack.
    pub fn return_bytes(&self) -> u16 {
        2 + u16::from(self.layout.long_pc)
    }

    /// The last jumps, the latest first.
    pub fn last_jumps(&self) -> impl Iterator<Item = Jump> + '_ {
        let (jumps, next) = &self.jumps;
        (1..=JUMPS).map(move |back| jumps[(usize::from(*next) + JUMPS - back) % JUMPS])
    }

    /// Enters the handler at a vector, which takes 4 cycles, and 5 with a program counter of 22 bits (ATmega328P datasheet,
    /// "Interrupt Response Time").
    pub fn interrupt(&mut self, memories: &mut Memories<'_>, bus: &mut impl Bus, vector: u32) {
        let from = self.pc;
        let watch = Watch::default();
        self.push_return::<false>(&mut Attached { memories, bus, watch: &watch }, from);
        self.sreg &= !alu::I;
        self.pc = vector;
        self.cycle += if self.layout.long_pc { 5 } else { 4 };
        self.holds_off = false;
    }

    /// Runs until a cycle is reached, or something is to be looked at.
    pub fn run<const WATCHED: bool>(
        &mut self,
        memories: &mut Memories<'_>,
        bus: &mut impl Bus,
        watch: &Watch,
        until: u64,
    ) {
        self.limit = until;
        let mut at = Attached { memories, bus, watch };
        while self.cycle < self.limit {
            if WATCHED && self.stands_at_breakpoint(watch) {
                return;
            }
            self.execute::<WATCHED>(&mut at);
            self.instructions += 1;
        }
    }

    fn stands_at_breakpoint(&mut self, watch: &Watch) -> bool {
        let stands = watch.breakpoints.contains(&self.pc) && watch.passed != Some(self.pc);
        if stands {
            self.halt = Some(Halt::Breakpoint);
        }
        stands
    }

    fn stop(&mut self, halt: Halt) {
        self.halt = Some(halt);
        self.halted_at = self.pc;
        self.limit = 0;
    }

    /// A jump that reports may want to name.
    #[inline(always)]
    fn note_jump(&mut self, to: u32) {
        let (jumps, next) = &mut self.jumps;
        jumps[usize::from(*next) % JUMPS] = Jump { from: self.pc, to };
        *next = next.wrapping_add(1) % JUMPS as u8;
    }
}
