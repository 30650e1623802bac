//! Devices in Python, as the parts of a board. An exception of theirs ends the run, which raises it.

use std::sync::{Arc, Mutex, PoisonError};

use board::BoardFile;
use board::parts::{I2cDevice, PinDevice, Reaction, SpiDevice, SpiFrame};
use pyo3::prelude::*;
use units::Picoseconds;

/// Why a device could not go on, until somebody takes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<PyErr>>>);

impl Failure {
    pub(crate) fn is_there(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn keep(&self, error: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

/// A Python object as a device.
#[derive(Debug)]
struct Object {
    object: Py<PyAny>,
    /// What it is, for a sentence: `device at SPI0`.
    what: String,
    failure: Failure,
}

impl Object {
    /// Asks the object for something; what is given in its place once it has failed.
    fn ask<T>(&self, at: Picoseconds, otherwise: T, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        if self.failure.is_there() {
            return otherwise;
        }
        Python::attach(|py| match ask(self.object.bind(py)) {
            Ok(answer) => answer,
            Err(error) => {
                let note = format!("in the {} at {at}", self.what);
                // An exception that takes no notes is as good without.
                let _ = error.value(py).call_method1("add_note", (note,));
                self.failure.keep(error);
                otherwise
            }
        })
    }

    /// Whether the object has a method of its own by that name.
    fn has(&self, name: &str) -> bool {
        Python::attach(|py| self.object.bind(py).hasattr(name).unwrap_or(false))
    }

    /// A copy for a snapshot. A function with variables from around it would share them with its copy.
    fn copy(&self) -> Option<Self> {
        let copied = Python::attach(|py| {
            let object = self.object.bind(py);
            let closure = object.getattr("__closure__").ok().filter(|closure| !closure.is_none());
            if closure.is_some() {
                let message = format!(
                    "the {} is a function with variables from around it, which a snapshot cannot copy; \
                     make it an object of a class with __call__",
                    self.what
                );
                return Err(crate::AirwireError::new_err(message));
            }
            let copy = py.import("copy")?.call_method1("deepcopy", (object,));
            copy.map(Bound::unbind).map_err(|error| {
                let message = format!("the {} cannot be copied for a snapshot: {error}", self.what);
                crate::AirwireError::new_err(message)
            })
        });
        match copied {
            Ok(object) => Some(Self { object, what: self.what.clone(), failure: self.failure.clone() }),
            Err(error) => {
                self.failure.keep(error);
                None
            }
        }
    }
}

/// A callable on SPI: it gets each frame and gives the answer. Its method `selected` is told of the chip select.
#[derive(Debug)]
pub(crate) struct PySpi {
    object: Object,
    hears_select: bool,
}

impl PySpi {
    pub(crate) fn new(object: Py<PyAny>, port: u8, failure: Failure) -> Self {
        let object = Object { object, what: format!("device at SPI{port}"), failure };
        let hears_select = object.has("selected");
        Self { object, hears_select }
    }
}

impl SpiDevice for PySpi {
    fn frame(&mut self, at: Picoseconds, frame: &SpiFrame) -> u16 {
        self.object.ask(at, 0, |object| object.call1((frame.sent,))?.extract())
    }

    fn selected(&mut self, at: Picoseconds, selected: bool) {
        if self.hears_select {
            self.object.ask(at, (), |object| object.call_method1("selected", (selected,)).map(drop));
        }
    }

    fn snapshot(&self) -> Option<Box<dyn SpiDevice>> {
        Some(Box::new(Self { object: self.object.copy()?, hears_select: self.hears_select }))
    }
}

/// An object on I2C with `write(byte) -> bool` and `read() -> int`, and where it has them `start(read)` and `stop()`.
#[derive(Debug)]
pub(crate) struct PyI2c {
    object: Object,
    address: u16,
    hears_start: bool,
    hears_stop: bool,
}

impl PyI2c {
    pub(crate) fn new(object: Py<PyAny>, port: u8, address: u16, failure: Failure) -> Self {
        let object = Object { object, what: format!("device at I2C{port} address {address:#04x}"), failure };
        let (hears_start, hears_stop) = (object.has("start"), object.has("stop"));
        Self { object, address, hears_start, hears_stop }
    }
}

impl I2cDevice for PyI2c {
    fn start(&mut self, at: Picoseconds, address: u16, read: bool) -> bool {
        if address != self.address {
            return false;
        }
        if self.hears_start {
            return self.object.ask(at, false, |object| {
                let answer = object.call_method1("start", (read,))?;
                if answer.is_none() { Ok(true) } else { answer.extract() }
            });
        }
        true
    }

    fn write(&mut self, at: Picoseconds, byte: u8) -> bool {
        self.object.ask(at, false, |object| {
            let answer = object.call_method1("write", (byte,))?;
            if answer.is_none() { Ok(true) } else { answer.extract() }
        })
    }

    fn read(&mut self, at: Picoseconds) -> u8 {
        self.object.ask(at, 0xff, |object| object.call_method0("read")?.extract())
    }

    fn stop(&mut self, at: Picoseconds) {
        if self.hears_stop {
            self.object.ask(at, (), |object| object.call_method0("stop").map(drop));
        }
    }

    fn snapshot(&self) -> Option<Box<dyn I2cDevice>> {
        let Self { address, hears_start, hears_stop, .. } = *self;
        Some(Box::new(Self { object: self.object.copy()?, address, hears_start, hears_stop }))
    }
}

/// A callable that is told of every level that changes, and may answer with levels that it drives.
#[derive(Debug)]
pub(crate) struct PyPins {
    object: Object,
    file: BoardFile,
    watched: u32,
}

impl PyPins {
    pub(crate) fn new(object: Py<PyAny>, file: BoardFile, watched: u32, failure: Failure) -> Self {
        Self { object: Object { object, what: "device at the pins".to_owned(), failure }, file, watched }
    }
}

impl PinDevice for PyPins {
    fn changed(&mut self, at: Picoseconds, changed: u32, levels: u32, reactions: &mut Vec<Reaction>) {
        for pin in (0..30u8).filter(|pin| (changed & self.watched) >> pin & 1 == 1) {
            let name = self.file.pin_name(pin);
            let driven = self.object.ask(at, Vec::new(), |object| {
                let answer = object.call1((at.ps(), name, levels >> pin & 1 == 1))?;
                if answer.is_none() {
                    return Ok(Vec::new());
                }
                answer.call_method0("items")?.try_iter()?.map(|item| item?.extract()).collect::<PyResult<_>>()
            });
            for (name, level) in driven {
                let name: String = name;
                match self.file.pin(&name) {
                    Ok(pin) => reactions.push(Reaction::Pin { pin, level }),
                    Err(error) => self.object.failure.keep(crate::refused(error)),
                }
            }
        }
    }

    fn snapshot(&self) -> Option<Box<dyn PinDevice>> {
        let Self { file, watched, .. } = self;
        Some(Box::new(Self { object: self.object.copy()?, file: file.clone(), watched: *watched }))
    }
}
