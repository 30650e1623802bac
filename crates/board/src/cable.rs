//! The network cable of a board: what is seen on it as pcapng, and whether it is plugged in.

use std::path::Path;

use super::{Board, BoardError};

impl Board {
    /// Writes every frame on the cable of the board's chip from here on, and with `spi` the accesses of that chip.
    ///
    /// # Errors
    /// When the board has no chip with Ethernet, or the file cannot be made.
    pub fn start_capture(&mut self, path: &Path, spi: bool) -> Result<(), BoardError> {
        let name = self.file.name.clone();
        let lan = self.parts().lan().ok_or_else(|| {
            BoardError::Refused(format!(
                "board {name} has no chip with Ethernet; choose one that has, such as w5500-evb-pico"
            ))
        })?;
        lan.start_capture(path, spi).map_err(|error| BoardError::Refused(error.to_string()))
    }

    /// Ends the capture; nothing happens where there is none.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn end_capture(&mut self) -> Result<(), BoardError> {
        let Some(lan) = self.parts().lan() else { return Ok(()) };
        lan.end_capture().map_err(|error| BoardError::Refused(error.to_string()))
    }

    /// Ends what is recorded into files, which are complete then.
    ///
    /// # Errors
    /// When one of them could not be written.
    pub fn end_recordings(&mut self) -> Result<(), BoardError> {
        self.end_capture()?;
        if self.trace.is_some() { self.end_trace().map(|_| ()) } else { Ok(()) }
    }

    /// Plugs in the cable of the board's first chip with Ethernet, or pulls it.
    pub fn set_plugged(&mut self, plugged: bool) {
        let at = self.now();
        if let Some(lan) = self.parts().lan()
            && let Some(device) = lan.devices().next()
        {
            lan.set_plugged(at, device, plugged);
        }
    }
}
