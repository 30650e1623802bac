//! See `harness::pulseview_csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = harness::pulseview_csv(data);
});
