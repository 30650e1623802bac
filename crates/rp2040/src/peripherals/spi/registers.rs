//! Offsets and bits of the PL022's registers (RP2040 datasheet 4.4.4).

pub(super) const SSPCR0: u32 = 0x00;
pub(super) const SSPCR1: u32 = 0x04;
pub(super) const SSPDR: u32 = 0x08;
pub(super) const SSPSR: u32 = 0x0c;
pub(super) const SSPCPSR: u32 = 0x10;
pub(super) const SSPIMSC: u32 = 0x14;
pub(super) const SSPRIS: u32 = 0x18;
pub(super) const SSPMIS: u32 = 0x1c;
pub(super) const SSPICR: u32 = 0x20;
pub(super) const SSPDMACR: u32 = 0x24;
pub(super) const SSPPERIPHID0: u32 = 0xfe0;
/// SSPPERIPHID0 to 3, SSPPCELLID0 to 3 (RP2040 datasheet 4.4.4).
pub(super) const IDENTIFICATION: [u32; 8] = [0x22, 0x10, 0x34, 0x00, 0x0d, 0xf0, 0x05, 0xb1];

pub(super) const CR0_FRF: u32 = 3 << 4;
pub(super) const CR0_SPO: u32 = 1 << 6;
pub(super) const CR1_LBM: u32 = 1 << 0;
pub(super) const CR1_SSE: u32 = 1 << 1;
pub(super) const CR1_MS: u32 = 1 << 2;
pub(super) const CR1_SOD: u32 = 1 << 3;
pub(super) const DMACR_RXDMAE: u32 = 1 << 0;
pub(super) const DMACR_TXDMAE: u32 = 1 << 1;
pub(super) const INT_ROR: u32 = 1 << 0;
pub(super) const INT_RT: u32 = 1 << 1;
pub(super) const INT_RX: u32 = 1 << 2;
pub(super) const INT_TX: u32 = 1 << 3;
