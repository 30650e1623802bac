//! The registers of the management interface (LAN8720A datasheet DS00002165B, 4.2; IEEE 802.3 clauses 22 and 28).

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

const RESET: u16 = 1 << 15;
const SPEED_100: u16 = 1 << 13;
const NEGOTIATE: u16 = 1 << 12;
const POWER_DOWN: u16 = 1 << 11;
const ISOLATE: u16 = 1 << 10;
const RESTART: u16 = 1 << 9;
const FULL_DUPLEX: u16 = 1 << 8;
/// All but the two that clear themselves.
const CONTROL_BITS: u16 = 0xfd80 & !RESET & !RESTART;

const LINK: u16 = 1 << 2;
const NEGOTIATED: u16 = 1 << 5;
/// 10 and 100 Mbit/s, half and full duplex; negotiation; extended registers.
const ABILITIES: u16 = 0x7809;
/// 802.3, and the same four (clause 28).
const ADVERTISED: u16 = 0x01e1;
const ADVERTISEMENT_BITS: u16 = 0x2de0;
const ACKNOWLEDGED: u16 = 1 << 14;
const PARTNER_NEGOTIATES: u16 = 1 << 0;
const ENERGY: u16 = 1 << 1;
/// MODE straps: all capable, negotiation on.
const ALL_CAPABLE: u16 = 7 << 5;
const SPECIAL_DONE: u16 = 1 << 12;
const SPECIAL_100_FULL: u16 = 6 << 2;
/// Reserved bits that read so.
const SPECIAL_RESERVED: u16 = 1 << 6;

#[derive(Debug, Clone)]
pub(super) struct Registers {
    address: u8,
    control: u16,
    advertisement: u16,
    special_indications: u16,
    interrupt_mask: u16,
    is_up: bool,
    /// The link was lost since the status was last read.
    was_down: bool,
}

impl Registers {
    pub(super) fn new(address: u8) -> Self {
        Self {
            address,
            control: SPEED_100 | NEGOTIATE,
            advertisement: ADVERTISED,
            special_indications: 0,
            interrupt_mask: 0,
            is_up: false,
            was_down: true,
        }
    }

    pub(super) fn address(&self) -> u8 {
        self.address
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
            IDENTIFIER1 => 0x0007,
            IDENTIFIER2 => 0xc0f1,
            ADVERTISEMENT => self.advertisement,
            PARTNER => when(is_negotiated, ADVERTISED | ACKNOWLEDGED),
            EXPANSION => when(is_negotiated, PARTNER_NEGOTIATES),
            MODE => when(has_cable, ENERGY),
            SPECIAL_MODES => ALL_CAPABLE | u16::from(self.address),
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
                *self = Self::new(self.address);
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
                self.advertisement = value & ADVERTISEMENT_BITS | 1;
                false
            }
            SPECIAL_INDICATIONS => {
                self.special_indications = value & 0xa800;
                false
            }
            INTERRUPT_MASK => {
                self.interrupt_mask = value & 0x00fe;
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
    fn a_software_reset_puts_all_registers_back_and_clears_itself() {
        let mut registers = Registers::new(3);
        registers.write(0, 0x2100);
        registers.write(4, 0x0061);
        assert_eq!([0, 4].map(|register| registers.read(register, true)), [0x2100, 0x0061]);
        assert!(registers.write(0, RESET));
        assert_eq!([0, 4, 18].map(|register| registers.read(register, true)), [0x3000, 0x01e1, 0x00e3]);
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
        assert_eq!((registers.read(5, true), registers.read(31, true) >> 2 & 7), (0, 0));
        registers.link_found();
        assert_eq!(registers.read(5, true), 0x41e1);
        // 100BASE-TX full duplex, negotiation done.
        assert_eq!((registers.read(31, true) >> 2 & 7, registers.read(31, true) >> 12 & 1), (6, 1));
    }
}
