//! What boards there are, and what text for their consoles means.

use std::collections::BTreeMap;

use board::{self, BoardFile};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};

use crate::refused;

/// The bytes that text with escapes means.
#[pyfunction]
pub(crate) fn unescaped<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyBytes>> {
    Ok(PyBytes::new(py, &board::unescaped(text).map_err(refused)?))
}

/// The names of the boards that there are.
#[pyfunction]
pub(crate) fn board_names() -> Vec<&'static str> {
    board::board_names()
}

/// The JSON Schema of board files.
#[pyfunction]
pub(crate) fn board_schema() -> String {
    board::board_schema().to_string()
}

/// The fields of a board file itself, as JSON.
#[pyfunction]
pub(crate) fn board_fields() -> String {
    board::board_fields().to_string()
}

/// The kinds of chips that board files may name, as JSON.
#[pyfunction]
pub(crate) fn chip_kinds() -> String {
    board::chip_kinds().to_string()
}

/// The microcontrollers that board files may name, as JSON.
#[pyfunction]
pub(crate) fn microcontrollers() -> String {
    board::microcontrollers().to_string()
}

/// The microcontroller that an image is for.
#[pyfunction]
pub(crate) fn microcontroller_of(image: &str) -> PyResult<&'static str> {
    let image = board::read_image(image.as_ref(), None).map_err(refused)?;
    Ok(board::microcontroller_of(&image))
}

/// A board's description, by name or file, as JSON.
#[pyfunction]
pub(crate) fn describe_board(name: &str) -> PyResult<String> {
    Ok(described(&board::find_board(name).map_err(refused)?).to_string())
}

/// A board as the C header that firmware is built with.
#[pyfunction]
pub(crate) fn board_header(name: &str) -> PyResult<String> {
    Ok(board::find_board(name).map_err(refused)?.header())
}

fn described(file: &BoardFile) -> Value {
    let pins: Vec<Value> = file.pins.iter().map(|(name, gpio)| json!({"name": name, "gpio": gpio})).collect();
    let facts = file.mcu.facts;
    let gpios: Vec<String> = (0..facts.gpio_count).map(facts.pin_name).collect();
    let chips: Vec<Value> =
        file.parts.iter().map(|part| json!({"name": part.name, "kind": part.kind(), "pins": part.pins().collect::<BTreeMap<_, _>>()})).collect();
    json!({
        "name": file.name, "title": file.title, "mcu": file.mcu.facts.name, "crystal_hz": file.crystal_hz, "flash_bytes": file.flash_bytes,
        "pins": pins, "gpios": gpios, "chips": chips,
    })
}
