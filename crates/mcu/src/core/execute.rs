//! The executor: walks over decoded instructions until a cycle is reached, and charges each the cycles that the Cortex-M0+
//! Technical Reference Manual (3.3) gives it with the single-cycle multiplier and the single-cycle I/O port of the RP2040.
//!
//! One loop for each memory that code runs from, so that the step from one instruction to the next is an addition. All
//! other work (interrupts, events, sleeping) is done between two calls of [`Core::run`].

use units::Picoseconds;

use crate::bus::{Bus, Size};
use crate::core::code::Code;
use crate::core::decode::decode;
use crate::core::op::{Kind, Op};
use crate::core::{Core, DebugEvent, Exit, Fault, FaultKind, LR, PC, Refusal, SP, Sleep};
use crate::watch::Step;

/// Where the program counter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Region {
    Rom,
    Flash,
    Sram,
    /// A window or alias that code rarely runs from: decoded anew each time.
    Other,
}

pub(crate) const IN_ROM: u8 = 0;
pub(crate) const IN_FLASH: u8 = 1;
pub(crate) const IN_SRAM: u8 = 2;

/// No word of flash was fetched yet.
pub(crate) const NO_WORD: u32 = u32::MAX;
/// From here on a halfword is the first of a 32-bit instruction (ARMv6-M A5.1).
const FIRST_OF_TWO: u16 = 0xe800;

/// How one stretch of execution ended.
enum Stretch {
    /// At the limit, or where another memory begins.
    Paused,
    /// At an instruction that was not decoded yet.
    Undecoded,
    /// With a reason for the chip.
    Left(Exit),
}

impl Core {
    /// The instruction that begins, for whoever observes it.
    fn step_at(&self, pc: u32, cycle: u64, at: Picoseconds) -> Step {
        let (sp, lr, idle_cycles) = (self.r[SP], self.r[LR], self.idle_cycles);
        Step { core: self.id as u8, pc, cycle, at, idle_cycles, sp, lr, exception: self.ipsr as u8 }
    }

    /// Executes until `limit` is reached or something else has to be looked at first.
    pub(crate) fn run(&mut self, bus: &mut Bus, code: &mut Code, limit: u64) -> Exit {
        // An instruction whose fetch was paid for and that is decoded only now is executed whatever the limit, so that
        // nothing depends on what was decoded before.
        let mut least = 0;
        while self.cycle < limit.max(least) && !bus.attention {
            let pc = self.r[PC];
            let limit = limit.max(std::mem::take(&mut least));
            let stretch = match (Bus::region(pc), bus.watch.is_on()) {
                (Region::Sram, false) => self.walk::<IN_SRAM, false>(bus, &code.sram, limit),
                (Region::Flash, false) => self.walk::<IN_FLASH, false>(bus, &code.flash, limit),
                (Region::Rom, false) => self.walk::<IN_ROM, false>(bus, &code.rom, limit),
                (Region::Sram, true) => self.walk::<IN_SRAM, true>(bus, &code.sram, limit),
                (Region::Flash, true) => self.walk::<IN_FLASH, true>(bus, &code.flash, limit),
                (Region::Rom, true) => self.walk::<IN_ROM, true>(bus, &code.rom, limit),
                (Region::Other, _) => self.execute_elsewhere(bus),
            };
            match stretch {
                Stretch::Paused => {
                    if let Some(hit) = bus.watch.take_hit(self.id) {
                        return Exit::Debug(hit);
                    }
                }
                Stretch::Undecoded => {
                    let pc = self.r[PC];
                    if !code.decode_at(bus, pc) {
                        self.undecoded_word = NO_WORD;
                        return self.fault(pc, FaultKind::Fetch { address: pc });
                    }
                    least = self.cycle + 1;
                }
                Stretch::Left(exit) => return exit,
            }
        }
        Exit::Limit
    }

    /// One instruction from a window that has no table of decoded instructions.
    fn execute_elsewhere(&mut self, bus: &mut Bus) -> Stretch {
        let pc = self.r[PC];
        match bus.fetch_elsewhere(pc) {
            Some((first, second)) => {
                let op = decode(pc, first, second);
                let halfwords = if first >= FIRST_OF_TWO { 2 } else { 1 };
                let mut fetched = self.fetched;
                self.cycle += bus.fetch_through_window(self.id, pc, halfwords, self.cycle, &mut fetched);
                self.fetched = fetched;
                let limit = self.cycle + 1;
                self.walk_at::<{ u8::MAX }, false>(bus, &[op], limit, pc)
            }
            None => Stretch::Left(self.fault(pc, FaultKind::Fetch { address: pc })),
        }
    }

    pub(crate) fn fault(&self, pc: u32, kind: FaultKind) -> Exit {
        Exit::Fault(Fault { kind, pc, core: self.id as u8 })
    }

    /// An access that must be carried out was refused.
    pub(crate) fn refused(&self, pc: u32, refusal: Refusal) -> Exit {
        match refusal {
            Refusal::Fault(kind) => self.fault(pc, kind),
            Refusal::OtherCoreFirst => Exit::Limit,
        }
    }

    fn walk<const REGION: u8, const WATCHED: bool>(
        &mut self,
        bus: &mut Bus,
        ops: &[Op],
        limit: u64,
    ) -> Stretch {
        self.walk_at::<REGION, WATCHED>(bus, ops, limit, Bus::region_base(REGION))
    }

    /// The loop. `index` counts halfwords from `base`, where `ops` begin.
    fn walk_at<const REGION: u8, const WATCHED: bool>(
        &mut self,
        bus: &mut Bus,
        ops: &[Op],
        mut limit: u64,
        base: u32,
    ) -> Stretch {
        let mut index = self.r[PC].wrapping_sub(base) >> 1;
        let mut cycle = self.cycle;
        // Instructions are counted when a row of them ends: there are as many as halfwords were passed.
        let mut count: u64 = 0;
        let mut row = index;
        let mut word = std::mem::replace(&mut self.undecoded_word, NO_WORD);
        let mut left = None;
        let mut undecoded = false;

        macro_rules! reg {
            ($number:expr) => {
                self.r[usize::from($number)]
            };
        }
        macro_rules! pc {
            () => {
                base.wrapping_add(index << 1)
            };
        }
        macro_rules! set_nz {
            ($value:expr) => {
                self.flags.nz = u64::from($value as u32)
            };
        }
        macro_rules! leave {
            ($exit:expr) => {{
                left = Some($exit);
                break;
            }};
        }
        // Ends the stretch before the instruction, which is executed again, or with a fault.
        macro_rules! refuse {
            ($refusal:expr) => {{
                left = Some(self.refused(pc!(), $refusal));
                break;
            }};
        }
        // The sum of two, with all flags set.
        macro_rules! add_flags {
            ($x:expr, $y:expr) => {{
                let (x, y): (u32, u32) = ($x, $y);
                let (sum, carry) = x.overflowing_add(y);
                set_nz!(sum);
                self.flags.c = carry;
                self.flags.v = (x as i32).overflowing_add(y as i32).1;
                sum
            }};
        }
        macro_rules! add_carry_flags {
            ($x:expr, $y:expr) => {{
                let (x, y): (u32, u32) = ($x, $y);
                let wide = u64::from(x) + u64::from(y) + u64::from(self.flags.c);
                let sum = wide as u32;
                set_nz!(sum);
                self.flags.c = wide >> 32 != 0;
                self.flags.v = ((x ^ sum) & (y ^ sum)) >> 31 != 0;
                sum
            }};
        }
        macro_rules! sub_flags {
            ($x:expr, $y:expr) => {{
                let (x, y): (u32, u32) = ($x, $y);
                let difference = x.wrapping_sub(y);
                set_nz!(difference);
                self.flags.c = x >= y;
                self.flags.v = (x as i32).overflowing_sub(y as i32).1;
                difference
            }};
        }
        macro_rules! branch {
            ($op:expr) => {{
                let target = index.wrapping_add($op.imm);
                count += u64::from(index.wrapping_sub(row)) + 1;
                row = target;
                self.trail.add(pc!(), base.wrapping_add(target << 1));
                index = target;
                word = NO_WORD;
                cycle += 2;
                continue;
            }};
        }
        macro_rules! branch_if {
            ($op:expr, $condition:expr) => {{
                if $condition {
                    branch!($op);
                }
                cycle += 1;
            }};
        }
        // The second of two instructions in one step, where nothing may come between them.
        macro_rules! then_branch_if {
            ($op:expr, $condition:expr) => {{
                cycle += 1;
                if !WATCHED && cycle < limit {
                    if REGION == IN_FLASH && (index + 1) >> 1 != word {
                        word = (index + 1) >> 1;
                        cycle += bus.fetch_flash(self.id, word, cycle);
                    }
                    if $condition {
                        let target = index.wrapping_add($op.imm);
                        self.trail.add(pc!().wrapping_add(2), base.wrapping_add(target << 1));
                        count += u64::from(index.wrapping_sub(row)) + 2;
                        row = target;
                        index = target;
                        word = NO_WORD;
                        cycle += 2;
                        continue;
                    }
                    index += 1;
                    cycle += 1;
                }
            }};
        }
        macro_rules! jump {
            ($target:expr, $cycles:expr) => {{
                let target: u32 = $target;
                self.trail.add(pc!(), target);
                cycle += $cycles;
                count += u64::from(index.wrapping_sub(row)) + 1;
                index = target.wrapping_sub(base) >> 1;
                row = index;
                word = NO_WORD;
                if REGION == u8::MAX || Bus::region(target) as u8 != REGION {
                    break;
                }
                continue;
            }};
        }
        // To an address that came out of a register or the stack: EXC_RETURN, Thumb code, or a fault.
        macro_rules! interworking {
            ($target:expr, $cycles:expr) => {{
                let target: u32 = $target;
                if target & 1 == 0 {
                    leave!(self.fault(pc!(), FaultKind::NotThumb { target }));
                }
                if target >= 0xf000_0000 && self.ipsr != 0 {
                    cycle += $cycles;
                    self.cycle = cycle;
                    self.r[PC] = pc!();
                    let exit = self.return_from_exception(bus, target);
                    cycle = self.cycle;
                    count += u64::from(index.wrapping_sub(row)) + 1;
                    index = self.r[PC].wrapping_sub(base) >> 1;
                    row = index;
                    left = exit;
                    break;
                }
                jump!(target & !1, $cycles);
            }};
        }
        macro_rules! load {
            ($op:expr, $fast:ident, $size:expr, $address:expr) => {{
                let address: u32 = $address;
                match bus.sram.$fast(address) {
                    Some(value) if !WATCHED => {
                        cycle += 2;
                        value
                    }
                    _ => {
                        // A copy, so that the count itself can stay in a register of the host.
                        let mut end = cycle;
                        match bus.load(self.id, pc!(), address, $size, &mut end) {
                            Ok(value) => {
                                cycle = end;
                                if bus.attention {
                                    limit = 0;
                                }
                                value
                            }
                            Err(refusal) => refuse!(refusal),
                        }
                    }
                }
            }};
        }
        macro_rules! store {
            ($op:expr, $fast:ident, $size:expr, $address:expr) => {{
                let (address, value): (u32, u32) = ($address, reg!($op.a));
                if !WATCHED && bus.sram.$fast(address, value) {
                    cycle += 2;
                } else {
                    let mut end = cycle;
                    match bus.store(self.id, pc!(), address, $size, value, &mut end) {
                        Ok(()) => {
                            cycle = end;
                            if bus.attention {
                                limit = 0;
                            }
                        }
                        Err(refusal) => refuse!(refusal),
                    }
                }
            }};
        }

        while cycle < limit {
            let Some(op) = ops.get(index as usize) else {
                undecoded = true;
                break;
            };
            if REGION == IN_FLASH && index >> 1 != word {
                word = index >> 1;
                cycle += bus.fetch_flash(self.id, word, cycle);
            }
            if WATCHED && op.kind != Kind::Undecoded {
                if let Some(stop) = bus.watch.before(self.id, pc!()) {
                    leave!(Exit::Debug(stop));
                }
                if let Some(observer) = bus.watch.observer() {
                    observer.instruction(self.step_at(pc!(), cycle, bus.clock.time_of(cycle)));
                }
                if REGION == IN_SRAM && index >> 1 != word {
                    word = index >> 1;
                    cycle += bus.contend(self.id as u8, word << 2, cycle);
                }
            }
            match op.kind {
                Kind::Undecoded => {
                    undecoded = true;
                    break;
                }
                Kind::MovImmediate => {
                    reg!(op.a) = op.imm;
                    set_nz!(op.imm);
                    cycle += 1;
                }
                Kind::MovsRegister => {
                    let value = reg!(op.b);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::LslImmediate => {
                    let value = reg!(op.b);
                    self.flags.c = value >> (op.c & 31) & 1 != 0;
                    let value = value << (op.imm & 31);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::LsrImmediate => {
                    let value = reg!(op.b);
                    self.flags.c = value >> (op.c & 31) & 1 != 0;
                    let value = value >> (op.imm & 31);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Lsr32 => {
                    self.flags.c = reg!(op.b) >> 31 != 0;
                    reg!(op.a) = 0;
                    set_nz!(0u32);
                    cycle += 1;
                }
                Kind::AsrImmediate => {
                    let value = reg!(op.b);
                    self.flags.c = value >> (op.c & 31) & 1 != 0;
                    let value = (value as i32 >> (op.imm & 31)) as u32;
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Asr32 => {
                    let value = (reg!(op.b) as i32 >> 31) as u32;
                    self.flags.c = value & 1 != 0;
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::AddRegister => {
                    reg!(op.a) = add_flags!(reg!(op.b), reg!(op.c));
                    cycle += 1;
                }
                Kind::SubRegister => {
                    reg!(op.a) = sub_flags!(reg!(op.b), reg!(op.c));
                    cycle += 1;
                }
                Kind::AddImmediate => {
                    reg!(op.a) = add_flags!(reg!(op.b), op.imm);
                    cycle += 1;
                }
                Kind::SubImmediate => {
                    reg!(op.a) = sub_flags!(reg!(op.b), op.imm);
                    cycle += 1;
                }
                Kind::CmpImmediate => {
                    sub_flags!(reg!(op.a), op.imm);
                    cycle += 1;
                }
                Kind::And => {
                    let value = reg!(op.a) & reg!(op.b);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Eor => {
                    let value = reg!(op.a) ^ reg!(op.b);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::LslRegister | Kind::LsrRegister | Kind::AsrRegister | Kind::Ror => {
                    let (value, carry) = shift(op.kind, reg!(op.a), reg!(op.b) & 0xff, self.flags.c);
                    reg!(op.a) = value;
                    self.flags.c = carry;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Adc => {
                    reg!(op.a) = add_carry_flags!(reg!(op.a), reg!(op.b));
                    cycle += 1;
                }
                Kind::Sbc => {
                    reg!(op.a) = add_carry_flags!(reg!(op.a), !reg!(op.b));
                    cycle += 1;
                }
                Kind::Tst => {
                    set_nz!(reg!(op.a) & reg!(op.b));
                    cycle += 1;
                }
                Kind::Neg => {
                    reg!(op.a) = sub_flags!(0, reg!(op.b));
                    cycle += 1;
                }
                Kind::CmpRegister => {
                    sub_flags!(reg!(op.a), reg!(op.b));
                    cycle += 1;
                }
                Kind::Cmn => {
                    add_flags!(reg!(op.a), reg!(op.b));
                    cycle += 1;
                }
                Kind::Orr => {
                    let value = reg!(op.a) | reg!(op.b);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Mul => {
                    let value = reg!(op.a).wrapping_mul(reg!(op.b));
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Bic => {
                    let value = reg!(op.a) & !reg!(op.b);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::Mvn => {
                    let value = !reg!(op.b);
                    reg!(op.a) = value;
                    set_nz!(value);
                    cycle += 1;
                }
                Kind::AddHigh => {
                    reg!(op.a) = reg!(op.a).wrapping_add(reg!(op.b));
                    cycle += 1;
                }
                Kind::MovHigh => {
                    reg!(op.a) = reg!(op.b);
                    cycle += 1;
                }
                Kind::Constant => {
                    reg!(op.a) = op.imm;
                    cycle += 1;
                }
                Kind::AddAddress => {
                    reg!(op.a) = reg!(op.b).wrapping_add(op.imm);
                    cycle += 1;
                }
                Kind::ToStackPointer => {
                    let base = if op.c == 1 { self.r[SP] } else { 0 };
                    self.r[SP] = base.wrapping_add(reg!(op.b)) & !3;
                    cycle += 1;
                }
                Kind::AdjustStackPointer => {
                    self.r[SP] = self.r[SP].wrapping_add(op.imm);
                    cycle += 1;
                }
                Kind::ToProgramCounter => {
                    let addend = if op.c == 1 { op.imm } else { 0 };
                    jump!(reg!(op.b).wrapping_add(addend) & !1, 2);
                }
                Kind::AddProgramCounter => {
                    reg!(op.a) = reg!(op.a).wrapping_add(op.imm);
                    cycle += 1;
                }
                Kind::LoadLiteral => reg!(op.a) = load!(op, load_word, Size::Word, op.imm),
                Kind::LoadWordImmediate => {
                    reg!(op.a) = load!(op, load_word, Size::Word, reg!(op.b).wrapping_add(op.imm));
                }
                Kind::LoadWordRegister => {
                    reg!(op.a) = load!(op, load_word, Size::Word, reg!(op.b).wrapping_add(reg!(op.c)));
                }
                Kind::LoadHalfImmediate => {
                    reg!(op.a) = load!(op, load_half, Size::Half, reg!(op.b).wrapping_add(op.imm));
                }
                Kind::LoadHalfRegister => {
                    reg!(op.a) = load!(op, load_half, Size::Half, reg!(op.b).wrapping_add(reg!(op.c)));
                }
                Kind::LoadByteImmediate => {
                    reg!(op.a) = load!(op, load_byte, Size::Byte, reg!(op.b).wrapping_add(op.imm));
                }
                Kind::LoadByteRegister => {
                    reg!(op.a) = load!(op, load_byte, Size::Byte, reg!(op.b).wrapping_add(reg!(op.c)));
                }
                Kind::LoadSignedHalf => {
                    let value = load!(op, load_half, Size::Half, reg!(op.b).wrapping_add(reg!(op.c)));
                    reg!(op.a) = value as i16 as u32;
                }
                Kind::LoadSignedByte => {
                    let value = load!(op, load_byte, Size::Byte, reg!(op.b).wrapping_add(reg!(op.c)));
                    reg!(op.a) = value as i8 as u32;
                }
                Kind::StoreWordImmediate => {
                    store!(op, store_word, Size::Word, reg!(op.b).wrapping_add(op.imm));
                }
                Kind::StoreWordRegister => {
                    store!(op, store_word, Size::Word, reg!(op.b).wrapping_add(reg!(op.c)));
                }
                Kind::StoreHalfImmediate => {
                    store!(op, store_half, Size::Half, reg!(op.b).wrapping_add(op.imm));
                }
                Kind::StoreHalfRegister => {
                    store!(op, store_half, Size::Half, reg!(op.b).wrapping_add(reg!(op.c)));
                }
                Kind::StoreByteImmediate => {
                    store!(op, store_byte, Size::Byte, reg!(op.b).wrapping_add(op.imm));
                }
                Kind::StoreByteRegister => {
                    store!(op, store_byte, Size::Byte, reg!(op.b).wrapping_add(reg!(op.c)));
                }
                Kind::Push | Kind::StoreMultiple => {
                    let mut end = cycle;
                    let stored = self.store_multiple(bus, *op, pc!(), &mut end);
                    cycle = end;
                    match stored {
                        Ok(()) if bus.attention => limit = 0,
                        Ok(()) => {}
                        Err(refusal) => refuse!(refusal),
                    }
                }
                Kind::Pop | Kind::LoadMultiple | Kind::PopProgramCounter => {
                    let mut end = cycle;
                    let loaded = self.load_multiple(bus, *op, pc!(), &mut end);
                    cycle = end;
                    if bus.attention {
                        limit = 0;
                    }
                    match loaded {
                        Ok(target) if op.kind == Kind::PopProgramCounter => interworking!(target, 2),
                        Ok(_) => {}
                        Err(refusal) => refuse!(refusal),
                    }
                }
                Kind::SignExtendHalf => {
                    reg!(op.a) = reg!(op.b) as i16 as u32;
                    cycle += 1;
                }
                Kind::SignExtendByte => {
                    reg!(op.a) = reg!(op.b) as i8 as u32;
                    cycle += 1;
                }
                Kind::ZeroExtendHalf => {
                    reg!(op.a) = reg!(op.b) & 0xffff;
                    cycle += 1;
                }
                Kind::ZeroExtendByte => {
                    reg!(op.a) = reg!(op.b) & 0xff;
                    cycle += 1;
                }
                Kind::Rev => {
                    reg!(op.a) = reg!(op.b).swap_bytes();
                    cycle += 1;
                }
                Kind::Rev16 => {
                    reg!(op.a) = reg!(op.b).swap_bytes().rotate_left(16);
                    cycle += 1;
                }
                Kind::Revsh => {
                    reg!(op.a) = (reg!(op.b) as u16).swap_bytes() as i16 as u32;
                    cycle += 1;
                }
                Kind::BranchEq => branch_if!(op, self.flags.zero()),
                Kind::BranchNe => branch_if!(op, !self.flags.zero()),
                Kind::BranchCs => branch_if!(op, self.flags.c),
                Kind::BranchCc => branch_if!(op, !self.flags.c),
                Kind::BranchMi => branch_if!(op, self.flags.negative()),
                Kind::BranchPl => branch_if!(op, !self.flags.negative()),
                Kind::BranchVs => branch_if!(op, self.flags.v),
                Kind::BranchVc => branch_if!(op, !self.flags.v),
                Kind::BranchHi => branch_if!(op, self.flags.c && !self.flags.zero()),
                Kind::BranchLs => branch_if!(op, !self.flags.c || self.flags.zero()),
                Kind::BranchGe => branch_if!(op, self.flags.negative() == self.flags.v),
                Kind::BranchLt => branch_if!(op, self.flags.negative() != self.flags.v),
                Kind::BranchGt => branch_if!(op, !self.flags.zero() && self.flags.negative() == self.flags.v),
                Kind::BranchLe => branch_if!(op, self.flags.zero() || self.flags.negative() != self.flags.v),
                Kind::Branch => branch!(op),
                Kind::CmpImmediateThenBranchEq => {
                    sub_flags!(reg!(op.a), u32::from(op.c));
                    then_branch_if!(op, self.flags.zero());
                }
                Kind::CmpImmediateThenBranchNe => {
                    sub_flags!(reg!(op.a), u32::from(op.c));
                    then_branch_if!(op, !self.flags.zero());
                }
                Kind::CmpRegisterThenBranchEq => {
                    sub_flags!(reg!(op.a), reg!(op.b));
                    then_branch_if!(op, self.flags.zero());
                }
                Kind::CmpRegisterThenBranchNe => {
                    sub_flags!(reg!(op.a), reg!(op.b));
                    then_branch_if!(op, !self.flags.zero());
                }
                Kind::SubImmediateThenBranchEq => {
                    reg!(op.a) = sub_flags!(reg!(op.b), u32::from(op.c));
                    then_branch_if!(op, self.flags.zero());
                }
                Kind::SubImmediateThenBranchNe => {
                    reg!(op.a) = sub_flags!(reg!(op.b), u32::from(op.c));
                    then_branch_if!(op, !self.flags.zero());
                }
                Kind::BranchLink => {
                    self.r[LR] = pc!().wrapping_add(4) | 1;
                    jump!(pc!().wrapping_add(op.imm << 1), 3);
                }
                Kind::BranchExchange => interworking!(reg!(op.a), 2),
                Kind::BranchLinkExchange => {
                    let target = reg!(op.a);
                    self.r[LR] = pc!().wrapping_add(2) | 1;
                    interworking!(target, 2)
                }
                Kind::Nop => cycle += 1,
                Kind::Barrier => {
                    cycle += 3;
                    // Two halfwords are one instruction of the row.
                    index = index.wrapping_add(1);
                    row = row.wrapping_add(1);
                }
                Kind::Wfe
                | Kind::Wfi
                | Kind::Sev
                | Kind::ChangePrimask
                | Kind::Svc
                | Kind::Bkpt
                | Kind::Mrs
                | Kind::Msr
                | Kind::Undefined => {
                    self.cycle = cycle;
                    self.r[PC] = pc!();
                    count += u64::from(index.wrapping_sub(row)) + 1;
                    let exit = self.system_instruction(bus, *op);
                    cycle = self.cycle;
                    index = self.r[PC].wrapping_sub(base) >> 1;
                    row = index;
                    left = exit;
                    break;
                }
            }
            index = index.wrapping_add(1);
        }
        self.cycle = cycle;
        self.instructions += count.wrapping_add(u64::from(index.wrapping_sub(row)));
        self.r[PC] = pc!();
        match left {
            Some(exit) => Stretch::Left(exit),
            None if undecoded => {
                self.undecoded_word = word;
                Stretch::Undecoded
            }
            None => Stretch::Paused,
        }
    }

    /// PUSH and STM: registers of the list to ascending addresses.
    fn store_multiple(&mut self, bus: &mut Bus, op: Op, pc: u32, cycle: &mut u64) -> Result<(), Refusal> {
        let bytes = 4 * op.imm.count_ones();
        let (base, first, end) = match op.kind {
            Kind::Push => (SP, self.r[SP].wrapping_sub(bytes), self.r[SP].wrapping_sub(bytes)),
            _ => {
                let base = usize::from(op.a);
                (base, self.r[base], self.r[base].wrapping_add(bytes))
            }
        };
        if !bus.watch.is_on()
            && let Some(row) = bus.sram.row_mut(first, bytes as usize / 4)
        {
            let mut list = op.imm;
            for word in row {
                *word = self.r[list.trailing_zeros() as usize].to_le_bytes();
                list &= list.wrapping_sub(1);
            }
            *cycle += 1 + u64::from(bytes / 4);
            self.r[base] = end;
            return Ok(());
        }
        bus.keep_order(self.id, first, *cycle)?;
        let limit = bus.run_free(self.id);
        *cycle += 1;
        let mut address = first;
        let mut list = op.imm;
        let mut stored = Ok(());
        while list != 0 && stored.is_ok() {
            let register = list.trailing_zeros() as usize;
            list &= list - 1;
            stored = bus.store_one_of_many(self.id, pc, address, self.r[register], cycle);
            address = address.wrapping_add(4);
        }
        bus.may_run_to[self.id] = limit;
        if stored.is_ok() {
            self.r[base] = end;
        }
        stored
    }

    /// POP and LDM; gives what is to become the program counter, if it is popped.
    fn load_multiple(&mut self, bus: &mut Bus, op: Op, pc: u32, cycle: &mut u64) -> Result<u32, Refusal> {
        let base = if op.kind == Kind::LoadMultiple { usize::from(op.a) } else { SP };
        let count = op.imm.count_ones() + u32::from(op.kind == Kind::PopProgramCounter);
        if !bus.watch.is_on()
            && let Some(row) = bus.sram.row(self.r[base], count as usize)
        {
            return Ok(self.load_row(op, base, row, cycle));
        }
        bus.keep_order(self.id, self.r[base], *cycle)?;
        let limit = bus.run_free(self.id);
        let loaded = self.load_list(bus, op, base, pc, cycle);
        bus.may_run_to[self.id] = limit;
        loaded
    }

    /// The words of a list, all of which lie in SRAM.
    #[inline(always)]
    fn load_row(&mut self, op: Op, base: usize, row: &[[u8; 4]], cycle: &mut u64) -> u32 {
        let end = self.r[base].wrapping_add(4 * row.len() as u32);
        let mut list = op.imm;
        let mut target = 0;
        for word in row {
            let value = u32::from_le_bytes(*word);
            match list {
                0 => target = value,
                _ => self.r[list.trailing_zeros() as usize] = value,
            }
            list &= list.wrapping_sub(1);
        }
        *cycle += 1 + row.len() as u64;
        if op.kind != Kind::LoadMultiple || op.c == 1 {
            self.r[base] = end;
        }
        target
    }

    fn load_list(
        &mut self,
        bus: &mut Bus,
        op: Op,
        base: usize,
        pc: u32,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        *cycle += 1;
        let mut address = self.r[base];
        let mut list = op.imm;
        while list != 0 {
            let register = list.trailing_zeros() as usize;
            list &= list - 1;
            self.r[register] = bus.load_one_of_many(self.id, pc, address, cycle)?;
            address = address.wrapping_add(4);
        }
        let mut target = 0;
        if op.kind == Kind::PopProgramCounter {
            target = bus.load_one_of_many(self.id, pc, address, cycle)?;
            address = address.wrapping_add(4);
        }
        if op.kind != Kind::LoadMultiple || op.c == 1 {
            self.r[base] = address;
        }
        Ok(target)
    }

    /// Goes to sleep.
    pub(crate) fn go_to_sleep(&mut self, sleep: Sleep) -> Option<Exit> {
        self.sleep = sleep;
        Some(Exit::Sleep)
    }

    pub(crate) fn debug(event: DebugEvent) -> Option<Exit> {
        Some(Exit::Debug(event))
    }
}

/// Shifts by a register: amounts from 0 to 255, of which those of 32 and more clear or fill.
fn shift(kind: Kind, value: u32, amount: u32, carry: bool) -> (u32, bool) {
    if amount == 0 {
        return (value, carry);
    }
    let wide = u64::from(value);
    match kind {
        Kind::LslRegister if amount > 32 => (0, false),
        Kind::LslRegister => {
            let shifted = wide << amount;
            (shifted as u32, shifted >> 32 & 1 != 0)
        }
        Kind::LsrRegister if amount > 32 => (0, false),
        Kind::LsrRegister => ((wide >> amount) as u32, wide >> (amount - 1) & 1 != 0),
        Kind::AsrRegister => {
            let wide = i64::from(value as i32);
            let amount = amount.min(33);
            ((wide >> amount) as u32, wide >> (amount - 1) & 1 != 0)
        }
        _ => {
            let rotated = value.rotate_right(amount & 31);
            (rotated, rotated >> 31 != 0)
        }
    }
}
