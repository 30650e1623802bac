//! The edges that were recorded, and as which nets they are written into a value change dump.

use std::any::Any;
use std::path::Path;

use capture::write::{Existing, convert};
use capture::{CaptureError, CaptureInfo, Change, ChangeSource, Channel};
use mcu::{Edge, Mcu};
use units::Picoseconds;

use super::parts::Parts;
use super::{Board, BoardError};

/// What is kept; what comes later is counted and left out.
const MOST_EDGES: usize = 20_000_000;
const BATCH: usize = 4096;

/// Edges since recording began.
#[derive(Debug, Clone, Default)]
pub(super) struct Recording {
    on: bool,
    /// The levels when it began, and when that was.
    start: (u32, Picoseconds),
    edges: Vec<Edge>,
    left_out: u64,
    /// The levels of outputs of parts, as they were last.
    outputs: u32,
    /// Those that a trace has not taken yet.
    fresh: Option<Vec<Edge>>,
}

impl Recording {
    /// Takes over the edges of the pins and those of outputs of parts.
    pub(super) fn collect(&mut self, chip: &mut dyn Mcu) {
        let outside: &mut dyn Any = chip.outside();
        let parts = outside.downcast_mut::<Parts>();
        let outputs = parts.map_or_else(Vec::new, |parts| {
            self.outputs = parts.outputs();
            parts.take_output_edges()
        });
        if !self.on {
            return;
        }
        let mut edges = chip.take_edges();
        edges.extend(outputs);
        let room = MOST_EDGES - self.edges.len();
        self.left_out += edges.len().saturating_sub(room) as u64;
        if let Some(fresh) = &mut self.fresh {
            fresh.extend(edges.iter().take(room));
        }
        self.add(edges.into_iter().take(room).collect());
    }

    /// Adds edges in their order. The bits of a frame come when the frame is over, after edges of other pins that were
    /// later than its first bits.
    fn add(&mut self, mut edges: Vec<Edge>) {
        edges.sort_by_key(|edge| edge.at);
        let Some(first) = edges.first() else { return };
        let late = self.edges.iter().rev().take_while(|edge| edge.at > first.at).count();
        let place = self.edges.len() - late;
        self.edges.append(&mut edges);
        self.edges[place..].sort_by_key(|edge| edge.at);
    }

    /// The levels of outputs of parts, each at the bit of its net.
    pub(super) fn outputs(&self) -> u32 {
        self.outputs
    }

    /// Keeps edges for a trace as well, or does so no longer.
    pub(super) fn keep_fresh(&mut self, keep: bool) {
        self.fresh = keep.then(Vec::new);
    }

    /// The edges since the last call.
    pub(super) fn take_fresh(&mut self) -> Vec<Edge> {
        self.fresh.as_mut().map_or_else(Vec::new, std::mem::take)
    }
}

impl Board {
    /// Keeps every edge of every pin from here on.
    pub fn record(&mut self) {
        if !self.recording.on {
            self.recording = Recording {
                on: true,
                start: (self.levels(), self.now()),
                outputs: self.recording.outputs(),
                ..Recording::default()
            };
            let clocks = self.parts().clocks();
            self.chip.record_pins(self.file.mcu.facts.all_pins() & !clocks);
            self.parts().record_outputs();
        }
    }

    /// Whether edges are recorded.
    pub fn records(&self) -> bool {
        self.recording.on
    }

    /// The edges that were recorded.
    pub fn edges(&self) -> &[Edge] {
        &self.recording.edges
    }

    /// How many edges there was no room for.
    pub fn edges_left_out(&self) -> u64 {
        self.recording.left_out
    }

    /// Writes the recording as a value change dump: the nets that the board file names, and every other pin that moved.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_vcd(&self, path: &Path) -> Result<(), BoardError> {
        let mut dump = Dump::new(self);
        convert(&mut dump, path, Existing::Replace).map_err(|error| match error {
            CaptureError::Io { path, source, .. } => BoardError::Write { path, reason: source.to_string() },
            other => BoardError::Refused(other.to_string()),
        })
    }
}

/// The recording as a capture.
struct Dump<'a> {
    info: CaptureInfo,
    /// The GPIO of each channel.
    pins: Vec<u8>,
    edges: std::slice::Iter<'a, Edge>,
    start_ps: i64,
    end_ps: i64,
    levels: u64,
    begun: bool,
    held: Option<Change>,
}

impl<'a> Dump<'a> {
    fn new(board: &'a Board) -> Self {
        let recording = &board.recording;
        let moved = recording.edges.iter().fold(0u32, |moved, edge| moved | 1 << edge.pin);
        let shown = |gpio: u8| moved >> gpio & 1 == 1 || board.file.pins.iter().any(|(_, pin)| *pin == gpio);
        let mut pins: Vec<u8> = (0..u32::BITS as u8).filter(|&net| shown(net)).collect();
        if pins.is_empty() {
            pins.push(0);
        }
        let channels = pins
            .iter()
            .map(|&gpio| Channel { index: u32::from(gpio), label: board.file.pin_name(gpio) })
            .collect();
        let info = CaptureInfo { format: "virtual board", channels, start: None, sample_rate: None };
        let levels =
            pins.iter().enumerate().map(|(bit, &gpio)| u64::from(recording.start.0 >> gpio & 1) << bit).sum();
        let start_ps = recording.start.1.ps();
        let (edges, end_ps) = (recording.edges.iter(), board.now().ps());
        Self { info, pins, edges, start_ps, end_ps, levels, begun: false, held: None }
    }

    fn next(&mut self) -> Option<Change> {
        if !self.begun {
            self.begun = true;
            return Some(Change { time_ps: 0, levels: self.levels });
        }
        for edge in self.edges.by_ref() {
            let Some(bit) = self.pins.iter().position(|&pin| pin == edge.pin) else { continue };
            let levels = if edge.level { self.levels | 1 << bit } else { self.levels & !(1 << bit) };
            if levels != self.levels {
                self.levels = levels;
                return Some(Change { time_ps: edge.at.ps() - self.start_ps, levels });
            }
        }
        None
    }
}

impl ChangeSource for Dump<'_> {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        batch.extend(self.held.take());
        while batch.len() < BATCH {
            let Some(change) = self.next() else { break };
            match batch.last_mut() {
                Some(last) if last.time_ps == change.time_ps => last.levels = change.levels,
                _ => batch.push(change),
            }
        }
        // The last one may share its time with the first of the next batch.
        if batch.len() == BATCH {
            self.held = batch.pop();
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        (self.end_ps - self.start_ps).max(0)
    }
}
