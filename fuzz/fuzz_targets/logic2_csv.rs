//! See `harness::logic2_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = harness::logic2_csv(data);
});
