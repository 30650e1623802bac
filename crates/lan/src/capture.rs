//! Frames of the network, and where it is wanted the SPI accesses of its chips in words, as pcapng on one axis of time. It
//! is written while virtual time passes.

use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ethernet::{Capture, CaptureError, Interface, InterfaceId, Packet};
use files::{Existing, NewFile};
use thiserror::Error;
use units::Picoseconds;
use wiznet::Access;

use super::Lan;

/// DLT_USER0 (tcpdump.org, link-layer header types): what the bytes mean is in the comment.
const USER0: u16 = 147;

/// A capture that cannot be written.
#[derive(Debug, Error)]
#[error("{}: cannot write it: {reason}", path.display())]
pub struct LanCaptureError {
    path: PathBuf,
    reason: String,
}

/// A capture under way.
pub(super) struct LanCapture {
    path: PathBuf,
    capture: Capture<BufWriter<NewFile>>,
    /// The interface of each chip's SPI, where that is captured.
    spi: Vec<InterfaceId>,
    failure: Option<CaptureError>,
}

impl std::fmt::Debug for LanCapture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("LanCapture").field("path", &self.path).finish_non_exhaustive()
    }
}

impl LanCapture {
    fn refused(path: &Path, error: &CaptureError) -> LanCaptureError {
        let reason = match error {
            CaptureError::Write(_) => format!("{error}; name another place, or make room"),
            CaptureError::BeforeEpoch { .. } => error.to_string(),
        };
        LanCaptureError { path: path.to_owned(), reason }
    }

    /// Writes the accesses of a chip. The first failure is kept for the end.
    fn write_accesses(&mut self, chip: usize, accesses: &[Access]) {
        let Some(&interface) = self.spi.get(chip) else { return };
        for access in accesses {
            let comment = in_words(access);
            let packet = Packet {
                at: access.start,
                direction: None,
                intact: true,
                bytes: &access.data,
                comment: &comment,
            };
            if self.failure.is_none() {
                self.failure = self.capture.write(interface, &packet).err();
            }
        }
    }

    fn finish(mut self) -> Result<(), LanCaptureError> {
        if let Some(failure) = self.failure.take() {
            return Err(Self::refused(&self.path, &failure));
        }
        let out = self.capture.into_inner().into_inner().map_err(io::IntoInnerError::into_error);
        let finished = out.and_then(NewFile::finish);
        finished.map_err(|error| Self::refused(&self.path, &error.into()))
    }
}

/// `write Sn_CR of socket 0: SEND, 12 bytes; 1 byte, 3.1 us on the bus`.
pub fn in_words(access: &Access) -> String {
    let verb = if access.write { "write" } else { "read" };
    let bytes = if access.bytes == 1 { "byte" } else { "bytes" };
    let ns = (access.end - access.start).ps() / units::PS_PER_NS;
    let time = Picoseconds::from_ns(ns);
    format!("{verb} {}; {} {bytes}, {time} on the bus", access.meaning(), access.bytes)
}

impl Lan {
    /// Writes every frame on the cables of the chips from here on, and with `spi` every access of the chips.
    ///
    /// A capture that is under way ends. The file is there when the capture has ended.
    ///
    /// # Errors
    /// When the file cannot be made, or that of the capture before not be written.
    pub fn start_capture(&mut self, path: &Path, spi: bool) -> Result<(), LanCaptureError> {
        self.end_capture()?;
        let refused = |error: &CaptureError| LanCapture::refused(path, error);
        let file = NewFile::create(path, Existing::Replace);
        let file = file.map_err(|error| refused(&error.into()))?;
        let mut capture =
            Capture::new(BufWriter::new(file), Duration::ZERO).map_err(|error| refused(&error))?;
        let mut interfaces = Vec::new();
        for wired in &mut self.wired {
            let port = wired.line.port;
            self.network.tap(port);
            wired.device.record(spi);
            if spi && wired.device.facts().is_some() {
                let chip = self.network.name(port).unwrap_or_default();
                let name = format!("{chip} SPI");
                let description = format!("register accesses of the {chip}, as comments");
                let interface = Interface {
                    name: &name,
                    description: &description,
                    link_type: USER0,
                    bits_per_second: None,
                };
                interfaces.push(capture.add_interface(&interface).map_err(|error| refused(&error))?);
            }
        }
        self.capture = Some(LanCapture { path: path.to_owned(), capture, spi: interfaces, failure: None });
        Ok(())
    }

    /// Writes what was seen since the last call.
    pub fn continue_capture(&mut self) {
        let Some(mut capture) = self.capture.take() else { return };
        // Where only frames are captured, the accesses are somebody else's.
        let wanted = !capture.spi.is_empty();
        let on_spi = self.wired.iter_mut().filter(|wired| wanted && wired.device.facts().is_some());
        for (index, wired) in on_spi.enumerate() {
            capture.write_accesses(index, &wired.device.take_accesses());
        }
        if capture.failure.is_none() {
            capture.failure = capture.capture.drain(&mut self.network).err();
        }
        self.capture = Some(capture);
    }

    /// Hands over to the system what was written, so that whoever reads the file as it grows sees it at once.
    pub fn flush_capture(&mut self) {
        if let Some(capture) = self.capture.as_mut().filter(|capture| capture.failure.is_none()) {
            capture.failure = capture.capture.flush().err();
        }
    }

    /// Ends the capture; nothing happens where there is none.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn end_capture(&mut self) -> Result<(), LanCaptureError> {
        self.continue_capture();
        self.capture.take().map_or(Ok(()), LanCapture::finish)
    }
}
