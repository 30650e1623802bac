//! See `blocks::i2c_target`.
#![no_main]

#[path = "../blocks/mod.rs"]
#[allow(dead_code)]
mod blocks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = blocks::i2c_target(data);
});
