//! Which bits of a register can be written. The others are reserved: they read as zero, whatever was written (datasheets, the
//! descriptions of the registers; avr-libc's headers name the bits that exist).

use super::Part;
use super::registers::Register;

const ALL: u8 = 0xff;

/// The lowest so many bits.
const fn lowest(count: usize) -> u8 {
    if count >= 8 { ALL } else { (1 << count) - 1 }
}

/// The bits of a register that are not reserved. Flags that a peripheral alone sets are its own affair.
pub(crate) fn writable(part: &Part, register: Register, address: u16) -> u8 {
    if let Some((_, bits)) = part.narrow.iter().find(|(narrow, _)| *narrow == address) {
        return *bits;
    }
    let is_wide = |timer: u8| !matches!(timer, 0 | 2);
    match register {
        // TCCRnA has a third output only where the timer has, and so has TIMSKn.
        Register::Timer(number, 0) if !(is_wide(number) && part.long_pc) => 0xf3,
        Register::Timer(number, 1) => {
            if is_wide(number) {
                0xdf
            } else {
                0xcf
            }
        }
        Register::TimerMask(number) if !is_wide(number) => 0x07,
        Register::TimerMask(_) => {
            if part.long_pc {
                0x2f
            } else {
                0x27
            }
        }
        Register::Eimsk => lowest(part.external.len()),
        Register::Eicr(number) => lowest(2 * (part.external.len() - 4 * usize::from(number)).min(4)),
        Register::Pcicr => lowest(part.changes.len()),
        // EECR and EEARH.
        Register::Eeprom(0) => 0x3f,
        Register::Eeprom(3) => ((part.eeprom_bytes - 1) >> 8) as u8,
        // TWCR and TWAMR.
        Register::Twi(4) => 0xfd,
        Register::Twi(5) => 0xfe,
        _ => ALL,
    }
}
