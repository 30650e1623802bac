//! The compiled module `airwire._core`: converts between Python and Rust, releases the interpreter lock, calls.
//! No logic lives here; `python/airwire/_core.pyi` is its description for people and type checkers.

#![allow(clippy::needless_pass_by_value, reason = "arguments from Python arrive by value")]

mod analysis;
mod bench;
mod board;
mod board_devices;
mod board_listeners;
mod board_rows;
mod board_runs;
mod board_snapshot;
mod boards;
mod completion;
mod convert;
mod inputs;
mod network;
mod packets;
mod rows;
mod spi_controller;
mod statistics;
mod table;
mod validation;
mod watch;
mod wired_boards;

use std::any::Any;
use std::fmt::Display;
use std::path::Path;

use ::bench::suite::SuiteError;
use ::board::BoardError;
use ::links::stage::Cause;
use fields::{Misplaced, Told};
use lan::NetworkError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use record::run_folder::{Site, Subject, UnderWay};

create_exception!(airwire, AirwireError, PyException, "Bad input, in one sentence: what, where, what to do.");

/// Any error of ours as the one exception that Python sees; or Ctrl-C, where that is what it came from. Where it is about a file,
/// the exception has its place as data.
pub(crate) fn refused<E: Display + 'static>(error: E) -> PyErr {
    inputs::interruption().unwrap_or_else(|| {
        let refusal = AirwireError::new_err(error.to_string());
        match place_of(&error) {
            Some(place) => Python::attach(|py| at_its_place(py, refusal, place)),
            None => refusal,
        }
    })
}

/// What an error is about: a file, and a field of it where that is what is wrong.
struct FilePlace<'a> {
    file: &'a Path,
    field: Option<(usize, &'a Told)>,
}

fn of_field(Misplaced { path, line, told }: &Misplaced) -> FilePlace<'_> {
    FilePlace { file: path, field: Some((*line, told)) }
}

fn of_file(file: &Path) -> FilePlace<'_> {
    FilePlace { file, field: None }
}

fn place_of(error: &dyn Any) -> Option<FilePlace<'_>> {
    if let Some(error) = error.downcast_ref() {
        return match error {
            BoardError::Field(misplaced) => Some(of_field(misplaced)),
            BoardError::Read { path, .. }
            | BoardError::Write { path, .. }
            | BoardError::Format { path, .. } => Some(of_file(path)),
            _ => None,
        };
    }
    if let Some(error) = error.downcast_ref() {
        return match error {
            SuiteError::Field(misplaced) => Some(of_field(misplaced)),
            SuiteError::Io { path, .. } => Some(of_file(path)),
            _ => None,
        };
    }
    match error.downcast_ref()? {
        NetworkError::Misplaced(misplaced) => Some(of_field(misplaced)),
        NetworkError::Read { path, .. } => Some(of_file(path)),
    }
}

/// The attributes of the exception that say where something is wrong; nothing where no file says it.
const PLACE: [&str; 4] = ["file", "line", "field", "words"];

fn at_its_place(py: Python<'_>, refusal: PyErr, FilePlace { file, field }: FilePlace<'_>) -> PyErr {
    let value = refusal.value(py);
    let [of_file, of_line, of_field, of_words] = PLACE;
    let set = value.setattr(of_file, file.to_string_lossy()).and_then(|()| {
        let Some((line, told)) = field else { return Ok(()) };
        value.setattr(of_line, line)?;
        value.setattr(of_field, &told.field)?;
        value.setattr(of_words, &told.words)
    });
    set.map_or_else(|broken| broken, |()| refusal)
}

/// The closed sets of codes that stages have in run folders.
fn add_codes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("SPI_CHIPS", PyTuple::new(py, wiznet::Model::ALL.iter().map(|model| model.facts().name))?)?;
    module.add("CAUSES", PyTuple::new(py, Cause::ALL.map(Cause::code))?)?;
    module.add("SITES", PyTuple::new(py, Site::ALL.map(Site::code))?)?;
    module.add("SUBJECTS", PyTuple::new(py, Subject::CODES)?)?;
    module.add("UNDER_WAY", PyTuple::new(py, UnderWay::ALL.map(UnderWay::code))?)?;
    module.add("HEAVY_TAIL", ::bench::targets::board::HEAVY_TAIL)
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    inputs::listen_for_ctrl_c();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("RUN_SCHEMA", record::run_folder::SCHEMA)?;
    add_codes(module)?;
    let refusal = module.py().get_type::<AirwireError>();
    PLACE.into_iter().try_for_each(|attribute| refusal.setattr(attribute, module.py().None()))?;
    module.add("AirwireError", refusal)?;
    module.add_class::<analysis::AnalysisResult>()?;
    module.add_class::<analysis::CaptureResult>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<rows::PyRow>()?;
    module.add_class::<bench::SuiteResult>()?;
    module.add_class::<rows::PyFigureRow>()?;
    module.add_class::<board::PyBoard>()?;
    module.add_class::<board_snapshot::PySnapshot>()?;
    module.add_class::<wired_boards::PyWiredBoards>()?;
    module.add_class::<spi_controller::PySpiController>()?;
    module.add_function(wrap_pyfunction!(boards::board_names, module)?)?;
    module.add_function(wrap_pyfunction!(boards::board_schema, module)?)?;
    module.add_function(wrap_pyfunction!(boards::board_header, module)?)?;
    module.add_function(wrap_pyfunction!(boards::board_fields, module)?)?;
    module.add_function(wrap_pyfunction!(boards::chip_kinds, module)?)?;
    module.add_function(wrap_pyfunction!(boards::microcontrollers, module)?)?;
    module.add_function(wrap_pyfunction!(boards::microcontroller_of, module)?)?;
    completion::add_to(module)?;
    module.add_function(wrap_pyfunction!(network::network_schema, module)?)?;
    module.add_function(wrap_pyfunction!(network::network_reference, module)?)?;
    module.add_function(wrap_pyfunction!(boards::describe_board, module)?)?;
    module.add_function(wrap_pyfunction!(boards::unescaped, module)?)?;
    module.add_function(wrap_pyfunction!(bench::links, module)?)?;
    module.add_function(wrap_pyfunction!(bench::suite_schema, module)?)?;
    module.add_function(wrap_pyfunction!(bench::parse_bound, module)?)?;
    module.add_function(wrap_pyfunction!(bench::find_image, module)?)?;
    module.add_function(wrap_pyfunction!(bench::link_budget, module)?)?;
    module.add_function(wrap_pyfunction!(board_rows::image_setting_list, module)?)?;
    module.add_function(wrap_pyfunction!(board_rows::changed_image_file, module)?)?;
    module.add_function(wrap_pyfunction!(bench::run_suite, module)?)?;
    module.add_function(wrap_pyfunction!(bench::simulate, module)?)?;
    module.add_function(wrap_pyfunction!(validation::validate, module)?)?;
    module.add_function(wrap_pyfunction!(validation::explain_capture, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::analyze, module)?)?;
    module.add_function(wrap_pyfunction!(convert::read_edges, module)?)?;
    module.add_function(wrap_pyfunction!(convert::convert, module)?)?;
    module.add_function(wrap_pyfunction!(convert::parse_time_ps, module)?)?;
    module.add_function(wrap_pyfunction!(convert::parse_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(convert::format_time, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::statistics, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::compare, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::outside_shapes, module)?)?;
    module.add_class::<packets::PyPacketRecorder>()?;
    module.add_function(wrap_pyfunction!(packets::packet_report, module)?)?;
    module.add_function(wrap_pyfunction!(statistics::ecdf, module)?)?;
    Ok(())
}
