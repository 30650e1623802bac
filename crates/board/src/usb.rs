//! The device that an image makes of its USB port, seen from the PC: what it says of itself, its disk, and what its keyboard
//! or mouse sends.

use mcu::{DiskAnswer, InputReport, Stop, UsbDevice};
use units::{PS_PER_MS, Picoseconds};

use super::{Board, BoardError};

/// How long a disk may take to answer; flash takes 45 ms to erase a sector, and some 0.4 s at its worst.
const PATIENCE_MS: i64 = 2000;
/// The most that one request takes.
const MOST_SECTORS: usize = 256;

impl Board {
    /// The device at the USB port, once the PC knows it.
    pub fn usb_device(&self) -> Option<UsbDevice> {
        self.chip.usb()?.device()
    }

    /// Reads sectors of the device's disk, while time passes.
    ///
    /// # Errors
    /// When there is no disk, it does not have these sectors, or it does not answer.
    pub fn read_disk(&mut self, first: u32, sectors: u16) -> Result<Vec<u8>, BoardError> {
        self.check_sectors(first, usize::from(sectors))?;
        self.take_disk();
        let asked = self.chip.usb_mut().is_some_and(|usb| usb.read_disk(first, sectors));
        self.disk_answer(asked)
    }

    /// Writes sectors of the device's disk, while time passes.
    ///
    /// # Errors
    /// As [`Board::read_disk`]; also when the data are no whole sectors, or the device refuses them.
    pub fn write_disk(&mut self, first: u32, data: &[u8]) -> Result<(), BoardError> {
        let sector_bytes = self.sector_bytes()? as usize;
        if data.is_empty() || !data.len().is_multiple_of(sector_bytes) {
            let sentence = format!("{} bytes are no whole sectors of {sector_bytes} bytes each", data.len());
            return Err(BoardError::Refused(sentence));
        }
        self.check_sectors(first, data.len() / sector_bytes)?;
        self.take_disk();
        let asked = self.chip.usb_mut().is_some_and(|usb| usb.write_disk(first, data));
        self.disk_answer(asked).map(drop)
    }

    /// Takes what keyboards and mice have sent since the last call.
    pub fn take_input_reports(&mut self) -> Vec<InputReport> {
        self.chip.usb_mut().map_or_else(Vec::new, |usb| usb.take_input_reports())
    }

    fn sector_bytes(&self) -> Result<u32, BoardError> {
        self.usb_device().and_then(|device| device.disk_sector_bytes).ok_or_else(|| {
            let sentence =
                format!("the image offers no disk on USB at {}; let it run until it does", self.now());
            BoardError::Refused(sentence)
        })
    }

    fn check_sectors(&self, first: u32, sectors: usize) -> Result<(), BoardError> {
        self.sector_bytes()?;
        let there = self.usb_device().and_then(|device| device.disk_sectors).unwrap_or(0);
        let end = u64::from(first) + sectors as u64;
        if (1..=MOST_SECTORS).contains(&sectors) && end <= u64::from(there) {
            return Ok(());
        }
        let sentence = format!(
            "sectors {first} to {} cannot be asked for at once: the disk has {there}, and {MOST_SECTORS} is the most",
            end.saturating_sub(1)
        );
        Err(BoardError::Refused(sentence))
    }

    fn take_disk(&mut self) -> Vec<DiskAnswer> {
        self.chip.usb_mut().map_or_else(Vec::new, |usb| usb.take_disk())
    }

    /// Runs until the disk has answered.
    fn disk_answer(&mut self, asked: bool) -> Result<Vec<u8>, BoardError> {
        for _ in 0..if asked { PATIENCE_MS } else { 0 } {
            let end = self.now() + Picoseconds::new(PS_PER_MS);
            while self.run_chip(end) == Stop::Console {}
            self.recording.collect(&mut *self.chip);
            self.drain_consoles();
            if let Some(answer) = self.take_disk().pop() {
                let refused = "the device reported an error for these sectors".to_owned();
                return if answer.ok { Ok(answer.data) } else { Err(BoardError::Refused(refused)) };
            }
        }
        Err(BoardError::Refused(format!("the disk on USB did not answer within {PATIENCE_MS} ms")))
    }
}
