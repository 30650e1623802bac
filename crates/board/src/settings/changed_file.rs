//! A firmware image with other settings as the bytes of a file, for a real board.

use std::collections::BTreeMap;
use std::path::Path;

use mcu::image::Format;

use super::with_settings;
use crate::BoardError;
use crate::virtual_board::read_image_with_file;

/// The image as a file with other values of some of its settings, in the format that the name `out` ends in. Nothing is
/// written.
///
/// # Errors
/// When the image cannot be read, has no such setting, or fits no such file.
pub fn changed_image_file(
    image: &Path,
    symbols: Option<&Path>,
    values: &BTreeMap<String, String>,
    out: &Path,
) -> Result<Vec<u8>, BoardError> {
    let format = format_of(out)?;
    let (loaded, file) = read_image_with_file(image, symbols)?;
    Ok(with_settings(&loaded, values)?.to_file(&file, format)?)
}

fn format_of(out: &Path) -> Result<Format, BoardError> {
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("elf") => Ok(Format::Elf),
        Some("uf2") => Ok(Format::Uf2),
        Some("bin") => Ok(Format::RawBinary),
        _ => Err(BoardError::Format {
            path: out.to_owned(),
            reason: "its name does not say in which format; let it end in .uf2, .elf or .bin",
        }),
    }
}
