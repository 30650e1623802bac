//! The interpreter: the loop over decoded instructions that is nearly all of what an emulation does. It charges each the cycles that
//! the Cortex-M0+ Technical Reference Manual (3.3) gives it with the single-cycle multiplier and the single-cycle I/O port of
//! the RP2040.
//!
//! One loop for each memory that code runs from, so that the step from one instruction to the next is an addition. The
//! registers and flags are in the core; where it is and how many cycles have passed is in local variables.

use crate::bus::Bus;
use crate::execute::{IN_FLASH, IN_SRAM, NO_WORD, Stretch};
use crate::isa::{Kind, Op, instruction_set};
use crate::superinstruction::{self, MOST_CYCLES_BEFORE_LAST};
use crate::{Core, Exit, FaultKind, LR, PC};

/// With superinstructions, which are executed whole: of one that begins before the limit the last instruction may begin up to
/// `MOST_CYCLES_BEFORE_LAST` later.
pub(super) const SUPERINSTRUCTIONS: u8 = 0;
/// One instruction after the other.
pub(super) const SINGLE: u8 = 1;
/// One instruction after the other, and somebody looks on.
pub(super) const WATCHED: u8 = 2;

impl Core {
    /// Executes from `ops`, the first of which is at `base`, until `limit` or until something else has to be done.
    pub(super) fn interpret<B: Bus, const REGION: u8, const MODE: u8>(
        &mut self,
        bus: &mut B,
        ops: &[Op],
        mut limit: u64,
        base: u32,
    ) -> Stretch {
        // Counts halfwords from `base`.
        let mut index = self.r[PC].wrapping_sub(base) >> 1;
        let mut cycle = self.cycle;
        // What added to `index` gives the number of instructions executed: it changes where instructions do not follow each
        // other, one a halfword.
        let mut count = index.wrapping_neg();
        // Of the last fetch, counted from `base` as well. A stretch ends anywhere, and must not fetch a word twice for that.
        let mut word = if REGION == IN_FLASH || MODE == WATCHED {
            self.fetched_word.wrapping_sub(base >> 2)
        } else {
            NO_WORD
        };
        let mut left = None;
        let mut refused = None;
        let mut undecoded = false;

        macro_rules! pc {
            () => {
                base.wrapping_add(index << 1)
            };
        }
        // The next fetch is no longer from the word of the last one.
        macro_rules! forget_word {
            () => {
                if REGION == IN_FLASH || MODE == WATCHED {
                    word = NO_WORD;
                }
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
                refused = Some($refusal);
                break;
            }};
        }
        // An access through the bus may have changed what the core must not run past.
        macro_rules! heed {
            () => {
                if bus.limit_changed() {
                    let behind = if MODE == SUPERINSTRUCTIONS { MOST_CYCLES_BEFORE_LAST } else { 0 };
                    limit = limit.min(bus.take_limit().saturating_sub(behind));
                }
            };
        }
        macro_rules! jump {
            ($target:expr, $cycles:expr) => {{
                let target: u32 = $target;
                self.branches.add(pc!(), target);
                cycle += $cycles;
                count = count.wrapping_add(index).wrapping_add(1);
                index = target.wrapping_sub(base) >> 1;
                count = count.wrapping_sub(index);
                forget_word!();
                if REGION == u8::MAX || B::region(target) as u8 != REGION {
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
                    self.cycle = cycle + $cycles;
                    self.r[PC] = pc!();
                    count = count.wrapping_add(index).wrapping_add(1);
                    left = self.return_from_exception(bus, target);
                    word = NO_WORD;
                    cycle = self.cycle;
                    index = self.r[PC].wrapping_sub(base) >> 1;
                    count = count.wrapping_sub(index);
                    break;
                }
                jump!(target & !1, $cycles);
            }};
        }
        macro_rules! branch {
            ($op:expr) => {{
                let target = index.wrapping_add($op.imm);
                self.branches.add(pc!(), base.wrapping_add(target << 1));
                count = count.wrapping_add(1).wrapping_sub($op.imm);
                index = target;
                forget_word!();
                cycle += 2;
                continue;
            }};
        }
        // One instruction whose kind is known here, up to its successor.
        macro_rules! execute {
            (compute $kind:ident $op:expr) => {{
                self.operate(Kind::$kind, $op);
                cycle += 1;
            }};
            (branch $kind:ident $op:expr) => {{
                if self.flags.hold(Kind::$kind) {
                    branch!($op);
                }
                cycle += 1;
            }};
            (load $kind:ident $op:expr) => {{
                if MODE == WATCHED || !self.load_sram(bus, Kind::$kind, $op) {
                    match self.load(bus, Kind::$kind, $op, pc!(), cycle) {
                        Ok(end) => cycle = end,
                        Err(refusal) => refuse!(refusal),
                    }
                    heed!();
                    index = index.wrapping_add(1);
                    continue;
                }
                cycle += 2;
            }};
            (store $kind:ident $op:expr) => {{
                if MODE == WATCHED || !self.store_sram(bus, Kind::$kind, $op) {
                    match self.store(bus, Kind::$kind, $op, pc!(), cycle) {
                        Ok(end) => cycle = end,
                        Err(refusal) => refuse!(refusal),
                    }
                    heed!();
                    index = index.wrapping_add(1);
                    continue;
                }
                cycle += 2;
            }};
            (store_list $kind:ident $op:expr) => {{
                if MODE == WATCHED || !self.store_list_to_sram(bus, Kind::$kind, $op) {
                    let mut end = cycle;
                    let stored = self.store_list(bus, Kind::$kind, $op, pc!(), &mut end);
                    cycle = end;
                    if let Err(refusal) = stored {
                        refuse!(refusal);
                    }
                    heed!();
                    index = index.wrapping_add(1);
                    continue;
                }
                cycle += 1 + u64::from($op.b);
            }};
            (load_list $kind:ident $op:expr) => {{
                let loaded =
                    if MODE == WATCHED { None } else { self.load_list_from_sram(bus, Kind::$kind, $op) };
                let Some(target) = loaded else {
                    let mut end = cycle;
                    let loaded = self.load_list(bus, Kind::$kind, $op, pc!(), &mut end);
                    cycle = end;
                    heed!();
                    match loaded {
                        Ok(target) if Kind::$kind == Kind::PopProgramCounter => interworking!(target, 2),
                        Ok(_) => {}
                        Err(refusal) => refuse!(refusal),
                    }
                    index = index.wrapping_add(1);
                    continue;
                };
                cycle += 1 + u64::from($op.b);
                if Kind::$kind == Kind::PopProgramCounter {
                    interworking!(target, 2);
                }
            }};
        }
        // On to the next part of a superinstruction.
        macro_rules! next {
            () => {{
                index = index.wrapping_add(1);
                if MODE != SUPERINSTRUCTIONS {
                    unreachable!(
                        "only the interpreter with superinstructions takes more than one instruction"
                    );
                }
                // Waiting for the flash may take until the limit.
                if REGION == IN_FLASH {
                    if cycle >= limit {
                        continue;
                    }
                    if index >> 1 != word {
                        word = index >> 1;
                        cycle += bus.fetch_flash(self.id, word, cycle);
                    }
                }
            }};
        }
        // The parts of a superinstruction, of which the flash may delay the later ones until the limit.
        macro_rules! parts {
            ($entries:ident; $class:ident $kind:ident, $class2:ident $kind2:ident) => {{
                execute!($class $kind (&$entries[0]));
                next!();
                execute!($class2 $kind2 (&$entries[1]));
            }};
            ($entries:ident; $class:ident $kind:ident, $class2:ident $kind2:ident, $class3:ident $kind3:ident) => {{
                execute!($class $kind (&$entries[0]));
                next!();
                execute!($class2 $kind2 (&$entries[1]));
                next!();
                execute!($class3 $kind3 (&$entries[2]));
            }};
        }
        // The arms for all kinds of the table, behind those for the kinds that leave the interpreter or go elsewhere.
        macro_rules! dispatch {
            (
                $selected:expr, $entries:ident, { $($arms:tt)* }
                other { $($other:tt)* }
                executed { $($(#[$doc:meta])* $class:ident $kind:ident,)* }
                superinstructions { $($name:ident = $($part_class:ident $part:ident),+;)* }
            ) => {
                match $selected {
                    $($arms)*
                    $(Kind::$kind => execute!($class $kind (&$entries[0])),)*
                    $(Kind::$name => parts!($entries; $($part_class $part),+),)*
                }
            };
        }

        while cycle < limit {
            let window = index as usize..index as usize + superinstruction::LONGEST;
            let Some(entries) = ops.get(window) else {
                undecoded = true;
                break;
            };
            let op = &entries[0];
            if REGION == IN_FLASH && index >> 1 != word {
                word = index >> 1;
                cycle += bus.fetch_flash(self.id, word, cycle);
            }
            if MODE == WATCHED && op.kind != Kind::Undecoded {
                if let Some(stop) = bus.watch_mut().before(self.id, pc!()) {
                    leave!(Exit::Debug(stop));
                }
                if bus.watch().is_observed() {
                    let step = self.step_at(pc!(), cycle, bus.time_of(cycle));
                    bus.watch_mut().observe(step);
                }
                if REGION == IN_SRAM && index >> 1 != word {
                    word = index >> 1;
                    cycle += bus.contend(self.id, word << 2, cycle);
                }
            }
            let kind = if MODE == SUPERINSTRUCTIONS { op.kind } else { op.kind.first() };
            #[cfg(test)]
            crate::tests::executes(kind);
            instruction_set!(dispatch! { kind, entries, {
                Kind::Undecoded => {
                    undecoded = true;
                    break;
                }
                Kind::Branch => branch!(op),
                Kind::BranchLink => {
                    self.r[LR] = pc!().wrapping_add(4) | 1;
                    jump!(pc!().wrapping_add(op.imm << 1), 3);
                }
                Kind::BranchExchange => interworking!(self.reg(op.a), 2),
                Kind::BranchLinkExchange => {
                    let target = self.reg(op.a);
                    self.r[LR] = pc!().wrapping_add(2) | 1;
                    interworking!(target, 2)
                }
                Kind::ToProgramCounter => {
                    let addend = if op.c == 1 { op.imm } else { 0 };
                    jump!(self.reg(op.b).wrapping_add(addend) & !1, 2);
                }
                Kind::Barrier => {
                    cycle += 3;
                    // Two halfwords are one instruction.
                    index = index.wrapping_add(1);
                    count = count.wrapping_sub(1);
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
                    count = count.wrapping_add(index).wrapping_add(1);
                    left = self.system_instruction(bus, *op);
                    word = NO_WORD;
                    cycle = self.cycle;
                    index = self.r[PC].wrapping_sub(base) >> 1;
                    count = count.wrapping_sub(index);
                    break;
                }
            }});
            index = index.wrapping_add(1);
        }
        self.cycle = cycle;
        self.instructions += u64::from(count.wrapping_add(index));
        self.r[PC] = pc!();
        self.fetched_word = word.wrapping_add(base >> 2);
        if let Some(refusal) = refused {
            return Stretch::Left(self.refused(self.r[PC], refusal));
        }
        match left {
            Some(exit) => Stretch::Left(exit),
            None if undecoded => Stretch::Undecoded,
            None => Stretch::Paused,
        }
    }
}
