//! See `boards::rtt_ram`.
#![no_main]

#[path = "../boards/mod.rs"]
#[allow(dead_code)]
mod boards;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = boards::rtt_ram(data);
});
