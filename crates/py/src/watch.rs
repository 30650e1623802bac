//! Long work on a thread of its own, while this one tells Python of progress and listens for Ctrl-C.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use record::Control;

use crate::refused;

/// How often Python is asked for signals.
const SIGNAL_POLL: Duration = Duration::from_millis(40);

/// Does `work` on another thread. `progress(done, total)` is told of it, and of its end; where Python is interrupted the work is
/// asked to stop. Gives its result, and whether it was interrupted.
pub(crate) fn while_working<T: Send + 'static>(
    py: Python<'_>,
    control: Arc<Control>,
    total: u64,
    progress: Option<Bound<'_, PyAny>>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<(T, bool)> {
    while_telling(py, control, total, progress, &mut || Ok(()), work)
}

/// The same, with `tell` called now and then and once at the end, so that Python hears of what is done so far.
pub(crate) fn while_telling<T: Send + 'static>(
    py: Python<'_>,
    control: Arc<Control>,
    total: u64,
    progress: Option<Bound<'_, PyAny>>,
    tell: &mut dyn FnMut() -> PyResult<()>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<(T, bool)> {
    let (finished, is_finished) = mpsc::channel();
    let worker = std::thread::spawn(move || {
        let result = work();
        // The receiver is gone only if Python is going down as well.
        let _ = finished.send(());
        result
    });
    let is_finished = Mutex::new(is_finished);
    let wait = || is_finished.lock().map_or(Ok(()), |finished| finished.recv_timeout(SIGNAL_POLL));
    let show = || match &progress {
        Some(progress) => progress.call1((control.done(), total)).map(|_| ()),
        None => Ok(()),
    };
    let mut interrupted = false;
    let mut broken_progress = Ok(());
    while py.detach(wait) == Err(RecvTimeoutError::Timeout) {
        let mut stopped = py.check_signals().is_err();
        if broken_progress.is_ok()
            && let Err(error) = tell().and_then(|()| show())
        {
            // Ctrl-C may come while Python prints.
            if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                stopped = true;
            } else {
                broken_progress = Err(error);
            }
        }
        interrupted |= stopped;
        if stopped || broken_progress.is_err() {
            control.stop();
            // The work may wait for a pipe, and then looks at nothing else.
            files::stop_waiting();
        }
    }
    let result =
        worker.join().map_err(|_| refused("the work ended by a fault of Airwire; please report it"))?;
    broken_progress.and_then(|()| tell())?;
    if !interrupted && let Err(error) = show() {
        if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
            return Err(error);
        }
        interrupted = true;
    }
    Ok((result, interrupted))
}
