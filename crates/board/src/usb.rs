//! The device that an image makes of its USB port, seen from the PC: what it says of itself, its disk, and what its keyboard
//! or mouse sends.

use rp2040::peripherals::usb::{HidInput, HidReport};
use serde::Serialize;
use units::{PS_PER_MS, Picoseconds};

use super::{Board, BoardError};

/// How long a disk may take to answer; flash takes 45 ms to erase a sector, and some 0.4 s at its worst.
const PATIENCE_MS: i64 = 2000;
/// The most that one request takes.
const MOST_SECTORS: usize = 256;

/// What a USB device says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsbDevice {
    /// idVendor.
    pub vendor_id: u16,
    /// idProduct.
    pub product_id: u16,
    /// The manufacturer's string.
    pub manufacturer: Option<String>,
    /// The product's string.
    pub product: Option<String>,
    /// The serial number's string.
    pub serial: Option<String>,
    /// The class code of each interface (usb.org, Defined Class Codes).
    pub interface_classes: Vec<u8>,
    /// Sectors of its disk; none without a disk, or before its size is known.
    pub disk_sectors: Option<u32>,
    /// Bytes of each.
    pub disk_sector_bytes: Option<u32>,
}

/// A report of a keyboard, a mouse or another input device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputReport {
    /// When the PC had it.
    pub time_ps: i64,
    /// `keyboard`, `mouse` or `other`.
    pub kind: &'static str,
    /// All its bytes.
    pub content: Vec<u8>,
}

impl From<HidReport> for InputReport {
    fn from(report: HidReport) -> Self {
        let kind = match report.input {
            HidInput::Keyboard { .. } => "keyboard",
            HidInput::Mouse { .. } => "mouse",
            HidInput::Other => "other",
        };
        Self { time_ps: report.at.ps(), kind, content: report.bytes }
    }
}

impl Board {
    /// The device at the USB port, once the PC knows it.
    pub fn usb_device(&self) -> Option<UsbDevice> {
        let usb = self.chip.usb();
        let device = usb.descriptors().filter(|_| usb.configured())?;
        let disk = usb.host().mass_storage().filter(|disk| disk.blocks > 0);
        Some(UsbDevice {
            vendor_id: device.vendor_id,
            product_id: device.product_id,
            manufacturer: device.manufacturer.clone(),
            product: device.product.clone(),
            serial: device.serial.clone(),
            interface_classes: device.interfaces.iter().map(|interface| interface.class).collect(),
            disk_sectors: disk.map(|disk| disk.blocks),
            disk_sector_bytes: disk.map(|disk| disk.block_bytes),
        })
    }

    /// Reads sectors of the device's disk, while time passes.
    ///
    /// # Errors
    /// When there is no disk, it does not have these sectors, or it does not answer.
    pub fn read_disk(&mut self, first: u32, sectors: u16) -> Result<Vec<u8>, BoardError> {
        self.check_sectors(first, usize::from(sectors))?;
        self.chip.take_disk();
        let asked = self.chip.read_disk(first, sectors);
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
        self.chip.take_disk();
        let asked = self.chip.write_disk(first, data);
        self.disk_answer(asked).map(drop)
    }

    /// Takes what keyboards and mice have sent since the last call.
    pub fn take_input_reports(&mut self) -> Vec<InputReport> {
        self.chip.take_hid_reports().into_iter().map(InputReport::from).collect()
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

    /// Runs until the disk has answered.
    fn disk_answer(&mut self, asked: bool) -> Result<Vec<u8>, BoardError> {
        for _ in 0..if asked { PATIENCE_MS } else { 0 } {
            let end = self.now() + Picoseconds::new(PS_PER_MS);
            self.chip.run_until(end);
            self.recording.collect(&mut self.chip);
            self.drain_consoles();
            if let Some(answer) = self.chip.take_disk().pop() {
                let refused = "the device reported an error for these sectors".to_owned();
                return if answer.ok { Ok(answer.data) } else { Err(BoardError::Refused(refused)) };
            }
        }
        Err(BoardError::Refused(format!("the disk on USB did not answer within {PATIENCE_MS} ms")))
    }
}
