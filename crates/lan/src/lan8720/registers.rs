//! The registers of the management interface, as sections 4.2.1 to 4.2.14 of the LAN8720A datasheet (SMSC, revision 1.4 of 23
//! August 2012) have them; what a link does to them is of IEEE 802.3, clauses 22 and 28. Inferred are the revision of the silicon,
//! which the datasheet leaves open, and which bit of the mode "all capable" it leaves open as well. Inferred is also that another
//! speed or duplex in Basic Control negotiates anew: published firmware for 10 Mbit/s (pico-rmii-ethernet, b1acd80) writes 0x61 to
//! Advertisement and 0x1000 to Basic Control when a link of 100 Mbit/s is up, and never sets Restart Auto-Negotiate.
//!
//! Left out: the flags of interrupts (29), which read as none, and what loopback, the energy detect power-down and the alternate
//! interrupt mode would do; their bits are kept. ENERGYON falls at once where the datasheet gives it 256 ms.

use ethernet::Speed;

const CONTROL: usize = 0;
const STATUS: usize = 1;
const IDENTIFIER1: usize = 2;
const IDENTIFIER2: usize = 3;
const ADVERTISEMENT: usize = 4;
const PARTNER: usize = 5;
const EXPANSION: usize = 6;
const MODE: usize = 17;
const SPECIAL_MODES: usize = 18;
const SPECIAL_INDICATIONS: usize = 27;
const INTERRUPT_MASK: usize = 30;
const SPECIAL_CONTROL: usize = 31;

// Basic Control (4.2.1).
const RESET: u16 = 1 << 15;
const LOOPBACK: u16 = 1 << 14;
const SPEED_100: u16 = 1 << 13;
const NEGOTIATE: u16 = 1 << 12;
const POWER_DOWN: u16 = 1 << 11;
const ISOLATE: u16 = 1 << 10;
const RESTART: u16 = 1 << 9;
const FULL_DUPLEX: u16 = 1 << 8;
/// All but the two that clear themselves; the lower half is reserved.
const CONTROL_BITS: u16 = LOOPBACK | SPEED_100 | NEGOTIATE | POWER_DOWN | ISOLATE | FULL_DUPLEX;

// Basic Status (4.2.2).
const LINK: u16 = 1 << 2;
const NEGOTIATED: u16 = 1 << 5;
/// 10 and 100 Mbit/s, half and full duplex; negotiation; extended registers.
const ABILITIES: u16 = 0x7809;

// PHY Identifier 1 and 2 (4.2.3 and 4.2.4): the OUI of SMSC and the model.
const OUI: u16 = 0x0007;
const OUI_AND_MODEL: u16 = 0b11_0000 << 10 | 0b00_1111 << 4;
/// Of the silicon; note 4.2 says only that it varies.
const REVISION: u16 = 1;

// Auto Negotiation Advertisement, Link Partner Ability and Expansion (4.2.5 to 4.2.7).
/// IEEE 802.3, which both registers say without a link as well.
const SELECTOR: u16 = 0b0_0001;
/// 802.3, and all four abilities.
const ADVERTISED: u16 = 0x01e0 | SELECTOR;
/// What a partner can that knows 10 Mbit/s alone.
const PARTNER_10: u16 = TEN_HALF | TEN_FULL | SELECTOR;
const HUNDRED_FULL: u16 = 1 << 8;
const HUNDRED_HALF: u16 = 1 << 7;
const TEN_FULL: u16 = 1 << 6;
const TEN_HALF: u16 = 1 << 5;
/// Remote fault, both bits of pause, the four abilities and the selector.
const ADVERTISEMENT_BITS: u16 = 0x2dff;
const ACKNOWLEDGED: u16 = 1 << 14;
const PARTNER_NEGOTIATES: u16 = 1 << 0;

// Mode Control/Status (4.2.8).
const ENERGY: u16 = 1 << 1;
/// EDPWRDOWN, FARLOOPBACK, ALTINT, and one that is reserved.
const MODE_BITS: u16 = 1 << 13 | 1 << 9 | 1 << 6 | 1;

// Special Modes (4.2.9), which a software reset leaves as they are.
/// A reserved one that reads so.
const SPECIAL_MODES_RESERVED: u16 = 1 << 14;
const MODE_SHIFT: u16 = 5;
const MODE_FIELD: u16 = 7 << MODE_SHIFT;
const ADDRESS_FIELD: u16 = 31;
/// MODE straps: all capable, negotiation on.
const ALL_CAPABLE: u16 = 7;

// Special Control/Status Indications (4.2.11): AMDIXCTRL, CH_SELECT and SQEOFF; a software reset leaves the last one.
const SQE_OFF: u16 = 1 << 11;
const INDICATION_BITS: u16 = 1 << 15 | 1 << 13 | SQE_OFF;

/// Interrupt Mask (4.2.13).
const MASK_BITS: u16 = 0x00fe;

// PHY Special Control/Status (4.2.14).
const SPECIAL_DONE: u16 = 1 << 12;
const SPECIAL_10: u16 = 1 << 2;
const SPECIAL_100: u16 = 1 << 3;
const SPECIAL_FULL: u16 = 1 << 4;
/// Reserved bits that read so.
const SPECIAL_RESERVED: u16 = 0b000_0010 << 5;

/// What a reset makes of Basic Control and of the advertisement, by MODE (Table 3.4). Where the table has no value for the
/// advertisement, all of it is advertised once negotiation is switched on.
fn after_reset(mode: u16) -> (u16, u16) {
    let advertises_half = 1 << 7 | SELECTOR;
    match mode {
        0b000 => (0, ADVERTISED),
        0b001 => (FULL_DUPLEX, ADVERTISED),
        0b010 => (SPEED_100, ADVERTISED),
        0b011 => (SPEED_100 | FULL_DUPLEX, ADVERTISED),
        0b100 | 0b101 => (SPEED_100 | NEGOTIATE, advertises_half),
        0b110 => (POWER_DOWN, ADVERTISED),
        _ => (SPEED_100 | NEGOTIATE, ADVERTISED),
    }
}

/// What a link was found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Link {
    is_100: bool,
    is_full: bool,
}

impl Link {
    /// The best of these abilities (IEEE 802.3 clause 28, Annex B).
    fn best(abilities: u16) -> Option<Self> {
        [HUNDRED_FULL, HUNDRED_HALF, TEN_FULL, TEN_HALF]
            .into_iter()
            .find(|ability| abilities & ability != 0)
            .map(|ability| Self {
                is_100: ability & (HUNDRED_FULL | HUNDRED_HALF) != 0,
                is_full: ability & (HUNDRED_FULL | TEN_FULL) != 0,
            })
    }

    fn indication(self) -> u16 {
        (if self.is_100 { SPECIAL_100 } else { SPECIAL_10 }) | if self.is_full { SPECIAL_FULL } else { 0 }
    }
}

/// What a write has to do with the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// Nothing.
    Kept,
    /// It is looked for anew.
    Anew,
    /// Likewise, though nobody asked for a restart.
    Unasked,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(super) struct Registers {
    control: u16,
    advertisement: u16,
    mode: u16,
    special_modes: u16,
    special_indications: u16,
    interrupt_mask: u16,
    /// What is advertised since negotiation began.
    offered: u16,
    /// What the partner can, once that is known.
    partner: u16,
    link: Option<Link>,
    /// The link was lost since the status was last read.
    was_down: bool,
}

impl Registers {
    /// As a hardware reset leaves them, with this address at its strap.
    pub(super) fn new(address: u8) -> Self {
        Self::reset(u16::from(address) & ADDRESS_FIELD | ALL_CAPABLE << MODE_SHIFT, 0)
    }

    fn reset(special_modes: u16, special_indications: u16) -> Self {
        let (control, advertisement) = after_reset((special_modes & MODE_FIELD) >> MODE_SHIFT);
        Self {
            control,
            advertisement,
            mode: 0,
            special_modes,
            special_indications,
            interrupt_mask: 0,
            offered: advertisement,
            partner: 0,
            link: None,
            was_down: true,
        }
    }

    pub(super) fn address(&self) -> u8 {
        (self.special_modes & ADDRESS_FIELD) as u8
    }

    pub(super) fn negotiates(&self) -> bool {
        self.control & NEGOTIATE != 0
    }

    pub(super) fn is_powered_down(&self) -> bool {
        self.control & POWER_DOWN != 0
    }

    pub(super) fn is_isolated(&self) -> bool {
        self.control & ISOLATE != 0
    }

    /// At the other end is a partner with this speed and those below. Negotiation finds the best that both can, and the partner finds
    /// the speed of a PHY that is forced to one, where it can.
    pub(super) fn link_found(&mut self, speed: Speed) {
        self.partner = if speed == Speed::Mbps10 { PARTNER_10 } else { ADVERTISED };
        let forced = Link { is_100: self.control & SPEED_100 != 0, is_full: self.control & FULL_DUPLEX != 0 };
        self.link = match self.negotiates() {
            true => Link::best(self.offered & self.partner),
            false => Some(forced).filter(|forced| !forced.is_100 || speed != Speed::Mbps10),
        };
    }

    pub(super) fn link_lost(&mut self) {
        self.link = None;
        self.was_down = true;
        self.offered = self.advertisement;
    }

    /// The speed of the link.
    pub(super) fn speed(&self) -> Option<Speed> {
        self.link.map(|link| if link.is_100 { Speed::Mbps100 } else { Speed::Mbps10 })
    }

    pub(super) fn read(&mut self, register: u8, has_cable: bool) -> u16 {
        let is_up = self.link.is_some();
        let is_negotiated = is_up && self.negotiates();
        let when = |condition: bool, bits: u16| if condition { bits } else { 0 };
        match usize::from(register) {
            CONTROL => self.control,
            STATUS => {
                let stays_down = std::mem::replace(&mut self.was_down, !is_up);
                ABILITIES | when(is_up && !stays_down, LINK) | when(is_negotiated, NEGOTIATED)
            }
            IDENTIFIER1 => OUI,
            IDENTIFIER2 => OUI_AND_MODEL | REVISION,
            ADVERTISEMENT => self.advertisement,
            PARTNER => SELECTOR | when(is_negotiated, self.partner | ACKNOWLEDGED),
            EXPANSION => when(is_negotiated, PARTNER_NEGOTIATES),
            MODE => self.mode | when(has_cable, ENERGY),
            SPECIAL_MODES => SPECIAL_MODES_RESERVED | self.special_modes,
            SPECIAL_INDICATIONS => self.special_indications,
            INTERRUPT_MASK => self.interrupt_mask,
            SPECIAL_CONTROL => {
                let indication = self.link.map_or(0, Link::indication);
                SPECIAL_RESERVED | indication | when(is_negotiated, SPECIAL_DONE)
            }
            _ => 0,
        }
    }

    /// The management interface writes a register.
    pub(super) fn write(&mut self, register: u8, value: u16) -> Written {
        match usize::from(register) {
            CONTROL if value & RESET != 0 => {
                *self = Self::reset(self.special_modes, self.special_indications & SQE_OFF);
                return Written::Anew;
            }
            CONTROL => return self.write_control(value),
            ADVERTISEMENT => self.advertisement = value & ADVERTISEMENT_BITS,
            MODE => self.mode = value & MODE_BITS,
            SPECIAL_MODES => self.special_modes = value & (MODE_FIELD | ADDRESS_FIELD),
            SPECIAL_INDICATIONS => self.special_indications = value & INDICATION_BITS,
            INTERRUPT_MASK => self.interrupt_mask = value & MASK_BITS,
            _ => {}
        }
        Written::Kept
    }

    fn write_control(&mut self, value: u16) -> Written {
        let changed = value ^ self.control;
        self.control = value & CONTROL_BITS;
        let is_restart = value & RESTART != 0 && self.negotiates();
        match changed & (POWER_DOWN | NEGOTIATE | SPEED_100 | FULL_DUPLEX) {
            0 if !is_restart => Written::Kept,
            changed if !is_restart && self.negotiates() && changed & (POWER_DOWN | NEGOTIATE) == 0 => {
                Written::Unasked
            }
            _ => Written::Anew,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_find_the_phy_by_its_identifier() {
        let mut registers = Registers::new(1);
        let identifier = [2, 3].map(|register| registers.read(register, true));
        // The OUI of SMSC and model 15; the lowest four bits are the revision.
        assert_eq!((identifier[0], identifier[1] & 0xfff0), (0x0007, 0xc0f0));
    }

    #[test]
    fn registers_read_after_a_hardware_reset_as_the_datasheet_has_them() {
        let mut registers = Registers::new(1);
        for (register, value) in [
            (0, 0x3000),
            (1, 0x7809),
            (2, 0x0007),
            (4, 0x01e1),
            (5, 0x0001),
            (6, 0x0000),
            (17, 0x0002),
            (18, 0x40e1),
            (26, 0x0000),
            (27, 0x0000),
            (29, 0x0000),
            (30, 0x0000),
            (31, 0x0040),
        ] {
            assert_eq!(registers.read(register, true), value, "{register}");
        }
    }

    #[test]
    fn reserved_bits_are_not_written() {
        let mut registers = Registers::new(1);
        for (register, value) in
            [(0, 0x7d00), (4, 0x2dff), (17, 0x2243), (18, 0x40ff), (27, 0xa800), (30, 0x00fe)]
        {
            registers.write(register, if register == 0 { !RESET } else { 0xffff });
            assert_eq!(registers.read(register, true), value, "{register}");
        }
    }

    #[test]
    fn a_software_reset_puts_all_registers_back_but_the_modes_and_clears_itself() {
        let mut registers = Registers::new(3);
        registers.write(0, 0x2100);
        registers.write(4, 0x0061);
        registers.write(27, 0xa800);
        assert_eq!([0, 4].map(|register| registers.read(register, true)), [0x2100, 0x0061]);
        assert_eq!(registers.write(0, RESET), Written::Anew);
        assert_eq!(
            [0, 4, 18, 27].map(|register| registers.read(register, true)),
            [0x3000, 0x01e1, 0x40e3, 0x0800]
        );
    }

    #[test]
    fn a_mode_that_is_written_holds_from_the_next_software_reset_on() {
        let mut registers = Registers::new(1);
        registers.write(18, 3 << 5 | 2);
        assert_eq!((registers.read(0, true), registers.address()), (0x3000, 2));
        registers.write(0, RESET);
        assert_eq!((registers.read(0, true), registers.negotiates()), (0x2100, false));
    }

    #[test]
    fn the_advertisement_is_negotiated_at_the_next_restart_alone() {
        let mut registers = Registers::new(1);
        registers.link_found(Speed::Mbps100);
        assert_eq!(registers.write(4, 0x0061), Written::Kept);
        registers.link_found(Speed::Mbps100);
        assert_eq!(registers.speed(), Some(Speed::Mbps100));
        assert_eq!(registers.write(0, 0x3200), Written::Anew);
        registers.link_lost();
        registers.link_found(Speed::Mbps100);
        assert_eq!((registers.read(0, true) & RESTART, registers.speed()), (0, Some(Speed::Mbps10)));
    }

    #[test]
    fn the_partner_and_the_speed_are_known_after_negotiation() {
        let mut registers = Registers::new(1);
        assert_eq!((registers.read(5, true), registers.read(31, true) >> 2 & 7), (1, 0));
        registers.link_found(Speed::Mbps100);
        assert_eq!(registers.read(5, true), 0x41e1);
        // 100BASE-TX full duplex, negotiation done.
        assert_eq!((registers.read(31, true) >> 2 & 7, registers.read(31, true) >> 12 & 1), (6, 1));
    }

    #[test]
    fn the_best_that_both_can_is_taken_and_nothing_where_they_have_nothing_in_common() {
        // 001 is 10BASE-T half duplex, 101 full duplex, 010 and 110 are 100BASE-TX.
        for (offered, cable, indication) in [
            (0x01e1, Speed::Mbps100, 0b110),
            (0x00e1, Speed::Mbps1000, 0b010),
            (0x00a1, Speed::Mbps100, 0b010),
            (0x0061, Speed::Mbps100, 0b101),
            (0x0021, Speed::Mbps100, 0b001),
            (0x01e1, Speed::Mbps10, 0b101),
            (0x0181, Speed::Mbps10, 0),
        ] {
            let mut registers = Registers::new(1);
            registers.write(4, offered);
            registers.write(0, 0x1200);
            registers.link_lost();
            registers.link_found(cable);
            assert_eq!(registers.read(31, true) >> 2 & 7, indication, "{offered:#06x} at {cable}");
            assert_eq!(registers.speed().is_some(), indication != 0);
        }
    }

    #[test]
    fn a_forced_speed_is_found_by_a_partner_that_knows_it() {
        for (control, cable, speed) in [
            (0x0100, Speed::Mbps100, Some(Speed::Mbps10)),
            (0x0100, Speed::Mbps10, Some(Speed::Mbps10)),
            (0x2100, Speed::Mbps100, Some(Speed::Mbps100)),
            (0x2100, Speed::Mbps10, None),
        ] {
            let mut registers = Registers::new(1);
            assert_eq!(registers.write(0, control), Written::Anew);
            registers.link_lost();
            registers.link_found(cable);
            assert_eq!(registers.speed(), speed, "{control:#06x} at {cable}");
            assert_eq!((registers.read(5, true), registers.read(31, true) >> 12 & 1), (1, 0));
        }
    }

    #[test]
    fn another_speed_in_basic_control_negotiates_anew_without_being_asked() {
        let mut registers = Registers::new(1);
        registers.write(4, 0x0061);
        assert_eq!(registers.write(0, 0x1000), Written::Unasked);
        assert_eq!(registers.write(0, 0x1000), Written::Kept);
        assert_eq!(registers.write(0, 0x3200), Written::Anew);
    }
}
