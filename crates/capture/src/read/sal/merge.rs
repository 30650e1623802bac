//! Joins the edges of several channels into changes in ascending time. Keeps to the part of the capture to
//! which it was trimmed; reads every channel to its end all the same, so that damage is found.

use super::channel::ChannelStream;
use crate::change::Change;
use crate::error::CaptureError;
use crate::read::clock::SampleClock;

/// A head of this value is no edge: the channel has ended.
const NO_EDGE: u64 = u64::MAX;

/// One selected channel.
struct Lane {
    stream: ChannelStream,
    edges: Vec<u64>,
    at: usize,
}

pub(super) struct Merger {
    lanes: Vec<Lane>,
    /// The next edge of each lane.
    heads: Vec<u64>,
    levels: u64,
    clock: SampleClock,
    begin: u64,
    /// The first sample that counts no more, if the capture was trimmed.
    end: Option<u64>,
}

/// A channel that does not fit, and why; the caller words the error.
pub(super) enum MergeError {
    Read(CaptureError),
    /// The edge at this sample lies too far from the begin to have a time.
    OutOfRange(u64),
}

impl From<CaptureError> for MergeError {
    fn from(error: CaptureError) -> Self {
        Self::Read(error)
    }
}

impl Merger {
    pub(super) fn new(streams: Vec<ChannelStream>, clock: SampleClock, begin: u64, end: Option<u64>) -> Self {
        let first_levels = streams.iter().enumerate();
        let levels = first_levels.fold(0, |levels, (bit, s)| levels | u64::from(s.first_level) << bit);
        let heads = vec![NO_EDGE; streams.len()];
        let lanes: Vec<Lane> =
            streams.into_iter().map(|stream| Lane { stream, edges: Vec::new(), at: 0 }).collect();
        Self { lanes, heads, levels, clock, begin, end }
    }

    /// Moves on to the capture's begin and returns the levels there.
    pub(super) fn start(&mut self) -> Result<u64, MergeError> {
        for lane in 0..self.lanes.len() {
            self.advance(lane, 0)?;
            while self.heads[lane] <= self.begin && self.heads[lane] != NO_EDGE {
                self.levels ^= 1 << lane;
                self.advance(lane, 1)?;
            }
        }
        Ok(self.levels)
    }

    /// Appends changes until the batch has `limit` or every channel has ended.
    pub(super) fn fill(&mut self, batch: &mut Vec<Change>, limit: usize) -> Result<(), MergeError> {
        while batch.len() < limit {
            let sample = self.heads.iter().copied().min().unwrap_or(NO_EDGE);
            if sample == NO_EDGE {
                return Ok(());
            }
            for lane in 0..self.lanes.len() {
                if self.heads[lane] == sample {
                    self.levels ^= 1 << lane;
                    self.advance(lane, 1)?;
                }
            }
            let time_ps = self.clock.time_ps(sample - self.begin).ok_or(MergeError::OutOfRange(sample))?;
            batch.push(Change { time_ps, levels: self.levels });
        }
        Ok(())
    }

    /// Where each channel's data ends, once all have been read.
    pub(super) fn ends(&self) -> impl Iterator<Item = u64> + '_ {
        self.lanes.iter().map(|lane| lane.stream.end)
    }

    /// Brings the edge `by` places on to the head of a lane.
    #[inline(always)]
    fn advance(&mut self, lane: usize, by: usize) -> Result<(), MergeError> {
        let state = &mut self.lanes[lane];
        state.at += by;
        match state.edges.get(state.at) {
            Some(edge) => self.heads[lane] = *edge,
            None => self.heads[lane] = self.refill(lane)?,
        }
        Ok(())
    }

    /// Reads further edges of a lane and returns the first of them.
    #[cold]
    #[inline(never)]
    fn refill(&mut self, lane: usize) -> Result<u64, MergeError> {
        let Lane { stream, edges, at } = &mut self.lanes[lane];
        *at = 0;
        loop {
            edges.clear();
            stream.read(edges)?;
            let Some(last) = edges.last().copied() else { return Ok(NO_EDGE) };
            if let Some(end) = self.end.filter(|end| *end <= last) {
                edges.truncate(edges.partition_point(|edge| *edge < end));
            }
            if let Some(first) = edges.first() {
                return Ok(*first);
            }
        }
    }
}
