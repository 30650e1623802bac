//! Every link, against makers' tables, closed forms and what others measured.

mod ble;
mod budgets;
mod constants;
mod esp32_spp;
mod espnow;
mod gpio;
mod lora;
mod nrf24;
mod programs;
mod published_targets;
mod support;
mod uart;
mod wifi;
mod wifi_hop;
