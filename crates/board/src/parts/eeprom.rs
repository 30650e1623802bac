//! A serial EEPROM on I2C, as Microchip's 24LC256 (datasheet DS21203): two address bytes, pages that wrap, a write that
//! begins with the stop and during which the chip does not acknowledge. Chips of at most 256 bytes have one address byte.
//! Its write-protect pin is low.

use fields::{Field, Takes};
use units::Picoseconds;

use super::{I2cDevice, OnI2c, Part};
use crate::file::PartEntry;
use crate::fits::{Misfit, on_i2c};
use crate::kinds::{Kind, no_header};

pub(crate) const KIND: Kind = Kind {
    name: "i2c-eeprom",
    help: "a serial EEPROM as the 24LC256: two address bytes, pages, a write time during which it does not answer",
    fields: &[
        Field::needed("i2c", Takes::Count(0, 1), "the I2C port that it is on", "0"),
        Field::new("address", Takes::Count(0x08, 0x77), "80", "its 7-bit address", "0x50"),
        Field::new("bytes", Takes::Count(128, 65536), "32768", "its size, a power of two", "32768"),
        Field::new("page_bytes", Takes::Count(1, 256), "64", "its page, a power of two", "64"),
        Field::new(
            "write_time",
            Takes::Between(Picoseconds::ZERO, Picoseconds::new(100_000_000_000)),
            "5 ms",
            "how long it is busy after a write",
            "\"5 ms\"",
        ),
    ],
    has_ethernet: false,
    outputs: &[],
    build,
    fits: on_i2c,
    header: no_header,
};

fn build(PartEntry { values, .. }: &PartEntry) -> Result<Box<dyn Part>, Misfit> {
    let (bytes, page_bytes) = (values.integer("bytes"), values.integer("page_bytes"));
    for (name, value) in [("bytes", bytes), ("page_bytes", page_bytes)] {
        if !value.is_power_of_two() {
            return Err(Misfit::of(name, format!("is {value}, but it takes a power of two")));
        }
    }
    if page_bytes > bytes {
        let words = format!("is {page_bytes}, but the chip has {bytes} bytes");
        return Err(Misfit::of("page_bytes", words));
    }
    let address = values.integer("address") as u8;
    let chip = Eeprom::new(address, bytes as u32, page_bytes as u32, values.time("write_time"));
    Ok(Box::new(OnI2c::new(values.integer("i2c") as u8, Box::new(chip))))
}

/// A chip with its contents.
#[derive(Debug, Clone)]
pub(super) struct Eeprom {
    address: u8,
    page_bytes: u32,
    write_time: Picoseconds,
    memory: Vec<u8>,
    /// Where the next byte is read, or the next page is written.
    pointer: u32,
    /// Address bytes that are still to come in this transfer.
    address_left: u8,
    /// What goes into the page: place and byte.
    pending: Vec<(u32, u8)>,
    busy_until: Picoseconds,
}

impl Eeprom {
    /// An erased chip. Size and page are powers of two.
    pub(super) fn new(address: u8, bytes: u32, page_bytes: u32, write_time: Picoseconds) -> Self {
        Self {
            address,
            page_bytes,
            write_time,
            memory: vec![0xff; bytes as usize],
            pointer: 0,
            address_left: 0,
            pending: Vec::new(),
            busy_until: Picoseconds::ZERO,
        }
    }

    fn address_bytes(&self) -> u8 {
        if self.memory.len() <= 256 { 1 } else { 2 }
    }

    fn mask(&self) -> u32 {
        self.memory.len() as u32 - 1
    }
}

impl I2cDevice for Eeprom {
    fn start(&mut self, at: Picoseconds, address: u16, read: bool) -> bool {
        // A repeated start ends a write without carrying it out.
        self.pending.clear();
        if address != u16::from(self.address) || at < self.busy_until {
            return false;
        }
        if !read {
            self.address_left = self.address_bytes();
        }
        true
    }

    fn write(&mut self, _: Picoseconds, byte: u8) -> bool {
        if self.address_left > 0 {
            let high = if self.address_left == self.address_bytes() { 0 } else { self.pointer << 8 };
            self.pointer = (high | u32::from(byte)) & self.mask();
            self.address_left -= 1;
            return true;
        }
        let in_page = self.page_bytes - 1;
        self.pending.push((self.pointer, byte));
        if self.pending.len() > self.page_bytes as usize {
            self.pending.remove(0);
        }
        self.pointer = self.pointer & !in_page | self.pointer.wrapping_add(1) & in_page;
        true
    }

    fn read(&mut self, _: Picoseconds) -> u8 {
        let byte = self.memory[self.pointer as usize];
        self.pointer = self.pointer.wrapping_add(1) & self.mask();
        byte
    }

    fn stop(&mut self, at: Picoseconds) {
        if self.pending.is_empty() {
            return;
        }
        for (place, byte) in self.pending.drain(..) {
            self.memory[place as usize] = byte;
        }
        self.busy_until = at + self.write_time;
    }

    fn snapshot(&self) -> Option<Box<dyn I2cDevice>> {
        Some(Box::new(self.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE_TIME: Picoseconds = Picoseconds::new(5_000_000_000);

    fn write(chip: &mut Eeprom, at: Picoseconds, bytes: &[u8]) {
        assert!(chip.start(at, 0x50, false));
        assert!(bytes.iter().all(|&byte| chip.write(at, byte)));
        chip.stop(at);
    }

    fn read(chip: &mut Eeprom, at: Picoseconds, place: [u8; 2], count: usize) -> Vec<u8> {
        assert!(chip.start(at, 0x50, false));
        assert!(place.iter().all(|&byte| chip.write(at, byte)));
        assert!(chip.start(at, 0x50, true));
        let bytes = (0..count).map(|_| chip.read(at)).collect();
        chip.stop(at);
        bytes
    }

    fn chip() -> Eeprom {
        Eeprom::new(0x50, 32768, 64, WRITE_TIME)
    }

    #[test]
    fn what_was_written_is_read_back_after_the_write_time() {
        let mut chip = chip();
        write(&mut chip, Picoseconds::ZERO, &[0x12, 0x30, 1, 2, 3]);
        assert!(!chip.start(Picoseconds::new(1), 0x50, false), "it does not answer while it writes");
        assert_eq!(read(&mut chip, WRITE_TIME, [0x12, 0x2f], 5), [0xff, 1, 2, 3, 0xff]);
    }

    #[test]
    fn a_write_beyond_its_page_wraps_to_the_page_start() {
        let mut chip = chip();
        write(&mut chip, Picoseconds::ZERO, &[0x00, 0x3f, 1, 2]);
        assert_eq!(read(&mut chip, WRITE_TIME, [0, 0], 1), [2]);
        assert_eq!(read(&mut chip, WRITE_TIME, [0, 0x3f], 2), [1, 0xff]);
    }

    #[test]
    fn reading_goes_on_at_the_next_byte_and_wraps_at_the_end() {
        let mut chip = chip();
        write(&mut chip, Picoseconds::ZERO, &[0x7f, 0xff, 9]);
        assert_eq!(read(&mut chip, WRITE_TIME, [0x7f, 0xff], 2), [9, 0xff]);
        assert!(chip.start(WRITE_TIME, 0x50, true));
        assert_eq!(chip.pointer, 1);
    }

    #[test]
    fn another_address_is_not_acknowledged() {
        assert!(!chip().start(Picoseconds::ZERO, 0x51, false));
    }
}
