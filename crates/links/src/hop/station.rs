//! A station: how it is set, whether it dozes, what the access point keeps for it, and how long its radio did what.

use std::collections::VecDeque;

use units::Picoseconds;

use super::frame::{Frame, Kept};
use crate::Settings;
use crate::stage::PhyRate;

/// How a dozing station is given what the access point keeps for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It says that it is awake, and gets all of it.
    Burst,
    /// It asks for each frame.
    Poll,
}

/// For which beacons a dozing station wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listens {
    /// For each so-manieth DTIM.
    Dtims(u32),
    /// For each so-manieth beacon.
    Beacons(u32),
}

/// How a station saves power.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PowerSave {
    /// How it is given what was kept.
    pub delivery: Delivery,
    /// When it wakes.
    pub listens: Listens,
    /// How long it stays awake after a frame.
    pub awake_time: Picoseconds,
    /// How long its radio takes to wake for a frame of its own.
    pub wake_time: Picoseconds,
}

/// How many frames may go in one transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aggregation {
    /// From the station.
    pub frames: u32,
    /// The longest A-MPDU that it takes; 0 where it takes none.
    pub takes_bytes: u32,
}

impl Aggregation {
    /// One each.
    pub const NONE: Self = Self { frames: 1, takes_bytes: 0 };
}

/// How a station is set.
#[derive(Debug, Clone, PartialEq)]
pub struct StationSetup {
    /// How it saves power, where it does.
    pub power_save: Option<PowerSave>,
    /// What goes in one transmission.
    pub aggregation: Aggregation,
    /// The rate of data frames, both ways.
    pub rate: PhyRate,
    /// The share of frames that are not acknowledged.
    pub frame_error: f64,
    /// How long its radio processor takes with a frame.
    pub station_time: Picoseconds,
}

/// IEEE 802.11-2016, 9.4.2.56.3: the longest A-MPDU of HT is 65 535 bytes.
const LONGEST_AGGREGATE_BYTES: u32 = 65_535;

impl StationSetup {
    /// Out of settings of [`STATION_FIELDS`](super::STATION_FIELDS).
    ///
    /// # Panics
    /// When the settings are those of something else.
    pub fn of(settings: &Settings) -> Self {
        let listens = match settings.choice("power_save") {
            "max" => Listens::Beacons(settings.integer("listen_interval") as u32),
            _ => Listens::Dtims(1),
        };
        let power_save = PowerSave {
            delivery: if settings.choice("delivery") == "burst" { Delivery::Burst } else { Delivery::Poll },
            listens,
            awake_time: settings.time("awake_time"),
            wake_time: settings.time("wake_time"),
        };
        let frames = settings.integer("aggregate_frames") as u32;
        let takes_bytes = if frames > 1 { LONGEST_AGGREGATE_BYTES } else { 0 };
        Self {
            power_save: (settings.choice("power_save") != "none").then_some(power_save),
            aggregation: Aggregation { frames, takes_bytes },
            rate: PhyRate::named(settings.choice("phy_rate")),
            frame_error: settings.number("frame_error") / 100.0,
            station_time: settings.time("station_time"),
        }
    }
}

/// How long a radio did what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RadioUse {
    /// Frames and acknowledgements of its own.
    pub transmit: Picoseconds,
    /// Frames and acknowledgements for it, and the beacons for which it woke.
    pub receive: Picoseconds,
    /// Its radio was off.
    pub doze: Picoseconds,
}

/// What became of a frame that is through.
#[derive(Debug, Clone, Copy)]
pub(super) struct Through {
    pub(super) is_lost: bool,
    pub(super) kept: Option<Kept>,
}

/// A station on the channel.
#[derive(Debug, Clone)]
pub(super) struct Station {
    pub(super) setup: StationSetup,
    /// Since when it dozes.
    pub(super) dozes_since: Option<Picoseconds>,
    /// Whether the access point takes it for awake.
    pub(super) is_known_awake: bool,
    /// When it dozes, unless something comes.
    pub(super) awake_until: Picoseconds,
    /// It was told of what is kept for it, and has asked, or will.
    pub(super) asks: bool,
    /// What the access point keeps for it, and since when.
    pub(super) kept: VecDeque<(Picoseconds, Frame)>,
    /// Its frames of each way in their order, and what became of those that are through: whether they were lost.
    pub(super) order: [VecDeque<(u64, Option<Through>)>; 2],
    pub(super) used: RadioUse,
}

impl Station {
    pub(super) fn new(setup: StationSetup, now: Picoseconds) -> Self {
        let dozes = setup.power_save.is_some();
        Self {
            setup,
            dozes_since: dozes.then_some(now),
            is_known_awake: !dozes,
            awake_until: now,
            asks: false,
            kept: VecDeque::new(),
            order: [VecDeque::new(), VecDeque::new()],
            used: RadioUse::default(),
        }
    }

    /// Whether its data frames say that it stays awake.
    pub(super) fn stays_awake(&self) -> bool {
        let stays = |power_save: &PowerSave| {
            power_save.delivery == Delivery::Burst && power_save.awake_time > Picoseconds::ZERO
        };
        self.setup.power_save.as_ref().is_none_or(stays)
    }

    /// Something of it was on the air up to a time.
    pub(super) fn was_active(&mut self, until: Picoseconds) {
        let awake_time = self.setup.power_save.map_or(Picoseconds::ZERO, |power_save| power_save.awake_time);
        self.awake_until = self.awake_until.max(until + awake_time);
    }
}
