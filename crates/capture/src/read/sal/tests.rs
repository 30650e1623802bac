//! Behaviour of the `.sal` reader, on archives written here and on real captures beside the repository.

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

#[test]
fn runs_of_all_lengths_toggle_the_level_in_every_version() {
    for version in 1..=3 {
        let runs = [1, 1, 63, 64, 65, 128, 8_191, 8_192, 8_193, 1 << 20, 1 << 34, 5];
        let capture = read(&[member(version, vec![block(0, 1, &runs)])]).unwrap();
        let mut expected = vec![(0, 1)];
        let mut sample = 0;
        for (edge, run) in runs[..runs.len() - 1].iter().enumerate() {
            sample += run;
            expected.push((sample as i64 * PS_A_SAMPLE, edge as u64 % 2));
        }
        assert_eq!(capture.changes, expected);
        assert_eq!(capture.end_ps, (sample as i64 + 5) * PS_A_SAMPLE);
        assert_eq!(capture.info.start.as_deref(), Some("2023-11-08T01:54:37.572612000Z"));
        assert_eq!(capture.info.sample_rate, units::Hertz::new(RATE));
        assert_eq!(capture.info.format, "Saleae Logic 2 session");
    }
}

#[test]
fn a_level_that_differs_between_blocks_is_an_edge_and_an_equal_one_is_none() {
    for version in 1..=2 {
        let blocks = vec![block(0, 0, &[3, 4]), block(7, 1, &[5]), block(12, 0, &[1, 1]), block(14, 1, &[9])];
        let capture = read(&[member(version, blocks)]).unwrap();
        let at = |sample: i64, level: u64| (sample * PS_A_SAMPLE, level);
        assert_eq!(capture.changes, [at(0, 0), at(3, 1), at(12, 0), at(13, 1)]);
        assert_eq!(capture.end_ps, 23 * PS_A_SAMPLE);
    }
}

#[test]
fn channels_with_different_blocks_are_joined_by_time() {
    let first = member(2, vec![block(0, 0, &[10, 10]), block(20, 1, &[10, 20])]);
    let second = member(1, vec![block(0, 1, &[5, 5, 20, 20])]);
    let capture = read(&[first.clone(), second.clone()]).unwrap();
    let at = |sample: i64, levels: u64| (sample * PS_A_SAMPLE, levels);
    assert_eq!(capture.changes, [at(0, 0b10), at(5, 0), at(10, 0b11), at(30, 0)]);
    let swapped = read_zip(sal(&[first, second]), &["done", "0"]).1.unwrap();
    assert_eq!(swapped.changes, [at(0, 0b01), at(5, 0), at(10, 0b11), at(30, 0)]);
    let labels: Vec<&str> = swapped.info.channels.iter().map(|channel| channel.label.as_str()).collect();
    assert_eq!(labels, ["done", "trigger"]);
}

#[test]
fn a_trimmed_capture_begins_and_ends_where_it_was_trimmed() {
    let blocks = vec![block(1_000, 0, &[10, 10, 10, 10, 10, 50])];
    let at = |sample: i64, level: u64| (sample * PS_A_SAMPLE, level);
    for (trim, changes, end) in [
        ([None, None], vec![at(0, 0), at(10, 1), at(20, 0), at(30, 1), at(40, 0), at(50, 1)], 100),
        ([Some(1_000), None], vec![at(0, 0), at(10, 1), at(20, 0), at(30, 1), at(40, 0), at(50, 1)], 100),
        ([Some(1_010), None], vec![at(0, 1), at(10, 0), at(20, 1), at(30, 0), at(40, 1)], 90),
        ([Some(1_019), Some(1_040)], vec![at(0, 1), at(1, 0), at(11, 1), at(21, 0)], 22),
        ([Some(1_019), Some(1_039)], vec![at(0, 1), at(1, 0), at(11, 1)], 21),
        ([Some(1_060), Some(1_099)], vec![at(0, 1)], 40),
        ([None, Some(1_000)], vec![at(0, 0)], 1),
    ] {
        let capture = read(&[MemberText { trim, ..member(1, blocks.clone()) }]).unwrap();
        assert_eq!((capture.changes, capture.end_ps), (changes, end * PS_A_SAMPLE), "{trim:?}");
    }
}

#[test]
fn the_start_is_that_of_the_first_sample_that_counts() {
    let trimmed =
        MemberText { trim: [Some(150_000_001), None], ..member(1, vec![block(0, 0, &[200_000_000])]) };
    assert_eq!(read(&[trimmed]).unwrap().info.start.as_deref(), Some("2023-11-08T01:54:39.072612010Z"));
}

#[test]
fn sample_times_are_cut_to_picoseconds_and_never_accumulated() {
    let runs = [1; 9];
    let at_24_mhz = BlockText { rate: 24_000_000, ..block(0, 0, &runs) };
    let capture = read(&[MemberText { rate: 24e6, ..member(1, vec![at_24_mhz]) }]).unwrap();
    let times: Vec<i64> = capture.changes.iter().map(|(ps, _)| *ps).collect();
    assert_eq!(times, [0, 41_666, 83_333, 125_000, 166_666, 208_333, 250_000, 291_666, 333_333]);
    assert_eq!(capture.end_ps, 375_000);
}

#[test]
fn labels_come_from_every_known_layout_of_the_metadata() {
    let newest = r#"{"version":20,"data":{"measurements":[{"name":"width","channel":{"type":"Digital","deviceChannel":3}}],
        "rowsSettings":[{"name":"CLK","channel":{"category":"legacy","type":"Digital","deviceChannel":3}},
        {"name":"volts","channel":{"type":"Analog","deviceChannel":4}}]}}"#;
    let oldest = r#"{"version":5,"session":{"channelSettings":[{"index":3,"type":"Analog","name":"volts"},
        {"index":3,"type":"Digital","name":"CLK"},{"index":4,"type":"Digital","name":""}],
        "connectedDevice":{"channelCapabilities":[{"type":"Digital","index":4,"capability":"Toggleable"}]}}}"#;
    let other = r#"[{"channel":{"type":"Digital","channelIndex":3},"label":"CLK"}]"#;
    for json in [newest, oldest, other] {
        let labels = meta::parse(json.as_bytes()).unwrap().labels;
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), [(3, "CLK".to_owned())], "{json}");
    }
}

#[test]
fn channels_are_the_members_and_lack_a_label_only_in_the_metadata() {
    let channel = member(2, vec![block(0, 0, &[1, 9])]).bytes();
    let members = [
        ("digital-10.bin", channel.clone()),
        ("digital-9.bin", channel.clone()),
        ("digital-01.bin", channel.clone()),
        ("digital-x.bin", channel.clone()),
        ("analog-0.bin", channel),
        ("meta.json", b"{}".to_vec()),
    ];
    let capture = read_zip(zipped(&members, CompressionMethod::Stored), &[]).1.unwrap();
    let channels: Vec<(u32, &str)> =
        capture.info.channels.iter().map(|c| (c.index, c.label.as_str())).collect();
    assert_eq!(channels, [(9, "Channel 9"), (10, "Channel 10")]);
    assert_eq!(capture.changes, [(0, 0), (PS_A_SAMPLE, 0b11)]);
}

#[test]
fn an_archive_is_told_by_its_members() {
    let told = |names: &[&str]| is_member(&mut names.iter().copied());
    assert!(told(&["analog-0.bin", "digital-7.bin", "meta.json"]));
    assert!(!told(&["digital-7.bin"]));
    assert!(!told(&["meta.json", "analog-7.bin", "digital-.bin", "digital-1.bin.txt"]));
    assert!(!told(&["version", "metadata", "logic-1-1"]));
}

#[test]
fn what_breaks_the_format_is_refused_with_its_member_and_byte() {
    let good = |version| member(version, vec![block(0, 0, &[10, 10])]);
    let with_block = |version, change: fn(&mut BlockText)| {
        let mut channel = good(version);
        change(&mut channel.blocks[0]);
        channel
    };
    for (channel, message) in [
        (
            MemberText { magic: *b"<SALEAF>", ..good(1) },
            "0: it does not begin with <SALEAE>; save the capture again",
        ),
        (
            MemberText { version: 4, ..good(1) },
            "8: its format has version 4, but Airwire knows 1 to 3; export the capture as CSV",
        ),
        (
            MemberText { version: 0, ..good(1) },
            "8: its format has version 0, but Airwire knows 1 to 3; export the capture as CSV",
        ),
        (MemberText { kind: 101, ..good(1) }, "12: it is of type 101, 1, but digital data is 100, 1"),
        (MemberText { marker: 0, ..good(1) }, "12: it is of type 100, 0, but digital data is 100, 1"),
        (
            MemberText { rate: 0.0, ..good(1) },
            "17: a rate of 0 samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: -1e8, ..good(1) },
            "17: a rate of -100000000 samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: f64::NAN, ..good(1) },
            "17: a rate of NaN samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: 1e13, ..good(1) },
            "17: a rate of 10000000000000 samples a second is no whole number from 1 to 10^12",
        ),
        (
            MemberText { rate: 0.5, ..good(1) },
            "17: a rate of 0.5 samples a second is no whole number from 1 to 10^12",
        ),
        (MemberText { fraction_ms: f64::INFINITY, ..good(1) }, "33: inf is no fraction of a millisecond"),
        (member(1, Vec::new()), "43: the channel has no samples; record it again"),
        (MemberText { tail: vec![0], ..good(2) }, "79: more data follows the last block"),
        (MemberText { extra_blocks: 1, ..good(2) }, "79: it ends here, in the middle of its data"),
        (with_block(1, |block| block.length = 21), "51: the block from sample 0 to 20 claims 21 samples"),
        (with_block(1, |block| block.begin = 30), "51: the block from sample 30 to 20 claims 20 samples"),
        (
            with_block(1, |block| block.rate = 1),
            "51: the block has 1 samples a second, but the channel 100 MHz",
        ),
        (
            with_block(1, |block| block.fifth = 2),
            "51: the block's fifth field is 2, but Airwire knows only 1",
        ),
        (
            with_block(1, |block| block.extra_bytes = u64::MAX / 2),
            "51: the block claims 9223372036854775809 bytes; the file is damaged",
        ),
        (with_block(1, |block| block.extra_bytes = 100_000), "149: it ends here, in the middle of its data"),
        (
            with_block(1, |block| block.index_entries = 0),
            "101: the block has no index, so its level is unknown",
        ),
        (with_block(1, |block| block.index_entries = 3), "149: it ends here, in the middle of its data"),
        (
            with_block(1, |block| block.index_entries = u64::MAX),
            "109: the block's index does not begin with its level",
        ),
        (with_block(1, |block| block.level = 2), "109: the block's index does not begin with its level"),
        (with_block(1, |block| block.level = -1), "109: the block's index does not begin with its level"),
        (
            with_block(2, |block| block.level = 2),
            "67: the block's level is marked 2 0, but Airwire knows only 0 0 and 1 0",
        ),
        (
            with_block(2, |block| block.level = 256),
            "67: the block's level is marked 0 1, but Airwire knows only 0 0 and 1 0",
        ),
        (with_block(2, |block| block.end = 0), "77: the block has no samples"),
        (
            with_block(2, |block| block.extra_bytes = u64::MAX / 2),
            "79: it ends here, in the middle of its data",
        ),
        (with_block(2, |block| block.end = 19), "78: the runs of this block go on beyond its end, sample 19"),
        (with_block(2, |block| block.end = 10), "78: the runs of this block go on beyond its end, sample 10"),
        (
            with_block(2, |block| block.end = 21),
            "79: the runs of this block end at sample 20, but the block at 21",
        ),
        (
            with_block(2, |block| block.data = Vec::new()),
            "77: the runs of this block end at sample 0, but the block at 20",
        ),
        (
            with_block(2, |block| block.data = vec![9, 0x80]),
            "78: this run has an encoding that Airwire does not know; export the capture as CSV",
        ),
        (
            with_block(2, |block| block.data = vec![9, 0x40]),
            "78: this run does not end within its block or 10 bytes",
        ),
        (
            with_block(2, |block| block.data = [vec![0x7f], vec![0xff; 20]].concat()),
            "77: this run does not end within its block or 10 bytes",
        ),
        (
            with_block(2, |block| block.data = [vec![0x7f], vec![0xff; 8], vec![0x7f]].concat()),
            "77: the runs of this block go on beyond its end, sample 20",
        ),
    ] {
        assert_eq!(error_of(&channel), format!("x.sal:digital-0.bin at byte {message}"), "{channel:?}");
    }
    let gap = member(2, vec![block(0, 0, &[10]), block(11, 1, &[10])]);
    let message = "x.sal:digital-0.bin at byte 104: the block begins at sample 11, but the one before it ends at 10; captures with gaps cannot be read";
    assert_eq!(error_of(&gap), message);
}

#[test]
fn channels_that_do_not_belong_together_are_refused() {
    let first = member(2, vec![block(0, 0, &[10, 10])]);
    let differs = "x.sal:digital-1.bin: its sample rate, start or trim differs from that of digital-0.bin; read them one by one";
    let not_in_data = "x.sal:digital-0.bin: the capture was trimmed to samples";
    for (channels, message) in [
        (vec![first.clone(), MemberText { rate: 5e7, ..first.clone() }], differs.to_owned()),
        (vec![first.clone(), MemberText { trim: [Some(1), None], ..first.clone() }], differs.to_owned()),
        (vec![first.clone(), MemberText { unix_ms: 0, ..first.clone() }], differs.to_owned()),
        (
            vec![first.clone(), member(2, vec![block(0, 0, &[10, 11])])],
            "x.sal:digital-1.bin: the channel ends at sample 21, but the capture at 20".to_owned(),
        ),
        (
            vec![MemberText { trim: [None, Some(20)], ..first.clone() }],
            "x.sal:digital-0.bin: the channel ends at sample 20, but the capture at 21".to_owned(),
        ),
        (
            vec![MemberText { trim: [Some(20), None], ..first.clone() }],
            "x.sal:digital-0.bin: the channel ends at sample 20, before the capture begins at 20".to_owned(),
        ),
        (
            vec![MemberText { trim: [Some(9), Some(8)], ..first.clone() }],
            format!("{not_in_data} 9 to 8, which its data lacks"),
        ),
        (
            vec![MemberText { trim: [Some(9), None], ..member(2, vec![block(10, 0, &[10])]) }],
            format!("{not_in_data} 9 to 9, which its data lacks"),
        ),
        (
            vec![MemberText { trim: [Some(u64::MAX), None], ..first.clone() }],
            format!("{not_in_data} {} to {}, which its data lacks", u64::MAX, u64::MAX),
        ),
        (
            vec![MemberText { unix_ms: u64::MAX, ..first.clone() }],
            "x.sal:digital-0.bin: the capture's start is no time before the year 10000".to_owned(),
        ),
        (
            vec![member(2, vec![block(0, 0, &[1 << 62, 5, 5])])],
            format!(
                "x.sal:digital-0.bin: sample {} lies more than 106 days after the capture's begin",
                1_u64 << 62
            ),
        ),
    ] {
        assert_eq!(read(&channels).map(|capture| capture.changes).unwrap_err(), message);
    }
}

#[test]
fn an_archive_without_its_parts_is_refused() {
    let channel = || member(1, vec![block(0, 0, &[10])]).bytes();
    let cases: [(Members, &str); 4] = [
        (
            vec![("digital-0.bin", channel())],
            "x.sal:meta.json: the archive lacks this file; save the capture again",
        ),
        (
            vec![("meta.json", b"{}".to_vec())],
            "x.sal: the capture has no digital channel; record at least one",
        ),
        (
            vec![("meta.json", META.into()), ("digital-1.bin", channel())],
            "x.sal: the archive lacks digital-0.bin, which meta.json names; save the capture again",
        ),
        (
            vec![("meta.json", META.as_bytes()[..50].to_vec()), ("digital-0.bin", channel())],
            "x.sal:meta.json: it is no valid JSON (EOF while parsing an object at line 2 column 11); save the capture again",
        ),
    ];
    for (members, message) in cases {
        assert_eq!(read_zip(zipped(&members, CompressionMethod::Stored), &[]).1.unwrap_err(), message);
    }
    let channels = [member(1, vec![block(0, 0, &[10])])];
    assert_eq!(
        read_zip(sal(&channels), &["done"]).1.unwrap_err(),
        "x.sal: there is no channel \"done\"; it has 0 (trigger). Name one of them"
    );
}

#[test]
fn damage_that_only_the_checksum_shows_is_found() {
    let mut zip = zipped(
        &[("meta.json", b"{}".to_vec()), ("digital-0.bin", member(2, vec![block(0, 0, &[9, 9, 9])]).bytes())],
        CompressionMethod::Stored,
    );
    let start = zip.windows(8).position(|window| window == b"<SALEAE>").unwrap();
    zip[start + 77] += 1;
    zip[start + 78] -= 1;
    let error = read_zip(zip, &[]).1.unwrap_err();
    assert!(error.contains("digital-0.bin") && error.contains("checksum"), "{error}");
}

/// Every regular file under `folder` with this extension, in a fixed order.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let found = paths.into_iter().flat_map(|path| match path.is_dir() {
        true => files(&path, extension),
        false if path.extension().is_some_and(|found| found == extension) => vec![path],
        false => Vec::new(),
    });
    found.collect()
}

fn read_real(path: &Path, channels: &[&str]) -> Capture {
    let channels = channels.iter().map(|name| name.parse::<ChannelSelector>().unwrap()).collect();
    let options = OpenOptions { channels };
    let source = if path.extension().is_some_and(|extension| extension == "csv") {
        logic2_csv::open(Input::new(path, Box::new(File::open(path).unwrap())), &options)
    } else {
        open(
            Archive { path: path.to_owned(), file: ArchiveFile::OnDisk(Arc::new(File::open(path).unwrap())) },
            &options,
        )
    };
    drain(source).1.unwrap_or_else(|error| panic!("{error}"))
}

fn real_captures() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    if !folder.is_dir() {
        eprintln!("skipped: the real captures are not beside the repository");
        return None;
    }
    Some(folder)
}

/// The exports of this folder come from other captures than the session files beside them.
const UNRELATED: &str = "hc-05";
/// This export begins and ends elsewhere than its session file: (change to begin with, its delay).
const PARTLY_EXPORTED: (&str, i64) = ("12B-250ms-trigger", 113_693_860_000);

#[test]
fn a_real_session_file_and_its_own_csv_export_give_the_same_changes() {
    let Some(folder) = real_captures() else { return };
    let mut compared = 0;
    for path in files(&folder, "sal") {
        let csv = path.with_extension("csv");
        if !csv.is_file() || path.parent().is_some_and(|parent| parent.ends_with(UNRELATED)) {
            continue;
        }
        let session = read_real(&path, &["0", "1"]);
        let export = read_real(&csv, &["0", "1"]);
        compared += 1;
        if path.file_stem().is_some_and(|stem| stem == PARTLY_EXPORTED.0) {
            let later = |(ps, levels): &(i64, u64)| (ps - PARTLY_EXPORTED.1, *levels);
            let same: Vec<(i64, u64)> = session.changes[1..].iter().map(later).collect();
            assert_eq!(export.changes[0], (0, session.changes[0].1));
            assert_eq!(export.changes[1..], same[..], "{}", path.display());
            assert_eq!(export.end_ps, session.end_ps - PARTLY_EXPORTED.1);
            continue;
        }
        assert_eq!(session.changes, export.changes, "{}", path.display());
        assert_eq!(session.info.start, export.info.start, "{}", path.display());
        assert_eq!(session.end_ps, export.end_ps, "{}", path.display());
    }
    println!("{compared} pairs compared");
    assert!(compared >= 10, "only {compared} pairs were found");
}

#[test]
fn every_real_session_file_reads_to_its_end() {
    let Some(folder) = real_captures() else { return };
    for path in files(&folder, "sal") {
        let capture = read_real(&path, &[]);
        assert!(capture.end_ps > 0 && capture.changes.len() > 1, "{}", path.display());
        assert!(capture.changes.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
    }
}

/// Runs of one channel in blocks, all channels of the same length.
fn channel_strategy(length: u64) -> impl Strategy<Value = (Vec<u64>, Vec<u64>, bool, u32)> {
    let runs = prop::collection::vec(prop_oneof![1_u64..100, 1_u64..1_000_000], 0..300);
    let cuts = prop::collection::vec(1..length, 0..5);
    (runs, cuts, any::<bool>(), 1_u32..=3).prop_map(move |(runs, cuts, level, version)| {
        let mut edges: Vec<u64> = Vec::new();
        let mut sample = 0;
        for run in runs {
            sample += run;
            if sample < length {
                edges.push(sample);
            }
        }
        let mut cuts = cuts;
        cuts.sort_unstable();
        cuts.dedup();
        (edges, cuts, level, version)
    })
}

/// The member of a channel that toggles at `edges`, in blocks that end at `cuts`.
fn channel_member(edges: &[u64], cuts: &[u64], first_level: bool, version: u32, length: u64) -> MemberText {
    let mut bounds = vec![0];
    bounds.extend(cuts);
    bounds.push(length);
    let level_at =
        |sample: u64| first_level ^ (edges.iter().filter(|edge| **edge <= sample).count() % 2 == 1);
    let cut_block = |pair: &[u64]| {
        let mut points = vec![pair[0]];
        points.extend(edges.iter().filter(|edge| pair[0] < **edge && **edge < pair[1]));
        points.push(pair[1]);
        let runs: Vec<u64> = points.windows(2).map(|points| points[1] - points[0]).collect();
        block(pair[0], i32::from(level_at(pair[0])), &runs)
    };
    member(version, bounds.windows(2).map(cut_block).collect())
}

const LENGTH: u64 = 20_000_000;

proptest! {
    #[test]
    fn channels_written_in_any_blocks_read_back_the_same(
        channels in prop::collection::vec(channel_strategy(LENGTH), 1..5),
        trim in prop::option::of((0..LENGTH / 2, LENGTH / 2..LENGTH)),
    ) {
        let (begin, end) = trim.map_or((0, LENGTH), |(first, last)| (first, last + 1));
        let members: Vec<MemberText> = channels
            .iter()
            .map(|(edges, cuts, level, version)| MemberText {
                trim: [trim.map(|(first, _)| first), trim.map(|(_, last)| last)],
                ..channel_member(edges, cuts, *level, *version, LENGTH)
            })
            .collect();
        let levels_at = |sample: u64| {
            channels.iter().enumerate().fold(0, |levels, (bit, (edges, _, first, _))| {
                let toggles = edges.partition_point(|edge| *edge <= sample) as u64;
                levels | ((u64::from(*first) + toggles) % 2) << bit
            })
        };
        let mut samples: Vec<u64> = channels.iter().flat_map(|(edges, ..)| edges.clone()).collect();
        samples.retain(|sample| (begin + 1..end).contains(sample));
        samples.push(begin);
        samples.sort_unstable();
        samples.dedup();
        let expected: Vec<(i64, u64)> =
            samples.iter().map(|sample| ((sample - begin) as i64 * PS_A_SAMPLE, levels_at(*sample))).collect();
        let capture = read(&members).unwrap();
        prop_assert_eq!(capture.changes, expected);
        prop_assert_eq!(capture.end_ps, (end - begin) as i64 * PS_A_SAMPLE);
    }

    #[test]
    fn a_damaged_file_gives_at_most_a_part_of_the_changes_and_an_error(
        channels in prop::collection::vec(channel_strategy(LENGTH), 1..3),
        cut in any::<prop::sample::Index>(),
        stored in any::<bool>(),
        whole_archive in any::<bool>(),
    ) {
        let members: Vec<MemberText> = channels
            .iter()
            .map(|(edges, cuts, level, version)| channel_member(edges, cuts, *level, *version, LENGTH))
            .collect();
        let method = if stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let first = members[0].bytes();
        let whole = [("meta.json", b"{}".to_vec()), ("digital-0.bin", first.clone())];
        let changes = read_zip(zipped(&whole, method), &[]).1.unwrap().changes;
        let damaged = if whole_archive {
            let mut zip = zipped(&whole, method);
            zip.truncate(cut.index(zip.len()));
            zip
        } else {
            let kept = first[..cut.index(first.len())].to_vec();
            zipped(&[("meta.json", b"{}".to_vec()), ("digital-0.bin", kept)], method)
        };
        let (read, result) = read_zip(damaged, &[]);
        prop_assert!(result.is_err());
        prop_assert_eq!(&changes[..read.len()], &read[..]);
    }

    #[test]
    fn no_bytes_make_it_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        (edges, cuts, level, version) in channel_strategy(1_000),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        number in prop_oneof![any::<u64>(), Just(u64::MAX), 0_u64..4],
    ) {
        let mut changed = channel_member(&edges, &cuts, level, version, 1_000).bytes();
        let at = at.index(changed.len());
        changed[at] = byte;
        let mut overwritten = changed.clone();
        let end = (at + 8).min(overwritten.len());
        overwritten[at..end].copy_from_slice(&number.to_le_bytes()[..end - at]);
        let mut appended = changed[..at].to_vec();
        appended.extend(&bytes);
        for member in [changed, overwritten, appended, bytes.clone()] {
            let meta = if member.len() % 2 == 0 { b"{}".to_vec() } else { bytes.clone() };
            let members = [("meta.json", meta), ("digital-0.bin", member)];
            let _ = read_zip(zipped(&members, CompressionMethod::Stored), &[]);
        }
        let _ = read_zip(bytes, &[]);
    }
}
