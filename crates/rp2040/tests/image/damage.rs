//! No file does harm, however it is damaged: it is an image or is refused in one line that names it.

use proptest::prelude::*;

use super::build::{Elf, FLASH, FUNCTION, GLOBAL, bare_image, blocks, flash_image, symbol, uf2};
use super::corpus::images;
use super::debug_info::{Function, with_debug_info};

/// An ELF with all that is read of one.
fn full_elf() -> Vec<u8> {
    let main = Function {
        name: "main",
        start: FLASH + 0x120,
        bytes: 16,
        inlined: Some(("twice", FLASH + 0x124, 4, 11)),
    };
    let elf =
        Elf::new(FLASH, flash_image(0x140), FLASH + 0x109).with_text().with_attributes(&[(6, 12), (7, b'M')]);
    let elf = elf.with_symbols([symbol("_ZN3app4mainEv", FLASH + 0x121, 16, GLOBAL | FUNCTION)]);
    with_debug_info(elf, &[main], &[(FLASH + 0x120, 10), (FLASH + 0x124, 3)], FLASH + 0x130).bytes()
}

fn files() -> [Vec<u8>; 4] {
    [full_elf(), uf2(&blocks(FLASH, &flash_image(700))), flash_image(300), bare_image(FLASH, 64)]
}

/// Reads everything of an image, or its refusal.
fn read(bytes: &[u8]) {
    let _ = images::check(bytes, mcu::image::RawBinary::ByContent);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_an_image_or_are_refused(
        bytes in proptest::collection::vec(any::<u8>(), 0..600), magic in 0..3,
    ) {
        let magic: &[u8] = [&b"\x7fELF\x01\x01\x01"[..], b"UF2\n", b""][magic as usize];
        read(&[magic, &bytes].concat());
    }

    #[test]
    fn an_image_with_changed_bytes_is_an_image_or_is_refused(
        file in 0..4_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = files()[file].clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        read(&bytes);
    }

    #[test]
    fn an_image_with_a_changed_word_is_an_image_or_is_refused(
        file in 0..4_usize, at in any::<prop::sample::Index>(),
        word in prop_oneof![Just(0), Just(u32::MAX), Just(0x7fff_ffff), Just(0x1000_0000), any::<u32>()],
    ) {
        let mut bytes = files()[file].clone();
        let at = at.index(bytes.len() / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        read(&bytes);
    }
}

#[test]
fn an_image_that_is_cut_off_anywhere_is_an_image_or_is_refused() {
    for file in files() {
        (0..file.len()).for_each(|length| read(&file[..length]));
    }
}
