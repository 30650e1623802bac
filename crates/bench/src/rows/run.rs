//! A whole suite: rows on all cores, kept in the order of the suite.

use rayon::prelude::*;

use super::row::{Measure, RowResult, simulate_row};
use crate::suite::{Row, Suite};
use record::Control;
use record::run_folder::RunFolderError;

/// Samples that may be in memory before they are kept.
const SAMPLES_IN_FLIGHT: u64 = 4_000_000;

/// What became of a suite.
#[derive(Debug, Default)]
pub struct BenchRun {
    /// Rows in the order of the suite; those that were stopped before their first message are missing.
    pub rows: Vec<RowResult>,
    /// Why the run folder is not whole, if it is not.
    pub failure: Option<String>,
}

/// Runs a suite. Each row is handed to `keep` in the order of the suite; its samples and spans are dropped
/// afterwards where `forget` says so, which bounds the memory of long runs.
pub fn run(
    suite: &Suite,
    measure: Measure,
    control: &Control,
    forget: bool,
    keep: &mut dyn FnMut(&RowResult) -> Result<(), RunFolderError>,
) -> BenchRun {
    let mut done = BenchRun::default();
    let mut rest = suite.rows.as_slice();
    while !rest.is_empty() && !control.is_stopped() && done.failure.is_none() {
        let (now, later) = rest.split_at(rows_at_once(rest));
        rest = later;
        let results: Vec<_> =
            now.par_iter().with_max_len(1).map(|row| simulate_row(row, measure, control)).collect();
        for mut result in results.into_iter().flatten() {
            if let Err(error) = keep(&result) {
                done.failure = Some(error.to_string());
                return done;
            }
            if forget {
                result.spans = Vec::new();
                result.forget_samples();
            }
            done.rows.push(result);
        }
    }
    done
}

/// How many of the next rows fit into memory together; at least one.
fn rows_at_once(rows: &[Row]) -> usize {
    let mut samples = 0;
    let fits = |row: &&Row| {
        samples += row.samples;
        samples <= SAMPLES_IN_FLIGHT
    };
    rows.iter().take_while(fits).count().max(1)
}
