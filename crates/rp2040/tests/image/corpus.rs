//! Replays the corpora of the fuzz targets on the stable compiler, and makes their seeds.

#[path = "../../../../fuzz/images.rs"]
#[allow(unreachable_pub, missing_docs)]
pub(crate) mod images;

use std::path::{Path, PathBuf};

use super::build::{Block, Elf, FLASH, FUNCTION, GLOBAL, SRAM, bare_image, blocks, flash_image, symbol, uf2};
use super::debug_info::{Function, with_debug_info};

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

#[test]
fn every_input_of_every_corpus_ends_in_an_image_or_an_error_as_its_name_says() {
    for (name, target) in images::TARGETS {
        let mut inputs: Vec<PathBuf> =
            corpora().join(name).read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        inputs.sort();
        assert!(inputs.len() > 3 && inputs.len() < 40, "{name} has {} inputs", inputs.len());
        for input in inputs {
            let bytes = std::fs::read(&input).unwrap();
            assert!(bytes.len() < 2048, "{} is too large for a seed", input.display());
            let file_name = input.file_name().unwrap().to_string_lossy().into_owned();
            match (file_name.split('-').next().unwrap(), target(&bytes)) {
                ("valid", Err(error)) => panic!("{}: {error}", input.display()),
                ("invalid", Ok(())) => panic!("{} is valid", input.display()),
                _ => {}
            }
        }
    }
}

fn elf_seeds() -> Vec<(&'static str, Vec<u8>)> {
    let bare = |address: u32| Elf::new(address, bare_image(address, 64), address + 9).with_text();
    let main =
        Function { name: "main", start: SRAM + 8, bytes: 16, inlined: Some(("twice", SRAM + 12, 4, 11)) };
    let lines = [(SRAM + 8, 10), (SRAM + 12, 3), (SRAM + 16, 12)];
    let named = bare(SRAM).with_symbols([
        symbol("_ZN3app4main17h0123456789abcdefE", SRAM + 9, 16, GLOBAL | FUNCTION),
        symbol("_ZN8TFT_eSPI9drawPixelElll", SRAM + 25, 0, GLOBAL | FUNCTION),
    ]);
    let debugged = with_debug_info(named.clone(), &[main], &lines, SRAM + 24).bytes();
    let cut = debugged[..debugged.len() - 1].to_vec();
    vec![
        ("valid-flash", Elf::new(FLASH, flash_image(264), FLASH + 0x109).bytes()),
        ("valid-vectors", bare(FLASH).bytes()),
        ("valid-ram-symbols", named.with_attributes(&[(6, 12), (7, b'M')]).bytes()),
        ("valid-debug-info", debugged),
        ("invalid-cut-off", cut),
        ("invalid-other-core", bare(FLASH).with_attributes(&[(6, 17)]).bytes()),
        ("invalid-stm32", bare(0x0800_0000).bytes()),
        ("invalid-object", Elf { kind: 1, ..bare(FLASH) }.bytes()),
    ]
}

/// Behind a byte that says whether the harness sets the magic numbers.
fn uf2_seed(first: u8, blocks: &[Block]) -> Vec<u8> {
    [&[first], &uf2(blocks)[..]].concat()
}

fn uf2_seeds() -> Vec<(&'static str, Vec<u8>)> {
    let flash = blocks(FLASH, &flash_image(768));
    let ram = blocks(SRAM, &[0; 512]);
    let mut two_chips = vec![Block { family: 0xada5_2840, number: 0, total: 1, ..flash[0].clone() }];
    two_chips.extend(ram.iter().cloned());
    let foreign = Block { family: 0xe48b_ff59, ..flash[0].clone() };
    let whole = uf2_seed(1, &flash);
    vec![
        ("valid-flash", whole.clone()),
        ("valid-magic-numbers-set", uf2_seed(0, &flash)),
        ("valid-ram-in-any-order", uf2_seed(1, &[ram[1].clone(), ram[0].clone(), ram[1].clone()])),
        ("valid-two-chips", uf2_seed(1, &two_chips)),
        ("invalid-block-missing", uf2_seed(1, &[flash[0].clone(), flash[2].clone()])),
        ("invalid-cut-off", whole[..700].to_vec()),
        ("invalid-other-family", uf2_seed(1, &[foreign])),
    ]
}

/// Behind a byte that says where the binary goes and whether the harness sets its checksum.
fn bin_seed(first: u8, bytes: &[u8]) -> Vec<u8> {
    [&[first], bytes].concat()
}

fn bin_seeds() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("valid-second-stage", bin_seed(0, &flash_image(300))),
        ("valid-checksum-set", bin_seed(0x81, &[7; 256])),
        ("valid-vectors", bin_seed(0, &bare_image(FLASH, 64))),
        ("valid-vectors-in-ram", bin_seed(0, &bare_image(SRAM, 64))),
        ("valid-marked-for-ram", bin_seed(2, b"\x00\xbf\xfe\xe7")),
        ("invalid-marked-for-flash", bin_seed(1, &bare_image(SRAM, 64))),
        ("invalid-intel-hex", bin_seed(0, b":020000041000EA\r\n")),
    ]
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    for (target, seeds) in [("elf", elf_seeds()), ("uf2", uf2_seeds()), ("bin", bin_seeds())] {
        let folder = corpora().join(target);
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in seeds {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
}
