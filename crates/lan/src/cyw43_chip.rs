//! A CYW43439 as a device of the network: its cable is the air.

use cyw43::{Activity, Busy, Chip};
use ethernet::Speed;
use units::Picoseconds;
use wiznet::Warning;

use super::device::{Deed, DeedKind, NetDevice, Radio, SentFrame};

impl NetDevice for Chip {
    /// The access point's cable says nothing to a station.
    fn set_cable(&mut self, _: Picoseconds, _: Option<Speed>) {}

    fn has_link(&self) -> bool {
        self.joined().is_some()
    }

    fn takes_frames(&self) -> bool {
        true
    }

    fn is_bare_mac(&self) -> bool {
        true
    }

    fn radio(&self) -> Option<Radio> {
        let power_save = self.power_save();
        let awake_ms = if power_save.mode == 2 { i64::from(power_save.sleep_return_ms) } else { 0 };
        Some(Radio {
            dozes: power_save.mode != 0,
            awake_time: Picoseconds::new(awake_ms * units::PS_PER_MS),
            listen_beacons: power_save.listen_beacons,
        })
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
