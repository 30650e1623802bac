//! Saleae Logic 2 session files (`.sal`): a zip archive with `meta.json` and one `digital-N.bin` for each
//! digital channel N. Each selected channel is inflated through its own handle and read as a stream; the
//! channels are joined by time. Leaves out analog channels, instruments, analysers and trigger stores.
//!
//! The format has no public description. What is here was derived from 20 captures of Logic 2 of 2023
//! (`meta.json` version 15, members of version 1); 14 of them also exist as Saleae's own CSV export and agree
//! with it edge by edge. It was checked on further public captures for blocks that join and add up:
//! `meta.json` 5, 14 and 16 with members of version 1, 19 and 20 with members of version 2. Version 3
//! (`meta.json` 22) was not seen; it is read as version 2, whose layout others describe for it. Bytes that had
//! one value in all captures must have it.
//!
//! Time 0 is the first sample that trimming left, otherwise the first that was kept; the end is the last one
//! that trimming left, otherwise the end of the data. An edge on the first sample belongs to the first levels.

mod channel;
mod merge;
mod meta;
mod runs;
#[cfg(test)]
mod tests;
mod window;

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::change::{CaptureInfo, Change, ChangeSource, Channel};
use crate::civil;
use crate::error::CaptureError;
use crate::open::OpenOptions;
use crate::read::clock::SampleClock;
use crate::read::input::{Archive, Member, read_error};
use crate::read::select::select;
use channel::{ChannelStream, Header};
use merge::{MergeError, Merger};
use meta::Meta;
use window::Window;

const FORMAT: &str = "Saleae Logic 2 session";
const META_MEMBER: &str = "meta.json";
const MAX_META_BYTES: u64 = 64 << 20;
const BATCH_CHANGES: usize = 8_192;
const PS_PER_S: i128 = 1_000_000_000_000;
const PS_PER_MS: i128 = 1_000_000_000;
const PS_PER_NS: i128 = 1_000;
const NS_PER_MS: f64 = 1e6;

/// Whether an archive whose members have these names is a `.sal` file: it has `meta.json` and at least one
/// `digital-N.bin`.
pub(crate) fn is_member(names: &mut dyn Iterator<Item = &str>) -> bool {
    let (mut meta, mut digital) = (false, false);
    for name in names {
        meta |= name == META_MEMBER;
        digital |= digital_channel(name).is_some();
    }
    meta && digital
}

/// Opens an archive of this format; reads its labels and the head of each selected channel.
pub(crate) fn open(archive: Archive, options: &OpenOptions) -> Result<Box<dyn ChangeSource>, CaptureError> {
    let members = archive.members()?;
    let meta = read_meta(&archive, &members)?;
    let digital = digital_members(&archive.path, &members, &meta)?;
    let channels: Vec<Channel> = digital.iter().map(|(number, _)| channel(*number, &meta)).collect();
    let selected = select(&archive.path, &channels, &options.channels)?;
    let names = selected.iter().map(|position| digital[*position].1.name.clone()).collect();
    let mut streams = Vec::with_capacity(selected.len());
    for position in &selected {
        let member = digital[*position].1;
        let window = Window::new(&archive.path, &member.name, archive.stream(member)?);
        streams.push(ChannelStream::open(window)?);
    }
    let refused = Refused { path: archive.path.clone(), members: names };
    let extent = Extent::common(&streams, &refused)?;
    let info = CaptureInfo {
        format: FORMAT,
        channels: selected.iter().map(|position| channels[*position].clone()).collect(),
        start: Some(extent.start(&refused)?),
        sample_rate: Some(extent.header.rate),
    };
    let clock = SampleClock::new(extent.header.rate).expect("the channel's header admits no faster rate");
    let merger = Merger::new(streams, clock, extent.begin, extent.trim_end);
    Ok(Box::new(Sal {
        info,
        merger,
        clock,
        extent,
        refused,
        state: State::Opened,
        end_ps: 0,
        _archive: archive,
    }))
}

/// The number of the digital channel whose data a member of this name holds.
fn digital_channel(name: &str) -> Option<u32> {
    let number = name.strip_prefix("digital-")?.strip_suffix(".bin")?;
    let canonical = number == "0" || number.starts_with(|first: char| matches!(first, '1'..='9'));
    number.parse().ok().filter(|_| canonical)
}

fn channel(number: u32, meta: &Meta) -> Channel {
    let label = meta.labels.get(&number).cloned();
    Channel { index: number, label: label.unwrap_or_else(|| format!("Channel {number}")) }
}

fn read_meta(archive: &Archive, members: &[Member]) -> Result<Meta, CaptureError> {
    let refused = |what: String| CaptureError::Format {
        path: archive.path.clone(),
        place: Some(META_MEMBER.to_owned()),
        what,
    };
    let Some(member) = members.iter().find(|member| member.name == META_MEMBER) else {
        return Err(refused("the archive lacks this file; save the capture again".to_owned()));
    };
    let mut json = Vec::new();
    let mut stream = archive.stream(member)?.take(MAX_META_BYTES + 1);
    stream.read_to_end(&mut json).map_err(|error| read_error(&archive.path, error))?;
    if json.len() as u64 > MAX_META_BYTES {
        return Err(refused(format!("it takes more than {MAX_META_BYTES} bytes; save the capture again")));
    }
    meta::parse(&json).map_err(refused)
}

/// The members with digital data in the order of their channels.
fn digital_members<'a>(
    path: &Path,
    members: &'a [Member],
    meta: &Meta,
) -> Result<Vec<(u32, &'a Member)>, CaptureError> {
    let refused = |what: String| Err(CaptureError::Format { path: path.to_owned(), place: None, what });
    let lacks = |name: &&String| !members.iter().any(|member| member.name == **name);
    if let Some(missing) = meta.digital_members.iter().find(lacks) {
        return refused(format!(
            "the archive lacks {missing}, which {META_MEMBER} names; save the capture again"
        ));
    }
    let mut digital: Vec<(u32, &Member)> =
        members.iter().filter_map(|member| Some((digital_channel(&member.name)?, member))).collect();
    digital.sort_by_key(|(number, _)| *number);
    digital.dedup_by_key(|(number, _)| *number);
    if digital.is_empty() {
        return refused("the capture has no digital channel; record at least one".to_owned());
    }
    Ok(digital)
}

/// Words errors that concern several members.
struct Refused {
    path: PathBuf,
    members: Vec<String>,
}

impl Refused {
    fn error(&self, member: usize, what: String) -> CaptureError {
        CaptureError::Format { path: self.path.clone(), place: Some(self.members[member].clone()), what }
    }
}

/// What the selected channels have in common: rate, start and the samples that count.
struct Extent {
    header: Header,
    begin: u64,
    /// The first sample that counts no more, if the capture was trimmed.
    trim_end: Option<u64>,
}

impl Extent {
    fn common(streams: &[ChannelStream], refused: &Refused) -> Result<Self, CaptureError> {
        let header = streams[0].header;
        if let Some(other) = streams.iter().position(|stream| !stream.header.same_timing(&header)) {
            let first = &refused.members[0];
            let what =
                format!("its sample rate, start or trim differs from that of {first}; read them one by one");
            return Err(refused.error(other, what));
        }
        let kept_from = streams.iter().map(|stream| stream.first_sample).max().unwrap_or(0);
        let begin = header.trim_first.unwrap_or(kept_from);
        let last = header.trim_last.unwrap_or(begin);
        if begin < kept_from || last < begin || last == u64::MAX {
            let what = format!("the capture was trimmed to samples {begin} to {last}, which its data lacks");
            return Err(refused.error(0, what));
        }
        Ok(Self { header, begin, trim_end: header.trim_last.map(|last| last + 1) })
    }

    /// The absolute time of the begin.
    fn start(&self, refused: &Refused) -> Result<String, CaptureError> {
        let fraction_ns = (self.header.start_fraction_ms * NS_PER_MS).round();
        let begin_ps = i128::from(self.begin) * PS_PER_S / i128::from(self.header.rate.hz());
        let ps =
            i128::from(self.header.start_unix_ms) * PS_PER_MS + fraction_ns as i128 * PS_PER_NS + begin_ps;
        civil::rfc3339(ps).ok_or_else(|| {
            refused.error(0, "the capture's start is no time before the year 10000".to_owned())
        })
    }

    /// Where the capture ends, now that the ends of the channels' data are known.
    fn end(&self, ends: &[u64], refused: &Refused) -> Result<u64, CaptureError> {
        let wanted = self.trim_end.unwrap_or(ends[0]);
        let fits = |end: u64| if self.trim_end.is_some() { end >= wanted } else { end == wanted };
        if let Some(short) = ends.iter().position(|end| !fits(*end)) {
            let what = format!("the channel ends at sample {}, but the capture at {wanted}", ends[short]);
            return Err(refused.error(short, what));
        }
        if wanted <= self.begin {
            let what =
                format!("the channel ends at sample {wanted}, before the capture begins at {}", self.begin);
            return Err(refused.error(0, what));
        }
        Ok(wanted)
    }
}

enum State {
    Opened,
    Reading,
    /// Changes were given first; this comes next.
    Failing(CaptureError),
    Failed,
    Ended,
}

struct Sal {
    info: CaptureInfo,
    merger: Merger,
    clock: SampleClock,
    extent: Extent,
    refused: Refused,
    state: State,
    end_ps: i64,
    /// Keeps a temporary file in place.
    _archive: Archive,
}

impl ChangeSource for Sal {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        let result = match std::mem::replace(&mut self.state, State::Failed) {
            State::Failing(error) => return Err(error),
            State::Failed => {
                return Err(self.refused.error(0, "reading failed before; open the file again".to_owned()));
            }
            State::Ended => Ok(State::Ended),
            state => self.fill(batch, matches!(state, State::Opened)),
        };
        match result {
            Ok(state) => self.state = state,
            Err(error) if batch.is_empty() => return Err(error),
            Err(error) => self.state = State::Failing(error),
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.end_ps
    }
}

impl Sal {
    /// Reads a batch; returns how to go on.
    fn fill(&mut self, batch: &mut Vec<Change>, first: bool) -> Result<State, CaptureError> {
        batch.reserve(BATCH_CHANGES);
        if first {
            let levels = self.merger.start().map_err(|error| self.worded(error))?;
            batch.push(Change { time_ps: 0, levels });
        }
        self.merger.fill(batch, BATCH_CHANGES).map_err(|error| self.worded(error))?;
        if batch.len() == BATCH_CHANGES {
            return Ok(State::Reading);
        }
        let ends: Vec<u64> = self.merger.ends().collect();
        let end = self.extent.end(&ends, &self.refused)?;
        let end_ps = self.clock.time_ps(end - self.extent.begin);
        self.end_ps = end_ps.ok_or_else(|| self.worded(MergeError::OutOfRange(end)))?;
        Ok(State::Ended)
    }

    fn worded(&self, error: MergeError) -> CaptureError {
        match error {
            MergeError::Read(error) => error,
            MergeError::OutOfRange(sample) => self
                .refused
                .error(0, format!("sample {sample} lies more than 106 days after the capture's begin")),
        }
    }
}
