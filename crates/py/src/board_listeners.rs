//! What Python hears of a board while it runs: its consoles, and in real time how it is reached and whether it is late.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// What another thread wants of a board that runs in real time.
#[derive(Default)]
pub(crate) struct Inbox {
    typed: Mutex<Vec<(Option<Console>, Vec<u8>)>>,
    left: AtomicBool,
    /// Whether anybody looks into it.
    open: AtomicBool,
}

impl Inbox {
    /// From here on somebody looks, or nobody does.
    pub(crate) fn set_open(&self, open: bool) {
        self.left.store(false, Ordering::Relaxed);
        self.open.store(open, Ordering::Relaxed);
        self.typed.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Types at a console; false where nobody looks.
    pub(crate) fn type_at(&self, console: Option<Console>, text: &[u8]) -> bool {
        if self.open.load(Ordering::Relaxed) {
            self.typed.lock().unwrap_or_else(PoisonError::into_inner).push((console, text.to_vec()));
            return true;
        }
        false
    }

    /// Asks the run to come back as if its time were over.
    pub(crate) fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }
}

/// A listener in Python of a board in real time.
pub(crate) struct Live {
    pub(crate) forward: Forward,
    pub(crate) on_ready: Py<PyAny>,
    pub(crate) on_behind: Py<PyAny>,
    pub(crate) inbox: Arc<Inbox>,
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

    fn typed(&mut self) -> Vec<(Option<Console>, Vec<u8>)> {
        std::mem::take(&mut *self.inbox.typed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_left(&mut self) -> bool {
        self.inbox.left.load(Ordering::Relaxed)
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
