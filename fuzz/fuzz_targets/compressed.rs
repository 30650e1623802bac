//! See `harness::compressed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = harness::compressed(data);
});
