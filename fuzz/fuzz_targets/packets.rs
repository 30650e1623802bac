//! See `packets::recording`.
#![no_main]

#[path = "../packets.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = target::recording(data);
});
