//! The class drivers' side of the host: which driver takes which interface, what each pipe wants, and who gets what came
//! over it.

use crate::control::{Failure, Purpose, Request};
use crate::descriptors::{Driver, EndpointReport, InterfaceReport, TransferKind};
use crate::hid::{Hid, HidReport, MAX_REPORTS};
use crate::msc::{self, MassStorage, Repair};
use crate::schedule::{Owner, Pipe};
use crate::scsi::Script;
use crate::wire::{FRAME_PS, Packet};
use crate::{NAK_RETRY, REQUEST_GAP, UsbHost, Want, cdc, hid, net};
use units::Picoseconds;

const CLEAR_FEATURE: u8 = 1;
const ENDPOINT_RECIPIENT: u8 = 2;
const ENDPOINT_HALT: u16 = 0;
/// A pipe that stalls so often in a row is left alone.
const MAX_STALLS: u8 = 8;

impl UsbHost {
    /// The device is configured: drivers take its interfaces.
    pub(crate) fn bind_drivers(&mut self, now: Picoseconds) {
        let mut interfaces = std::mem::take(&mut self.enumeration.report.interfaces);
        for (n, port) in cdc::find_ports(&mut interfaces).into_iter().enumerate() {
            let (control, data) = (&interfaces[port.control], &interfaces[port.data]);
            for out in [false, true] {
                self.add_pipe(Owner::Serial(n), data.find(TransferKind::Bulk, out), now);
            }
            let notification = control.find(TransferKind::Interrupt, false);
            self.add_pipe(Owner::SerialNotification(n), notification, now);
            self.ports_open.push(false);
            cdc::opening(n, control.number).into_iter().for_each(|request| self.submit(request, now));
        }
        for interface in &mut interfaces {
            match (interface.class, interface.subclass, interface.protocol) {
                (msc::CLASS, msc::TRANSPARENT_SCSI, msc::BULK_ONLY) => self.bind_disk(interface, now),
                (hid::CLASS, ..) => self.bind_hid(interface, now),
                _ => {}
            }
        }
        self.bind_network(&mut interfaces, now);
        self.enumeration.report.interfaces = interfaces;
    }

    fn bind_network(&mut self, interfaces: &mut [InterfaceReport], now: Picoseconds) {
        let Some(found) = net::find(interfaces) else { return };
        let mut network = net::Network::new(found, interfaces);
        let notification = interfaces[found.control].find(TransferKind::Interrupt, false);
        self.add_pipe(Owner::NetworkNotification, notification, now);
        let request = network.opening();
        self.network = Some(network);
        self.submit(request, now);
    }

    fn bind_disk(&mut self, interface: &mut InterfaceReport, now: Picoseconds) {
        let endpoints = [false, true].map(|out| interface.find(TransferKind::Bulk, out));
        if self.storage.is_some() || endpoints.iter().any(Option::is_none) {
            return;
        }
        endpoints.into_iter().for_each(|endpoint| self.add_pipe(Owner::Storage, endpoint, now));
        self.storage = Some(MassStorage::new(interface.number));
        self.submit(MassStorage::opening(interface.number), now);
        interface.driver = Driver::MassStorage;
    }

    fn bind_hid(&mut self, interface: &mut InterfaceReport, now: Picoseconds) {
        let (index, hid) = (self.hids.len(), Hid::new(interface.number));
        self.add_pipe(Owner::Hid(index), interface.find(TransferKind::Interrupt, false), now);
        let requests = hid.opening(index, interface.report_descriptor_bytes);
        requests.into_iter().for_each(|request| self.submit(request, now));
        self.hids.push(hid);
        interface.driver = Driver::Hid;
    }

    fn add_pipe(&mut self, owner: Owner, endpoint: Option<EndpointReport>, now: Picoseconds) {
        let Some(endpoint) = endpoint else { return };
        let periodic = endpoint.kind == TransferKind::Interrupt;
        // As xHCI controllers do: an interval is rounded down to a power of two.
        let interval = 1_i64 << endpoint.interval_frames.max(1).ilog2();
        self.pipes.push(Pipe {
            owner,
            endpoint: endpoint.endpoint(),
            max_packet_bytes: endpoint.packet_bytes(),
            period: if periodic { Picoseconds::new(interval * FRAME_PS) } else { NAK_RETRY },
            not_before: if periodic { self.next_frame(now) } else { now },
            periodic,
            due: None,
            data1: false,
            halted: false,
            errors: 0,
            stalls: 0,
        });
    }

    /// What the host wants of a pipe now.
    pub(crate) fn want(&self, pipe: usize) -> Want {
        let Some(pipe) = self.pipes.get(pipe) else { return Want::Nothing };
        let out = pipe.endpoint.out;
        let read_if = |open: bool| if open { Want::In } else { Want::Nothing };
        match pipe.owner {
            Owner::Control => self.control.want(),
            Owner::Serial(n) if out => match self.is_open(n) && !self.terminals[n].typed.is_empty() {
                true => Want::Out,
                false => Want::Nothing,
            },
            Owner::Serial(n) | Owner::SerialNotification(n) => read_if(self.is_open(n)),
            Owner::Storage => self.storage.as_ref().map_or(Want::Nothing, |storage| storage.want(out)),
            Owner::Hid(n) => read_if(self.hids.get(n).is_some_and(|hid| hid.reading)),
            Owner::Network if out => match self.network.as_ref().is_some_and(net::Network::has_outgoing) {
                true => Want::Out,
                false => Want::Nothing,
            },
            Owner::Network | Owner::NetworkNotification => Want::In,
        }
    }

    fn is_open(&self, port: usize) -> bool {
        self.ports_open.get(port) == Some(&true)
    }

    /// The packet that the host would send over a pipe now.
    pub(crate) fn outgoing(&self, pipe: usize) -> Packet {
        let Some(pipe) = self.pipes.get(pipe) else { return Packet::new(false, &[]) };
        match (pipe.owner, &self.storage) {
            (Owner::Control, _) => self.control.outgoing(pipe.max_packet_bytes),
            (Owner::Network, _) => self
                .network
                .as_ref()
                .map_or_else(|| Packet::new(pipe.data1, &[]), |network| network.packet(pipe.data1)),
            (Owner::Serial(n), _) => self.terminals[n].packet(pipe.data1, pipe.max_packet_bytes),
            (Owner::Storage, Some(storage)) => storage.outgoing(pipe.data1, pipe.max_packet_bytes),
            _ => Packet::new(pipe.data1, &[]),
        }
    }

    /// A device acknowledged a packet.
    pub(crate) fn sent(&mut self, index: usize, packet: &Packet, now: Picoseconds) {
        let (owner, max_packet_bytes) = (self.pipes[index].owner, self.pipes[index].max_packet_bytes);
        let bytes = packet.payload().len();
        match owner {
            Owner::Control => {
                let finished = self.control.acknowledged(max_packet_bytes);
                self.request_finished(finished, now);
            }
            Owner::Serial(n) => self.terminals[n].typed_bytes_sent(bytes),
            Owner::Storage => {
                if let Some(storage) = &mut self.storage {
                    storage.acknowledged(bytes);
                }
            }
            Owner::Network => {
                if let Some(network) = &mut self.network {
                    network.acknowledged(bytes);
                }
            }
            _ => {}
        }
    }

    /// A device sent a packet that the host acknowledged.
    pub(crate) fn received(&mut self, index: usize, packet: &Packet, now: Picoseconds) {
        let (owner, max_packet_bytes) = (self.pipes[index].owner, self.pipes[index].max_packet_bytes);
        let payload = packet.payload();
        match owner {
            Owner::Control => {
                let finished = self.control.received(packet, max_packet_bytes);
                self.request_finished(finished, now);
            }
            Owner::Serial(n) => self.terminals[n].show(now, payload),
            Owner::SerialNotification(_) => {}
            Owner::Storage => {
                let repair =
                    self.storage.as_mut().map(|storage| storage.received(payload, max_packet_bytes, now));
                self.repair(repair.unwrap_or(Repair::None), now);
            }
            Owner::Hid(n) if self.hid_reports.len() < MAX_REPORTS => {
                let hid = &self.hids[n];
                let (interface, input) = (hid.interface, hid.decode(payload));
                self.hid_reports.push(HidReport { at: now, interface, bytes: payload.to_vec(), input });
            }
            Owner::Hid(_) => {}
            Owner::Network => {
                if let Some(network) = &mut self.network {
                    network.received(payload, max_packet_bytes, now);
                }
            }
            Owner::NetworkNotification => {
                if let Some(network) = &mut self.network {
                    network.notified(payload);
                }
            }
        }
    }

    /// A device answered with STALL.
    pub(crate) fn stalled(&mut self, index: usize, now: Picoseconds) {
        let pipe = &mut self.pipes[index];
        if pipe.owner == Owner::Control {
            let finished = self.control.fail(Failure::Stall);
            return self.request_finished(finished, now);
        }
        pipe.halted = true;
        pipe.stalls += 1;
        if pipe.stalls <= MAX_STALLS {
            self.clear_halt(index, now);
        }
    }

    fn clear_halt(&mut self, index: usize, now: Picoseconds) {
        let endpoint = self.pipes[index].endpoint;
        let address = u16::from(endpoint.number) | if endpoint.out { 0 } else { 0x80 };
        let purpose = Purpose::ClearHalt(index);
        let nothing = Vec::new();
        let request =
            Request::sending(purpose, ENDPOINT_RECIPIENT, CLEAR_FEATURE, ENDPOINT_HALT, address, nothing);
        self.submit(request, now);
    }

    fn repair(&mut self, repair: Repair, now: Picoseconds) {
        if let (Repair::Reset, Some(storage)) = (repair, &self.storage) {
            let request = storage.reset_request();
            self.submit(request, now);
        }
    }

    /// A request is over; whoever made it goes on.
    pub(crate) fn request_finished(&mut self, finished: Option<super::control::Finished>, now: Picoseconds) {
        let Some((request, result)) = finished else { return };
        self.hold_control_pipe(REQUEST_GAP, now);
        match request.purpose {
            Purpose::Enumerate(step) => self.enumerated(step, request, result, now),
            // A terminal opens a port even if the device knows no control lines.
            Purpose::LineState(n) => self.ports_open[n] = true,
            Purpose::LineCoding | Purpose::HidIdle => {}
            Purpose::HidReportDescriptor(n) => {
                self.hids[n].take_report_descriptor(&result.unwrap_or_default());
                self.hids[n].reading = true;
            }
            Purpose::MaxLun => {
                if let Some(storage) = &mut self.storage {
                    storage.push(Script::first());
                }
            }
            Purpose::MassStorageReset => {
                let storage_pipes = (0..self.pipes.len()).filter(|&n| self.pipes[n].owner == Owner::Storage);
                storage_pipes.collect::<Vec<_>>().into_iter().for_each(|pipe| self.clear_halt(pipe, now));
            }
            Purpose::ClearHalt(pipe) => self.halt_cleared(pipe, now),
            Purpose::Network(step) => self.network_answered(step, result, now),
        }
    }

    fn network_answered(&mut self, step: net::Step, result: Result<Vec<u8>, Failure>, now: Picoseconds) {
        let Some(network) = &mut self.network else { return };
        match network.answered(step, result) {
            net::Next::Ask(request, pause) => {
                self.submit(request, now);
                self.hold_control_pipe(pause, now);
            }
            net::Next::Open(endpoints, request) => {
                endpoints.into_iter().for_each(|endpoint| self.add_pipe(Owner::Network, endpoint, now));
                request.into_iter().for_each(|request| self.submit(request, now));
            }
            net::Next::Nothing => {}
        }
    }

    fn halt_cleared(&mut self, index: usize, now: Picoseconds) {
        let pipe = &mut self.pipes[index];
        let was_stalled = std::mem::take(&mut pipe.halted);
        pipe.data1 = false;
        let (owner, out) = (pipe.owner, pipe.endpoint.out);
        let Some(storage) = self.storage.as_mut().filter(|_| owner == Owner::Storage) else { return };
        let repair = if was_stalled { storage.stalled(now) } else { Repair::None };
        // Reset recovery clears the IN endpoint first, the OUT endpoint last.
        if out {
            storage.recovered();
        }
        self.repair(repair, now);
    }

    /// Begins whatever waits for its turn.
    pub(crate) fn begin_waiting(&mut self, now: Picoseconds) {
        self.control.begin_next(now);
        if let Some(storage) = &mut self.storage {
            storage.begin_next(now);
        }
    }
}
