//! Power save: when a station dozes and wakes, and what the access point keeps for it meanwhile.

use units::Picoseconds;

use super::air::{ACCESS_POINT, WifiAir};
use super::frame::{Content, Frame};
use super::station::{Aggregation, Delivery, PowerSave, RadioUse, Station};
use crate::links::wifi::{NULL_BYTES, POLL_BYTES};

impl WifiAir {
    /// The driver of a station has set its radio otherwise.
    pub fn set_radio(
        &mut self,
        at: Picoseconds,
        station: usize,
        power_save: Option<PowerSave>,
        aggregation: Aggregation,
    ) {
        self.advance(at);
        let own = &mut self.stations[station];
        (own.setup.power_save, own.setup.aggregation) = (power_save, aggregation);
        if power_save.is_none() {
            self.wake(station, self.now);
            self.stations[station].asks = false;
            self.is_known_awake(station);
        } else {
            own.was_active(self.now);
        }
    }

    /// What a station dozed until a time, and the beacons that it heard meanwhile.
    pub(super) fn add_doze(&self, station: usize, until: Picoseconds, used: &mut RadioUse) {
        let Station { dozes_since, setup, .. } = &self.stations[station];
        let (Some(since), Some(power_save)) = (dozes_since.map(|since| since.min(until)), setup.power_save)
        else {
            return;
        };
        let beacons = self.beacons.heard_between(since, until, power_save.listens);
        let heard = Picoseconds::new(beacons * self.beacons.air.ps()).min(until - since);
        used.receive = used.receive + heard;
        used.doze = used.doze + (until - since) - heard;
    }

    fn wake(&mut self, station: usize, at: Picoseconds) {
        let mut used = self.stations[station].used;
        self.add_doze(station, at, &mut used);
        let own = &mut self.stations[station];
        (own.used, own.dozes_since) = (used, None);
    }

    /// When a station dozes, if nothing comes: it and the access point have nothing for each other.
    pub(super) fn dozes_at(&self, station: usize) -> Option<Picoseconds> {
        let own = &self.stations[station];
        own.setup.power_save?;
        let has_frames = !self.senders[station + 1].queue.is_empty()
            || self.senders[ACCESS_POINT].queue.iter().any(|frame| frame.station == station);
        let is_idle = own.dozes_since.is_none() && !own.asks && !has_frames;
        is_idle.then(|| own.awake_until.max(self.idle_from))
    }

    pub(super) fn may_doze(&mut self, station: usize) {
        if self.stations[station].is_known_awake {
            self.send_own(station, Content::Dozes, NULL_BYTES);
        } else {
            self.stations[station].dozes_since = Some(self.now);
        }
    }

    fn send_own(&mut self, station: usize, content: Content, mpdu_bytes: u32) {
        let frame = Frame { station, content, mpdu_bytes, failures: 0, ready: self.now, kept: None };
        self.senders[station + 1].queue.push_back(frame);
    }

    /// A frame for a station is at the access point.
    pub(super) fn for_station(&mut self, frame: Frame) {
        let station = &mut self.stations[frame.station];
        match station.is_known_awake {
            true => self.senders[ACCESS_POINT].queue.push_back(frame),
            false => station.kept.push_back((self.now, frame)),
        }
    }

    /// A frame of a station's own wakes its radio.
    pub(super) fn queue_uplink(&mut self, mut frame: Frame) {
        let own = &self.stations[frame.station];
        if let (Some(_), Some(power_save)) = (own.dozes_since, own.setup.power_save) {
            self.wake(frame.station, self.now);
            frame.ready = self.now + power_save.wake_time;
        }
        self.senders[frame.station + 1].queue.push_back(frame);
    }

    /// The beacon that tells a station of what is kept for it.
    pub(super) fn awaited_beacon(&self, station: usize) -> Option<Picoseconds> {
        let own = &self.stations[station];
        let (since, _) = own.kept.front().filter(|_| !own.asks)?;
        let told = (*since + self.beacons.lead).max(self.beacons.next);
        Some(self.beacons.next_heard(told, own.setup.power_save?.listens))
    }

    /// The end of the beacon that was due at a time: stations hear of what is kept for them.
    pub(super) fn announce(&mut self, due: Picoseconds) {
        for station in 0..self.stations.len() {
            let own = &self.stations[station];
            let Some(power_save) = own.setup.power_save.filter(|_| !own.asks) else { continue };
            let is_told = own.kept.front().is_some_and(|(since, _)| *since + self.beacons.lead <= due);
            if !is_told || !self.beacons.is_heard(due, power_save.listens) || self.beacons.is_missed() {
                continue;
            }
            self.wake(station, self.now);
            self.stations[station].asks = true;
            match power_save.delivery {
                Delivery::Burst => self.send_own(station, Content::Awake, NULL_BYTES),
                Delivery::Poll => self.send_own(station, Content::Poll, POLL_BYTES),
            }
        }
    }

    /// The access point takes a station for awake, and gives it what it kept.
    fn is_known_awake(&mut self, station: usize) {
        let own = &mut self.stations[station];
        own.is_known_awake = true;
        let (kept, now) = (std::mem::take(&mut own.kept), self.now);
        self.senders[ACCESS_POINT]
            .queue
            .extend(kept.into_iter().map(|(since, frame)| frame.kept_until(since, now)));
    }

    /// A frame of a station came through.
    pub(super) fn heard_of(&mut self, station: usize, until: Picoseconds) {
        self.stations[station].was_active(until);
        if self.stations[station].stays_awake() {
            self.stations[station].asks = false;
            self.is_known_awake(station);
        }
    }

    /// A station was given a frame.
    pub(super) fn was_given(&mut self, station: usize, until: Picoseconds) {
        let own = &mut self.stations[station];
        own.was_active(until);
        if own.asks && !own.is_known_awake {
            // That frame said whether there are more.
            own.asks = !own.kept.is_empty();
            if own.asks {
                self.send_own(station, Content::Poll, POLL_BYTES);
            }
        }
    }

    pub(super) fn says_that_it_is_awake(&mut self, station: usize, until: Picoseconds, is_lost: bool) {
        let own = &mut self.stations[station];
        own.asks = false;
        own.was_active(until);
        if !is_lost {
            self.is_known_awake(station);
        }
    }

    pub(super) fn says_that_it_dozes(&mut self, station: usize, until: Picoseconds, is_lost: bool) {
        let has_own = !self.senders[station + 1].queue.is_empty();
        let own = &mut self.stations[station];
        if is_lost || own.setup.power_save.is_none() {
            return own.was_active(until);
        }
        own.is_known_awake = false;
        if !has_own {
            own.dozes_since = Some(until);
        }
        let access_point = &mut self.senders[ACCESS_POINT];
        let all = std::mem::take(&mut access_point.queue);
        let (its, others): (Vec<Frame>, Vec<Frame>) =
            all.into_iter().partition(|frame| frame.station == station);
        access_point.queue.extend(others);
        if !its.is_empty() {
            access_point.is_through();
        }
        own.kept.extend(its.into_iter().map(|frame| (until, frame)));
    }

    pub(super) fn polls(&mut self, station: usize, until: Picoseconds, is_lost: bool) {
        let own = &mut self.stations[station];
        own.was_active(until);
        let asked_for = if is_lost { None } else { own.kept.pop_front() };
        match asked_for {
            Some((since, frame)) => {
                let frame = frame.kept_until(since, self.now);
                self.senders[ACCESS_POINT].queue.push_back(frame);
            }
            None => own.asks = false,
        }
    }
}
