//! The contents of one memory beside the image, such as those of an EEPROM: from a file in Intel HEX, whose addresses are the
//! memory's own or begin at 0, or from one that holds the bare bytes; and back into Intel HEX.

use super::ImageError;
use super::error::{Fault, ImageErrorKind};
use super::intel_hex::{Record, is_hex, read_records, record_text};
use super::segments::Memory;

/// Bytes of a row, as tools write them.
const ROW_BYTES: usize = 16;

/// What a file has for a memory, as bytes by their place in it.
///
/// # Errors
/// When the file is damaged, or has more than fits.
pub fn read_memory_file(
    bytes: &[u8],
    name: &str,
    memory: &Memory,
) -> Result<Vec<(u32, Vec<u8>)>, ImageError> {
    read(bytes, memory).map_err(|fault| fault.in_file(name))
}

fn read(bytes: &[u8], memory: &Memory) -> Result<Vec<(u32, Vec<u8>)>, Fault> {
    if bytes.is_empty() {
        return Err(
            ImageErrorKind::Damaged.because(format!("it is empty. Give contents of the {}", memory.name))
        );
    }
    if is_hex(bytes) {
        let (records, ended) = read_records(bytes)?;
        if !ended {
            return Err(ImageErrorKind::Damaged.because("it has no end record. Copy the file again"));
        }
        return records.into_iter().map(|record| placed(record, memory)).collect();
    }
    if bytes.len() > memory.bytes as usize {
        return Err(ImageErrorKind::OutsideMemory.because(format!(
            "it has {} bytes, but the {} has {}. Give an Intel HEX file, or no more than fit",
            bytes.len(),
            memory.name,
            memory.bytes
        )));
    }
    Ok(vec![(0, bytes.to_vec())])
}

fn placed(record: Record, memory: &Memory) -> Result<(u32, Vec<u8>), Fault> {
    let Record { line, address, bytes } = record;
    let from_zero = Memory { start: 0, ..*memory };
    if from_zero.holds(address, bytes.len()) {
        return Ok((address, bytes));
    }
    if memory.holds(address, bytes.len()) {
        return Ok((address - memory.start, bytes));
    }
    Err(ImageErrorKind::OutsideMemory.because(format!(
        "line {line} has {} bytes for {address:#x}, but the {} has {} bytes, from 0 or {:#x} on. Give contents of the {}",
        bytes.len(),
        memory.name,
        memory.bytes,
        memory.start,
        memory.name
    )))
}

/// The contents of a memory of at most 64 KiB as Intel HEX, from 0 on.
pub fn memory_file_in_hex(contents: &[u8]) -> String {
    let rows = (0u16..).step_by(ROW_BYTES).zip(contents.chunks(ROW_BYTES));
    let text: String = rows.map(|(address, row)| record_text(address, row)).collect();
    text + ":00000001FF\n"
}
