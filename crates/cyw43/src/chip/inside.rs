//! What is behind the pins while the chip has power: the bus, its registers, the backplane and the firmware that runs.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use units::Picoseconds;

use super::{DATA_CHANNEL, Note, Options};
use crate::air::AccessPoint;
use crate::backplane::{Backplane, Consequence};
use crate::boot::{self, READY_TIME};
use crate::bus_registers::{BusRegisters, Readiness};
use crate::busy::{Activity, Busy};
use crate::command::{Command, Function};
use crate::firmware::{Firmware, Latencies};
use crate::gspi::{Behind, Gspi};
use crate::identity::Identity;
use crate::own_network::Joiner;
use crate::word_order::WordOrder;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Powered {
    pub(super) gspi: Gspi,
    pub(super) inside: Inside,
}

/// What is behind the bus.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Inside {
    pub(super) bus: BusRegisters,
    pub(super) backplane: Backplane,
    pub(super) firmware: Option<Firmware>,
    /// What was uploaded, until the firmware answers.
    identity: Identity,
    /// When the firmware that was started will be ready.
    pub(super) ready_at: Option<Picoseconds>,
    /// Since when firmware runs.
    pub(super) runs_from: Option<Picoseconds>,
    /// The packet that the host writes.
    packet: Vec<u8>,
    /// How far it has read the one that waits.
    read_bytes: usize,
    air: Vec<AccessPoint>,
    joiners: Vec<Joiner>,
    /// Up to when its changes have been followed.
    air_at: Picoseconds,
    address: [u8; 6],
    pub(super) latencies: Latencies,
    pub(super) notes: Vec<Note>,
    noted: BTreeSet<String>,
    /// When the transfer under way began.
    pub(super) selected_at: Picoseconds,
    /// Where somebody looks, what it was busy with.
    pub(super) busy: Option<Vec<Busy>>,
}

impl Powered {
    pub(super) fn new(at: Picoseconds, options: &Options) -> Self {
        Self {
            gspi: Gspi::default(),
            inside: Inside {
                bus: BusRegisters::default(),
                backplane: Backplane::powered(),
                firmware: None,
                identity: Identity::default(),
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
    pub(super) fn advance(&mut self, at: Picoseconds) {
        if let Some(ready) = self.ready_at.filter(|ready| *ready <= at) {
            (self.ready_at, self.runs_from) = (None, Some(ready));
            let identity = std::mem::take(&mut self.identity);
            let mut firmware =
                Firmware::started(self.address, identity, self.latencies, self.joiners.clone());
            firmware.advance(ready);
            self.firmware = Some(firmware);
        }
        self.follow_air(at);
        let Some(firmware) = &mut self.firmware else { return };
        firmware.advance(at);
        self.bus.set_packet(firmware.waiting_bytes().is_some());
        if let Some((mask, values)) = firmware.take_gpio() {
            self.backplane.set_gpio(mask, values);
        }
    }

    /// When access points come or go, or throw their stations out.
    pub(super) fn next_change(&self) -> Option<Picoseconds> {
        self.air.iter().filter_map(|one| one.next_change(self.air_at)).min()
    }

    pub(super) fn follow_air(&mut self, at: Picoseconds) {
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
        // A firmware that runs writes over some of it.
        self.identity = Identity::of(self.backplane.memory.image());
        match boot::start(&mut self.backplane.memory) {
            Ok(()) => {
                let clock = self.backplane.clocks.firmware_starts(at);
                self.ready_at = Some(clock + READY_TIME);
            }
            Err(failure) => self.note(at, failure.sentence()),
        }
    }

    pub(super) fn keep(&mut self, activity: Activity, start: Picoseconds, end: Picoseconds, bytes: u32) {
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
    pub(super) fn note(&mut self, at: Picoseconds, sentence: &str) {
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
        let waits = self.firmware.as_mut().is_some_and(Firmware::pop_front);
        self.bus.set_packet(waits);
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
        firmware.see_pads(self.backplane.gpio());
        firmware.take(at, &packet, &there);
        if let Some(why) = firmware.take_refused() {
            let why = why.words();
            self.note(at, &format!("the radio threw away a frame of the driver's: {why}"));
        }
    }
}
