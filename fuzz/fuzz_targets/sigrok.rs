//! See `harness::sigrok`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = harness::sigrok(data);
});
