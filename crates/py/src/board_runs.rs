//! A board that Python holds, and its runs. A run works on a thread of its own, so that Ctrl-C is heard and devices in Python
//! can be asked; until it is over nobody else may touch the board.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use board::gdb::GdbServer;
use board::{Board, Ended, LiveOptions, RunUntil};
use pyo3::prelude::*;
use record::Control;

use crate::board_devices::Failure;
use crate::board_listeners::{Forward, Inbox, Live, Output, forwarder};
use crate::refused;
use crate::watch::while_working;

/// A board, and what its devices in Python raised.
pub(crate) struct HeldBoard {
    board: Arc<Mutex<Board>>,
    failure: Failure,
    inbox: Arc<Inbox>,
}

impl HeldBoard {
    pub(crate) fn new(board: Board, failure: Failure) -> Self {
        Self { board: Arc::new(Mutex::new(board)), failure, inbox: Arc::default() }
    }

    /// What another thread wants of the board while it runs in real time.
    pub(crate) fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    /// The board, unless it runs.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Board>> {
        match self.board.try_lock() {
            Ok(board) => Ok(board),
            Err(TryLockError::Poisoned(board)) => Ok(board.into_inner()),
            Err(TryLockError::WouldBlock) => Err(refused(
                "the board is running; ask it when the run is over, not from a device of its own",
            )),
        }
    }

    /// The board, for a run that more than this one takes part in.
    pub(crate) fn shared(&self) -> Arc<Mutex<Board>> {
        Arc::clone(&self.board)
    }

    /// Where devices in Python put what they raise.
    pub(crate) fn failure(&self) -> Failure {
        self.failure.clone()
    }

    /// What a device raised, if one did.
    pub(crate) fn check(&self) -> PyResult<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Runs, and gives the report as JSON.
    pub(crate) fn run(
        &self,
        py: Python<'_>,
        until: RunUntil,
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        self.check_clients(&until)?;
        let ((until, ended), interrupted) =
            self.worked(py, on_console, move |board, control, mut forward| {
                let ended = board.run(&until, control, &mut forward);
                (until, ended)
            })?;
        let ended = if interrupted { Ended::Interrupted } else { ended };
        serde_json::to_string(&self.lock()?.outcome(&until, ended)).map_err(refused)
    }

    /// Hands the board to GDB, and gives the report as JSON; `on_listening(address)` is told where GDB connects to.
    pub(crate) fn serve_gdb(
        &self,
        py: Python<'_>,
        address: &str,
        on_listening: Bound<'_, PyAny>,
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let server = GdbServer::bind(address).map_err(refused)?;
        drop(self.lock()?);
        on_listening.call1((server.address().to_string(),))?;
        let (ended, interrupted) = self.worked(py, on_console, move |board, control, mut forward| {
            board.serve_gdb(&server, control, &mut forward)
        })?;
        self.report(if interrupted { Ended::Interrupted } else { ended.map_err(refused)? })
    }

    /// Runs in real time, and gives the report as JSON with the picoseconds that the host was too slow for. Of the listeners
    /// `on_ready(addresses)` is told once the board is reachable, `on_behind(sentence)` where the host is too slow.
    pub(crate) fn serve(
        &self,
        py: Python<'_>,
        options: LiveOptions,
        until: RunUntil,
        (on_ready, on_behind): (Py<PyAny>, Py<PyAny>),
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(String, i64)> {
        self.check_clients(&until)?;
        let inbox = Arc::clone(&self.inbox);
        self.inbox.set_open(true);
        let worked = self.worked(py, on_console, move |board, control, forward| {
            let mut live = Live { forward, on_ready, on_behind, inbox };
            let served = board.serve(&options, &until, control, &mut live);
            (until, served)
        });
        self.inbox.set_open(false);
        let ((until, served), interrupted) = worked?;
        let (ended, pace) = served.map_err(refused)?;
        let ended = if interrupted { Ended::Interrupted } else { ended };
        let report = serde_json::to_string(&self.lock()?.outcome(&until, ended)).map_err(refused)?;
        Ok((report, pace.given_up().ps()))
    }

    /// Whether there is what a run waits for.
    fn check_clients(&self, until: &RunUntil) -> PyResult<()> {
        if until.clients && !self.lock()?.has_clients() {
            return Err(refused(
                "there is no client to wait for; give one as traffic, such as ping to=board",
            ));
        }
        Ok(())
    }

    /// Executes instructions of a core.
    pub(crate) fn step(&self, py: Python<'_>, core: usize, instructions: u64) -> PyResult<()> {
        let mut board = self.lock()?;
        for _ in 0..instructions {
            board.step(core);
            py.check_signals()?;
            self.check()?;
        }
        Ok(())
    }

    /// Lets `work` run the board on a thread of its own, while Python hears of its consoles and is asked for signals. Gives
    /// its result, and whether it was interrupted.
    fn worked<T: Send + 'static>(
        &self,
        py: Python<'_>,
        on_console: Option<Bound<'_, PyAny>>,
        work: impl FnOnce(&mut Board, &Control, Forward) -> T + Send + 'static,
    ) -> PyResult<(T, bool)> {
        drop(self.lock()?);
        let control = Arc::new(Control::default());
        let output = Output::default();
        let hand_on = forwarder(py, on_console, Arc::clone(&output))?;
        let (board, watched) = (Arc::clone(&self.board), Arc::clone(&control));
        let forward = Forward { output, failure: self.failure.clone() };
        let worked = while_working(py, control, 0, hand_on.clone(), move || {
            let mut board = board.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut board, &watched, forward)
        })?;
        if let Some(hand_on) = hand_on {
            hand_on.call1((0, 0))?;
        }
        self.failure.take().map_or(Ok(worked), Err)
    }

    /// The report of a run that ended now, as JSON.
    pub(crate) fn report(&self, ended: Ended) -> PyResult<String> {
        self.report_noted(ended, |_| Vec::new())
    }

    /// The same with what others noted of the board.
    pub(crate) fn report_noted(
        &self,
        ended: Ended,
        notes: impl FnOnce(&Board) -> Vec<String>,
    ) -> PyResult<String> {
        let mut board = self.lock()?;
        let until = RunUntil::time(board.now());
        let mut outcome = board.outcome(&until, ended);
        outcome.notes.extend(notes(&board));
        serde_json::to_string(&outcome).map_err(refused)
    }
}
