//! What the chip finds on the air: access points and what they ask for. Keys are compared as texts, since the handshakes run
//! inside the chip and nobody outside sees them.

use serde::{Deserialize, Serialize};
use units::Picoseconds;

/// What an access point asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Security {
    /// Nothing.
    Open,
    /// WPA2 with a passphrase.
    Wpa2,
    /// WPA3 with a passphrase (SAE).
    Wpa3,
    /// Either of them.
    Wpa2Wpa3,
}

/// An access point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessPoint {
    /// Its name; without one it is called whatever a station asks for.
    pub ssid: Option<String>,
    /// Its address.
    pub bssid: [u8; 6],
    /// 1 to 14.
    pub channel: u8,
    /// What it asks for.
    pub security: Security,
    /// The passphrase; without one it takes any.
    pub passphrase: Option<String>,
    /// How strong it is received, in dBm.
    pub rssi_dbm: i8,
    /// When it goes silent.
    pub gone_at: Option<Picoseconds>,
    /// When it is there again.
    pub back_at: Option<Picoseconds>,
    /// When it ends the connection of its station.
    pub throws_out_at: Option<Picoseconds>,
}

/// What a station brings along.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Credentials {
    pub(crate) ssid: Vec<u8>,
    /// The one access point of that name that the driver means; nothing where any will do.
    pub(crate) bssid: Option<[u8; 6]>,
    pub(crate) is_secured: bool,
    pub(crate) has_sae: bool,
    pub(crate) passphrase: Vec<u8>,
}

/// What an access point says to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Admitted,
    WrongKey,
    /// It asks for something else.
    Unsuitable,
}

/// A channel as the firmware has it in 16 bits: this one is at 2.4 GHz, 20 MHz wide.
pub(crate) fn channel_specification(channel: u8) -> u16 {
    0x1000 | u16::from(channel)
}

impl AccessPoint {
    /// Whether a station means it.
    pub(crate) fn is_called(&self, ssid: &[u8]) -> bool {
        self.ssid.as_ref().is_none_or(|name| name.as_bytes() == ssid)
    }

    /// Whether a station that knows its name means this one of several.
    pub(crate) fn is_meant(&self, bssid: Option<[u8; 6]>) -> bool {
        self.takes_anything() || bssid.is_none_or(|bssid| bssid == self.bssid)
    }

    /// Whether it is on the air at a time.
    pub(crate) fn is_there(&self, at: Picoseconds) -> bool {
        let gone = self.gone_at.is_some_and(|gone| gone <= at);
        !gone || self.back_at.is_some_and(|back| back <= at)
    }

    /// When something about it changes, after a time.
    pub(crate) fn next_change(&self, after: Picoseconds) -> Option<Picoseconds> {
        let changes = [self.gone_at, self.back_at, self.throws_out_at];
        changes.into_iter().flatten().filter(|change| *change > after).min()
    }

    /// Whether it takes what it is given.
    pub(crate) fn takes_anything(&self) -> bool {
        self.ssid.is_none()
    }

    pub(crate) fn answer(&self, station: &Credentials) -> Answer {
        let suits = match self.security {
            _ if self.takes_anything() => true,
            Security::Open => !station.is_secured,
            Security::Wpa2 => station.is_secured && !station.has_sae,
            Security::Wpa3 => station.has_sae,
            Security::Wpa2Wpa3 => station.is_secured,
        };
        let has_key = self.passphrase.as_ref().is_none_or(|key| key.as_bytes() == station.passphrase);
        match (suits, has_key || !station.is_secured) {
            (false, _) => Answer::Unsuitable,
            (true, true) => Answer::Admitted,
            (true, false) => Answer::WrongKey,
        }
    }

    /// Information elements of its beacons: name, rates, channel, and RSN where it is secured (IEEE 802.11).
    fn elements(&self) -> Vec<u8> {
        let name = self.ssid.as_deref().unwrap_or_default().as_bytes();
        let mut elements = vec![0, name.len().min(32) as u8];
        elements.extend(&name[..name.len().min(32)]);
        elements.extend([1, 8, 0x82, 0x84, 0x8b, 0x96, 0x0c, 0x12, 0x18, 0x24]);
        elements.extend([3, 1, self.channel]);
        const CCMP: [u8; 4] = [0x00, 0x0f, 0xac, 4];
        let suites: &[u8] = match self.security {
            Security::Open => return elements,
            Security::Wpa2 => &[2],
            Security::Wpa3 => &[8],
            Security::Wpa2Wpa3 => &[2, 8],
        };
        let mut rsn = vec![1, 0];
        rsn.extend(CCMP);
        rsn.extend([1, 0]);
        rsn.extend(CCMP);
        rsn.extend([suites.len() as u8, 0]);
        for suite in suites {
            rsn.extend([0x00, 0x0f, 0xac, *suite]);
        }
        rsn.extend([0, 0]);
        elements.extend([48, rsn.len() as u8]);
        elements.extend(rsn);
        elements
    }

    /// The record of a scan, version 109, in a result of one.
    pub(crate) fn scan_result(&self, sync: u16) -> Vec<u8> {
        const HEADER_BYTES: usize = 12;
        const RECORD_BYTES: usize = 128;
        /// Time units of 1.024 ms.
        const BEACON_PERIOD: u16 = 100;
        /// An infrastructure network; that data are encrypted.
        const CAPABILITY: [u16; 2] = [0x0001, 0x0011];
        /// The strength is that of a frame on the network's own channel: drivers of the vendor's drop results without it.
        const STRENGTH_ON_CHANNEL: u8 = 0x04;
        let elements = self.elements();
        let length = RECORD_BYTES + elements.len();
        let mut record = vec![0; HEADER_BYTES + RECORD_BYTES];
        let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &((HEADER_BYTES + length) as u32).to_le_bytes());
        put(4, &109u32.to_le_bytes());
        put(8, &sync.to_le_bytes());
        put(10, &1u16.to_le_bytes());
        put(12, &109u32.to_le_bytes());
        put(16, &(length as u32).to_le_bytes());
        put(20, &self.bssid);
        put(26, &BEACON_PERIOD.to_le_bytes());
        put(28, &CAPABILITY[usize::from(self.security != Security::Open)].to_le_bytes());
        let name = self.ssid.as_deref().unwrap_or_default().as_bytes();
        let name = &name[..name.len().min(32)];
        put(30, &[name.len() as u8]);
        put(31, name);
        put(64, &8u32.to_le_bytes());
        put(68, &[0x82, 0x84, 0x8b, 0x96, 0x0c, 0x12, 0x18, 0x24]);
        put(84, &channel_specification(self.channel).to_le_bytes());
        put(88, &[1]);
        put(90, &i16::from(self.rssi_dbm).to_le_bytes());
        put(92, &[0xa1]);
        put(100, &[self.channel]);
        put(108, &[STRENGTH_ON_CHANNEL]);
        put(128, &(RECORD_BYTES as u16).to_le_bytes());
        put(132, &(elements.len() as u32).to_le_bytes());
        record.extend(elements);
        record
    }
}
