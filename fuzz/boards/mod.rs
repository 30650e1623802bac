//! What the fuzz targets of boards do with their bytes: what a debugger sends, what a debug probe reads, board files, and
//! images for AVRs. The targets call it under libFuzzer; a test of crate `board` replays the corpora through the
//! same functions.

mod avr_images;
mod chips;
mod debugger;
mod files;
mod gdb;
#[path = "../image_checks.rs"]
mod image_checks;
#[path = "../input.rs"]
// Shared with other targets; not all of it is for these.
#[allow(dead_code)]
mod input;
mod rtt;

pub use avr_images::avr_image;
pub use files::board_file;
pub use gdb::gdb_packets;
pub use rtt::rtt_ram;

/// A target: gives whether the bytes mean something, where they can be wrong.
#[allow(dead_code)]
pub type Target = fn(&[u8]) -> Result<(), String>;

/// All targets by the names of their corpora.
#[allow(dead_code)]
pub const TARGETS: [(&str, Target); 4] = [
    ("gdb_packets", gdb_packets),
    ("rtt_ram", rtt_ram),
    ("board_file", board_file),
    ("avr_image", avr_image),
];
