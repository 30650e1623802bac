//! Why no network took the station that looked for it, in one sentence: a driver hears a number of it at most, and images show
//! less than that.

use crate::air::{AccessPoint, Credentials, Security};

/// So many names are told of those on the air.
const MOST_NAMES: usize = 4;

/// The names of networks, as a sentence has them.
fn listed(air: &[AccessPoint]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in air.iter().filter_map(|one| one.ssid.as_ref()) {
        let name = format!("{name:?}");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let names = names.join(", ");
    if more > 0 { format!("{names} and {more} more") } else { names }
}

/// No network of its name is on the air.
pub(crate) fn not_found(station: &Credentials, air: &[AccessPoint]) -> String {
    let name = String::from_utf8_lossy(&station.ssid);
    let of_that_name = air.iter().any(|one| one.is_called(&station.ssid));
    match station.bssid {
        Some([a, b, c, d, e, f]) if of_that_name => format!(
            "the radio finds no network {name:?} of the access point {a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}, \
             which the image asks for"
        ),
        _ if air.is_empty() => {
            format!("the radio finds no network {name:?}, which the image asks for: nothing is on the air")
        }
        _ => format!(
            "the radio finds no network {name:?}, which the image asks for: on the air is {}",
            listed(air)
        ),
    }
}

/// The network of its name asks for something else than the driver offers.
pub(crate) fn unsuitable(station: &Credentials, access_point: &AccessPoint) -> String {
    let name = String::from_utf8_lossy(&station.ssid);
    let asks = match access_point.security {
        Security::Open => "is open",
        Security::Wpa2 => "asks for WPA2",
        Security::Wpa3 => "asks for WPA3",
        Security::Wpa2Wpa3 => "asks for WPA2 or WPA3",
    };
    let offers = match (station.is_secured, station.has_sae) {
        (_, true) => "asks for WPA3",
        (true, false) => "asks for WPA or WPA2",
        (false, false) => "brings no passphrase",
    };
    format!("the radio does not join {name:?}: the network {asks}, and the image {offers}")
}

/// The network of its name has another key.
pub(crate) fn wrong_key(station: &Credentials) -> String {
    let name = String::from_utf8_lossy(&station.ssid);
    format!("the network {name:?} refuses the radio: the image's passphrase is another than the network's")
}

/// A scan for any name has nothing to find yet: the only access point is the one that takes whatever is asked for.
pub(crate) fn nothing_to_scan() -> String {
    "the radio's scan finds no network: no network file names one in a table [access_points.NAME]".to_owned()
}
