//! Bluetooth LE between two ESP32, with the hosts Bluedroid and NimBLE on the same controller.
//!
//! Leaves out: Wi-Fi on the same radio, losses that depend on the channel, that a lost PDU's place in the event can
//! depend on the controller's queue, and the slots of the connection at which the central hands notifications on (up to
//! 0.6 ms, the same for every message that one event carries).

use units::Picoseconds;

use super::ble;
use super::tick::{self, TICK};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::{Interference, LOSS_SITE};
use crate::stage::{
    Advertising, Cause, Connection, ConnectionEvents, Constant, Direction, GateClock, Losses,
};
use crate::stage::{Phy, ReceiverSlot};
use crate::{SettingError, Settings};

pub(super) const BLUEDROID: Definition = Definition {
    name: "esp32-bluedroid-ble",
    title: "Bluetooth LE, ESP32 with Bluedroid",
    settings: &[
        TICK,
        ble::connection_interval("15 ms"),
        ble::mtu("200"),
        ble::chunk("197"),
        ble::data_length("251"),
        ble::DIRECTION,
        ble::PERIPHERAL_LATENCY,
        ble::PDUS_PER_EVENT,
        ble::EVENT_LENGTH,
        ble::advertising("none"),
        ble::ENCRYPTED,
        LOSS_SITE,
        ble::LOSSES,
    ],
    max_payload_bytes: 65_535,
    params: concat!(
        include_str!("../../params/esp32-ble.toml"),
        include_str!("../../params/esp32-bluedroid-ble.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

pub(super) const NIMBLE: Definition = Definition {
    name: "esp32-nimble-ble",
    title: "Bluetooth LE, ESP32 with NimBLE",
    settings: &[
        TICK,
        ble::connection_interval("50 ms"),
        ble::mtu("200"),
        ble::chunk("193"),
        ble::data_length("27"),
        ble::DIRECTION,
        ble::PERIPHERAL_LATENCY,
        ble::PDUS_PER_EVENT,
        ble::EVENT_LENGTH,
        ble::advertising("60 ms"),
        ble::ENCRYPTED,
        LOSS_SITE,
        ble::LOSSES,
    ],
    max_payload_bytes: 65_535,
    params: concat!(
        include_str!("../../params/esp32-ble.toml"),
        include_str!("../../params/esp32-nimble-ble.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    ble::check(settings)?;
    let is_notify = ble::direction(settings) == Direction::Notify;
    let of_direction = |name: &str| format!("{name}_{}", if is_notify { "notify" } else { "write" });
    let tick = tick::wait(settings);
    let host = params.time(&of_direction("host"));
    let pdu_bytes = pdu_bytes(settings.integer("data_length"), params);
    // The ESP32 has no other; its successors do.
    let framing = ble::framing(settings, pdu_bytes, Phy::OneMegabit);
    let connection = Connection {
        later_chunks: params.time("later_chunks"),
        losses: Losses {
            interference: Interference::at(settings, params),
            ..losses(settings, params, &of_direction("missed_events"))
        },
        advertising: ble::advertising_interval(settings)?.map(|interval| advertising(interval, params)),
        ..ble::connection(settings, params, framing)
    };
    // Only the peripheral runs on slots of its own; the central's are the connection's.
    let slot = (!is_notify).then(|| {
        let clock = GateClock::new("receiver slot", params.time("receiver_slot"));
        ReceiverSlot::new("wait for the receiver's slot", clock, params.time("receiver_grace"))
    });
    let sender =
        Steps::new().maybe(tick).stage(Constant::fixed("host stack and controller", Cause::Cpu, host));
    Ok(Steps::new()
        .together(sender)
        .stage(ConnectionEvents::new(ble::events_clock(settings), connection))
        .together(Steps::new().maybe(slot)))
}

fn losses(settings: &Settings, params: &Params, missed: &str) -> Losses {
    match settings.choice("losses") {
        "none" => Losses::default(),
        _ => Losses {
            missed_events: params.number(missed),
            lost_pdus: params.number("lost_pdus"),
            ..Losses::default()
        },
    }
}

fn advertising(interval: Picoseconds, params: &Params) -> Advertising {
    Advertising {
        interval,
        delay: params.time("advertising_delay"),
        length: params.time("advertising_length"),
        lead: params.time("advertising_lead"),
    }
}

/// The ESP32's controller fills PDUs to an even number of bytes, and no further than its limit.
fn pdu_bytes(data_length: u64, params: &Params) -> u64 {
    (data_length / 2 * 2).min(params.integer("longest_pdu") as u64)
}
