//! Firmware images: what is loaded, what is refused and with which words, and that no file does harm. All
//! images are built by the tests.

mod bin;
mod build;
mod corpus;
mod damage;
mod debug_info;
mod defmt;
mod elf;
mod symbols;
mod uf2;
mod write;

use mcu::image::{Image, ImageError, LoadOptions, RawBinary};
use rp2040::load_image;

/// Loads a file by the name that stands in errors.
fn load(bytes: &[u8], name: &str) -> Result<Image, ImageError> {
    load_image(bytes, name, &LoadOptions::default())
}

fn load_raw(bytes: &[u8], raw_binary: RawBinary) -> Result<Image, ImageError> {
    load_image(bytes, "app.bin", &LoadOptions { raw_binary })
}

/// The sentence with which a file is refused.
fn refusal(bytes: &[u8], name: &str) -> String {
    load(bytes, name).expect_err("the file is refused").to_string()
}

#[test]
fn an_image_can_be_sent_to_and_used_by_any_thread() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}
    check::<Image>();
    check::<ImageError>();
}
