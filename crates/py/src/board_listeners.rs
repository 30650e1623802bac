//! What Python hears of a board while it runs: its consoles, and in real time how it is reached and whether it is late.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use board::{Console, Listener, LiveListener, console_name};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction};
use units::Picoseconds;

use crate::board_devices::Failure;

/// Console output on its way to Python.
pub(crate) type Output = Arc<Mutex<Vec<(Console, Vec<u8>)>>>;

/// Keeps output for the thread that may call Python.
pub(crate) struct Forward {
    pub(crate) output: Output,
    pub(crate) failure: Failure,
}

impl Listener for Forward {
    fn console(&mut self, console: Console, bytes: &[(Picoseconds, u8)]) {
        let bytes = bytes.iter().map(|(_, byte)| *byte).collect();
        self.output.lock().unwrap_or_else(PoisonError::into_inner).push((console, bytes));
    }

    fn goes_on(&mut self) -> bool {
        !self.failure.is_there()
    }
}

/// A listener in Python of a board in real time.
pub(crate) struct Live {
    pub(crate) forward: Forward,
    pub(crate) on_ready: Py<PyAny>,
    pub(crate) on_behind: Py<PyAny>,
}

impl Live {
    fn tell<'py, A>(&self, py: Python<'py>, listener: &Py<PyAny>, what: A)
    where
        A: IntoPyObject<'py>,
    {
        if let Err(error) = listener.bind(py).call1((what,)) {
            self.forward.failure.keep(error);
        }
    }
}

impl Listener for Live {
    fn console(&mut self, console: Console, bytes: &[(Picoseconds, u8)]) {
        self.forward.console(console, bytes);
    }

    fn goes_on(&mut self) -> bool {
        self.forward.goes_on()
    }
}

impl LiveListener for Live {
    fn ready(&mut self, forwards: &[SocketAddr]) {
        let addresses: Vec<String> = forwards.iter().map(ToString::to_string).collect();
        Python::attach(|py| self.tell(py, &self.on_ready, addresses));
    }

    fn behind(&mut self, sentence: &str) {
        Python::attach(|py| self.tell(py, &self.on_behind, sentence));
    }
}

/// A callable that hands output on to Python, for the thread that may.
pub(crate) fn forwarder<'py>(
    py: Python<'py>,
    on_console: Option<Bound<'py, PyAny>>,
    output: Output,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(on_console) = on_console.map(Bound::unbind) else { return Ok(None) };
    let hand_on = PyCFunction::new_closure(py, None, None, move |arguments, _| -> PyResult<()> {
        let waiting = std::mem::take(&mut *output.lock().unwrap_or_else(PoisonError::into_inner));
        for (console, bytes) in waiting {
            on_console
                .call1(arguments.py(), (console_name(console), PyBytes::new(arguments.py(), &bytes)))?;
        }
        Ok(())
    })?;
    Ok(Some(hand_on.into_any()))
}
