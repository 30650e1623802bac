//! A trace of a run in the JSON format of Chrome's and Perfetto's viewers (Trace Event Format): functions of each core as
//! slices, handlers by the name of their interrupt, time asleep, levels of pins, console lines, and bursts on buses. It is
//! written while the board runs.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use files::{Existing, NewFile};
use mcu::Facts;
use serde_json::{Value, json};
use units::{PS_PER_US, Picoseconds};

use super::console_log::console_name;
use super::parts::Burst;
use super::profile::{SliceEvent, SliceKind};
use super::{Board, BoardError};

/// Viewers take no more; what comes later is counted and left out.
const MOST_EVENTS: u64 = 5_000_000;
/// The chip as a process of the viewer; its threads are tracks.
const PROCESS: u32 = 1;
const CONSOLE_TRACK: u32 = 10;
const BUSES: [&str; 6] = ["SPI0", "SPI1", "UART0", "UART1", "I2C0", "I2C1"];
const FIRST_BUS_TRACK: u32 = 20;

/// A trace that is being written.
#[derive(Debug)]
pub struct TraceWriter {
    path: PathBuf,
    out: BufWriter<NewFile>,
    written: u64,
    left_out: u64,
    failure: Option<io::Error>,
    facts: &'static Facts,
}

impl TraceWriter {
    fn create(path: &Path, board: &str, facts: &'static Facts) -> io::Result<Self> {
        let mut out = BufWriter::new(NewFile::create(path, Existing::Replace)?);
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        let name = json!({"ph": "M", "pid": PROCESS, "name": "process_name", "args": {"name": board}});
        write!(out, "{name}")?;
        let path = path.to_owned();
        let mut writer = Self { path, out, written: 0, left_out: 0, failure: None, facts };
        let cores = (0..).zip((0..facts.cores).map(|core| format!("core {core}")));
        let buses = (FIRST_BUS_TRACK..).zip(BUSES.map(str::to_owned));
        for (track, name) in cores.chain([(CONSOLE_TRACK, "console".to_owned())]).chain(buses) {
            writer.write(&json!({"ph": "M", "pid": PROCESS, "tid": track, "name": "thread_name", "args": {"name": name}}));
        }
        Ok(writer)
    }

    /// Adds an event. The first failure is kept for the end.
    fn write(&mut self, event: &Value) {
        if self.written >= MOST_EVENTS {
            self.left_out += 1;
        } else if self.failure.is_none() {
            self.written += 1;
            self.failure = write!(self.out, ",\n{event}").err();
        }
    }

    fn slice(&mut self, core: u8, event: &SliceEvent, function: &str) {
        match event.kind {
            SliceKind::Begin => self.write(&on_track(core.into(), "B", event.at, function)),
            SliceKind::Handler(exception) => {
                let name = format!("{function} ({})", (self.facts.exception)(exception));
                self.write(&on_track(core.into(), "B", event.at, &name));
            }
            SliceKind::End => self.write(&on_track(core.into(), "E", event.at, function)),
            SliceKind::AsleepSince(since) => {
                let mut slice = on_track(core.into(), "X", since, "asleep");
                slice["dur"] = microseconds(event.at - since);
                self.write(&slice);
            }
        }
    }

    fn burst(&mut self, burst: &Burst) {
        let track = BUSES.iter().position(|bus| *bus == burst.bus).unwrap_or(0) as u32 + FIRST_BUS_TRACK;
        let shown: Vec<String> = burst.first.iter().map(|frame| format!("{frame:02x}")).collect();
        let mut slice = on_track(track, "X", burst.start, &format!("{} x{}", burst.bus, burst.frames));
        slice["dur"] = microseconds(burst.end - burst.start);
        slice["args"] = json!({"frames": burst.frames, "first": shown.join(" ")});
        self.write(&slice);
    }

    fn finish(mut self) -> Result<u64, BoardError> {
        let Self { path, left_out, .. } = self;
        let end = || -> io::Result<()> {
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            self.out.write_all(b"\n]}\n")?;
            self.out.into_inner().map_err(io::IntoInnerError::into_error)?.finish()
        };
        end().map_err(|error| BoardError::Write { path, reason: error.to_string() })?;
        Ok(left_out)
    }
}

fn on_track(track: u32, phase: &str, at: Picoseconds, name: &str) -> Value {
    json!({"ph": phase, "pid": PROCESS, "tid": track, "ts": microseconds(at), "name": name})
}

/// Microseconds as viewers want them, exact to the picosecond.
fn microseconds(time: Picoseconds) -> Value {
    let text = format!("{}.{:06}", time.ps() / PS_PER_US, time.ps() % PS_PER_US);
    serde_json::from_str(&text).unwrap_or_else(|_| json!(0))
}

impl Board {
    /// Writes a trace from here on: profiles, records pins and buses, and fills the file as the board runs.
    ///
    /// A trace that is under way ends. The file is there when the trace has ended.
    ///
    /// # Errors
    /// When the file cannot be made, or that of the trace before not be written.
    pub fn trace(&mut self, path: &Path) -> Result<(), BoardError> {
        if self.trace.is_some() {
            self.end_trace()?;
        }
        let trace = TraceWriter::create(path, &self.file.title, self.chip.facts())
            .map_err(|error| BoardError::Write { path: path.to_owned(), reason: error.to_string() })?;
        self.trace = Some(trace);
        self.record();
        self.recording.keep_fresh(true);
        self.parts().record(true);
        self.consoles.keep_lines = true;
        self.profile(true);
        Ok(())
    }

    /// Writes what happened since the last call; `unfinished` lines too, at the end.
    pub(super) fn continue_trace(&mut self, unfinished: bool) {
        let Some(mut trace) = self.trace.take() else { return };
        for (core, event, name) in self.take_slices() {
            trace.slice(core, &event, &name);
        }
        for edge in self.recording.take_fresh() {
            let name = self.file.pin_name(edge.pin);
            let counter = json!({
                "ph": "C", "pid": PROCESS, "ts": microseconds(edge.at), "name": name,
                "args": {"level": u8::from(edge.level)},
            });
            trace.write(&counter);
        }
        for line in self.consoles.take_lines(unfinished) {
            let text = String::from_utf8_lossy(&line.text);
            let text = format!("{}: {}", console_name(line.console), text.trim_end());
            let mut event = on_track(CONSOLE_TRACK, "i", line.at, &text);
            event["s"] = json!("t");
            trace.write(&event);
        }
        for burst in self.parts().take_activity() {
            trace.burst(&burst);
        }
        self.trace = Some(trace);
    }

    /// Ends the trace; how many events there was no room for, and the profile that was made on the way.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn end_trace(&mut self) -> Result<u64, BoardError> {
        self.continue_trace(true);
        let left_out = self.trace.take().map_or(Ok(0), TraceWriter::finish)?;
        self.recording.keep_fresh(false);
        self.consoles.keep_lines = false;
        self.parts().record(false);
        Ok(left_out)
    }
}
