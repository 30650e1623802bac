//! One file a link: its settings, and how its stages are put together.

mod ble;
mod esp32_802154;
mod esp32_ble;
mod esp32_spp;
mod esp32_websocket;
mod esp32_wifi_tcp;
mod esp32_wifi_udp;
mod espnow;
mod gpio;
mod hc05;
mod ieee802154;
mod lora;
mod nrf24;
mod nrf52840_ble;
mod pi4_websocket;
mod pico_w;
mod sik;
mod tick;
mod uart;
mod uart_receiver;
pub(crate) mod wifi;

use crate::registry::Definition;

/// Every link, in the order in which they are listed.
pub(crate) const ALL: &[Definition] = &[
    gpio::DEFINITION,
    uart::DEFINITION,
    sik::DEFINITION,
    lora::DEFINITION,
    nrf24::DEFINITION,
    espnow::DEFINITION,
    ieee802154::DEFINITION,
    esp32_802154::DEFINITION,
    hc05::DEFINITION,
    esp32_spp::DEFINITION,
    esp32_ble::BLUEDROID,
    esp32_ble::NIMBLE,
    nrf52840_ble::DEFINITION,
    esp32_wifi_udp::DEFINITION,
    esp32_wifi_tcp::DEFINITION,
    pico_w::DEFINITION,
    esp32_websocket::ESP32,
    esp32_websocket::ESP32_C6,
    pi4_websocket::DEFINITION,
];
