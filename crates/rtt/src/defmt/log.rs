//! The stream of a channel with frames: cut into frames, each becomes a line as `probe-rs run` prints it: time, level, message,
//! crate, file and line.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use mcu::image::{DefmtPlace, Image, Symbols};

use super::display::display;
use super::rzcobs;
use super::table::{Encoding, Kind, Table};
use super::values::{Reader, Unread};

/// No frame is longer: the rest of the stream is looked at anew.
const MOST_FRAME_BYTES: usize = 1 << 16;
/// Of a file's path as many parts are shown.
const PATH_PARTS: usize = 3;

/// What the frames of an image say.
#[derive(Debug, Clone, Default)]
pub(crate) struct DefmtLog {
    symbols: Symbols,
    /// What is known of the image, once a frame came.
    known: Option<Arc<Result<Known, String>>>,
    /// Bytes of a frame that is not over.
    pending: Vec<u8>,
    /// Frames that are none of this image's.
    malformed: u64,
    /// Frames that are not told apart came to an end that nobody can find.
    is_lost: bool,
}

#[derive(Debug)]
struct Known {
    table: Table,
    places: BTreeMap<String, DefmtPlace>,
}

impl Known {
    fn of(symbols: &Symbols) -> Result<Self, String> {
        let found = symbols.defmt().ok_or(
            "it logs with defmt over RTT, and only its ELF says what: run the ELF, or give it with --symbols",
        )?;
        Ok(Self { table: Table::of(found)?, places: found.places() })
    }
}

impl DefmtLog {
    pub(crate) fn of(image: &Image) -> Self {
        Self { symbols: image.symbols().clone(), ..Self::default() }
    }

    /// Takes bytes of the stream; the lines of the frames that are whole now.
    pub(crate) fn received(&mut self, bytes: &[u8]) -> String {
        let known = self.known.get_or_insert_with(|| Arc::new(Known::of(&self.symbols))).clone();
        let Ok(known) = &*known else { return String::new() };
        self.pending.extend_from_slice(bytes);
        let lines = match known.table.encoding {
            Encoding::Rzcobs => self.rzcobs_frames(known),
            Encoding::Raw => self.raw_frames(known),
        };
        if self.pending.len() > MOST_FRAME_BYTES {
            self.pending.clear();
            self.malformed += 1;
        }
        lines
    }

    fn rzcobs_frames(&mut self, known: &Known) -> String {
        let mut lines = String::new();
        let whole = self.pending.iter().rposition(|byte| *byte == 0).map_or(0, |end| end + 1);
        let frames: Vec<u8> = self.pending.drain(..whole).collect();
        for frame in frames.split(|byte| *byte == 0).filter(|frame| !frame.is_empty()) {
            let line = rzcobs::decode(frame)
                .and_then(|frame| known.line(&mut Reader::new(&known.table, &frame)).ok());
            self.malformed += u64::from(line.is_none());
            lines.extend(line);
        }
        lines
    }

    fn raw_frames(&mut self, known: &Known) -> String {
        let mut lines = String::new();
        let pending = std::mem::take(&mut self.pending);
        let mut rest = pending.as_slice();
        while !self.is_lost && !rest.is_empty() {
            let mut reader = Reader::new(&known.table, rest);
            match known.line(&mut reader) {
                Ok(line) => lines.push_str(&line),
                Err(Unread::CutOff) => break,
                Err(Unread::Malformed) => self.is_lost = true,
            }
            rest = reader.bytes;
        }
        if !self.is_lost {
            self.pending = rest.to_vec();
        }
        lines
    }

    /// What a user should know of frames that could not be shown.
    pub(crate) fn notes(&self) -> Vec<String> {
        let unknown = self.known.as_ref().and_then(|known| known.as_ref().as_ref().err().cloned());
        let malformed = (self.malformed > 0).then(|| {
            let frames = if self.malformed == 1 { "1 defmt frame is".to_owned() } else { format!("{} defmt frames are", self.malformed) };
            format!("{frames} damaged: the image writes more between two looks of the probe, 1 ms, than its buffer holds")
        });
        let lost = self.is_lost.then(|| {
            "a defmt frame is damaged, and none behind it can be read: the image encodes its frames as raw".to_owned()
        });
        [unknown, malformed, lost].into_iter().flatten().collect()
    }
}

impl Known {
    /// The line of a frame: the number of its text, the time where the image gives one, and the values.
    fn line<'t>(&'t self, reader: &mut Reader<'t, '_>) -> Result<String, Unread> {
        let number = reader.number()?;
        let stamp = self.table.timestamp.as_ref().and_then(|entry| entry.formats().first()?.as_ref());
        let stamp = stamp.map(|format| reader.formatted(format)).transpose()?;
        let entry = self.table.entry(number).ok_or(Unread::Malformed)?;
        let format = entry.formats().first().and_then(Option::as_ref).ok_or(Unread::Malformed)?;
        let message = display(&self.table, &reader.formatted(format)?);
        let level = match entry.kind {
            Kind::Message(level) => level,
            Kind::Line => return Ok(message + "\n"),
            // A text that belongs into others is no message.
            Kind::Written | Kind::Value => return Err(Unread::Malformed),
        };
        let mut line = stamp.map(|stamp| display(&self.table, &stamp) + " ").unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(line, "[{level:<5}] {message}");
        if let Some(place) = self.places.get(&entry.symbol) {
            let _ = write!(line, " {}", shown(place));
        }
        Ok(line + "\n")
    }
}

/// A place in the source, between parentheses.
fn shown(place: &DefmtPlace) -> String {
    let parts: Vec<&str> = place.file.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let file = parts[parts.len().saturating_sub(PATH_PARTS)..].join("/");
    let name = place.module.split("::").next().unwrap_or_default();
    format!("({name} {file}:{})", place.line)
}
