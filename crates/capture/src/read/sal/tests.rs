//! Behaviour of the `.sal` reader, on archives written here and on real captures beside the repository.

mod levels;
mod members;
mod properties;
mod real;
mod refusals;

use std::fs::File;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::change::ChannelSelector;
use crate::read::input::{ArchiveFile, Input};
use crate::read::logic2_csv;

/// A block as a test wants it, right or wrong.
#[derive(Debug, Clone)]
struct BlockText {
    begin: u64,
    end: u64,
    length: u64,
    rate: u64,
    fifth: u64,
    level: i32,
    data: Vec<u8>,
    /// What the block claims beyond the bytes that it has.
    extra_bytes: u64,
    index_entries: u64,
}

/// A `digital-N.bin` as a test wants it.
#[derive(Debug, Clone)]
struct MemberText {
    magic: [u8; 8],
    version: u32,
    kind: u32,
    marker: u8,
    rate: f64,
    unix_ms: u64,
    fraction_ms: f64,
    trim: [Option<u64>; 2],
    extra_blocks: u64,
    blocks: Vec<BlockText>,
    tail: Vec<u8>,
}

const RATE: u64 = 100_000_000;
const PS_A_SAMPLE: i64 = 10_000;
const UNIX_MS: u64 = 1_699_408_477_572;

fn run(length: u64) -> Vec<u8> {
    let value = length - 1;
    let mut groups = vec![(value & 0x7f) as u8];
    let mut rest = value >> 7;
    while rest >= 0x40 {
        groups.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    if value < 0x40 {
        return vec![value as u8];
    }
    groups.push(rest as u8 | 0x40);
    groups.reverse();
    groups
}

fn block(begin: u64, level: i32, runs: &[u64]) -> BlockText {
    let length = runs.iter().sum::<u64>();
    let data = runs.iter().flat_map(|length| run(*length)).collect();
    let end = begin + length;
    BlockText { begin, end, length, rate: RATE, fifth: 1, level, data, extra_bytes: 0, index_entries: 2 }
}

fn member(version: u32, blocks: Vec<BlockText>) -> MemberText {
    MemberText {
        magic: *b"<SALEAE>",
        version,
        kind: 100,
        marker: 1,
        rate: RATE as f64,
        unix_ms: UNIX_MS,
        fraction_ms: 0.612,
        trim: [None, None],
        extra_blocks: 0,
        blocks,
        tail: Vec::new(),
    }
}

impl MemberText {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.magic.to_vec();
        bytes.extend(self.version.to_le_bytes());
        bytes.extend(self.kind.to_le_bytes());
        bytes.push(self.marker);
        bytes.extend(self.rate.to_le_bytes());
        bytes.extend(self.unix_ms.to_le_bytes());
        bytes.extend(self.fraction_ms.to_le_bytes());
        for trim in self.trim {
            bytes.push(u8::from(trim.is_some()));
            bytes.extend(trim.into_iter().flat_map(u64::to_le_bytes));
        }
        bytes.extend((self.blocks.len() as u64 + self.extra_blocks).to_le_bytes());
        for block in &self.blocks {
            bytes.extend([block.begin, block.end].into_iter().flat_map(u64::to_le_bytes));
            let claimed = block.data.len() as u64 + block.extra_bytes;
            if self.version == 1 {
                let fields = [block.length, block.rate, block.fifth, claimed];
                bytes.extend(fields.into_iter().flat_map(u64::to_le_bytes));
                bytes.extend(&block.data);
                bytes.extend(block.index_entries.to_le_bytes());
                for entry in 0..block.index_entries.min(2) {
                    bytes.extend([entry, entry].into_iter().flat_map(u64::to_le_bytes));
                    bytes.extend(block.level.to_le_bytes());
                }
            } else {
                bytes.extend([block.level as u8, (block.level >> 8) as u8]);
                bytes.extend(claimed.to_le_bytes());
                bytes.extend(&block.data);
            }
        }
        bytes.extend(&self.tail);
        bytes
    }
}

/// Names and contents.
type Members = Vec<(&'static str, Vec<u8>)>;

fn zipped(members: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const META: &str = r#"{"version":15,"data":{"rowsSettings":[
    {"type":"channel","name":"trigger","channel":{"category":"legacy","type":"Digital","deviceChannel":0}},
    {"type":"channel","name":"volts","channel":{"type":"Analog","deviceChannel":1}},
    {"type":"channel","name":"done","channel":{"type":"Digital","deviceChannel":1}}]},
    "binData":[{"type":"Digital","index":0,"file":"./digital-0.bin"},{"type":"Analog","file":"./analog-1.bin"}]}"#;

fn sal(channels: &[MemberText]) -> Vec<u8> {
    let names: Vec<String> = (0..channels.len()).map(|number| format!("digital-{number}.bin")).collect();
    let mut members = vec![("meta.json", META.as_bytes().to_vec())];
    members.extend(names.iter().zip(channels).map(|(name, channel)| (name.as_str(), channel.bytes())));
    zipped(&members, CompressionMethod::Deflated)
}

#[derive(Debug)]
struct Capture {
    info: CaptureInfo,
    changes: Vec<(i64, u64)>,
    end_ps: i64,
}

fn drain(source: Result<Box<dyn ChangeSource>, CaptureError>) -> (Vec<(i64, u64)>, Result<Capture, String>) {
    let (mut changes, mut batch) = (Vec::new(), Vec::new());
    let mut source = match source {
        Ok(source) => source,
        Err(error) => return (changes, Err(error.to_string())),
    };
    loop {
        if let Err(error) = source.next_batch(&mut batch) {
            assert!(source.next_batch(&mut batch).is_err(), "an error stays");
            return (changes, Err(error.to_string()));
        }
        if batch.is_empty() {
            let (info, end_ps) = (source.info().clone(), source.end_ps());
            return (changes.clone(), Ok(Capture { info, changes, end_ps }));
        }
        changes.extend(batch.iter().map(|change| (change.time_ps, change.levels)));
    }
}

fn read_zip(zip: Vec<u8>, channels: &[&str]) -> (Vec<(i64, u64)>, Result<Capture, String>) {
    let archive = Archive { path: PathBuf::from("x.sal"), file: ArchiveFile::InMemory(Arc::from(zip)) };
    let channels = channels.iter().map(|name| name.parse::<ChannelSelector>().unwrap()).collect();
    drain(open(archive, &OpenOptions { channels }))
}

fn read(channels: &[MemberText]) -> Result<Capture, String> {
    read_zip(sal(channels), &[]).1
}

fn error_of(channel: &MemberText) -> String {
    read(std::slice::from_ref(channel)).map(|capture| capture.changes).unwrap_err()
}
