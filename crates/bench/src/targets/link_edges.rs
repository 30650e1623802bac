//! The edges of a virtual run as a capture: what an analyser on the trigger and done pins would have seen.

use capture::{CaptureError, CaptureInfo, Change, ChangeSource, Channel};
use record::Samples;
use units::{PS_PER_US, Picoseconds};

/// Pulses are this long where the next edge leaves room.
const PULSE_PS: i64 = 10 * PS_PER_US;
const BATCH: usize = 4096;
const TRIGGER: u64 = 1;
const DONE: u64 = 2;

/// The level changes of two pins.
#[derive(Debug)]
pub struct VirtualEdges {
    info: CaptureInfo,
    /// Time, bit, and whether it rises; ascending.
    edges: Vec<(i64, u64, bool)>,
    next: usize,
    levels: u64,
    begun: bool,
    end_ps: i64,
}

impl VirtualEdges {
    /// The edges of messages.
    pub fn new(samples: &Samples, end_ps: i64) -> Self {
        let rises: Vec<i64> = samples.trigger_times_ps().to_vec();
        let mut dones: Vec<i64> =
            samples.iter().filter_map(|sample| sample.done).map(Picoseconds::ps).collect();
        dones.sort_unstable();
        let mut edges = Vec::with_capacity(4 * rises.len());
        for (times, others, bit) in [(&rises, &dones, TRIGGER), (&dones, &rises, DONE)] {
            for (index, &rise) in times.iter().enumerate() {
                // A pulse is over before the next edge of either pin, so that every edge can be seen to belong.
                let after = |list: &[i64], from: usize| list.get(from).map_or(i64::MAX, |next| next - rise);
                let other = others.partition_point(|&time| time <= rise);
                let room = after(times, index + 1).min(after(others, other));
                edges.push((rise, bit, true));
                edges.push((rise + (room / 2).clamp(1, PULSE_PS), bit, false));
            }
        }
        edges.sort_unstable();
        let channel = |index: u32, label: &str| Channel { index, label: label.to_owned() };
        let info = CaptureInfo {
            format: "virtual link bench",
            channels: vec![channel(0, "trigger"), channel(1, "done")],
            start: None,
            sample_rate: None,
        };
        Self { info, edges, next: 0, levels: 0, begun: false, end_ps: end_ps + 2 * PULSE_PS }
    }
}

impl ChangeSource for VirtualEdges {
    fn info(&self) -> &CaptureInfo {
        &self.info
    }

    fn next_batch(&mut self, batch: &mut Vec<Change>) -> Result<(), CaptureError> {
        batch.clear();
        if !self.begun {
            self.begun = true;
            batch.push(Change { time_ps: 0, levels: 0 });
        }
        while let Some(&(time_ps, bit, rises)) = self.edges.get(self.next).filter(|_| batch.len() < BATCH) {
            self.levels = if rises { self.levels | bit } else { self.levels & !bit };
            self.next += 1;
            match batch.last_mut().filter(|last| last.time_ps == time_ps) {
                Some(last) => last.levels = self.levels,
                None => batch.push(Change { time_ps, levels: self.levels }),
            }
        }
        Ok(())
    }

    fn end_ps(&self) -> i64 {
        self.end_ps
    }
}
