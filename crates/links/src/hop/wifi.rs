//! A station's Wi-Fi hop: frames of both directions contend for one channel, and for a station in power save the access
//! point keeps frames until a beacon. Sender and receiver of a frame are known by its direction only.
//!
//! A frame's way is settled when it comes in. Left out therefore: that a station which wakes for a frame of its own is
//! given at once what was meant for the next beacon. Left out besides: aggregation, rate adaptation, the access point's
//! beacons on the air while nobody waits for them, group-addressed frames (sent like any other), roaming, and association.

use units::Picoseconds;

use super::WIFI_HOP;
use super::crossing::{Crossed, Crossing};
use super::intervals::Intervals;
use crate::Settings;
use crate::budget::BudgetLine;
use crate::links::wifi::{MAC_BYTES, NULL_BYTES};
use crate::program::{Program, Steps};
use crate::stage::{BeaconDelivery, BusyChannel, Cause, Constant, Dcf, Load, PhyRate};

/// Destination, source and type (IEEE 802.3, 3.1.1); the type moves into the LLC header.
const ETHERNET_BYTES: u32 = 14;
/// IEEE 802.11-2016, table 9-19: the longest MSDU, and an LLC header in it.
const LONGEST_BYTES: u32 = 2304 - 8 + ETHERNET_BYTES;
/// More beacons are not waited for by a station that cannot make itself heard.
const MOST_BEACONS: u32 = 20;
/// A frame that would wait longer behind others is lost: a thousand of the slowest take less.
const LONGEST_QUEUE: Picoseconds = Picoseconds::new(3_600 * units::PS_PER_S);
/// Virtual time ends; what begins this long before does not overflow.
const LAST_DAY: Picoseconds = Picoseconds::new(i64::MAX - 86_400 * units::PS_PER_S);
const EVER: Picoseconds = Picoseconds::new(i64::MIN / 2);

/// Which way a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the wire over the access point to the station.
    ToStation,
    /// From the station over the access point to the wire.
    FromStation,
}

type Transmission = Dcf<fn(&Load) -> u32>;

/// Frames of one kind on the air.
#[derive(Debug, Clone)]
struct Sender {
    others: Crossing<BusyChannel>,
    frame: Crossing<Transmission>,
    /// When the last frame was off the air.
    last: Picoseconds,
}

impl Sender {
    fn new(others: BusyChannel, frame: Transmission, seed: u64, path: &str) -> Self {
        Self {
            others: Crossing::new(others, seed, &format!("{path}/others")),
            frame: Crossing::new(frame, seed, &format!("{path}/frame")),
            last: EVER,
        }
    }

    fn steps(&self) -> Steps {
        Steps::new().stage(self.others.stage().clone()).stage(self.frame.stage().clone())
    }
}

/// How a station in power save is reached.
#[derive(Debug, Clone)]
struct Doze {
    beacon: Crossing<BeaconDelivery>,
    beacon_air: Picoseconds,
    /// The null frame that says that the station is awake.
    answer: Sender,
    awake: Intervals,
    awake_time: Picoseconds,
    wake_time: Picoseconds,
}

/// A Wi-Fi hop in use.
#[derive(Debug, Clone)]
pub struct WifiHop {
    access_point_time: Picoseconds,
    station_time: Picoseconds,
    acknowledgement: Picoseconds,
    /// To the station, from the station.
    senders: [Sender; 2],
    doze: Option<Doze>,
    /// When the channel is taken.
    channel: Intervals,
    now: Picoseconds,
}

fn data_bytes(load: &Load) -> u32 {
    MAC_BYTES + load.frame_bytes.saturating_sub(ETHERNET_BYTES)
}

fn sender(settings: &Settings, bytes: fn(&Load) -> u32, seed: u64, path: &str) -> Sender {
    let rate = PhyRate::named(settings.choice("phy_rate"));
    let others =
        BusyChannel::new(settings.number("medium_load") / 100.0, WIFI_HOP.params().time("others_exchange"));
    let frame = Dcf::new(rate, settings.number("frame_error") / 100.0, bytes);
    Sender::new(others, frame, seed, path)
}

fn null_bytes(_: &Load) -> u32 {
    NULL_BYTES
}

impl WifiHop {
    /// A hop with settings of [`WIFI_HOP`]; `path` names its random streams.
    ///
    /// # Panics
    /// When the settings are those of something else.
    pub fn new(settings: &Settings, seed: u64, path: &str) -> Self {
        let rate = PhyRate::named(settings.choice("phy_rate"));
        let sender = |bytes, name: &str| sender(settings, bytes, seed, &format!("{path}/{name}"));
        Self {
            access_point_time: settings.time("access_point_time"),
            station_time: settings.time("station_time"),
            acknowledgement: rate.acknowledgement(),
            senders: [sender(data_bytes, "to station"), sender(data_bytes, "from station")],
            doze: Doze::new(settings, sender(null_bytes, "awake"), seed, path),
            channel: Intervals::default(),
            now: EVER,
        }
    }

    /// The station saves power from here on as settings say, or does not.
    ///
    /// # Panics
    /// When the settings are those of something else.
    pub fn set_power_save(&mut self, settings: &Settings, seed: u64, path: &str) {
        let answer = sender(settings, null_bytes, seed, &format!("{path}/awake"));
        self.doze = Doze::new(settings, answer, seed, path);
    }

    /// A frame that is whole at one end at `at`: when its first bit leaves the other; nothing where it is lost. Frames come
    /// in the order of time, and those of one way leave in it.
    pub fn cross(&mut self, at: Picoseconds, way: Way, frame_bytes: usize) -> Option<Picoseconds> {
        let load = Load::whole(u32::try_from(frame_bytes).ok().filter(|&bytes| bytes <= LONGEST_BYTES)?);
        self.now = at.max(self.now);
        if self.now > LAST_DAY || self.senders[way as usize].last > self.now + LONGEST_QUEUE {
            return None;
        }
        self.channel.forget_before(self.now);
        let (before, after) = match way {
            Way::ToStation => (self.access_point_time, self.station_time),
            Way::FromStation => (self.station_time, self.access_point_time),
        };
        let ready = match way {
            Way::ToStation => self.listening(self.now + before),
            Way::FromStation => self.awake_to_send(self.now + before),
        };
        let sender = &mut self.senders[way as usize];
        let earliest = ready.max(sender.last);
        let sent = transmit(sender, &mut self.channel, earliest, load, self.acknowledgement);
        sender.last = sent.at;
        if let Some(doze) = &mut self.doze {
            doze.awake.add(ready, sent.at + doze.awake_time);
        }
        (!sent.lost).then(|| sent.at + after)
    }

    /// When the station listens to the access point, from a time on.
    fn listening(&mut self, at: Picoseconds) -> Picoseconds {
        let Some(doze) = &mut self.doze else { return at };
        doze.awake.forget_before(self.now);
        if doze.awake.contain(at) {
            return at;
        }
        if let Some(start) = doze.awake.next_start(at) {
            return start;
        }
        let (mut from, null) = (at, Load::whole(0));
        for _ in 0..MOST_BEACONS {
            let heard = doze.beacon.cross(from, null).at + doze.beacon_air;
            let sent = transmit(&mut doze.answer, &mut self.channel, heard, null, self.acknowledgement);
            from = sent.at;
            if !sent.lost {
                break;
            }
        }
        from
    }

    /// When the station's radio is on for a frame of its own.
    fn awake_to_send(&mut self, at: Picoseconds) -> Picoseconds {
        let Some(doze) = &mut self.doze else { return at };
        doze.awake.forget_before(self.now);
        if doze.awake.contain(at) { at } else { at + doze.wake_time }
    }

    /// The mean time of each part for a frame that gets through on an idle hop; a station in power save dozes.
    pub fn budget(&self, way: Way, frame_bytes: u32) -> Vec<BudgetLine> {
        self.program(way).budget(frame_bytes)
    }

    /// The share of frames that are lost.
    pub fn loss(&self, way: Way, frame_bytes: u32) -> f64 {
        self.program(way).loss(frame_bytes)
    }

    /// The stages of one way as a link's program.
    fn program(&self, way: Way) -> Program {
        let bridge = Constant::fixed("access point", Cause::Cpu, self.access_point_time);
        let radio = Constant::fixed("station's radio processor", Cause::Cpu, self.station_time);
        let air = self.senders[way as usize].steps();
        let steps = match (way, &self.doze) {
            (Way::ToStation, None) => Steps::new().stage(bridge).then(air).stage(radio),
            (Way::ToStation, Some(doze)) => {
                Steps::new().stage(bridge).then(doze.steps()).then(air).stage(radio)
            }
            (Way::FromStation, doze) => {
                let wake_time = doze.as_ref().map_or(Picoseconds::ZERO, |doze| doze.wake_time);
                let wake = Constant::fixed("station wakes up", Cause::Cpu, wake_time);
                Steps::new().stage(radio).stage(wake).then(air).stage(bridge)
            }
        };
        Program::from(steps)
    }
}

impl Doze {
    fn new(settings: &Settings, answer: Sender, seed: u64, path: &str) -> Option<Self> {
        let beacons = match settings.choice("power_save") {
            "none" => return None,
            "max" => settings.integer("listen_interval"),
            _ => settings.integer("dtim_period"),
        };
        let params = WIFI_HOP.params();
        let interval = Picoseconds::new(settings.time("beacon_interval").ps() * beacons as i64);
        let (lead, missed) = (params.time("announcement_lead"), params.number("beacon_missed"));
        let delivery = BeaconDelivery::new(interval, lead, missed);
        Some(Self {
            beacon: Crossing::new(delivery, seed, &format!("{path}/beacon")),
            beacon_air: PhyRate::named("1M").airtime(params.integer("beacon_bytes") as u32),
            answer,
            awake: Intervals::default(),
            awake_time: settings.time("awake_time"),
            wake_time: settings.time("wake_time"),
        })
    }

    fn steps(&self) -> Steps {
        let beacon = Constant::fixed("beacon on the air", Cause::Air, self.beacon_air);
        let heard = Steps::new().stage(self.beacon.stage().clone()).stage(beacon).then(self.answer.steps());
        Steps::new().attempts(MOST_BEACONS - 1, heard, Steps::new())
    }
}

/// Takes the channel for a frame with its contention, its repetitions and its acknowledgement, from `earliest` on.
fn transmit(
    sender: &mut Sender,
    channel: &mut Intervals,
    earliest: Picoseconds,
    load: Load,
    acknowledgement: Picoseconds,
) -> Crossed {
    let free = sender.others.cross(Picoseconds::ZERO, load).at;
    let exchange = sender.frame.cross(free, load);
    let length = if exchange.lost { exchange.at } else { exchange.at + acknowledgement };
    let start = channel.first_gap(earliest, length);
    channel.add(start, start + length);
    Crossed { at: start + exchange.at, lost: exchange.lost }
}
