//! What a shell offers while a command is written, each candidate with what it means; and what there is instead of a name that
//! there is not.

use std::path::PathBuf;

use bench::suite::Suite;
use board::{image_settings, read_image};
use fields::{Candidate, assignments};
use pyo3::prelude::*;

use crate::refused;

type Offered = Vec<(String, String)>;

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(complete_link, module)?)?;
    module.add_function(wrap_pyfunction!(complete_image, module)?)?;
    module.add_function(wrap_pyfunction!(complete_traffic, module)?)?;
    module.add_function(wrap_pyfunction!(complete_impairments, module)?)?;
    module.add_function(wrap_pyfunction!(nearest_name, module)?)?;
    module.add_function(wrap_pyfunction!(name_hint, module)?)?;
    module.add_function(wrap_pyfunction!(suite_entries, module)?)
}

fn offered(candidates: Vec<Candidate>) -> Offered {
    candidates.into_iter().map(|candidate| (candidate.text, candidate.help)).collect()
}

/// Settings of a link.
#[pyfunction]
fn complete_link(name: &str, typed: &str) -> PyResult<Offered> {
    Ok(offered(assignments(::links::find(name).map_err(refused)?.settings, typed)))
}

/// Settings of a firmware image.
#[pyfunction]
fn complete_image(image: PathBuf, symbols: Option<PathBuf>, typed: &str) -> PyResult<Offered> {
    let image = read_image(&image, symbols.as_deref()).map_err(refused)?;
    let settings = image_settings(&image).map_err(refused)?;
    let declared: Vec<_> = settings.iter().map(board::ImageSetting::field).collect();
    Ok(offered(assignments(&declared, typed)))
}

/// A client or a server of the PC.
#[pyfunction]
fn complete_traffic(typed: &str) -> Offered {
    offered(lan::complete_traffic(typed))
}

/// What happens to frames.
#[pyfunction]
fn complete_impairments(typed: &str) -> Offered {
    offered(lan::complete_impairments(typed))
}

/// What `--only` takes of a suite: its entries and its links, with their titles.
#[pyfunction]
fn suite_entries(path: PathBuf) -> PyResult<Offered> {
    Ok(Suite::open(&path).map_err(refused)?.entries())
}

/// The name that was probably meant, if one is near.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python hands over a list of its own")]
fn nearest_name(name: &str, known: Vec<String>) -> Option<String> {
    fields::nearest(name, &known.iter().map(String::as_str).collect::<Vec<_>>()).map(str::to_owned)
}

/// What there is instead of a name that there is not: the nearest, or all.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python hands over a list of its own")]
fn name_hint(name: &str, known: Vec<String>) -> String {
    fields::hint(name, &known.iter().map(String::as_str).collect::<Vec<_>>())
}
