//! The station inside the chip: scan, join, and the loss of its access point, as the events that the driver hears.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use crate::air::{AccessPoint, Answer, Credentials};
use crate::event::{Event, Kind, reason, status};
use crate::turned_away;

const fn ms(count: i64) -> Picoseconds {
    Picoseconds::new(count * units::PS_PER_MS)
}

/// From the request to the first frame of the handshake: a scan of all channels. Logs of boards often have it 3.3 s later.
pub(crate) const SEARCH_TIME: Picoseconds = ms(3_300);
/// Where no such network is, as drivers logged it.
const NOT_FOUND_TIME: Picoseconds = ms(800);
/// Between authentication and association, as MicroPython's log of a Pico W has it.
pub(crate) const ASSOCIATION_TIME: Picoseconds = ms(198);
/// From association to the end of the key exchange, likewise.
pub(crate) const KEY_TIME: Picoseconds = ms(4);
/// An access point gives a key exchange up that does not come to its end (declared: before the firmware's own 2.5 s).
const KEY_TIMEOUT: Picoseconds = ms(2_000);
/// How long a scan listens on each of 13 channels before it goes on (declared: the dwell time of an active scan is 40 ms or less).
const SCAN_STEP: Picoseconds = ms(40);
const CHANNELS: u8 = 13;
/// Beacons may be missing for so long before a station gives its access point up (declared: the firmware's usual limit).
const BEACON_TIMEOUT: Picoseconds = ms(8_000);
/// Drivers try again for ever: no more sentences than this wait for somebody who asks.
const MOST_TURNED_AWAY: usize = 16;

/// So many channels.
fn scan_time(channels: u8) -> Picoseconds {
    Picoseconds::new(SCAN_STEP.ps() * i64::from(channels))
}

/// How far the station has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum State {
    #[default]
    Idle,
    Joining,
    /// The address of the access point.
    Joined(AccessPoint),
}

/// Something that happens to the station later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    Tell(Event),
    Joined(AccessPoint),
    Failed,
    LostBeacons,
}

/// The station.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Station {
    pub(crate) credentials: Credentials,
    pub(crate) state: State,
    /// The name by which it asked an access point that takes any, and when.
    as_asked: Option<(String, Picoseconds)>,
    /// What comes, in the order of time.
    steps: Vec<(Picoseconds, Step)>,
    /// Why no network took it, as sentences, since anybody asked.
    turned_away: Vec<(Picoseconds, String)>,
}

impl Station {
    pub(crate) fn access_point(&self) -> Option<&AccessPoint> {
        match &self.state {
            State::Joined(access_point) => Some(access_point),
            _ => None,
        }
    }

    /// The name by which an access point took it that takes any, and when it asked.
    pub(crate) fn admitted_as_asked(&self) -> Option<(String, Picoseconds)> {
        self.access_point().and(self.as_asked.clone())
    }

    pub(crate) fn next_event(&self) -> Option<Picoseconds> {
        self.steps.first().map(|(at, _)| *at)
    }

    /// The next thing that is due.
    pub(crate) fn due(&mut self, at: Picoseconds) -> Option<(Picoseconds, Step)> {
        let is_due = self.steps.first().is_some_and(|(due, _)| *due <= at);
        is_due.then(|| self.steps.remove(0))
    }

    fn later(&mut self, at: Picoseconds, step: Step) {
        let place = self.steps.partition_point(|(due, _)| *due <= at);
        self.steps.insert(place, (at, step));
    }

    fn tell(&mut self, at: Picoseconds, event: Event) {
        self.later(at, Step::Tell(event));
    }

    /// Why no network took it, since the last call.
    pub(crate) fn take_turned_away(&mut self) -> Vec<(Picoseconds, String)> {
        std::mem::take(&mut self.turned_away)
    }

    fn turn_away(&mut self, at: Picoseconds, why: String) {
        let is_new = self.turned_away.iter().all(|(_, known)| *known != why);
        if is_new && self.turned_away.len() < MOST_TURNED_AWAY {
            self.turned_away.push((at, why));
        }
    }

    /// Looks for the network of its credentials.
    pub(crate) fn join(&mut self, at: Picoseconds, air: &[AccessPoint], search: Picoseconds) {
        self.forget_join();
        self.state = State::Joining;
        let called = air.iter().filter(|one| one.is_called(&self.credentials.ssid));
        let found: Vec<_> = called
            .filter(|one| one.is_meant(self.credentials.bssid))
            .map(|one| (one, one.answer(&self.credentials)))
            .collect();
        let best = found
            .iter()
            .filter(|(_, answer)| *answer != Answer::Unsuitable)
            .max_by_key(|(one, answer)| (*answer == Answer::Admitted, one.rssi_dbm));
        let Some((access_point, answer)) = best else {
            let why = match found.first() {
                Some((other, _)) => turned_away::unsuitable(&self.credentials, other),
                None => turned_away::not_found(&self.credentials, air),
            };
            self.turn_away(at, why);
            let at = at + NOT_FOUND_TIME;
            self.tell(at, Event::of(Kind::SetSsid, status::NO_NETWORKS, [0; 6]));
            return self.later(at, Step::Failed);
        };
        let (mut access_point, answer) = ((*access_point).clone(), *answer);
        if access_point.takes_anything() {
            let name = String::from_utf8_lossy(&self.credentials.ssid).into_owned();
            access_point.ssid = Some(name.clone());
            access_point.bssid = self.credentials.bssid.unwrap_or(access_point.bssid);
            self.as_asked = Some((name, at));
        }
        self.handshake(at + search, access_point, answer);
    }

    fn handshake(&mut self, at: Picoseconds, access_point: AccessPoint, answer: Answer) {
        let peer = access_point.bssid;
        let associated = at + ASSOCIATION_TIME;
        let keyed = associated + KEY_TIME;
        self.tell(at, Event::of(Kind::AssociationRequest, status::SUCCESS, peer));
        if answer == Answer::WrongKey {
            self.turn_away(at, turned_away::wrong_key(&self.credentials));
        }
        if answer == Answer::WrongKey && self.credentials.has_sae {
            // With SAE the key is part of the authentication.
            self.tell(at, Event::of(Kind::Authenticated, status::FAILED, peer));
            self.tell(associated, Event::of(Kind::SetSsid, status::FAILED, peer));
            return self.later(associated, Step::Failed);
        }
        self.tell(at, Event::of(Kind::Authenticated, status::SUCCESS, peer));
        self.tell(associated, Event::of(Kind::AssociationResponse, status::SUCCESS, peer));
        self.tell(associated, Event::of(Kind::Associated, status::SUCCESS, peer));
        if answer == Answer::WrongKey {
            let at = associated + KEY_TIMEOUT;
            // The supplicant tells of it as well: drivers know a wrong key by that (inferred from what they do).
            self.tell(at, Event::of(Kind::KeyExchange, status::PARTIAL, peer).because(reason::KEY_REFUSED));
            let thrown_out = Event::of(Kind::DeauthenticatedByPeer, status::SUCCESS, peer);
            self.tell(at, thrown_out.because(reason::DEAUTHENTICATED));
            return self.later(at, Step::Failed);
        }
        self.tell(keyed, Event { flags: 1, ..Event::of(Kind::Link, status::SUCCESS, peer) });
        if self.credentials.is_secured {
            self.tell(keyed, Event::of(Kind::KeyExchange, status::KEYED, peer));
        }
        self.later(keyed, Step::Joined(access_point));
        self.tell(keyed, Event::of(Kind::Join, status::SUCCESS, peer));
        self.tell(keyed, Event::of(Kind::SetSsid, status::SUCCESS, peer));
    }

    /// The access points that answer a scan: for a name, or for any where it is empty. One that takes whatever is asked for
    /// has the name that is scanned for, or else the one that it was joined by.
    fn heard(&self, air: &[AccessPoint], name: &[u8]) -> Vec<AccessPoint> {
        let asked = Some(String::from_utf8_lossy(name).into_owned()).filter(|_| !name.is_empty());
        let joined = self.access_point().and_then(|one| one.ssid.clone());
        air.iter()
            .filter_map(|one| {
                let taken_by = asked.clone().or_else(|| joined.clone()).filter(|_| one.takes_anything());
                let ssid = one.ssid.clone().or(taken_by)?;
                Some(AccessPoint { ssid: Some(ssid), ..one.clone() })
            })
            .filter(|one| asked.is_none() || one.ssid == asked)
            .collect()
    }

    /// A scan of every channel: each access point is told of as its channel is left.
    pub(crate) fn scan(&mut self, at: Picoseconds, air: &[AccessPoint], sync: u16, name: &[u8]) {
        let heard = self.heard(air, name);
        if heard.is_empty() && air.iter().any(AccessPoint::takes_anything) {
            self.turn_away(at, turned_away::nothing_to_scan());
        }
        for access_point in heard {
            let heard = at + scan_time(access_point.channel.clamp(1, CHANNELS));
            let result = Event::of(Kind::ScanResult, status::PARTIAL, access_point.bssid);
            self.tell(heard, Event { data: access_point.scan_result(sync), ..result });
        }
        let end = at + scan_time(CHANNELS);
        // A result without a network: its length, the version, and its number.
        let mut data = 12u32.to_le_bytes().to_vec();
        data.extend(109u32.to_le_bytes());
        data.extend(sync.to_le_bytes());
        data.extend([0, 0]);
        self.tell(end, Event { data, ..Event::of(Kind::ScanResult, status::SUCCESS, [0; 6]) });
    }

    /// The driver leaves the network.
    pub(crate) fn leave(&mut self, at: Picoseconds) {
        if let Some(peer) = self.access_point().map(|one| one.bssid) {
            self.tell(at, Event::of(Kind::Disassociated, status::SUCCESS, peer));
            self.tell(at, Event::of(Kind::Link, status::SUCCESS, peer));
        }
        self.forget_join();
    }

    fn forget_join(&mut self) {
        let is_scan = |step: &Step| matches!(step, Step::Tell(event) if event.kind == Kind::ScanResult);
        let leaves = |step: &Step| matches!(step, Step::Tell(event) if event.kind == Kind::Disassociated || event.kind == Kind::Link && event.flags == 0);
        self.steps.retain(|(_, step)| is_scan(step) || leaves(step));
        self.state = State::Idle;
    }

    /// The access point throws the station out.
    pub(crate) fn deauthenticated(&mut self, at: Picoseconds) {
        let Some(peer) = self.access_point().map(|one| one.bssid) else { return };
        self.state = State::Idle;
        let deauthenticated = Event::of(Kind::DeauthenticatedByPeer, status::SUCCESS, peer);
        self.tell(at, deauthenticated.because(reason::DEAUTHENTICATED));
        self.tell(at, Event::of(Kind::Link, status::SUCCESS, peer).because(reason::DEAUTHENTICATED));
    }

    /// Its access point is there, or is silent, which it finds out after a while.
    pub(crate) fn air_changed(&mut self, at: Picoseconds, is_there: bool) {
        self.steps.retain(|(_, step)| *step != Step::LostBeacons);
        if !is_there && self.access_point().is_some() {
            self.later(at + BEACON_TIMEOUT, Step::LostBeacons);
        }
    }

    /// No beacon came for too long.
    pub(crate) fn lose(&mut self, at: Picoseconds) {
        let Some(peer) = self.access_point().map(|one| one.bssid) else { return };
        self.state = State::Idle;
        self.tell(at, Event::of(Kind::Link, status::SUCCESS, peer).because(reason::BEACONS_LOST));
    }
}
