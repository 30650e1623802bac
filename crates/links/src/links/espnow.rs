//! ESP-NOW between two ESP32: vendor action frames of up to 250 bytes, each acknowledged before the send callback
//! lets the application hand over the next. Lost frames are left out; neighbours' beacons are not.

use units::Picoseconds;

use super::tick::{self, TICK};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::site::{Interference, LOSS_SITE};
use crate::stage::{Cause, Constant, Hit, Load, NeighbourTiming, Neighbours};
use crate::{Field, SettingError, Settings, Takes};

/// ESP_NOW_MAX_DATA_LEN (ESP-IDF Programming Guide, ESP-NOW).
const FRAME_BYTES: u32 = 250;
/// A frame is sent seven times at most (dot11ShortRetryLimit; IEEE 802.11-2016, 10.3.4.4).
const SHORT_RETRIES: u32 = 6;
const SECOND_PS: i64 = 1_000_000_000_000;

pub(super) const DEFINITION: Definition = Definition {
    name: "espnow",
    title: "ESP-NOW, ESP32",
    settings: SETTINGS,
    max_payload_bytes: 65_535,
    params: concat!(
        include_str!("../../params/espnow.toml"),
        include_str!("../../params/sites-2-4-ghz.toml")
    ),
    build,
};

const SETTINGS: &[Field] = &[
    TICK,
    Field {
        name: "rate",
        takes: Takes::Choice(&["LR-250k", "LR-500k", "1M", "2M", "5.5M", "11M", "6M", "12M", "24M", "54M"]),
        default: Some("1M"),
        help: "rate of the frames (esp_wifi_config_espnow_rate); LR: Espressif's long range",
        example: "LR-250k",
        alternatives: &["LR-250k", "LR-500k", "1M", "11M", "24M"],
    },
    Field {
        name: "encrypted",
        takes: Takes::Switch,
        default: Some("on"),
        help: "frames are encrypted with CCMP",
        example: "on",
        alternatives: &["on", "off"],
    },
    Field {
        name: "neighbours",
        takes: Takes::Integer { lowest: 0, highest: 8, unit: "" },
        default: Some("2"),
        help: "access points of others on the channel",
        example: "2",
        alternatives: &[],
    },
    Field {
        name: "neighbour_busy",
        takes: Takes::Time {
            lowest: Picoseconds::from_ns(100_000),
            highest: Picoseconds::from_ns(50_000_000),
        },
        default: Some("1.6 ms"),
        help: "how long each of them keeps the channel busy around its beacon, every 102.4 ms",
        example: "1.6 ms",
        alternatives: &[],
    },
    LOSS_SITE,
];

/// How bits become a frame on the air.
#[derive(Debug, Clone, Copy)]
enum Modulation {
    /// A preamble, then so many bits per second.
    Serial { preamble: Picoseconds, bit_rate: i64 },
    /// Symbols of 4 us that carry so many bits.
    Ofdm { preamble: Picoseconds, extension: Picoseconds, symbol_bits: i64 },
}

impl Modulation {
    fn new(rate: &str, params: &Params) -> Self {
        let dsss = |bit_rate| Self::Serial { preamble: params.time("dsss_preamble"), bit_rate };
        let long_range = |bit_rate| Self::Serial { preamble: params.time("long_range_preamble"), bit_rate };
        let ofdm = |symbol_bits| Self::Ofdm {
            preamble: params.time("ofdm_preamble"),
            extension: params.time("ofdm_signal_extension"),
            symbol_bits,
        };
        match rate {
            "LR-250k" => long_range(250_000),
            "LR-500k" => long_range(500_000),
            "1M" => dsss(1_000_000),
            "2M" => dsss(2_000_000),
            "5.5M" => dsss(5_500_000),
            "11M" => dsss(11_000_000),
            "6M" => ofdm(24),
            "12M" => ofdm(48),
            "24M" => ofdm(96),
            _ => ofdm(216),
        }
    }

    /// The rate of the acknowledgement: the highest mandatory one that is not above the frame's.
    fn of_acknowledgement(rate: &str) -> &str {
        match rate {
            "2M" | "5.5M" | "11M" => "2M",
            "54M" => "24M",
            same => same,
        }
    }

    fn airtime(self, bytes: i64) -> Picoseconds {
        match self {
            Self::Serial { preamble, bit_rate } => {
                preamble + Picoseconds::new(8 * bytes * SECOND_PS / bit_rate)
            }
            Self::Ofdm { preamble, extension, symbol_bits } => {
                // 16 service and 6 tail bits.
                let symbols = (8 * bytes + 22 + symbol_bits - 1) / symbol_bits;
                preamble + extension + Picoseconds::new(symbols * 4 * 1_000_000)
            }
        }
    }
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let rate = settings.choice("rate");
    let modulation = Modulation::new(rate, params);
    let encryption_bytes = if settings.switch("encrypted") { params.integer("encryption_bytes") } else { 0 };
    let overhead_bytes = params.integer("frame_overhead_bytes") + encryption_bytes;
    let airtime = move |load: &Load| modulation.airtime(overhead_bytes + i64::from(load.frame_bytes));
    let acknowledgement = params.time("sifs")
        + Modulation::new(Modulation::of_acknowledgement(rate), params)
            .airtime(params.integer("acknowledgement_bytes"));
    let next_frame = params.time("next_frame");
    let heard = !rate.starts_with("LR");
    // Only frames before the last are followed by another, and these are full.
    let full = move |_: &Load| airtime(&Load::whole(FRAME_BYTES)) + acknowledgement;
    let timing = NeighbourTiming {
        interval: params.time("beacon_interval"),
        busy: settings.time("neighbour_busy"),
        free: params.time("sifs") + params.time("slot") + params.time("slot"),
        slot: params.time("slot"),
        longest_backoff: params.integer("backoff_slots") as u64,
    };
    let receiver_firmware = (params.time("firmware") - next_frame).max(Picoseconds::ZERO);
    let interference = Interference::at(settings, params);
    let sent = Steps::new()
        .stage(Neighbours::new(settings.integer("neighbours"), timing, heard.then_some(full), next_frame))
        .stage(Constant::of_load("frame on the air", Cause::Air, airtime))
        .maybe(Hit::where_there_is_some(interference, airtime));
    let sent = if interference.is_some() {
        let silence = Constant::fixed("wait for a missing acknowledgement", Cause::Retry, acknowledgement);
        Steps::new().attempts(SHORT_RETRIES, sent, Steps::new().stage(silence))
    } else {
        sent
    };
    let frame = sent
        .stage(Constant::of_load("receiver's firmware", Cause::Cpu, move |load| {
            if load.is_last { receiver_firmware } else { Picoseconds::ZERO }
        }))
        .done()
        .stage(Constant::fixed("acknowledgement", Cause::Protocol, acknowledgement))
        .stage(Constant::fixed("send callback to the next frame", Cause::Cpu, next_frame));
    Ok(Steps::new()
        .together(Steps::new().maybe(tick::wait(settings)))
        .stage(Constant::fixed("sender's firmware", Cause::Cpu, next_frame))
        .frames(FRAME_BYTES, frame))
}
