//! The virtual link bench: listings and budgets of links, suites and single simulations.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ::links::{Definition, Settings};
use bench::board_rows::{ReadyRow, STEPS, prepare};
use bench::rows::{
    self, BenchRun, BoardRun, Measure, RowResult, StageEntry, SuiteFolder, link_spans, run_boards,
};
use bench::suite::{Row, Suite, Trigger};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use record::Control;
use record::run_folder::{check_absent, samples_table};
use serde_json::{Value, json};

use crate::board_rows::PyBoardRow;
use crate::refused;
use crate::statistics::{finding_list, interval_dict, outcome_dict, summary_dict};
use crate::table::Table;
use crate::watch::while_working;

type Changes = BTreeMap<String, String>;

/// All links with settings and constants, as JSON.
#[pyfunction]
pub(crate) fn links() -> String {
    let listed: Vec<Value> = ::links::all().iter().map(describe).collect();
    Value::from(listed).to_string()
}

fn describe(link: &Definition) -> Value {
    let setting = |setting: &::links::Setting| {
        json!({
            "name": setting.name, "takes": setting.kind.to_string(), "default": setting.default,
            "help": setting.help, "alternatives": setting.alternatives,
        })
    };
    let constant = |(name, param): (&str, &::links::Param)| {
        json!({
            "name": name, "value": param.value, "meaning": param.meaning,
            "source": param.source, "fitted": param.fitted,
        })
    };
    json!({
        "name": link.name,
        "title": link.title,
        "max_payload_bytes": link.max_payload_bytes,
        "settings": link.settings.iter().map(setting).collect::<Vec<_>>(),
        "constants": link.params().iter().map(constant).collect::<Vec<_>>(),
        "gates": gates(link, &link.defaults()),
    })
}

fn gates(link: &Definition, settings: &Settings) -> Vec<Value> {
    let Ok(mut program) = link.program(settings) else { return Vec::new() };
    program.gates().iter().map(|gate| json!({"name": gate.name(), "period_ps": gate.period().ps()})).collect()
}

fn texts(settings: &Settings) -> BTreeMap<&'static str, String> {
    settings.iter().map(|(name, value)| (name, value.to_string())).collect()
}

fn changed(link: &Definition, changes: &Changes) -> Result<Settings, ::links::LinkError> {
    link.settings_with(changes.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// The JSON Schema of suites.
#[pyfunction]
pub(crate) fn suite_schema() -> String {
    bench::suite::schema().to_string()
}

/// The closed-form budget of a link, as JSON.
#[pyfunction]
pub(crate) fn link_budget(name: &str, payload_bytes: u64, settings: Changes) -> PyResult<String> {
    let link = ::links::find(name).map_err(refused)?;
    let settings = changed(link, &settings).map_err(refused)?;
    let bytes = link.check_payload(payload_bytes).map_err(refused)?;
    let program = link.program(&settings).map_err(refused)?;
    let stages = StageEntry::of(&program.budget(bytes));
    let total: i64 = stages.iter().map(|stage| stage.ps).sum();
    Ok(json!({
        "link": link.name, "title": link.title, "payload_bytes": bytes, "settings": texts(&settings),
        "total_ps": total, "loss": program.loss(bytes), "stages": stages, "gates": gates(link, &settings),
    })
    .to_string())
}

/// A row of a suite, measured.
#[pyclass(frozen, module = "airwire._core", name = "RowResult")]
pub(crate) struct PyRow(RowResult);

#[pymethods]
impl PyRow {
    #[getter]
    fn run(&self) -> &str {
        &self.0.row.name
    }

    #[getter]
    fn entry(&self) -> &str {
        &self.0.row.entry
    }

    #[getter]
    fn link(&self) -> &str {
        self.0.row.link.name
    }

    #[getter]
    fn title(&self) -> &str {
        self.0.row.link.title
    }

    #[getter]
    fn payload_bytes(&self) -> u32 {
        self.0.row.payload_bytes
    }

    #[getter]
    fn settings(&self) -> BTreeMap<&'static str, String> {
        texts(&self.0.row.settings)
    }

    #[getter]
    fn trigger(&self) -> &str {
        &self.0.trigger
    }

    #[getter]
    fn outcomes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        outcome_dict(py, &self.0.outcomes())
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

    #[getter]
    fn longest_queue(&self) -> usize {
        self.0.longest_queue
    }

    #[getter]
    fn end_ps(&self) -> i64 {
        self.0.end_ps
    }

    /// What others measured of the row, as in its manifest; nothing where that is not known.
    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(published) = &self.0.row.published else { return Ok(None) };
        let dict = PyDict::new(py);
        dict.set_item("median_ps", published.median.ps())?;
        dict.set_item("source", &published.source)?;
        dict.set_item("note", &published.note)?;
        Ok(Some(dict))
    }

    #[getter]
    fn budget<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let stages = StageEntry::of(&self.0.budget);
        stages
            .iter()
            .map(|stage| {
                let dict = PyDict::new(py);
                dict.set_item("cause", stage.cause)?;
                dict.set_item("site", stage.site)?;
                dict.set_item("subject", stage.subject)?;
                dict.set_item("detail", &stage.detail)?;
                dict.set_item("ps", stage.ps)?;
                Ok(dict)
            })
            .collect()
    }

    /// One row per message; empty once a run folder holds them.
    fn samples(&self, py: Python<'_>) -> Table {
        Table(py.detach(|| samples_table(&self.0.labels(), &self.0.pairing)))
    }

    /// Where the time of the first messages went; empty once a run folder holds it.
    fn spans(&self, py: Python<'_>) -> Table {
        Table(py.detach(|| link_spans(&self.0)))
    }
}

/// A suite, measured.
#[pyclass(frozen, module = "airwire._core")]
pub(crate) struct SuiteResult {
    #[pyo3(get)]
    suite: String,
    #[pyo3(get)]
    seed: u64,
    rows: Vec<Py<PyRow>>,
    boards: Vec<Py<PyBoardRow>>,
    #[pyo3(get)]
    errors: Vec<(String, String)>,
    #[pyo3(get)]
    interrupted: bool,
    #[pyo3(get)]
    run_folder: Option<PathBuf>,
}

#[pymethods]
impl SuiteResult {
    #[getter]
    fn rows(&self, py: Python<'_>) -> Vec<Py<PyRow>> {
        self.rows.iter().map(|row| row.clone_ref(py)).collect()
    }

    /// Rows that ran on boards.
    #[getter]
    fn boards(&self, py: Python<'_>) -> Vec<Py<PyBoardRow>> {
        self.boards.iter().map(|row| row.clone_ref(py)).collect()
    }
}

/// How many messages of a row leave spans.
const SPANS_OF_FIRST: u64 = 1000;

#[pyfunction]
#[pyo3(signature = (path, *, samples, seed, only, firmware, workers, captures, intervals, findings, out, environment, progress))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
pub(crate) fn run_suite(
    py: Python<'_>,
    path: PathBuf,
    samples: Option<u64>,
    seed: Option<u64>,
    only: Vec<String>,
    firmware: Option<PathBuf>,
    workers: Option<usize>,
    captures: bool,
    intervals: bool,
    findings: bool,
    out: PathBuf,
    environment: &str,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<SuiteResult> {
    let suite = Suite::open(&path).and_then(|suite| suite.narrowed(&only, samples, seed)).map_err(refused)?;
    let ready = prepare(&suite, firmware.as_deref()).map_err(refused)?;
    let environment: Value = serde_json::from_str(environment).map_err(refused)?;
    check_absent(&out).map_err(refused)?;
    let measure = Measure { seed: suite.seed, intervals, findings, spans_of_first: SPANS_OF_FIRST };
    let total = suite.rows.iter().map(|row| row.samples).sum::<u64>() + STEPS * ready.len() as u64;
    let (name, seed) = (suite.name.clone(), suite.seed);
    let folder = SuiteFolder::create(&out, &suite, captures).map_err(refused)?;
    let control = Arc::new(Control::default());
    let ((links, boards), interrupted) =
        while_working(py, Arc::clone(&control), total, progress, move || {
            with_workers(workers, || keep_run(&suite, &ready, measure, &control, folder, &environment))
        })?;
    let where_it_is = out.to_string_lossy().into_owned();
    let failures = links.failure.into_iter().chain(boards.failure);
    let errors = failures.map(|message| (where_it_is.clone(), message)).collect();
    let rows = links.rows.into_iter().map(|row| Py::new(py, PyRow(row))).collect::<PyResult<_>>()?;
    let boards = boards.rows.into_iter().map(|row| Py::new(py, PyBoardRow(row))).collect::<PyResult<_>>()?;
    Ok(SuiteResult { suite: name, seed, rows, boards, errors, interrupted, run_folder: Some(out) })
}

fn keep_run(
    suite: &Suite,
    ready: &[ReadyRow],
    measure: Measure,
    control: &Control,
    mut folder: SuiteFolder,
    environment: &Value,
) -> (BenchRun, BoardRun) {
    let mut links = rows::run(suite, measure, control, true, &mut |row| folder.add(row));
    let boards = match links.failure {
        None => run_boards(ready, measure.seed, measure.findings, control, &mut |entry, row| {
            folder.add_board(entry, row)
        }),
        Some(_) => BoardRun::default(),
    };
    if let Err(error) = folder.finish(environment) {
        links.failure.get_or_insert(error.to_string());
    }
    (links, boards)
}

/// Runs work on so many threads, or on all cores.
pub(crate) fn with_workers<T: Send>(workers: Option<usize>, work: impl FnOnce() -> T + Send) -> T {
    match workers.map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build()) {
        Some(Ok(pool)) => pool.install(work),
        _ => work(),
    }
}

/// Runs links by themselves, without a suite or a run folder.
#[pyfunction]
#[pyo3(signature = (requests, *, samples, seed, spans, trigger, workers))]
pub(crate) fn simulate(
    py: Python<'_>,
    requests: Vec<(String, u64, Changes)>,
    samples: u64,
    seed: u64,
    spans: u64,
    trigger: Option<Changes>,
    workers: Option<usize>,
) -> PyResult<Vec<PyRow>> {
    let trigger =
        trigger.map_or(Ok(Trigger::default()), |fields| Trigger::of_fields(&fields)).map_err(refused)?;
    let row = |(name, payload, changes): &(String, u64, Changes)| -> Result<Row, ::links::LinkError> {
        let link = ::links::find(name)?;
        let settings = changed(link, changes)?;
        link.program(&settings)?;
        let payload_bytes = link.check_payload(*payload)?;
        let name = format!("{name}/{payload}B");
        let (entry, trigger) = (link.name.to_owned(), trigger.clone());
        Ok(Row { name, entry, link, settings, payload_bytes, trigger, samples, published: None })
    };
    let rows = requests.iter().map(row).collect::<Result<Vec<Row>, _>>().map_err(refused)?;
    rows.iter().try_for_each(Row::check).map_err(refused)?;
    let name = "simulate".to_owned();
    let suite = Suite { name, text: String::new(), seed, path: PathBuf::new(), rows, boards: Vec::new() };
    let measure = Measure { seed, intervals: false, findings: false, spans_of_first: spans };
    let control = Arc::new(Control::default());
    let (result, interrupted) = while_working(py, Arc::clone(&control), 0, None, move || {
        with_workers(workers, || rows::run(&suite, measure, &control, false, &mut |_| Ok(())))
    })?;
    if interrupted {
        return Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()));
    }
    Ok(result.rows.into_iter().map(PyRow).collect())
}
