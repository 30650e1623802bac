//! Access points that a station with a radio of its own finds on the air: the tables `[access_points.NAME]` of network files.

use cyw43::{AccessPoint, Security};
use fields::{Field, Settings, Takes, Value};

const SECURITIES: [(&str, Security); 4] = [
    ("open", Security::Open),
    ("wpa2", Security::Wpa2),
    ("wpa3", Security::Wpa3),
    ("wpa2-wpa3", Security::Wpa2Wpa3),
];
/// A locally administered address, of which the last byte tells access points apart.
const FIRST_BSSID: [u8; 6] = [0x02, 0x41, 0x57, 0x00, 0x01, 0x01];
/// Of the one that takes anything.
const CHANNEL: u8 = 6;
const RSSI_DBM: i8 = -50;

/// The fields of `[access_points.NAME]`.
pub const ACCESS_POINT_FIELDS: &[Field] = &[
    Field::open("ssid", Takes::Text("a text"), "what the network is called; without it, NAME", "\"lab\""),
    Field::new(
        "security",
        Takes::Word(&["open", "wpa2", "wpa3", "wpa2-wpa3"]),
        "wpa2",
        "what it asks for",
        "\"open\"",
    ),
    Field::open(
        "passphrase",
        Takes::Text("a text"),
        "the passphrase that it asks for; without it, it takes any",
        "\"correct horse\"",
    ),
    Field::new("channel", Takes::Count(1, 13), "6", "its channel at 2.4 GHz", "11"),
    Field::new("loss_db", Takes::Count(0, 120), "70", "from 20 dBm at its antenna to the station", "85"),
    Field::open("gone_at", Takes::Duration, "when it goes silent", "\"10 s\""),
    Field::open("back_at", Takes::Duration, "when it is there again", "\"20 s\""),
    Field::open("throws_out_at", Takes::Duration, "when it ends the connection of its station", "\"10 s\""),
];

/// The one that is there where a network file names none: it takes whatever is asked for.
pub(super) fn any() -> AccessPoint {
    AccessPoint {
        ssid: None,
        bssid: FIRST_BSSID,
        channel: CHANNEL,
        security: Security::Wpa2,
        passphrase: None,
        rssi_dbm: RSSI_DBM,
        gone_at: None,
        back_at: None,
        throws_out_at: None,
    }
}

/// An access point by its settings; `number` tells it from others.
pub(super) fn access_point(name: &str, settings: &Settings, number: u8) -> Result<AccessPoint, String> {
    let text = |field: &str| settings.get(field).map(Value::to_string);
    let security = text("security").unwrap_or_default();
    let found = SECURITIES.iter().find(|(word, _)| *word == security);
    let security = found.map_or(Security::Wpa2, |(_, security)| *security);
    let ssid = text("ssid").unwrap_or_else(|| name.to_owned());
    if ssid.is_empty() || ssid.len() > 32 {
        return Err(format!("ssid has {} bytes, but it takes 1 to 32", ssid.len()));
    }
    let passphrase = text("passphrase");
    if security == Security::Open && passphrase.is_some() {
        return Err("an open network has no passphrase; leave it out, or say security = \"wpa2\"".to_owned());
    }
    if passphrase.as_ref().is_some_and(|key| !(8..=63).contains(&key.len())) {
        return Err("passphrase takes 8 to 63 characters".to_owned());
    }
    let mut bssid = FIRST_BSSID;
    bssid[5] = bssid[5].wrapping_add(number);
    let moment = |field: &str| settings.get(field).map(|_| settings.time(field));
    let (gone_at, back_at) = (moment("gone_at"), moment("back_at"));
    if back_at.is_some_and(|back| gone_at.is_none_or(|gone| gone >= back)) {
        return Err("back_at takes a time after gone_at".to_owned());
    }
    Ok(AccessPoint {
        ssid: Some(ssid),
        bssid,
        channel: settings.integer("channel") as u8,
        security,
        passphrase,
        rssi_dbm: 20 - settings.integer("loss_db") as i8,
        gone_at,
        back_at,
        throws_out_at: moment("throws_out_at"),
    })
}
