//! The chip: pins and time on one side, frames on the other.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sim::Passive;
use units::Picoseconds;

use crate::air::AccessPoint;
use crate::backplane::{Backplane, Consequence};
use crate::boot::{self, READY_TIME};
use crate::bus_registers::{BusRegisters, PACKET, Readiness};
use crate::busy::{Activity, Busy};
use crate::command::{Command, Function};
use crate::energy::{Phase, PhaseTimes, Phases};
use crate::firmware::{Aggregation, Firmware, Latencies, PowerSave};
use crate::gspi::{Behind, Gspi};
use crate::own_network::Joiner;
use crate::pulses::Response;
use crate::word_order::WordOrder;

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

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Powered {
    gspi: Gspi,
    inside: Inside,
}

/// What is behind the bus.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Inside {
    bus: BusRegisters,
    backplane: Backplane,
    firmware: Option<Firmware>,
    /// When the firmware that was started will be ready.
    ready_at: Option<Picoseconds>,
    /// Since when firmware runs.
    runs_from: Option<Picoseconds>,
    /// The packet that the host writes.
    packet: Vec<u8>,
    /// How far it has read the one that waits.
    read_bytes: usize,
    air: Vec<AccessPoint>,
    joiners: Vec<Joiner>,
    /// Up to when its changes have been followed.
    air_at: Picoseconds,
    address: [u8; 6],
    latencies: Latencies,
    notes: Vec<Note>,
    noted: BTreeSet<String>,
    /// When the transfer under way began.
    selected_at: Picoseconds,
    /// Where somebody looks, what it was busy with.
    busy: Option<Vec<Busy>>,
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
            let refused = inside.firmware.as_mut().map_or_else(Vec::new, Firmware::take_refused_stations);
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

impl Powered {
    fn new(at: Picoseconds, options: &Options) -> Self {
        Self {
            gspi: Gspi::default(),
            inside: Inside {
                bus: BusRegisters::default(),
                backplane: Backplane::powered(),
                firmware: None,
                ready_at: None,
                runs_from: None,
                packet: Vec::new(),
                read_bytes: 0,
                air: options.air.clone(),
                joiners: options.joiners.clone(),
                air_at: at,
                address: options.address,
                latencies: options.latencies,
                notes: Vec::new(),
                noted: BTreeSet::new(),
                selected_at: at,
                busy: None,
            },
        }
    }
}

impl Inside {
    fn advance(&mut self, at: Picoseconds) {
        if let Some(ready) = self.ready_at.filter(|ready| *ready <= at) {
            (self.ready_at, self.runs_from) = (None, Some(ready));
            let mut firmware = Firmware::started(self.address, self.latencies, self.joiners.clone());
            firmware.advance(ready);
            self.firmware = Some(firmware);
            self.bus.raise(PACKET);
        }
        self.follow_air(at);
        let Some(firmware) = &mut self.firmware else { return };
        if firmware.advance(at) {
            self.bus.raise(PACKET);
        }
        if let Some((mask, values)) = firmware.take_gpio() {
            self.backplane.set_gpio(mask, values);
        }
    }

    /// When access points come or go, or throw their stations out.
    fn next_change(&self) -> Option<Picoseconds> {
        self.air.iter().filter_map(|one| one.next_change(self.air_at)).min()
    }

    fn follow_air(&mut self, at: Picoseconds) {
        while let Some(change) = self.next_change().filter(|change| *change <= at) {
            self.air_at = change;
            let Some(firmware) = &mut self.firmware else { continue };
            let own = firmware.station().access_point().map(|own| own.bssid);
            let own = self.air.iter().find(|one| Some(one.bssid) == own);
            if own.is_some_and(|own| own.throws_out_at == Some(change)) {
                firmware.deauthenticated(change);
            }
            firmware.air_changed(change, own.is_none_or(|own| own.is_there(change)));
        }
    }

    fn readiness(&self) -> Readiness {
        let is_ready = self.firmware.is_some();
        Readiness {
            receives: is_ready,
            packet_bytes: self.firmware.as_ref().and_then(Firmware::waiting_bytes),
            is_ready: [true, is_ready],
        }
    }

    fn processor(&mut self, at: Picoseconds, runs: bool) {
        if !runs {
            (self.firmware, self.ready_at) = (None, None);
            return self.backplane.clocks.firmware_stops();
        }
        match boot::start(&mut self.backplane.memory) {
            Ok(()) => {
                let clock = self.backplane.clocks.firmware_starts(at);
                self.ready_at = Some(clock + READY_TIME);
            }
            Err(failure) => self.note(at, failure.sentence()),
        }
    }

    fn keep(&mut self, activity: Activity, start: Picoseconds, end: Picoseconds, bytes: u32) {
        if let Some(busy) = &mut self.busy {
            busy.push(Busy { activity, start, end, bytes });
        }
    }

    /// A packet of the host's is whole: an Ethernet frame is in the chip's own hands until it leaves.
    fn keep_packet(&mut self, at: Picoseconds) {
        let is_frame = self.packet.get(5).is_some_and(|channel| channel & 0x0f == DATA_CHANNEL);
        if is_frame && self.busy.is_some() {
            let (time, bytes) = (self.latencies.transmit, self.packet.len() as u32);
            self.keep(Activity::Frame { from_host: true }, at, at + time, bytes);
        }
    }

    /// Each sentence once.
    fn note(&mut self, at: Picoseconds, sentence: &str) {
        if !self.noted.contains(sentence) {
            self.noted.insert(sentence.to_owned());
            self.notes.push(Note { at, sentence: sentence.to_owned() });
        }
    }

    fn read_packet(&mut self, offset: u32) -> u32 {
        let Some(firmware) = &mut self.firmware else { return 0 };
        let frame = firmware.stamp_front();
        let from = self.read_bytes + offset as usize;
        let byte = |n: usize| frame.get(from + n).copied().unwrap_or(0);
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    }

    fn packet_was_read(&mut self, bytes: u32) {
        let Some(firmware) = &mut self.firmware else { return };
        let Some(length) = firmware.waiting_bytes() else { return };
        self.read_bytes += bytes as usize;
        if self.read_bytes >= length as usize {
            self.packet_is_done();
        }
    }

    fn packet_is_done(&mut self) {
        self.read_bytes = 0;
        if self.firmware.as_mut().is_some_and(Firmware::pop_front) {
            self.bus.raise(PACKET);
        }
    }
}

impl Behind for Inside {
    fn order(&self) -> WordOrder {
        self.bus.order()
    }

    fn is_high_speed(&self) -> bool {
        self.bus.is_high_speed()
    }

    fn delay_bytes(&self, function: Function) -> u32 {
        self.bus.delay_bytes(function)
    }

    fn appends_status(&self) -> bool {
        self.bus.appends_status()
    }

    fn status(&self) -> u32 {
        self.bus.status(self.readiness())
    }

    fn write(&mut self, at: Picoseconds, command: &Command, offset: u32, bytes: u32, value: u32) {
        let address = if command.increments { command.address + offset } else { command.address };
        match command.function {
            Function::Bus => self.bus.write(address, bytes, value),
            Function::Backplane => match self.backplane.write(at, address, bytes, value) {
                Consequence::None if self.backplane.bluetooth.is_on() => {
                    self.note(at, "the image switched the radio's Bluetooth on, of which only the start is modelled: its HCI is silent");
                }
                Consequence::None => {}
                Consequence::Runs(runs) => self.processor(at, runs),
                Consequence::Abort => self.packet_is_done(),
            },
            Function::Wlan => self.packet.extend(&value.to_le_bytes()[..bytes as usize]),
            Function::Second => {}
        }
    }

    fn read(&mut self, at: Picoseconds, command: &Command, offset: u32) -> u32 {
        let address = if command.increments { command.address + offset } else { command.address };
        match command.function {
            Function::Bus => {
                let readiness = self.readiness();
                self.bus.read(address, readiness)
            }
            Function::Backplane => self.backplane.read(at, address),
            Function::Wlan => self.read_packet(offset),
            Function::Second => 0,
        }
    }

    fn end(&mut self, at: Picoseconds, command: &Command, bytes: u32) {
        let activity = match command.function {
            Function::Wlan => Activity::Packet { from_host: command.is_write },
            _ => Activity::Register,
        };
        self.keep(activity, self.selected_at, at, bytes);
        if command.function != Function::Wlan {
            return;
        }
        if !command.is_write {
            return self.packet_was_read(bytes);
        }
        self.keep_packet(at);
        let packet = std::mem::take(&mut self.packet);
        let Some(firmware) = &mut self.firmware else { return };
        let there: Vec<AccessPoint> = self.air.iter().filter(|one| one.is_there(at)).cloned().collect();
        firmware.take(at, &packet, &there);
        if let Some(why) = firmware.take_refused() {
            let why = why.words();
            self.note(at, &format!("the radio threw away a frame of the driver's: {why}"));
        }
    }
}
