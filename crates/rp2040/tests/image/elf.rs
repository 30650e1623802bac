//! ELF files.

use mcu::image::{Boot, Format, ImageErrorKind};

use super::build::{Elf, FLASH, Program, SRAM, STACK, bare_image, flash_image};
use super::{load, refusal};

fn good() -> Elf {
    Elf::new(FLASH, flash_image(1024), FLASH + 0x109)
}

fn at(address: u32) -> Elf {
    Elf::new(address, bare_image(address, 64), address + 9)
}

fn kind(elf: &Elf) -> ImageErrorKind {
    load(&elf.bytes(), "f").unwrap_err().kind()
}

#[test]
fn a_flash_image_keeps_initial_data_behind_its_code() {
    let mut elf = good();
    let data = Program { physical: FLASH + 1024, virtual_: SRAM, bytes: vec![0x55; 12], memory_bytes: 400 };
    elf.programs.push(data);
    elf.programs.push(Program {
        physical: FLASH + 1036,
        virtual_: SRAM + 12,
        bytes: vec![],
        memory_bytes: 4096,
    });
    let image = load(&elf.bytes(), "app.elf").unwrap();
    assert_eq!((image.format(), image.boot(), image.flash_bytes()), (Format::Elf, Boot::Flash, 1036));
    assert_eq!(image.segments().len(), 1);
    assert_eq!(image.read(FLASH + 1024, 12).unwrap(), [0x55; 12]);
    assert_eq!(image.read(FLASH + 1030, 12), None);
}

#[test]
fn an_image_in_ram_starts_at_its_entry_point() {
    let image = load(&at(SRAM).bytes(), "f").unwrap();
    assert_eq!(image.boot(), Boot::Ram { entry: SRAM + 8, stack_pointer: STACK });
    let image = load(&Elf::new(SRAM, vec![0; 64], SRAM + 33).bytes(), "f").unwrap();
    assert_eq!(image.boot(), Boot::Ram { entry: SRAM + 32, stack_pointer: STACK });
}

#[test]
fn an_entry_point_outside_of_an_image_in_ram_is_refused() {
    let mut elf = at(SRAM);
    elf.entry = 0;
    assert_eq!(
        refusal(&elf.bytes(), "f"),
        "f: its entry point 0x00000000 lies outside of it. Name the function that starts it with ENTRY in \
         the linker script"
    );
}

#[test]
fn a_bare_image_starts_from_the_vector_table_at_the_start_of_the_flash() {
    assert_eq!(load(&at(FLASH).bytes(), "f").unwrap().boot(), Boot::FlashVectors);
}

#[test]
fn all_memories_can_be_loaded() {
    for (address, memory) in [(0x1500_0000, "XIP SRAM"), (0x5010_0000, "USB RAM")] {
        let mut elf = at(SRAM);
        elf.programs.push(at(address).programs.remove(0));
        let image = load(&elf.bytes(), "f").unwrap();
        assert!(image.segments().iter().any(|segment| segment.memory().name == memory));
    }
}

#[test]
fn where_no_physical_address_is_known_the_virtual_ones_count() {
    let mut elf = at(SRAM);
    elf.programs[0].physical = 0;
    assert_eq!(load(&elf.bytes(), "f").unwrap().segments()[0].address, SRAM);
}

#[test]
fn a_damaged_second_stage_is_refused_as_the_boot_rom_would() {
    let mut bytes = flash_image(1024);
    bytes[0] ^= 1;
    let sum = u32::from_le_bytes(flash_image(1024)[252..256].try_into().unwrap());
    let sentence = refusal(&Elf::new(FLASH, bytes, FLASH + 1).bytes(), "app.elf");
    assert!(
        sentence.starts_with(
            "app.elf: the chip would not start it: at 0x10000000 is neither a second stage (boot2), whose \
             checksum would be 0x"
        ),
        "{sentence}"
    );
    assert!(
        sentence.contains(&format!(" and not {sum:#010x}, nor a vector table: its stack pointer 0x")),
        "{sentence}"
    );
    assert!(
        sentence.ends_with(" is not a word's address in SRAM. Link a second stage in front of it"),
        "{sentence}"
    );
}

#[test]
fn an_image_behind_a_bootloader_is_refused_without_it() {
    let sentence = refusal(&at(FLASH + 0x8000).bytes(), "f");
    assert!(sentence.starts_with("f: its flash begins at 0x10008000, but the boot ROM starts"), "{sentence}");
}

#[test]
fn elfs_for_other_machines_are_named() {
    for (machine, name) in [
        (62, "x86-64"),
        (183, "AArch64"),
        (243, "RISC-V (such as the RP2350's other cores, or an ESP32-C3)"),
        (94, "Xtensa (such as an ESP32 or ESP8266)"),
        (9999, "machine number 9999"),
    ] {
        assert_eq!(
            refusal(&Elf { machine, ..good() }.bytes(), "f"),
            format!(
                "f: it is an ELF for {name}, not for the RP2040's Arm cores. Build it with a compiler for \
                 Arm, for cortex-m0plus"
            )
        );
    }
}

#[test]
fn elfs_of_other_byte_order_or_width_are_refused() {
    let mut big = good().bytes();
    big[5] = 2;
    big[16..20].copy_from_slice(&[0, 2, 0, 40]);
    assert!(refusal(&big, "f").contains("it is an ELF for Arm, but big-endian"));
    let mut wide = good().bytes();
    wide[4] = 2;
    assert!(refusal(&wide, "f").contains("it is an ELF for Arm, but not a 32-bit file"));
}

#[test]
fn elfs_that_are_no_executables_are_refused() {
    for (elf_type, words) in [(1, "a relocatable object"), (3, "position-independent"), (4, "a memory dump")]
    {
        let sentence = refusal(&Elf { kind: elf_type, ..good() }.bytes(), "f");
        assert!(sentence.contains(words), "{sentence}");
    }
    let mut empty = good();
    empty.programs[0].bytes.clear();
    assert!(refusal(&empty.bytes(), "f").contains("the ELF has nothing to load"));
    empty.programs.clear();
    assert_eq!(kind(&empty), ImageErrorKind::NotAnImage);
}

#[test]
fn contents_outside_of_the_memories_are_refused_with_the_chip_that_they_may_be_for() {
    assert_eq!(
        refusal(&at(0x0800_0000).bytes(), "f"),
        "f: its program header 0 puts 64 bytes at 0x08000000, where STM32 chips have their flash, but the \
         RP2040 has flash (0x10000000, 16 MiB), SRAM (0x20000000, 264 KiB), XIP SRAM (0x15000000, 16 KiB) \
         and USB RAM (0x50100000, 4 KiB). Link it with a linker script for the RP2040"
    );
    assert!(refusal(&at(0).bytes(), "f").contains("the RP2040 has its boot ROM and nRF, SAM and LPC chips"));
    for address in [0x10ff_fff0, 0x1500_3fc1, 0x2004_1fc1, 0x5010_0fc1, 0x9000_0000, 0xffff_ffc1] {
        assert_eq!(kind(&at(address)), ImageErrorKind::OutsideMemory, "{address:#x}");
    }
}

#[test]
fn program_headers_with_different_contents_for_one_address_are_refused() {
    let mut elf = good();
    let program = |bytes: &[u8]| Program {
        physical: FLASH + 1000,
        virtual_: SRAM,
        bytes: bytes.to_vec(),
        memory_bytes: 8,
    };
    elf.programs.push(program(&flash_image(1024)[1000..1010]));
    assert_eq!(*load(&elf.bytes(), "f").unwrap().segments()[0].bytes, flash_image(1024));
    elf.programs.push(program(&[0x12]));
    assert_eq!(
        refusal(&elf.bytes(), "f"),
        "f: program header 2 puts 0x12 at 0x100003e8, where another program header puts 0x58. Build the \
         file again"
    );
}

#[test]
fn elfs_for_other_arm_cores_are_told_by_their_attributes() {
    const ARCHITECTURE: u8 = 6;
    const PROFILE: u8 = 7;
    for (architecture, name) in [
        (10, "ARMv7, as a Cortex-M3 has"),
        (13, "ARMv7E-M, as a Cortex-M4 or M7 has"),
        (17, "ARMv8-M Mainline, as the RP2350's Cortex-M33 has"),
        (99, "one that is not known here"),
    ] {
        let elf = good().with_attributes(&[(ARCHITECTURE, architecture), (PROFILE, b'M')]);
        assert_eq!(
            refusal(&elf.bytes(), "f"),
            format!(
                "f: it is an ELF for another Arm core than the RP2040's Cortex-M0+ (ARMv6-M): its \
                 attributes state {name}. Build it for the RP2040: -mcpu=cortex-m0plus, or PICO_BOARD=pico"
            )
        );
    }
    for architecture in [11, 12] {
        let elf = good().with_attributes(&[(ARCHITECTURE, architecture), (PROFILE, b'M')]);
        assert!(load(&elf.bytes(), "f").is_ok());
    }
}

#[test]
fn code_of_an_assembler_that_was_told_no_core_is_taken() {
    assert!(load(&good().with_attributes(&[(6, 6), (9, 1)]).bytes(), "f").is_ok());
    assert_eq!(kind(&good().with_raw_attributes(b"\x054T\0\x06\x02")), ImageErrorKind::OtherChip);
    assert_eq!(kind(&good().with_attributes(&[(6, 6), (7, b'A')])), ImageErrorKind::OtherChip);
}

#[test]
fn strings_among_the_attributes_are_passed_over() {
    let tags = b"\x04raw\0\x05Cortex-M0plus\0\x20\x01gnu\0\x432.09\0\x26\x01\x06\x0c\x07M";
    assert!(load(&good().with_raw_attributes(tags).bytes(), "f").is_ok());
    let tags = b"\x04raw\0\x05Cortex-M33\0\x20\x01gnu\0\x432.09\0\x26\x01\x06\x11\x07M";
    assert_eq!(kind(&good().with_raw_attributes(tags)), ImageErrorKind::OtherChip);
}

#[test]
fn an_elf_that_was_copied_in_part_is_refused_wherever_it_ends() {
    let whole = good().with_text().with_attributes(&[(6, 12)]).bytes();
    assert!(load(&whole, "f").is_ok());
    for length in 4..whole.len() {
        let error = load(&whole[..length], "f").unwrap_err();
        assert_eq!(error.kind(), ImageErrorKind::Damaged, "after {length} bytes: {error}");
    }
    let stripped = good().bytes();
    assert_eq!(
        refusal(&stripped[..stripped.len() - 1], "f"),
        "f: the file ends at byte 1107, but its program header 0 goes to byte 1108. Copy the file again"
    );
}
