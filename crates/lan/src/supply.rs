//! What the supplies of a board's chips feel: how long each was in which of its states.

use cyw43::CURRENTS;
use sim::Passive;
use units::Picoseconds;

use super::{DeviceId, Lan, RadioEnergy};

/// What a chip is to whoever asks where the energy goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupplyKind {
    /// It speaks over a cable.
    Ethernet,
    /// It speaks over the air.
    Radio,
}

/// A chip with the time in each of its states.
#[derive(Debug, Clone, PartialEq)]
pub struct Supply {
    /// Its name; nothing for one that no shop has.
    pub chip: Option<&'static str>,
    /// What it is.
    pub kind: SupplyKind,
    /// The time in each state, by its name; what was done until then.
    pub states: Vec<(&'static str, Picoseconds)>,
}

/// The radio of a Pico W.
const RADIO: &str = "CYW43439";

impl Lan {
    /// All chips with what they did up to a time.
    pub fn supplies(&mut self, at: Picoseconds) -> Vec<Supply> {
        self.advance(at);
        let devices: Vec<DeviceId<_>> = self.devices().collect();
        devices
            .into_iter()
            .filter_map(|id| {
                if let Some(RadioEnergy { times, .. }) = self.radio_energy(at, id) {
                    return Some(Supply { chip: Some(RADIO), kind: SupplyKind::Radio, states: times });
                }
                let device = &self.wired.get(id.index)?.device;
                let chip = device.facts().map(|facts| facts.name);
                Some(Supply { chip, kind: SupplyKind::Ethernet, states: device.supply_states(at) })
            })
            .collect()
    }
}

/// What a state of the radio draws, in amperes.
pub fn radio_amperes(state: &str) -> Option<f64> {
    let known = CURRENTS.iter().find(|current| current.state == state);
    known.map(|current| current.milliamperes * 1e-3)
}
