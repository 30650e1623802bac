//! See `usb::usb_device`.
#![no_main]

#[path = "../usb/mod.rs"]
#[allow(dead_code)]
mod usb;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = usb::usb_device(data);
});
