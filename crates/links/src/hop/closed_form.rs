//! What a frame takes on a channel that is idle but for its access point's beacons: the stages of its way, as a program with its
//! budget.

use units::Picoseconds;

use super::WIFI_HOP;
use super::air::WifiAir;
use super::frame::Way;
use super::station::{Delivery, PowerSave, StationSetup};
use crate::budget::BudgetLine;
use crate::links::wifi::{MAC_BYTES, NULL_BYTES, POLL_BYTES};
use crate::program::{Program, Steps};
use crate::stage::{BeaconDelivery, BeaconOnAir, Cause, Constant, Dcf, Load};

/// Destination, source and type.
const ETHERNET_BYTES: u32 = 14;
/// More beacons are not waited for by a station that cannot make itself heard.
const MOST_BEACONS: u32 = 20;

fn data_bytes(load: &Load) -> u32 {
    MAC_BYTES + load.frame_bytes.saturating_sub(ETHERNET_BYTES)
}

fn null_bytes(_: &Load) -> u32 {
    NULL_BYTES
}

fn poll_bytes(_: &Load) -> u32 {
    POLL_BYTES
}

impl WifiAir {
    /// The mean time of each part for a frame of a station that gets through; a station in power save dozes.
    pub fn budget(&self, station: usize, way: Way, frame_bytes: u32) -> Vec<BudgetLine> {
        self.program(station, way).budget(frame_bytes)
    }

    /// The share of frames that are lost.
    pub fn loss(&self, station: usize, way: Way, frame_bytes: u32) -> f64 {
        self.program(station, way).loss(frame_bytes)
    }

    /// The stages of one way as a link's program.
    fn program(&self, station: usize, way: Way) -> Program {
        let setup = self.setup(station);
        let bridge = Constant::fixed("access point", Cause::Cpu, self.bridge_time());
        let radio = Constant::fixed("station's radio processor", Cause::Cpu, setup.station_time);
        let access = setup.rate.interframe()
            + Picoseconds::new(setup.rate.window(0) as i64 * setup.rate.slot().ps() / 2);
        let in_the_way = BeaconOnAir::new(self.beacons.interval, self.beacons.air, access);
        let air = self.frame(setup, data_bytes);
        let steps = match (way, &setup.power_save) {
            (Way::ToStation, None) => Steps::new().stage(bridge).stage(in_the_way).then(air).stage(radio),
            (Way::ToStation, Some(power_save)) => {
                let kept = self.kept_steps(setup, power_save);
                Steps::new().stage(bridge).then(kept).then(air).stage(radio)
            }
            (Way::FromStation, power_save) => {
                let wake_time =
                    power_save.as_ref().map_or(Picoseconds::ZERO, |power_save| power_save.wake_time);
                let wake = Constant::fixed("station wakes up", Cause::Cpu, wake_time);
                Steps::new().stage(radio).stage(wake).stage(in_the_way).then(air).stage(bridge)
            }
        };
        Program::from(steps)
    }

    fn frame(&self, setup: &StationSetup, bytes: fn(&Load) -> u32) -> Steps {
        let others = self.others().clone();
        Steps::new().stage(others).stage(Dcf::new(setup.rate, setup.frame_error, bytes))
    }

    /// Until a station that dozes has asked for what is kept for it.
    fn kept_steps(&self, setup: &StationSetup, power_save: &PowerSave) -> Steps {
        let beacons = i64::from(self.beacons.heard_each(power_save.listens));
        let interval = Picoseconds::new(self.beacons.interval.ps() * beacons);
        let missed = WIFI_HOP.params().number("beacon_missed");
        let wait = BeaconDelivery::new(interval, self.beacons.lead, missed);
        let beacon = Constant::fixed("beacon on the air", Cause::Air, self.beacons.air);
        let bytes = if power_save.delivery == Delivery::Burst { null_bytes } else { poll_bytes };
        let heard = Steps::new().stage(wait).stage(beacon).then(self.frame(setup, bytes));
        Steps::new().attempts(MOST_BEACONS - 1, heard, Steps::new())
    }
}
