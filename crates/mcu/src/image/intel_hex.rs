//! Intel HEX files: lines of text, each with bytes for an address and a checksum (Intel, Hexadecimal Object File Format
//! Specification, revision A). Every error names its line.

use super::boot::Boot;
use super::error::{Fault, ImageErrorKind};
use super::segments::{Piece, Segment, in_words, memory_of, merge};
use super::{ChipImages, unbootable};

// Types of records (specification, chapters 3 to 8).
const DATA: u8 = 0;
const END: u8 = 1;
const SEGMENT_BASE: u8 = 2;
const START_SEGMENT: u8 = 3;
const LINEAR_BASE: u8 = 4;
const START_LINEAR: u8 = 5;
/// Length, address and type before the bytes, and the checksum behind them.
const FRAME_BYTES: usize = 5;
/// JMP, with which the vectors of a large AVR begin (AVR Instruction Set Manual: 1001 010k kkkk 110k, low byte first).
const JMP: [u8; 2] = [0x0c, 0x94];

pub(super) fn is_hex(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b':') && bytes.get(1..9).is_some_and(|head| head.iter().all(u8::is_ascii_hexdigit))
}

/// A record of bytes.
pub(super) struct Record {
    pub(super) line: usize,
    pub(super) address: u32,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn load(bytes: &[u8], chip: &'static dyn ChipImages) -> Result<(Vec<Segment>, Boot), Fault> {
    let (records, ended) = read_records(bytes)?;
    let first = records.first();
    if !records.iter().any(|record| memory_of(chip, record.address, record.bytes.len()).is_some()) {
        return Err(explain_foreign(first, chip));
    }
    if !ended {
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
        return Err(damaged(lines, "is the last one, and the file has no end record. Copy the file again"));
    }
    let pieces = records.iter().map(|record| piece(record, chip)).collect::<Result<Vec<_>, _>>()?;
    let segments = merge(pieces, "line")?;
    chip.check_contents(&segments).map_err(|what| ImageErrorKind::OtherChip.because(what))?;
    let boot = chip.boot(&segments, None).map_err(unbootable)?;
    Ok((segments, boot))
}

fn damaged(line: usize, what: impl std::fmt::Display) -> Fault {
    ImageErrorKind::Damaged.because(format!("line {line} {what}"))
}

fn explain_foreign(first: Option<&Record>, chip: &dyn ChipImages) -> Fault {
    let name = chip.chip();
    ImageErrorKind::OtherMachine.because(match first {
        None => format!("it is an Intel HEX file without any bytes. Give an image for the {name}"),
        Some(record) if record.address == 0 && record.bytes.starts_with(&JMP) => {
            format!("it is an Intel HEX file for an AVR. Give an .elf, .uf2 or .bin for the {name}")
        }
        Some(record) => format!(
            "it is an Intel HEX file whose bytes begin at {:#010x}, but the {name} has {}. Give an image for the {name}",
            record.address,
            in_words(chip.memories())
        ),
    })
}

fn piece<'a>(record: &'a Record, chip: &'static dyn ChipImages) -> Result<Piece<'a>, Fault> {
    let Record { line, address, bytes } = record;
    let memory = memory_of(chip, *address, bytes.len()).ok_or_else(|| {
        let name = chip.chip();
        ImageErrorKind::OutsideMemory.because(format!(
            "line {line} has {} bytes for {address:#010x}, but the {name} has {}. Build it for the {name}",
            bytes.len(),
            in_words(chip.memories())
        ))
    })?;
    Ok(Piece { address: *address, bytes, memory, number: *line })
}

/// The records with bytes, and whether the file has its end.
pub(super) fn read_records(bytes: &[u8]) -> Result<(Vec<Record>, bool), Fault> {
    let (mut records, mut base) = (Vec::new(), 0u32);
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let text = text.trim_ascii();
        if text.is_empty() {
            continue;
        }
        let bytes = read_line(line, text)?;
        let (kind, offset) = (bytes[3], u32::from(u16::from_be_bytes([bytes[1], bytes[2]])));
        let content = &bytes[4..bytes.len() - 1];
        let value = || content.iter().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        match (kind, content.len()) {
            (DATA, 0) | (START_SEGMENT | START_LINEAR, _) => {}
            (DATA, _) => {
                let address = base.wrapping_add(offset);
                records.push(Record { line, address, bytes: content.to_vec() });
            }
            (END, _) => return Ok((records, true)),
            (SEGMENT_BASE, 2) => base = value() << 4,
            (LINEAR_BASE, 2) => base = value() << 16,
            _ => {
                return Err(damaged(
                    line,
                    format!("is a record of type {kind}, which no image has. Build the file again"),
                ));
            }
        }
    }
    Ok((records, false))
}

/// All bytes of a line: its frame and what stands within.
fn read_line(line: usize, text: &[u8]) -> Result<Vec<u8>, Fault> {
    let digits = text.strip_prefix(b":").filter(|digits| digits.len().is_multiple_of(2));
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    let bytes: Option<Vec<u8>> = digits.and_then(|digits| digits.chunks(2).map(pair).collect());
    let Some(bytes) = bytes else {
        return Err(damaged(
            line,
            "is no record, which is a colon and pairs of hexadecimal digits. Copy the file again",
        ));
    };
    let length = usize::from(bytes.first().copied().unwrap_or(0)) + FRAME_BYTES;
    if bytes.len() != length {
        return Err(damaged(
            line,
            format!("has {} bytes, but says that it has {length}. Copy the file again", bytes.len()),
        ));
    }
    let sum = bytes.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    if sum != 0 {
        let stated = bytes[length - 1];
        return Err(damaged(
            line,
            format!(
                "has the checksum 0x{stated:02x}, but its bytes give 0x{:02x}. Copy the file again",
                stated.wrapping_sub(sum)
            ),
        ));
    }
    Ok(bytes)
}

/// A record of bytes as a line.
pub(super) fn record_text(address: u16, content: &[u8]) -> String {
    let [high, low] = address.to_be_bytes();
    let head = [content.len() as u8, high, low, DATA];
    let sum = head.iter().chain(content).fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
    let digits = head.iter().chain(content).chain([&sum]).map(|byte| format!("{byte:02X}"));
    format!(":{}\n", digits.collect::<String>())
}
