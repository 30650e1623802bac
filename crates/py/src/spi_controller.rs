//! A chip without a board, for drivers that run in Python: an SPI controller, two pins and a clock to wait on.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lan::{Lan, SpiController};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
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

/// An SPI controller in front of a chip on a network, in virtual time.
#[pyclass(name = "SpiController", module = "airwire._core")]
#[derive(Debug)]
pub(crate) struct PySpiController(Mutex<SpiController>);

impl PySpiController {
    fn lock(&self) -> MutexGuard<'_, SpiController> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PySpiController {
    #[new]
    #[pyo3(signature = (model, *, network, clock_hz, link_up_ps, seed))]
    fn new(
        model: &str,
        network: Option<std::path::PathBuf>,
        clock_hz: u64,
        link_up_ps: Option<i64>,
        seed: u64,
    ) -> PyResult<Self> {
        let model = model_of(model)?;
        let setup = network_of(network, &[], None)?;
        let mut options = Options { seed, ..Options::of(model) };
        if let Some(ps) = link_up_ps {
            options.link_up_time = Picoseconds::new(ps.max(0));
        }
        let mut lan = Lan::new(&setup);
        let chip = lan.attach("chip", Chip::new(options));
        Ok(Self(Mutex::new(SpiController::new(lan, chip, clock(clock_hz)?))))
    }

    fn set_clock(&self, hz: u64) -> PyResult<()> {
        self.lock().set_clock(clock(hz)?);
        Ok(())
    }

    fn select(&self, selected: bool) {
        self.lock().select(selected);
    }

    fn transfer<'py>(&self, py: Python<'py>, sent: &[u8]) -> Bound<'py, PyBytes> {
        let mut bytes = sent.to_vec();
        self.lock().transfer(&mut bytes);
        PyBytes::new(py, &bytes)
    }

    fn wait(&self, ps: i64) -> PyResult<()> {
        if ps < 0 {
            return Err(refused(format!("a wait of {} is over before it began", Picoseconds::new(ps))));
        }
        self.lock().wait(Picoseconds::new(ps));
        Ok(())
    }

    fn wait_for_interrupt(&self, end_ps: i64) -> bool {
        self.lock().wait_for_interrupt(Picoseconds::new(end_ps))
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
    fn now_ps(&self) -> i64 {
        self.lock().now().ps()
    }

    /// Transactions, bytes, picoseconds on the bus, picoseconds of waits.
    fn used(&self) -> (u64, u64, i64, i64) {
        let used = self.lock().used();
        (used.transactions, used.bytes, used.bus_time.ps(), used.wait_time.ps())
    }

    /// What a client or a server of the PC found so far, in a sentence; nothing where there is none of that name.
    fn traffic_summary(&self, name: &str) -> Option<String> {
        let results = self.lock().lan().results();
        results.into_iter().find(|one| one.name == name).map(|one| one.results.summary)
    }

    fn record(&self, on: bool) {
        let mut controller = self.lock();
        let chip = controller.chip();
        controller.lan_mut().with_device(chip, |chip| chip.record(on));
    }

    fn take_accesses<'py>(&self, py: Python<'py>) -> Vec<Access<'py>> {
        let mut controller = self.lock();
        let chip = controller.chip();
        let accesses = controller.lan_mut().with_device(chip, Chip::take_accesses).unwrap_or_default();
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
        accesses.into_iter().map(told).collect()
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

fn model_of(name: &str) -> PyResult<Model> {
    Model::named(&name.to_ascii_lowercase()).ok_or_else(|| {
        let names: Vec<&str> = Model::ALL.iter().map(|model| model.facts().name).collect();
        let (last, others) = names.split_last().expect("there are chips");
        refused(format!("there is no chip {name}; there are {} and {last}", others.join(", ")))
    })
}
