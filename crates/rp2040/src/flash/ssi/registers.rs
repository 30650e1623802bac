//! The registers of the SSI (RP2040 datasheet 4.10.13): where they are, what their bits say, and what an access does.

use super::{BLOCK, Engine, Ssi};
use crate::flash::fifo::DEPTH;
use crate::io::Io;
use crate::peripherals::{Peripheral, Source};

pub(super) const CTRLR0: u32 = 0x00;
const CTRLR1: u32 = 0x04;
pub(super) const SSIENR: u32 = 0x08;
const MWCR: u32 = 0x0c;
pub(super) const SER: u32 = 0x10;
pub(super) const BAUDR: u32 = 0x14;
const TXFTLR: u32 = 0x18;
const RXFTLR: u32 = 0x1c;
const TXFLR: u32 = 0x20;
const RXFLR: u32 = 0x24;
const SR: u32 = 0x28;
const IMR: u32 = 0x2c;
const ISR: u32 = 0x30;
const RISR: u32 = 0x34;
const TXOICR: u32 = 0x38;
const RXOICR: u32 = 0x3c;
const RXUICR: u32 = 0x40;
const MSTICR: u32 = 0x44;
const ICR: u32 = 0x48;
const DMACR: u32 = 0x4c;
const DMATDLR: u32 = 0x50;
const DMARDLR: u32 = 0x54;
const IDR: u32 = 0x58;
const SSI_VERSION_ID: u32 = 0x5c;
const DR0: u32 = 0x60;
/// The last of the addresses that all lead to the FIFOs (RP2040 datasheet 4.10.13: 36 data registers).
const DR_LAST: u32 = 0xec;
const RX_SAMPLE_DLY: u32 = 0xf0;
pub(super) const SPI_CTRLR0: u32 = 0xf4;
const TXD_DRIVE_EDGE: u32 = 0xf8;

const CTRLR0_BITS: u32 = 0x017f_ffff;
const SPI_CTRLR0_BITS: u32 = 0xff07_fb3f;
pub(super) const SPI_CTRLR0_RESET: u32 = 0x0300_0000;
/// "QSPI" in the other direction.
const IDENTITY: u32 = 0x5153_5049;
/// Version 4.01*.
const VERSION: u32 = 0x3430_312a;

const SR_BUSY: u32 = 1 << 0;
const SR_TFNF: u32 = 1 << 1;
const SR_TFE: u32 = 1 << 2;
const SR_RFNE: u32 = 1 << 3;
const SR_RFF: u32 = 1 << 4;

pub(super) const INT_TXE: u32 = 1 << 0;
const INT_TXO: u32 = 1 << 1;
const INT_RXU: u32 = 1 << 2;
pub(super) const INT_RXO: u32 = 1 << 3;
pub(super) const INT_RXF: u32 = 1 << 4;

pub(super) const TMOD_TX_ONLY: u32 = 1;
pub(super) const TMOD_RX_ONLY: u32 = 2;
pub(super) const TMOD_EEPROM_READ: u32 = 3;

pub(super) const DMACR_RDMAE: u32 = 1 << 0;
pub(super) const DMACR_TDMAE: u32 = 1 << 1;

impl Ssi {
    fn status(&self) -> u32 {
        let flag = |condition: bool, bit| if condition { bit } else { 0 };
        flag(self.engine != Engine::Idle, SR_BUSY)
            | flag(!self.tx.is_full(), SR_TFNF)
            | flag(self.tx.is_empty(), SR_TFE)
            | flag(!self.rx.is_empty(), SR_RFNE)
            | flag(self.rx.is_full(), SR_RFF)
    }

    /// The interrupts that reading a clear register clears.
    fn cleared_by(offset: u32) -> u32 {
        match offset {
            TXOICR => INT_TXO,
            RXOICR => INT_RXO,
            RXUICR => INT_RXU,
            ICR => INT_TXO | INT_RXO | INT_RXU,
            _ => 0,
        }
    }

    fn peek_register(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            CTRLR0 => self.ctrlr0,
            CTRLR1 => self.ctrlr1,
            SSIENR => u32::from(self.enabled),
            MWCR => self.mwcr,
            SER => self.ser,
            BAUDR => self.baudr,
            TXFTLR => self.txftlr,
            RXFTLR => self.rxftlr,
            TXFLR => self.tx.len() as u32,
            RXFLR => self.rx.len() as u32,
            SR => self.status(),
            IMR => self.imr,
            ISR => self.interrupts() & self.imr,
            RISR => self.interrupts(),
            TXOICR | RXOICR | RXUICR | ICR => u32::from(self.sticky & Self::cleared_by(offset) != 0),
            MSTICR => 0,
            DMACR => self.dmacr,
            DMATDLR => self.dmatdlr,
            DMARDLR => self.dmardlr,
            IDR => IDENTITY,
            SSI_VERSION_ID => VERSION,
            DR0..=DR_LAST => self.rx.front().unwrap_or(0),
            RX_SAMPLE_DLY => self.rx_sample_dly,
            SPI_CTRLR0 => self.spi_ctrlr0,
            TXD_DRIVE_EDGE => self.txd_drive_edge,
            _ => return None,
        })
    }

    /// Registers that only take a value while the controller is off (RP2040 datasheet 4.10.13).
    fn write_setting(&mut self, offset: u32, value: u32) {
        if self.enabled {
            return;
        }
        match offset {
            CTRLR0 => self.ctrlr0 = value & CTRLR0_BITS,
            CTRLR1 => self.ctrlr1 = value & 0xffff,
            MWCR => self.mwcr = value & 7,
            BAUDR => self.baudr = value & 0xffff,
            RX_SAMPLE_DLY => self.rx_sample_dly = value & 0xff,
            SPI_CTRLR0 => self.spi_ctrlr0 = value & SPI_CTRLR0_BITS,
            _ => self.txd_drive_edge = value & 0xff,
        }
    }
}

impl Peripheral for Ssi {
    fn read(&mut self, offset: u32, io: &mut Io) -> u32 {
        let Some(value) = self.peek_register(offset) else {
            io.unknown(BLOCK, "no such register", false);
            return 0;
        };
        if (DR0..=DR_LAST).contains(&offset) {
            if self.rx.pop().is_none() {
                self.sticky |= INT_RXU;
            }
        } else {
            self.sticky &= !Self::cleared_by(offset);
        }
        self.update(io);
        value
    }

    fn peek(&self, offset: u32, _io: &Io) -> u32 {
        self.peek_register(offset).unwrap_or(0)
    }

    fn write(&mut self, offset: u32, value: u32, io: &mut Io) {
        self.xip_check = None;
        match offset {
            CTRLR0 | CTRLR1 | MWCR | BAUDR | RX_SAMPLE_DLY | SPI_CTRLR0 | TXD_DRIVE_EDGE => {
                self.write_setting(offset, value);
            }
            SSIENR => self.set_enabled(value & 1 != 0, io),
            SER => self.ser = value & 1,
            TXFTLR => self.txftlr = (value & 0xff).min(DEPTH as u32 - 1),
            RXFTLR => self.rxftlr = (value & 0xff).min(DEPTH as u32 - 1),
            IMR => self.imr = value & 0x3f,
            DMACR => self.dmacr = value & 3,
            DMATDLR => self.dmatdlr = (value & 0xff).min(DEPTH as u32 - 1),
            DMARDLR => self.dmardlr = (value & 0xff).min(DEPTH as u32 - 1),
            DR0..=DR_LAST => {
                if self.enabled && !self.tx.push(value) {
                    self.sticky |= INT_TXO;
                }
            }
            TXFLR | RXFLR | SR | ISR | RISR | TXOICR | RXOICR | RXUICR | MSTICR | ICR | IDR
            | SSI_VERSION_ID => {}
            _ => io.unknown(BLOCK, "no such register", true),
        }
        self.start(io);
        self.update(io);
    }

    fn wake(&mut self, _source: Source, io: &mut Io) {
        self.step(io);
    }
}
