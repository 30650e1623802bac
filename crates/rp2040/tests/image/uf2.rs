//! UF2 files.

use mcu::image::{Boot, Format, ImageErrorKind};

use super::build::{Block, FAMILY_FLAG, FLASH, RP2040, SRAM, STACK, blocks, flash_image, uf2};
use super::{load, refusal};

const XIP_SRAM: u32 = 0x1500_0000;

fn good() -> Vec<Block> {
    blocks(FLASH, &flash_image(40 * 256))
}

fn kind(blocks: &[Block]) -> ImageErrorKind {
    load(&uf2(blocks), "blink.uf2").unwrap_err().kind()
}

#[test]
fn the_payloads_of_a_uf2_become_one_segment() {
    let image = load(&uf2(&good()), "blink.uf2").unwrap();
    assert_eq!((image.format(), image.boot()), (Format::Uf2, Boot::Flash));
    assert_eq!((image.segments().len(), image.segments()[0].address), (1, FLASH));
    assert_eq!(*image.segments()[0].bytes, flash_image(40 * 256));
}

#[test]
fn blocks_may_come_in_any_order_and_twice() {
    let mut shuffled = good();
    shuffled.reverse();
    shuffled.push(shuffled[17].clone());
    assert_eq!(load(&uf2(&shuffled), "f").unwrap().segments(), load(&uf2(&good()), "f").unwrap().segments());
}

#[test]
fn a_payload_may_have_up_to_476_bytes() {
    let bytes = flash_image(3 * 476);
    let block = |(number, payload): (u32, &[u8])| Block {
        address: FLASH + 476 * number,
        number,
        total: 3,
        payload: payload.to_vec(),
        ..good()[0].clone()
    };
    let long: Vec<Block> = (0..).zip(bytes.chunks(476)).map(block).collect();
    assert_eq!(*load(&uf2(&long), "f").unwrap().segments()[0].bytes, bytes);
    for length in [0_u32, 477, u32::MAX] {
        let mut file = uf2(&good());
        file[16..20].copy_from_slice(&length.to_le_bytes());
        assert_eq!(
            refusal(&file, "f"),
            format!(
                "f: block 0 (byte 0) has a payload of {length} bytes, but a payload has 1 to 476. Build the \
                 file again"
            )
        );
    }
}

#[test]
fn a_file_that_ends_between_two_blocks_misses_the_next() {
    assert_eq!(
        refusal(&uf2(&good()[..17]), "blink.uf2"),
        "blink.uf2: block 17 of 40 is missing (the file ends after 17 blocks). Copy the file again"
    );
}

#[test]
fn a_file_that_ends_within_a_block_says_where() {
    assert_eq!(
        refusal(&uf2(&good())[..17 * 512 + 99], "blink.uf2"),
        "blink.uf2: the file ends after 99 of the 512 bytes of block 17 (byte 8704). Copy the file again"
    );
    assert_eq!(
        refusal(b"UF2\n", "blink.uf2"),
        "blink.uf2: the file ends after 4 of the 512 bytes of block 0 (byte 0). Copy the file again"
    );
}

#[test]
fn a_block_missing_in_the_middle_is_named() {
    let mut holed = good();
    holed.remove(5);
    assert_eq!(
        refusal(&uf2(&holed), "blink.uf2"),
        "blink.uf2: block 5 of 40 is missing (the file has 39 of them). Copy the file again"
    );
}

#[test]
fn each_of_the_three_magic_numbers_is_checked() {
    for at in [1024, 1028, 1532] {
        let mut file = uf2(&good());
        file[at] ^= 1;
        assert!(refusal(&file, "f").starts_with("f: block 2 (byte 1024) has the magic numbers "), "at {at}");
    }
}

#[test]
fn numbers_that_contradict_each_other_are_refused() {
    let change = |index: usize, change: fn(&mut Block)| {
        let mut blocks = good();
        change(&mut blocks[index]);
        refusal(&uf2(&blocks), "f")
    };
    assert_eq!(
        change(3, |block| block.total = 41),
        "f: block 3 (byte 1536) says that there are 41 blocks, but block 0 (byte 0) says 40. Give the \
         images one by one"
    );
    assert_eq!(
        change(3, |block| block.number = 40),
        "f: block 3 (byte 1536) has number 40 of 40. Build the file again"
    );
    assert_eq!(
        change(3, |block| block.number = 7),
        "f: block 7 (byte 3584) has number 7 of 40 as block 3 (byte 1536) has, for another address. Build \
         the file again"
    );
}

#[test]
fn blocks_with_different_contents_for_one_address_are_refused() {
    let mut blocks = good();
    blocks[9].address = blocks[8].address + 128;
    let sentence = refusal(&uf2(&blocks), "f");
    assert_eq!(
        sentence,
        "f: block 9 puts 0x00 at 0x10000880, where another block puts 0x80. Build the file again"
    );
}

#[test]
fn a_uf2_for_another_chip_is_refused_with_its_name() {
    for (family, name) in [
        (0xe48b_ff59, "the RP2350's Arm cores"),
        (0xe48b_ff5a, "the RP2350's RISC-V cores"),
        (0x68ed_2b88, "the SAMD21"),
        (0xada5_2840, "the nRF52840"),
        (0x1c5f_21b0, "the ESP32"),
        (0x1234_5678, "a chip that is not known here"),
    ] {
        let foreign: Vec<Block> = good().into_iter().map(|block| Block { family, ..block }).collect();
        assert_eq!(
            refusal(&uf2(&foreign), "blink.uf2"),
            format!(
                "blink.uf2: it is for {name} (family {family:#010x}), not for the RP2040 (family \
                 0xe48bff56). Take the image for the RP2040"
            )
        );
    }
}

#[test]
fn a_file_without_families_is_taken_by_its_addresses() {
    let nameless: Vec<Block> =
        good().into_iter().map(|block| Block { flags: 0, family: 10_240, ..block }).collect();
    assert_eq!(load(&uf2(&nameless), "f").unwrap().boot(), Boot::Flash);
}

#[test]
fn of_a_file_for_several_chips_the_image_for_the_rp2040_is_taken() {
    let other = blocks(0x4000, &[7; 1000]).into_iter().map(|block| Block { family: 0xada5_2840, ..block });
    let both: Vec<Block> = other.chain(good()).collect();
    assert_eq!(load(&uf2(&both), "f").unwrap().segments()[0].bytes.len(), 40 * 256);
    let counted = (0..).zip(&both).map(|(number, block)| Block { number, total: 44, ..block.clone() });
    let counted: Vec<Block> = counted.collect();
    assert_eq!(load(&uf2(&counted), "f").unwrap().segments()[0].bytes.len(), 40 * 256);
    let other_then_holed = [&both[..4], &both[5..]].concat();
    assert_eq!(kind(&other_then_holed), ImageErrorKind::Damaged);
}

#[test]
fn the_absolute_block_in_front_of_images_for_the_rp2350_is_passed_over() {
    let absolute = Block {
        flags: FAMILY_FLAG | 0x8000,
        address: 0x10ff_ff00,
        number: 0,
        total: 2,
        family: 0xe48b_ff57,
        payload: vec![0xef; 256],
    };
    let with = |rest: Vec<Block>| [vec![absolute.clone()], rest].concat();
    assert_eq!(load(&uf2(&with(good())), "f").unwrap().segments().len(), 1);
    let foreign = with(good().into_iter().map(|block| Block { family: 0xe48b_ff59, ..block }).collect());
    assert!(refusal(&uf2(&foreign), "f").contains("it is for the RP2350's Arm cores"));
}

#[test]
fn blocks_that_are_not_for_the_main_flash_are_counted_but_not_loaded() {
    for flag in [0x1, 0x1000] {
        let mut blocks = good();
        blocks[39].flags |= flag;
        blocks[39].address = 0;
        assert_eq!(load(&uf2(&blocks), "f").unwrap().flash_bytes(), 39 * 256);
        blocks.push(Block { family: 0xada5_2840, number: 0, total: 1, ..blocks[39].clone() });
        assert_eq!(load(&uf2(&blocks), "f").unwrap().flash_bytes(), 39 * 256);
        let none: Vec<Block> =
            good().into_iter().map(|block| Block { flags: block.flags | flag, ..block }).collect();
        assert!(refusal(&uf2(&none), "f").contains("not for the main flash"));
    }
}

#[test]
fn a_block_outside_of_the_memories_is_refused_with_its_address() {
    let mut blocks = good();
    blocks[39].address = 0x0800_0000;
    assert_eq!(
        refusal(&uf2(&blocks), "f"),
        "f: block 39 (byte 19968) has 256 bytes for 0x08000000, but the RP2040 has flash (0x10000000, 16 \
         MiB), SRAM (0x20000000, 264 KiB), XIP SRAM (0x15000000, 16 KiB) and USB RAM (0x50100000, 4 KiB), \
         of which a UF2 may fill the first three. Build the file again for the RP2040"
    );
    for address in [0x10ff_ff01, 0x2004_1f01, 0x5010_0000, 0xffff_ff80] {
        blocks[39].address = address;
        assert_eq!(kind(&blocks), ImageErrorKind::OutsideMemory, "{address:#x}");
    }
}

#[test]
fn an_image_in_ram_starts_at_its_lowest_address_in_sram() {
    let image = load(&uf2(&blocks(SRAM + 0x100, &[0xff; 512])), "f").unwrap();
    assert_eq!(image.boot(), Boot::Ram { entry: SRAM + 0x100, stack_pointer: STACK });
    let mut both = [blocks(XIP_SRAM, &[1; 256]), blocks(SRAM + 0x100, &[2; 256])].concat();
    for (block, number) in both.iter_mut().zip(0..) {
        (block.number, block.total) = (number, 2);
    }
    let image = load(&uf2(&both), "f").unwrap();
    assert_eq!(image.boot(), Boot::Ram { entry: SRAM + 0x100, stack_pointer: STACK });
    assert_eq!(image.segments().iter().map(|s| s.memory().name).collect::<Vec<_>>(), ["XIP SRAM", "SRAM"]);
}

#[test]
fn an_image_for_both_flash_and_ram_is_refused() {
    let mut blocks = good();
    blocks[39].address = SRAM;
    assert_eq!(
        refusal(&uf2(&blocks), "f"),
        "f: block 39 (byte 19968) is for 0x20000000 and block 0 (byte 0) for 0x10000000, but an image is \
         either for flash or for RAM. Make two files of it"
    );
}

#[test]
fn an_image_without_the_start_of_the_flash_is_not_bootable() {
    let data = blocks(FLASH + 0x10_0000, &[0; 4096]);
    assert_eq!(
        refusal(&uf2(&data), "data.uf2"),
        "data.uf2: its flash begins at 0x10100000, but the boot ROM starts what is at 0x10000000. Load it \
         together with its bootloader, or link a second stage (boot2) in front of it"
    );
    assert_eq!(RP2040, data[0].family);
}
