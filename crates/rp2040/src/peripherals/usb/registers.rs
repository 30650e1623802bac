//! Names of the USB controller's registers and bits (RP2040 datasheet 4.1.4), as device.rs uses them. Registers that
//! only matter in host mode are listed for their storage alone.

pub(super) const ADDR_ENDP: u32 = 0x00;
/// The last of fifteen registers for host mode, which follow ADDR_ENDP.
pub(super) const ADDR_ENDP15: u32 = 0x3c;
pub(super) const MAIN_CTRL: u32 = 0x40;
pub(super) const SOF_WR: u32 = 0x44;
pub(super) const SOF_RD: u32 = 0x48;
pub(super) const SIE_CTRL: u32 = 0x4c;
pub(super) const SIE_STATUS: u32 = 0x50;
pub(super) const INT_EP_CTRL: u32 = 0x54;
pub(super) const BUFF_STATUS: u32 = 0x58;
pub(super) const BUFF_CPU_SHOULD_HANDLE: u32 = 0x5c;
pub(super) const EP_ABORT: u32 = 0x60;
pub(super) const EP_ABORT_DONE: u32 = 0x64;
pub(super) const EP_STALL_ARM: u32 = 0x68;
pub(super) const NAK_POLL: u32 = 0x6c;
pub(super) const EP_STATUS_STALL_NAK: u32 = 0x70;
pub(super) const USB_MUXING: u32 = 0x74;
pub(super) const USB_PWR: u32 = 0x78;
pub(super) const USBPHY_DIRECT: u32 = 0x7c;
pub(super) const USBPHY_DIRECT_OVERRIDE: u32 = 0x80;
pub(super) const USBPHY_TRIM: u32 = 0x84;
pub(super) const INTR: u32 = 0x8c;
pub(super) const INTE: u32 = 0x90;
pub(super) const INTF: u32 = 0x94;
pub(super) const INTS: u32 = 0x98;

pub(super) const NAK_POLL_RESET: u32 = 0x0010_0010;
pub(super) const USBPHY_TRIM_RESET: u32 = 0x0000_1f1f;
pub(super) const INTERRUPTS: u32 = 0x000f_ffff;

/// Bits of MAIN_CTRL.
pub(super) mod main_ctrl {
    pub(crate) const SIM_TIMING: u32 = 1 << 31;
    pub(crate) const HOST_NDEVICE: u32 = 1 << 1;
    pub(crate) const CONTROLLER_EN: u32 = 1 << 0;
}

/// Bits of SIE_CTRL.
pub(super) mod sie_ctrl {
    pub(crate) const EP0_INT_STALL: u32 = 1 << 31;
    /// EP0_DOUBLE_BUF, EP0_INT_1BUF and EP0_INT_2BUF stand where an endpoint control word has the like.
    pub(crate) const EP0_BUFFERS: u32 = 7 << 28;
    pub(crate) const EP0_INT_NAK: u32 = 1 << 27;
    pub(crate) const DIRECT_EN: u32 = 1 << 26;
    pub(crate) const TRANSCEIVER_PD: u32 = 1 << 18;
    pub(crate) const PULLUP_EN: u32 = 1 << 16;
    pub(crate) const RESUME: u32 = 1 << 12;
    pub(crate) const WRITABLE: u32 = 0xff07_bf5f;
    /// RESET_BUS, RESUME, STOP_TRANS and START_TRANS clear themselves.
    pub(crate) const SELF_CLEARING: u32 = 1 << 13 | RESUME | 1 << 4 | 1;
}

/// Bits of SIE_STATUS.
pub(super) mod sie_status {
    pub(crate) const DATA_SEQ_ERROR: u32 = 1 << 31;
    pub(crate) const ACK_REC: u32 = 1 << 30;
    pub(crate) const STALL_REC: u32 = 1 << 29;
    pub(crate) const RX_TIMEOUT: u32 = 1 << 27;
    pub(crate) const RX_OVERFLOW: u32 = 1 << 26;
    pub(crate) const BIT_STUFF_ERROR: u32 = 1 << 25;
    pub(crate) const CRC_ERROR: u32 = 1 << 24;
    pub(crate) const BUS_RESET: u32 = 1 << 19;
    pub(crate) const TRANS_COMPLETE: u32 = 1 << 18;
    pub(crate) const SETUP_REC: u32 = 1 << 17;
    pub(crate) const CONNECTED: u32 = 1 << 16;
    pub(crate) const RESUME: u32 = 1 << 11;
    pub(crate) const SUSPENDED: u32 = 1 << 4;
    pub(crate) const LINE_STATE_J: u32 = 1 << 2;
    pub(crate) const VBUS_DETECTED: u32 = 1 << 0;
    /// The bits that writing 1 clears.
    pub(crate) const LATCHED: u32 = 0xff0e_0800;
}

/// Bits of INTR, INTE, INTF and INTS.
pub(super) mod interrupt {
    pub(crate) const EP_STALL_NAK: u32 = 1 << 19;
    pub(crate) const ABORT_DONE: u32 = 1 << 18;
    pub(crate) const DEV_SOF: u32 = 1 << 17;
    pub(crate) const SETUP_REQ: u32 = 1 << 16;
    pub(crate) const DEV_RESUME_FROM_HOST: u32 = 1 << 15;
    pub(crate) const DEV_SUSPEND: u32 = 1 << 14;
    pub(crate) const DEV_CONN_DIS: u32 = 1 << 13;
    pub(crate) const BUS_RESET: u32 = 1 << 12;
    pub(crate) const VBUS_DETECT: u32 = 1 << 11;
    pub(crate) const STALL: u32 = 1 << 10;
    pub(crate) const ERROR_CRC: u32 = 1 << 9;
    pub(crate) const ERROR_BIT_STUFF: u32 = 1 << 8;
    pub(crate) const ERROR_RX_OVERFLOW: u32 = 1 << 7;
    pub(crate) const ERROR_RX_TIMEOUT: u32 = 1 << 6;
    pub(crate) const ERROR_DATA_SEQ: u32 = 1 << 5;
    pub(crate) const BUFF_STATUS: u32 = 1 << 4;
    pub(crate) const TRANS_COMPLETE: u32 = 1 << 3;
}

/// Bits of USB_MUXING.
pub(super) mod muxing {
    pub(crate) const TO_EXTPHY: u32 = 1 << 1;
    pub(crate) const TO_PHY: u32 = 1 << 0;
}

/// Bits of USB_PWR.
pub(super) mod pwr {
    pub(crate) const VBUS_DETECT_OVERRIDE_EN: u32 = 1 << 3;
    pub(crate) const VBUS_DETECT: u32 = 1 << 2;
}

/// Bits of USBPHY_DIRECT and USBPHY_DIRECT_OVERRIDE.
pub(super) mod phy {
    pub(crate) const DP_PULLUP_EN: u32 = 1 << 1;
    pub(crate) const DP_PULLUP_EN_OVERRIDE_EN: u32 = 1 << 2;
    pub(crate) const DIRECT_WRITABLE: u32 = 0x0000_ff77;
    pub(crate) const OVERRIDE_WRITABLE: u32 = 0x0000_9fff;
}
