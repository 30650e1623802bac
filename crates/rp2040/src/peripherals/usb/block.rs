//! The controller's registers as the processors see them (RP2040 datasheet 4.1.4): reads, writes, bits that writing 1
//! clears, interrupts. What they mean for the bus is in device.rs.

use super::device::Device;
use super::registers::{self as reg, interrupt, main_ctrl, muxing, phy, sie_ctrl, sie_status};
use crate::io::Io;

const BLOCK: &str = "USB";

/// The bits of a register that a written 1 clears. Drivers clear them through the CLR alias too, so there the written
/// bits themselves must arrive.
pub(super) fn write_clear_mask(offset: u32) -> u32 {
    match offset {
        reg::SIE_STATUS => {
            sie_status::LATCHED | sie_status::CONNECTED | sie_status::SUSPENDED | sie_status::VBUS_DETECTED
        }
        reg::BUFF_STATUS | reg::EP_ABORT_DONE | reg::EP_STATUS_STALL_NAK => u32::MAX,
        _ => 0,
    }
}

impl Device {
    pub(super) fn peek_register(&self, offset: u32, io: &Io) -> u32 {
        match offset {
            reg::ADDR_ENDP..=reg::ADDR_ENDP15 => self.addr_endp[(offset / 4) as usize % 16],
            reg::MAIN_CTRL => self.main_ctrl,
            reg::SOF_RD => self.frame_number(io.now),
            reg::SIE_CTRL => self.sie_ctrl,
            reg::SIE_STATUS => self.sie_status(io),
            reg::INT_EP_CTRL => self.int_ep_ctrl,
            reg::BUFF_STATUS => self.buff_status,
            reg::BUFF_CPU_SHOULD_HANDLE => self.buff_cpu_should_handle,
            reg::EP_ABORT => self.ep_abort,
            reg::EP_ABORT_DONE => self.ep_abort_done,
            reg::EP_STALL_ARM => self.ep_stall_arm,
            reg::NAK_POLL => self.nak_poll,
            reg::EP_STATUS_STALL_NAK => self.ep_status_stall_nak,
            reg::USB_MUXING => self.muxing,
            reg::USB_PWR => self.pwr,
            reg::USBPHY_DIRECT => self.phy_direct,
            reg::USBPHY_DIRECT_OVERRIDE => self.phy_override,
            reg::USBPHY_TRIM => self.phy_trim,
            reg::INTR => self.raised(io),
            reg::INTE => self.inte,
            reg::INTF => self.intf,
            reg::INTS => self.raised(io) & self.inte | self.intf,
            _ => 0,
        }
    }

    pub(super) fn read_register(&mut self, offset: u32, io: &mut Io) -> u32 {
        if !is_register(offset) {
            io.unknown(BLOCK, "no such register", false);
        }
        let value = self.peek_register(offset, io);
        if offset == reg::SOF_RD {
            self.acknowledge_sof(io.now);
        }
        value
    }

    pub(super) fn write_register(&mut self, offset: u32, value: u32, io: &mut Io) {
        match offset {
            reg::ADDR_ENDP..=reg::ADDR_ENDP15 => {
                let writable = if offset == reg::ADDR_ENDP { 0x000f_007f } else { 0x060f_007f };
                self.addr_endp[(offset / 4) as usize % 16] = value & writable;
            }
            reg::MAIN_CTRL => self.write_main_ctrl(value, io),
            reg::SIE_CTRL => self.write_sie_ctrl(value, io),
            reg::SIE_STATUS => self.clear_sie_status(value),
            reg::INT_EP_CTRL => self.int_ep_ctrl = value & 0xfffe,
            reg::BUFF_STATUS => self.clear_buff_status(value),
            reg::EP_ABORT => {
                self.ep_abort_done |= value & !self.ep_abort & !self.busy();
                self.ep_abort = value;
            }
            reg::EP_ABORT_DONE => self.ep_abort_done &= !value,
            reg::EP_STALL_ARM => self.ep_stall_arm = value & 3,
            reg::NAK_POLL => self.nak_poll = value & 0x03ff_03ff,
            reg::EP_STATUS_STALL_NAK => self.ep_status_stall_nak &= !value,
            reg::USB_MUXING => {
                self.muxing = value & 0xf;
                if value & muxing::TO_EXTPHY != 0 {
                    io.unknown(BLOCK, "an external PHY (USB_MUXING.TO_EXTPHY)", true);
                }
            }
            reg::USB_PWR => self.pwr = value & 0x3f,
            reg::USBPHY_DIRECT => self.phy_direct = value & phy::DIRECT_WRITABLE,
            reg::USBPHY_DIRECT_OVERRIDE => self.write_phy_override(value, io),
            reg::USBPHY_TRIM => self.phy_trim = value & 0x1f1f,
            reg::INTE => self.inte = value & reg::INTERRUPTS,
            reg::INTF => self.intf = value & reg::INTERRUPTS,
            // For host mode.
            reg::SOF_WR => {}
            // The others only tell.
            _ if is_register(offset) => {}
            _ => io.unknown(BLOCK, "no such register", true),
        }
    }

    fn write_main_ctrl(&mut self, value: u32, io: &mut Io) {
        use main_ctrl::{CONTROLLER_EN, HOST_NDEVICE, SIM_TIMING};
        self.main_ctrl = value & (SIM_TIMING | HOST_NDEVICE | CONTROLLER_EN);
        if value & (HOST_NDEVICE | CONTROLLER_EN) == HOST_NDEVICE | CONTROLLER_EN {
            io.unknown(BLOCK, "host mode (MAIN_CTRL.HOST_NDEVICE)", true);
        }
    }

    fn write_sie_ctrl(&mut self, value: u32, io: &mut Io) {
        self.sie_ctrl = value & sie_ctrl::WRITABLE & !sie_ctrl::SELF_CLEARING;
        if value & sie_ctrl::DIRECT_EN != 0 {
            io.unknown(BLOCK, "direct drive of the bus (SIE_CTRL.DIRECT_EN)", true);
        }
        if value & sie_ctrl::RESUME != 0 {
            io.unknown(BLOCK, "remote wake-up (SIE_CTRL.RESUME)", true);
        }
    }

    fn write_phy_override(&mut self, value: u32, io: &mut Io) {
        self.phy_override = value & phy::OVERRIDE_WRITABLE;
        if self.phy_override & !phy::DP_PULLUP_EN_OVERRIDE_EN != 0 {
            io.unknown(BLOCK, "direct control of the PHY, but for the pull-up on D+", true);
        }
    }

    fn clear_sie_status(&mut self, ones: u32) {
        self.sie_latched &= !(ones & sie_status::LATCHED);
        self.connection_changed &= ones & sie_status::CONNECTED == 0;
        self.suspend_changed &= ones & sie_status::SUSPENDED == 0;
        self.vbus_changed &= ones & sie_status::VBUS_DETECTED == 0;
    }

    /// A second buffer that is done takes the place of the first at once.
    fn clear_buff_status(&mut self, ones: u32) {
        let more = self.second_done & ones;
        self.buff_status &= !ones | more;
        self.buff_cpu_should_handle ^= more;
        self.second_done &= !more;
    }

    /// INTR: what would interrupt, were it enabled.
    pub(super) fn raised(&self, io: &Io) -> u32 {
        const FROM_SIE_STATUS: [(u32, u32); 10] = [
            (sie_status::SETUP_REC, interrupt::SETUP_REQ),
            (sie_status::RESUME, interrupt::DEV_RESUME_FROM_HOST),
            (sie_status::BUS_RESET, interrupt::BUS_RESET),
            (sie_status::STALL_REC, interrupt::STALL),
            (sie_status::CRC_ERROR, interrupt::ERROR_CRC),
            (sie_status::BIT_STUFF_ERROR, interrupt::ERROR_BIT_STUFF),
            (sie_status::RX_OVERFLOW, interrupt::ERROR_RX_OVERFLOW),
            (sie_status::RX_TIMEOUT, interrupt::ERROR_RX_TIMEOUT),
            (sie_status::DATA_SEQ_ERROR, interrupt::ERROR_DATA_SEQ),
            (sie_status::TRANS_COMPLETE, interrupt::TRANS_COMPLETE),
        ];
        let level = |on: bool, bit: u32| if on { bit } else { 0 };
        let latched: u32 = FROM_SIE_STATUS
            .iter()
            .map(|&(status, raised)| level(self.sie_latched & status != 0, raised))
            .sum();
        latched
            | level(self.ep_status_stall_nak != 0, interrupt::EP_STALL_NAK)
            | level(self.ep_abort_done != 0, interrupt::ABORT_DONE)
            | level(self.sof_pending(io.now), interrupt::DEV_SOF)
            | level(self.suspend_changed, interrupt::DEV_SUSPEND)
            | level(self.connection_changed, interrupt::DEV_CONN_DIS)
            | level(self.vbus_changed, interrupt::VBUS_DETECT)
            | level(self.buff_status != 0, interrupt::BUFF_STATUS)
    }
}

/// The one gap between the registers counts as one: firmware clears the block as a whole.
fn is_register(offset: u32) -> bool {
    offset <= reg::INTS
}
