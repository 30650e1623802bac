//! Bluetooth LE between two nRF52840 with Zephyr, Nordic's SoftDevice controller and the Nordic UART service.
//!
//! Leaves out: losses (the captures have none) and the millisecond poll of the program's main loop, which the captures
//! do not show.

use super::ble;
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::LOSS_SITE;
use crate::stage::{Cause, ConnectionEvents, Constant, Direction, Phy};
use crate::{SettingError, Settings};

pub(super) const DEFINITION: Definition = Definition {
    name: "nrf52840-ble",
    title: "Bluetooth LE, nRF52840 with the Nordic UART service",
    settings: &[
        ble::connection_interval("30 ms"),
        ble::mtu("247"),
        ble::chunk("197"),
        ble::data_length("251"),
        ble::phy("2M"),
        ble::DIRECTION,
        ble::PERIPHERAL_LATENCY,
        ble::PDUS_PER_EVENT,
        ble::EVENT_LENGTH,
        ble::ENCRYPTED,
        LOSS_SITE,
    ],
    max_payload_bytes: 65_535,
    params: concat!(
        include_str!("../../params/nrf52840-ble.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    ble::check(settings)?;
    let host = match ble::direction(settings) {
        Direction::Notify => params.time("host_notify"),
        Direction::Write | Direction::WriteWithResponse => params.time("host_write"),
    };
    let phy = if settings.choice("phy") == "2M" { Phy::TwoMegabit } else { Phy::OneMegabit };
    let framing = ble::framing(settings, settings.integer("data_length"), phy);
    Ok(Steps::new()
        .together(Steps::new().stage(Constant::fixed("host stack and controller", Cause::Cpu, host)))
        .stage(ConnectionEvents::new(
            ble::events_clock(settings),
            ble::connection(settings, params, framing),
        )))
}
