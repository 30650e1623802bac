//! Where a stretch of execution stands, and what the instructions of each class do to it.
//!
//! All of it is meant for registers of the machine that emulates: every method is inlined into the interpreter.

use crate::bus::{Bus, Refusal};
use crate::execute::{IN_FLASH, IN_SRAM, LONGEST_STRETCH_CYCLES, NO_WORD, Stretch};
use crate::interpreter::{SHARED, SUPERINSTRUCTIONS, WATCHED};
use crate::isa::{Kind, Op};
use crate::superinstruction::MOST_CYCLES_BEFORE_LAST;
use crate::{Core, Exit, FaultKind, LR, PC};

/// What comes behind an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// The next one in memory.
    Next,
    /// The one at which the cursor stands already.
    Elsewhere,
    /// The same, which is in no run of code that is known to be in the cache.
    Unfetched,
    /// Nothing in this stretch, whose end the cursor knows.
    Nothing,
}

/// How a stretch ends.
pub(super) enum End {
    /// At the limit, or where another memory begins.
    Paused,
    /// At an instruction that was not decoded yet.
    Undecoded,
    /// At an instruction that was fetched and is to be executed alone.
    Alone,
    /// With a reason for the chip.
    Left(Exit),
    /// Before an instruction that is executed again, or with a fault.
    Refused(Refusal),
}

impl From<Option<Exit>> for End {
    fn from(left: Option<Exit>) -> Self {
        left.map_or(Self::Paused, Self::Left)
    }
}

/// The place of a core in the code of a region, and the time there.
pub(super) struct Cursor<'a, const REGION: u8, const MODE: u8> {
    /// What was decoded of the region.
    pub(super) ops: &'a [Op],
    /// The address of the first instruction that may be executed.
    base: u32,
    /// Of the next instruction, in halfwords from `base`.
    pub(super) index: u32,
    pub(super) cycle: u64,
    pub(super) limit: u64,
    /// What added to `index` gives the number of instructions executed: it changes where instructions do not follow each
    /// other, one a halfword.
    count: u32,
    /// Of the last fetch, counted from `base` as well. A stretch ends anywhere, and must not fetch a word twice for that.
    pub(super) word: u32,
    end: End,
}

impl<'a, const REGION: u8, const MODE: u8> Cursor<'a, REGION, MODE> {
    /// Fetches cost what they cost by the word.
    pub(super) const KNOWS_WORD: bool = REGION == IN_FLASH || MODE == WATCHED || MODE == SHARED;

    #[inline(always)]
    pub(super) fn new(core: &mut Core, ops: &'a [Op], base: u32, limit: u64) -> Self {
        let index = core.r[PC].wrapping_sub(base) >> 1;
        let word = if Self::KNOWS_WORD { core.fetched_word.wrapping_sub(base >> 2) } else { NO_WORD };
        Self::know_no_run(core, word);
        let (cycle, count) = (core.cycle, index.wrapping_neg());
        Self { ops, base, index, cycle, limit, count, word, end: End::Paused }
    }

    #[inline(always)]
    pub(super) fn pc(&self) -> u32 {
        self.address(self.index)
    }

    /// Where an instruction is that is so many halfwords behind the first one.
    #[inline(always)]
    pub(super) fn address(&self, index: u32) -> u32 {
        self.base.wrapping_add(index << 1)
    }

    /// So many instructions were executed besides, at the end of which the core stands where it stood.
    #[inline(always)]
    pub(super) fn execute_more(&mut self, instructions: u32) {
        self.count = self.count.wrapping_add(instructions);
    }

    /// The end of the stretch, told to the core.
    #[inline(always)]
    pub(super) fn close(self, core: &mut Core) -> Stretch {
        core.cycle = self.cycle;
        core.instructions += u64::from(self.count.wrapping_add(self.index));
        core.r[PC] = self.pc();
        let word = if Self::FETCHES_RUNS { core.run.word() } else { self.word };
        core.fetched_word = word.wrapping_add(self.base >> 2);
        match self.end {
            End::Refused(refusal) => Stretch::Left(core.refused(core.r[PC], refusal)),
            End::Left(exit) => Stretch::Left(exit),
            End::Undecoded => Stretch::Undecoded,
            End::Alone => Stretch::Alone,
            End::Paused => Stretch::Paused,
        }
    }

    /// Ends the stretch.
    #[inline(always)]
    pub(super) fn ends(&mut self, end: End) -> After {
        self.end = end;
        After::Nothing
    }

    /// Fetches the instruction's word from flash, or from memory that is shared, unless it was the last one that was fetched.
    #[inline(always)]
    pub(super) fn fetch<B: Bus>(&mut self, core: &Core, bus: &mut B) {
        if MODE == SHARED {
            self.fetch_shared(core, bus);
        }
        if REGION == IN_FLASH && !Self::FETCHES_RUNS && self.index >> 1 != self.word {
            self.word = self.index >> 1;
            self.cycle += bus.fetch_flash(core.id, self.word, self.cycle);
        }
    }

    /// The instruction is about to be executed, and somebody looks on; what stops the core instead.
    #[inline(always)]
    pub(super) fn show<B: Bus>(&mut self, core: &Core, bus: &mut B) -> Option<Exit> {
        if let Some(stop) = bus.watch_mut().before(core.id, self.pc()) {
            return Some(Exit::Debug(stop));
        }
        if bus.watch().is_observed() {
            let step = core.step_at(self.pc(), self.cycle, bus.time_of(self.cycle));
            bus.watch_mut().observe(step);
        }
        self.fetch_shared(core, bus);
        None
    }

    #[inline(always)]
    fn fetch_shared<B: Bus>(&mut self, core: &Core, bus: &mut B) {
        if REGION == IN_SRAM && self.index >> 1 != self.word {
            self.word = self.index >> 1;
            let offset = self.word << 2;
            self.cycle += match MODE {
                SHARED => bus.contend_in_sight(core.id, offset, self.cycle),
                _ => bus.contend(core.id, offset, self.cycle),
            };
        }
    }

    /// On to the next part of a superinstruction; false where it has to begin later.
    #[inline(always)]
    pub(super) fn follows<B: Bus>(&mut self, core: &Core, bus: &mut B) -> bool {
        self.index = self.index.wrapping_add(1);
        match MODE {
            SUPERINSTRUCTIONS => true,
            SHARED if self.cycle >= self.limit => false,
            SHARED => {
                self.fetch(core, bus);
                true
            }
            _ => unreachable!("one instruction after the other is executed here"),
        }
    }

    /// An access through the bus may have changed what the core must not run past.
    #[inline(always)]
    fn heed<B: Bus>(&mut self, core: &mut Core, bus: &mut B) -> After {
        if bus.limit_changed() {
            let behind = if MODE == SUPERINSTRUCTIONS { MOST_CYCLES_BEFORE_LAST } else { 0 };
            let longest = core.cycle + LONGEST_STRETCH_CYCLES;
            self.limit = bus.take_limit().min(longest).saturating_sub(behind);
        }
        self.heed_cache(core, bus)
    }

    /// Behind an access through the bus, which says when it ended.
    #[inline(always)]
    fn behind<B: Bus>(&mut self, core: &mut Core, bus: &mut B, accessed: Result<u64, Refusal>) -> After {
        match accessed {
            Ok(end) => self.cycle = end,
            Err(refusal) => return self.ends(End::Refused(refusal)),
        }
        let after = self.heed(core, bus);
        self.index = self.index.wrapping_add(1);
        after
    }

    /// To an instruction that may be in another memory.
    #[inline(always)]
    pub(super) fn jump<B: Bus>(&mut self, core: &mut Core, bus: &mut B, target: u32, cycles: u64) -> After {
        core.branches.add(self.pc(), target);
        self.cycle += cycles;
        let index = target.wrapping_sub(self.base) >> 1;
        let after = self.jumps(core, bus, index);
        self.count = self.count.wrapping_add(self.index).wrapping_add(1);
        self.index = index;
        self.count = self.count.wrapping_sub(self.index);
        if REGION == u8::MAX || B::region(target) as u8 != REGION {
            self.end_run(core, bus);
            return self.ends(End::Paused);
        }
        after
    }

    /// To an address that came out of a register or the stack: EXC_RETURN, Thumb code, or a fault.
    #[inline(always)]
    pub(super) fn interwork<B: Bus>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        target: u32,
        cycles: u64,
    ) -> After {
        if target & 1 == 0 {
            return self.ends(End::Left(core.fault(self.pc(), FaultKind::NotThumb { target })));
        }
        if target >= 0xf000_0000 && core.ipsr != 0 {
            self.cycle += cycles;
            return self.outside(core, bus, |core, bus| core.return_from_exception(bus, target));
        }
        self.jump(core, bus, target & !1, cycles)
    }

    #[inline(always)]
    pub(super) fn branch_link<B: Bus>(&mut self, core: &mut Core, bus: &mut B, op: &Op) -> After {
        core.r[LR] = self.pc().wrapping_add(4) | 1;
        self.jump(core, bus, self.pc().wrapping_add(op.imm << 1), 3)
    }

    #[inline(always)]
    pub(super) fn branch_link_exchange<B: Bus>(&mut self, core: &mut Core, bus: &mut B, op: &Op) -> After {
        let target = core.reg(op.a);
        core.r[LR] = self.pc().wrapping_add(2) | 1;
        self.interwork(core, bus, target, 2)
    }

    #[inline(always)]
    pub(super) fn move_to_program_counter<B: Bus>(&mut self, core: &mut Core, bus: &mut B, op: &Op) -> After {
        let addend = if op.c == 1 { op.imm } else { 0 };
        self.jump(core, bus, core.reg(op.b).wrapping_add(addend) & !1, 2)
    }

    /// Lets the core do what changes more than the cursor knows, which ends the stretch.
    #[inline(always)]
    pub(super) fn outside<B: Bus>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        act: impl FnOnce(&mut Core, &mut B) -> Option<Exit>,
    ) -> After {
        self.drop_run(core, bus);
        core.cycle = self.cycle;
        core.r[PC] = self.pc();
        self.count = self.count.wrapping_add(self.index).wrapping_add(1);
        let left = act(core, bus);
        self.word = NO_WORD;
        core.run.forget_word();
        self.cycle = core.cycle;
        self.index = core.r[PC].wrapping_sub(self.base) >> 1;
        self.count = self.count.wrapping_sub(self.index);
        self.ends(left.into())
    }

    /// Two halfwords that are one instruction, of which the second is not fetched by itself.
    #[inline(always)]
    pub(super) fn barrier<B: Bus>(&mut self, core: &mut Core, bus: &mut B) -> After {
        self.drop_run(core, bus);
        self.cycle += 3;
        self.index = self.index.wrapping_add(2);
        self.count = self.count.wrapping_sub(1);
        if Self::FETCHES_RUNS { After::Unfetched } else { After::Elsewhere }
    }

    /// To an instruction of the same memory.
    #[inline(always)]
    pub(super) fn branch_always<B: Bus>(&mut self, core: &mut Core, bus: &mut B, op: &Op) -> After {
        let target = self.index.wrapping_add(op.imm);
        let after = self.branches(core, bus, op, target);
        core.branches.add(self.pc(), self.base.wrapping_add(target << 1));
        self.count = self.count.wrapping_add(1).wrapping_sub(op.imm);
        self.index = target;
        self.cycle += 2;
        after
    }
}

/// The classes of the table ([`isa`](crate::isa)); each is called with a kind that is known when the interpreter is compiled.
impl<const REGION: u8, const MODE: u8> Cursor<'_, REGION, MODE> {
    #[inline(always)]
    pub(super) fn compute<B: Bus>(&mut self, core: &mut Core, _: &mut B, kind: Kind, op: &Op) -> After {
        core.operate(kind, op);
        self.cycle += 1;
        After::Next
    }

    #[inline(always)]
    pub(super) fn branch<B: Bus>(&mut self, core: &mut Core, bus: &mut B, kind: Kind, op: &Op) -> After {
        if core.flags.hold(kind) {
            return self.branch_always(core, bus, op);
        }
        self.cycle += 1;
        After::Next
    }

    #[inline(always)]
    pub(super) fn load<B: Bus>(&mut self, core: &mut Core, bus: &mut B, kind: Kind, op: &Op) -> After {
        if MODE == SHARED && core.load_shared(bus, kind, op, &mut self.cycle) {
            return After::Next;
        }
        if MODE == SHARED || MODE == WATCHED || !core.load_sram(bus, kind, op) {
            self.count_fetches(core, bus);
            let from = self.cycle;
            let loaded = core.load(bus, kind, op, self.pc(), from);
            let after = self.behind(core, bus, loaded);
            if MODE == SUPERINSTRUCTIONS && bus.take_look() && after == After::Elsewhere {
                self.leave_out_turns(core, bus, op, self.cycle - from);
            }
            return after;
        }
        self.cycle += 2;
        After::Next
    }

    #[inline(always)]
    pub(super) fn store<B: Bus>(&mut self, core: &mut Core, bus: &mut B, kind: Kind, op: &Op) -> After {
        if MODE == SHARED && core.store_shared(bus, kind, op, &mut self.cycle) {
            return After::Next;
        }
        if MODE == SHARED || MODE == WATCHED || !core.store_sram(bus, kind, op) {
            self.count_fetches(core, bus);
            let stored = core.store(bus, kind, op, self.pc(), self.cycle);
            return self.behind(core, bus, stored);
        }
        self.cycle += 2;
        After::Next
    }

    #[inline(always)]
    pub(super) fn store_list<B: Bus>(&mut self, core: &mut Core, bus: &mut B, kind: Kind, op: &Op) -> After {
        if MODE == SHARED || MODE == WATCHED || !core.store_list_to_sram(bus, kind, op) {
            self.count_fetches(core, bus);
            let mut end = self.cycle;
            let stored = core.store_list(bus, kind, op, self.pc(), &mut end);
            self.cycle = end;
            return self.behind(core, bus, stored.map(|()| end));
        }
        self.cycle += 1 + u64::from(op.b);
        After::Next
    }

    #[inline(always)]
    pub(super) fn load_list<B: Bus>(&mut self, core: &mut Core, bus: &mut B, kind: Kind, op: &Op) -> After {
        let is_jump = kind == Kind::PopProgramCounter;
        if MODE == SHARED && !is_jump && core.load_list_shared(bus, op, &mut self.cycle) {
            return After::Next;
        }
        let loaded =
            if MODE == SHARED || MODE == WATCHED { None } else { core.load_list_from_sram(bus, kind, op) };
        let Some(target) = loaded else {
            self.count_fetches(core, bus);
            let mut end = self.cycle;
            let loaded = core.load_list(bus, kind, op, self.pc(), &mut end);
            self.cycle = end;
            let after = self.heed(core, bus);
            return match loaded {
                Ok(target) if is_jump => self.interwork(core, bus, target, 2),
                Ok(_) => {
                    self.index = self.index.wrapping_add(1);
                    after
                }
                Err(refusal) => self.ends(End::Refused(refusal)),
            };
        };
        self.cycle += 1 + u64::from(op.b);
        if is_jump {
            return self.interwork(core, bus, target, 2);
        }
        After::Next
    }
}
