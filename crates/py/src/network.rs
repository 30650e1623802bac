//! Networks for Python: how one is said, and what may be said of one.

use std::path::{Path, PathBuf};

use lan::{self, NetworkSetup};
use pyo3::prelude::*;

use crate::refused;

/// The network of a file or of its text, or the one that a board has otherwise, with more traffic and other impairments.
pub(crate) fn network_of(
    file: Option<PathBuf>,
    text: Option<&str>,
    traffic: &[String],
    impair: Option<&str>,
) -> PyResult<NetworkSetup> {
    let open = |path: PathBuf| NetworkSetup::open(&path).map_err(refused);
    let parse = |text: &str| NetworkSetup::parse(Path::new("network_text"), text).map_err(refused);
    let mut setup = match (file, text) {
        (Some(_), Some(_)) => {
            return Err(refused("a network is a file or a text, and both are given; leave one out"));
        }
        (Some(file), None) => open(file)?,
        (None, Some(text)) => parse(text)?,
        (None, None) => NetworkSetup::default(),
    };
    for one in traffic {
        setup.add_traffic(one).map_err(refused)?;
    }
    if let Some(impair) = impair {
        setup.set_impairments(impair).map_err(refused)?;
    }
    Ok(setup)
}

/// The JSON Schema of network files.
#[pyfunction]
pub(crate) fn network_schema() -> String {
    lan::network_schema().to_string()
}

/// Everything that network files may hold, as JSON.
#[pyfunction]
pub(crate) fn network_reference() -> String {
    lan::network_reference().to_string()
}
