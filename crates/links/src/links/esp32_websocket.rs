//! WebSocket between two ESP32, or two ESP32-C6, over a Wi-Fi access point. The client writes a message's
//! header and its payload apart: with Nagle's algorithm the payload waits until the header is acknowledged.

use super::tick::TICK;
use super::wifi::{self, Path};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::LOSS_SITE;
use crate::stage::{Cause, Constant, Load};
use crate::{Field, SettingError, Settings};

/// ESP-IDF's CONFIG_LWIP_TCP_MSS: a longer payload would be sent in several segments.
const SEGMENT_BYTES: u32 = 1_440;

const SETTINGS: &[Field] = &[
    TICK,
    wifi::RECEIVER_TICK,
    wifi::power_save("none"),
    wifi::nodelay(
        "off",
        "off: with Nagle's algorithm a message's payload waits for the acknowledgement of its header",
    ),
    wifi::ACK_TIMER,
    wifi::DTIM_PERIOD,
    wifi::LISTEN_INTERVAL,
    wifi::BEACON_INTERVAL,
    wifi::DELIVERY,
    wifi::PHY_RATE,
    wifi::FRAME_ERROR,
    wifi::SITE,
    LOSS_SITE,
];

pub(super) const ESP32: Definition = Definition {
    name: "esp32-websocket",
    title: "WebSocket over Wi-Fi, two ESP32 and an access point",
    settings: SETTINGS,
    max_payload_bytes: SEGMENT_BYTES,
    params: concat!(
        include_str!("../../params/esp32-websocket.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

pub(super) const ESP32_C6: Definition = Definition {
    name: "esp32c6-websocket",
    title: "WebSocket over Wi-Fi, two ESP32-C6 and an access point",
    settings: SETTINGS,
    max_payload_bytes: SEGMENT_BYTES,
    params: concat!(
        include_str!("../../params/esp32c6-websocket.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

/// Opcode and length, the longer length, and the mask that a client must use (RFC 6455, section 5.2).
fn header_bytes(payload_bytes: u32) -> u32 {
    if payload_bytes < 126 { 2 + 4 } else { 4 + 4 }
}

fn header_segment(load: &Load) -> u32 {
    wifi::TCP_BYTES + header_bytes(load.payload_bytes)
}

fn payload_segment(load: &Load) -> u32 {
    wifi::TCP_BYTES + load.frame_bytes
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let path = Path::new(settings, params);
    let library = Constant::fixed("WebSocket libraries", Cause::Cpu, params.time("websocket_overhead"));
    let noticed = Steps::new().maybe(path.notice()).stage(library);
    let reception = Steps::new().maybe(path.reception());
    if settings.switch("nodelay") {
        // Both segments follow each other; on the shared channel the header costs two hops of its own.
        let header = Steps::new().stage(path.hop(header_segment)).stage(path.hop(header_segment));
        return Ok(Steps::new()
            .together(noticed)
            .exclusive(wifi::CHANNEL, header)
            .then(path.crossing(Steps::new(), SEGMENT_BYTES, payload_segment))
            .together(reception));
    }
    if settings.choice("power_save") != "none" {
        return Err(SettingError::Impossible(
            "Nagle's algorithm together with power save is not modelled: set nodelay = on, or power_save = none"
                .to_owned(),
        ));
    }
    // What is written while the header is not acknowledged goes as one.
    let held_back = path
        .crossing(Steps::new(), SEGMENT_BYTES, header_segment)
        .then(path.acknowledgement())
        .then(path.crossing(Steps::new(), SEGMENT_BYTES, payload_segment));
    Ok(Steps::new().together(noticed).batched(SEGMENT_BYTES, held_back).together(reception))
}
