//! A Wi-Fi channel in time: an access point between stations and a wire. Frames of all senders contend for the channel slot by
//! slot (DCF), beacons come in between, and for a station that dozes the access point keeps frames until a beacon.
//!
//! Its times are those of the links' stages ([`PhyRate`](crate::stage::PhyRate), [`BusyChannel`]), so that its budget in closed
//! form says what a frame takes that finds the channel idle. Left out: adaptation of rates, RTS/CTS, hidden stations and
//! capture, group-addressed frames (sent like any other), EIFS, roaming, and association.

use std::collections::{BTreeMap, VecDeque};

use units::Picoseconds;

use super::WIFI_HOP;
use super::beacons::Beacons;
use super::exchange::Exchange;
use super::frame::{Content, Frame, Kept, Sender, Way};
use super::station::{RadioUse, Station, StationSetup, Through};
use crate::Settings;
use crate::links::wifi::MAC_BYTES;
use crate::stage::{BusyChannel, PhyRate};

/// Destination, source and type (IEEE 802.3, 3.1.1); the type moves into the LLC header.
const ETHERNET_BYTES: u32 = 14;
/// IEEE 802.11-2016, table 9-19: the longest MSDU, and an LLC header in it.
const LONGEST_BYTES: u32 = 2304 - 8 + ETHERNET_BYTES;
/// Frames that the access point keeps for one dozing station, or that wait at one sender; more are lost.
const MOST_FRAMES: usize = 1000;
/// Virtual time ends; what begins this long before does not overflow.
const LAST_DAY: Picoseconds = Picoseconds::new(i64::MAX - 86_400 * units::PS_PER_S);
/// Before anything happens.
const EVER: Picoseconds = Picoseconds::new(i64::MIN / 2);
/// The access point among the senders; stations follow.
pub(super) const ACCESS_POINT: usize = 0;

/// A frame that is through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// The number that it was given.
    pub ticket: u64,
    /// When its first bit leaves the other end; nothing where it is lost.
    pub leaves: Option<Picoseconds>,
    /// From when to when the access point kept it for a station that dozed.
    pub kept: Option<Kept>,
}

/// What happens next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Arrives,
    ExchangeEnds,
    Dozes(usize),
    Beacon,
    Starts,
}

/// A channel with its access point.
#[derive(Debug, Clone)]
pub struct WifiAir {
    bridge_time: Picoseconds,
    others: BusyChannel,
    seed: u64,
    path: String,
    pub(super) beacons: Beacons,
    pub(super) stations: Vec<Station>,
    /// The access point, then the stations.
    pub(super) senders: Vec<Sender>,
    arriving: BTreeMap<(Picoseconds, u64), Frame>,
    arrived: u64,
    pub(super) exchange: Option<Exchange>,
    pub(super) idle_from: Picoseconds,
    pub(super) now: Picoseconds,
    passed: VecDeque<Passed>,
}

impl WifiAir {
    /// One without stations, with settings of [`WIFI_HOP`]; `path` names its random streams.
    ///
    /// # Panics
    /// When the settings are those of something else.
    pub fn new(settings: &Settings, seed: u64, path: &str) -> Self {
        let load = settings.number("medium_load") / 100.0;
        let others = BusyChannel::new(load, WIFI_HOP.params().time("others_exchange"));
        Self {
            bridge_time: settings.time("access_point_time"),
            senders: vec![Sender::new(others.clone(), seed, &format!("{path}/access point"))],
            others,
            seed,
            path: path.to_owned(),
            beacons: Beacons::new(settings, seed, path),
            stations: Vec::new(),
            arriving: BTreeMap::new(),
            arrived: 0,
            exchange: None,
            idle_from: EVER,
            now: EVER,
            passed: VecDeque::new(),
        }
    }

    /// Adds a station; its number.
    pub fn add_station(&mut self, setup: StationSetup, name: &str) -> usize {
        self.stations.push(Station::new(setup, self.now.max(Picoseconds::ZERO)));
        let path = format!("{}/{name}", self.path);
        self.senders.push(Sender::new(self.others.clone(), self.seed, &path));
        self.stations.len() - 1
    }

    /// How a station is set.
    pub fn setup(&self, station: usize) -> &StationSetup {
        &self.stations[station].setup
    }

    pub(super) fn bridge_time(&self) -> Picoseconds {
        self.bridge_time
    }

    pub(super) fn others(&self) -> &BusyChannel {
        &self.others
    }

    /// A frame that is whole at one end at `at`, by a number of the caller's; [`Self::take`] tells what becomes of it. False
    /// where it is lost at once. Frames come in the order of time.
    pub fn offer(
        &mut self,
        at: Picoseconds,
        station: usize,
        way: Way,
        frame_bytes: usize,
        ticket: u64,
    ) -> bool {
        self.advance(at);
        let bytes = u32::try_from(frame_bytes).ok().filter(|&bytes| bytes <= LONGEST_BYTES);
        let (Some(bytes), true) = (bytes, self.now <= LAST_DAY) else { return false };
        let is_full = self.stations[station].order[way as usize].len() >= MOST_FRAMES;
        if is_full {
            return false;
        }
        let before = match way {
            Way::ToStation => self.bridge_time,
            Way::FromStation => self.stations[station].setup.station_time,
        };
        let ready = self.now + before;
        let mpdu_bytes = MAC_BYTES + bytes.saturating_sub(ETHERNET_BYTES);
        let frame = Frame {
            station,
            content: Content::Data { way, ticket },
            mpdu_bytes,
            failures: 0,
            ready,
            kept: None,
        };
        self.stations[station].order[way as usize].push_back((ticket, None));
        self.arrived += 1;
        self.arriving.insert((ready, self.arrived), frame);
        true
    }

    /// When something happens.
    pub fn next_event(&self) -> Option<Picoseconds> {
        self.next().map(|(at, _)| at)
    }

    /// Lets everything happen up to and including a time.
    pub fn advance(&mut self, at: Picoseconds) {
        while let Some((due, next)) = self.next().filter(|(due, _)| *due <= at) {
            self.now = due.max(self.now);
            match next {
                Next::Arrives => self.arrives(),
                Next::ExchangeEnds => self.exchange_ends(),
                Next::Dozes(station) => self.may_doze(station),
                Next::Beacon => self.beacon(),
                Next::Starts => self.start(due),
            }
            self.contend();
        }
        self.now = at.max(self.now);
    }

    /// The next frame that is through, in the order of each way of a station.
    pub fn take(&mut self) -> Option<Passed> {
        self.passed.pop_front()
    }

    /// How long the radio of a station did what, up to now.
    pub fn radio_use(&self, station: usize) -> RadioUse {
        let mut used = self.stations[station].used;
        self.add_doze(station, self.now, &mut used);
        used
    }

    fn next(&self) -> Option<(Picoseconds, Next)> {
        let arrives = self.arriving.first_key_value().map(|((at, _), _)| (*at, Next::Arrives));
        if let Some(exchange) = &self.exchange {
            return arrives.into_iter().chain([(exchange.until, Next::ExchangeEnds)]).min();
        }
        let dozes = (0..self.stations.len()).filter_map(|n| Some((self.dozes_at(n)?, Next::Dozes(n))));
        let starts = self.next_start();
        let beacon = self.next_beacon(starts.is_some()).map(|due| (due.max(self.idle_from), Next::Beacon));
        let starts = starts.map(|at| (at, Next::Starts));
        arrives.into_iter().chain(dozes).chain(beacon).chain(starts).min()
    }

    /// When the first frame begins.
    fn next_start(&self) -> Option<Picoseconds> {
        (0..self.senders.len()).filter_map(|sender| self.starts(sender)).min()
    }

    /// When the frame at the head of a sender's queue begins.
    pub(super) fn starts(&self, sender: usize) -> Option<Picoseconds> {
        self.senders[sender].starts(self.idle_from, self.rate(sender)?)
    }

    /// The rate of the frame at the head of a sender's queue.
    pub(super) fn rate(&self, sender: usize) -> Option<PhyRate> {
        let head = self.senders[sender].queue.front()?;
        Some(self.stations[head.station].setup.rate)
    }

    /// The beacon that counts next: any where somebody contends, else one that tells a station of what is kept for it.
    fn next_beacon(&self, anybody_contends: bool) -> Option<Picoseconds> {
        let in_the_way = anybody_contends.then_some(self.beacons.next);
        let awaited = (0..self.stations.len()).filter_map(|station| self.awaited_beacon(station));
        in_the_way.into_iter().chain(awaited).min()
    }

    /// A beacon goes before all that contend.
    fn beacon(&mut self) {
        let Some(due) = self.next_beacon(self.next_start().is_some()) else { return };
        self.freeze(None, self.now);
        self.beacons.next = due + self.beacons.interval;
        self.exchange = Some(Exchange::beacon(due, self.now + self.beacons.air));
    }

    fn arrives(&mut self) {
        let Some((_, frame)) = self.arriving.pop_first() else { return };
        match frame.content {
            Content::Data { way: Way::ToStation, .. } => self.for_station(frame),
            _ => self.queue_uplink(frame),
        }
    }

    /// Whoever has a frame contends for the channel.
    fn contend(&mut self) {
        if self.exchange.is_none() {
            self.beacons.pass_over(self.now, self.idle_from);
        }
        for sender in 0..self.senders.len() {
            if let Some(rate) = self.rate(sender) {
                self.senders[sender].contend(self.now, rate);
            }
        }
        let is_on_air = self.exchange.is_none() && self.beacons.next <= self.now;
        if is_on_air && self.senders.iter().any(|sender| !sender.queue.is_empty()) {
            let due = self.beacons.next;
            self.beacons.next = due + self.beacons.interval;
            self.exchange = Some(Exchange::beacon(due, due.max(self.idle_from) + self.beacons.air));
        }
    }

    /// A frame of a caller's is through, or is lost.
    pub(super) fn settle(&mut self, frame: &Frame, is_lost: bool) {
        let Content::Data { way, ticket } = frame.content else { return };
        let after = match way {
            Way::ToStation => self.stations[frame.station].setup.station_time,
            Way::FromStation => self.bridge_time,
        };
        let order = &mut self.stations[frame.station].order[way as usize];
        if let Some(own) = order.iter_mut().find(|(number, _)| *number == ticket) {
            own.1 = Some(Through { is_lost, kept: frame.kept });
        }
        // What came through before an earlier frame waits for it at the receiver.
        while let Some((ticket, Some(Through { is_lost, kept }))) = order.front().copied() {
            order.pop_front();
            self.passed.push_back(Passed { ticket, leaves: (!is_lost).then(|| self.now + after), kept });
        }
    }
}
