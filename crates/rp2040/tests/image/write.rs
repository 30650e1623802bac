//! Images as the bytes of files again.

use mcu::image::{Format, Image, ImageErrorKind};

use super::build::{Elf, FLASH, Program, SRAM, bare_image, blocks, flash_image, uf2};
use super::load;

const WORD: u32 = FLASH + 0x400;
const CHANGED: [u8; 4] = [1, 2, 3, 4];

fn changed(bytes: &[u8]) -> Image {
    load(bytes, "f").unwrap().with_bytes(WORD, &CHANGED).expect("the image has this word")
}

fn differences(before: &[u8], after: &[u8]) -> Vec<u8> {
    assert_eq!(before.len(), after.len());
    before.iter().zip(after).filter(|(one, other)| one != other).map(|(_, other)| *other).collect()
}

#[test]
fn a_file_of_the_same_format_differs_in_what_was_changed_alone() {
    let mut shuffled = blocks(FLASH, &flash_image(40 * 256));
    shuffled.reverse();
    let elf = Elf::new(FLASH, flash_image(40 * 256), FLASH + 0x109).bytes();
    for (file, format) in [(elf, Format::Elf), (uf2(&shuffled), Format::Uf2)] {
        let written = changed(&file).to_file(&file, format).unwrap();
        assert_eq!(differences(&file, &written), CHANGED, "{format:?}");
        assert_eq!(load(&written, "f").unwrap().read(WORD, 4), Some(&CHANGED[..]));
    }
}

#[test]
fn an_elf_becomes_the_uf2_and_the_raw_binary_of_its_flash() {
    let contents = flash_image(9 * 256);
    let mut elf = Elf::new(FLASH, contents.clone(), FLASH + 0x109);
    let data =
        Program { physical: FLASH + 10 * 256, virtual_: SRAM, bytes: vec![0x55; 12], memory_bytes: 12 };
    elf.programs.push(data);
    let file = elf.bytes();
    let flat = [contents, vec![0; 256], vec![0x55; 12]].concat();
    let image = load(&file, "f").unwrap();
    assert_eq!(image.to_file(&file, Format::RawBinary).unwrap(), flat, "the gap is zero");
    let written = image.to_file(&file, Format::Uf2).unwrap();
    assert_eq!(written.len(), 11 * 512);
    let read = load(&written, "f").unwrap();
    assert_eq!((read.format(), read.boot()), (Format::Uf2, image.boot()));
    assert_eq!(read.read(FLASH, flat.len()), Some(&flat[..]));
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    let file = uf2(&blocks(FLASH, &flash_image(40 * 256)));
    let refused = changed(&file).to_file(&file, Format::Elf).unwrap_err();
    assert_eq!(refused.kind(), ImageErrorKind::NotWritable);
    assert!(refused.to_string().starts_with("f: an ELF can be written of an ELF only"), "{refused}");

    let mut elf = Elf::new(FLASH, flash_image(1024), FLASH + 0x109);
    elf.programs.push(Program { physical: SRAM, virtual_: SRAM, bytes: vec![1; 8], memory_bytes: 8 });
    let file = elf.bytes();
    let refused = load(&file, "f").unwrap().to_file(&file, Format::Uf2).unwrap_err();
    assert!(refused.to_string().contains("it fills several memories"), "{refused}");

    let file = Elf::new(SRAM, bare_image(SRAM, 64), SRAM + 0x21).bytes();
    let refused = load(&file, "f").unwrap().to_file(&file, Format::Uf2).unwrap_err();
    assert!(refused.to_string().contains("would start it elsewhere than its entry"), "{refused}");

    let start = SRAM + 0x1000;
    let file = Elf::new(start, bare_image(start, 64), start + 9).bytes();
    let refused = load(&file, "f").unwrap().to_file(&file, Format::RawBinary).unwrap_err();
    assert!(refused.to_string().contains("it begins at 0x20001000"), "{refused}");
}
