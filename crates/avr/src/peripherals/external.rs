//! INTn and PCINTn (ATmega328P datasheet, "External Interrupts", registers 13.2.1 to 13.2.8): levels, edges and pin changes.

use crate::chips::{NO_PIN, Part};

/// A low level interrupts as long as it lasts, and sets no flag.
const LOW_LEVEL: u8 = 0;
const ANY_EDGE: u8 = 1;
const FALLING: u8 = 2;

/// The external interrupts.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct External {
    /// EICRA and EICRB.
    pub(crate) control: [u8; 2],
    /// EIMSK and EIFR.
    pub(crate) enabled: u8,
    pub(crate) flags: u8,
    /// PCICR, PCIFR and PCMSKn.
    pub(crate) change_enabled: u8,
    pub(crate) change_flags: u8,
    pub(crate) masks: [u8; 4],
}

impl External {
    /// ISCn1:0.
    fn sense(&self, number: usize) -> u8 {
        self.control[number / 4] >> (number % 4 * 2) & 3
    }

    /// INTn that are pending, a bit each.
    pub(crate) fn pending(&self, part: &Part, levels: u32) -> u8 {
        let lows = part.external.iter().enumerate().filter(|(number, gpio)| {
            self.sense(*number) == LOW_LEVEL && **gpio != NO_PIN && levels >> **gpio & 1 == 0
        });
        let lows = lows.fold(0, |all, (number, _)| all | 1u8 << number);
        (self.flags | lows) & self.enabled
    }

    /// PCINT0 to PCINT3 that are pending, a bit each.
    pub(crate) fn changes_pending(&self) -> u8 {
        self.change_flags & self.change_enabled
    }

    /// Pins changed their levels.
    pub(crate) fn pins_changed(&mut self, part: &Part, changed: u32, levels: u32) {
        for (number, &gpio) in part.external.iter().enumerate() {
            if gpio == NO_PIN || changed >> gpio & 1 == 0 {
                continue;
            }
            let rises = levels >> gpio & 1 == 1;
            let flags = match self.sense(number) {
                LOW_LEVEL => false,
                ANY_EDGE => true,
                FALLING => !rises,
                _ => rises,
            };
            self.flags |= u8::from(flags) << number;
        }
        for (number, gpios) in part.changes.iter().enumerate() {
            let mask = self.masks[number];
            let is_meant = |bit: &usize| {
                let gpio = gpios[*bit];
                mask >> bit & 1 == 1 && gpio != NO_PIN && changed >> gpio & 1 == 1
            };
            self.change_flags |= u8::from((0..8).any(|bit| is_meant(&bit))) << number;
        }
    }

    /// A handler is entered, which clears the flag.
    pub(crate) fn acknowledge(&mut self, number: u8) {
        self.flags &= !(1 << number);
    }

    pub(crate) fn acknowledge_change(&mut self, number: u8) {
        self.change_flags &= !(1 << number);
    }
}
