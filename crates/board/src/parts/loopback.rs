//! A device on SPI that answers with what it is sent.

use mcu::SpiFrame;
use units::Picoseconds;

use super::SpiDevice;

/// An echo.
#[derive(Debug, Clone, Default)]
pub struct SpiLoopback {
    previous: bool,
    last: u16,
}

impl SpiLoopback {
    /// It answers with the frame that is being sent, or with the one before.
    pub fn new(previous: bool) -> Self {
        Self { previous, last: 0 }
    }
}

impl SpiDevice for SpiLoopback {
    fn frame(&mut self, _: Picoseconds, frame: &SpiFrame) -> u16 {
        let before = std::mem::replace(&mut self.last, frame.sent);
        if self.previous { before } else { frame.sent }
    }

    fn snapshot(&self) -> Option<Box<dyn SpiDevice>> {
        Some(Box::new(self.clone()))
    }
}
