//! Rows of a suite that ran on boards, and the settings of images.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bench::board_rows::{BoardEntry, BoardRowResult, board_spans, samples_of};
use board::{self, image_settings, read_image};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::json;

use crate::refused;
use crate::statistics::{finding_list, interval_dict, outcome_dict, summary_dict};
use crate::table::Table;

/// A row of a suite that ran on a board, measured.
#[pyclass(frozen, module = "airwire._core", name = "BoardRowResult")]
pub(crate) struct PyBoardRow(pub(crate) (BoardEntry, BoardRowResult));

#[pymethods]
impl PyBoardRow {
    #[getter]
    fn run(&self) -> &str {
        &self.0.0.run
    }

    /// What the run folder's manifest says of it, as JSON.
    fn entry(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.0).map_err(refused)
    }

    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        outcome_dict(py, &self.0.1.outcomes())
    }

    #[getter]
    fn latency<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        summary_dict(py, &self.0.1.statistics)
    }

    #[getter]
    fn intervals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        interval_dict(py, self.0.1.statistics.intervals.as_ref())
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        finding_list(py, &self.0.1.statistics.findings)
    }

    /// One row per message.
    fn samples(&self, py: Python<'_>) -> Table {
        Table(py.detach(|| samples_of(&self.0.1)))
    }

    /// Where the time of the traced messages goes.
    fn spans(&self, py: Python<'_>) -> Table {
        Table(py.detach(|| board_spans(&self.0.1)))
    }
}

/// The settings that an image declares, as JSON.
#[pyfunction]
pub(crate) fn image_setting_list(image: PathBuf, symbols: Option<PathBuf>) -> PyResult<String> {
    let image = read_image(&image, symbols.as_deref()).map_err(refused)?;
    let settings = image_settings(&image).map_err(refused)?;
    let listed = settings.iter().map(|one| {
        json!({"name": one.name, "value": one.value(), "text": one.text(), "shown": one.shown(),
               "takes": one.takes(), "meaning": one.meaning, "address": one.address})
    });
    Ok(json!(listed.collect::<Vec<_>>()).to_string())
}

/// An image as a file with other settings, in the format that the name `out` ends in.
#[pyfunction]
pub(crate) fn changed_image_file<'py>(
    py: Python<'py>,
    image: PathBuf,
    symbols: Option<PathBuf>,
    settings: BTreeMap<String, String>,
    out: PathBuf,
) -> PyResult<Bound<'py, PyBytes>> {
    let file = board::changed_image_file(&image, symbols.as_deref(), &settings, &out).map_err(refused)?;
    Ok(PyBytes::new(py, &file))
}
