//! See `network::cyw43_pins`.
#![no_main]

#[path = "../network/mod.rs"]
#[allow(dead_code)]
mod network;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = network::cyw43_pins(data);
});
