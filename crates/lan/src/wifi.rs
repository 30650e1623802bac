//! Wi-Fi on the cable of a board: the link model of crate `links` as a hop of crate `ethernet`, and the `[wifi]` table of
//! network files, whose fields are the settings of that model.

use ethernet::{Direction, Hop};
use fields::Field;
use links::{SettingError, Settings, WIFI_HOP, Way, WifiHop};
use units::Picoseconds;

use super::device::Radio;

/// The fields of `[wifi]` in a network file; the table alone puts the board behind an access point with all defaults.
pub const WIFI_FIELDS: &[Field] = WIFI_HOP.settings;

/// A Wi-Fi access point on a cable whose first end is the station.
#[derive(Debug, Clone)]
pub struct WifiAccessPoint {
    hop: WifiHop,
    settings: Settings,
    seed: u64,
    path: String,
}

impl WifiAccessPoint {
    /// One with settings out of [`WIFI_FIELDS`], for the station of a name.
    ///
    /// # Panics
    /// When the settings are those of another link.
    pub fn new(settings: &Settings, seed: u64, station: &str) -> Self {
        let path = format!("wifi/{station}");
        Self { hop: WifiHop::new(settings, seed, &path), settings: settings.clone(), seed, path }
    }

    /// The station has set its radio otherwise.
    pub(super) fn set_radio(&mut self, radio: Radio) {
        let mode = match (radio.dozes, radio.listen_beacons) {
            (false, _) => "none",
            (true, 0) => "min",
            (true, _) => "max",
        };
        let listen = radio.listen_beacons.max(1).to_string();
        let awake = format!("{} us", radio.awake_time.ps() / units::PS_PER_US);
        for (name, value) in [("power_save", mode), ("awake_time", &awake), ("listen_interval", &listen)] {
            // What the driver asks for beyond what the model takes stays as it was.
            let _ = self.settings.set("wifi", WIFI_FIELDS, name, value);
        }
        self.hop.set_power_save(&self.settings, self.seed, &self.path);
    }
}

impl Hop for WifiAccessPoint {
    fn pass(&mut self, at: Picoseconds, direction: Direction, frame_bytes: usize) -> Option<Picoseconds> {
        let way = match direction {
            Direction::Inbound => Way::ToStation,
            Direction::Outbound => Way::FromStation,
        };
        self.hop.cross(at, way, frame_bytes)
    }

    fn snapshot(&self) -> Option<Box<dyn Hop>> {
        Some(Box::new(self.clone()))
    }
}

/// Sets a field of `[wifi]`.
///
/// # Errors
/// A sentence that begins with what follows `wifi.`.
pub(super) fn set(settings: &mut Settings, name: &str, text: &str) -> Result<(), String> {
    settings.set("wifi", WIFI_FIELDS, name, text).map_err(|error| match error {
        SettingError::Unknown { name, hint, .. } => format!("{name}: there is no such field; {hint}"),
        other => other.to_string(),
    })
}

/// What a field takes, for a value that is neither text nor a number.
pub(super) fn takes(name: &str) -> String {
    let field = WIFI_FIELDS.iter().find(|field| field.name == name);
    field.map_or_else(|| "no such field".to_owned(), |field| field.takes.to_string())
}
