//! What a part asks of the microcontroller beside it: ports that there are, and pins that can do what they are named for. A board
//! that could not work is refused when its file is read, before firmware is told of it.

use mcu::Facts;

use super::BoardError;
use super::file::PartEntry;

/// Why a part cannot be as its board file has it, or cannot work on its microcontroller.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    /// The field that is wrong.
    pub(super) field: &'static str,
    /// Words that go on after the field, with what to do.
    pub(super) words: String,
}

impl Misfit {
    pub(super) fn of(field: &'static str, words: String) -> Self {
        Self { field, words }
    }
}

/// For parts that any pin will do for.
pub(super) fn anywhere(_: &PartEntry, _: &Facts) -> Result<(), Misfit> {
    Ok(())
}

/// Pins of the chip that are on pins of an SPI port: the field, what the port calls it, and the port that has it at a GPIO.
type SpiPin = (&'static str, &'static str, fn(&Facts) -> fn(u8) -> Option<u8>);

const SPI_PINS: [SpiPin; 3] = [
    ("clock", "SCK", |facts| facts.spi_clocks),
    ("mosi", "MOSI", |facts| facts.spi_transmits),
    ("miso", "MISO", |facts| facts.spi_receives),
];

/// A part on SPI, where it says on which port: the port is there, and its pins are the port's.
pub(super) fn on_spi(entry: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    let Some(port) = port(entry, "spi", facts.spi_ports, facts)? else { return Ok(()) };
    for (field, role, port_at) in SPI_PINS {
        let Some(gpio) = entry.values.pin_if_given(field) else { continue };
        let port_at = port_at(facts);
        if port_at(gpio) == Some(port) {
            continue;
        }
        let pins = (0..facts.gpio_count).filter(|&gpio| port_at(gpio) == Some(port)).map(facts.pin_name);
        let take = format!("take {} for SPI{port}", either(pins.collect()));
        let is = format!("is {}", (facts.pin_name)(gpio));
        let words = match port_at(gpio) {
            Some(other) => {
                format!(
                    "{is}, which is {role} of SPI{other}, but spi is {port}; write spi = {other}, or {take}"
                )
            }
            None => format!(
                "{is}, which is {role} of no SPI, but spi is {port}; {take}, or leave spi out where firmware moves the pins \
                 itself"
            ),
        };
        return Err(Misfit::of(field, words));
    }
    Ok(())
}

/// A part on I2C: the port is there.
pub(super) fn on_i2c(entry: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    port(entry, "i2c", facts.i2c_ports, facts).map(drop)
}

/// The port that a part names, among those of the microcontroller.
fn port(entry: &PartEntry, field: &'static str, ports: u8, facts: &Facts) -> Result<Option<u8>, Misfit> {
    let Some(port) = entry.values.get(field).map(|port| port.integer() as u8) else { return Ok(None) };
    if port < ports {
        return Ok(Some(port));
    }
    let what_there_is = ports_of(&field.to_uppercase(), ports, facts);
    let instead = if ports == 0 { "leave this chip out".to_owned() } else { format!("write {field} = 0") };
    Err(Misfit::of(field, format!("is {port}, but {what_there_is}; {instead}")))
}

/// That a microcontroller has a port for a device.
///
/// # Errors
/// When it has not; the sentence says which there are.
pub(super) fn check_port(bus: &str, port: u8, ports: u8, facts: &Facts) -> Result<(), BoardError> {
    if port < ports {
        return Ok(());
    }
    Err(BoardError::Refused(format!("there is no {bus}{port}: {}", ports_of(bus, ports, facts))))
}

/// What there is of a bus, in words.
fn ports_of(bus: &str, ports: u8, facts: &Facts) -> String {
    let has = match ports {
        0 => format!("no {bus}"),
        1 => format!("{bus}0 alone"),
        _ => (0..ports).map(|port| format!("{bus}{port}")).collect::<Vec<_>>().join(" and "),
    };
    format!("the {} has {has}", facts.title)
}

/// Names of which one is to be taken.
pub(super) fn either(mut names: Vec<String>) -> String {
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => String::new(),
    }
}
