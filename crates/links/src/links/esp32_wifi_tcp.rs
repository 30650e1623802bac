//! TCP between two ESP32 over a Wi-Fi access point: one message is one write. Slow start, lost segments and messages
//! beyond the send buffer are left out.

use super::tick::TICK;
use super::wifi::{self, Path};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::LOSS_SITE;
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
        wifi::DELIVERY,
        wifi::PHY_RATE,
        wifi::FRAME_ERROR,
        wifi::SITE,
        LOSS_SITE,
    ],
    max_payload_bytes: SEND_BUFFER_BYTES,
    params: concat!(
        include_str!("../../params/esp32-wifi-tcp.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let path = Path::new(settings, params);
    let notice = Steps::new().maybe(path.notice());
    let reception = Steps::new().maybe(path.reception());
    let segments = |first| path.crossing(first, SEGMENT_BYTES, |load| wifi::TCP_BYTES + load.frame_bytes);
    if settings.switch("nodelay") {
        return Ok(segments(notice).together(reception));
    }
    // With Nagle's algorithm what is written waits until the acknowledgement is back, and then goes as one.
    let unacknowledged = segments(Steps::new()).then(reception).done().then(path.acknowledgement());
    Ok(Steps::new().together(notice).batched(SEND_BUFFER_BYTES, unacknowledged))
}
