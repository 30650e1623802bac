//! What the tests of the formats share: captures as plain values, archives built from literals, and sigrok-cli
//! as an oracle where it is installed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use capture::{CaptureError, CaptureInfo, Change, ChangeSource, OpenOptions};
use zip::write::SimpleFileOptions;

/// All that a source gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Capture {
    pub(crate) info: CaptureInfo,
    /// Time in picoseconds and levels.
    pub(crate) changes: Vec<(i64, u64)>,
    pub(crate) end_ps: i64,
}

impl Capture {
    pub(crate) fn labels(&self) -> Vec<&str> {
        self.info.channels.iter().map(|channel| channel.label.as_str()).collect()
    }

    pub(crate) fn indices(&self) -> Vec<u32> {
        self.info.channels.iter().map(|channel| channel.index).collect()
    }
}

pub(crate) fn channels(names: &[&str]) -> OpenOptions {
    OpenOptions { channels: names.iter().map(|name| name.parse().unwrap()).collect() }
}

pub(crate) fn drain(mut source: Box<dyn ChangeSource>) -> Result<Capture, CaptureError> {
    let mut changes = Vec::new();
    let mut batch = Vec::new();
    loop {
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        changes.extend(batch.iter().map(|change| (change.time_ps, change.levels)));
    }
    Ok(Capture { info: source.info().clone(), changes, end_ps: source.end_ps() })
}

/// Reads a capture from memory; errors name it `capture`.
pub(crate) fn read(bytes: impl Into<Vec<u8>>, names: &[&str]) -> Result<Capture, CaptureError> {
    drain(capture::open_bytes(Path::new("capture"), bytes.into(), &channels(names))?)
}

pub(crate) fn read_file(path: &Path) -> Result<Capture, CaptureError> {
    drain(capture::open(path, &OpenOptions::default())?)
}

/// The message with which reading fails.
pub(crate) fn refusal(bytes: impl Into<Vec<u8>>) -> String {
    match read(bytes, &[]) {
        Ok(capture) => panic!("it was read: {capture:?}"),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn zip(members: &[(&str, &[u8])], deflated: bool) -> Vec<u8> {
    let method = if deflated { zip::CompressionMethod::Deflated } else { zip::CompressionMethod::Stored };
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in members {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Changes in memory as a source.
pub(crate) struct Given {
    pub(crate) info: CaptureInfo,
    pub(crate) changes: Vec<Change>,
    pub(crate) end_ps: i64,
}

impl Given {
    /// Channels `D0`, `D1` and so on.
    pub(crate) fn new(channel_count: u32, changes: &[(i64, u64)], end_ps: i64) -> Self {
        let channel = |index| capture::Channel { index, label: format!("D{index}") };
        let info = CaptureInfo {
            format: "given",
            channels: (0..channel_count).map(channel).collect(),
            start: None,
            sample_rate: None,
        };
        let changes = changes.iter().map(|&(time_ps, levels)| Change { time_ps, levels }).collect();
        Self { info, changes, end_ps }
    }
}

impl ChangeSource for Given {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        batch.append(&mut self.changes);
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.end_ps
    }
}

/// A folder in which sigrok-cli runs, or nothing (and a printed reason) where it is not installed.
pub(crate) struct SigrokCli {
    folder: tempfile::TempDir,
}

impl SigrokCli {
    pub(crate) fn find() -> Option<Self> {
        if Command::new("sigrok-cli").arg("--version").output().is_err() {
            testing::leave_out("sigrok-cli is not installed (Debian: sigrok-cli)");
            return None;
        }
        Some(Self { folder: tempfile::tempdir().unwrap() })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs it and gives what it prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> Vec<u8> {
        let output =
            Command::new("sigrok-cli").args(arguments).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Makes the session `x.sr` of raw samples, one byte each.
    pub(crate) fn session_of(&self, samples: &[u8], channel_count: usize, rate_hz: u64) -> PathBuf {
        std::fs::write(self.path("raw.bin"), samples).unwrap();
        let format = format!("binary:numchannels={channel_count}:samplerate={rate_hz}");
        self.run(&["-I", &format, "-i", "raw.bin", "-o", "x.sr"]);
        self.path("x.sr")
    }
}

/// What the samples mean, computed in the plainest way: the expected changes and the end.
pub(crate) fn plain_changes(samples: &[u64], rate_hz: u64) -> (Vec<(i64, u64)>, i64) {
    let time_ps = |n: usize| i64::try_from(n as u128 * 1_000_000_000_000 / u128::from(rate_hz)).unwrap();
    let mut changes = Vec::new();
    for (n, levels) in samples.iter().enumerate() {
        if n == 0 || samples[n - 1] != *levels {
            changes.push((time_ps(n), *levels));
        }
    }
    (changes, time_ps(samples.len()))
}
