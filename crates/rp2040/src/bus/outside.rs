//! The window of the address space that is the board's (`Outside::memory_read`): accesses of cores and of the DMA go to what
//! stands around the chip, in the order of time, as frames on SPI do.

use crate::bus::{Bus, Size};
use mcu::FaultKind;

impl Bus {
    pub(super) fn read_outside(&mut self, address: u32, size: Size) -> Result<u32, FaultKind> {
        let io = &mut self.io;
        io.address = address;
        let value = io.outside.memory_read(io.now, address, size as u8, &mut io.reactions);
        value.map(|value| value & size.mask()).ok_or(FaultKind::Unmapped { address, write: false })
    }

    pub(super) fn write_outside(&mut self, address: u32, size: Size, value: u32) -> Result<(), FaultKind> {
        let io = &mut self.io;
        io.address = address;
        let value = value & size.mask();
        match io.outside.memory_write(io.now, address, size as u8, value, &mut io.reactions) {
            true => Ok(()),
            false => Err(FaultKind::Unmapped { address, write: true }),
        }
    }

    pub(super) fn peek_outside(&self, address: u32, size: Size) -> Option<u32> {
        self.io.outside.memory_peek(address, size as u8).map(|value| value & size.mask())
    }
}
