//! Chips with a small image that counts in RAM: an RP2040 and an ATmega328P.

use std::sync::Arc;

use mcu::image::{Image, LoadOptions, RawBinary};
use mcu::{Mcu, McuKind, Setup};

/// JMP to the instruction behind the vectors, which an ATmega328P has 26 of.
const JMP_BEHIND_VECTORS: [u16; 2] = [0x940c, 2 * AVR_VECTORS as u16];
const AVR_VECTORS: usize = 26;
/// INC R24, STS 0x0100, R24, RJMP to the first.
const AVR_COUNT: [u16; 4] = [0x9583, 0x9380, 0x0100, 0xcffc];
/// LDR R0, MOVS R1, then ADDS, STR, LDR and B in a loop, and the counter's address.
const ARM_COUNT: [u16; 8] = [0x4802, 0x2100, 0x3101, 0x6001, 0x6802, 0xe7fb, 0x0100, 0x2000];
const ARM_VECTORS: usize = 16;
const ARM_STACK: u32 = 0x2004_0000;
const ARM_RAM: u32 = 0x2000_0000;

/// A chip that counts, and where its memories are worth a look.
pub(super) struct Counting {
    pub(super) kind: &'static McuKind,
    pub(super) image: Image,
    setup: Setup,
    /// Where a debugger finds the counter.
    pub(super) counter: u32,
    /// Ends of memories, registers, and nothing at all.
    pub(super) places: [u32; 6],
}

impl Counting {
    pub(super) fn rp2040() -> Self {
        let mut bytes: Vec<u8> = vec![0; 4 * ARM_VECTORS];
        let start = ARM_RAM + bytes.len() as u32;
        bytes[..4].copy_from_slice(&ARM_STACK.to_le_bytes());
        bytes[4..8].copy_from_slice(&(start | 1).to_le_bytes());
        bytes.extend(ARM_COUNT.iter().flat_map(|halfword| halfword.to_le_bytes()));
        let places = [0, 0x1000_fff0, 0x2004_1ff8, 0x4000_8000, 0xe000_ed00, 0x3000_0000];
        Self::of(&rp2040::KIND, bytes, RawBinary::Ram, 1 << 16, 0x2000_0100, places)
    }

    pub(super) fn avr() -> Self {
        let words = std::iter::repeat_n(JMP_BEHIND_VECTORS, AVR_VECTORS).flatten().chain(AVR_COUNT);
        let bytes = words.flat_map(u16::to_le_bytes).collect();
        let flash_bytes = avr::ATMEGA328P.facts.usual_flash_bytes;
        let places = [0, 0x7ff8, 0x80_0000, 0x80_08f8, 0x81_03fc, 0xff_ffff];
        Self::of(&avr::ATMEGA328P, bytes, RawBinary::Flash, flash_bytes, 0x80_0100, places)
    }

    fn of(
        kind: &'static McuKind,
        bytes: Vec<u8>,
        raw_binary: RawBinary,
        flash_bytes: u32,
        counter: u32,
        places: [u32; 6],
    ) -> Self {
        let options = LoadOptions { raw_binary };
        let image = Image::load(&Arc::new(bytes), "counts.bin", kind.facts.images, &options);
        let crystal_hz = kind.facts.usual_crystal_hz;
        let setup = Setup { crystal_hz, flash_bytes, rom: None, usb_connected: false, seed: 1 };
        Self { kind, image: image.expect("an image"), setup, counter, places }
    }

    /// A chip at its start.
    pub(super) fn chip(&self) -> Box<dyn Mcu> {
        let mut chip = (self.kind.build)(&self.setup).expect("a chip");
        chip.load(&self.image).expect("it starts");
        chip
    }
}
