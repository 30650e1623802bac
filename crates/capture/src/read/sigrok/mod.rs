//! sigrok session file (`.sr`): a zip archive with `version`, `metadata` and the samples in `logic-1-1`,
//! `logic-1-2` and so on, each sample a few bytes with bit i for probe i + 1. Analogue members are left out.

mod metadata;
mod run;

use std::io::Read;

use crate::change::{CaptureInfo, Change, ChangeSource};
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::clock::{SampleClock, TOO_LATE};
use crate::read::input::{Archive, Member, MemberStream, read_error};
use crate::read::select::select;
use run::Run;

const FORMAT: &str = "sigrok session";
const BATCH_CHANGES: usize = 4096;
/// A whole number of samples of up to 128 bytes, whatever their size, fits with room to spare.
const BUFFER_BYTES: usize = 256 << 10;
const METADATA_BYTES_MAX: u64 = 1 << 20;

/// Whether an archive with these members is a sigrok session.
pub(crate) fn is_session(names: &[String]) -> bool {
    ["version", "metadata"].iter().all(|wanted| names.iter().any(|name| name == wanted))
}

/// Opens a session.
pub(crate) fn open(archive: Archive, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let members = archive.members()?;
    check_version(&archive, &members)?;
    let at_metadata = |what: String| CaptureError::Format {
        path: archive.path.clone(),
        place: Some("metadata".to_owned()),
        what,
    };
    let metadata = metadata::parse(&text(&archive, &members, "metadata")?).map_err(at_metadata)?;
    let clock = SampleClock::new(metadata.sample_rate)
        .ok_or_else(|| at_metadata(format!("a samplerate of {} is beyond 1 THz", metadata.sample_rate)))?;
    let selected = select(&archive.path, &metadata.channels, &options.channels)?;
    let channels: Vec<_> = selected.iter().map(|position| metadata.channels[*position].clone()).collect();
    let bits: Vec<u32> = channels.iter().map(|channel| channel.index).collect();
    let parts = parts(&archive, members, &metadata.capture_file)?;
    Ok(Box::new(SigrokSource {
        info: CaptureInfo { format: FORMAT, channels, start: None, sample_rate: Some(metadata.sample_rate) },
        samples: Samples { archive, parts, next_part: 0, stream: None },
        run: Run::new(metadata.unit_bytes, &bits),
        bits,
        unit_bytes: metadata.unit_bytes,
        clock,
        buffer: vec![0; BUFFER_BYTES],
        at: 0,
        filled: 0,
        sample: 0,
        end_ps: 0,
    }))
}

fn check_version(archive: &Archive, members: &[Member]) -> Result<(), CaptureError> {
    let version = text(archive, members, "version")?;
    match version.trim() {
        "1" | "2" => Ok(()),
        other => Err(CaptureError::Format {
            path: archive.path.clone(),
            place: Some("version".to_owned()),
            what: format!(
                "the session has format version `{other}`, but 1 and 2 are known; export it as VCD"
            ),
        }),
    }
}

/// The content of a small text member.
fn text(archive: &Archive, members: &[Member], name: &str) -> Result<String, CaptureError> {
    let member =
        members.iter().find(|member| member.name == name).expect("a session has a version and metadata");
    let mut bytes = Vec::new();
    archive
        .stream(member)?
        .take(METADATA_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|source| read_error(&archive.path, source))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The members with samples in their order: one of the exact name, or parts that count from 1.
fn parts(archive: &Archive, members: Vec<Member>, name: &str) -> Result<Vec<Member>, CaptureError> {
    let number = |member: &Member| match member.name.strip_prefix(name)? {
        "" => Some(0),
        rest => rest.strip_prefix('-')?.parse::<u32>().ok().filter(|number| *number > 0),
    };
    let mut parts: Vec<(u32, Member)> =
        members.into_iter().filter_map(|member| Some((number(&member)?, member))).collect();
    parts.sort_by_key(|(number, _)| *number);
    let missing = |what| CaptureError::Format {
        path: archive.path.clone(),
        place: None,
        what: format!("the session lacks the member {what}; save or copy it again"),
    };
    match parts.first() {
        None => return Err(missing(format!("{name}-1"))),
        Some((0, _)) => parts.truncate(1),
        Some(_) => {}
    }
    for (expected, (number, _)) in (parts[0].0.min(1)..).zip(&parts) {
        if *number != expected {
            return Err(missing(format!("{name}-{expected}")));
        }
    }
    Ok(parts.into_iter().map(|(_, member)| member).collect())
}

/// The bytes of all parts, one after the other.
struct Samples {
    archive: Archive,
    parts: Vec<Member>,
    next_part: usize,
    stream: Option<MemberStream>,
}

impl Samples {
    /// Like `Read::read`: 0 at the end of the last part.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, CaptureError> {
        loop {
            let Some(stream) = &mut self.stream else {
                let Some(part) = self.parts.get(self.next_part) else { return Ok(0) };
                self.stream = Some(self.archive.stream(part)?);
                self.next_part += 1;
                continue;
            };
            match stream.read(buffer) {
                Ok(0) => self.stream = None,
                Ok(read) => return Ok(read),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(source) => return Err(read_error(&self.archive.path, source)),
            }
        }
    }
}

struct SigrokSource {
    info: CaptureInfo,
    samples: Samples,
    run: Run,
    /// The selected bits of a sample, in the order of the levels.
    bits: Vec<u32>,
    unit_bytes: usize,
    clock: SampleClock,
    buffer: Vec<u8>,
    at: usize,
    filled: usize,
    /// The number of the sample at `at`.
    sample: u64,
    end_ps: i64,
}

impl ChangeSource for SigrokSource {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        while batch.len() < BATCH_CHANGES {
            if self.whole_bytes() == 0 && !self.fill()? {
                self.end_ps = self.time_ps()?;
                break;
            }
            let whole = &self.buffer[self.at..self.at + self.whole_bytes()];
            let continued = if self.sample == 0 { 0 } else { self.run.length(whole) };
            let run_bytes = continued * self.unit_bytes;
            self.sample += continued as u64;
            self.at += run_bytes;
            if self.whole_bytes() > 0 {
                self.begin_run(batch)?;
            }
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.end_ps
    }
}

impl SigrokSource {
    /// Bytes of whole samples that are in the buffer.
    fn whole_bytes(&self) -> usize {
        (self.filled - self.at) / self.unit_bytes * self.unit_bytes
    }

    /// Takes the sample at `at` as the start of a new run.
    fn begin_run(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        let sample = &self.buffer[self.at..self.at + self.unit_bytes];
        let levels = self.bits.iter().enumerate().fold(0, |levels, (position, bit)| {
            let level = sample[*bit as usize / 8] >> (bit % 8) & 1;
            levels | u64::from(level) << position
        });
        self.run.hold(sample);
        batch.push(Change { time_ps: self.time_ps()?, levels });
        self.sample += 1;
        self.at += self.unit_bytes;
        Ok(())
    }

    fn time_ps(&self) -> Result<i64, CaptureError> {
        self.clock.time_ps(self.sample).ok_or_else(|| self.refused(TOO_LATE))
    }

    /// Reads until there is a whole sample; false at the end of the capture.
    fn fill(&mut self) -> Result<bool, CaptureError> {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        while self.whole_bytes() == 0 {
            let read = self.samples.read(&mut self.buffer[self.filled..])?;
            if read == 0 && self.filled > 0 {
                return Err(self.refused("the samples end within one; save or copy the session again"));
            }
            if read == 0 && self.sample == 0 {
                return Err(self.refused("the session holds no samples; record it again"));
            }
            if read == 0 {
                return Ok(false);
            }
            self.filled += read;
        }
        Ok(true)
    }

    fn refused(&self, what: &str) -> CaptureError {
        CaptureError::Format {
            path: self.samples.archive.path.clone(),
            place: Some(format!("sample {}", self.sample)),
            what: what.to_owned(),
        }
    }
}
