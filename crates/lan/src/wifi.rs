//! Wi-Fi on the cable of a board: the link model of crate `links` as a hop of crate `ethernet`, and the `[wifi]` table of
//! network files, whose fields are the settings of that model.

use ethernet::{Direction, Hop};
use fields::Field;
use links::{SettingError, Settings, WIFI_HOP, Way, WifiHop};
use units::Picoseconds;

/// The fields of `[wifi]` in a network file; the table alone puts the board behind an access point with all defaults.
pub const WIFI_FIELDS: &[Field] = WIFI_HOP.settings;

/// A Wi-Fi access point on a cable whose first end is the station.
#[derive(Debug, Clone)]
pub struct WifiAccessPoint {
    hop: WifiHop,
}

impl WifiAccessPoint {
    /// One with settings out of [`WIFI_FIELDS`], for the station of a name.
    ///
    /// # Panics
    /// When the settings are those of another link.
    pub fn new(settings: &Settings, seed: u64, station: &str) -> Self {
        Self { hop: WifiHop::new(settings, seed, &format!("wifi/{station}")) }
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
