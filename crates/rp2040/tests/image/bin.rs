//! Raw binaries.

use mcu::image::{Boot, Format, ImageErrorKind, RawBinary};

use super::build::{FLASH, SRAM, STACK, bare_image, checksum, flash_image, words};
use super::{load, load_raw, refusal};

#[test]
fn the_checksum_is_that_of_the_published_check_value() {
    // CRC-32/MPEG-2 of the digits 1 to 9.
    assert_eq!(checksum(b"123456789"), 0x0376_e6e7);
}

#[test]
fn a_binary_that_begins_with_a_second_stage_goes_to_the_start_of_the_flash() {
    let bytes = flash_image(1000);
    let image = load(&bytes, "app.bin").unwrap();
    assert_eq!((image.format(), image.boot(), image.name()), (Format::RawBinary, Boot::Flash, "app.bin"));
    assert_eq!((image.segments()[0].address, &*image.segments()[0].bytes), (FLASH, &bytes));
    assert_eq!((image.segments()[0].memory().name, image.flash_bytes()), ("flash", 1000));
}

#[test]
fn every_bit_of_a_second_stage_counts_for_its_checksum() {
    for bit in 0..256 * 8 {
        let mut bytes = flash_image(400);
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(load(&bytes, "app.bin").unwrap_err().kind(), ImageErrorKind::NotAnImage, "bit {bit}");
    }
}

#[test]
fn a_binary_that_begins_with_a_vector_table_starts_from_it() {
    let image = load(&bare_image(FLASH, 100), "app.bin").unwrap();
    assert_eq!((image.boot(), image.flash_bytes()), (Boot::FlashVectors, 100));
}

#[test]
fn a_binary_whose_reset_vector_lies_in_sram_goes_there() {
    let image = load(&bare_image(SRAM, 100), "app.bin").unwrap();
    assert_eq!(image.boot(), Boot::Ram { entry: SRAM + 8, stack_pointer: STACK });
    assert_eq!((image.segments()[0].memory().name, image.flash_bytes()), ("SRAM", 0));
}

#[test]
fn a_binary_that_is_marked_for_ram_starts_at_its_first_byte_where_it_has_no_vector_table() {
    let image = load_raw(&[0x00, 0xbf, 0xfe, 0xe7], RawBinary::Ram).unwrap();
    assert_eq!(image.boot(), Boot::Ram { entry: SRAM, stack_pointer: STACK });
}

#[test]
fn a_binary_for_ram_that_is_marked_for_flash_is_refused() {
    assert_eq!(
        load_raw(&bare_image(SRAM, 100), RawBinary::Flash).unwrap_err().to_string(),
        "app.bin: it is no image for the RP2040: no ELF, no UF2, and as a raw binary it begins neither with \
         a second stage (boot2), which has 256 bytes, nor with a vector table: its reset vector 0x20000009 \
         lies outside the image. Give an .elf, .uf2 or .bin; for code in SRAM an .elf or .uf2, which say where it belongs"
    );
}

#[test]
fn a_vector_table_needs_a_stack_in_sram_and_a_reset_vector_of_thumb_code_in_the_image() {
    let with = |stack_pointer: u32, reset: u32| {
        let mut bytes = bare_image(FLASH, 100);
        bytes[..8].copy_from_slice(&words(&[stack_pointer, reset]));
        load(&bytes, "app.bin").is_ok()
    };
    assert!(with(STACK, FLASH + 9) && with(SRAM + 4, FLASH + 99));
    for stack_pointer in [0, SRAM, SRAM + 6, STACK + 4, FLASH + 0x100, u32::MAX] {
        assert!(!with(stack_pointer, FLASH + 9), "{stack_pointer:#x}");
    }
    for reset in [0, FLASH + 8, FLASH + 101, FLASH - 1, u32::MAX] {
        assert!(!with(STACK, reset), "{reset:#x}");
    }
}

#[test]
fn files_that_are_given_by_mistake_are_named() {
    for (bytes, sentence) in [
        (&b""[..], "f: the file is empty. Give an .elf, .uf2 or .bin for the RP2040"),
        (
            b":020000041000EA\r\n",
            "f: it is an Intel HEX file without any bytes. Give an image for the RP2040",
        ),
        (
            b":100000000C9434000C943E000C943E000C943E0082\n",
            "f: it is an Intel HEX file for an AVR. Give an .elf, .uf2 or .bin for the RP2040",
        ),
        (
            b"PK\x03\x04....",
            "f: it is a ZIP archive. Unpack it and give the .uf2, .elf or .bin that is in it",
        ),
        (b"<!doctype html>", "f: it is a web page. Download the file itself"),
        (b"\x1f\x8b\x08\0", "f: it is compressed with gzip. Unpack it first"),
    ] {
        assert_eq!(refusal(bytes, "f"), sentence);
    }
}

#[test]
fn a_binary_larger_than_the_largest_flash_is_refused() {
    assert_eq!(
        refusal(&flash_image((16 << 20) + 1), "big.bin"),
        "big.bin: its 16777217 bytes do not fit at 0x10000000: the RP2040 has flash (0x10000000, 16 MiB), \
         SRAM (0x20000000, 264 KiB), XIP SRAM (0x15000000, 16 KiB) and USB RAM (0x50100000, 4 KiB). Check \
         what the file is"
    );
    assert_eq!(load(&flash_image(16 << 20), "big.bin").unwrap().flash_bytes(), 16 << 20);
}
