//! The chip's own network, for which it is the access point: what its driver set of it, and who has joined.
//!
//! The handshake is in the chip, and a station's end of it is not modelled: keys are compared as texts. Stations that are known
//! beforehand join while the network is up, each with its passphrase; where none is known, whoever sends to it has joined.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use crate::event::{Event, Kind, status};
use crate::requests;
use crate::station::{ASSOCIATION_TIME, KEY_TIME};

/// The number of its interface beside a station, whose number is 0. A chip that its driver makes an access point and nothing else
/// has it at that number.
const BESIDE_STATION: u8 = 1;
const ALONE: u8 = 0;
/// How many stations it takes where its driver sets nothing (declared).
const MOST_STATIONS: u32 = 10;
const CHANNEL: u8 = 1;
/// From the request to the link of the network (declared). Drivers set their TCP/IP up between the two: cyw43-driver begins the
/// interface anew once the request is answered, so that it would lose a link that came with the answer.
const START_TIME: Picoseconds = Picoseconds::new(20 * units::PS_PER_MS);

/// A station that joins the chip's own network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joiner {
    /// Its address.
    pub address: [u8; 6],
    /// The name of the network that it joins; without one it joins whatever there is.
    pub ssid: Option<String>,
    /// Its passphrase; without one it has the right one.
    pub passphrase: Option<String>,
}

/// The network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OwnNetwork {
    /// The number of its interface.
    pub(crate) interface: u8,
    ssid: Vec<u8>,
    pub(crate) channel: u8,
    pub(crate) is_secured: bool,
    pub(crate) passphrase: Vec<u8>,
    is_up: bool,
    pub(crate) most_stations: u32,
    stations: Vec<[u8; 6]>,
    /// Those that are known beforehand, and when they have come so far that they join or are refused.
    joiners: Vec<Joiner>,
    joins_at: Option<Picoseconds>,
    /// Those that it refused, as sentences.
    refused: Vec<(Picoseconds, String)>,
}

impl OwnNetwork {
    /// One that is not up, and whom it will meet.
    pub(crate) fn with(joiners: Vec<Joiner>) -> Self {
        Self {
            interface: BESIDE_STATION,
            ssid: Vec::new(),
            channel: CHANNEL,
            is_secured: false,
            passphrase: Vec::new(),
            is_up: false,
            most_stations: MOST_STATIONS,
            stations: Vec::new(),
            joiners,
            joins_at: None,
            refused: Vec::new(),
        }
    }

    /// The chip is an access point and nothing else from here on, or no longer.
    pub(crate) fn stand_alone(&mut self, alone: bool) {
        self.interface = if alone { ALONE } else { BESIDE_STATION };
    }

    pub(crate) fn is_up(&self) -> bool {
        self.is_up
    }

    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.ssid).into_owned()
    }

    /// Whether a station has joined.
    pub(crate) fn has(&self, station: [u8; 6]) -> bool {
        self.stations.contains(&station)
    }

    /// Of a variable for one of several networks: which one, then its value.
    pub(crate) fn set_name(&mut self, value: &[u8]) {
        self.ssid = requests::ssid(value.get(4..).unwrap_or_default());
    }

    /// It begins or ends; what the driver hears of that, and when.
    pub(crate) fn bring(&mut self, at: Picoseconds, own: [u8; 6], up: bool) -> Option<(Picoseconds, Event)> {
        if up == self.is_up {
            return None;
        }
        self.is_up = up;
        self.stations.clear();
        let changes = if up { at + START_TIME } else { at };
        // Whoever looks for it hears its next beacon or asks; that is short beside the handshake.
        self.joins_at = (up && !self.joiners.is_empty()).then(|| changes + ASSOCIATION_TIME + KEY_TIME);
        let link = Event::of(Kind::Link, status::SUCCESS, own);
        Some((changes, Event { flags: u16::from(up), interface: self.interface, ..link }))
    }

    pub(crate) fn next_event(&self) -> Option<Picoseconds> {
        self.joins_at
    }

    /// Those come that have the right key; what the driver hears of that, where it is time.
    pub(crate) fn let_join(&mut self, at: Picoseconds) -> Option<(Picoseconds, Vec<Event>)> {
        let at = self.joins_at.take_if(|due| *due <= at)?;
        let mut events = Vec::new();
        for joiner in std::mem::take(&mut self.joiners) {
            if joiner.ssid.as_ref().is_none_or(|name| name.as_bytes() == self.ssid) {
                match self.refusal(&joiner) {
                    Some(why) => self.refused.push((at, why)),
                    None => events.extend(self.admit(joiner.address)),
                }
            }
            self.joiners.push(joiner);
        }
        Some((at, events))
    }

    /// Why it does not take a station that calls it by its name.
    fn refusal(&self, joiner: &Joiner) -> Option<String> {
        let key = joiner.passphrase.as_ref()?;
        let name = self.name();
        if !self.is_secured {
            return Some(format!(
                "a station with a passphrase does not join {name:?}, which is open: leave its passphrase out"
            ));
        }
        (key.as_bytes() != self.passphrase).then(|| {
            format!("the radio refuses a station of {name:?}: its passphrase is another than the board's")
        })
    }

    /// A frame comes from a station: whether it has joined, and what the driver hears where that is new.
    pub(crate) fn hear(&mut self, station: [u8; 6]) -> (bool, Option<Event>) {
        if self.has(station) {
            return (true, None);
        }
        let event = if self.joiners.is_empty() { self.admit(station) } else { None };
        (event.is_some(), event)
    }

    fn admit(&mut self, station: [u8; 6]) -> Option<Event> {
        if self.stations.len() >= self.most_stations as usize {
            return None;
        }
        self.stations.push(station);
        let joined = Event::of(Kind::AssociatedByPeer, status::SUCCESS, station);
        Some(Event { interface: self.interface, ..joined })
    }

    /// Those that it refused since the last call.
    pub(crate) fn take_refused(&mut self) -> Vec<(Picoseconds, String)> {
        std::mem::take(&mut self.refused)
    }

    /// Who has joined: how many, and their addresses.
    pub(crate) fn list(&self) -> Vec<u8> {
        let count = self.stations.len() as u32;
        count.to_le_bytes().into_iter().chain(self.stations.iter().flatten().copied()).collect()
    }
}
