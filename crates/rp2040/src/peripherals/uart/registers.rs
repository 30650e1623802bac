//! Offsets and bits of the PL011's registers (RP2040 datasheet 4.2.8).

pub(super) const UARTDR: u32 = 0x00;
pub(super) const UARTRSR: u32 = 0x04;
pub(super) const UARTFR: u32 = 0x18;
pub(super) const UARTILPR: u32 = 0x20;
pub(super) const UARTIBRD: u32 = 0x24;
pub(super) const UARTFBRD: u32 = 0x28;
pub(super) const UARTLCR_H: u32 = 0x2c;
pub(super) const UARTCR: u32 = 0x30;
pub(super) const UARTIFLS: u32 = 0x34;
pub(super) const UARTIMSC: u32 = 0x38;
pub(super) const UARTRIS: u32 = 0x3c;
pub(super) const UARTMIS: u32 = 0x40;
pub(super) const UARTICR: u32 = 0x44;
pub(super) const UARTDMACR: u32 = 0x48;
pub(super) const UARTPERIPHID0: u32 = 0xfe0;
/// UARTPERIPHID0 to 3, UARTPCELLID0 to 3.
pub(super) const IDENTIFICATION: [u32; 8] = [0x11, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

/// UARTDR and, shifted right by 8, UARTRSR.
pub(super) const DR_FE: u32 = 1 << 8;
pub(super) const DR_PE: u32 = 1 << 9;
pub(super) const DR_BE: u32 = 1 << 10;
pub(super) const DR_OE: u32 = 1 << 11;
pub(super) const RSR_OE: u32 = 1 << 3;

pub(super) const FR_BUSY: u32 = 1 << 3;
pub(super) const FR_RXFE: u32 = 1 << 4;
pub(super) const FR_TXFF: u32 = 1 << 5;
pub(super) const FR_RXFF: u32 = 1 << 6;
pub(super) const FR_TXFE: u32 = 1 << 7;

pub(super) const LCR_BRK: u32 = 1 << 0;
pub(super) const LCR_PEN: u32 = 1 << 1;
pub(super) const LCR_EPS: u32 = 1 << 2;
pub(super) const LCR_STP2: u32 = 1 << 3;
pub(super) const LCR_FEN: u32 = 1 << 4;
pub(super) const LCR_SPS: u32 = 1 << 7;

pub(super) const CR_UARTEN: u32 = 1 << 0;
pub(super) const CR_SIREN: u32 = 1 << 1;
pub(super) const CR_LBE: u32 = 1 << 7;
pub(super) const CR_TXE: u32 = 1 << 8;
pub(super) const CR_RXE: u32 = 1 << 9;
pub(super) const CR_RTS: u32 = 1 << 11;
pub(super) const CR_RTSEN: u32 = 1 << 14;
pub(super) const CR_CTSEN: u32 = 1 << 15;

pub(super) const INT_RX: u32 = 1 << 4;
pub(super) const INT_TX: u32 = 1 << 5;
pub(super) const INT_RT: u32 = 1 << 6;
/// Framing, parity and break: as UARTDR has them, one bit lower.
pub(super) const INT_ERRORS: u32 = 0b111 << 7;
pub(super) const INT_OE: u32 = 1 << 10;

pub(super) const DMACR_RXDMAE: u32 = 1 << 0;
pub(super) const DMACR_TXDMAE: u32 = 1 << 1;
