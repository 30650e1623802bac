//! See `images::elf`.
#![no_main]

#[path = "../images.rs"]
mod images;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = images::elf(data);
});
