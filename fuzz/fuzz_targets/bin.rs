//! See `images::bin`.
#![no_main]

#[path = "../images.rs"]
mod images;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = images::bin(data);
});
