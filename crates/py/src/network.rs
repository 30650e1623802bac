//! Networks for Python: how one is said, and what may be said of one.

use std::path::PathBuf;

use lan::{self, NetworkSetup};
use pyo3::prelude::*;

use crate::refused;

/// The network of a file, or the one that a board has otherwise, with more traffic and other impairments.
pub(crate) fn network_of(
    file: Option<PathBuf>,
    traffic: &[String],
    impair: Option<&str>,
) -> PyResult<NetworkSetup> {
    let open = |path: PathBuf| NetworkSetup::open(&path).map_err(refused);
    let mut setup = file.map_or_else(|| Ok(NetworkSetup::default()), open)?;
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
