//! The core on the smallest bus there is: memory from 0x20000000 on, and two registers. Each superinstruction is executed, and
//! does what its parts do one after the other.

use std::cell::RefCell;

use mcu::Sleep;
use units::Picoseconds;

use crate::isa::{Kind, SUPERINSTRUCTIONS};
use crate::{Bus, Code, Core, Exit, Ppb, Refusal, Region, Size, Trap, Watch};

pub(crate) const BASE: u32 = 0x2000_0000;
pub(crate) const BYTES: u32 = 0x1000;
/// A register that shows 0 at first and 4 later, and one that always shows 4.
pub(crate) const REGISTERS: [u32; 2] = [0x4000_0000, 0x4000_0004];
const LOOK_CYCLES: u64 = 4;
/// Where R6 and R7 point to.
const DATA: [u32; 2] = [BASE + 0x800, BASE + 0xa00];
const NOP: u16 = 0xbf00;
pub(crate) const BRANCH_TO_SELF: u16 = 0xe7fe;
const LIMIT: u64 = 200;

thread_local! {
    static EXECUTED: RefCell<Vec<Kind>> = const { RefCell::new(Vec::new()) };
}

/// The interpreter executes an operation of this kind.
pub(crate) fn executes(kind: Kind) {
    EXECUTED.with_borrow_mut(|executed| executed.push(kind));
}

pub(crate) struct Memory {
    words: Vec<[u8; 4]>,
    ppb: Ppb,
    pub(crate) watch: Watch,
    attention: bool,
    limit: u64,
    /// From when on the first register shows 4, and whether turns may be left out that look at it before.
    pub(crate) ready: u64,
    pub(crate) leaves_out: bool,
    /// Looks at registers, and when the last one was.
    pub(crate) looks: u32,
    looked_at: u64,
}

impl Memory {
    pub(crate) fn new(code: &[u16]) -> Self {
        let mut memory = Self {
            words: (0..BYTES / 4).map(|word| word.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect(),
            ppb: Ppb::default(),
            watch: Watch::default(),
            attention: false,
            limit: LIMIT,
            ready: 0,
            leaves_out: false,
            looks: 0,
            looked_at: 0,
        };
        for (&half, at) in code.iter().zip((BASE..).step_by(2)) {
            assert!(memory.store_sram(at, Size::Half, u32::from(half)));
        }
        memory
    }

    /// The same with a limit of its own.
    pub(crate) fn up_to(self, limit: u64) -> Self {
        Self { limit, ..self }
    }

    /// What a register shows at a cycle.
    fn shown(&self, address: u32, cycle: u64) -> Option<u32> {
        let shows = match REGISTERS.iter().position(|&register| register == address)? {
            0 => cycle >= self.ready,
            _ => true,
        };
        Some(if shows { 4 } else { 0 })
    }

    fn look(&mut self, address: u32, cycle: &mut u64) -> Option<u32> {
        let value = self.shown(address, *cycle + LOOK_CYCLES)?;
        *cycle += LOOK_CYCLES;
        self.looks += 1;
        self.looked_at = *cycle;
        Some(value)
    }
}

impl Bus for Memory {
    fn region(address: u32) -> Region {
        if address.wrapping_sub(BASE) < BYTES { Region::Sram } else { Region::Other }
    }

    fn region_base(_: u8) -> u32 {
        BASE
    }

    fn region_bytes(&self, _: Region) -> u32 {
        BYTES
    }

    fn peek_half(&self, address: u32) -> Option<u16> {
        self.load_sram(address, Size::Half).map(|half| half as u16)
    }

    fn fetch_elsewhere(&self, _: u32) -> Option<(u16, u16)> {
        None
    }

    fn mark_code(&mut self, _: u32) {}

    fn load_sram(&self, address: u32, size: Size) -> Option<u32> {
        let bytes = self.words.as_flattened().get(address.wrapping_sub(BASE) as usize..)?;
        let bytes = bytes.get(..size as usize)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn store_sram(&mut self, address: u32, size: Size, value: u32) -> bool {
        let at = address.wrapping_sub(BASE) as usize;
        let bytes =
            self.words.as_flattened_mut().get_mut(at..).and_then(|rest| rest.get_mut(..size as usize));
        bytes.map(|bytes| bytes.copy_from_slice(&value.to_le_bytes()[..size as usize])).is_some()
    }

    fn load_shared(&mut self, _: usize, address: u32, size: Size, cycle: &mut u64) -> Option<u32> {
        let loaded = self.load_sram(address, size)?;
        *cycle += 2;
        Some(loaded)
    }

    fn store_shared(&mut self, _: usize, address: u32, size: Size, value: u32, cycle: &mut u64) -> bool {
        let stores = self.store_sram(address, size, value);
        *cycle += if stores { 2 } else { 0 };
        stores
    }

    fn sram_words(&self, address: u32, words: usize) -> Option<&[[u8; 4]]> {
        self.words.get((address.wrapping_sub(BASE) / 4) as usize..)?.get(..words)
    }

    fn sram_words_mut(&mut self, address: u32, words: usize) -> Option<&mut [[u8; 4]]> {
        self.words.get_mut((address.wrapping_sub(BASE) / 4) as usize..)?.get_mut(..words)
    }

    fn load(&mut self, _: usize, _: u32, address: u32, size: Size, cycle: &mut u64) -> Result<u32, Refusal> {
        if let Some(value) = self.look(address, cycle) {
            return Ok(value);
        }
        *cycle += 2;
        let unmapped = mcu::FaultKind::Unmapped { address, write: false };
        self.load_sram(address, size).ok_or(unmapped.into())
    }

    fn store(
        &mut self,
        _: usize,
        _: u32,
        address: u32,
        size: Size,
        value: u32,
        cycle: &mut u64,
    ) -> Result<(), Refusal> {
        *cycle += 2;
        let unmapped = mcu::FaultKind::Unmapped { address, write: true };
        self.store_sram(address, size, value).then_some(()).ok_or(unmapped.into())
    }

    fn fetch_flash(&mut self, _: usize, _: u32, _: u64) -> u64 {
        0
    }

    fn keeps_code(&self) -> bool {
        true
    }

    fn resident_until(&self, word: u32) -> u32 {
        word + 1
    }

    fn count_fetches(&mut self, _: u32) {}

    fn residents(&self) -> u32 {
        0
    }

    fn fetch_through_window(&mut self, _: usize, _: u32, _: u32, _: u64, _: &mut u32) -> u64 {
        0
    }

    fn contend(&mut self, _: usize, _: u32, _: u64) -> u64 {
        0
    }

    fn contend_in_sight(&mut self, _: usize, _: u32, _: u64) -> u64 {
        0
    }

    fn keep_order(&self, _: usize, _: u32, _: bool, _: u64) -> Result<(), Refusal> {
        Ok(())
    }

    fn run_free(&mut self, _: usize) -> u64 {
        u64::MAX
    }

    fn set_order(&mut self, _: usize, _: u64) {}

    fn limit(&self) -> u64 {
        self.limit
    }

    fn limit_changed(&self) -> bool {
        self.attention
    }

    fn take_limit(&mut self) -> u64 {
        if self.attention { 0 } else { self.limit }
    }

    fn take_look(&mut self) -> bool {
        self.leaves_out
    }

    fn seen_at(&self, _: usize, address: u32) -> Option<(u32, u64)> {
        self.shown(address, self.looked_at).map(|value| (value, LOOK_CYCLES))
    }

    fn seen_for(&self, _: usize, address: u32, cycle: u64) -> u64 {
        if address == REGISTERS[0] { self.ready.min(self.limit).saturating_sub(cycle + 1) } else { 0 }
    }

    fn unseen_turns(&mut self, _: usize, addresses: &[u32], cycle: u64, turn_cycles: u64) -> u64 {
        self.seen_for(0, addresses[0], cycle) / turn_cycles
    }

    fn attention(&self) -> bool {
        self.attention
    }

    fn call_attention(&mut self) {
        self.attention = true;
    }

    fn ppb(&self, _: usize) -> &Ppb {
        &self.ppb
    }

    fn ppb_mut(&mut self, _: usize) -> &mut Ppb {
        &mut self.ppb
    }

    fn take_event(&mut self, _: usize) -> bool {
        false
    }

    fn set_event(&mut self, _: usize) {}

    fn send_event(&mut self, _: u64) {}

    fn time_of(&self, cycle: u64) -> Picoseconds {
        Picoseconds::from_ns(8 * cycle as i64)
    }

    fn watch(&self) -> &Watch {
        &self.watch
    }

    fn watch_mut(&mut self) -> &mut Watch {
        &mut self.watch
    }

    fn trap(&mut self, _: &mut Core, _: u16) -> Trap {
        Trap::Unknown
    }
}

/// An encoding of a kind that is part of a superinstruction (ARMv6-M Architecture Reference Manual A5): on R0 to R5, with data
/// at R6 and R7.
fn encoding(kind: Kind) -> u16 {
    let branch = |condition: u16| 0xd000 | condition << 8;
    match kind {
        Kind::MovImmediate => 0x2105,
        Kind::CmpImmediate => 0x2a01,
        Kind::AddImmediate => 0x3303,
        Kind::SubImmediate => 0x3a01,
        Kind::MovsRegister => 0x0011,
        Kind::LslImmediate => 0x00d1,
        Kind::LsrImmediate => 0x08d1,
        Kind::AsrImmediate => 0x10d1,
        Kind::AddRegister => 0x1851,
        Kind::CmpRegister => 0x4291,
        Kind::Tst => 0x4211,
        Kind::Orr => 0x4311,
        Kind::Eor => 0x4051,
        Kind::MovHigh => 0x4680,
        Kind::LoadLiteral => 0x4904,
        Kind::LoadWordImmediate => 0x6872,
        Kind::StoreWordImmediate => 0x60f1,
        Kind::LoadHalfImmediate => 0x8872,
        Kind::LoadByteImmediate => 0x7872,
        Kind::StoreByteImmediate => 0x70f1,
        Kind::LoadMultiple => 0xce03,
        Kind::StoreMultiple => 0xc703,
        Kind::BranchEq => branch(0),
        Kind::BranchNe => branch(1),
        Kind::BranchCs => branch(2),
        Kind::BranchCc => branch(3),
        Kind::BranchMi => branch(4),
        Kind::BranchPl => branch(5),
        Kind::BranchHi => branch(8),
        Kind::BranchLs => branch(9),
        Kind::BranchGe => branch(10),
        Kind::BranchLt => branch(11),
        Kind::BranchGt => branch(12),
        Kind::BranchLe => branch(13),
        other => panic!("{other:?} is new in a superinstruction: give its encoding here"),
    }
}

/// Who looks on while a core runs.
#[derive(Debug, Clone, Copy)]
enum Looks {
    Nobody,
    /// Another master of the bus uses the memory.
    Master,
    /// A debugger with a breakpoint elsewhere, for which instructions are executed one by one.
    Debugger,
}

/// Executes a superinstruction's parts; what the core and the memory are then, and which kinds were executed.
fn run(parts: &[Kind], low: u32, looks: Looks) -> (Core, Memory, Vec<Kind>) {
    let mut code: Vec<u16> = parts.iter().map(|&part| encoding(part)).collect();
    // A branch that is taken leaves out one instruction.
    code.extend([NOP, NOP, BRANCH_TO_SELF]);
    let mut memory = Memory::new(&code);
    match looks {
        Looks::Nobody => {}
        Looks::Master => memory.watch.see_every_access(true),
        Looks::Debugger => memory.watch.set_breakpoints(vec![0]),
    }
    let mut core = Core::new(0);
    core.restart(BASE, BASE + BYTES);
    (0..6).for_each(|register| core.set_register(register, low.wrapping_mul(register as u32)));
    (core.r[6], core.r[7]) = (DATA[0], DATA[1]);
    core.sleep = Sleep::Awake;
    EXECUTED.with_borrow_mut(Vec::clear);
    assert_eq!(core.run(&mut memory, &mut Code::default()), Exit::Limit);
    (core, memory, EXECUTED.take())
}

#[test]
fn each_superinstruction_is_executed_and_does_what_its_parts_do() {
    for (whole, parts) in SUPERINSTRUCTIONS {
        // Comparisons and branches go either way.
        for low in [0, 1, 0x4000_0000, 0x7fff_fff1, 0xffff_ffff] {
            let (one_by_one, expected, executed) = run(parts, low, Looks::Debugger);
            assert_eq!(executed.first(), Some(&parts[0]), "{whole:?}");
            for looks in [Looks::Nobody, Looks::Master] {
                let (at_once, memory, executed) = run(parts, low, looks);
                let case = format!("{whole:?} with {low:#x}, {looks:?}");
                assert_eq!(executed.first(), Some(whole), "{case}");
                assert_eq!(at_once.registers(), one_by_one.registers(), "{case}");
                assert_eq!(at_once.xpsr(), one_by_one.xpsr(), "{case}");
                let counts = (at_once.cycle, at_once.instructions());
                assert_eq!(counts, (one_by_one.cycle, one_by_one.instructions()), "{case}");
                assert_eq!(memory.words, expected.words, "{case}");
            }
        }
    }
}
