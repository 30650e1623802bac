//! Wi-Fi on the cables of boards and of the PC: the channel of crate `links` as a hop of crate `ethernet`, and the tables
//! `[wifi]` and `[pc.wifi]` of network files, whose fields are the settings of that model.

use ethernet::{Direction, Hop, HopPassed};
use fields::{Field, Told, told};
use links::{PowerSave, RadioUse, SettingError, Settings, StationSetup, WIFI_HOP, Way, WifiAir};
use units::Picoseconds;

use super::device::Radio;

/// The fields of `[wifi]` in a network file; the table alone puts the board behind an access point with all defaults.
pub const WIFI_FIELDS: &[Field] = WIFI_HOP.settings;
/// The fields of `[pc.wifi]`; the table alone makes the PC a station of the access point, with all defaults.
pub const PC_WIFI_FIELDS: &[Field] = links::STATION_FIELDS;

/// An access point and its channel. The first end of a member's cable is a station.
#[derive(Debug, Clone)]
pub struct WifiChannel {
    air: WifiAir,
}

impl WifiChannel {
    /// One without stations, with settings out of [`WIFI_FIELDS`].
    ///
    /// # Panics
    /// When the settings are those of another link.
    pub fn new(settings: &Settings, seed: u64) -> Self {
        Self { air: WifiAir::new(settings, seed, "wifi") }
    }

    /// Adds a station of a name, with settings out of [`WIFI_FIELDS`] or [`PC_WIFI_FIELDS`]; the member that it is.
    ///
    /// # Panics
    /// When the settings are those of another link.
    pub fn add_station(&mut self, settings: &Settings, name: &str) -> usize {
        self.air.add_station(StationSetup::of(settings), name)
    }

    /// A station has set its radio otherwise.
    pub(super) fn set_radio(
        &mut self,
        at: Picoseconds,
        station: usize,
        radio: Radio,
        wake_time: Picoseconds,
    ) {
        let power_save = radio.power_save.map(|power_save| PowerSave { wake_time, ..power_save });
        self.air.set_radio(at, station, power_save, radio.aggregation);
    }

    /// How long the radio of a station did what, up to a time.
    pub(super) fn radio_use(&mut self, at: Picoseconds, station: usize) -> RadioUse {
        self.air.advance(at);
        self.air.radio_use(station)
    }
}

impl Hop for WifiChannel {
    fn offer(
        &mut self,
        at: Picoseconds,
        member: usize,
        direction: Direction,
        frame_bytes: usize,
        ticket: u64,
    ) -> bool {
        let way = match direction {
            Direction::Inbound => Way::ToStation,
            Direction::Outbound => Way::FromStation,
        };
        self.air.offer(at, member, way, frame_bytes, ticket)
    }

    fn next_event(&self) -> Option<Picoseconds> {
        self.air.next_event()
    }

    fn advance(&mut self, at: Picoseconds) {
        self.air.advance(at);
    }

    fn take(&mut self) -> Option<HopPassed> {
        let passed = self.air.take()?;
        Some(HopPassed { ticket: passed.ticket, leaves: passed.leaves, kept: passed.kept })
    }

    fn snapshot(&self) -> Option<Box<dyn Hop>> {
        Some(Box::new(self.clone()))
    }
}

/// Sets a field of `[wifi]` or `[pc.wifi]`.
///
/// # Errors
/// A sentence that begins with what follows the table's name.
pub(super) fn set(settings: &mut Settings, known: &[Field], name: &str, text: &str) -> Result<(), Told> {
    settings.set("wifi", known, name, text).map_err(|error| match error {
        SettingError::Unknown { hint, .. } => told(name, format!(": there is no such field; {hint}")),
        other => told(name, other.words()),
    })
}

/// What a field takes, for a value that is neither text nor a number.
pub(super) fn takes(known: &[Field], name: &str) -> String {
    let field = known.iter().find(|field| field.name == name);
    field.map_or_else(|| "no such field".to_owned(), |field| field.takes.to_string())
}
