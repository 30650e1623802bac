//! TCP between two ESP32 over a Wi-Fi access point: one message is one write. Slow start, lost segments and messages
//! beyond the send buffer are left out.

use super::tick::TICK;
use super::wifi::{self, Path};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::{SettingError, Settings};

/// ESP-IDF's CONFIG_LWIP_TCP_MSS.
const SEGMENT_BYTES: u32 = 1_440;
/// ESP-IDF's CONFIG_LWIP_TCP_SND_BUF_DEFAULT: beyond it a write waits for acknowledgements.
const SEND_BUFFER_BYTES: u32 = 5_760;

pub(super) const DEFINITION: Definition = Definition {
    name: "esp32-wifi-tcp",
    title: "TCP over Wi-Fi, two ESP32 and an access point",
    settings: &[
        TICK,
        wifi::RECEIVER_TICK,
        wifi::power_save("min"),
        wifi::nodelay("on", "off: Nagle's algorithm holds a message until the one before is acknowledged"),
        wifi::ACK_TIMER,
        wifi::DTIM_PERIOD,
        wifi::LISTEN_INTERVAL,
        wifi::BEACON_INTERVAL,
        wifi::PHY_RATE,
        wifi::FRAME_ERROR,
        wifi::SITE,
    ],
    max_payload_bytes: SEND_BUFFER_BYTES,
    params: include_str!("../../params/esp32-wifi-tcp.toml"),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let path = Path::new(settings, params);
    let steps = Steps::new()
        .maybe(path.notice())
        .then(path.crossing(SEGMENT_BYTES, |load| wifi::TCP_BYTES + load.frame_bytes))
        .maybe(path.reception())
        .done();
    // With Nagle's algorithm the link is busy until the acknowledgement is back.
    Ok(if settings.switch("nodelay") { steps } else { steps.then(path.acknowledgement()) })
}
