//! Bluetooth Classic with the serial port profile between two ESP32 (Bluedroid): each write waits for the event of the
//! one before it. Missed openings, repetitions and congestion pauses are measured shapes.

use units::Picoseconds;

use super::tick::{self, TICK};
use crate::params::Params;
use crate::program::Steps;
use crate::registry::Definition;
use crate::stage::{Cause, Constant, GateClock, Load, PacedWrites, Quantiles, TickedSlots, When};
use crate::{Field, SettingError, Settings, Takes};

pub(super) const DEFINITION: Definition = Definition {
    name: "esp32-spp",
    title: "Bluetooth Classic SPP, ESP32",
    settings: SETTINGS,
    max_payload_bytes: 65_535,
    params: include_str!("../../params/esp32-spp.toml"),
    build,
};

const SETTINGS: &[Field] = &[
    TICK,
    Field {
        name: "write",
        takes: Takes::Integer { lowest: 1, highest: 990, unit: "B" },
        default: Some("990"),
        help: "bytes that the application gives to one esp_spp_write; the default MTU takes 990",
        example: "990",
        alternatives: &["990"],
    },
    Field {
        name: "packets",
        takes: Takes::Choice(&["basic", "edr2", "edr3"]),
        default: Some("edr3"),
        help: "packets on the air: DH at 1 Mbit/s, 2-DH at 2 Mbit/s, 3-DH at 3 Mbit/s",
        example: "basic",
        alternatives: &["basic", "edr2", "edr3"],
    },
];

/// The shares to which the measured times belong.
const REPEAT_PERCENTS: [f64; 10] = [0.0, 25.0, 50.0, 80.0, 85.0, 90.0, 95.0, 98.0, 99.0, 100.0];
const PAUSE_PERCENTS: [f64; 10] = [0.0, 66.0, 70.0, 72.0, 80.0, 83.0, 90.0, 95.0, 99.0, 100.0];

/// Bluetooth Core Specification 5.3, vol 2, part B, 6.5.4 and 6.6.
#[derive(Debug, Clone, Copy)]
struct Packets {
    /// The most bytes in a packet of 1, 3 and 5 slots.
    capacity: [i64; 3],
    /// Megabits per second of the payload.
    rate: i64,
    slot: Picoseconds,
    header_bytes: i64,
}

impl Packets {
    fn new(kind: &str, params: &Params) -> Self {
        let (capacity, rate) = match kind {
            "basic" => ([27, 183, 339], 1),
            "edr2" => ([54, 367, 679], 2),
            _ => ([83, 552, 1021], 3),
        };
        Self { capacity, rate, slot: params.time("slot"), header_bytes: params.integer("header_bytes") }
    }

    /// Full packets of five slots, and the bytes of the last packet.
    fn split(&self, write_bytes: i64) -> (i64, i64) {
        let bytes = write_bytes + self.header_bytes;
        let full = (bytes - 1) / self.capacity[2];
        (full, bytes - full * self.capacity[2])
    }

    /// From the start of a write's first packet to the slot in which the next write may start.
    fn occupied(&self, write_bytes: i64) -> Picoseconds {
        let (full, rest) = self.split(write_bytes);
        let slots = match self.capacity.iter().position(|&capacity| rest <= capacity) {
            Some(0) => 1,
            Some(1) => 3,
            _ => 5,
        };
        Picoseconds::new(self.slot.ps() * (6 * full + slots + 1))
    }

    /// From the start of a write's first packet to the end of its last.
    fn airtime(&self, write_bytes: i64) -> Picoseconds {
        let (full, rest) = self.split(write_bytes);
        // Access code and header 126 us, payload header 2 bytes (1 in DH1), checksum 2; EDR adds guard 5,
        // synchronisation 11 and trailer 2 us.
        let extra_us = if self.rate == 1 { 126 } else { 126 + 18 };
        let frame_bytes = if self.rate == 1 && rest <= self.capacity[0] { 3 } else { 4 };
        let payload_ps = (rest + frame_bytes) * 8 * 1_000_000 / self.rate;
        Picoseconds::new(self.slot.ps() * 6 * full + extra_us * 1_000_000 + payload_ps)
    }
}

fn build(settings: &Settings, params: &Params) -> Result<Steps, SettingError> {
    let packets = Packets::new(settings.choice("packets"), params);
    let write_bytes = settings.integer("write");
    let (write, jitter) = (params.time("write"), params.time("write_jitter"));
    let credits = params.integer("credits") as u32;
    // Only full writes are followed by another.
    let before = move |_: &Load| packets.occupied(write_bytes as i64);
    let repeat = Quantiles::new(
        "openings missed and packets sent again",
        Cause::Empirical,
        &REPEAT_PERCENTS,
        params.times("repeat_times"),
    );
    let pause =
        Quantiles::new("congestion pause", Cause::Empirical, &PAUSE_PERCENTS, params.times("pause_times"));
    let streams = move |load: &Load| load.frame_count > credits;
    // A stream of small writes leaves the air idle between them, which hides a repetition.
    let shows_repeats = move |load: &Load| !streams(load) && (load.is_last || before(load) > write);
    let writes = Steps::new()
        .stage(When::new(|load: &Load| !load.is_first, PacedWrites::new(write, jitter, before)))
        .stage(When::new(
            |load: &Load| load.is_last,
            Constant::of_load("packet on the air", Cause::Air, move |load| {
                packets.airtime(i64::from(load.frame_bytes))
            }),
        ))
        .stage(When::new(shows_repeats, repeat))
        .stage(When::new(move |load: &Load| load.is_last && streams(load), pause));
    let tick = tick::clock(settings);
    let slots = GateClock::new("slots", params.time("opening"));
    let first_write = write + Picoseconds::new(jitter.ps() / 2);
    Ok(Steps::new()
        .together(Steps::new().stage(TickedSlots::new(tick, first_write, slots)))
        .frames(write_bytes as u32, writes))
}
