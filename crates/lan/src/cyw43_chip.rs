//! A CYW43439 as a device of the network: its cable is the air.

use cyw43::{Activity, Busy, Chip, PhaseTimes};
use ethernet::Speed;
use links::{Aggregation, Delivery, Listens, PowerSave};
use units::Picoseconds;
use wiznet::Warning;

use super::device::{Deed, DeedKind, NetDevice, Radio, SentFrame};

/// Nobody means to stay awake for longer than an hour.
const MOST_AWAKE_MS: i64 = 3_600_000;
/// The mode in which a radio stays awake for a while; in the other it asks for each frame.
const FAST: u8 = 2;

/// What a driver's settings mean on the air. The count of DTIMs goes before that of beacons where both are given (inferred: the
/// drivers of boards set both to 1, and boards answer as late as the second beacon).
fn saving(set: cyw43::PowerSave) -> PowerSave {
    let (delivery, awake_ms) = match set.mode {
        FAST => (Delivery::Burst, i64::from(set.sleep_return_ms)),
        _ => (Delivery::Poll, 0),
    };
    let listens = match (set.listen_dtims, set.listen_beacons) {
        (0, 0) => Listens::Dtims(1),
        (0, beacons) => Listens::Beacons(beacons),
        (dtims, _) => Listens::Dtims(dtims),
    };
    let awake_time = Picoseconds::new(awake_ms.min(MOST_AWAKE_MS) * units::PS_PER_MS);
    PowerSave { delivery, listens, awake_time, wake_time: Picoseconds::ZERO }
}

impl NetDevice for Chip {
    /// The access point's cable says nothing to a station.
    fn set_cable(&mut self, _: Picoseconds, _: Option<Speed>) {}

    fn has_link(&self) -> bool {
        self.joined().is_some() || self.own_network().is_some()
    }

    fn takes_frames(&self) -> bool {
        true
    }

    fn is_bare_mac(&self) -> bool {
        true
    }

    fn radio(&self) -> Option<Radio> {
        let (power_save, aggregation) = (self.power_save(), self.aggregation());
        let dozes = self.joined().is_some() && power_save.mode != 0;
        Some(Radio {
            power_save: dozes.then(|| saving(power_save)),
            aggregation: Aggregation { frames: aggregation.frames, takes_bytes: aggregation.takes_bytes },
        })
    }

    fn has_station(&self, address: [u8; 6]) -> bool {
        Chip::has_station(self, address)
    }

    fn phase_times(&self, at: Picoseconds) -> Option<PhaseTimes> {
        Some(Chip::phase_times(self, at))
    }

    /// Its interrupt and its data are on one line.
    #[inline]
    fn interrupt_is_low(&self) -> bool {
        self.line() != Some(true)
    }

    fn receive(&mut self, at: Picoseconds, bytes: &[u8], is_intact: bool) {
        if is_intact {
            Chip::receive(self, at, bytes);
        }
    }

    fn take_sent(&mut self) -> Option<SentFrame> {
        Chip::take_sent(self)
    }

    fn record(&mut self, on: bool) {
        Chip::record(self, on);
    }

    fn take_deeds(&mut self) -> Vec<Deed> {
        let kind = |activity| match activity {
            Activity::Register => DeedKind::Register,
            Activity::Packet { from_host } => DeedKind::Packet { from_board: from_host },
            Activity::Frame { from_host } => DeedKind::Inside { from_board: from_host },
        };
        let deed = |busy: Busy| Deed {
            kind: kind(busy.activity),
            start: busy.start,
            end: busy.end,
            bytes: busy.bytes,
        };
        self.take_busy().into_iter().map(deed).collect()
    }

    fn take_warnings(&mut self) -> Vec<Warning> {
        let warning = |note: cyw43::Note| Warning { at: note.at, sentence: note.sentence };
        self.take_notes().into_iter().map(warning).collect()
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }

    fn saved(&self) -> Option<Vec<u8>> {
        postcard::to_stdvec(self).ok()
    }

    fn restored(&self, saved: &[u8]) -> Option<Box<dyn NetDevice>> {
        let chip: Chip = postcard::from_bytes(saved).ok()?;
        Some(Box::new(chip))
    }
}
