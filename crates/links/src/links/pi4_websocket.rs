//! WebSocket between two Raspberry Pi 4 that run Node and poll their pins, over a switch or a Wi-Fi access point.
//! What the machines add is a measured shape: its slow wander within a run and between runs is left out.

use units::Picoseconds;

use super::wifi;
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{BackgroundScan, Cause, Constant, Dcf, Dwells, Load, PhyRate};
use crate::{Field, SettingError, Settings, Takes};

/// Preamble 8, header 14, checksum 4, inter-frame gap 12 (IEEE 802.3-2018, 3.1.1 and 4.4.2).
const ETHERNET_BYTES: u32 = 38;
/// What an Ethernet frame carries at least (IEEE 802.3-2018, 3.2.7).
const ETHERNET_LEAST_BYTES: u32 = 46;
/// TCP with Linux's timestamps (RFC 7323).
const TCP_BYTES: u32 = wifi::TCP_BYTES + 12;
const SEGMENT_BYTES: u32 = 1_400;

pub(super) const DEFINITION: Definition = Definition {
    name: "pi4-websocket",
    title: "WebSocket, two Raspberry Pi 4 with Node",
    settings: &[
        Field {
            name: "network",
            takes: Takes::Choice(&["ethernet", "wifi"]),
            default: Some("ethernet"),
            help: "how both are connected: to a switch, or to a Wi-Fi access point",
            example: "ethernet",
            alternatives: &["ethernet", "wifi"],
        },
        Field {
            name: "ethernet_rate",
            takes: Takes::Choice(&["10M", "100M", "1G"]),
            default: Some("1G"),
            help: "bits a second on both wires",
            example: "1G",
            alternatives: &[],
        },
        Field {
            name: "background_scan",
            takes: Takes::Time {
                lowest: Picoseconds::ZERO,
                highest: Picoseconds::from_ns(3_600_000_000_000),
            },
            default: Some("60 s"),
            help: "time from one Wi-Fi scan for other networks to the next; none: scans are switched off",
            example: "none",
            alternatives: &["none"],
        },
        wifi::PHY_RATE,
        wifi::FRAME_ERROR,
    ],
    max_payload_bytes: SEGMENT_BYTES,
    params: include_str!("../../params/pi4-websocket.toml"),
    build,
};

/// A WebSocket message in a TCP segment (RFC 6455, section 5.2): a client masks what it sends.
fn packet_bytes(load: &Load) -> u32 {
    wifi::IP_BYTES + TCP_BYTES + if load.payload_bytes < 126 { 6 } else { 8 } + load.frame_bytes
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    Ok(match settings.choice("network") {
        "ethernet" => ethernet(settings, params),
        _ => wifi_path(settings, params)?,
    })
}

fn ethernet(settings: &Settings, params: &Params) -> Steps {
    let bit_ps = match settings.choice("ethernet_rate") {
        "10M" => 100_000,
        "100M" => 10_000,
        _ => 1_000,
    };
    let frame = move |load: &Load| {
        let bytes = ETHERNET_BYTES + packet_bytes(load).max(ETHERNET_LEAST_BYTES);
        // The switch stores the frame and sends it on.
        Picoseconds::new(2 * 8 * i64::from(bytes) * bit_ps)
    };
    Steps::new()
        .stage(wifi::tail("Linux and Node at both ends", params.times("machines_ethernet")))
        .stage(Constant::of_load("frame on both wires", Cause::Bus, frame))
}

fn wifi_path(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let error = settings.number("frame_error") / 100.0;
    let rate = PhyRate::named(settings.choice("phy_rate"));
    let hop = || Dcf::new(rate, error, |load: &Load| wifi::MAC_BYTES + packet_bytes(load));
    Ok(Steps::new()
        .stage(wifi::tail("Linux, Node and contended air", params.times("machines_wifi")))
        .maybe(scan(settings, params)?)
        .stage(hop())
        .stage(hop()))
}

fn scan(settings: &Settings, params: &Params) -> Result<Option<BackgroundScan>, SettingError> {
    let Some(period) = settings.optional_time("background_scan") else {
        return Ok(None);
    };
    if period < Picoseconds::from_ns(5_000_000_000) {
        return Err(SettingError::Impossible(format!(
            "background_scan is {period}, but a scan takes almost 4 s: set at least 5s, or none"
        )));
    }
    let dwells = |count: &str, listening: &str| Dwells {
        count: params.integer(count),
        away: params.time("channel_switch") + params.time(listening),
    };
    let scanned =
        vec![dwells("active_channels", "active_dwell"), dwells("passive_channels", "passive_dwell")];
    Ok(Some(BackgroundScan::new(period, params.time("scan_home"), scanned)))
}
