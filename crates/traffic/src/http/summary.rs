//! What `ab` prints, from samples. A percentile is taken as `ab` takes it: the value at index n * p / 100 of the sorted times.
//! The median is the usual one: of an even count, the mean of the two in the middle.

use std::fmt;

use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use crate::{Outcome, Sample};

const PERCENTILES: [u64; 9] = [50, 66, 75, 80, 90, 95, 98, 99, 100];

/// Minimum, mean, deviation, median and maximum of one phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Row {
    /// The least.
    pub min: Picoseconds,
    /// The mean, in milliseconds.
    pub mean_ms: f64,
    /// The standard deviation of a sample (n - 1), in milliseconds.
    pub deviation_ms: f64,
    /// The one in the middle.
    pub median: Picoseconds,
    /// The greatest.
    pub max: Picoseconds,
}

/// What `ab` prints.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Requests under way at a time.
    pub concurrency: u32,
    /// From the first trigger to the last completion.
    pub taken: Picoseconds,
    /// Requests with a whole response.
    pub complete: u64,
    /// Requests without one.
    pub failed: u64,
    /// Responses by the first digit of their status, from 1 to 5.
    pub status_classes: [u64; 5],
    /// Whole responses with a status of 400 and more.
    pub error_statuses: u64,
    /// Responses that left their connection open.
    pub kept_alive: u64,
    /// Bytes received.
    pub total_bytes: u64,
    /// Bytes of content received.
    pub body_bytes: u64,
    /// From asking for a connection to its opening; nothing on one that was used before.
    pub connect: Row,
    /// From the opening, or the request, to the last byte.
    pub processing: Row,
    /// From the opening, or the request, to the first byte.
    pub waiting: Row,
    /// From the start to the last byte.
    pub total: Row,
    /// Percent, and the total time within which so many requests were served.
    pub percentiles: Vec<(u64, Picoseconds)>,
}

impl Summary {
    /// The summary of samples.
    pub fn of(samples: &[Sample], concurrency: u32, kept_alive: u64) -> Self {
        let is_whole = |sample: &&Sample| sample.outcome == Outcome::Ok;
        let whole: Vec<&Sample> = samples.iter().filter(is_whole).collect();
        let phase = |of: &dyn Fn(&Sample) -> Option<Picoseconds>| {
            let mut times: Vec<Picoseconds> = whole.iter().filter_map(|sample| of(sample)).collect();
            times.sort_unstable();
            times
        };
        let opened = |sample: &Sample| sample.connect.unwrap_or(sample.trigger);
        let total = phase(&Sample::latency);
        let first = samples.iter().map(|sample| sample.trigger).min();
        let last = whole.iter().filter_map(|sample| sample.done).max();
        let mut status_classes = [0; 5];
        for status in whole.iter().filter_map(|sample| sample.status) {
            if let Some(class) = status_classes.get_mut(usize::from(status / 100).wrapping_sub(1)) {
                *class += 1;
            }
        }
        Self {
            concurrency,
            taken: first.zip(last).map_or(Picoseconds::ZERO, |(first, last)| last - first),
            complete: whole.len() as u64,
            failed: (samples.len() - whole.len()) as u64,
            status_classes,
            error_statuses: samples.iter().filter_map(Sample::error_status).count() as u64,
            kept_alive,
            total_bytes: samples.iter().map(|sample| sample.response_bytes).sum(),
            body_bytes: whole.iter().map(|sample| sample.payload_bytes).sum(),
            connect: Row::of(&phase(&|sample| Some(opened(sample) - sample.trigger))),
            processing: Row::of(&phase(&|sample| Some(sample.done? - opened(sample)))),
            waiting: Row::of(&phase(&|sample| Some(sample.first_byte? - opened(sample)))),
            percentiles: PERCENTILES.iter().filter_map(|p| Some((*p, percentile(&total, *p)?))).collect(),
            total: Row::of(&total),
        }
    }

    /// Requests with a whole response in a second.
    pub fn requests_per_second(&self) -> f64 {
        if self.taken.ps() == 0 {
            0.0
        } else {
            self.complete as f64 * PS_PER_S as f64 / self.taken.ps() as f64
        }
    }

    /// Milliseconds for one request as its maker sees it: over all the requests under way at a time.
    pub fn mean_time_per_request_ms(&self) -> f64 {
        f64::from(self.concurrency) * self.mean_time_across_requests_ms()
    }

    /// Milliseconds from completion to completion.
    pub fn mean_time_across_requests_ms(&self) -> f64 {
        if self.complete == 0 { 0.0 } else { milliseconds(self.taken) / self.complete as f64 }
    }

    /// Received in 1024 B a second.
    pub fn kibibytes_per_second(&self) -> f64 {
        let seconds = milliseconds(self.taken) / 1000.0;
        if seconds == 0.0 { 0.0 } else { self.total_bytes as f64 / 1024.0 / seconds }
    }
}

fn milliseconds(time: Picoseconds) -> f64 {
    time.ps() as f64 / PS_PER_MS as f64
}

fn percentile(sorted: &[Picoseconds], percent: u64) -> Option<Picoseconds> {
    let at = sorted.len() as u64 * percent / 100;
    sorted.get(usize::try_from(at).ok()?).or(sorted.last()).copied()
}

impl Row {
    fn of(sorted: &[Picoseconds]) -> Self {
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else { return Self::default() };
        let count = sorted.len();
        let mean_ms = sorted.iter().map(|time| milliseconds(*time)).sum::<f64>() / count as f64;
        let squares: f64 = sorted.iter().map(|time| (milliseconds(*time) - mean_ms).powi(2)).sum();
        let deviation_ms = if count > 1 { (squares / (count - 1) as f64).sqrt() } else { 0.0 };
        let middle = sorted[count / 2];
        let median = match count % 2 {
            0 => Picoseconds::new((sorted[count / 2 - 1] + middle).ps() / 2),
            _ => middle,
        };
        Self { min, mean_ms, deviation_ms, median, max }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Concurrency Level:      {}", self.concurrency)?;
        writeln!(f, "Time taken for tests:   {:.3} seconds", milliseconds(self.taken) / 1000.0)?;
        writeln!(f, "Complete requests:      {}", self.complete)?;
        writeln!(f, "Failed requests:        {}", self.failed)?;
        let others = self.complete - self.status_classes[1];
        if others > 0 {
            writeln!(f, "Non-2xx responses:      {others}")?;
        }
        writeln!(f, "Keep-Alive requests:    {}", self.kept_alive)?;
        writeln!(f, "Total transferred:      {} bytes", self.total_bytes)?;
        writeln!(f, "HTML transferred:       {} bytes", self.body_bytes)?;
        writeln!(f, "Requests per second:    {:.2} [#/sec] (mean)", self.requests_per_second())?;
        writeln!(f, "Time per request:       {:.3} [ms] (mean)", self.mean_time_per_request_ms())?;
        let across = self.mean_time_across_requests_ms();
        writeln!(f, "Time per request:       {across:.3} [ms] (mean, across all concurrent requests)")?;
        writeln!(f, "Transfer rate:          {:.2} [Kbytes/sec] received", self.kibibytes_per_second())?;
        writeln!(f, "\nConnection Times (ms)\n              min  mean[+/-sd] median   max")?;
        let rows = [&self.connect, &self.processing, &self.waiting, &self.total];
        for (name, row) in ["Connect:", "Processing:", "Waiting:", "Total:"].into_iter().zip(rows) {
            let (min, median, max) = (milliseconds(row.min), milliseconds(row.median), milliseconds(row.max));
            writeln!(
                f,
                "{name:<11} {min:6.1} {:6.1} {:5.1} {median:6.1} {max:7.1}",
                row.mean_ms, row.deviation_ms
            )?;
        }
        writeln!(f, "\nPercentage of the requests served within a certain time (ms)")?;
        for (percent, time) in &self.percentiles {
            writeln!(f, "  {percent:3}%  {:8.3}", milliseconds(*time))?;
        }
        Ok(())
    }
}
