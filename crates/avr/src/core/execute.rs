//! One instruction: what it does and how many cycles it takes (AVR Instruction Set Manual, DS40002198, "#Clocks AVRe").

use super::alu::{self, C, I, T};
use super::instruction::Z;
use super::{Attached, Bus, Core, FIRST_IO, Halt, Instruction};

impl Core {
    /// Executes the next instruction.
    #[inline(always)]
    pub(super) fn execute<const W: bool>(&mut self, at: &mut Attached<'_, '_, impl Bus>) {
        use Instruction as Op;
        let code = at.memories.code;
        self.pc &= code.len() as u32 - 1;
        let mut next = self.pc + 1;
        let mut cycles = 1;
        match code[self.pc as usize] {
            Op::Add { d, r } => self.two(d, r, |sreg, d, r| alu::add(sreg, d, r, 0)),
            Op::Adc { d, r } => self.two(d, r, |sreg, d, r| alu::add(sreg, d, r, sreg & C)),
            Op::Sub { d, r } => self.two(d, r, alu::subtract),
            Op::Sbc { d, r } => self.two(d, r, alu::subtract_on),
            Op::And { d, r } => self.two(d, r, |sreg, d, r| (d & r, alu::logical(sreg, d & r))),
            Op::Or { d, r } => self.two(d, r, |sreg, d, r| (d | r, alu::logical(sreg, d | r))),
            Op::Eor { d, r } => self.two(d, r, |sreg, d, r| (d ^ r, alu::logical(sreg, d ^ r))),
            Op::Cp { d, r } => self.sreg = alu::subtract(self.sreg, self.get(d), self.get(r)).1,
            Op::Cpc { d, r } => self.sreg = alu::subtract_on(self.sreg, self.get(d), self.get(r)).1,
            Op::Subi { d, k } => self.one(d, |sreg, d| alu::subtract(sreg, d, k)),
            Op::Sbci { d, k } => self.one(d, |sreg, d| alu::subtract_on(sreg, d, k)),
            Op::Andi { d, k } => self.one(d, |sreg, d| (d & k, alu::logical(sreg, d & k))),
            Op::Ori { d, k } => self.one(d, |sreg, d| (d | k, alu::logical(sreg, d | k))),
            Op::Cpi { d, k } => self.sreg = alu::subtract(self.sreg, self.get(d), k).1,
            Op::Inc { d } => self.one(d, alu::increment),
            Op::Dec { d } => self.one(d, alu::decrement),
            Op::Com { d } => self.one(d, alu::complement),
            Op::Neg { d } => self.one(d, alu::negate),
            Op::Lsr { d } => self.one(d, |sreg, d| alu::shift_right(sreg, d, 0)),
            Op::Ror { d } => self.one(d, |sreg, d| alu::shift_right(sreg, d, sreg << 7)),
            Op::Asr { d } => self.one(d, |sreg, d| alu::shift_right(sreg, d, d & 0x80)),
            Op::Swap { d } => self.set(d, self.get(d).rotate_left(4)),
            Op::Mov { d, r } => self.set(d, self.get(r)),
            Op::Movw { d, r } => self.set_pair(d, self.pair(r)),
            Op::Ldi { d, k } => self.set(d, k),
            Op::Nop => {}
            Op::Adiw { d, k } => cycles = self.add_word(d, u16::from(k), false),
            Op::Sbiw { d, k } => cycles = self.add_word(d, u16::from(k), true),
            Op::Brbs { b, k } if self.sreg >> b & 1 == 1 => (next, cycles) = (branch(next, k), 2),
            Op::Brbc { b, k } if self.sreg >> b & 1 == 0 => (next, cycles) = (branch(next, k), 2),
            Op::Brbs { .. } | Op::Brbc { .. } => {}
            Op::Rjmp { k } => (next, cycles) = (next.wrapping_add_signed(k.into()), 2),
            Op::In { d, a } => {
                let value = self.load::<W>(at, u16::from(a) + FIRST_IO, 0);
                self.set(d, value);
            }
            Op::Out { a, r } => {
                self.store::<W>(at, u16::from(a) + FIRST_IO, self.get(r), 0);
            }
            Op::Ld { d, pointer } => cycles = self.load_by::<W>(at, d, pointer),
            Op::St { r, pointer } => cycles = self.store_by::<W>(at, r, pointer),
            Op::Ldd { d, base, q } => {
                let address = self.pair(base).wrapping_add(q.into());
                let value = self.load::<W>(at, address, 1);
                self.set(d, value);
                cycles = 2;
            }
            Op::Std { r, base, q } => {
                let address = self.pair(base).wrapping_add(q.into());
                self.store::<W>(at, address, self.get(r), 1);
                cycles = 2;
            }
            op => (next, cycles) = self.execute_other::<W>(op, at, next),
        }
        self.pc = next;
        self.cycle += u64::from(cycles);
    }

    /// Those that are rarer, or that take several cycles anyway; the next instruction and the cycles.
    #[inline(never)]
    fn execute_other<const W: bool>(
        &mut self,
        op: Instruction,
        at: &mut Attached<'_, '_, impl Bus>,
        next: u32,
    ) -> (u32, u32) {
        use Instruction as Op;
        let plain = (next, 1);
        match op {
            Op::Lds { d, k } => {
                let value = self.load::<W>(at, k, 1);
                self.set(d, value);
                (next + 1, 2)
            }
            Op::Sts { k, r } => {
                self.store::<W>(at, k, self.get(r), 1);
                (next + 1, 2)
            }
            Op::Push { r } => {
                self.push::<W>(at, self.get(r));
                (next, 2)
            }
            Op::Pop { d } => {
                let value = self.pop::<W>(at);
                self.set(d, value);
                (next, 2)
            }
            Op::Cpse { d, r } => self.skip(at, next, self.get(d) == self.get(r)),
            Op::Sbrc { r, b } => self.skip(at, next, self.get(r) >> b & 1 == 0),
            Op::Sbrs { r, b } => self.skip(at, next, self.get(r) >> b & 1 == 1),
            Op::Sbic { a, b } | Op::Sbis { a, b } => {
                let value = self.load::<W>(at, u16::from(a) + FIRST_IO, 0);
                self.skip(at, next, (value >> b & 1 == 1) == matches!(op, Op::Sbis { .. }))
            }
            Op::Sbi { a, b } => self.change_bit::<W>(at, (a, b), true, next),
            Op::Cbi { a, b } => self.change_bit::<W>(at, (a, b), false, next),
            Op::Mul { d, r } => self.multiply(u16::from(self.get(d)) * u16::from(self.get(r)), false, next),
            Op::Muls { d, r } => self.multiply(self.signed(d).wrapping_mul(self.signed(r)), false, next),
            Op::Mulsu { d, r } => self.multiply(self.signed(d).wrapping_mul(self.get(r).into()), false, next),
            Op::Fmul { d, r } => self.multiply(u16::from(self.get(d)) * u16::from(self.get(r)), true, next),
            Op::Fmuls { d, r } => self.multiply(self.signed(d).wrapping_mul(self.signed(r)), true, next),
            Op::Fmulsu { d, r } => self.multiply(self.signed(d).wrapping_mul(self.get(r).into()), true, next),
            Op::Lpm { d, increment } => self.load_program(at, d, increment, false, next),
            Op::Elpm { d, increment } => self.load_program(at, d, increment, true, next),
            Op::Bset { b } => self.change_flag(1 << b, true, next),
            Op::Bclr { b } => self.change_flag(1 << b, false, next),
            Op::Bst { d, b } => {
                self.sreg = self.sreg & !T | (self.get(d) >> b & 1) << 6;
                plain
            }
            Op::Bld { d, b } => {
                self.set(d, self.get(d) & !(1 << b) | (self.sreg >> 6 & 1) << b);
                plain
            }
            op => self.go_elsewhere::<W>(op, at, next),
        }
    }

    /// Jumps, calls and returns, and what stops the core.
    fn go_elsewhere<const W: bool>(
        &mut self,
        op: Instruction,
        at: &mut Attached<'_, '_, impl Bus>,
        next: u32,
    ) -> (u32, u32) {
        use Instruction as Op;
        let long = u32::from(self.layout.long_pc);
        let indirect = u32::from(self.pair(Z));
        let extended = indirect | u32::from(self.eind) << 16;
        let (target, cycles) = match op {
            Op::Jmp { k } => (k, 3),
            Op::Ijmp => (indirect, 2),
            Op::Eijmp => (extended, 2),
            Op::Call { k } => (self.call::<W>(at, next + 1, k), 4 + long),
            Op::Rcall { k } => {
                let target = next.wrapping_add_signed(k.into());
                (self.call::<W>(at, next, target), 3 + long)
            }
            Op::Icall => (self.call::<W>(at, next, indirect), 3 + long),
            Op::Eicall => (self.call::<W>(at, next, extended), 4),
            Op::Ret | Op::Reti => {
                if op == Op::Reti {
                    self.sreg |= I;
                    (self.holds_off, self.returned) = (true, true);
                    self.limit = 0;
                }
                (self.pop_return::<W>(at), 4 + long)
            }
            op => return self.special(op, at, next),
        };
        self.note_jump(target);
        (target, cycles)
    }

    fn special(&mut self, op: Instruction, at: &mut Attached<'_, '_, impl Bus>, next: u32) -> (u32, u32) {
        match op {
            Instruction::Sleep => self.stop(Halt::Sleep),
            Instruction::Wdr => at.bus.restart_watchdog(self.cycle),
            Instruction::Spm { increment } => {
                let address = u32::from(self.pair(Z)) | u32::from(self.rampz) << 16;
                at.bus.accessed_from(self.pc);
                if at.bus.store_program(address, self.pair(0), self.cycle) {
                    self.limit = 0;
                }
                if increment {
                    self.step_program(address.wrapping_add(2), true);
                }
            }
            Instruction::Break => {
                self.stop(Halt::Break);
                return (self.pc, 0);
            }
            // What erased flash holds is SBRS R31, 7 to the core.
            Instruction::Erased if !self.stops_at_erased => {
                return self.skip(at, next, self.get(31) & 0x80 != 0);
            }
            Instruction::Erased => {
                self.stop(Halt::Erased);
                return (self.pc, 0);
            }
            Instruction::Undefined { word } => {
                self.stop(Halt::Undefined(word));
                return (self.pc, 0);
            }
            _ => unreachable!("every other instruction has been executed"),
        }
        (next, 1)
    }

    #[inline(always)]
    pub(super) fn get(&self, register: u8) -> u8 {
        self.r[usize::from(register & 31)]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, register: u8, value: u8) {
        self.r[usize::from(register & 31)] = value;
    }

    /// A register with its sign, as a word.
    fn signed(&self, register: u8) -> u16 {
        i16::from(self.get(register) as i8) as u16
    }

    #[inline(always)]
    fn one(&mut self, d: u8, does: impl Fn(u8, u8) -> (u8, u8)) {
        let (result, sreg) = does(self.sreg, self.get(d));
        self.set(d, result);
        self.sreg = sreg;
    }

    #[inline(always)]
    fn two(&mut self, d: u8, r: u8, does: impl Fn(u8, u8, u8) -> (u8, u8)) {
        let (result, sreg) = does(self.sreg, self.get(d), self.get(r));
        self.set(d, result);
        self.sreg = sreg;
    }

    #[inline(always)]
    fn add_word(&mut self, d: u8, k: u16, minus: bool) -> u32 {
        let before = self.pair(d);
        let after = if minus { before.wrapping_sub(k) } else { before.wrapping_add(k) };
        self.set_pair(d, after);
        self.sreg = alu::word(self.sreg, before, after, minus);
        2
    }

    fn multiply(&mut self, product: u16, is_fraction: bool, next: u32) -> (u32, u32) {
        let (result, sreg) = alu::product(self.sreg, product, is_fraction);
        self.set_pair(0, result);
        self.sreg = sreg;
        (next, 2)
    }

    /// Sets or clears a flag. The instruction behind one that enables interrupts comes before any of them.
    fn change_flag(&mut self, flag: u8, set: bool, next: u32) -> (u32, u32) {
        if set && flag == I && self.sreg & I == 0 {
            self.holds_off = true;
            self.limit = 0;
        }
        self.sreg = if set { self.sreg | flag } else { self.sreg & !flag };
        (next, 1)
    }

    /// Skips the next instruction, which takes as many cycles as it has words.
    fn skip(&self, at: &Attached<'_, '_, impl Bus>, next: u32, skips: bool) -> (u32, u32) {
        if !skips {
            return (next, 1);
        }
        let code = at.memories.code;
        let skipped = code[next as usize & (code.len() - 1)];
        let long = matches!(
            skipped,
            Instruction::Lds { .. }
                | Instruction::Sts { .. }
                | Instruction::Jmp { .. }
                | Instruction::Call { .. }
        );
        let words = 1 + u32::from(long);
        (next + words, 1 + words)
    }

    fn change_bit<const W: bool>(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        (a, bit): (u8, u8),
        set: bool,
        next: u32,
    ) -> (u32, u32) {
        let address = u16::from(a) + FIRST_IO;
        at.bus.accessed_from(self.pc);
        if at.bus.write_bit(address, bit, set, self.cycle + 1) {
            self.limit = 0;
        }
        if W && at.watch.watches(address, true) {
            self.stop(Halt::Watchpoint { address, write: true });
        }
        (next, 2)
    }

    fn load_program(
        &mut self,
        at: &mut Attached<'_, '_, impl Bus>,
        d: u8,
        increment: bool,
        is_extended: bool,
        next: u32,
    ) -> (u32, u32) {
        let high = if is_extended { u32::from(self.rampz) << 16 } else { 0 };
        let address = u32::from(self.pair(Z)) | high;
        let value = at.bus.program(address, self.cycle + 2);
        self.set(d, value);
        if increment {
            self.step_program(address.wrapping_add(1), is_extended);
        }
        (next, 3)
    }

    fn step_program(&mut self, address: u32, is_extended: bool) {
        self.set_pair(Z, address as u16);
        if is_extended && self.layout.has_rampz {
            self.rampz = (address >> 16) as u8;
        }
    }
}

#[inline(always)]
fn branch(next: u32, k: i8) -> u32 {
    next.wrapping_add_signed(k.into())
}
