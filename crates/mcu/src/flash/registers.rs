//! Offsets and bits of the SSI's registers (RP2040 datasheet 4.10.13).

pub(super) const CTRLR0: u32 = 0x00;
pub(super) const CTRLR1: u32 = 0x04;
pub(super) const SSIENR: u32 = 0x08;
pub(super) const MWCR: u32 = 0x0c;
pub(super) const SER: u32 = 0x10;
pub(super) const BAUDR: u32 = 0x14;
pub(super) const TXFTLR: u32 = 0x18;
pub(super) const RXFTLR: u32 = 0x1c;
pub(super) const TXFLR: u32 = 0x20;
pub(super) const RXFLR: u32 = 0x24;
pub(super) const SR: u32 = 0x28;
pub(super) const IMR: u32 = 0x2c;
pub(super) const ISR: u32 = 0x30;
pub(super) const RISR: u32 = 0x34;
pub(super) const TXOICR: u32 = 0x38;
pub(super) const RXOICR: u32 = 0x3c;
pub(super) const RXUICR: u32 = 0x40;
pub(super) const MSTICR: u32 = 0x44;
pub(super) const ICR: u32 = 0x48;
pub(super) const DMACR: u32 = 0x4c;
pub(super) const DMATDLR: u32 = 0x50;
pub(super) const DMARDLR: u32 = 0x54;
pub(super) const IDR: u32 = 0x58;
pub(super) const SSI_VERSION_ID: u32 = 0x5c;
pub(super) const DR0: u32 = 0x60;
/// The last of the addresses that all lead to the FIFOs (RP2040 datasheet 4.10.13: 36 data registers).
pub(super) const DR_LAST: u32 = 0xec;
pub(super) const RX_SAMPLE_DLY: u32 = 0xf0;
pub(super) const SPI_CTRLR0: u32 = 0xf4;
pub(super) const TXD_DRIVE_EDGE: u32 = 0xf8;

pub(super) const CTRLR0_BITS: u32 = 0x017f_ffff;
pub(super) const SPI_CTRLR0_BITS: u32 = 0xff07_fb3f;
pub(super) const SPI_CTRLR0_RESET: u32 = 0x0300_0000;
/// "QSPI" in the other direction.
pub(super) const IDENTITY: u32 = 0x5153_5049;
/// Version 4.01*.
pub(super) const VERSION: u32 = 0x3430_312a;

pub(super) const SR_BUSY: u32 = 1 << 0;
pub(super) const SR_TFNF: u32 = 1 << 1;
pub(super) const SR_TFE: u32 = 1 << 2;
pub(super) const SR_RFNE: u32 = 1 << 3;
pub(super) const SR_RFF: u32 = 1 << 4;

pub(super) const INT_TXE: u32 = 1 << 0;
pub(super) const INT_TXO: u32 = 1 << 1;
pub(super) const INT_RXU: u32 = 1 << 2;
pub(super) const INT_RXO: u32 = 1 << 3;
pub(super) const INT_RXF: u32 = 1 << 4;

pub(super) const TMOD_TX_ONLY: u32 = 1;
pub(super) const TMOD_RX_ONLY: u32 = 2;
pub(super) const TMOD_EEPROM_READ: u32 = 3;

pub(super) const DMACR_RDMAE: u32 = 1 << 0;
pub(super) const DMACR_TDMAE: u32 = 1 << 1;
