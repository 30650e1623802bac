//! Ctrl-C while any thread waits for a pipe.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Ctrl-C came while Rust waited; Python hears of it when the wait is over.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C ends the waiting for a pipe. Python acts on signals on its main thread only.
pub(crate) fn listen_for_ctrl_c() {
    files::ask_while_waiting(|| {
        let stopped = Python::attach(|py| py.check_signals().is_err());
        if stopped {
            INTERRUPTED.store(true, Ordering::Relaxed);
        }
        stopped
    });
}

/// The exception for a Ctrl-C that nobody has told Python of yet.
pub(crate) fn interruption() -> Option<PyErr> {
    INTERRUPTED.swap(false, Ordering::Relaxed).then(|| PyKeyboardInterrupt::new_err(()))
}
