//! Memory as a debugger sees it, without waiting and without effects; and what code can be fetched from.

use std::sync::Arc;

use crate::bus::access::narrow;
use crate::bus::block::Block;
use crate::bus::flash::XIP_SRAM_BYTES;
use crate::bus::registers::DPRAM_BYTES;
use crate::bus::{Bus, FLASH_BASE, ROM_BYTES, Size};
use crate::flash::Alias;
use crate::memory::{SRAM_BASE, SRAM_BYTES, unstriped_offset};

impl Bus {
    /// What is at an address, without the effects that reading has.
    #[inline]
    pub(crate) fn peek(&self, address: u32, size: Size) -> Option<u32> {
        if let Some(value) = cortexm::Bus::load_sram(self, address, size) {
            return Some(value);
        }
        if Alias::of(address).is_some() {
            return Some(self.peek_flash(address, size));
        }
        let (memory, offset): (&[u8], u32) = match address >> 24 {
            0x00 => (self.rom.bytes(), address),
            0x15 => (self.xip.sram()?, address & (XIP_SRAM_BYTES - 1)),
            0x20 => (self.sram.bytes(), address - SRAM_BASE),
            0x21 => (self.sram.bytes(), unstriped_offset(address)?),
            0x60..=0x6f => return self.peek_outside(address, size),
            _ => return self.peek_register(address).map(|value| narrow(value, address, size)),
        };
        let bytes = memory.get(offset as usize..)?.get(..size as usize)?;
        Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte)))
    }

    fn peek_register(&self, address: u32) -> Option<u32> {
        let offset = address & 0xffc;
        match address >> 28 {
            0x1 if address >> 24 == 0x14 => {
                Some(crate::peripherals::Peripheral::peek(&self.xip, offset, &self.io))
            }
            0x1 if address >> 24 == 0x18 => {
                Some(crate::peripherals::Peripheral::peek(&self.ssi, offset, &self.io))
            }
            0x4 => Some(self.blocks.peek(Block::on_apb(address)?, offset, &self.io)),
            0x5 if address >> 16 == 0x5010 && address & 0xffff < DPRAM_BYTES => {
                Some(self.blocks.usb.dpram_read(address & 0xffc, 4))
            }
            0x5 => Some(self.blocks.peek(Block::on_ahb(address)?, offset, &self.io)),
            0xd => Some(self.blocks.sio.peek(0, address & 0x1fc, &self.io)),
            0xe => self.ppb[0].peek(address & 0x0fff_fffc, self.clock.cycle_at(self.io.now)),
            _ => None,
        }
    }

    /// Writes memory past the bus; the address that cannot be written.
    pub(crate) fn poke(&mut self, address: u32, bytes: &[u8]) -> Result<(), u32> {
        if Alias::of(address) == Some(Alias::Cached) {
            return self.poke_flash(address, &Arc::new(bytes.to_vec()));
        }
        for (i, &byte) in bytes.iter().enumerate() {
            let at = address.wrapping_add(i as u32);
            self.poke_byte(at, byte)?;
        }
        Ok(())
    }

    /// The same with bytes of an image, which the flash does not copy.
    pub(crate) fn poke_shared(&mut self, address: u32, bytes: &Arc<Vec<u8>>) -> Result<(), u32> {
        match Alias::of(address) {
            Some(Alias::Cached) => self.poke_flash(address, bytes),
            _ => self.poke(address, bytes),
        }
    }

    fn poke_flash(&mut self, address: u32, bytes: &Arc<Vec<u8>>) -> Result<(), u32> {
        let end = FLASH_BASE + self.ssi.flash().size_bytes();
        let offset = (address - FLASH_BASE) as usize;
        self.ssi.flash_mut().load_shared(offset, bytes).map_err(|_| address.max(end))
    }

    fn poke_byte(&mut self, address: u32, byte: u8) -> Result<(), u32> {
        match address >> 24 {
            0x20 if address - SRAM_BASE < SRAM_BYTES => {
                self.store_sram(address - SRAM_BASE, Size::Byte, u32::from(byte));
                Ok(())
            }
            0x15 => {
                let memory = self.xip.sram_mut().ok_or(address)?;
                memory[(address & (XIP_SRAM_BYTES - 1)) as usize] = byte;
                Ok(())
            }
            0x21 => {
                let offset = unstriped_offset(address).ok_or(address)?;
                self.store_sram(offset, Size::Byte, u32::from(byte));
                Ok(())
            }
            0x50 if address >> 16 == 0x5010 && address & 0xffff < DPRAM_BYTES => {
                self.blocks.usb.dpram_write(address & 0xfff, 1, u32::from(byte), &mut self.io);
                Ok(())
            }
            _ => Err(address),
        }
    }

    /// The halfwords at an address that has no table of decoded instructions.
    pub(crate) fn fetch_elsewhere(&self, pc: u32) -> Option<(u16, u16)> {
        let is_memory = match pc >> 24 {
            0x00 => pc < ROM_BYTES,
            0x10..=0x13 | 0x15 | 0x20 | 0x21 => true,
            // From 0x40000000 on nothing may be executed, the USB memory neither (ARMv6-M Architecture Reference Manual B3.1).
            _ => false,
        };
        let half = |address| self.peek(address, Size::Half).map(|half| half as u16);
        is_memory.then(|| half(pc).map(|first| (first, half(pc.wrapping_add(2)).unwrap_or(0))))?
    }
}
