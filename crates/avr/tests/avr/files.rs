//! Files: Intel HEX, and what is said of those that are damaged or for another chip.

use mcu::image::{Format, ImageErrorKind};

use crate::support::{HANG, PC, bare, hex, load, out};

const SPH: u16 = 0x3e;
const SPL: u16 = 0x3d;

fn bytes(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn refusal(kind: &'static mcu::McuKind, file: &str) -> (ImageErrorKind, String) {
    let error = load(kind, file.as_bytes()).unwrap_err();
    (error.kind(), error.to_string())
}

#[test]
fn a_hex_file_is_loaded_with_all_its_addresses() {
    let image = load(&avr::ATMEGA1284P, hex(0x1_e000, &[1, 2, 3, 4]).as_bytes()).unwrap();
    assert_eq!(image.format(), Format::IntelHex);
    assert_eq!(image.read(0x1_e000, 4), Some(&[1, 2, 3, 4][..]));
}

#[test]
fn a_damaged_line_is_named() {
    let good = hex(0, &bytes(&[HANG; 16]));
    let kind = &avr::ATMEGA328P;
    let lines: Vec<&str> = good.lines().collect();
    let wrong_sum = good.replacen("CF", "CE", 1);
    let short = format!("{}\n{}\n", lines[0], &lines[1][..lines[1].len() - 2]);
    let no_end = lines[..2].join("\n");
    let digits = good.replacen("FFCF", "XXCF", 1);
    for (file, sentence) in [
        (wrong_sum, "f.hex: line 2 has the checksum 0x80, but its bytes give 0x81. Copy the file again"),
        (short, "f.hex: line 2 has 20 bytes, but says that it has 21. Copy the file again"),
        (no_end, "f.hex: line 2 is the last one, and the file has no end record. Copy the file again"),
        (
            digits,
            "f.hex: line 2 is no record, which is a colon and pairs of hexadecimal digits. Copy the file again",
        ),
    ] {
        assert_eq!(refusal(kind, &file), (ImageErrorKind::Damaged, sentence.to_owned()));
    }
}

#[test]
fn a_file_larger_than_the_flash_is_refused_with_its_line() {
    let file = hex(0x7ff0, &[0; 32]);
    let (kind, sentence) = refusal(&avr::ATMEGA328P, &file);
    assert_eq!(kind, ImageErrorKind::OutsideMemory);
    assert!(
        sentence.starts_with(
            "f.hex: line 3 has 16 bytes for 0x00008000, but the ATmega328P has flash (0x00000000, 32 KiB)"
        ),
        "{sentence}"
    );
    assert!(load(&avr::ATMEGA1284P, hex(0, &[0; 40_000]).as_bytes()).is_ok());
}

#[test]
fn a_file_for_another_avr_is_told_by_where_its_stack_begins() {
    let starts = |end: u16| {
        let (high, low) = (end >> 8, end & 0xff);
        let ldi =
            |register: u16, value: u16| 0xe000 | (value & 0xf0) << 4 | (register - 16) << 4 | value & 0xf;
        hex(0, &bytes(&[0x2411, ldi(28, low), ldi(29, high), out(SPH, 29), out(SPL, 28), HANG]))
    };
    assert!(load(&avr::ATMEGA328P, starts(0x08ff).as_bytes()).is_ok());
    let (kind, sentence) = refusal(&avr::ATMEGA328P, &starts(0x0aff));
    assert_eq!(kind, ImageErrorKind::OtherChip);
    assert_eq!(
        sentence,
        "f.hex: it is for the ATmega32U4, not for the ATmega328P: its start-up code puts the stack at 0x0aff, but the \
         ATmega328P's RAM ends at 0x08ff. Build it with -mmcu=atmega328p"
    );
    let (_, sentence) = refusal(&avr::ATMEGA1284P, &starts(0x21ff));
    assert!(sentence.starts_with("f.hex: it is for the ATmega2560, not for the ATmega1284P"), "{sentence}");
}

#[test]
fn a_program_that_no_reset_starts_is_refused() {
    let (kind, sentence) = refusal(&avr::ATMEGA328P, &hex(0x100, &[0; 4]));
    assert_eq!(kind, ImageErrorKind::NotBootable);
    assert_eq!(
        sentence,
        "f.hex: it begins at 0x100, where the ATmega328P starts nothing: that is 0, or 0x7e00, 0x7c00, 0x7800, 0x7000 for a \
         boot loader. Check the linker's section start"
    );
}

/// A boot loader of one jump to itself at 0x7e00, and a high fuse behind it.
fn boot_loader(high_fuse: u8) -> String {
    let loader = hex(0x7e00, &bytes(&[HANG]));
    loader.replace(":00000001FF\n", "") + &hex(0x82_0000, &[0xff, high_fuse, 0xff])
}

#[test]
fn a_boot_loader_that_its_fuses_do_not_start_is_refused() {
    // ATmega328P datasheet, "Boot Size Configuration": BOOTSZ 11 begins at 0x3f00 words, 10 at 0x3e00.
    assert!(load(&avr::ATMEGA328P, boot_loader(0xde).as_bytes()).is_ok());
    let refusal = |fuse| refusal(&avr::ATMEGA328P, &boot_loader(fuse));
    assert_eq!(
        refusal(0xdf),
        (
            ImageErrorKind::NotBootable,
            "f.hex: it is a boot loader at 0x7e00, but its high fuse of 0xdf has a reset start at 0, where it has nothing. \
             Program BOOTRST: 0xde"
                .to_owned()
        )
    );
    let (_, sentence) = refusal(0xdc);
    assert_eq!(
        sentence,
        "f.hex: it is a boot loader at 0x7e00, but its high fuse of 0xdc has the boot section begin at 0x7c00. Set BOOTSZ \
         for the loader, or link it there"
    );
}

#[test]
fn a_reset_starts_where_the_fuses_of_an_image_say() {
    let both = |high_fuse| {
        let program = hex(0, &bytes(&[HANG]));
        program.replace(":00000001FF\n", "") + &boot_loader(high_fuse)
    };
    for (fuse, start) in [(0xdf, 0), (0xde, 0x7e00), (0xdc, 0x7c00)] {
        let mut chip = bare(&avr::ATMEGA328P);
        chip.load(&load(&avr::ATMEGA328P, both(fuse).as_bytes()).unwrap()).unwrap();
        assert_eq!(chip.register(0, PC), start, "{fuse:#x}");
    }
}

#[test]
fn fuses_of_the_internal_oscillator_are_refused() {
    let mut chip = bare(&avr::ATMEGA328P);
    let image = hex(0, &bytes(&[HANG])).replace(":00000001FF\n", "") + &hex(0x82_0000, &[0x62, 0xd9, 0xff]);
    let refused = chip.load(&load(&avr::ATMEGA328P, image.as_bytes()).unwrap()).unwrap_err();
    assert!(
        refused
            .to_string()
            .starts_with("f.hex has a low fuse of 0x62, with which the ATmega328P runs from its internal")
    );
}
