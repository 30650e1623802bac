//! Which register is at an address of the data space: the same in all of the chips, as far as each has it.

use super::Part;
use super::bits::writable;

/// A register of I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Register {
    /// PINx, DDRx or PORTx (0 to 2) of a port, 0 for A.
    Port(u8, u8),
    /// TIFRn.
    TimerFlags(u8),
    /// TIMSKn.
    TimerMask(u8),
    /// TCCRnA at offset 0, and those behind it.
    Timer(u8, u8),
    Gtccr,
    Assr,
    Pcifr,
    Eifr,
    Eimsk,
    Pcicr,
    /// EICRA and EICRB.
    Eicr(u8),
    Pcmsk(u8),
    /// EECR, EEDR, EEARL and EEARH.
    Eeprom(u8),
    /// SPCR, SPSR and SPDR.
    Spi(u8),
    /// UCSRnA at offset 0, UBRRnL at 4, UDRn at 6.
    Usart(u8, u8),
    /// ADCL, ADCH, ADCSRA, ADCSRB and ADMUX.
    Adc(u8),
    /// TWBR at offset 0 and those behind it.
    Twi(u8),
    Wdtcsr,
    Spmcsr,
    Smcr,
    Mcusr,
    Mcucr,
    Clkpr,
    /// PRR0 and PRR1.
    Prr(u8),
    /// Keeps what is written; those of DIDRn switch digital inputs off, and the others do nothing here.
    Plain,
}

/// The registers that keep what is written: GPIOR0 to 2, ACSR, OCDR, OSCCAL, DIDR2, 0 and 1.
const PLAIN: [u16; 8] = [0x3e, 0x4a, 0x4b, 0x50, 0x51, 0x66, 0x7e, 0x7f];
const ADDRESS_0X73: u16 = 0x73;
const DIDR2: u16 = 0x7d;

/// The register at an address, whether a chip has that peripheral or not.
fn register(address: u16) -> Option<Register> {
    let low = |first: u16| (address - first) as u8;
    Some(match address {
        // Ports A to G, and H to L behind the first 256 addresses; there is no port I.
        0x20..=0x34 => Register::Port(low(0x20) / 3, low(0x20) % 3),
        0x100..=0x10b => Register::Port(7 + low(0x100) / 3, low(0x100) % 3),
        0x35..=0x3a => Register::TimerFlags(low(0x35)),
        0x3b => Register::Pcifr,
        0x3c => Register::Eifr,
        0x3d => Register::Eimsk,
        0x3f..=0x42 => Register::Eeprom(low(0x3f)),
        0x43 => Register::Gtccr,
        0x44..=0x48 => Register::Timer(0, low(0x44)),
        0x4c..=0x4e => Register::Spi(low(0x4c)),
        0x53 => Register::Smcr,
        0x54 => Register::Mcusr,
        0x55 => Register::Mcucr,
        0x57 => Register::Spmcsr,
        0x60 => Register::Wdtcsr,
        0x61 => Register::Clkpr,
        0x64 | 0x65 => Register::Prr(low(0x64)),
        0x68 => Register::Pcicr,
        0x69 | 0x6a => Register::Eicr(low(0x69)),
        0x6b..=0x6d => Register::Pcmsk(low(0x6b)),
        0x6e..=0x72 => Register::TimerMask(low(0x6e)),
        0x78..=0x7c => Register::Adc(low(0x78)),
        0x80..=0x8d => Register::Timer(1, low(0x80)),
        0x90..=0x9d => Register::Timer(3, low(0x90)),
        0xa0..=0xad => Register::Timer(4, low(0xa0)),
        0xb0..=0xb4 => Register::Timer(2, low(0xb0)),
        0xb6 => Register::Assr,
        0xb8..=0xbd => Register::Twi(low(0xb8)),
        0xc0..=0xc6 => Register::Usart(0, low(0xc0)),
        0xc8..=0xce => Register::Usart(1, low(0xc8)),
        0xd0..=0xd6 => Register::Usart(2, low(0xd0)),
        0x120..=0x12d => Register::Timer(5, low(0x120)),
        0x130..=0x136 => Register::Usart(3, low(0x130)),
        DIDR2 => Register::Plain,
        _ if PLAIN.contains(&address) => Register::Plain,
        _ => return None,
    })
}

/// At 0x73 the ATmega1284P has PCMSK3 and the ATmega2560 TIMSK5.
fn mask_at_0x73(has_timer_5: bool) -> Register {
    if has_timer_5 { Register::TimerMask(5) } else { Register::Pcmsk(3) }
}

/// The register at an address of a chip, where it has that, with the bits that can be written.
pub(crate) fn register_of(part: &Part, address: u16) -> Option<(Register, u8)> {
    let timers = part.timers.len() as u8;
    let found = match address {
        ADDRESS_0X73 => mask_at_0x73(timers > 5),
        _ => register(address)?,
    };
    let exists = match found {
        // Between TCCRnC and TCNTnL there is nothing, and OCRnC is there for a third output.
        Register::Timer(1 | 3.., 3) => false,
        Register::Timer(1 | 3.., 12 | 13) if !part.long_pc => false,
        Register::Timer(number, _) | Register::TimerMask(number) | Register::TimerFlags(number) => {
            number < timers
        }
        Register::Usart(number, _) => usize::from(number) < part.usarts.len(),
        Register::Pcmsk(number) => usize::from(number) < part.changes.len(),
        Register::Prr(number) => usize::from(number) < part.power.len(),
        Register::Eicr(number) => usize::from(number) <= (part.external.len() - 1) / 4,
        Register::Port(number, _) => {
            let letter = if number < 8 { b'A' + number } else { b'A' + number + 1 };
            part.ports.iter().any(|port| port.letter == letter)
        }
        Register::Plain if address == DIDR2 => part.input_disables.iter().any(|one| one.register == DIDR2),
        _ => true,
    };
    exists.then(|| (found, writable(part, found, address)))
}
