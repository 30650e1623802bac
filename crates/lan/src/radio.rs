//! Stations on the channel of the network's access point: who is one, how their drivers set their radios, and what those took.

use std::any::Any;

use ethernet::PortId;
use links::RadioUse;
use units::Picoseconds;

use super::device::{DeviceId, NetDevice, Radio};
use super::wifi::WifiChannel;
use super::{Lan, Wired};

impl Lan {
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

    /// How long the radio of a device did what on the air; nothing for a device that is on none.
    pub fn radio_use<D: NetDevice + ?Sized>(&mut self, id: DeviceId<D>) -> Option<RadioUse> {
        let station = self.wired.get(id.index)?.line.station?;
        self.with_channel(|channel, now| channel.radio_use(now, station))
    }

    fn with_channel<T>(&mut self, act: impl FnOnce(&mut WifiChannel, Picoseconds) -> T) -> Option<T> {
        let now = self.now;
        self.network.with_hop(self.air?, |hop| {
            let hop: &mut dyn Any = hop;
            hop.downcast_mut::<WifiChannel>().map(|channel| act(channel, now))
        })?
    }
}
