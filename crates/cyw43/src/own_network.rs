//! The chip's own network, for which it is the access point: what its driver set of it, and who has joined.
//!
//! Whoever sends to it has joined: the handshake is in the chip, and the other end of it is not modelled. It takes any passphrase.

use serde::{Deserialize, Serialize};

use crate::event::{Event, Kind, status};
use crate::requests;

/// The number of its interface; that of the station is 0.
pub(crate) const INTERFACE: u8 = 1;
/// How many stations it takes where its driver sets nothing (declared).
const MOST_STATIONS: u32 = 10;
const CHANNEL: u8 = 1;

/// The network.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OwnNetwork {
    ssid: Vec<u8>,
    pub(crate) channel: u8,
    pub(crate) is_secured: bool,
    pub(crate) passphrase: Vec<u8>,
    is_up: bool,
    pub(crate) most_stations: u32,
    stations: Vec<[u8; 6]>,
}

impl Default for OwnNetwork {
    fn default() -> Self {
        Self {
            ssid: Vec::new(),
            channel: CHANNEL,
            is_secured: false,
            passphrase: Vec::new(),
            is_up: false,
            most_stations: MOST_STATIONS,
            stations: Vec::new(),
        }
    }
}

impl OwnNetwork {
    pub(crate) fn is_up(&self) -> bool {
        self.is_up
    }

    pub(crate) fn name(&self) -> String {
        String::from_utf8_lossy(&self.ssid).into_owned()
    }

    /// Of a variable for one of several networks: which one, then its value.
    pub(crate) fn set_name(&mut self, value: &[u8]) {
        self.ssid = requests::ssid(value.get(4..).unwrap_or_default());
    }

    /// It begins or ends; what the driver hears of that.
    pub(crate) fn bring(&mut self, own: [u8; 6], up: bool) -> Option<Event> {
        if up == self.is_up {
            return None;
        }
        self.is_up = up;
        self.stations.clear();
        let link = Event::of(Kind::Link, status::SUCCESS, own);
        Some(Event { flags: u16::from(up), interface: INTERFACE, ..link })
    }

    /// A frame comes from a station: whether it has joined, and what the driver hears where that is new.
    pub(crate) fn hear(&mut self, station: [u8; 6]) -> (bool, Option<Event>) {
        if self.stations.contains(&station) {
            return (true, None);
        }
        if self.stations.len() >= self.most_stations as usize {
            return (false, None);
        }
        self.stations.push(station);
        let joined = Event::of(Kind::AssociatedByPeer, status::SUCCESS, station);
        (true, Some(Event { interface: INTERFACE, ..joined }))
    }

    /// Who has joined: how many, and their addresses.
    pub(crate) fn list(&self) -> Vec<u8> {
        let count = self.stations.len() as u32;
        count.to_le_bytes().into_iter().chain(self.stations.iter().flatten().copied()).collect()
    }
}
