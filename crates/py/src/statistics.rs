//! Statistics of samples that Python holds already.

use capture::pairing::Outcomes;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use record::{IntervalReport, Statistics};
use stats::detect::{Evidence, Exchange, Exchanges, Finding, Settings, seen_from_outside};

use crate::refused;

/// How many messages had each outcome.
pub(crate) fn outcome_dict<'py>(py: Python<'py>, outcomes: &Outcomes) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, count) in outcomes.by_name() {
        dict.set_item(name, count)?;
    }
    Ok(dict)
}

/// Percentiles by name, or nothing.
pub(crate) fn summary_dict<'py>(
    py: Python<'py>,
    statistics: &Statistics,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(summary) = &statistics.summary else { return Ok(None) };
    let dict = PyDict::new(py);
    dict.set_item("n", summary.n)?;
    for (name, value) in summary.by_name() {
        dict.set_item(name, value)?;
    }
    Ok(Some(dict))
}

pub(crate) fn interval_dict<'py>(
    py: Python<'py>,
    report: Option<&IntervalReport>,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(report) = report else { return Ok(None) };
    let dict = PyDict::new(py);
    dict.set_item("median_ps", report.median_ps)?;
    dict.set_item("upper_quartile_ps", report.upper_quartile_ps)?;
    dict.set_item("confidence", report.confidence)?;
    dict.set_item("effective_n", report.effective_n)?;
    Ok(Some(dict))
}

fn evidence_dict<'py>(
    py: Python<'py>,
    evidence: &[(&'static str, Evidence)],
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in evidence {
        match value {
            Evidence::Number(number) => dict.set_item(name, number)?,
            Evidence::List(numbers) => dict.set_item(name, numbers)?,
        }
    }
    Ok(dict)
}

/// The shapes that answered messages show, of each its start, its opening, and its answer's first and last byte.
#[pyfunction]
pub(crate) fn outside_shapes<'py>(
    py: Python<'py>,
    messages: Vec<(i64, Option<i64>, Option<i64>, i64)>,
    floor_ps: Option<f64>,
) -> PyResult<Bound<'py, PyList>> {
    let exchange = |(trigger_ps, connect_ps, first_byte_ps, done_ps)| Exchange {
        trigger_ps,
        connect_ps,
        first_byte_ps,
        done_ps,
    };
    let exchanges = messages.into_iter().map(exchange).collect();
    let seen = py.detach(|| seen_from_outside(&Exchanges::new(exchanges, floor_ps)));
    let list = PyList::empty(py);
    for one in seen {
        let dict = PyDict::new(py);
        dict.set_item("shape", one.shape.name())?;
        dict.set_item("share", one.share)?;
        dict.set_item("period_ps", one.period_ps)?;
        dict.set_item("evidence", evidence_dict(py, &one.evidence)?)?;
        list.append(dict)?;
    }
    Ok(list)
}

pub(crate) fn finding_list<'py>(py: Python<'py>, findings: &[Finding]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for finding in findings {
        let evidence = evidence_dict(py, &finding.evidence)?;
        let dict = PyDict::new(py);
        dict.set_item("kind", finding.kind.name())?;
        dict.set_item("confidence", finding.confidence)?;
        dict.set_item("period_ps", finding.period_ps)?;
        dict.set_item("evidence", evidence)?;
        list.append(dict)?;
    }
    Ok(list)
}

#[pyfunction]
#[pyo3(signature = (trigger_ps, latency_ps, sent_ps, *, end_ps, seed, intervals, findings, gate_ps = None, clock_hz = None))]
#[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
pub(crate) fn statistics<'py>(
    py: Python<'py>,
    trigger_ps: Vec<i64>,
    latency_ps: Vec<i64>,
    sent_ps: Vec<i64>,
    end_ps: i64,
    seed: u64,
    intervals: bool,
    findings: bool,
    gate_ps: Option<i64>,
    clock_hz: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    if trigger_ps.len() != latency_ps.len() {
        return Err(refused(
            "trigger_ps and latency_ps differ in length; give one of each per paired message",
        ));
    }
    let known = clock_hz.map(Settings::of_clock).unwrap_or_default();
    let settings = findings.then_some(Settings { gate_ps, ..known });
    let statistics = py
        .detach(|| record::statistics(&trigger_ps, &latency_ps, &sent_ps, end_ps, seed, intervals, settings));
    let dict = PyDict::new(py);
    dict.set_item("latency", summary_dict(py, &statistics)?)?;
    dict.set_item("intervals", interval_dict(py, statistics.intervals.as_ref())?)?;
    dict.set_item("findings", finding_list(py, &statistics.findings)?)?;
    dict.set_item("unfinished", statistics.unfinished)?;
    Ok(dict)
}

#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    a: Vec<i64>,
    b: Vec<i64>,
    seed: u64,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(comparison) = py.detach(|| stats::compare(&a, &b, seed)) else { return Ok(None) };
    let dict = PyDict::new(py);
    dict.set_item("median_a_ps", comparison.median_a_ps)?;
    dict.set_item("median_b_ps", comparison.median_b_ps)?;
    dict.set_item("shift_ps", comparison.shift_ps)?;
    dict.set_item("shift_interval_ps", comparison.shift_interval_ps)?;
    dict.set_item("a_beats_b", comparison.a_beats_b)?;
    dict.set_item("ks", comparison.ks)?;
    dict.set_item("ks_with_floor", comparison.ks_with_floor)?;
    dict.set_item("floor_ps", comparison.floor_ps)?;
    dict.set_item("wasserstein_ps", comparison.wasserstein_ps)?;
    dict.set_item("effective_n", comparison.effective_n)?;
    Ok(Some(dict))
}

/// The distinct latencies in ascending order and the share of messages at or below each.
#[pyfunction]
pub(crate) fn ecdf(latency_ps: Vec<i64>) -> (Vec<i64>, Vec<f64>) {
    let mut sorted = latency_ps;
    sorted.sort_unstable();
    let ecdf = stats::Ecdf::of_sorted(&sorted);
    (ecdf.values_ps, ecdf.shares)
}
