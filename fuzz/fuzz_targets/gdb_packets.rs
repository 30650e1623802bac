//! See `boards::gdb_packets`.
#![no_main]

#[path = "../boards/mod.rs"]
#[allow(dead_code)]
mod boards;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = boards::gdb_packets(data);
});
