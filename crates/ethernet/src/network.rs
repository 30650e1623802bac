//! The network: ports, stations and what joins them, in virtual time.

use units::Picoseconds;

use crate::{Frame, Speed, Station};

/// A port for something that is not the network's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortId(pub(crate) usize);

/// A station of the network's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StationId(pub(crate) usize);

/// A cable between a port or a station and the switch.
#[derive(Debug, Clone)]
pub struct Cable {
    /// Its speed.
    pub speed: Speed,
    /// How long a bit travels.
    pub propagation: Picoseconds,
}

/// A frame at an outer port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// When its last bit arrived.
    pub at: Picoseconds,
    /// The frame.
    pub frame: Frame,
}

/// Ports and stations around one switch.
#[derive(Debug)]
pub struct Network {}

impl Network {
    /// An empty network; `seed` is that of its impairments.
    pub fn new(seed: u64) -> Self {
        let _ = seed;
        Self {}
    }

    /// Adds an outer port.
    pub fn add_port(&mut self, name: &str, cable: Cable) -> PortId {
        let _ = (name, cable);
        PortId(0)
    }

    /// Adds a station.
    pub fn add_station(&mut self, name: &str, cable: Cable, station: Box<dyn Station>) -> StationId {
        let _ = (name, cable, station);
        StationId(0)
    }

    /// A station, to change it. Call [`Self::poke`] afterwards.
    pub fn station_mut(&mut self, id: StationId) -> &mut dyn Station {
        let _ = id;
        unimplemented!()
    }

    /// Takes up what a station wants to do after it was changed from outside.
    pub fn poke(&mut self, at: Picoseconds, id: StationId) {
        let _ = (at, id);
    }

    /// A frame at an outer port: the first bit of its preamble is on the wire at `start`, or as soon as the wire is free.
    pub fn send(&mut self, port: PortId, start: Picoseconds, frame: Frame) {
        let _ = (port, start, frame);
    }

    /// The next frame that arrived at an outer port.
    pub fn take_arrival(&mut self, port: PortId) -> Option<Arrival> {
        let _ = port;
        None
    }

    /// Plugs or pulls the cable of a port.
    pub fn set_plugged(&mut self, at: Picoseconds, port: PortId, plugged: bool) {
        let _ = (at, port, plugged);
    }

    /// The cable of a port.
    pub fn cable(&self, port: PortId) -> Option<&Cable> {
        let _ = port;
        None
    }

    /// When something happens.
    pub fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    /// Lets everything happen that is due up to and including `at`.
    pub fn advance(&mut self, at: Picoseconds) {
        let _ = at;
    }

    /// A copy in the same state; nothing when a station cannot be copied.
    pub fn snapshot(&self) -> Option<Self> {
        None
    }
}
