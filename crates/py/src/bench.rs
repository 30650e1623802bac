//! The virtual link bench: listings and budgets of links, suites and single simulations.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, mpsc};

use ::links::{Definition, Settings};
use bench::rows::{self, Measure, ReadyRow, RowEntry, RowResult, SuiteFolder};
use bench::suite::{LinkSetup, Measurement, Place, Row, RowBound, Suite, TargetSetup, Trigger};
use bench::targets::link::StageEntry;
use bench::targets::mock::mocked_rows;
use bench::targets::{ImagePlaces, ready_rows};
use pyo3::prelude::*;
use record::run_folder::{SampleLabels, check_absent, samples_table};
use record::{Control, Seen};
use serde_json::{Value, json};

use crate::refused;
use crate::rows::{PyFigureRow, PyRow};
use crate::table::Table;
use crate::watch::{while_telling, while_working};

type Changes = BTreeMap<String, String>;

/// Rows with more of them are not told of while a suite runs, which bounds the memory that copies take.
const MOST_SAMPLES_TOLD: usize = 100_000;

/// All links with settings and constants, as JSON.
#[pyfunction]
pub(crate) fn links() -> String {
    let listed: Vec<Value> = ::links::all().iter().map(describe).collect();
    Value::from(listed).to_string()
}

fn describe(link: &Definition) -> Value {
    let setting = |setting: &::links::Field| {
        json!({
            "name": setting.name, "takes": setting.takes.to_string(), "default": setting.default,
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

/// A bound on a figure: its relation, its limit, and the unit of that.
#[pyfunction]
pub(crate) fn parse_bound(figure: &str, text: &str) -> PyResult<(&'static str, f64, &'static str)> {
    let found = RowBound::parse(figure, text).map_err(refused)?;
    Ok((found.bound.relation.sign(), found.bound.limit, found.bounded.unit()))
}

/// The file of an image that a suite in `folder` names: in the folder that the user names, else in those that every run looks
/// into.
#[pyfunction]
#[pyo3(signature = (name, folder, *, named, packaged))]
pub(crate) fn find_image(
    name: &str,
    folder: PathBuf,
    named: Option<PathBuf>,
    packaged: Option<PathBuf>,
) -> PyResult<PathBuf> {
    ImagePlaces { named, packaged }.path_of(name, &folder).map_err(refused)
}

/// The closed-form budget of a link, as JSON.
#[pyfunction]
pub(crate) fn link_budget(name: &str, payload_bytes: u64, settings: Changes) -> PyResult<String> {
    let link = ::links::find(name).map_err(refused)?;
    let settings = changed(link, &settings).map_err(refused)?;
    let bytes = link.check_payload(payload_bytes).map_err(refused)?;
    let program = link.program(&settings).map_err(refused)?;
    let budget = program.budget(bytes);
    let stages = StageEntry::of(&budget);
    let total: i64 = stages.iter().map(|stage| stage.ps).sum();
    Ok(json!({
        "link": link.name, "title": link.title, "payload_bytes": bytes, "settings": texts(&settings),
        "total_ps": total, "loss": program.loss(bytes), "stages": stages, "gates": gates(link, &settings),
        "energy": link.energy(&settings, &budget),
    })
    .to_string())
}

/// A suite, measured.
#[pyclass(frozen, module = "airwire._core")]
pub(crate) struct SuiteResult {
    #[pyo3(get)]
    suite: String,
    #[pyo3(get)]
    seed: u64,
    rows: Vec<Py<PyRow>>,
    figures: Vec<Py<PyFigureRow>>,
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

    /// Rows that ran on boards, virtual or real.
    #[getter]
    fn figures(&self, py: Python<'_>) -> Vec<Py<PyFigureRow>> {
        self.figures.iter().map(|row| row.clone_ref(py)).collect()
    }
}

/// Runs a suite into a run folder. `images` is the folder of those that came with the package. `mocks` is for tests alone: its
/// rows run on mock targets, which do as this JSON says. `samples_seen` is called with the messages of rows that take real time
/// as they come, `ready` once when the sockets of the first of them stand, and `text` is the suite itself, of which `path` is no more than what errors call it.
#[pyfunction]
#[pyo3(signature = (path, *, samples, seed, only, firmware, images, workers, captures, intervals, findings, out, environment, progress, row_done = None, samples_seen = None, ready = None, text = None, mocks = None))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
pub(crate) fn run_suite(
    py: Python<'_>,
    path: PathBuf,
    samples: Option<u64>,
    seed: Option<u64>,
    only: Vec<String>,
    firmware: Option<PathBuf>,
    images: Option<PathBuf>,
    workers: Option<usize>,
    captures: bool,
    intervals: bool,
    findings: bool,
    out: PathBuf,
    environment: &str,
    progress: Option<Bound<'_, PyAny>>,
    row_done: Option<Bound<'_, PyAny>>,
    samples_seen: Option<Bound<'_, PyAny>>,
    ready: Option<Bound<'_, PyAny>>,
    text: Option<String>,
    mocks: Option<&str>,
) -> PyResult<SuiteResult> {
    let suite = match text {
        Some(text) => Suite::parse(&path, text),
        None => Suite::open(&path),
    };
    let suite = suite.and_then(|suite| suite.narrowed(&only, samples, seed)).map_err(refused)?;
    let rows = match mocks {
        Some(mocks) => mocked_rows(&suite, &serde_json::from_str(mocks).map_err(refused)?),
        None => ready_rows(&suite, &ImagePlaces { named: firmware, packaged: images }).map_err(refused)?,
    };
    rows::check_room(&rows).map_err(refused)?;
    let environment: Value = serde_json::from_str(environment).map_err(refused)?;
    check_absent(&out).map_err(refused)?;
    let measure = Measure { seed: suite.seed, intervals, findings, spans_of_first: Measure::SPANS_OF_FIRST };
    let folder = SuiteFolder::create(&out, &suite, captures).map_err(refused)?;
    let control = Arc::new(Control::default());
    let watched = Arc::clone(&control);
    let (told, untold) = mpsc::channel();
    let told = row_done.is_some().then_some(told);
    if samples_seen.is_some() {
        control.watch();
    }
    let seen_by = Arc::clone(&control);
    let mut ready = ready;
    let mut tell = || {
        if seen_by.is_ready()
            && let Some(ready) = ready.take()
        {
            ready.call0()?;
        }
        call_with_seen(samples_seen.as_ref(), &seen_by)?;
        untold.try_iter().try_for_each(|row| call_with_row(py, row_done.as_ref(), row))
    };
    let (done, interrupted) =
        while_telling(py, control, rows::steps(&rows), progress, &mut tell, move || {
            let mut kept = |entry: &RowEntry, row: &RowResult| {
                if let Some(told) = &told
                    && row.samples.len() <= MOST_SAMPLES_TOLD
                {
                    // The receiver is gone only if Python is going down as well.
                    let _ = told.send((entry.clone(), row.clone()));
                }
            };
            with_workers(workers, || {
                rows::run_into(folder, &rows, measure, &watched, &environment, &mut kept)
            })
        })?;
    let where_it_is = out.to_string_lossy().into_owned();
    let errors = done.failure.into_iter().map(|message| (where_it_is.clone(), message)).collect();
    let (links, figures): (Vec<_>, Vec<_>) =
        done.rows.into_iter().partition(|(_, result)| result.row.link().is_some());
    let rows = links.into_iter().map(|row| Py::new(py, PyRow(row))).collect::<PyResult<_>>()?;
    let figures = figures.into_iter().map(|row| Py::new(py, PyFigureRow(row))).collect::<PyResult<_>>()?;
    let (suite, seed) = (suite.name, suite.seed);
    let run_folder = out.is_dir().then_some(out);
    Ok(SuiteResult { suite, seed, rows, figures, errors, interrupted, run_folder })
}

/// Hands messages to Python as they come, a table for each row.
fn call_with_seen(samples_seen: Option<&Bound<'_, PyAny>>, control: &Control) -> PyResult<()> {
    let Some(samples_seen) = samples_seen else { return Ok(()) };
    for Seen { row, unit, samples } in control.take_seen() {
        let labels = SampleLabels { run: &row, target: "", variant: &row, traffic: "", payload_bytes: None };
        samples_seen.call1((row.as_str(), unit, Table(samples_table(&labels, &samples))))?;
    }
    Ok(())
}

/// Hands a row that was kept to Python, with samples and spans, which only a run folder holds afterwards.
fn call_with_row(
    py: Python<'_>,
    row_done: Option<&Bound<'_, PyAny>>,
    row: (RowEntry, RowResult),
) -> PyResult<()> {
    let Some(row_done) = row_done else { return Ok(()) };
    if row.1.row.link().is_some() {
        row_done.call1((Py::new(py, PyRow(row))?,))?;
    } else {
        row_done.call1((Py::new(py, PyFigureRow(row))?,))?;
    }
    Ok(())
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
    let ready = |(name, payload, changes): &(String, u64, Changes)| -> Result<ReadyRow, ::links::LinkError> {
        let link = ::links::find(name)?;
        let settings = changed(link, changes)?;
        link.program(&settings)?;
        let payload_bytes = link.check_payload(*payload)?;
        let setup = LinkSetup { link, settings, payload_bytes, trigger: trigger.clone() };
        let row = Row {
            name: format!("{name}/{payload}B"),
            entry: link.name.to_owned(),
            title: link.title.to_owned(),
            target: TargetSetup::Link(setup.clone()),
            measurement: Measurement::of_samples(samples),
            same_but: None,
            published: None,
            bounds: Vec::new(),
            place: Place::default(),
        };
        Ok(ReadyRow { row, recipe: Arc::new(setup) })
    };
    let ready = requests.iter().map(ready).collect::<Result<Vec<ReadyRow>, _>>().map_err(refused)?;
    ready.iter().try_for_each(|ready| ready.row.check()).map_err(refused)?;
    let measure = Measure { seed, intervals: false, findings: false, spans_of_first: spans };
    let control = Arc::new(Control::default());
    let (result, interrupted) = while_working(py, Arc::clone(&control), 0, None, move || {
        with_workers(workers, || rows::run(&ready, measure, &control, false, &mut |_, _| Ok(())))
    })?;
    if interrupted {
        return Err(pyo3::exceptions::PyKeyboardInterrupt::new_err(()));
    }
    result.failure.map_or(Ok(()), |failure| Err(refused(failure)))?;
    Ok(result.rows.into_iter().map(PyRow).collect())
}
