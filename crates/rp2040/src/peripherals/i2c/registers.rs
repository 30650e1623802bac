//! Offsets and bits of the DW_apb_i2c's registers (RP2040 datasheet 4.3.17).

pub(super) const IC_CON: u32 = 0x00;
pub(super) const IC_TAR: u32 = 0x04;
pub(super) const IC_SAR: u32 = 0x08;
pub(super) const IC_DATA_CMD: u32 = 0x10;
pub(super) const IC_SS_SCL_HCNT: u32 = 0x14;
pub(super) const IC_SS_SCL_LCNT: u32 = 0x18;
pub(super) const IC_FS_SCL_HCNT: u32 = 0x1c;
pub(super) const IC_FS_SCL_LCNT: u32 = 0x20;
pub(super) const IC_INTR_STAT: u32 = 0x2c;
pub(super) const IC_INTR_MASK: u32 = 0x30;
pub(super) const IC_RAW_INTR_STAT: u32 = 0x34;
pub(super) const IC_RX_TL: u32 = 0x38;
pub(super) const IC_TX_TL: u32 = 0x3c;
pub(super) const IC_CLR_INTR: u32 = 0x40;
pub(super) const IC_CLR_RX_UNDER: u32 = 0x44;
pub(super) const IC_CLR_RX_OVER: u32 = 0x48;
pub(super) const IC_CLR_TX_OVER: u32 = 0x4c;
pub(super) const IC_CLR_RD_REQ: u32 = 0x50;
pub(super) const IC_CLR_TX_ABRT: u32 = 0x54;
pub(super) const IC_CLR_RX_DONE: u32 = 0x58;
pub(super) const IC_CLR_ACTIVITY: u32 = 0x5c;
pub(super) const IC_CLR_STOP_DET: u32 = 0x60;
pub(super) const IC_CLR_START_DET: u32 = 0x64;
pub(super) const IC_CLR_GEN_CALL: u32 = 0x68;
pub(super) const IC_ENABLE: u32 = 0x6c;
pub(super) const IC_STATUS: u32 = 0x70;
pub(super) const IC_TXFLR: u32 = 0x74;
pub(super) const IC_RXFLR: u32 = 0x78;
pub(super) const IC_SDA_HOLD: u32 = 0x7c;
pub(super) const IC_TX_ABRT_SOURCE: u32 = 0x80;
pub(super) const IC_SLV_DATA_NACK_ONLY: u32 = 0x84;
pub(super) const IC_DMA_CR: u32 = 0x88;
pub(super) const IC_DMA_TDLR: u32 = 0x8c;
pub(super) const IC_DMA_RDLR: u32 = 0x90;
pub(super) const IC_SDA_SETUP: u32 = 0x94;
pub(super) const IC_ACK_GENERAL_CALL: u32 = 0x98;
pub(super) const IC_ENABLE_STATUS: u32 = 0x9c;
pub(super) const IC_FS_SPKLEN: u32 = 0xa0;
pub(super) const IC_CLR_RESTART_DET: u32 = 0xa8;
/// Reads 0 on the RP2040: the parameters are not encoded.
pub(super) const IC_COMP_PARAM_1: u32 = 0xf4;
pub(super) const IC_COMP_VERSION: u32 = 0xf8;
pub(super) const IC_COMP_TYPE: u32 = 0xfc;
pub(super) const COMP_VERSION: u32 = 0x3230_312a;
pub(super) const COMP_TYPE: u32 = 0x4457_0140;

pub(super) const CON_MASTER_MODE: u32 = 1 << 0;
pub(super) const CON_SPEED: u32 = 3 << 1;
pub(super) const CON_SPEED_STANDARD: u32 = 1 << 1;
pub(super) const CON_10BITADDR_SLAVE: u32 = 1 << 3;
pub(super) const CON_10BITADDR_MASTER: u32 = 1 << 4;
pub(super) const CON_RESTART_EN: u32 = 1 << 5;
pub(super) const CON_SLAVE_DISABLE: u32 = 1 << 6;
pub(super) const CON_STOP_DET_IFADDRESSED: u32 = 1 << 7;
pub(super) const CON_TX_EMPTY_CTRL: u32 = 1 << 8;
pub(super) const CON_RX_FIFO_FULL_HLD_CTRL: u32 = 1 << 9;

pub(super) const TAR_GC_OR_START: u32 = 1 << 10;
pub(super) const TAR_SPECIAL: u32 = 1 << 11;

pub(super) const CMD_READ: u16 = 1 << 8;
pub(super) const CMD_STOP: u16 = 1 << 9;
pub(super) const CMD_RESTART: u16 = 1 << 10;
pub(super) const CMD_FIRST_DATA_BYTE: u16 = 1 << 11;

pub(super) const ENABLE_ENABLE: u32 = 1 << 0;
pub(super) const ENABLE_ABORT: u32 = 1 << 1;
pub(super) const ENABLE_TX_CMD_BLOCK: u32 = 1 << 2;

pub(super) const ENABLE_STATUS_SLV_DISABLED_WHILE_BUSY: u32 = 1 << 1;
pub(super) const ENABLE_STATUS_SLV_RX_DATA_LOST: u32 = 1 << 2;

pub(super) const INT_RX_UNDER: u32 = 1 << 0;
pub(super) const INT_RX_OVER: u32 = 1 << 1;
pub(super) const INT_RX_FULL: u32 = 1 << 2;
pub(super) const INT_TX_OVER: u32 = 1 << 3;
pub(super) const INT_TX_EMPTY: u32 = 1 << 4;
pub(super) const INT_RD_REQ: u32 = 1 << 5;
pub(super) const INT_TX_ABRT: u32 = 1 << 6;
pub(super) const INT_RX_DONE: u32 = 1 << 7;
pub(super) const INT_ACTIVITY: u32 = 1 << 8;
pub(super) const INT_STOP_DET: u32 = 1 << 9;
pub(super) const INT_START_DET: u32 = 1 << 10;
pub(super) const INT_GEN_CALL: u32 = 1 << 11;
pub(super) const INT_RESTART_DET: u32 = 1 << 12;

pub(super) const ABRT_7B_ADDR_NOACK: u32 = 1 << 0;
pub(super) const ABRT_10ADDR1_NOACK: u32 = 1 << 1;
pub(super) const ABRT_10ADDR2_NOACK: u32 = 1 << 2;
pub(super) const ABRT_TXDATA_NOACK: u32 = 1 << 3;
pub(super) const ABRT_GCALL_NOACK: u32 = 1 << 4;
pub(super) const ABRT_GCALL_READ: u32 = 1 << 5;
pub(super) const ABRT_10B_RD_NORSTRT: u32 = 1 << 10;
pub(super) const ABRT_MASTER_DIS: u32 = 1 << 11;
pub(super) const ABRT_ARB_LOST: u32 = 1 << 12;
pub(super) const ABRT_SLVFLUSH_TXFIFO: u32 = 1 << 13;
pub(super) const ABRT_SLV_ARBLOST: u32 = 1 << 14;
pub(super) const ABRT_SLVRD_INTX: u32 = 1 << 15;
pub(super) const ABRT_USER_ABRT: u32 = 1 << 16;
pub(super) const TX_FLUSH_CNT_SHIFT: u32 = 23;

pub(super) const DMA_CR_RDMAE: u32 = 1 << 0;
pub(super) const DMA_CR_TDMAE: u32 = 1 << 1;
