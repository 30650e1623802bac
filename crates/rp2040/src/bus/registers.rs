//! Accesses to the register blocks, with the atomic aliases (RP2040 datasheet 2.1.2) and the blocks that are held in reset.

use crate::bus::access::{narrow, replicate};
use crate::bus::block::Block;
use crate::bus::flash::modified;
use crate::bus::flow::SPI_REQUESTS;
use crate::bus::{Bus, Size};
use crate::peripherals::busctrl::BusPort;
use crate::peripherals::spi::Spi;
use crate::peripherals::uart::transmitter;
use mcu::FaultKind;

/// Bytes of USB memory.
pub(crate) const DPRAM_BYTES: u32 = 4096;
/// Where the stream FIFO of the flash cache is on the AHB (RP2040 datasheet 2.6.3.4).
const XIP_STREAM_FIFO: u32 = 0x5040_0000;
/// STREAM_FIFO in the registers of the cache.
const STREAM_FIFO_OFFSET: u32 = 0x1c;

/// The atomic aliases (RP2040 datasheet 2.1.2).
pub(super) const ALIAS_BITS: u32 = 0x3000;
const ALIAS_CLEAR: u32 = 0x3000;
/// SIE_CTRL of the USB controller (RP2040 datasheet 4.1.4).
const USB_SIE_CTRL: u32 = 0x4c;
/// GPIO_HI_OUT to GPIO_HI_OE_XOR of the single-cycle block (RP2040 datasheet 2.3.1.7).
const GPIO_HI: std::ops::Range<u32> = 0x30..0x50;

impl Bus {
    pub(super) fn read_sio(&mut self, core: usize, address: u32) -> Result<u32, FaultKind> {
        match address & 0x0fff_ffff {
            offset @ 0..0x180 => Ok(self.blocks.sio.read(core, offset & !3, &mut self.io)),
            _ => Err(FaultKind::Unmapped { address, write: false }),
        }
    }

    pub(super) fn write_sio(&mut self, core: usize, address: u32, value: u32) -> Result<(), FaultKind> {
        match address & 0x0fff_ffff {
            offset @ 0..0x180 => {
                self.blocks.sio.write(core, offset & !3, value, &mut self.io);
                if GPIO_HI.contains(&offset) {
                    let (levels, enables) = self.blocks.sio.high_outputs();
                    self.blocks.io_qspi.set_software_outputs(levels, enables, &mut self.io);
                    self.flash_pins_changed();
                }
                Ok(())
            }
            _ => Err(FaultKind::Unmapped { address, write: true }),
        }
    }

    pub(super) fn read_apb(&mut self, address: u32) -> Result<u32, FaultKind> {
        let block = Block::on_apb(address).ok_or(FaultKind::Unmapped { address, write: false })?;
        Ok(self.read_block(block, address))
    }

    /// Writes a register; the cycles beyond those of a plain write.
    pub(super) fn write_apb(&mut self, address: u32, value: u32) -> Result<u64, FaultKind> {
        let block = Block::on_apb(address).ok_or(FaultKind::Unmapped { address, write: true })?;
        self.write_block(block, address, value);
        Ok(if address & 0x3000 == 0 { 0 } else { block.alias_cycles() })
    }

    /// The fast peripherals, and the memory of the USB controller.
    pub(super) fn read_ahb(&mut self, address: u32, size: Size) -> Result<u32, FaultKind> {
        if let Some(block) = Block::on_ahb(address) {
            return Ok(narrow(self.read_block(block, address), address, size));
        }
        match address >> 16 {
            0x5010 if address & 0xffff < DPRAM_BYTES => {
                Ok(self.blocks.usb.dpram_read(address & 0xfff, size as u32))
            }
            0x5040 if address & !3 == XIP_STREAM_FIFO => {
                let value =
                    crate::peripherals::Peripheral::read(&mut self.xip, STREAM_FIFO_OFFSET, &mut self.io);
                Ok(narrow(value, address, size))
            }
            _ => Err(FaultKind::Unmapped { address, write: false }),
        }
    }

    pub(super) fn write_ahb(&mut self, address: u32, size: Size, value: u32) -> Result<(), FaultKind> {
        if let Some(block) = Block::on_ahb(address) {
            self.write_block(block, address, replicate(value, size));
            return Ok(());
        }
        match address >> 16 {
            0x5010 if address & 0xffff < DPRAM_BYTES => {
                self.blocks.usb.dpram_write(address & 0xfff, size as u32, value, &mut self.io);
                Ok(())
            }
            0x5040 if address & !3 == XIP_STREAM_FIFO => Ok(()),
            _ => Err(FaultKind::Unmapped { address, write: true }),
        }
    }

    #[inline(always)]
    fn read_block(&mut self, block: Block, address: u32) -> u32 {
        self.count_block(block);
        if self.blocks.is_held(block) {
            self.held(block, address, false);
            return 0;
        }
        let value = self.blocks.read(block, address & 0xffc, &mut self.io);
        if let (Some(waits), Block::Uart(_)) = (&mut self.waits, block)
            && let Some(transmitter) = transmitter(address & 0xffc, value)
        {
            waits.saw_transmitter(transmitter, self.io.now);
        }
        value
    }

    /// An access to a block that is held in reset does nothing, and is reported; but images of SDK 2 look at SIE_CTRL before
    /// they let the USB controller go, and drivers clear the enable bits of a block that may be in reset already.
    #[inline(never)]
    fn held(&mut self, block: Block, address: u32, write: bool) {
        let clears = write && address & ALIAS_BITS == ALIAS_CLEAR;
        let looks = block == Block::UsbRegisters && address & 0xffc == USB_SIE_CTRL;
        if !clears && !looks {
            self.io.unknown("RESETS", "a register of a block that is held in reset", write);
        }
    }

    /// Counts an access to a block for the performance counters, and what they have not seen of the flash when it is them.
    #[inline(always)]
    fn count_block(&mut self, block: Block) {
        if self.blocks.bus_ctrl.is_counting() || block == Block::BusCtrl {
            self.count_block_for_counters(block);
        }
    }

    #[inline(never)]
    fn count_block_for_counters(&mut self, block: Block) {
        let fast = matches!(block, Block::Dma | Block::UsbRegisters | Block::Pio(_));
        self.count_access(if fast { BusPort::FastPeri } else { BusPort::Apb }, false);
        if block == Block::BusCtrl {
            let (accesses, _) = self.xip.statistics();
            let new = accesses.saturating_sub(std::mem::replace(&mut self.xip_counted, accesses));
            self.blocks.bus_ctrl.count(BusPort::XipMain, u32::try_from(new).unwrap_or(u32::MAX), 0);
        }
    }

    fn write_block(&mut self, block: Block, address: u32, value: u32) {
        self.count_block(block);
        if self.blocks.is_held(block) {
            self.held(block, address, true);
            return;
        }
        let offset = address & 0xffc;
        let value = match address & 0x3000 {
            0 => value,
            _ => {
                let cleared = block.write_clear_mask(offset);
                let before = self.blocks.peek(block, offset, &self.io);
                modified(address, before, value) & !cleared | value & cleared
            }
        };
        self.blocks.write(block, offset, value, &mut self.io);
        if let (Some(waits), Block::Uart(_)) = (&mut self.waits, block) {
            waits.wrote_to_uart();
        }
        if block.concerns_pio(offset) {
            self.pio_outlook_changed();
        }
        self.written(block, offset);
    }

    /// What a write to a block asks of its neighbours.
    fn written(&mut self, block: Block, offset: u32) {
        match block {
            Block::Watchdog => {
                let tick = self.blocks.watchdog.tick();
                self.blocks.timer.set_tick(tick, &mut self.io);
                self.tick_changed();
            }
            Block::Resets => self.reset_held_blocks(),
            // An interrupt may have been switched on that was not thought of: nothing waits until that is known.
            Block::Spi(_) if Spi::takes_word(offset) && !self.blocks.dma.hears(SPI_REQUESTS) => {}
            Block::Spi(_) => self.lose_patience(),
            Block::Dma => {
                self.lose_patience();
                self.notice_pio();
            }
            Block::BusCtrl => self.decide_watch(),
            Block::Psm => self.power_changed(),
            Block::Clock(_) => {
                self.look_at_clocks();
                self.lose_patience();
            }
            Block::IoQspi | Block::PadsQspi => self.flash_pins_changed(),
            // A clock output begins when its pin gets that function, and a clock input is one while its pad lets it in.
            Block::IoBank0 | Block::PadsBank0 => self.clock_pins_changed(),
            _ => {}
        }
    }

    /// The pins of the flash are driven otherwise: by software, or through other pads.
    pub(crate) fn flash_pins_changed(&mut self) {
        let pads = self.blocks.pads_qspi.pads();
        self.blocks.io_qspi.set_pads(pads, &mut self.io);
        let level = self.blocks.io_qspi.ss_override();
        self.ssi.set_cs_override(self.io.now, level);
        self.blocks.sio.set_high_inputs(self.blocks.io_qspi.inputs());
    }
}
