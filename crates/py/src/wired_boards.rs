//! Two boards that Python holds, with wires between their pins. They run together on a thread of their own; until that is over
//! nobody else may touch either.

use std::sync::{Arc, Mutex, PoisonError};

use board::{Board, BoardError, Ended, PinWire, PinWires, SerialLine, Side, WIRE_DELAY};
use pyo3::prelude::*;
use record::Control;
use units::Picoseconds;

use crate::board::PyBoard;
use crate::refused;
use crate::watch::while_working;

/// Two boards on wires.
#[pyclass(frozen, module = "airwire._core", name = "WiredBoards")]
pub(crate) struct PyWiredBoards {
    boards: [Py<PyBoard>; 2],
    wires: Arc<Mutex<PinWires>>,
}

#[pymethods]
impl PyWiredBoards {
    /// `wires` are `(second, pin, to, delay_ps)`: whether it begins at the second board, the pins, and the delay or none.
    /// Serial lines are the same without a delay.
    #[new]
    fn new(
        first: Py<PyBoard>,
        second: Py<PyBoard>,
        wires: Vec<(bool, String, String, Option<i64>)>,
        lines: Vec<(bool, String, String)>,
    ) -> PyResult<Self> {
        if first.is(&second) {
            return Err(refused(
                "a board cannot be wired to itself like that; Pins.wire joins pins of one board",
            ));
        }
        let boards = [first, second];
        let (mut one, mut other) = (boards[0].get().held().lock()?, boards[1].get().held().lock()?);
        let wires = wires
            .into_iter()
            .map(|(from_second, pin, to, delay_ps)| {
                let (from, [pin, to]) = ends([&one, &other], from_second, [&pin, &to])?;
                Ok(PinWire { from, pin, to, delay: delay_ps.map_or(WIRE_DELAY, Picoseconds::new) })
            })
            .collect::<Result<Vec<_>, BoardError>>()
            .map_err(refused)?;
        let lines = lines
            .into_iter()
            .map(|(from_second, pin, to)| {
                let (from, [pin, to]) = ends([&one, &other], from_second, [&pin, &to])?;
                Ok(SerialLine { from, pin, to })
            })
            .collect::<Result<Vec<_>, BoardError>>()
            .map_err(refused)?;
        let wires = PinWires::between([&mut one, &mut other], &wires, &lines).map_err(refused)?;
        drop((one, other));
        Ok(Self { boards, wires: Arc::new(Mutex::new(wires)) })
    }

    /// The virtual time up to which both have run.
    #[getter]
    fn now_ps(&self) -> i64 {
        self.wires.lock().unwrap_or_else(PoisonError::into_inner).now().ps()
    }

    /// Runs both to a time, and gives both reports as JSON.
    fn run(&self, py: Python<'_>, end_ps: i64) -> PyResult<[String; 2]> {
        let held = self.boards.each_ref().map(|board| board.get().held());
        for board in held {
            drop(board.lock()?);
        }
        let control = Arc::new(Control::default());
        let (watched, wires) = (Arc::clone(&control), Arc::clone(&self.wires));
        let boards = held.map(super::board_runs::HeldBoard::shared);
        let (ran, interrupted) = while_working(py, control, 0, None, move || {
            let [first, second] = &boards;
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            let mut second = second.lock().unwrap_or_else(PoisonError::into_inner);
            let mut wires = wires.lock().unwrap_or_else(PoisonError::into_inner);
            wires.run([&mut first, &mut second], Picoseconds::new(end_ps), &watched)
        })?;
        for board in held {
            board.check()?;
        }
        let [first, second] = if interrupted { [Ended::Interrupted; 2] } else { ran.map_err(refused)? };
        let wires = self.wires.lock().unwrap_or_else(PoisonError::into_inner);
        let report =
            |side: Side, ended| held[side as usize].report_noted(ended, |board| wires.notes(side, board));
        Ok([report(Side::First, first)?, report(Side::Second, second)?])
    }
}

/// Whose the first pin is, and both pins as numbers.
fn ends(boards: [&Board; 2], from_second: bool, [pin, to]: [&str; 2]) -> Result<(Side, [u8; 2]), BoardError> {
    let (from, [near, far]) =
        if from_second { (Side::Second, [boards[1], boards[0]]) } else { (Side::First, boards) };
    Ok((from, [near.file().pin(pin)?, far.file().pin(to)?]))
}
