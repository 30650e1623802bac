//! Captures as tables and as other files, and quantities as text.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::builder::{BooleanBuilder, Int64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use capture::write::Existing;
use capture::{CaptureError, ChangeSource, ChannelSelector, OpenOptions, Watch, Watched};
use pyo3::prelude::*;

use crate::refused;
use crate::table::Table;

/// How often Python is asked for signals while a capture is read.
const SIGNAL_POLL: Duration = Duration::from_millis(10);

fn selectors(channels: Vec<String>) -> Vec<ChannelSelector> {
    channels.into_iter().map(|text| text.parse().unwrap_or(ChannelSelector::Label(text))).collect()
}

/// Opens a capture, hands it to `work` on a thread of its own and waits; Ctrl-C in Python ends the source.
fn while_watching<T: Send + 'static>(
    py: Python<'_>,
    path: PathBuf,
    channels: Vec<String>,
    progress: Option<Bound<'_, PyAny>>,
    work: impl FnOnce(Watched) -> Result<T, CaptureError> + Send + 'static,
) -> PyResult<T> {
    let watch = Arc::new(Watch::default());
    let held = Arc::clone(&watch);
    let worker = std::thread::spawn(move || {
        let source = capture::open(&path, &OpenOptions { channels: selectors(channels) })?;
        work(Watched::new(&path, source, held))
    });
    let mut interruption = Ok(());
    while !worker.is_finished() {
        py.detach(|| std::thread::sleep(SIGNAL_POLL));
        let told = progress.as_ref().map_or(Ok(()), |tell| tell.call1((watch.time_ps(),)).map(|_| ()));
        if let Err(error) = py.check_signals().and(told) {
            watch.stop();
            files::stop_waiting();
            interruption = Err(error);
        }
    }
    let outcome = worker
        .join()
        .map_err(|_| refused("reading the capture ended by a fault of Airwire; please report it"))?;
    interruption.and(outcome.map_err(refused))
}

/// The level changes of a capture: `time_ps` and one column of levels per channel.
#[pyfunction]
pub(crate) fn read_edges(
    py: Python<'_>,
    path: PathBuf,
    channels: Vec<String>,
) -> PyResult<(Table, Option<String>, i64)> {
    let read = |mut source: Watched| {
        let labels: Vec<String> =
            source.info().channels.iter().map(|channel| channel.label.clone()).collect();
        let mut time_ps = Int64Builder::new();
        let mut levels: Vec<BooleanBuilder> = labels.iter().map(|_| BooleanBuilder::new()).collect();
        let mut batch = Vec::new();
        loop {
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            for change in &batch {
                time_ps.append_value(change.time_ps);
                for (bit, column) in levels.iter_mut().enumerate() {
                    column.append_value(change.levels >> bit & 1 == 1);
                }
            }
        }
        let mut columns: Vec<(String, ArrayRef)> = vec![("time_ps".to_owned(), Arc::new(time_ps.finish()))];
        for (label, mut column) in labels.into_iter().zip(levels) {
            columns.push((unique(&columns, label), Arc::new(column.finish())));
        }
        let table = RecordBatch::try_from_iter(columns).expect("every column has a row per change");
        Ok((table, source.info().start.clone(), source.end_ps()))
    };
    let (table, start, end_ps) = while_watching(py, path, channels, None, read)?;
    Ok((Table(table), start, end_ps))
}

/// A column name that is not taken yet.
fn unique(columns: &[(String, ArrayRef)], label: String) -> String {
    let taken = |name: &str| columns.iter().any(|(other, _)| other == name);
    if !taken(&label) {
        return label;
    }
    (2..).map(|k| format!("{label} ({k})")).find(|name| !taken(name)).expect("some number is free")
}

/// Writes a capture in another format; `progress(time_ps)` is told how far into the capture it is.
#[pyfunction]
pub(crate) fn convert(
    py: Python<'_>,
    source: PathBuf,
    destination: PathBuf,
    channels: Vec<String>,
    overwrite: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<()> {
    let existing = if overwrite { Existing::Replace } else { Existing::Keep };
    while_watching(py, source, channels, progress, move |mut changes| {
        capture::write::convert(&mut changes, &destination, existing)
    })
}

#[pyfunction]
pub(crate) fn parse_time_ps(text: &str) -> PyResult<i64> {
    text.parse::<units::Picoseconds>().map(units::Picoseconds::ps).map_err(refused)
}

#[pyfunction]
pub(crate) fn parse_bytes(text: &str) -> PyResult<u64> {
    text.parse::<units::Bytes>().map(units::Bytes::get).map_err(refused)
}

#[pyfunction]
pub(crate) fn format_time(ps: i64) -> String {
    units::Picoseconds::new(ps).to_string()
}
