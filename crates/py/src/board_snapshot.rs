//! States of virtual boards for Python: each makes any number of boards, or takes one back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use board::BoardSnapshot;
use pyo3::prelude::*;

use crate::board::PyBoard;
use crate::board_devices::Failure;
use crate::board_runs::HeldBoard;
use crate::refused;

/// A state of a board.
#[pyclass(frozen, module = "airwire._core", name = "BoardSnapshot")]
pub(crate) struct PySnapshot {
    snapshot: Mutex<BoardSnapshot>,
    failure: Failure,
}

impl PySnapshot {
    /// The state of a board as it is.
    pub(crate) fn of(held: &HeldBoard) -> PyResult<Self> {
        let snapshot = held.lock()?.snapshot();
        held.check()?;
        Ok(Self { snapshot: Mutex::new(snapshot.map_err(refused)?), failure: held.failure() })
    }

    /// Takes a board back to this state.
    pub(crate) fn restore(&self, held: &HeldBoard) -> PyResult<()> {
        let snapshot = self.lock();
        let mut board = held.lock()?;
        board.end_recordings().map_err(refused)?;
        board.restore(&snapshot);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, BoardSnapshot> {
        self.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PySnapshot {
    /// Another board in this state.
    fn to_board(&self) -> PyResult<PyBoard> {
        let board = self.lock().to_board();
        match self.failure.take() {
            Some(error) => Err(error),
            None => Ok(PyBoard::with(board, self.failure.clone())),
        }
    }
}
