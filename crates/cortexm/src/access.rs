//! Loads and stores of one register: the address, the short way to SRAM, and the long way through the bus.

use crate::bus::{Bus, Size};
use crate::core::op::{Kind, Op};
use crate::core::{Core, Refusal};
use crate::memory::Sram;

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

    /// Loads from SRAM; false when the address is not there.
    #[inline(always)]
    pub(super) fn load_sram(&mut self, sram: &Sram, kind: Kind, op: &Op) -> bool {
        let address = self.address(kind, op);
        let loaded = match size(kind) {
            Size::Word => sram.load_word(address),
            Size::Half => sram.load_half(address),
            Size::Byte => sram.load_byte(address),
        };
        if let Some(value) = loaded {
            self.set_reg(op.a, extended(kind, value));
        }
        loaded.is_some()
    }

    /// Stores to SRAM; false when the address is not there or near decoded code.
    #[inline(always)]
    pub(super) fn store_sram(&mut self, sram: &mut Sram, kind: Kind, op: &Op) -> bool {
        let (address, value) = (self.address(kind, op), self.reg(op.a));
        match size(kind) {
            Size::Word => sram.store_word(address, value),
            Size::Half => sram.store_half(address, value),
            Size::Byte => sram.store_byte(address, value),
        }
    }

    /// Loads through the bus; gives the cycle at which the next instruction begins.
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        bus: &mut Bus,
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
    pub(super) fn store(
        &mut self,
        bus: &mut Bus,
        kind: Kind,
        op: &Op,
        pc: u32,
        cycle: u64,
    ) -> Result<u64, Refusal> {
        let mut end = cycle;
        bus.store(self.id, pc, self.address(kind, op), size(kind), self.reg(op.a), &mut end)?;
        Ok(end)
    }
}
