//! UDP between two ESP32 over a Wi-Fi access point. A datagram that IP would have to cut is left out.

use super::tick::TICK;
use super::wifi::{self, Path};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::LOSS_SITE;
use crate::{SettingError, Settings};

/// RFC 768.
const UDP_BYTES: u32 = 8;
/// What an Ethernet frame leaves for UDP's payload.
const MAX_PAYLOAD_BYTES: u32 = 1_500 - wifi::IP_BYTES - UDP_BYTES;

pub(super) const DEFINITION: Definition = Definition {
    name: "esp32-wifi-udp",
    title: "UDP over Wi-Fi, two ESP32 and an access point",
    settings: &[
        TICK,
        wifi::RECEIVER_TICK,
        wifi::power_save("min"),
        wifi::DTIM_PERIOD,
        wifi::LISTEN_INTERVAL,
        wifi::BEACON_INTERVAL,
        wifi::DELIVERY,
        wifi::PHY_RATE,
        wifi::FRAME_ERROR,
        wifi::SITE,
        LOSS_SITE,
    ],
    max_payload_bytes: MAX_PAYLOAD_BYTES,
    params: concat!(
        include_str!("../../params/esp32-wifi-udp.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let path = Path::new(settings, params);
    let notice = Steps::new().maybe(path.notice());
    Ok(path
        .crossing(notice, MAX_PAYLOAD_BYTES, |load| UDP_BYTES + load.frame_bytes)
        .together(Steps::new().maybe(path.reception())))
}
