//! What the uploads say of themselves, which the firmware tells whoever asks: `ver` and `cap` stand in the firmware, `clmver` in its
//! regulatory table. Where they stand was read off the images that drivers upload, and what is answered off logs of boards with
//! them: `wl0: Nov 29 2021 22:49:09 version 7.95.49 (2271bb6 CY) FWID 01-c51d9400`.

use serde::{Deserialize, Serialize};

/// In the firmware, how it prints its version. Its date, its time and the names of what it can do follow.
const VERSION_FORMAT: &[u8] = b"version %s FWID 01-%x\n\0";
/// Its last bytes say the number.
const TRAILER_BYTES: usize = 1024;
const NUMBER: &str = "Version: ";
/// So many texts at most are looked at: those of boards are two dozen.
const MOST_TEXTS: usize = 64;
/// In front of a table's own version, with places and lengths of what follows.
const TABLE_MARK: &[u8] = b"CLM DATA";
const API: [usize; 2] = [10, 12];
const DATA: [usize; 2] = [14, 20];
const COMPILER: [usize; 2] = [34, 10];
const GENERATOR: [usize; 2] = [52, 30];
const CUSTOMIZATION: [usize; 2] = [82, 20];
/// What stands there where nobody changed the table, which no log shows.
const NO_CUSTOMIZATION: &str = "Broadcom-0.0";
/// `2022-06-24 06:55:08`.
const CREATION_BYTES: usize = 19;
/// More than any table has.
const MOST_TABLE_BYTES: usize = 64 * 1024;
/// In front of each piece of a table: flags, type, length and check sum.
const PIECE_HEADER_BYTES: usize = 12;
const FIRST_PIECE: u8 = 2;

/// The answers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Identity {
    version: String,
    features: String,
    table: Vec<u8>,
}

impl Identity {
    /// Of the firmware that was uploaded; a stand-in says nothing.
    pub(crate) fn of(image: &[u8]) -> Self {
        let at = image.windows(VERSION_FORMAT.len()).position(|bytes| bytes == VERSION_FORMAT);
        let texts = at.map_or(&[][..], |at| &image[at + VERSION_FORMAT.len()..]);
        let mut texts = texts.split(|byte| *byte == 0).take(MOST_TEXTS);
        let built = [texts.next(), texts.next()].map(|text| text.map_or("", as_text));
        let features = texts.skip_while(|text| !is_feature(text)).take_while(|text| is_feature(text));
        let features: String = features.map(as_text).collect();
        let trailer = String::from_utf8_lossy(&image[image.len().saturating_sub(TRAILER_BYTES)..]);
        let end = trailer.rfind(NUMBER).map_or("", |at| &trailer[at..]);
        let (number, fingerprint) = (between(end, NUMBER, " CRC"), between(end, "FWID ", "\0"));
        let version = match (number, fingerprint) {
            (Some(number), Some(fingerprint)) => {
                format!("wl0: {} {} version {number} FWID {fingerprint}\n", built[0], built[1])
            }
            _ => String::new(),
        };
        Self { version, features, table: Vec::new() }
    }

    /// A piece of the regulatory table is loaded.
    pub(crate) fn load_table(&mut self, piece: &[u8]) {
        if piece.first().is_some_and(|flags| flags & FIRST_PIECE != 0) {
            self.table.clear();
        }
        let bytes = piece.get(PIECE_HEADER_BYTES..).unwrap_or_default();
        let room = MOST_TABLE_BYTES - self.table.len();
        self.table.extend(&bytes[..bytes.len().min(room)]);
    }

    /// What a variable reads, where it is one of these.
    pub(crate) fn variable(&self, name: &str) -> Option<Vec<u8>> {
        let text = match name {
            "ver" => self.version.clone(),
            "cap" => self.features.clone(),
            "clmver" => table_version(&self.table).unwrap_or_default(),
            _ => return None,
        };
        Some([text.as_bytes(), &[0]].concat())
    }
}

/// A feature has a name, and a space behind it, by which drivers look for it.
fn is_feature(text: &[u8]) -> bool {
    text.len() > 1 && text.ends_with(b" ") && text.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
}

fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    rest.split(after).next()
}

/// What a table says of itself, a line each.
fn table_version(table: &[u8]) -> Option<String> {
    let at = table.windows(TABLE_MARK.len()).position(|bytes| bytes == TABLE_MARK)?;
    let head = &table[at..];
    let text = |[at, bytes]: [usize; 2]| {
        let field = head.get(at..at + bytes)?;
        Some(as_text(field.split(|byte| *byte == 0).next()?))
    };
    let number = |at: usize| Some(u16::from_le_bytes([*head.get(at)?, *head.get(at + 1)?]));
    let mut lines = format!("API: {}.{}\n", number(API[0])?, number(API[1])?);
    lines += &format!("Data: {}\nCompiler: {}\n{}\n", text(DATA)?, text(COMPILER)?, text(GENERATOR)?);
    let customization = text(CUSTOMIZATION).filter(|text| !text.is_empty() && *text != NO_CUSTOMIZATION);
    if let Some(customization) = customization {
        lines += &format!("Customization: {customization}\n");
    }
    if let Some(creation) = head.windows(CREATION_BYTES).find(|bytes| is_date(bytes)) {
        lines += &format!("Creation: {}\n", as_text(creation));
    }
    Some(lines)
}

fn is_date(bytes: &[u8]) -> bool {
    let pattern = b"0000-00-00 00:00:00";
    bytes
        .iter()
        .zip(pattern)
        .all(|(byte, want)| if *want == b'0' { byte.is_ascii_digit() } else { byte == want })
}
