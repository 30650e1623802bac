//! What the fuzz targets of the virtual network do with their bytes: SPI and frames for each chip, pins and messages for the radio
//! of a Pico W, frames for the PC, bytes
//! for the servers on it, and the texts that users write. The targets call it under libFuzzer; a test of crate `lan`
//! replays the corpora through the same functions.

mod chip;
mod frames;
mod pc;
mod radio;
mod servers;
mod texts;

pub use chip::{wiznet_frames, wiznet_spi};
pub use pc::pc_frames;
pub use radio::{cyw43_messages, cyw43_pins};
pub use servers::{clients, servers};
pub use texts::{impairments, network_file};

/// A target: gives whether the bytes mean something, where they can be wrong.
pub type Target = fn(&[u8]) -> Result<(), String>;

/// All targets by the names of their corpora.
#[allow(dead_code)]
pub const TARGETS: [(&str, Target); 9] = [
    ("wiznet_spi", wiznet_spi),
    ("wiznet_frames", wiznet_frames),
    ("cyw43_pins", cyw43_pins),
    ("cyw43_messages", cyw43_messages),
    ("pc_frames", pc_frames),
    ("network_file", network_file),
    ("impairments", impairments),
    ("servers", servers),
    ("clients", clients),
];

/// An input, read from its beginning; behind its end there are zeros.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        byte
    }

    pub fn word(&mut self) -> u16 {
        u16::from_be_bytes([self.byte(), self.byte()])
    }

    pub fn long(&mut self) -> u32 {
        u32::from_be_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }

    /// So many bytes, or those that are left.
    pub fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(bytes.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// One of some.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }
}
