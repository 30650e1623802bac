//! Loads and stores of a list of registers (LDM, STM, POP, PUSH): the short way to words in SRAM, and the long way
//! through the bus, word by word.

use crate::bus::{Bus, Size};
use crate::isa::{Kind, Op};
use crate::{Core, Refusal};

impl Core {
    /// Where the lowest word of a list goes, and what the base becomes.
    #[inline(always)]
    fn stored_at(&self, kind: Kind, op: &Op) -> (u32, u32) {
        let (base, bytes) = (self.reg(op.a), 4 * u32::from(op.b));
        match kind {
            Kind::Push => (base.wrapping_sub(bytes), base.wrapping_sub(bytes)),
            _ => (base, base.wrapping_add(bytes)),
        }
    }

    /// Stores a list to SRAM; false when a word of it is not there or near decoded code.
    #[inline(always)]
    pub(super) fn store_list_to_sram<B: Bus>(&mut self, bus: &mut B, kind: Kind, op: &Op) -> bool {
        let (first, end) = self.stored_at(kind, op);
        let Some(words) = bus.sram_words_mut(first, usize::from(op.b)) else { return false };
        let mut list = op.imm;
        for word in words {
            *word = self.r[list.trailing_zeros() as usize].to_le_bytes();
            list &= list.wrapping_sub(1);
        }
        self.set_reg(op.a, end);
        true
    }

    /// Loads a list from SRAM; nothing when a word of it is not there. Gives what is to become the program counter, if it is
    /// popped.
    #[inline(always)]
    pub(super) fn load_list_from_sram<B: Bus>(&mut self, bus: &B, kind: Kind, op: &Op) -> Option<u32> {
        let base = self.reg(op.a);
        let words = bus.sram_words(base, usize::from(op.b))?;
        let mut list = op.imm;
        let mut target = 0;
        for word in words {
            let value = u32::from_le_bytes(*word);
            match list {
                0 if kind == Kind::PopProgramCounter => target = value,
                _ => self.r[list.trailing_zeros() as usize] = value,
            }
            list &= list.wrapping_sub(1);
        }
        if op.c == 1 {
            self.set_reg(op.a, base.wrapping_add(4 * u32::from(op.b)));
        }
        Some(target)
    }

    /// Loads a list from SRAM that another bus master may use, word by word; false when a word of it is not there.
    #[inline(always)]
    pub(super) fn load_list_shared<B: Bus>(&mut self, bus: &mut B, op: &Op, cycle: &mut u64) -> bool {
        let base = self.reg(op.a);
        if bus.sram_words(base, usize::from(op.b)).is_none() {
            return false;
        }
        let (mut address, mut list) = (base, op.imm);
        *cycle += 1;
        while list != 0 {
            // A cycle where a load by itself takes two.
            let mut end = cycle.wrapping_sub(1);
            let value = bus.load_shared(self.id, address, Size::Word, &mut end);
            self.r[list.trailing_zeros() as usize] = value.unwrap_or_default();
            list &= list - 1;
            (*cycle, address) = (end, address.wrapping_add(4));
        }
        if op.c == 1 {
            self.set_reg(op.a, address);
        }
        true
    }

    /// Stores a list through the bus; `cycle` moves on by what was done, also before a fault.
    #[inline(never)]
    pub(super) fn store_list<B: Bus>(
        &mut self,
        bus: &mut B,
        kind: Kind,
        op: &Op,
        pc: u32,
        cycle: &mut u64,
    ) -> Result<(), Refusal> {
        let (first, end) = self.stored_at(kind, op);
        bus.keep_order(self.id, first, true, *cycle)?;
        let limit = bus.run_free(self.id);
        *cycle += 1;
        let mut address = first;
        let mut list = op.imm;
        let mut stored = Ok(());
        while list != 0 && stored.is_ok() {
            let register = list.trailing_zeros() as usize;
            list &= list - 1;
            stored = self.store_one_of_many(bus, pc, address, self.r[register], cycle);
            address = address.wrapping_add(4);
        }
        bus.set_order(self.id, limit);
        stored?;
        self.set_reg(op.a, end);
        Ok(())
    }

    /// Loads a list through the bus; gives what is to become the program counter, if it is popped. `cycle` moves on by what
    /// was done, also before a fault.
    #[inline(never)]
    pub(super) fn load_list<B: Bus>(
        &mut self,
        bus: &mut B,
        kind: Kind,
        op: &Op,
        pc: u32,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        bus.keep_order(self.id, self.reg(op.a), false, *cycle)?;
        let limit = bus.run_free(self.id);
        let loaded = self.load_words(bus, kind, op, pc, cycle);
        bus.set_order(self.id, limit);
        loaded
    }

    fn load_words<B: Bus>(
        &mut self,
        bus: &mut B,
        kind: Kind,
        op: &Op,
        pc: u32,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        *cycle += 1;
        let mut address = self.reg(op.a);
        let mut list = op.imm;
        while list != 0 {
            let register = list.trailing_zeros() as usize;
            list &= list - 1;
            self.r[register] = self.load_one_of_many(bus, pc, address, cycle)?;
            address = address.wrapping_add(4);
        }
        let mut target = 0;
        if kind == Kind::PopProgramCounter {
            target = self.load_one_of_many(bus, pc, address, cycle)?;
            address = address.wrapping_add(4);
        }
        if op.c == 1 {
            self.set_reg(op.a, address);
        }
        Ok(target)
    }
}
