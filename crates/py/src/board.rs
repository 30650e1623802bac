//! Virtual boards for Python. A run works on a thread of its own, so that Ctrl-C is heard and devices in Python can be
//! asked; until it is over nobody else may touch the board.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use testbench::Control;
use testbench::board::gdb::GdbServer;
use testbench::board::profile::flame_graph;
use testbench::board::{
    self, Board, BoardOptions, BoardSnapshot, Console, Ended, LiveOptions, RunUntil, console_name,
    read_image, with_settings,
};
use units::Picoseconds;

use crate::board_devices::{Failure, PyI2c, PyPins, PySpi};
use crate::board_listeners::{Forward, Live, Output, forwarder};
use crate::network::network_of;
use crate::refused;
use crate::watch::while_working;

/// A board that runs an image.
#[pyclass(frozen, module = "airwire._core", name = "Board")]
pub(crate) struct PyBoard {
    board: Arc<Mutex<Board>>,
    failure: Failure,
}

/// A state of a board.
#[pyclass(frozen, module = "airwire._core", name = "BoardSnapshot")]
pub(crate) struct PySnapshot {
    snapshot: Mutex<BoardSnapshot>,
    failure: Failure,
}

fn console_of(name: &str) -> PyResult<Console> {
    board::CONSOLES
        .into_iter()
        .find(|console| console_name(*console) == name)
        .ok_or_else(|| refused(format!("there is no console {name}; there are uart0, uart1 and usb")))
}

impl PyBoard {
    fn with(board: Board, failure: Failure) -> Self {
        Self { board: Arc::new(Mutex::new(board)), failure }
    }

    /// The board, unless it runs.
    fn lock(&self) -> PyResult<MutexGuard<'_, Board>> {
        match self.board.try_lock() {
            Ok(board) => Ok(board),
            Err(TryLockError::Poisoned(board)) => Ok(board.into_inner()),
            Err(TryLockError::WouldBlock) => Err(refused(
                "the board is running; ask it when the run is over, not from a device of its own",
            )),
        }
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
    fn report(&self, ended: Ended) -> PyResult<String> {
        let mut board = self.lock()?;
        let until = RunUntil::time(board.now());
        serde_json::to_string(&board.outcome(&until, ended)).map_err(refused)
    }
}

#[pymethods]
impl PyBoard {
    #[new]
    #[pyo3(signature = (name, *, rom, seed, usb, network, traffic, impair))]
    fn new(
        name: &str,
        rom: Option<PathBuf>,
        seed: u64,
        usb: bool,
        network: Option<PathBuf>,
        traffic: Vec<String>,
        impair: Option<&str>,
    ) -> PyResult<Self> {
        let network = network_of(network, &traffic, impair)?;
        let rom = rom.map(|path| board::read_rom(&path)).transpose().map_err(refused)?;
        let options = BoardOptions { rom, usb_connected: usb, seed, network };
        Ok(Self::with(Board::open(name, options).map_err(refused)?, Failure::default()))
    }

    fn load(
        &self,
        image: PathBuf,
        symbols: Option<PathBuf>,
        settings: BTreeMap<String, String>,
    ) -> PyResult<()> {
        let image = read_image(&image, symbols.as_deref()).map_err(refused)?;
        let image = with_settings(&image, &settings).map_err(refused)?;
        self.lock()?.load_image(image).map_err(refused)
    }

    /// Runs, and gives the report as JSON; `on_console(name, bytes)` is told of output while it runs.
    #[pyo3(signature = (*, end_ps, text, pin, clients, typed, knocks, past_faults, on_console))]
    #[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
    fn run(
        &self,
        py: Python<'_>,
        end_ps: i64,
        text: Option<Vec<u8>>,
        pin: Option<(String, bool)>,
        clients: bool,
        typed: Vec<Vec<u8>>,
        knocks: bool,
        past_faults: bool,
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let pin = pin.map(|(name, level)| PyResult::Ok((self.pin(&name)?, level))).transpose()?;
        let until =
            RunUntil { end: Picoseconds::new(end_ps), text, pin, clients, typed, knocks, past_faults };
        if clients && !self.lock()?.has_clients() {
            return Err(refused(
                "there is no client to wait for; give one as traffic, such as ping to=board",
            ));
        }
        let ((until, ended), interrupted) =
            self.worked(py, on_console, move |board, control, mut forward| {
                let ended = board.run(&until, control, &mut forward);
                (until, ended)
            })?;
        let ended = if interrupted { Ended::Interrupted } else { ended };
        serde_json::to_string(&self.lock()?.outcome(&until, ended)).map_err(refused)
    }

    /// Hands the board to GDB, and gives the report as JSON; `on_listening(address)` is told where GDB connects to.
    fn serve_gdb(
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

    /// Runs in real time, and gives the report as JSON with the picoseconds that the host was too slow for.
    /// `on_ready(addresses)` is told once the board is reachable, `on_behind(sentence)` where the host is too slow.
    #[pyo3(signature = (*, end_ps, tap, forwards, on_ready, on_behind, on_console))]
    #[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
    fn serve(
        &self,
        py: Python<'_>,
        end_ps: i64,
        tap: Option<String>,
        forwards: Vec<String>,
        on_ready: Py<PyAny>,
        on_behind: Py<PyAny>,
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(String, i64)> {
        let forwards = forwards.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(refused)?;
        let options = LiveOptions { tap, forwards };
        let (served, interrupted) = self.worked(py, on_console, move |board, control, forward| {
            let mut live = Live { forward, on_ready, on_behind };
            board.serve(&options, Picoseconds::new(end_ps), control, &mut live)
        })?;
        let (ended, pace) = served.map_err(refused)?;
        let report = self.report(if interrupted { Ended::Interrupted } else { ended })?;
        Ok((report, pace.given_up().ps()))
    }

    /// Writes every frame on the cable of the board's chip from here on, and with `spi` its accesses.
    fn start_capture(&self, path: PathBuf, spi: bool) -> PyResult<()> {
        let mut board = self.lock()?;
        let name = board.file().name.clone();
        let lan = board.parts().lan().ok_or_else(|| {
            refused(format!(
                "board {name} has no chip with Ethernet; choose one that has, such as w5500-evb-pico"
            ))
        })?;
        lan.start_capture(&path, spi).map_err(refused)
    }

    fn end_capture(&self) -> PyResult<()> {
        let mut board = self.lock()?;
        board.parts().lan().map_or(Ok(()), |lan| lan.end_capture().map_err(refused))
    }

    /// The messages of a client as JSON.
    fn traffic_samples(&self, name: &str) -> PyResult<String> {
        let samples = self.lock()?.traffic_samples(name);
        let samples = samples.ok_or_else(|| refused(format!("nothing on the network is called {name}")))?;
        serde_json::to_string(&samples).map_err(refused)
    }

    /// Plugs in the cable of the board's first chip with Ethernet, or pulls it.
    fn set_plugged(&self, plugged: bool) -> PyResult<()> {
        let mut board = self.lock()?;
        let at = board.now();
        if let Some(lan) = board.parts().lan()
            && let Some(chip) = lan.chips().next()
        {
            lan.set_plugged(at, chip, plugged);
        }
        Ok(())
    }

    /// Executes instructions of a core.
    fn step(&self, py: Python<'_>, core: usize, instructions: u64) -> PyResult<()> {
        check_core(core)?;
        let mut board = self.lock()?;
        for _ in 0..instructions {
            board.step(core);
            py.check_signals()?;
            if let Some(error) = self.failure.take() {
                return Err(error);
            }
        }
        Ok(())
    }

    /// The report as of now, as JSON.
    fn outcome(&self) -> PyResult<String> {
        serde_json::to_string(&self.lock()?.outcome_now()).map_err(refused)
    }

    #[getter]
    fn now_ps(&self) -> PyResult<i64> {
        Ok(self.lock()?.now().ps())
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.lock()?.file().name.clone())
    }

    /// Names of all pins with their GPIO.
    #[getter]
    fn pin_names(&self) -> PyResult<Vec<(String, u8)>> {
        Ok(self.lock()?.pin_names())
    }

    fn pin(&self, name: &str) -> PyResult<u8> {
        self.lock()?.file().pin(name).map_err(refused)
    }

    /// The level of every pin, a bit each.
    fn levels(&self) -> PyResult<u32> {
        Ok(self.lock()?.levels())
    }

    fn drive(&self, pin: &str, level: Option<bool>) -> PyResult<()> {
        let pin = self.pin(pin)?;
        self.lock()?.chip_mut().drive_pin(pin, level);
        Ok(())
    }

    fn press(&self, name: &str, pressed: bool) -> PyResult<()> {
        self.lock()?.press(name, pressed).map_err(refused)
    }

    /// The device at the USB port as JSON, once the PC knows it.
    fn usb_device(&self) -> PyResult<Option<String>> {
        let device = self.lock()?.usb_device();
        device.map(|device| serde_json::to_string(&device).map_err(refused)).transpose()
    }

    fn read_disk<'py>(&self, py: Python<'py>, first: u32, sectors: u16) -> PyResult<Bound<'py, PyBytes>> {
        let read = self.lock()?.read_disk(first, sectors);
        self.failure.take().map_or(Ok(()), Err)?;
        Ok(PyBytes::new(py, &read.map_err(refused)?))
    }

    fn write_disk(&self, first: u32, content: &[u8]) -> PyResult<()> {
        let written = self.lock()?.write_disk(first, content);
        self.failure.take().map_or(Ok(()), Err)?;
        written.map_err(refused)
    }

    /// What keyboards and mice have sent since the last call: picoseconds, kind, bytes.
    fn take_input_reports<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(i64, &'static str, Bound<'py, PyBytes>)>> {
        let reports = self.lock()?.take_input_reports();
        let told =
            |report: board::InputReport| (report.time_ps, report.kind, PyBytes::new(py, &report.content));
        Ok(reports.into_iter().map(told).collect())
    }

    fn set_millivolts(&self, pin: &str, millivolts: Option<i32>) -> PyResult<()> {
        let pin = self.pin(pin)?;
        if pin < 26 {
            return Err(refused(format!("pin {pin} has no ADC input; GPIO 26 to 29 have one")));
        }
        self.lock()?
            .parts()
            .set_microvolts(pin, millivolts.map(|millivolts| millivolts.saturating_mul(1000)));
        Ok(())
    }

    fn wire(&self, pin: &str, to: &str) -> PyResult<()> {
        let (pin, to) = (self.pin(pin)?, self.pin(to)?);
        self.lock()?.wire(pin, to);
        Ok(())
    }

    fn read_memory<'py>(
        &self,
        py: Python<'py>,
        address: u32,
        length: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock()?.chip().read_memory(address, length).map_err(refused)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn write_memory(&self, address: u32, bytes: &[u8]) -> PyResult<()> {
        self.lock()?.chip_mut().write_memory(address, bytes).map_err(refused)
    }

    fn address_of(&self, symbol: &str) -> PyResult<Option<u32>> {
        Ok(self.lock()?.image().and_then(|image| image.symbols().address_of(symbol)))
    }

    /// R0 to R15 and xPSR.
    fn registers(&self, core: usize) -> PyResult<(Vec<u32>, u32)> {
        check_core(core)?;
        let board = self.lock()?;
        let core = board.chip().core(core);
        Ok((core.registers().to_vec(), core.xpsr()))
    }

    fn set_register(&self, core: usize, number: usize, value: u32) -> PyResult<()> {
        check_core(core)?;
        self.lock()?.chip_mut().core_mut(core).set_register(number, value);
        Ok(())
    }

    fn place(&self, address: u32) -> PyResult<String> {
        Ok(self.lock()?.place(address))
    }

    fn console<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.lock()?.console(console_of(name)?)))
    }

    fn send(&self, bytes: &[u8], console: Option<&str>) -> PyResult<()> {
        let mut board = self.lock()?;
        let console = console.map_or(Ok(board.main_console()), console_of)?;
        board.send(console, bytes);
        Ok(())
    }

    fn snapshot(&self) -> PyResult<PySnapshot> {
        let snapshot = self.lock()?.snapshot();
        if let Some(error) = self.failure.take() {
            return Err(error);
        }
        let snapshot = Mutex::new(snapshot.map_err(refused)?);
        Ok(PySnapshot { snapshot, failure: self.failure.clone() })
    }

    fn restore(&self, snapshot: &PySnapshot) -> PyResult<()> {
        let snapshot = snapshot.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        self.lock()?.restore(&snapshot);
        Ok(())
    }

    /// Keeps the state in a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.lock()?.save(&path).map_err(refused)
    }

    /// Goes on where a board was saved.
    fn resume(&self, path: PathBuf) -> PyResult<()> {
        self.lock()?.resume(&path).map_err(refused)
    }

    fn connect_spi(&self, port: u8, select: Option<&str>, device: Py<PyAny>) -> PyResult<()> {
        check_port("SPI", port)?;
        let select = select.map(|name| self.pin(name)).transpose()?;
        let device = PySpi::new(device, port, self.failure.clone());
        self.lock()?.parts().connect_spi(port, select, Box::new(device));
        Ok(())
    }

    fn connect_i2c(&self, port: u8, address: u16, device: Py<PyAny>) -> PyResult<()> {
        check_port("I2C", port)?;
        let device = PyI2c::new(device, port, address, self.failure.clone());
        self.lock()?.parts().connect_i2c(port, Box::new(device));
        Ok(())
    }

    fn connect_pins(&self, pins: Vec<String>, device: Py<PyAny>) -> PyResult<()> {
        let mut watched = if pins.is_empty() { u32::MAX } else { 0 };
        for name in &pins {
            watched |= 1 << self.pin(name)?;
        }
        let mut board = self.lock()?;
        let device = PyPins::new(device, board.file().clone(), watched, self.failure.clone());
        board.parts().connect_pins(Box::new(device));
        Ok(())
    }

    fn record(&self) -> PyResult<()> {
        self.lock()?.record();
        Ok(())
    }

    #[getter]
    fn records(&self) -> PyResult<bool> {
        Ok(self.lock()?.records())
    }

    /// Recorded edges from a place on: picoseconds, GPIO, level.
    fn edges(&self, from: usize) -> PyResult<Vec<(i64, u8, bool)>> {
        let board = self.lock()?;
        let edges = board.edges().get(from..).unwrap_or_default();
        Ok(edges.iter().map(|edge| (edge.at.ps(), edge.pin, edge.level)).collect())
    }

    fn write_vcd(&self, path: PathBuf) -> PyResult<u64> {
        let board = self.lock()?;
        board.write_vcd(&path).map_err(refused)?;
        Ok(board.edges_left_out())
    }

    fn start_trace(&self, path: PathBuf) -> PyResult<()> {
        self.lock()?.trace(&path).map_err(refused)
    }

    /// How many events there was no room for.
    fn end_trace(&self) -> PyResult<u64> {
        self.lock()?.end_trace().map_err(refused)
    }

    fn start_profile(&self) -> PyResult<()> {
        self.lock()?.profile(false);
        Ok(())
    }

    /// The profile as JSON and as a flame graph.
    fn end_profile(&self, title: &str) -> PyResult<Option<(String, String)>> {
        let Some(profile) = self.lock()?.end_profile() else { return Ok(None) };
        let content = json!({
            "cycles": profile.cycles, "asleep_cycles": profile.asleep_cycles, "functions": profile.functions,
        });
        Ok(Some((content.to_string(), flame_graph(&profile, title))))
    }

    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.notes())
    }
}

#[pymethods]
impl PySnapshot {
    /// Another board in this state.
    fn to_board(&self) -> PyResult<PyBoard> {
        let board = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner).to_board();
        match self.failure.take() {
            Some(error) => Err(error),
            None => Ok(PyBoard::with(board, self.failure.clone())),
        }
    }
}

fn check_core(core: usize) -> PyResult<()> {
    if core < 2 { Ok(()) } else { Err(refused(format!("there is no core {core}; there are 0 and 1"))) }
}

fn check_port(bus: &str, port: u8) -> PyResult<()> {
    if port < 2 {
        Ok(())
    } else {
        Err(refused(format!("there is no {bus}{port}; there are {bus}0 and {bus}1")))
    }
}
