//! A PC's USB host in virtual time: it notices the device's pull-up, resets and enumerates it, and drives what it finds:
//! serial ports (cdc.rs), a disk (msc.rs), keyboards and mice (hid.rs), a network (net).
//!
//! It takes and gives packets, and knows no controller: whatever has a USB port implements [`Device`]. One event source
//! moves it: [`UsbHost::wake`] does what is due, [`UsbHost::next_wake`] says when it wants to be woken. In between nothing
//! polls; see schedule.rs.
//!
//! Left out: hubs and a second device, high speed, isochronous transfers, corrupted packets, a frame clock that drifts
//! against the device's.

mod cdc;
mod control;
mod descriptors;
mod enumerate;
mod functions;
mod hid;
mod kinds;
mod msc;
mod net;
mod port;
mod schedule;
mod scsi;
mod transfer;
mod wire;

use units::{PS_PER_US, Picoseconds};

use cdc::Terminal;
use control::{ControlPipe, Failure, Request};
pub use descriptors::{DeviceReport, Driver, EndpointReport, InterfaceReport, TransferKind};
use enumerate::Enumeration;
use hid::Hid;
pub use hid::{HidInput, HidReport};
use msc::MassStorage;
pub use msc::{MassStorageReport, Sectors};
pub use net::PassedPacket;
pub use port::{Answer, Device, Endpoint};
use schedule::{Owner, Pipe};
use transfer::InFlight;
use wire::TOKEN_BITS;
pub use wire::{FRAME_PS, Packet, bit_times};

const fn us(us: i64) -> Picoseconds {
    Picoseconds::new(us * PS_PER_US)
}

// The host lets pass no more time than devices need, where it is free to: a console comes within 20 ms. A PC takes a
// quarter of a second and more.

/// From the pull-up to the reset. A PC debounces for 100 ms (USB 2.0 7.1.7.3), which no firmware can make use of.
const DEBOUNCE: Picoseconds = us(100);
/// A device must see a reset that lasts 2.5 us (USB 2.0 7.1.7.5).
const RESET: Picoseconds = us(1_000);
/// What a device has to recover from a reset, before the first request (USB 2.0 7.1.7.5, TRSTRCY). Some need it: the
/// work-around for RP2040-E5 takes D+ from the PHY for 1 ms after each reset.
const RESET_RECOVERY: Picoseconds = us(10_000);
/// Resume signalling (USB 2.0 7.1.7.7).
const RESUME: Picoseconds = us(20_000);
/// The device must be ready so long after SET_ADDRESS (USB 2.0 9.2.6.3), and firmware needs some of that.
const ADDRESS_RECOVERY: Picoseconds = us(2_000);
/// A PC's software is never at once with the next request, and some firmware counts on that.
const REQUEST_GAP: Picoseconds = us(125);
/// From a NAK to the next attempt.
const NAK_RETRY: Picoseconds = us(20);
/// From a request that failed, or an attempt to enumerate, to the next one.
const RETRY: Picoseconds = us(1_000);
/// How often a request of the enumeration is made.
const REQUEST_TRIES: u32 = 50;
/// Steps that one wake may take; each does something that was due.
const MAX_STEPS: usize = 16;

/// How far the host has got with the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Phase {
    Detached,
    /// Attached; the host waits before it resets.
    Debounce,
    Reset,
    Recovery,
    Enumerating,
    Configured,
    Suspended,
    Resuming,
    Failed,
}

/// What a pipe has to carry next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Want {
    Nothing,
    Setup,
    Out,
    In,
}

/// The host with everything that it knows of the device.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct UsbHost {
    plugged: bool,
    attached: bool,
    phase: Phase,
    phase_until: Option<Picoseconds>,
    /// When the first frame began.
    frames: Option<Picoseconds>,
    address: u8,
    configuration_bytes: u16,
    bus_free: Picoseconds,
    in_flight: Option<InFlight>,
    /// The control pipe is the first.
    pipes: Vec<Pipe>,
    control: ControlPipe,
    enumeration: Enumeration,
    ports_open: Vec<bool>,
    terminals: Vec<Terminal>,
    storage: Option<MassStorage>,
    network: Option<net::Network>,
    hids: Vec<Hid>,
    hid_reports: Vec<HidReport>,
}

impl Default for UsbHost {
    fn default() -> Self {
        Self::new()
    }
}

impl UsbHost {
    /// A PC whose cable is plugged in; it does nothing before a device enables its pull-up.
    pub fn new() -> Self {
        Self {
            plugged: true,
            attached: false,
            phase: Phase::Detached,
            phase_until: None,
            frames: None,
            address: 0,
            configuration_bytes: 0,
            bus_free: Picoseconds::ZERO,
            in_flight: None,
            pipes: Vec::new(),
            control: ControlPipe::default(),
            enumeration: Enumeration::default(),
            ports_open: Vec::new(),
            terminals: vec![Terminal::default(); cdc::MAX_PORTS],
            storage: None,
            network: None,
            hids: Vec::new(),
            hid_reports: Vec::new(),
        }
    }

    /// The device has its configuration, and drivers have taken it over.
    pub fn configured(&self) -> bool {
        matches!(self.phase, Phase::Configured | Phase::Suspended | Phase::Resuming)
    }

    /// The host has given the device up: it was reset four times, and its enumeration failed each time.
    pub fn failed(&self) -> bool {
        self.phase == Phase::Failed
    }

    /// The terminal's end of a serial port is open: what the device prints is shown.
    pub fn serial_open(&self, port: usize) -> bool {
        self.ports_open.get(port) == Some(&true)
    }

    /// What the device says of itself, once it is configured.
    pub fn descriptors(&self) -> Option<&DeviceReport> {
        self.configured().then_some(&self.enumeration.report)
    }

    /// The disk, if the device is one.
    pub fn mass_storage(&self) -> Option<&MassStorageReport> {
        self.storage.as_ref().map(|storage| &storage.script.report)
    }

    /// Types bytes into the terminal on a serial port; how many it has room for.
    pub fn serial_send(&mut self, port: usize, bytes: &[u8]) -> usize {
        self.terminals.get_mut(port).map_or(0, |terminal| terminal.type_bytes(bytes))
    }

    /// Whether the terminal on a serial port shows anything that was not taken yet.
    pub fn has_serial(&self, port: usize) -> bool {
        self.terminals.get(port).is_some_and(Terminal::has_shown)
    }

    /// Takes what the terminal on a serial port shows since the last call, with the time of each byte.
    pub fn take_serial(&mut self, port: usize) -> Vec<(Picoseconds, u8)> {
        self.terminals.get_mut(port).map(Terminal::take_shown).unwrap_or_default()
    }

    /// Takes the reports of keyboards, mice and the like since the last call.
    pub fn take_hid_reports(&mut self) -> Vec<HidReport> {
        std::mem::take(&mut self.hid_reports)
    }

    /// Asks the device's disk for sectors; false when it has none.
    pub fn read_sectors(&mut self, first: u32, sectors: u16, now: Picoseconds) -> bool {
        let Some(storage) = &mut self.storage else { return false };
        let command = storage.script.read(first, sectors);
        let pushed = storage.push(command);
        storage.begin_next(now);
        pushed
    }

    /// Writes sectors to the device's disk; false when it has none.
    pub fn write_sectors(&mut self, first: u32, data: &[u8], now: Picoseconds) -> bool {
        let Some(storage) = &mut self.storage else { return false };
        let command = storage.script.write(first, data);
        let pushed = storage.push(command);
        storage.begin_next(now);
        pushed
    }

    /// Takes the sectors that came since the last call.
    pub fn take_sectors(&mut self) -> Vec<Sectors> {
        self.storage.as_mut().map(|storage| std::mem::take(&mut storage.script.results)).unwrap_or_default()
    }

    /// Whether the device is a network that the host drives.
    pub fn has_network(&self) -> bool {
        self.network.is_some()
    }

    /// Whether the device is a network whose frames go in both directions.
    pub fn network_has_link(&self) -> bool {
        self.network.as_ref().is_some_and(net::Network::has_link)
    }

    /// Sends an Ethernet frame (without check sequence) into the device's network; false where it is dropped: the network has no
    /// link, or a thousand frames wait for it.
    pub fn send_frame(&mut self, frame: &[u8]) -> bool {
        self.network.as_mut().is_some_and(|network| network.send(frame))
    }

    /// Whether a frame came that nobody took yet.
    pub fn has_frame(&self) -> bool {
        self.network.as_ref().is_some_and(net::Network::has_received)
    }

    /// Takes the packets with pieces of frames that passed since the last call, in both directions.
    pub fn take_passed_packets(&mut self) -> Vec<PassedPacket> {
        self.network.as_mut().map(net::Network::take_passed).unwrap_or_default()
    }

    /// Takes the next frame that the device sent, with the time at which its transfer was over.
    pub fn take_frame(&mut self) -> Option<(Picoseconds, Vec<u8>)> {
        self.network.as_mut()?.take()
    }

    /// Plugs the cable in, or pulls it out.
    pub fn set_plugged(&mut self, plugged: bool) {
        self.plugged = plugged;
    }

    /// Stops the frames of a configured device; it takes that for suspend after 3 ms.
    pub fn suspend(&mut self, device: &mut dyn Device, now: Picoseconds) {
        if self.phase == Phase::Configured {
            self.phase = Phase::Suspended;
            self.frames = None;
            self.in_flight = None;
            device.bus_idles(now);
        }
    }

    /// Wakes a suspended device.
    pub fn resume(&mut self, device: &mut dyn Device, now: Picoseconds) {
        if self.phase == Phase::Suspended {
            self.phase = Phase::Resuming;
            self.phase_until = Some(now + RESUME);
            device.bus_resumes();
        }
    }

    /// Follows the pull-up: a device came or went. While the host drives a reset it holds both lines low, and sees neither (USB
    /// 2.0 7.1.7.3, 7.1.7.5); NuttX takes its pull-up off and on again in its handler of the reset.
    pub fn follow(&mut self, device: &mut dyn Device, now: Picoseconds) {
        if self.phase == Phase::Reset && self.plugged {
            return;
        }
        let pulls_up = device.pulls_up();
        let attached = self.plugged && pulls_up;
        if attached == self.attached {
            return;
        }
        self.attached = attached;
        self.drop_pipes();
        self.frames = None;
        self.enumeration = Enumeration::default();
        if pulls_up {
            device.bus_idles(now);
        } else {
            device.bus_gone(now);
        }
        (self.phase, self.phase_until) =
            if attached { (Phase::Debounce, Some(now + DEBOUNCE)) } else { (Phase::Detached, None) };
    }

    /// Forgets the device's endpoints and all that runs over them; terminals stay.
    fn drop_pipes(&mut self) {
        self.pipes.clear();
        self.in_flight = None;
        self.control = ControlPipe::default();
        self.ports_open.clear();
        self.storage = None;
        self.network = None;
        self.hids.clear();
    }

    fn add_control_pipe(&mut self, max_packet_bytes: usize, now: Picoseconds) {
        let pipe = Pipe {
            owner: Owner::Control,
            endpoint: Endpoint::new(0, false),
            max_packet_bytes,
            period: NAK_RETRY,
            not_before: now,
            periodic: false,
            due: None,
            data1: false,
            halted: false,
            errors: 0,
            stalls: 0,
        };
        self.pipes.clear();
        self.pipes.push(pipe);
    }

    /// Queues a request on the control pipe.
    fn submit(&mut self, request: Request, now: Picoseconds) {
        self.control.push(request);
        self.control.begin_next(now);
    }

    fn hold_control_pipe(&mut self, pause: Picoseconds, now: Picoseconds) {
        if let Some(pipe) = self.pipes.first_mut() {
            pipe.not_before = pipe.not_before.max(now + pause);
            pipe.due = None;
        }
    }

    /// Does everything that is due.
    pub fn wake(&mut self, device: &mut dyn Device, now: Picoseconds) {
        for _ in 0..MAX_STEPS {
            device.advance(now);
            if !self.step(device, now) {
                break;
            }
            self.update_due(device, now);
        }
    }

    /// Does one thing that is due, if there is one.
    fn step(&mut self, device: &mut dyn Device, now: Picoseconds) -> bool {
        if self.phase_until.is_some_and(|until| until <= now) {
            self.phase_until = None;
            self.phase_over(device, now);
            return true;
        }
        if let Some(flight) = self.in_flight.filter(|flight| flight.end <= now) {
            self.in_flight = None;
            self.finish(flight, device, now);
            return true;
        }
        if self.control.deadline().is_some_and(|deadline| deadline <= now) && !self.control_in_flight() {
            let finished = self.control.fail(Failure::Timeout);
            self.request_finished(finished, now);
            self.begin_waiting(now);
            return true;
        }
        if self.storage.as_mut().is_some_and(|storage| storage.hold_over(now)) {
            self.begin_waiting(now);
            return true;
        }
        match self.plan().filter(|planned| planned.token_end <= now) {
            Some(planned) => self.begin(planned, device),
            None => return false,
        }
        true
    }

    fn control_in_flight(&self) -> bool {
        self.in_flight.is_some_and(|flight| flight.pipe == 0)
    }

    fn phase_over(&mut self, device: &mut dyn Device, now: Picoseconds) {
        match self.phase {
            Phase::Debounce => {
                self.enumeration.count_attempt();
                self.drop_pipes();
                self.frames = None;
                device.bus_reset_begins(now);
                self.enter(Phase::Reset, RESET, now);
            }
            Phase::Reset => {
                device.bus_reset_ends();
                self.start_frames(device, now);
                self.enter(Phase::Recovery, RESET_RECOVERY, now);
                self.follow(device, now);
            }
            Phase::Recovery => self.begin_enumeration(now),
            Phase::Resuming => {
                self.start_frames(device, now);
                self.phase = Phase::Configured;
            }
            Phase::Detached | Phase::Enumerating | Phase::Configured | Phase::Suspended | Phase::Failed => {}
        }
    }

    fn enter(&mut self, phase: Phase, for_: Picoseconds, now: Picoseconds) {
        self.phase = phase;
        self.phase_until = Some(now + for_);
    }

    fn start_frames(&mut self, device: &mut dyn Device, now: Picoseconds) {
        self.frames = Some(now);
        device.frames_begin(now + bit_times(TOKEN_BITS));
    }

    /// When it wants to be woken for whatever comes next; to be asked after everything that may have changed that.
    pub fn next_wake(&mut self, device: &dyn Device, now: Picoseconds) -> Option<Picoseconds> {
        self.update_due(device, now);
        let flight = self.in_flight.map(|flight| flight.end);
        let planned = self.plan().map(|planned| planned.token_end);
        let storage = self.storage.as_ref().and_then(MassStorage::held_until);
        let deadline = self.control.deadline().filter(|_| !self.control_in_flight());
        let own = device.next_event(now);
        [flight, planned, storage, deadline, own, self.phase_until].into_iter().flatten().min()
    }
}
