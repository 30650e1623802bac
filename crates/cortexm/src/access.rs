//! Loads and stores of one register: the address, the short way to SRAM, and the long way through the bus.

use crate::bus::{Bus, Size};
use crate::isa::{Kind, Op};
use crate::{Core, Refusal};

/// What a load makes of the bytes that it read.
#[inline(always)]
fn extended(kind: Kind, value: u32) -> u32 {
    match kind {
        Kind::LoadSignedHalf => value as i16 as u32,
        Kind::LoadSignedByte => value as i8 as u32,
        _ => value,
    }
}

#[inline(always)]
fn size(kind: Kind) -> Size {
    match kind {
        Kind::LoadHalfImmediate
        | Kind::LoadHalfRegister
        | Kind::LoadSignedHalf
        | Kind::StoreHalfImmediate
        | Kind::StoreHalfRegister => Size::Half,
        Kind::LoadByteImmediate
        | Kind::LoadByteRegister
        | Kind::LoadSignedByte
        | Kind::StoreByteImmediate
        | Kind::StoreByteRegister => Size::Byte,
        _ => Size::Word,
    }
}

impl Core {
    #[inline(always)]
    fn address(&self, kind: Kind, op: &Op) -> u32 {
        match kind {
            Kind::LoadLiteral => op.imm,
            Kind::LoadWordImmediate
            | Kind::LoadHalfImmediate
            | Kind::LoadByteImmediate
            | Kind::StoreWordImmediate
            | Kind::StoreHalfImmediate
            | Kind::StoreByteImmediate => self.reg(op.b).wrapping_add(op.imm),
            _ => self.reg(op.b).wrapping_add(self.reg(op.c)),
        }
    }

    /// Where a load of one register reads, and how many bytes.
    pub(super) fn load_address(&self, op: Op) -> (u32, u32) {
        (self.address(op.kind, &op), size(op.kind) as u32)
    }

    /// Loads from SRAM; false when the address is not there.
    #[inline(always)]
    pub(super) fn load_sram<B: Bus>(&mut self, bus: &B, kind: Kind, op: &Op) -> bool {
        let address = self.address(kind, op);
        let loaded = bus.load_sram(address, size(kind));
        if let Some(value) = loaded {
            self.set_reg(op.a, extended(kind, value));
        }
        loaded.is_some()
    }

    /// Stores to SRAM; false when the address is not there or near decoded code.
    #[inline(always)]
    pub(super) fn store_sram<B: Bus>(&mut self, bus: &mut B, kind: Kind, op: &Op) -> bool {
        let (address, value) = (self.address(kind, op), self.reg(op.a));
        bus.store_sram(address, size(kind), value)
    }

    /// The same where another bus master may use the memory; `cycle` moves on by what it costs.
    #[inline(always)]
    pub(super) fn load_shared<B: Bus>(&mut self, bus: &mut B, kind: Kind, op: &Op, cycle: &mut u64) -> bool {
        let loaded = bus.load_shared(self.id, self.address(kind, op), size(kind), cycle);
        if let Some(value) = loaded {
            self.set_reg(op.a, extended(kind, value));
        }
        loaded.is_some()
    }

    /// The same for a store.
    #[inline(always)]
    pub(super) fn store_shared<B: Bus>(&mut self, bus: &mut B, kind: Kind, op: &Op, cycle: &mut u64) -> bool {
        bus.store_shared(self.id, self.address(kind, op), size(kind), self.reg(op.a), cycle)
    }

    /// Loads through the bus; gives the cycle at which the next instruction begins.
    #[inline(always)]
    pub(super) fn load<B: Bus>(
        &mut self,
        bus: &mut B,
        kind: Kind,
        op: &Op,
        pc: u32,
        cycle: u64,
    ) -> Result<u64, Refusal> {
        let mut end = cycle;
        let value = bus.load(self.id, pc, self.address(kind, op), size(kind), &mut end)?;
        self.set_reg(op.a, extended(kind, value));
        Ok(end)
    }

    /// Stores through the bus; gives the cycle at which the next instruction begins.
    #[inline(always)]
    pub(super) fn store<B: Bus>(
        &mut self,
        bus: &mut B,
        kind: Kind,
        op: &Op,
        pc: u32,
        cycle: u64,
    ) -> Result<u64, Refusal> {
        let mut end = cycle;
        bus.store(self.id, pc, self.address(kind, op), size(kind), self.reg(op.a), &mut end)?;
        Ok(end)
    }

    /// One word of LDM, POP or an exception frame: a cycle where LDR takes two.
    #[inline]
    pub(super) fn load_one_of_many<B: Bus>(
        &self,
        bus: &mut B,
        pc: u32,
        address: u32,
        cycle: &mut u64,
    ) -> Result<u32, Refusal> {
        if !bus.watch().is_on()
            && let Some(value) = bus.load_sram(address, Size::Word)
        {
            *cycle += 1;
            return Ok(value);
        }
        let mut end = cycle.saturating_sub(1);
        if bus.watch().is_for_memory()
            && let Some(value) = bus.load_shared(self.id, address, Size::Word, &mut end)
        {
            *cycle = end;
            return Ok(value);
        }
        let value = bus.load(self.id, pc, address, Size::Word, &mut end)?;
        *cycle = end.max(*cycle + 1);
        Ok(value)
    }

    /// One word of STM, PUSH or an exception frame.
    #[inline]
    pub(super) fn store_one_of_many<B: Bus>(
        &self,
        bus: &mut B,
        pc: u32,
        address: u32,
        value: u32,
        cycle: &mut u64,
    ) -> Result<(), Refusal> {
        if !bus.watch().is_on() && bus.store_sram(address, Size::Word, value) {
            *cycle += 1;
            return Ok(());
        }
        let mut end = cycle.saturating_sub(1);
        if bus.watch().is_for_memory() && bus.store_shared(self.id, address, Size::Word, value, &mut end) {
            *cycle = end;
            return Ok(());
        }
        bus.store(self.id, pc, address, Size::Word, value, &mut end)?;
        *cycle = end.max(*cycle + 1);
        Ok(())
    }
}
