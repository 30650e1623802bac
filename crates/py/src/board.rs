//! Virtual boards for Python: everything that can be asked of one. How it runs is in `board_runs`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use board::profile::flame_graph;
use board::{
    self, Board, BoardOptions, Console, EndsBy, LiveOptions, RunUntil, console_name, read_image,
    with_settings,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use units::Picoseconds;

use crate::board_devices::{Failure, PyI2c, PyPins, PySpi};
use crate::board_runs::HeldBoard;
use crate::board_snapshot::PySnapshot;
use crate::network::network_of;
use crate::refused;

/// A board that runs an image.
#[pyclass(frozen, module = "airwire._core", name = "Board")]
pub(crate) struct PyBoard {
    held: HeldBoard,
}

fn console_of(name: &str) -> PyResult<Console> {
    let found = board::CONSOLES.into_iter().find(|console| console_name(*console) == name);
    found.ok_or_else(|| {
        let hint = fields::hint(name, &board::CONSOLES.map(console_name));
        refused(format!("there is no console {name}; {hint}"))
    })
}

impl PyBoard {
    pub(crate) fn held(&self) -> &HeldBoard {
        &self.held
    }

    pub(crate) fn with(board: Board, failure: Failure) -> Self {
        Self { held: HeldBoard::new(board, failure) }
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
        let network = network_of(network, None, &traffic, impair)?;
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
        self.held.lock()?.load_image(image).map_err(refused)
    }

    /// Puts the contents of a file into the EEPROM.
    fn load_eeprom(&self, path: PathBuf) -> PyResult<()> {
        self.held.lock()?.load_eeprom(&path).map_err(refused)
    }

    /// Writes the EEPROM into a file.
    fn save_eeprom(&self, path: PathBuf) -> PyResult<()> {
        self.held.lock()?.save_eeprom(&path).map_err(refused)
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
        self.held.run(py, until, on_console)
    }

    /// Hands the board to GDB, and gives the report as JSON; `on_listening(address)` is told where GDB connects to.
    fn serve_gdb(
        &self,
        py: Python<'_>,
        address: &str,
        on_listening: Bound<'_, PyAny>,
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        self.held.serve_gdb(py, address, on_listening, on_console)
    }

    /// Runs in real time, and gives the report as JSON with the picoseconds that the host was too slow for. With `virtual_end`
    /// the end is one of the board's clock, else of the wall's.
    /// `on_ready(addresses)` is told once the board is reachable, `on_behind(sentence)` where the host is too slow.
    #[pyo3(signature = (
        *, end_ps, virtual_end, tap, forwards, text, clients, typed, knocks, past_faults, on_ready, on_behind, on_console
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python calls it by keywords")]
    fn serve(
        &self,
        py: Python<'_>,
        end_ps: i64,
        virtual_end: bool,
        tap: Option<String>,
        forwards: Vec<String>,
        text: Option<Vec<u8>>,
        clients: bool,
        typed: Vec<Vec<u8>>,
        knocks: bool,
        past_faults: bool,
        on_ready: Py<PyAny>,
        on_behind: Py<PyAny>,
        on_console: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(String, i64)> {
        let forwards = forwards.iter().map(|text| text.parse()).collect::<Result<_, _>>().map_err(refused)?;
        let options =
            LiveOptions { tap, forwards, ends_by: if virtual_end { EndsBy::Board } else { EndsBy::Wall } };
        let end = Picoseconds::new(end_ps);
        let until = RunUntil { end, text, pin: None, clients, typed, knocks, past_faults };
        self.held.serve(py, options, until, (on_ready, on_behind), on_console)
    }

    /// Asks a run in real time in another thread to come back as if its time were over.
    fn leave(&self) {
        self.held.inbox().leave();
    }

    /// Writes every frame on the cable of the board's chip from here on, and with `spi` its accesses.
    fn start_capture(&self, path: PathBuf, spi: bool) -> PyResult<()> {
        self.held.lock()?.start_capture(&path, spi).map_err(refused)
    }

    /// Keeps from here on whom the board calls.
    fn watch_calls(&self) -> PyResult<()> {
        self.held.lock()?.watch_calls();
        Ok(())
    }

    /// What the board is on its network, as JSON; None where it has none.
    fn network_state(&self) -> PyResult<Option<String>> {
        let state = self.held.lock()?.network_state();
        state.map(|state| serde_json::to_string(&state).map_err(refused)).transpose()
    }

    fn end_capture(&self) -> PyResult<()> {
        self.held.lock()?.end_capture().map_err(refused)
    }

    /// The messages of a client as JSON.
    fn traffic_samples(&self, name: &str) -> PyResult<String> {
        let samples = self.held.lock()?.traffic_samples(name);
        let samples = samples.ok_or_else(|| refused(format!("nothing on the network is called {name}")))?;
        serde_json::to_string(&samples).map_err(refused)
    }

    /// Plugs in the cable of the board's first chip with Ethernet, or pulls it.
    fn set_plugged(&self, plugged: bool) -> PyResult<()> {
        self.held.lock()?.set_plugged(plugged);
        Ok(())
    }

    /// Executes instructions of a core.
    fn step(&self, py: Python<'_>, core: usize, instructions: u64) -> PyResult<()> {
        self.held.lock()?.check_core(core).map_err(refused)?;
        self.held.step(py, core, instructions)
    }

    /// The report as of now, as JSON.
    fn outcome(&self) -> PyResult<String> {
        serde_json::to_string(&self.held.lock()?.outcome_now()).map_err(refused)
    }

    #[getter]
    fn now_ps(&self) -> PyResult<i64> {
        Ok(self.held.lock()?.now().ps())
    }

    #[getter]
    fn name(&self) -> PyResult<String> {
        Ok(self.held.lock()?.file().name.clone())
    }

    /// Names of all pins with their GPIO.
    #[getter]
    fn pin_names(&self) -> PyResult<Vec<(String, u8)>> {
        Ok(self.held.lock()?.pin_names())
    }

    fn pin(&self, name: &str) -> PyResult<u8> {
        self.held.lock()?.file().pin(name).map_err(refused)
    }

    /// The level of every pin, a bit each.
    fn levels(&self) -> PyResult<u32> {
        Ok(self.held.lock()?.levels())
    }

    fn drive(&self, pin: &str, level: Option<bool>) -> PyResult<()> {
        let pin = self.pin(pin)?;
        self.held.lock()?.chip_mut().drive_pin(pin, level);
        Ok(())
    }

    fn press(&self, name: &str, pressed: bool) -> PyResult<()> {
        self.held.lock()?.press(name, pressed).map_err(refused)
    }

    /// The device at the USB port as JSON, once the PC knows it.
    fn usb_device(&self) -> PyResult<Option<String>> {
        let device = self.held.lock()?.usb_device();
        device.map(|device| serde_json::to_string(&device).map_err(refused)).transpose()
    }

    fn read_disk<'py>(&self, py: Python<'py>, first: u32, sectors: u16) -> PyResult<Bound<'py, PyBytes>> {
        let read = self.held.lock()?.read_disk(first, sectors);
        self.held.check()?;
        Ok(PyBytes::new(py, &read.map_err(refused)?))
    }

    fn write_disk(&self, first: u32, content: &[u8]) -> PyResult<()> {
        let written = self.held.lock()?.write_disk(first, content);
        self.held.check()?;
        written.map_err(refused)
    }

    /// What keyboards and mice have sent since the last call: picoseconds, kind, bytes.
    fn take_input_reports<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Vec<(i64, &'static str, Bound<'py, PyBytes>)>> {
        let reports = self.held.lock()?.take_input_reports();
        let told =
            |report: board::InputReport| (report.time_ps, report.kind, PyBytes::new(py, &report.content));
        Ok(reports.into_iter().map(told).collect())
    }

    fn set_millivolts(&self, pin: &str, millivolts: Option<i32>) -> PyResult<()> {
        let pin = self.pin(pin)?;
        let microvolts = millivolts.map(|millivolts| millivolts.saturating_mul(1000));
        self.held.lock()?.set_microvolts(pin, microvolts).map_err(refused)
    }

    fn wire(&self, pin: &str, to: &str) -> PyResult<()> {
        let (pin, to) = (self.pin(pin)?, self.pin(to)?);
        self.held.lock()?.wire(pin, to);
        Ok(())
    }

    fn read_memory<'py>(
        &self,
        py: Python<'py>,
        address: u32,
        length: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.held.lock()?.chip().read_memory(address, length).map_err(refused)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn write_memory(&self, address: u32, bytes: &[u8]) -> PyResult<()> {
        self.held.lock()?.chip_mut().write_memory(address, bytes).map_err(refused)
    }

    fn address_of(&self, symbol: &str) -> PyResult<Option<u32>> {
        Ok(self.held.lock()?.image().and_then(|image| image.symbols().address_of(symbol)))
    }

    /// The registers of a core by their names.
    fn registers(&self, core: usize) -> PyResult<Vec<(&'static str, u32)>> {
        self.held.lock()?.registers(core).map_err(refused)
    }

    fn set_register(&self, core: usize, name: &str, value: u32) -> PyResult<()> {
        self.held.lock()?.set_register(core, name, value).map_err(refused)
    }

    fn place(&self, address: u32) -> PyResult<String> {
        Ok(self.held.lock()?.place(address))
    }

    /// What came out of a console, from a byte on.
    #[pyo3(signature = (name, start=0))]
    fn console<'py>(&self, py: Python<'py>, name: &str, start: usize) -> PyResult<Bound<'py, PyBytes>> {
        let board = self.held.lock()?;
        Ok(PyBytes::new(py, board.console(console_of(name)?).get(start..).unwrap_or_default()))
    }

    fn send(&self, bytes: &[u8], console: Option<&str>) -> PyResult<()> {
        let console = console.map(console_of).transpose()?;
        if self.held.inbox().type_at(console, bytes) {
            return Ok(());
        }
        let mut board = self.held.lock()?;
        let console = console.unwrap_or(board.main_console());
        board.send(console, bytes);
        Ok(())
    }

    fn snapshot(&self) -> PyResult<PySnapshot> {
        PySnapshot::of(&self.held)
    }

    fn restore(&self, snapshot: &PySnapshot) -> PyResult<()> {
        snapshot.restore(&self.held)
    }

    /// Keeps the state in a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        self.held.lock()?.save(&path).map_err(refused)
    }

    /// Goes on where a board was saved.
    fn resume(&self, path: PathBuf) -> PyResult<()> {
        let mut board = self.held.lock()?;
        board.end_recordings().and_then(|()| board.resume(&path)).map_err(refused)
    }

    fn connect_spi(&self, port: u8, select: Option<&str>, device: Py<PyAny>) -> PyResult<()> {
        let select = select.map(|name| self.pin(name)).transpose()?;
        let device = PySpi::new(device, port, self.held.failure());
        self.held.lock()?.connect_spi(port, select, Box::new(device)).map_err(refused)
    }

    fn connect_i2c(&self, port: u8, address: u16, device: Py<PyAny>) -> PyResult<()> {
        let device = PyI2c::new(device, port, address, self.held.failure());
        self.held.lock()?.connect_i2c(port, Box::new(device)).map_err(refused)
    }

    fn connect_pins(&self, pins: Vec<String>, device: Py<PyAny>) -> PyResult<()> {
        let mut watched = if pins.is_empty() { u32::MAX } else { 0 };
        for name in &pins {
            watched |= 1 << self.pin(name)?;
        }
        let mut board = self.held.lock()?;
        let device = PyPins::new(device, board.file().clone(), watched, self.held.failure());
        board.parts().connect_pins(Box::new(device));
        Ok(())
    }

    fn record(&self) -> PyResult<()> {
        self.held.lock()?.record();
        Ok(())
    }

    #[getter]
    fn records(&self) -> PyResult<bool> {
        Ok(self.held.lock()?.records())
    }

    /// Recorded edges behind a time, of one GPIO or of all: picoseconds, GPIO, level.
    ///
    /// A place among them would not do for a reader that comes again: the bits of a frame are put among edges of other
    /// pins when the frame is over.
    fn edges(&self, after_ps: i64, gpio: Option<u8>) -> PyResult<Vec<(i64, u8, bool)>> {
        let board = self.held.lock()?;
        let edges = board.edges();
        let first = edges.partition_point(|edge| edge.at.ps() <= after_ps);
        let wanted = edges[first..].iter().filter(|edge| gpio.is_none_or(|gpio| edge.pin == gpio));
        Ok(wanted.map(|edge| (edge.at.ps(), edge.pin, edge.level)).collect())
    }

    #[getter]
    fn edge_count(&self) -> PyResult<usize> {
        Ok(self.held.lock()?.edges().len())
    }

    fn write_vcd(&self, path: PathBuf) -> PyResult<u64> {
        let board = self.held.lock()?;
        board.write_vcd(&path).map_err(refused)?;
        Ok(board.edges_left_out())
    }

    fn start_trace(&self, path: PathBuf) -> PyResult<()> {
        self.held.lock()?.trace(&path).map_err(refused)
    }

    /// How many events there was no room for.
    fn end_trace(&self) -> PyResult<u64> {
        self.held.lock()?.end_trace().map_err(refused)
    }

    fn start_profile(&self) -> PyResult<()> {
        self.held.lock()?.profile(false);
        Ok(())
    }

    /// The profile as JSON and as a flame graph.
    fn end_profile(&self, title: &str) -> PyResult<Option<(String, String)>> {
        let Some(profile) = self.held.lock()?.end_profile() else { return Ok(None) };
        let content = json!({
            "cycles": profile.cycles, "asleep_cycles": profile.asleep_cycles, "functions": profile.functions,
        });
        Ok(Some((content.to_string(), flame_graph(&profile, title))))
    }

    #[getter]
    fn notes(&self) -> PyResult<Vec<String>> {
        Ok(self.held.lock()?.notes())
    }
}
