//! What the fuzz targets of firmware images do with their bytes: load an image of them, read all of it through the
//! public interface and check what every image promises. The targets call it under libFuzzer; the tests of crate
//! `rp2040` replay the corpora through the same functions. It stands apart from `harness.rs`, so that the tests of one
//! crate do not need the other.

#[path = "image_checks.rs"]
mod image_checks;

use image_checks::{check_image, check_refusal};
use mcu::image::{Boot, Image, ImageError, LoadOptions, RawBinary};
use rp2040::load_image;

/// A target: gives whether the image is valid.
pub type Target = fn(&[u8]) -> Result<(), ImageError>;

/// All targets by the names of their corpora.
#[allow(dead_code)]
pub const TARGETS: [(&str, Target); 3] = [("elf", elf), ("uf2", uf2), ("bin", bin)];

/// A file as it is, to reach the reader of ELF and the detection of formats.
#[allow(dead_code)]
pub fn elf(data: &[u8]) -> Result<(), ImageError> {
    check(data, RawBinary::ByContent)
}

/// Blocks of UF2: behind an even first byte all of them get the magic numbers.
#[allow(dead_code)]
pub fn uf2(data: &[u8]) -> Result<(), ImageError> {
    let Some((first, data)) = data.split_first() else { return check(data, RawBinary::ByContent) };
    let mut file = data.to_vec();
    if first % 2 == 0 {
        for block in file.chunks_exact_mut(512) {
            block[..8].copy_from_slice(b"UF2\nWQ]\x9e");
            block[508..].copy_from_slice(&0x0ab1_6f30_u32.to_le_bytes());
        }
    }
    check(&file, RawBinary::ByContent)
}

/// A raw binary: the first byte says where it goes, and with its highest bit that its second stage gets the right
/// checksum.
#[allow(dead_code)]
pub fn bin(data: &[u8]) -> Result<(), ImageError> {
    let Some((first, data)) = data.split_first() else { return check(data, RawBinary::ByContent) };
    let raw_binary = [RawBinary::ByContent, RawBinary::Flash, RawBinary::Ram][usize::from(first % 128 % 3)];
    let mut file = data.to_vec();
    if first & 0x80 != 0
        && let Some((code, sum)) = file.split_at_mut_checked(252)
        && let Some(sum) = sum.first_chunk_mut()
    {
        *sum = checksum(code).to_le_bytes();
    }
    check(&file, raw_binary)
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte) << 24;
        for _ in 0..8 {
            let carry = sum >> 31;
            sum = (sum << 1) ^ (carry * 0x04c1_1db7);
        }
    }
    sum
}

/// Loads an image and checks what it promises.
pub fn check(bytes: &[u8], raw_binary: RawBinary) -> Result<(), ImageError> {
    let image = match load_image(bytes, "fuzz", &LoadOptions { raw_binary }) {
        Ok(image) => image,
        Err(error) => {
            check_refusal(&error.to_string());
            return Err(error);
        }
    };
    check_image(&image, bytes);
    check_boot(&image);
    Ok(())
}

fn check_boot(image: &Image) {
    match image.boot() {
        Boot::Flash => assert!(image.read(0x1000_0000, 256).is_some(), "a second stage is there"),
        Boot::FlashVectors => assert!(image.read(0x1000_0000, 8).is_some(), "a vector table is there"),
        Boot::Ram { entry, stack_pointer } => {
            assert!(image.flash_bytes() == 0 && image.read(entry, 2).is_some() && entry % 2 == 0);
            assert!((0x2000_0004..=0x2004_2000).contains(&stack_pointer), "{stack_pointer:#x}");
        }
    }
}
