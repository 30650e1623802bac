//! What a driver's author sees of the network around a chip, and does to it: frames on its cable and frames put there, what was
//! dropped and why, a capture, accesses.

use std::collections::VecDeque;
use std::path::Path;

use ethernet::{Direction, DropReason, Frame, LaneCounters, Tapped};
use sim::Passive;
use units::Picoseconds;
use wiznet::{Access, Chip};

use super::SpiController;
use crate::{Lan, LanCaptureError};

/// Frames that are kept for whoever takes them; the oldest make way.
const MOST_KEPT: usize = 65_536;

/// A frame on the cable of a chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFrame {
    /// The first bit of its preamble, at the chip.
    pub start: Picoseconds,
    /// The name of the chip on the network.
    pub chip: String,
    /// Whether it comes from the chip.
    pub is_from_chip: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its check sequence is right.
    pub is_intact: bool,
    /// What was done to it on its way, in words.
    pub fate: Vec<&'static str>,
}

/// What was dropped around a chip, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// By the chip itself.
    pub by_chip: wiznet::Dropped,
    /// On the cable to the chip, by reason ([`DropReason::name`]).
    pub to_chip: Vec<(&'static str, u64)>,
    /// On the cable from it.
    pub from_chip: Vec<(&'static str, u64)>,
}

/// What of the network is being watched.
#[derive(Debug, Default)]
pub(super) struct Watch {
    kept: Option<VecDeque<SeenFrame>>,
    captures: bool,
    /// Ports of the PC that were spoken of.
    pub(super) ports: Vec<(u16, ethernet::SeatId)>,
}

impl Watch {
    /// A chip was added: what is on its cable is seen where that of the others is.
    pub(super) fn watch_cable(&self, lan: &mut Lan, chip: crate::ChipId) {
        if let Some(port) = lan.port(chip).filter(|_| self.kept.is_some() || self.captures) {
            lan.with_network(|network| network.tap(port));
        }
    }
}

impl Lan {
    fn seen(&self, tapped: Tapped) -> Option<SeenFrame> {
        let (name, _) = self.network().tapped_names(tapped.tap)?;
        Some(SeenFrame {
            start: tapped.at,
            chip: name.to_owned(),
            is_from_chip: tapped.direction == Direction::Outbound,
            fate: tapped.marks.words(),
            bytes: tapped.bytes,
            is_intact: tapped.intact,
        })
    }
}

impl SpiController {
    /// Keeps the frames on the cables of all chips from here on, or no more.
    ///
    /// # Errors
    /// A sentence, while they go to a file.
    pub fn keep_frames(&mut self, on: bool) -> Result<(), String> {
        if self.network.captures {
            return Err("the frames go to a capture; end that first".to_owned());
        }
        if on && self.network.kept.is_none() {
            for bus in 0..self.buses.len() {
                let port = self.lan.port(self.buses[bus].chip);
                self.lan.with_network(|network| port.and_then(|port| network.tap(port)));
            }
            self.lan.with_network(|network| while network.take_tapped().is_some() {});
        }
        self.network.kept = on.then(|| self.network.kept.take().unwrap_or_default());
        Ok(())
    }

    /// The frames since the last call, as far as they are kept.
    pub fn take_frames(&mut self) -> Vec<SeenFrame> {
        self.watch_on();
        self.network.kept.as_mut().map(std::mem::take).unwrap_or_default().into()
    }

    /// Takes up what was seen, so that it is not too much for those who wait.
    pub(super) fn watch_on(&mut self) {
        if self.network.captures {
            self.lan.continue_capture();
        }
        let Some(mut kept) = self.network.kept.take() else { return };
        while let Some(tapped) = self.lan.with_network(ethernet::Network::take_tapped) {
            if kept.len() >= MOST_KEPT {
                kept.pop_front();
            }
            kept.extend(self.lan.seen(tapped));
        }
        self.network.kept = Some(kept);
    }

    /// Puts a frame on the cable to the chip, as if the switch had sent it on: it takes its time there, and the cable may do to
    /// it what it does to others. One that is not intact has a wrong check sequence.
    ///
    /// # Errors
    /// A sentence, when it is shorter than an Ethernet header, or longer than a frame.
    pub fn send_frame(&mut self, bytes: &[u8], is_intact: bool) -> Result<(), String> {
        const HEADER_BYTES: usize = 14;
        const LONGEST_BYTES: usize = 9_216;
        if !(HEADER_BYTES..=LONGEST_BYTES).contains(&bytes.len()) {
            return Err(format!(
                "a frame has {HEADER_BYTES} to {LONGEST_BYTES} bytes, from its destination to the end of its payload, and \
                 this one has {}",
                bytes.len()
            ));
        }
        let (now, port) = (self.now, self.lan.port(self.bus().chip));
        let frame = Frame { bytes: bytes.to_vec(), intact: is_intact };
        self.lan.advance(now);
        self.lan.with_network(|network| {
            network.advance(now);
            if let Some(port) = port {
                network.send_to(port, now, frame);
            }
        });
        Ok(())
    }

    /// What was dropped so far around the chip.
    pub fn dropped(&self) -> Dropped {
        let chip = self.bus().chip;
        let by_chip = self.lan.device(chip).map(Chip::dropped).unwrap_or_default();
        let counters = self.lan.port(chip).map(|port| self.lan.network().counters(port)).unwrap_or_default();
        Dropped { by_chip, to_chip: reasons(&counters.received), from_chip: reasons(&counters.sent) }
    }

    /// Writes the frames of all chips to a file from here on, and with `spi` their accesses in words.
    ///
    /// # Errors
    /// When the file cannot be made; in a sentence, while frames or accesses are kept already.
    pub fn start_capture(&mut self, path: &Path, spi: bool) -> Result<(), String> {
        let refused = |what| Err(format!("{what} are kept already; end that before they go to a capture"));
        if self.network.kept.is_some() {
            return refused("frames");
        }
        if spi && self.buses.iter().any(|bus| bus.records) {
            return refused("accesses");
        }
        self.lan.start_capture(path, spi).map_err(|error| error.to_string())?;
        self.network.captures = true;
        if !spi {
            self.record_as_asked();
        }
        Ok(())
    }

    /// Ends the capture; nothing happens where there is none.
    ///
    /// # Errors
    /// When the file could not be written.
    pub fn end_capture(&mut self) -> Result<(), LanCaptureError> {
        self.network.captures = false;
        let ended = self.lan.end_capture();
        self.record_as_asked();
        ended
    }

    /// Keeps the accesses of the chip from here on, or no more.
    ///
    /// # Errors
    /// A sentence, while they go to a file.
    pub fn record(&mut self, on: bool) -> Result<(), String> {
        if self.network.captures {
            return Err("a capture is under way, which may have the accesses; end that first".to_owned());
        }
        self.bus_mut().records = on;
        self.record_as_asked();
        Ok(())
    }

    /// The accesses of the chip since the last call.
    pub fn take_accesses(&mut self) -> Vec<Access> {
        let (chip, records) = (self.bus().chip, self.bus().records);
        let taken = records.then(|| self.lan.with_device(chip, Chip::take_accesses)).flatten();
        taken.unwrap_or_default()
    }

    fn record_as_asked(&mut self) {
        for bus in 0..self.buses.len() {
            let (chip, records) = (self.buses[bus].chip, self.buses[bus].records);
            self.lan.with_device(chip, |chip| chip.record(records));
        }
    }
}

fn reasons(lane: &LaneCounters) -> Vec<(&'static str, u64)> {
    let counted = DropReason::ALL.into_iter().map(|reason| (reason.name(), lane.dropped(reason)));
    counted.filter(|&(_, frames)| frames > 0).collect()
}
