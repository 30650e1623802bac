//! Models against captures: the ledger, and the phases of one capture.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bench::validation::{self, CaptureQuestion};
use pyo3::prelude::*;
use record::Control;

use crate::bench::with_workers;
use crate::refused;
use crate::watch::while_working;

/// The ledger of all captures below a folder that a rule knows, as JSON.
#[pyfunction]
#[pyo3(signature = (folder, *, only, seed, workers, progress))]
pub(crate) fn validate(
    py: Python<'_>,
    folder: PathBuf,
    only: Vec<String>,
    seed: u64,
    workers: Option<usize>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<String> {
    let plan = validation::plan(&folder, &only);
    let control = Arc::new(Control::default());
    let total = validation::STEPS_PER_CAPTURE * plan.captures.len() as u64;
    let watched = Arc::clone(&control);
    let (mut ledger, interrupted) = while_working(py, control, total, progress, move || {
        with_workers(workers, || validation::validate(&plan, seed, &watched))
    })?;
    ledger.interrupted = interrupted;
    serde_json::to_string(&ledger).map_err(refused)
}

/// How much of a capture a link explains once its phases are fitted, as JSON.
#[pyfunction]
#[pyo3(signature = (path, link, payload_bytes, settings, *, trigger, done, seed))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
pub(crate) fn explain_capture(
    py: Python<'_>,
    path: PathBuf,
    link: String,
    payload_bytes: Option<u64>,
    settings: BTreeMap<String, String>,
    trigger: &str,
    done: &str,
    seed: u64,
) -> PyResult<String> {
    let selector = |text: &str| text.parse().unwrap_or(capture::ChannelSelector::Label(text.to_owned()));
    let question = CaptureQuestion {
        path,
        link,
        payload_bytes,
        settings,
        trigger: selector(trigger),
        done: selector(done),
        seed,
    };
    let explained = py.detach(|| validation::explain(&question)).map_err(refused)?;
    serde_json::to_string(&explained).map_err(refused)
}
