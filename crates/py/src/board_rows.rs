//! The settings of images.

use std::collections::BTreeMap;
use std::path::PathBuf;

use board::{self, image_settings, read_image};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::refused;

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
