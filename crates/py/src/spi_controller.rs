//! A chip without a board, for drivers that run in Python: an SPI controller, two pins, a clock to wait on, and the network around
//! the chip.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use board::{SampleEntry, TrafficEntry};
use lan::{Computing, Dropped, Lan, SpiController, TrafficResults};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use units::{Hertz, Picoseconds};
use wiznet::{Chip, Model, Options};

use crate::network::network_of;
use crate::refused;

/// An access over SPI: start and end in picoseconds, write, address, block, data, bytes, register, the byte of it,
/// socket, command, meaning.
type Access<'py> = (
    i64,
    i64,
    bool,
    u16,
    u8,
    Bound<'py, PyBytes>,
    u32,
    Option<&'static str>,
    Option<u8>,
    Option<u8>,
    Option<&'static str>,
    String,
);

/// A frame: start in picoseconds, the chip, whether it is from there, data, whether it is intact, what was done to it.
type SeenFrame<'py> = (i64, String, bool, Bound<'py, PyBytes>, bool, Vec<&'static str>);

/// A datagram: when in picoseconds, address, port, data.
type Datagram<'py> = (i64, String, u16, Bound<'py, PyBytes>);

/// An SPI controller in front of a chip on a network, in virtual time. Controllers of chips on one network share it and time.
#[pyclass(name = "SpiController", module = "airwire._core")]
#[derive(Debug)]
pub(crate) struct PySpiController {
    shared: Arc<Mutex<SpiController>>,
    bus: usize,
}

impl PySpiController {
    fn lock(&self) -> MutexGuard<'_, SpiController> {
        let mut controller = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        controller.turn_to(self.bus);
        controller
    }

    fn results(&self) -> Vec<TrafficResults> {
        self.lock().lan().results()
    }
}

#[pymethods]
impl PySpiController {
    #[new]
    #[pyo3(signature = (model, *, network, network_text, traffic, impair, clock_hz, link_up_ps, seed, send_ok_waits))]
    #[expect(clippy::too_many_arguments, reason = "each is a setting of its own in Python")]
    fn new(
        model: &str,
        network: Option<PathBuf>,
        network_text: Option<&str>,
        traffic: Vec<String>,
        impair: Option<&str>,
        clock_hz: u64,
        link_up_ps: Option<i64>,
        seed: u64,
        send_ok_waits: bool,
    ) -> PyResult<Self> {
        let options = options_of(model, link_up_ps, seed, send_ok_waits)?;
        let setup = network_of(network, network_text, &traffic, impair)?;
        let mut lan = Lan::new(&setup);
        let chip = lan.attach("chip", Chip::new(options));
        let controller = SpiController::new(lan, chip, clock(clock_hz)?);
        Ok(Self { shared: Arc::new(Mutex::new(controller)), bus: 0 })
    }

    /// One more chip on the network, with a bus of its own.
    fn add_chip(
        &self,
        model: &str,
        name: &str,
        clock_hz: u64,
        link_up_ps: Option<i64>,
        seed: u64,
        send_ok_waits: bool,
    ) -> PyResult<Self> {
        let options = options_of(model, link_up_ps, seed, send_ok_waits)?;
        let clock = clock(clock_hz)?;
        let mut controller = self.lock();
        let chip = controller.attach(name, Chip::new(options));
        let bus = controller.add_bus(chip, clock);
        Ok(Self { shared: Arc::clone(&self.shared), bus })
    }

    fn set_clock(&self, hz: u64) -> PyResult<()> {
        self.lock().set_clock(clock(hz)?);
        Ok(())
    }

    fn set_computing(&self, least_ps: i64, spread_ps: i64, seed: u64) {
        let (least, spread) = (Picoseconds::new(least_ps), Picoseconds::new(spread_ps));
        self.lock().set_computing(Computing::new(least, spread, seed));
    }

    fn select(&self, selected: bool) {
        self.lock().select(selected);
    }

    fn transfer<'py>(&self, py: Python<'py>, sent: &[u8]) -> Bound<'py, PyBytes> {
        let mut bytes = sent.to_vec();
        self.lock().transfer(&mut bytes);
        PyBytes::new(py, &bytes)
    }

    fn wait(&self, py: Python<'_>, ps: i64) {
        py.detach(|| self.lock().wait(Picoseconds::new(ps)));
    }

    fn wait_for_interrupt(&self, py: Python<'_>, end_ps: i64) -> bool {
        py.detach(|| self.lock().wait_for_interrupt(Picoseconds::new(end_ps)))
    }

    fn set_reset(&self, high: bool) {
        self.lock().set_reset(high);
    }

    fn set_plugged(&self, plugged: bool) {
        let mut controller = self.lock();
        let (at, chip) = (controller.now(), controller.chip());
        controller.lan_mut().set_plugged(at, chip, plugged);
    }

    #[getter]
    fn interrupt_is_low(&self) -> bool {
        self.lock().interrupt_is_low()
    }

    #[getter]
    fn interrupt_falls(&self) -> u64 {
        self.lock().interrupt_falls()
    }

    #[getter]
    fn now_ps(&self) -> i64 {
        self.lock().now().ps()
    }

    /// Transactions, bytes, picoseconds on the bus, picoseconds of waits and of computing.
    fn used(&self) -> (u64, u64, i64, i64, i64) {
        let used = self.lock().used();
        (used.transactions, used.bytes, used.bus_time.ps(), used.wait_time.ps(), used.computing_time.ps())
    }

    /// What the clients of the PC, and the servers that anybody spoke to, found so far, as JSON.
    fn outcome(&self) -> String {
        let told = |one: &TrafficResults| one.is_client || !one.results.is_empty();
        let entries: Vec<TrafficEntry> =
            self.results().into_iter().filter(told).map(TrafficEntry::from).collect();
        json!({ "traffic": entries }).to_string()
    }

    /// The messages of a client as JSON.
    fn traffic_samples(&self, name: &str) -> PyResult<String> {
        let found = self.results().into_iter().find(|one| one.name == name);
        let one = found.ok_or_else(|| refused(format!("nothing on the network is called {name}")))?;
        let samples: Vec<SampleEntry> = one.results.samples.iter().map(SampleEntry::from).collect();
        serde_json::to_string(&samples).map_err(refused)
    }

    fn keep_frames(&self, on: bool) -> PyResult<()> {
        self.lock().keep_frames(on).map_err(refused)
    }

    fn take_frames<'py>(&self, py: Python<'py>) -> Vec<SeenFrame<'py>> {
        let told = |seen: lan::SeenFrame| {
            let data = PyBytes::new(py, &seen.bytes);
            (seen.start.ps(), seen.chip, seen.is_from_chip, data, seen.is_intact, seen.fate)
        };
        self.lock().take_frames().into_iter().map(told).collect()
    }

    fn send_frame(&self, data: &[u8], intact: bool) -> PyResult<()> {
        self.lock().send_frame(data, intact).map_err(refused)
    }

    fn send_datagram(&self, port: u16, address: &str, to_port: u16, data: &[u8]) -> PyResult<()> {
        let address: Ipv4Addr = address
            .parse()
            .map_err(|_| refused(format!("{address:?} is no IPv4 address; write one such as 239.1.1.1")))?;
        self.lock().send_datagram(port, (address, to_port), data).map_err(refused)
    }

    fn take_datagrams<'py>(&self, py: Python<'py>, port: u16) -> PyResult<Vec<Datagram<'py>>> {
        let taken = self.lock().take_datagrams(port).map_err(refused)?;
        let told = |one: lan::ReceivedDatagram| {
            (one.at.ps(), one.from.0.to_string(), one.from.1, PyBytes::new(py, &one.bytes))
        };
        Ok(taken.into_iter().map(told).collect())
    }

    /// What was dropped around the chip, by reason, as JSON.
    fn dropped(&self) -> String {
        let Dropped { by_chip, to_chip, from_chip } = self.lock().dropped();
        let by_name = |reasons: Vec<(&'static str, u64)>| reasons.into_iter().collect::<BTreeMap<_, _>>();
        json!({ "by_chip": by_chip, "to_chip": by_name(to_chip), "from_chip": by_name(from_chip) })
            .to_string()
    }

    fn start_capture(&self, path: PathBuf, spi: bool) -> PyResult<()> {
        self.lock().start_capture(&path, spi).map_err(refused)
    }

    fn end_capture(&self) -> PyResult<()> {
        self.lock().end_capture().map_err(refused)
    }

    fn record(&self, on: bool) -> PyResult<()> {
        self.lock().record(on).map_err(refused)
    }

    fn take_accesses<'py>(&self, py: Python<'py>) -> Vec<Access<'py>> {
        let told = |access: wiznet::Access| {
            let data = PyBytes::new(py, &access.data);
            let (start, end, meaning) = (access.start.ps(), access.end.ps(), access.meaning());
            let register = access.register();
            let (name, socket) = (register.map(|one| one.name), register.and_then(|one| one.socket));
            let (register_byte, command) =
                (access.register_byte(), access.command.map(wiznet::Command::name));
            let wiznet::Access { write, address, block, bytes, .. } = access;
            (start, end, write, address, block, data, bytes, name, register_byte, socket, command, meaning)
        };
        self.lock().take_accesses().into_iter().map(told).collect()
    }

    /// What the chip complains of since the last call: when, and a sentence.
    fn take_warnings(&self) -> Vec<(i64, String)> {
        let mut controller = self.lock();
        let chip = controller.chip();
        let warnings = controller.lan_mut().with_device(chip, Chip::take_warnings).unwrap_or_default();
        warnings.into_iter().map(|warning| (warning.at.ps(), warning.sentence)).collect()
    }
}

fn clock(hz: u64) -> PyResult<Hertz> {
    Hertz::new(hz).ok_or_else(|| refused("an SPI clock of 0 Hz moves no bits; give for example 2_000_000"))
}

fn options_of(model: &str, link_up_ps: Option<i64>, seed: u64, send_ok_waits: bool) -> PyResult<Options> {
    let model = model_of(model)?;
    let mut options =
        Options { seed, send_ok_waits_for_acknowledgement: send_ok_waits, ..Options::of(model) };
    if let Some(ps) = link_up_ps {
        options.link_up_time = Picoseconds::new(ps.max(0));
    }
    Ok(options)
}

fn model_of(name: &str) -> PyResult<Model> {
    Model::named(&name.to_ascii_lowercase()).ok_or_else(|| {
        let names: Vec<&str> = Model::ALL.iter().map(|model| model.facts().name).collect();
        refused(format!("there is no chip {name:?}; {}", fields::hint(name, &names)))
    })
}
