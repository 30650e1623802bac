//! Stations on the channel of the network's access point: who is one, how their drivers set their radios, and what those took.

use std::any::Any;

use cyw43::{CURRENTS, PhaseTimes, saved_by_dozing};
use ethernet::PortId;
use links::RadioUse;
use sim::Passive;
use units::Picoseconds;

use super::device::{DeviceId, NetDevice, Radio};
use super::wifi::WifiChannel;
use super::{Lan, Wired};

/// How long a radio was in each of its states, and what it drew.
#[derive(Debug, Clone, PartialEq)]
pub struct RadioEnergy {
    /// The time in each state, by its name.
    pub times: Vec<(&'static str, Picoseconds)>,
    /// The mean current while it had power, in milliamperes; nothing where it never had.
    pub mean_milliamperes: Option<f64>,
}

impl RadioEnergy {
    fn of(phases: PhaseTimes, used: RadioUse) -> Self {
        let busy = used.doze + used.transmit + used.receive;
        let awake = (phases.on - busy).max(Picoseconds::ZERO);
        let time = |state: &str| match state {
            "off" => phases.off,
            "boot" => phases.boot,
            "doze" => used.doze,
            "transmit" => used.transmit,
            "receive" => used.receive,
            _ => awake,
        };
        let times: Vec<_> = CURRENTS.iter().map(|current| (current.state, time(current.state))).collect();
        let with_power = (phases.boot + phases.on).ps() as f64;
        let drawn: f64 =
            CURRENTS.iter().map(|current| current.milliamperes * time(current.state).ps() as f64).sum();
        Self { times, mean_milliamperes: (with_power > 0.0).then(|| drawn / with_power) }
    }
}

impl Lan {
    /// What a dozing radio of the board draws less than one that is awake, in milliamperes; nothing where none saves power.
    pub fn power_save_milliamperes(&self) -> Option<f64> {
        let saves = |radio: Radio| radio.power_save.is_some();
        let any = self.wired.iter().filter_map(|wired| wired.device.radio()).any(saves);
        any.then(saved_by_dozing)
    }

    /// Makes whoever is on a port a station, where it has a radio or the network has Wi-Fi; which one it is.
    pub(super) fn add_station(&mut self, name: &str, port: PortId, radio: Option<Radio>) -> Option<usize> {
        if radio.is_none() && self.setup.wifi.is_none() {
            return None;
        }
        let air = match self.air {
            Some(air) => air,
            None => self.network.add_hop(Box::new(self.setup.channel())),
        };
        self.air = Some(air);
        let settings = self.setup.wifi_settings();
        let station = self.with_channel(|channel, now| {
            let station = channel.add_station(&settings, name);
            if let Some(radio) = radio {
                channel.set_radio(now, station, radio, settings.time("wake_time"));
            }
            station
        })?;
        self.network.set_hop(port, air, station);
        Some(station)
    }

    /// The air follows what drivers have set their radios to.
    pub(super) fn follow_radios(&mut self) {
        for index in 0..self.wired.len() {
            let Wired { device, line, .. } = &mut self.wired[index];
            let Some(radio) = line.radio.and(device.radio()).filter(|radio| line.radio != Some(*radio))
            else {
                continue;
            };
            line.radio = Some(radio);
            let wake_time = self.setup.wifi_settings().time("wake_time");
            let Some(station) = line.station else { continue };
            self.with_channel(|channel, now| channel.set_radio(now, station, radio, wake_time));
        }
    }

    /// How long the radio of a device did what up to a time, and what that drew; nothing for a device without one.
    pub fn radio_energy<D: NetDevice + ?Sized>(
        &mut self,
        at: Picoseconds,
        id: DeviceId<D>,
    ) -> Option<RadioEnergy> {
        self.advance(at);
        let Wired { device, line, .. } = self.wired.get(id.index)?;
        let phases = device.phase_times(self.now)?;
        let station = line.station?;
        let used = self.with_channel(|channel, now| channel.radio_use(now, station))?;
        Some(RadioEnergy::of(phases, used))
    }

    fn with_channel<T>(&mut self, act: impl FnOnce(&mut WifiChannel, Picoseconds) -> T) -> Option<T> {
        let now = self.now;
        self.network.with_hop(self.air?, |hop| {
            let hop: &mut dyn Any = hop;
            hop.downcast_mut::<WifiChannel>().map(|channel| act(channel, now))
        })?
    }
}
