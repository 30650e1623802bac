//! Hops: what lies between the network interface of a board and the wire, for boards whose firmware is simulated elsewhere.
//! A hop is made of the stages of the links, but has no trigger and no done edge, takes frames in both directions, and so
//! is not among [`all`](crate::all) links.

mod air;
mod beacons;
mod closed_form;
mod crossing;
mod exchange;
mod frame;
mod power;
mod station;

pub use air::{Passed, WifiAir};
pub use crossing::{Crossed, Crossing};
pub use frame::{Kept, Way};
pub use station::{Aggregation, Delivery, Listens, PowerSave, RadioUse, StationSetup};

use std::sync::LazyLock;

use units::Picoseconds;

use crate::links::wifi::{BEACON_INTERVAL, DELIVERY, LISTEN_INTERVAL, PHY_RATE, power_save};
use crate::params::Params;
use crate::registry::LinkError;
use crate::{Field, Settings, Takes};

/// A hop: what it is called and what can be set.
#[derive(Debug)]
pub struct HopDefinition {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What can be set.
    pub settings: &'static [Field],
    params: &'static LazyLock<Params>,
}

impl HopDefinition {
    /// All settings at their defaults.
    pub fn defaults(&self) -> Settings {
        Settings::defaults(self.settings)
    }

    /// Defaults with some settings changed, from text as a user writes it.
    ///
    /// # Errors
    /// When the hop has no such setting, or a value is not allowed.
    pub fn settings_with<'a>(
        &self,
        changes: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Settings, LinkError> {
        let mut settings = self.defaults();
        for (name, text) in changes {
            settings.set(self.name, self.settings, name, text)?;
        }
        Ok(settings)
    }

    /// The hop's constants.
    pub fn params(&self) -> &'static Params {
        self.params
    }
}

static WIFI_PARAMS: LazyLock<Params> =
    LazyLock::new(|| Params::parse(include_str!("../../params/wifi-hop.toml")));

/// A Wi-Fi access point between a station and a wire.
pub const WIFI_HOP: HopDefinition = HopDefinition {
    name: "wifi-hop",
    title: "Wi-Fi between a station's network interface and the wire behind its access point",
    settings: WIFI_SETTINGS,
    params: &WIFI_PARAMS,
};

const fn short_time(name: &'static str, default: &'static str, help: &'static str) -> Field {
    let highest = Picoseconds::from_ns(100_000_000);
    Field {
        name,
        takes: Takes::Time { lowest: Picoseconds::ZERO, highest },
        default: Some(default),
        help,
        example: default,
        alternatives: &[],
    }
}

const AWAKE_TIME: Field = Field {
    name: "awake_time",
    takes: Takes::Time { lowest: Picoseconds::ZERO, highest: Picoseconds::from_ns(10_000_000_000) },
    default: Some("200 ms"),
    help: "how long a station in power save stays awake after a frame (pm2_sleep_ret of a CYW43); none: it dozes at once",
    example: "none",
    alternatives: &["none", "20 ms", "200 ms"],
};
const WAKE_TIME: Field = short_time(
    "wake_time",
    "none",
    "how long the radio of a dozing station takes to wake for a frame of its own",
);
/// Access points that run hostapd have a DTIM each second beacon unless they are told otherwise.
const DTIM_PERIOD: Field = Field {
    default: Some("2"),
    alternatives: &["1", "2", "3"],
    help: "beacons from one DTIM to the next: for these a station in power save wakes (hostapd: 2)",
    ..crate::links::wifi::DTIM_PERIOD
};
const FRAME_ERROR: Field = Field {
    name: "frame_error",
    takes: Takes::Number { lowest: 0.0, highest: 95.0, unit: "%" },
    default: Some("0"),
    help: "frames that are not acknowledged, for distance or noise; each is sent at most seven times",
    example: "0",
    alternatives: &[],
};
const STATION_TIME: Field = short_time(
    "station_time",
    "none",
    "how long the station's radio processor takes with a frame, either way",
);
const AGGREGATE_FRAMES: Field = Field {
    name: "aggregate_frames",
    takes: Takes::Integer { lowest: 1, highest: 64, unit: "frames" },
    default: Some("1"),
    help: "frames that go in one transmission of 802.11n (A-MPDU) where they wait; 1: each has its own",
    example: "8",
    alternatives: &["1", "8", "64"],
};

/// What can be set of a station, whatever its access point is.
pub const STATION_FIELDS: &[Field] = &[
    power_save("none"),
    AWAKE_TIME,
    WAKE_TIME,
    LISTEN_INTERVAL,
    DELIVERY,
    PHY_RATE,
    AGGREGATE_FRAMES,
    FRAME_ERROR,
    STATION_TIME,
];

const WIFI_SETTINGS: &[Field] = &[
    power_save("none"),
    AWAKE_TIME,
    WAKE_TIME,
    BEACON_INTERVAL,
    DTIM_PERIOD,
    LISTEN_INTERVAL,
    DELIVERY,
    PHY_RATE,
    AGGREGATE_FRAMES,
    Field {
        name: "medium_load",
        takes: Takes::Number { lowest: 0.0, highest: 90.0, unit: "%" },
        default: Some("0"),
        help: "share of the time for which other stations hold the channel",
        example: "0",
        alternatives: &[],
    },
    FRAME_ERROR,
    short_time("access_point_time", "none", "how long the access point takes to bridge a frame, either way"),
    STATION_TIME,
];
