//! The management interface: MDC and MDIO, by frames of 64 bits (IEEE 802.3 clause 22). A bit is taken where MDC rises, and what
//! the PHY answers to that edge is at MDIO [`OUTPUT_DELAY`] later.

use units::Picoseconds;

/// From a rising edge of MDC to what the PHY drives at MDIO: at most 300 ns (LAN8720A datasheet 1.4, Table 5.12). A published driver
/// (pico-rmii-ethernet) reads the bit before 20 ns behind the edge, others read this one when 300 have passed. This is the middle.
pub const OUTPUT_DELAY: Picoseconds = Picoseconds::from_ns(150);

/// Ones before a frame.
const PREAMBLE_BITS: u32 = 32;
/// Start, operation, and both addresses.
const HEADER_BITS: u32 = 14;
const TURNAROUND_BITS: u32 = 2;
const DATA_BITS: u32 = 16;
const FRAME_BITS: u32 = HEADER_BITS + TURNAROUND_BITS + DATA_BITS;
const START: u32 = 0b01;
const READ: u32 = 0b10;
const WRITE: u32 = 0b01;

/// Whose registers are read and written.
pub trait Managed {
    /// The address that it answers at.
    fn address(&self) -> u8;
    /// Reads a register.
    fn read(&mut self, register: u8) -> u16;
    /// Writes a register.
    fn write(&mut self, register: u8, value: u16);
}

/// Where a frame is.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Management {
    /// Ones in a row before a frame.
    ones: u32,
    /// Bits of the frame, and what they are.
    count: u32,
    bits: u32,
    /// What is read from the register.
    answer: u16,
    is_read: bool,
}

impl Management {
    /// MDC rises with this level at MDIO; the level that the PHY drives [`OUTPUT_DELAY`] later, or nothing where it lets go.
    pub fn clock_rises(&mut self, mdio: bool, managed: &mut impl Managed) -> Option<bool> {
        if self.count == 0 && mdio {
            self.ones = (self.ones + 1).min(PREAMBLE_BITS);
            return None;
        }
        if self.count == 0 && self.ones < PREAMBLE_BITS {
            self.ones = 0;
            return None;
        }
        self.bits = self.bits << 1 | u32::from(mdio);
        self.count += 1;
        match self.count {
            2 if self.bits != START => *self = Self::default(),
            HEADER_BITS => self.header(managed),
            FRAME_BITS => {
                if !self.is_read && self.is_meant(managed) {
                    managed.write(self.register(), self.bits as u16);
                }
                *self = Self::default();
            }
            _ => {}
        }
        self.driven()
    }

    fn header(&mut self, managed: &mut impl Managed) {
        match self.bits >> 10 & 3 {
            READ if (self.bits >> 5 & 31) as u8 == managed.address() => {
                self.is_read = true;
                self.answer = managed.read(self.bits as u8 & 31);
            }
            READ | WRITE => {}
            _ => *self = Self::default(),
        }
    }

    /// Of a frame that is whole: the bits above turnaround and data have stayed.
    fn is_meant(&self, managed: &impl Managed) -> bool {
        self.bits >> 28 & 3 == WRITE && (self.bits >> 23 & 31) as u8 == managed.address()
    }

    fn register(&self) -> u8 {
        (self.bits >> 18 & 31) as u8
    }

    /// The second bit of the turnaround is low, then the register follows from its highest bit on.
    fn driven(&self) -> Option<bool> {
        if !self.is_read || self.count <= HEADER_BITS {
            return None;
        }
        let sent = self.count - HEADER_BITS;
        Some(sent >= TURNAROUND_BITS && self.answer >> (DATA_BITS + 1 - sent) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct One {
        written: Vec<(u8, u16)>,
    }

    impl Managed for One {
        fn address(&self) -> u8 {
            5
        }

        fn read(&mut self, register: u8) -> u16 {
            0xa500 | u16::from(register)
        }

        fn write(&mut self, register: u8, value: u16) {
            self.written.push((register, value));
        }
    }

    /// A station that takes a bit just before each edge; the level of MDIO is high where nobody drives.
    fn frame(operation: u32, address: u32, data: Option<u16>, ones: u32) -> (One, u16, u32) {
        let mut one = One::default();
        let mut management = Management::default();
        let mut driven = None;
        let mut heard = Vec::new();
        let header = START << 12 | operation << 10 | address << 5 | 17;
        for n in 0..ones + FRAME_BITS {
            let own = match n.checked_sub(ones) {
                None => Some(true),
                Some(n) if n < HEADER_BITS => Some(header >> (HEADER_BITS - 1 - n) & 1 == 1),
                Some(n) => data.map(|data| (0b10 << 16 | u32::from(data)) >> (FRAME_BITS - 1 - n) & 1 == 1),
            };
            let level = own.or(driven).unwrap_or(true);
            heard.push(level);
            driven = management.clock_rises(level, &mut one);
        }
        let bits = |bits: &[bool]| bits.iter().fold(0, |value: u32, &bit| value << 1 | u32::from(bit));
        let tail = &heard[heard.len() - 18..];
        (one, bits(&tail[2..]) as u16, bits(&tail[..2]))
    }

    #[test]
    fn a_register_is_read_behind_a_turnaround_that_ends_low() {
        let (_, value, turnaround) = frame(READ, 5, None, 32);
        assert_eq!((value, turnaround), (0xa511, 0b10));
    }

    #[test]
    fn a_register_is_written_when_the_last_bit_is_there() {
        let (one, _, _) = frame(WRITE, 5, Some(0x1234), 32);
        assert_eq!(one.written, [(17, 0x1234)]);
    }

    #[test]
    fn frames_for_others_and_those_without_a_preamble_are_left_alone() {
        assert_eq!(frame(READ, 6, None, 32).1, 0xffff);
        assert_eq!(frame(READ, 5, None, 31).1, 0xffff);
        assert!(frame(WRITE, 6, Some(0x1234), 32).0.written.is_empty());
        assert!(frame(WRITE, 5, Some(0x1234), 31).0.written.is_empty());
    }
}
