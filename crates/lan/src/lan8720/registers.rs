//! The registers of the management interface, as sections 4.2.1 to 4.2.14 of the LAN8720A datasheet (SMSC, revision 1.4 of 23
//! August 2012) have them; what a link does to them is of IEEE 802.3, clauses 22 and 28. Inferred are the revision of the silicon,
//! which the datasheet leaves open, and which bit of the mode "all capable" it leaves open as well.
//!
//! Left out: the flags of interrupts (29), which read as none, and what loopback, the energy detect power-down and the alternate
//! interrupt mode would do; their bits are kept. ENERGYON falls at once where the datasheet gives it 256 ms.

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
const SPECIAL_100_FULL: u16 = 0b110 << 2;
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

#[derive(Debug, Clone)]
pub(super) struct Registers {
    control: u16,
    advertisement: u16,
    mode: u16,
    special_modes: u16,
    special_indications: u16,
    interrupt_mask: u16,
    is_up: bool,
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
            is_up: false,
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

    /// What is forced to another speed than that of the cable gets no link.
    pub(super) fn link_found(&mut self) {
        self.is_up = self.negotiates() || self.control & SPEED_100 != 0;
    }

    pub(super) fn link_lost(&mut self) {
        self.is_up = false;
        self.was_down = true;
    }

    pub(super) fn has_link(&self) -> bool {
        self.is_up
    }

    pub(super) fn read(&mut self, register: u8, has_cable: bool) -> u16 {
        let is_negotiated = self.is_up && self.negotiates();
        let when = |condition: bool, bits: u16| if condition { bits } else { 0 };
        match usize::from(register) {
            CONTROL => self.control,
            STATUS => {
                let stays_down = std::mem::replace(&mut self.was_down, !self.is_up);
                ABILITIES | when(self.is_up && !stays_down, LINK) | when(is_negotiated, NEGOTIATED)
            }
            IDENTIFIER1 => OUI,
            IDENTIFIER2 => OUI_AND_MODEL | REVISION,
            ADVERTISEMENT => self.advertisement,
            PARTNER => SELECTOR | when(is_negotiated, ADVERTISED | ACKNOWLEDGED),
            EXPANSION => when(is_negotiated, PARTNER_NEGOTIATES),
            MODE => self.mode | when(has_cable, ENERGY),
            SPECIAL_MODES => SPECIAL_MODES_RESERVED | self.special_modes,
            SPECIAL_INDICATIONS => self.special_indications,
            INTERRUPT_MASK => self.interrupt_mask,
            SPECIAL_CONTROL => {
                SPECIAL_RESERVED | when(self.is_up, SPECIAL_100_FULL) | when(is_negotiated, SPECIAL_DONE)
            }
            _ => 0,
        }
    }

    /// Whether the link is looked for anew.
    pub(super) fn write(&mut self, register: u8, value: u16) -> bool {
        match usize::from(register) {
            CONTROL if value & RESET != 0 => {
                *self = Self::reset(self.special_modes, self.special_indications & SQE_OFF);
                true
            }
            CONTROL => {
                let looks_at = POWER_DOWN | NEGOTIATE | SPEED_100 | FULL_DUPLEX;
                let changed = (value ^ self.control) & looks_at;
                self.control = value & CONTROL_BITS;
                // Speed and duplex are negotiated.
                let changed = if self.negotiates() { changed & (POWER_DOWN | NEGOTIATE) } else { changed };
                changed != 0 || value & RESTART != 0 && self.negotiates()
            }
            ADVERTISEMENT => {
                self.advertisement = value & ADVERTISEMENT_BITS;
                false
            }
            MODE => {
                self.mode = value & MODE_BITS;
                false
            }
            SPECIAL_MODES => {
                self.special_modes = value & (MODE_FIELD | ADDRESS_FIELD);
                false
            }
            SPECIAL_INDICATIONS => {
                self.special_indications = value & INDICATION_BITS;
                false
            }
            INTERRUPT_MASK => {
                self.interrupt_mask = value & MASK_BITS;
                false
            }
            _ => false,
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
        assert!(registers.write(0, RESET));
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
        assert!(!registers.write(4, 0x0181));
        assert!(registers.write(0, 0x1200));
        assert_eq!(registers.read(0, true) & RESTART, 0);
    }

    #[test]
    fn the_partner_and_the_speed_are_known_after_negotiation() {
        let mut registers = Registers::new(1);
        assert_eq!((registers.read(5, true), registers.read(31, true) >> 2 & 7), (1, 0));
        registers.link_found();
        assert_eq!(registers.read(5, true), 0x41e1);
        // 100BASE-TX full duplex, negotiation done.
        assert_eq!((registers.read(31, true) >> 2 & 7, registers.read(31, true) >> 12 & 1), (6, 1));
    }
}
