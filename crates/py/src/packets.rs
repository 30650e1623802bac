//! What the connections of a recording waited for.

use std::io::BufReader;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use packets::{Recorder, Waits};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::refused;

/// Packets of an address, recorded into a file until somebody stops it.
#[pyclass(frozen, module = "airwire._core", name = "PacketRecorder")]
pub(crate) struct PyPacketRecorder {
    recorder: Mutex<Recorder>,
}

#[pymethods]
impl PyPacketRecorder {
    #[new]
    fn new(path: PathBuf, address: &str) -> PyResult<Self> {
        let address =
            address.parse::<Ipv4Addr>().map_err(|_| refused(format!("{address:?} is no IPv4 address")))?;
        let recorder = Recorder::start(&path, address).map_err(refused)?;
        Ok(Self { recorder: Mutex::new(recorder) })
    }

    /// Ends it: how many packets the file has, and how many are missing.
    fn stop(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        let stopped = py.detach(|| self.recorder.lock().unwrap_or_else(PoisonError::into_inner).stop());
        let told = stopped.map_err(refused)?;
        Ok((told.packets, told.missing))
    }
}

/// The figures of a recording of packets, of the connections with an address or of all.
#[pyfunction]
#[pyo3(signature = (path, address = None))]
pub(crate) fn packet_report<'py>(
    py: Python<'py>,
    path: PathBuf,
    address: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let told = |reason: String| refused(format!("{}: {reason}", path.display()));
    let address = address
        .map(|text| text.parse::<Ipv4Addr>().map_err(|_| told(format!("{text:?} is no IPv4 address"))))
        .transpose()?;
    let report = py
        .detach(|| {
            let file = files::Input::open(&path).map_err(|error| error.to_string())?;
            packets::report(BufReader::new(file), address).map_err(|error| error.to_string())
        })
        .map_err(told)?;
    let dict = PyDict::new(py);
    dict.set_item("connections", report.connections)?;
    dict.set_item("segments", report.segments)?;
    dict.set_item("busy_ps", report.busy_ps)?;
    dict.set_item("way_ps", report.way_ps)?;
    dict.set_item("blocked_share", report.blocked_share)?;
    dict.set_item("window", report.window)?;
    dict.set_item("sent_bytes", report.sent_bytes)?;
    dict.set_item("repeated", report.repeated)?;
    let waits: Vec<Bound<'py, PyDict>> =
        report.waits.iter().map(|waits| wait_dict(py, waits)).collect::<PyResult<_>>()?;
    dict.set_item("waits", PyList::new(py, waits)?)?;
    Ok(dict)
}

fn wait_dict<'py>(py: Python<'py>, waits: &Waits) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("cause", waits.cause.name())?;
    dict.set_item("side", waits.side.name())?;
    dict.set_item("lengths_ps", &waits.lengths_ps)?;
    dict.set_item("share", waits.share)?;
    Ok(dict)
}
