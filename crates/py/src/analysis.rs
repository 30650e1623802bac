//! Captures to results: runs the analysis on threads of its own, so that Ctrl-C and progress reach Python while
//! it works.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bench::analysis::{self, Analysis, CaptureFolder};
use bench::captures::{self, Options};
use capture::ChannelSelector;
use capture::pairing::{Rule, Settings as PairingSettings};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use record::Control;
use record::run_folder::{check_absent, samples_table};
use stats::detect::Settings as DetectorSettings;

use crate::refused;
use crate::statistics::{finding_list, interval_dict, outcome_dict, summary_dict};
use crate::table::Table;
use crate::watch::while_working;

#[pyclass(frozen, module = "airwire._core")]
pub(crate) struct AnalysisResult {
    captures: Vec<Py<CaptureResult>>,
    #[pyo3(get)]
    errors: Vec<(String, String)>,
    #[pyo3(get)]
    interrupted: bool,
    #[pyo3(get)]
    run_folder: Option<PathBuf>,
}

#[pymethods]
impl AnalysisResult {
    #[getter]
    fn captures(&self, py: Python<'_>) -> Vec<Py<CaptureResult>> {
        self.captures.iter().map(|capture| capture.clone_ref(py)).collect()
    }
}

#[pyclass(frozen, module = "airwire._core")]
pub(crate) struct CaptureResult(analysis::CaptureResult);

#[pymethods]
impl CaptureResult {
    #[getter]
    fn path(&self) -> String {
        self.0.source.name.clone()
    }

    #[getter]
    fn group(&self) -> &str {
        &self.0.source.group
    }

    #[getter]
    fn payload_bytes(&self) -> Option<u64> {
        self.0.payload_bytes
    }

    #[getter]
    fn format(&self) -> &str {
        self.0.facts.info.format
    }

    #[getter]
    fn start(&self) -> Option<&str> {
        self.0.facts.info.start.as_deref()
    }

    #[getter]
    fn end_ps(&self) -> i64 {
        self.0.end_ps
    }

    #[getter]
    fn glitch_ps(&self) -> i64 {
        self.0.facts.glitch_ps
    }

    #[getter]
    fn triggers(&self) -> usize {
        self.0.samples.len()
    }

    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        outcome_dict(py, &self.0.facts.outcomes)
    }

    #[getter]
    fn unfinished(&self) -> usize {
        self.0.statistics.unfinished
    }

    #[getter]
    fn latency<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        summary_dict(py, &self.0.statistics)
    }

    #[getter]
    fn intervals<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        interval_dict(py, self.0.statistics.intervals.as_ref())
    }

    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        finding_list(py, &self.0.statistics.findings)
    }

    /// One row per trigger, in the columns of a run folder's `samples/`.
    fn samples(&self, py: Python<'_>) -> Table {
        Table(py.detach(|| samples_table(&self.0.labels(), &self.0.samples)))
    }
}

#[pyfunction]
#[pyo3(signature = (paths, *, trigger, done, pairing, glitch_ps, min_latency_ps, max_latency_ps, payload_bytes,
                    seed, intervals, findings, gate_ps, out, environment, progress))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
pub(crate) fn analyze(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    trigger: String,
    done: String,
    pairing: &str,
    glitch_ps: Option<i64>,
    min_latency_ps: i64,
    max_latency_ps: Option<i64>,
    payload_bytes: Option<u64>,
    seed: u64,
    intervals: bool,
    findings: bool,
    gate_ps: Option<i64>,
    out: Option<PathBuf>,
    environment: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<AnalysisResult> {
    let rule: Rule = pairing.parse().map_err(refused)?;
    let selector = |text: String| text.parse::<ChannelSelector>().unwrap_or(ChannelSelector::Label(text));
    let options = Options {
        trigger: selector(trigger),
        done: selector(done),
        pairing: PairingSettings { rule, glitch_ps, min_latency_ps, max_latency_ps },
        payload_bytes,
        seed,
        intervals,
        findings: findings.then_some(DetectorSettings { gate_ps, ..DetectorSettings::default() }),
        sha256: out.is_some(),
    };
    let environment = serde_json::from_str(environment).map_err(refused)?;
    out.as_deref().map(check_absent).transpose().map_err(refused)?;
    let (analysis, interrupted) = run(py, &paths, options, out.clone(), environment, progress)?;
    let captures = analysis
        .captures
        .into_iter()
        .map(|capture| Py::new(py, CaptureResult(capture)))
        .collect::<PyResult<_>>()?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let errors =
        analysis.failures.into_iter().map(|failure| (text(&failure.path), failure.message)).collect();
    let run_folder = out.filter(|out| out.exists());
    Ok(AnalysisResult { captures, errors, interrupted, run_folder })
}

/// Analyses on another thread; this one tells Python of progress and stops the other when Python asks to.
fn run(
    py: Python<'_>,
    paths: &[PathBuf],
    options: Options,
    out: Option<PathBuf>,
    environment: serde_json::Value,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<(Analysis, bool)> {
    let (sources, failures) = captures::discover(paths);
    let total = sources.len() as u64;
    let control = Arc::new(Control::default());
    let watched = Arc::clone(&control);
    while_working(py, control, total, progress, move || {
        // Created with the first capture, so that a batch without one leaves no empty folder.
        let mut folder = None;
        let mut analysis = analysis::analyze(&sources, &options, &watched, &mut |capture| {
            if let (Some(out), None) = (&out, &folder) {
                folder = Some(CaptureFolder::create(out, &options)?);
            }
            folder.as_mut().map_or(Ok(()), |folder| folder.add(capture))
        });
        if let Some(Err(error)) = folder.map(|folder| folder.finish(&environment)) {
            analysis.failures.push(captures::Failure { path: PathBuf::new(), message: error.to_string() });
        }
        analysis.failures.splice(0..0, failures);
        analysis
    })
}
