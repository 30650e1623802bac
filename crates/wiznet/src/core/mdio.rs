//! The way of the W5100S and the W6100 to the PHY's own registers: PHYRAR, PHYDIR, PHYDOR, PHYACR. The basic control and status
//! registers of IEEE 802.3 clause 22 do something; the others read zero.

use crate::map::Common;
use crate::{Duplex, Speed};

use super::Core;
use super::phy::Mode;

const BASIC_CONTROL: u8 = 0;
const BASIC_STATUS: u8 = 1;

const CONTROL_RESET: u16 = 1 << 15;
const CONTROL_100: u16 = 1 << 13;
const CONTROL_AUTOMATIC: u16 = 1 << 12;
const CONTROL_POWER_DOWN: u16 = 1 << 11;
const CONTROL_FULL: u16 = 1 << 8;

/// Four modes, auto-negotiation able, extended registers.
const STATUS_ABLE: u16 = 0x7809;
const STATUS_NEGOTIATED: u16 = 1 << 5;
const STATUS_LINK: u16 = 1 << 2;

impl Core {
    /// PHYACR was written: 1 writes PHYDIR, 2 reads into PHYDOR; it is zero again at once.
    pub(super) fn access_mdio(&mut self, action: u8) {
        self.common.set(Common::Phyacr, 0);
        let register = self.common.u8(Common::Phyrar) & 0x1F;
        let read = match (action, register) {
            (1, BASIC_CONTROL) => {
                return self.write_basic_control(self.in_order_of_mdio(self.common.u16(Common::Phydir)));
            }
            (2, BASIC_CONTROL) => self.basic_control(),
            (2, BASIC_STATUS) => {
                let link = if self.phy.link().is_some() { STATUS_LINK | STATUS_NEGOTIATED } else { 0 };
                STATUS_ABLE | link
            }
            (2, _) => 0,
            _ => return,
        };
        self.common.set(Common::Phydor, self.in_order_of_mdio(read).into());
    }

    /// What stands in PHYDIR or PHYDOR for a value, and back.
    fn in_order_of_mdio(&self, value: u16) -> u16 {
        if self.facts.mdio_data_is_low_byte_first { value.swap_bytes() } else { value }
    }

    fn basic_control(&self) -> u16 {
        match self.phy.mode() {
            Mode::Automatic | Mode::AutomaticHalf => CONTROL_AUTOMATIC | CONTROL_100 | CONTROL_FULL,
            Mode::PowerDown => CONTROL_POWER_DOWN,
            Mode::Fixed(speed, duplex) => {
                let speed = if speed == Speed::Mbps100 { CONTROL_100 } else { 0 };
                let duplex = if duplex == Duplex::Full { CONTROL_FULL } else { 0 };
                speed | duplex
            }
        }
    }

    fn write_basic_control(&mut self, value: u16) {
        let speed = if value & CONTROL_100 != 0 { Speed::Mbps100 } else { Speed::Mbps10 };
        let duplex = if value & CONTROL_FULL != 0 { Duplex::Full } else { Duplex::Half };
        let mode = if value & CONTROL_POWER_DOWN != 0 {
            Mode::PowerDown
        } else if value & (CONTROL_AUTOMATIC | CONTROL_RESET) != 0 {
            Mode::Automatic
        } else {
            Mode::Fixed(speed, duplex)
        };
        self.phy.set_mode(self.now, mode);
    }
}
