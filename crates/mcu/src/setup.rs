//! What a chip is made with, beside what its kind says.

/// How a board has its chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The crystal.
    pub crystal_hz: u64,
    /// The flash.
    pub flash_bytes: u32,
    /// The genuine boot ROM in place of our own.
    pub rom: Option<Vec<u8>>,
    /// Whether a PC is plugged into the USB port.
    pub usb_connected: bool,
    /// Where random numbers start.
    pub seed: u64,
}

/// A chip that cannot be made or started like that: one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(
    /// The sentence.
    pub String,
);
