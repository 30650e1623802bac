//! The chip: pins and time on one side, frames on the other.

mod inside;

use serde::{Deserialize, Serialize};
use sim::Passive;
use units::Picoseconds;

use crate::air::AccessPoint;
use crate::busy::{Activity, Busy};
use crate::energy::{Phase, PhaseTimes, Phases};
use crate::firmware::{Aggregation, Firmware, Latencies, PowerSave};
use crate::own_network::Joiner;
use crate::pulses::Response;
use inside::Powered;

/// The channel of Ethernet frames, in a packet's header.
const DATA_CHANNEL: u8 = 2;

/// What is settable of a chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Its MAC address.
    pub address: [u8; 6],
    /// Its times.
    pub latencies: Latencies,
    /// What is on the air.
    pub air: Vec<AccessPoint>,
    /// Who joins its own network, where it makes one; where nobody is named, whoever sends to it.
    pub joiners: Vec<Joiner>,
}

/// Something that a user should know of how the chip was treated; each sentence comes once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// When.
    pub at: Picoseconds,
    /// What.
    pub sentence: String,
}

/// A CYW43439.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Chip {
    options: Options,
    /// Nothing without power: a chip that loses it forgets everything.
    powered: Option<Powered>,
    phases: Phases,
    notes: Vec<Note>,
}

impl Chip {
    /// A chip without power.
    pub fn new(options: Options) -> Self {
        Self { options, powered: None, phases: Phases::default(), notes: Vec::new() }
    }

    /// The level of WL_REG_ON.
    pub fn set_power(&mut self, at: Picoseconds, on: bool) {
        match (on, self.powered.is_some()) {
            (true, false) => {
                self.phases.enter(at, Phase::Boot);
                self.powered = Some(Powered::new(at, &self.options));
            }
            (false, true) => {
                self.take_up_notes();
                self.phases = self.phases_at(at);
                self.phases.enter(at, Phase::Off);
                self.powered = None;
            }
            _ => {}
        }
    }

    /// Chip select falls (true) or rises.
    pub fn select(&mut self, at: Picoseconds, selected: bool) {
        if let Some(Powered { gspi, inside }) = &mut self.powered {
            inside.advance(at);
            if selected {
                inside.selected_at = at;
            }
            gspi.select(at, selected, inside);
        }
    }

    /// The clock rises while the line of data has a level.
    #[inline]
    pub fn clock_rises(&mut self, at: Picoseconds, data: bool) {
        if let Some(Powered { gspi, inside }) = &mut self.powered {
            gspi.clock_rises(at, data, inside);
        }
    }

    /// The clock falls.
    #[inline]
    pub fn clock_falls(&mut self, at: Picoseconds) {
        if let Some(Powered { gspi, inside }) = &mut self.powered {
            gspi.clock_falls(at, inside);
        }
    }

    /// The clock, which is low, pulses up to 32 times in a row, each time at `times`: a rise and a fall. At the rises the host
    /// drives the line to `sent`, the first in the highest bit, or it leaves the line to the chip.
    pub fn pulses(
        &mut self,
        count: u32,
        sent: Option<u32>,
        times: &dyn Fn(u32) -> [Picoseconds; 2],
    ) -> Response {
        match &mut self.powered {
            Some(Powered { gspi, inside }) => gspi.pulses(count, sent, times, inside),
            None => Response { count, ..Response::default() },
        }
    }

    /// What it puts on the line of data, weakly; nothing where it does not.
    #[inline]
    pub fn line(&self) -> Option<bool> {
        let Powered { gspi, inside } = self.powered.as_ref()?;
        if gspi.is_selected() { gspi.out() } else { Some(inside.bus.line()) }
    }

    /// Its own outputs, a bit each; the lowest is the LED of a Pico W.
    pub fn gpio(&self) -> u32 {
        self.powered.as_ref().map_or(0, |powered| powered.inside.backplane.gpio())
    }

    /// Whether its station has joined a network, and which.
    pub fn joined(&self) -> Option<&AccessPoint> {
        self.firmware()?.station().access_point()
    }

    /// The network that it is the access point of, by its name; nothing where it is of none.
    pub fn own_network(&self) -> Option<String> {
        let own = self.firmware()?.own_network();
        own.is_up().then(|| own.name())
    }

    /// Whether a station has joined that network.
    pub fn has_station(&self, address: [u8; 6]) -> bool {
        self.firmware().is_some_and(|firmware| firmware.own_network().has(address))
    }

    /// How its driver wants it to save power.
    pub fn power_save(&self) -> PowerSave {
        self.firmware().map_or_else(PowerSave::default, Firmware::power_save)
    }

    /// Keeps what it is busy with from here on, or no longer.
    pub fn record(&mut self, on: bool) {
        if let Some(Powered { inside, .. }) = &mut self.powered {
            inside.busy = on.then(Vec::new);
        }
    }

    /// What it was busy with since the last call, while that is kept.
    pub fn take_busy(&mut self) -> Vec<Busy> {
        let kept = self.powered.as_mut().and_then(|powered| powered.inside.busy.as_mut());
        kept.map(std::mem::take).unwrap_or_default()
    }

    /// How long it was off, starting and on, up to a time.
    pub fn phase_times(&self, at: Picoseconds) -> PhaseTimes {
        self.phases_at(at).until(at)
    }

    /// The phases, with what became of a firmware that was started.
    fn phases_at(&self, at: Picoseconds) -> Phases {
        let mut phases = self.phases;
        if let Some(runs_from) = self.powered.as_ref().and_then(|powered| powered.inside.runs_from)
            && runs_from <= at
        {
            phases.enter(runs_from, Phase::On);
        }
        phases
    }

    /// How many frames go in one transmission.
    pub fn aggregation(&self) -> Aggregation {
        self.firmware().map_or(Aggregation { frames: 1, takes_bytes: 0 }, Firmware::aggregation)
    }

    /// A frame comes from the air.
    pub fn receive(&mut self, at: Picoseconds, frame: &[u8]) {
        if let Some(Powered { inside, .. }) = &mut self.powered {
            let time = inside.latencies.receive;
            inside.keep(Activity::Frame { from_host: false }, at, at + time, frame.len() as u32);
        }
        if let Some(firmware) = self.firmware_mut() {
            firmware.receive(at, frame);
        }
    }

    /// The next frame for the air, and when it is ready for it.
    pub fn take_sent(&mut self) -> Option<(Picoseconds, Vec<u8>)> {
        self.firmware_mut()?.take_sent()
    }

    /// What a user should know, since the last call.
    pub fn take_notes(&mut self) -> Vec<Note> {
        self.take_up_notes();
        std::mem::take(&mut self.notes)
    }

    fn take_up_notes(&mut self) {
        if let Some(Powered { inside, .. }) = &mut self.powered {
            let unknown = inside.firmware.as_mut().map_or_else(Vec::new, Firmware::take_unknown);
            for (what, at) in unknown {
                inside.note(
                    at,
                    &format!(
                        "the driver asks the radio for {what}, which the model answers without knowing it"
                    ),
                );
            }
            let refused = inside.firmware.as_mut().map_or_else(Vec::new, Firmware::take_refusals);
            refused.iter().for_each(|(at, sentence)| inside.note(*at, sentence));
            let asked = inside.firmware.as_ref().and_then(|firmware| firmware.station().admitted_as_asked());
            if let Some((name, at)) = asked {
                let sentence = format!(
                    "the radio joined {name:?} because the image asks for it: no network file names the networks on the air"
                );
                inside.note(at, &sentence);
            }
            self.notes.append(&mut inside.notes);
        }
    }

    fn firmware(&self) -> Option<&Firmware> {
        self.powered.as_ref()?.inside.firmware.as_ref()
    }

    fn firmware_mut(&mut self) -> Option<&mut Firmware> {
        self.powered.as_mut()?.inside.firmware.as_mut()
    }
}

impl Passive for Chip {
    fn next_event(&self) -> Option<Picoseconds> {
        let inside = &self.powered.as_ref()?.inside;
        let firmware = inside.firmware.as_ref();
        let own = firmware.and_then(Firmware::next_event);
        let air = firmware.and_then(|_| inside.next_change());
        own.into_iter().chain(inside.ready_at).chain(air).min()
    }

    fn advance(&mut self, at: Picoseconds) {
        if let Some(Powered { inside, .. }) = &mut self.powered {
            inside.advance(at);
        }
    }
}
