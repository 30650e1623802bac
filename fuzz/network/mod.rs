//! What the fuzz targets of the virtual network do with their bytes: SPI and frames for each chip, pins and messages for the
//! radio of a Pico W, frames for the PC, bytes for the servers on it, what a driver's author does with an SPI controller, and
//! the texts that users write. The targets call it under libFuzzer; a test of crate `lan`
//! replays the corpora through the same functions.

mod chip;
mod controller;
mod frames;
#[path = "../input.rs"]
mod input;
mod pc;
mod radio;
mod servers;
mod texts;

pub use chip::{wiznet_frames, wiznet_spi};
pub use controller::spi_controller;
use input::Input;
pub use pc::pc_frames;
pub use radio::{cyw43_messages, cyw43_pins};
pub use servers::{clients, servers};
pub use texts::{impairments, network_file, traffic_words};

/// A target: gives whether the bytes mean something, where they can be wrong.
pub type Target = fn(&[u8]) -> Result<(), String>;

/// All targets by the names of their corpora.
#[allow(dead_code)]
pub const TARGETS: [(&str, Target); 11] = [
    ("wiznet_spi", wiznet_spi),
    ("wiznet_frames", wiznet_frames),
    ("cyw43_pins", cyw43_pins),
    ("cyw43_messages", cyw43_messages),
    ("pc_frames", pc_frames),
    ("network_file", network_file),
    ("impairments", impairments),
    ("servers", servers),
    ("clients", clients),
    ("spi_controller", spi_controller),
    ("traffic_words", traffic_words),
];
