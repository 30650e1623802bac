//! What the firmware answers to requests of the driver, and what these set.

use units::Picoseconds;

use super::{Due, Firmware, us};
use crate::air::{AccessPoint, channel_specification};
use crate::requests::{self, AUTH_SAE, KEPT_VARIABLES, ioctl};
use crate::sdpcm::{self, Request};
use crate::station::SEARCH_TIME;

/// A short request, as Embassy's log of a Pico W leaves it when the bus and the driver are taken off: 0.7 to 1.0 ms in all.
const REQUEST_TIME: Picoseconds = us(500);
/// Setting the country, likewise.
const COUNTRY_TIME: Picoseconds = us(28_000);
/// A regulatory table, likewise: 2.5 ms for 1024 bytes.
const TABLE_TIME: Picoseconds = us(2_500);
const TABLE_BYTES: i64 = 1024;
/// What a station may use at most, in units of 500 kbit/s: 65 Mbit/s, one stream of 802.11n in 20 MHz with the long guard interval.
const RATE: u32 = 130;
/// In quarters of a dBm, as brcmfmac's stations have it where nobody sets one (`iw dev` says 31.00 dBm of them).
const TRANSMIT_POWER: u32 = 127;

impl Firmware {
    pub(super) fn answer(&mut self, at: Picoseconds, request: &Request<'_>, air: &[AccessPoint]) {
        let mut data = request.data.to_vec();
        let mut cost = REQUEST_TIME;
        let start = self.busy_until.max(at);
        match request.command {
            ioctl::GET_VARIABLE => self.get_variable(at, request, &mut data),
            ioctl::SET_VARIABLE => {
                cost = set_time(request.data);
                self.set_variable(start + cost, request.data, air);
            }
            _ if request.sets => self.set(start + cost, request, air),
            _ => self.get(at, request, &mut data),
        }
        self.busy_until = start + cost;
        self.later(start + cost, Due::ToHost(sdpcm::answer(request, 0, &data)));
    }

    fn wonder(&mut self, at: Picoseconds, what: &str) {
        self.unknown.entry(what.to_owned()).or_insert(Some(at));
    }

    fn get(&mut self, at: Picoseconds, request: &Request<'_>, data: &mut [u8]) {
        let joined = self.station.access_point();
        let value: Vec<u8> = match request.command {
            ioctl::GET_BSSID => joined.map_or([0; 6], |one| one.bssid).to_vec(),
            ioctl::GET_SSID => {
                let name = joined.and_then(|one| one.ssid.clone()).unwrap_or_default();
                [&(name.len() as u32).to_le_bytes()[..], name.as_bytes()].concat()
            }
            ioctl::GET_CHANNEL => {
                let channel = u32::from(joined.map_or(self.own_network.channel, |one| one.channel));
                [channel, channel, 0].map(u32::to_le_bytes).concat()
            }
            ioctl::GET_RSSI => joined.map_or(0, |one| i32::from(one.rssi_dbm)).to_le_bytes().to_vec(),
            ioctl::GET_STATIONS => self.own_network.list(),
            ioctl::GET_PM => self.values.get(&ioctl::SET_PM).cloned().unwrap_or_default(),
            ioctl::GET_RATE => joined.map_or(0, |_| RATE).to_le_bytes().to_vec(),
            ioctl::GET_RADIO => vec![0; 4],
            command => {
                let Some(setter) = ioctl::setter(command) else {
                    return self.wonder(at, &format!("request {command}"));
                };
                let unset = u32::from(command == ioctl::GET_INFRASTRUCTURE).to_le_bytes();
                self.values.get(&setter).cloned().unwrap_or_else(|| unset.to_vec())
            }
        };
        put(data, &value);
    }

    fn set(&mut self, at: Picoseconds, request: &Request<'_>, air: &[AccessPoint]) {
        let data = request.data;
        match request.command {
            ioctl::DOWN => self.station.leave(at),
            ioctl::SET_SSID => self.join(at, data, None, air),
            ioctl::DISASSOCIATE => self.station.leave(at),
            ioctl::SET_WSEC => self.station.credentials.is_secured = requests::number(data) != 0,
            ioctl::SET_WPA_AUTH => {
                self.station.credentials.has_sae = requests::number(data) & AUTH_SAE != 0;
            }
            ioctl::SET_AP => self.own_network.stand_alone(requests::number(data) != 0),
            ioctl::SET_CHANNEL => self.own_network.channel = requests::number(data) as u8,
            ioctl::SET_PASSPHRASE if request.interface == self.own_network.interface => {
                self.own_network.passphrase = requests::passphrase(data, 4);
            }
            ioctl::SET_PASSPHRASE => self.station.credentials.passphrase = requests::passphrase(data, 4),
            ioctl::UP | ioctl::SET_PM => {}
            command if ioctl::setter(command) == Some(command) => {}
            command => self.wonder(at, &format!("request {command}")),
        }
        self.values.insert(request.command, data.to_vec());
    }

    fn join(&mut self, at: Picoseconds, data: &[u8], bssid: Option<[u8; 6]>, air: &[AccessPoint]) {
        self.station.credentials.ssid = requests::ssid(data);
        self.station.credentials.bssid = bssid;
        self.station.join(at, air, SEARCH_TIME);
    }

    /// What is asked for, in the place of the question; of what is not known the question itself is the answer.
    fn get_variable(&mut self, at: Picoseconds, request: &Request<'_>, data: &mut [u8]) {
        let Some((name, _)) = requests::variable(request.data) else { return };
        let value = match name {
            "cur_etheraddr" => self.address.to_vec(),
            "clmload_status" => vec![0; 4],
            "maxassoc" => self.own_network.most_stations.to_le_bytes().to_vec(),
            "bss" => u32::from(self.own_network.is_up()).to_le_bytes().to_vec(),
            "chanspec" => {
                let own = self.own_network.channel;
                let channel = self.station.access_point().map_or(own, |one| one.channel);
                u32::from(channel_specification(channel)).to_le_bytes().to_vec()
            }
            "ccgpioin" => self.pads.to_le_bytes().to_vec(),
            "qtxpower" => self.variables.get(name).cloned().unwrap_or(TRANSMIT_POWER.to_le_bytes().to_vec()),
            _ => match self.identity.variable(name).or_else(|| self.variables.get(name).cloned()) {
                Some(value) => value,
                None if KEPT_VARIABLES.contains(&name) => vec![0; data.len()],
                // cyw43-driver asks for `maxassoc` twice out of one buffer, so that the first answer is the name it asks for next.
                None if name.contains(|letter: char| letter.is_ascii_control()) => return,
                None => return self.wonder(at, &name.escape_debug().to_string()),
            },
        };
        put(data, &value);
    }

    fn set_variable(&mut self, at: Picoseconds, data: &[u8], air: &[AccessPoint]) {
        let Some((name, value)) = requests::variable(data) else { return };
        match name {
            "cur_etheraddr" => {
                if let Some(address) = value.get(..6).and_then(|bytes| bytes.try_into().ok()) {
                    self.address = address;
                }
            }
            "gpioout" => {
                self.gpio = Some((requests::number(value), requests::number(value.get(4..).unwrap_or(&[]))));
            }
            "escan" => {
                let (sync, name) = requests::scan(value);
                self.station.scan(at, air, sync, name);
            }
            "join" => self.join(at, value, requests::joined_bssid(value), air),
            "bsscfg:ssid" => self.own_network.set_name(value),
            "bsscfg:wsec" => self.own_network.is_secured = second(value) != 0,
            "maxassoc" => self.own_network.most_stations = requests::number(value),
            "bss" => {
                let link = self.own_network.bring(at, self.address, second(value) != 0);
                if let Some((changes, event)) = link {
                    self.tell(changes, &event);
                }
            }
            "sae_password" => self.station.credentials.passphrase = requests::passphrase(value, 2),
            "clmload" => self.identity.load_table(value),
            "chanspec" => self.own_network.channel = requests::number(value) as u8,
            "bsscfg:event_msgs_ext" => self.set_long_event_mask(value),
            "country" | "bsscfg:event_msgs" | "event_msgs" | "qtxpower" => {}
            _ if KEPT_VARIABLES.contains(&name) => {}
            _ => self.wonder(at, name),
        }
        self.variables.insert(name.to_owned(), value.to_vec());
    }

    /// A mask of events of any length, with what to do with it, as drivers set one that hear of events beyond 127: behind the number
    /// of the network come version, command, length and two uses of it, in a byte each.
    fn set_long_event_mask(&mut self, value: &[u8]) {
        const SET_BITS: u8 = 1;
        const CLEAR_BITS: u8 = 2;
        const HEADER_BYTES: usize = 8;
        let Some(header) = value.get(..HEADER_BYTES) else { return };
        let given = value.get(HEADER_BYTES..).unwrap_or_default();
        let given = &given[..usize::from(header[6]).min(given.len())];
        let old = self.variables.get("bsscfg:event_msgs").and_then(|mask| mask.get(4..));
        let mut mask = old.unwrap_or_default().to_vec();
        mask.resize(mask.len().max(given.len()), 0);
        match header[5] {
            SET_BITS => mask.iter_mut().zip(given).for_each(|(old, given)| *old |= given),
            CLEAR_BITS => mask.iter_mut().zip(given).for_each(|(old, given)| *old &= !given),
            _ => mask = given.to_vec(),
        }
        self.variables.insert("bsscfg:event_msgs".to_owned(), [&header[..4], &mask].concat());
    }
}

/// The value of a variable that is for one of several networks: it follows the number of that.
fn second(value: &[u8]) -> u32 {
    requests::number(value.get(4..).unwrap_or_default())
}

/// How long setting a variable takes.
fn set_time(data: &[u8]) -> Picoseconds {
    match requests::variable(data) {
        Some(("country", _)) => COUNTRY_TIME,
        Some(("clmload", table)) => {
            REQUEST_TIME + Picoseconds::new(TABLE_TIME.ps() * table.len() as i64 / TABLE_BYTES)
        }
        _ => REQUEST_TIME,
    }
}

/// Puts a value at the beginning of an answer, which keeps its length.
fn put(data: &mut [u8], value: &[u8]) {
    let bytes = value.len().min(data.len());
    data[..bytes].copy_from_slice(&value[..bytes]);
}
