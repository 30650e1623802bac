//! Networks over USB: CDC ECM (USB CDC 1.2, ECM 1.2), CDC NCM (NCM 1.0) and RNDIS, as Linux's drivers use them. The driver
//! brings the device up, and then carries Ethernet frames in both directions. What they are for is the owner's affair.
//!
//! Left out: CDC EEM; several frames in a block to the device, for which Linux waits up to 0.4 ms; statistics of the device;
//! the Ethernet address that it has for the PC; a network beside the first.

mod ntb;
mod rndis;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use units::{PS_PER_MS, Picoseconds};

use crate::control::{Failure, Purpose, Request};
use crate::descriptors::{Driver, EndpointReport, InterfaceReport, TransferKind};
use crate::wire::Packet;
use rndis::Command;

const COMMUNICATIONS: u8 = 2;
const WIRELESS: u8 = 0xe0;
const DATA: u8 = 10;

const STANDARD_INTERFACE_OUT: u8 = 0x01;
const CLASS_INTERFACE_OUT: u8 = 0x21;
const SET_INTERFACE: u8 = 0x0b;
const SEND_ENCAPSULATED_COMMAND: u8 = 0x00;
const GET_ENCAPSULATED_RESPONSE: u8 = 0x01;
const SET_PACKET_FILTER: u8 = 0x43;
const GET_BLOCK_PARAMETERS: u8 = 0x80;
const BLOCK_PARAMETERS_BYTES: u16 = 28;
/// Any frame, all groups, directed frames and broadcasts (ECM 1.2, table 8): the PC's port is a bridge's.
const EVERYTHING: u16 = 0x0f;
/// A notification that the network is connected, or no more (USB CDC 1.2, 6.3.1).
const NETWORK_CONNECTION: [u8; 2] = [0xa1, 0x00];
/// How often an answer of RNDIS is asked for, and the pause before each further time (Linux: `rndis_command`).
const ANSWER_TRIES: u32 = 10;
const ANSWER_PAUSE: Picoseconds = Picoseconds::new(40 * PS_PER_MS);
/// Frames that wait for the device, or for their owner (Linux: the queue of a network interface); more are dropped.
const MOST_WAITING: usize = 1000;
/// Packets that are kept until their owner takes them.
const MOST_PASSED: usize = 4096;
/// The longest transfer from the device that is put together.
const MOST_BYTES: usize = 0xffff;
/// Of a frame without its check sequence.
const FRAME_BYTES: std::ops::RangeInclusive<usize> = 14..=1518;

/// How frames are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Protocol {
    /// A frame is a transfer.
    Ecm,
    /// Frames are in blocks with a table.
    Ncm,
    /// A frame has a header, and the device is brought up by messages.
    Rndis,
}

/// What is asked of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Step {
    BlockParameters,
    /// The setting of the data interface that has endpoints.
    Setting,
    PacketFilter,
    Say(Command),
    Hear(Command),
}

/// The interfaces of a network among those of a device, by their places in the list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interfaces {
    protocol: Protocol,
    pub(crate) control: usize,
    pub(crate) data: usize,
}

/// Finds the first network of a device, and marks its interfaces.
pub(crate) fn find(interfaces: &mut [InterfaceReport]) -> Option<Interfaces> {
    let found = (0..interfaces.len()).find_map(|control| {
        let i = &interfaces[control];
        let protocol = match (i.class, i.subclass, i.protocol) {
            (COMMUNICATIONS, 6, _) => Protocol::Ecm,
            (COMMUNICATIONS, 0x0d, _) => Protocol::Ncm,
            (COMMUNICATIONS, 2, 0xff) | (WIRELESS, 1, 3) => Protocol::Rndis,
            _ => return None,
        };
        let named = i.data_interface.and_then(|number| interfaces.iter().position(|i| i.number == number));
        let next = || (control + 1..interfaces.len()).find(|&n| interfaces[n].class == DATA);
        let data = named.or_else(next)?;
        let both = [false, true].map(|out| interfaces[data].find_of_setting(out).is_some());
        (both == [true; 2]).then_some(Interfaces { protocol, control, data })
    })?;
    interfaces[found.control].driver = Driver::Network;
    interfaces[found.data].driver = Driver::Network;
    Some(found)
}

/// A network with what is on its way in both directions.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Network {
    protocol: Protocol,
    control: u8,
    data: u8,
    setting: u8,
    /// The data interface's endpoints, in and out, until they are pipes.
    endpoints: [Option<EndpointReport>; 2],
    packet_bytes: usize,
    /// Frames go in both directions.
    pub(crate) is_up: bool,
    /// The device has said that it is connected; where it need not say so, it is from the start.
    connected: bool,
    blocks: ntb::Parameters,
    sequence: u16,
    number: u32,
    tries: u32,
    outgoing: VecDeque<Vec<u8>>,
    /// Bytes of the first outgoing transfer that the device has.
    sent: usize,
    incoming: Vec<u8>,
    received: VecDeque<(Picoseconds, Vec<u8>)>,
    passed: Vec<PassedPacket>,
}

/// A packet with a piece of a frame, from the token to the acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassedPacket {
    /// When the token began.
    pub start: Picoseconds,
    /// When the acknowledgement was over.
    pub end: Picoseconds,
    /// Whether the device sent it.
    pub from_device: bool,
    /// Its data.
    pub bytes: u32,
}

/// What is next after a request.
#[derive(Debug)]
pub(crate) enum Next {
    /// Another request, after a pause.
    Ask(Request, Picoseconds),
    /// These endpoints are pipes from here on.
    Open([Option<EndpointReport>; 2], Option<Request>),
    Nothing,
}

impl Network {
    pub(crate) fn new(found: Interfaces, interfaces: &[InterfaceReport]) -> Self {
        let (control, data) = (&interfaces[found.control], &interfaces[found.data]);
        let endpoints = [false, true].map(|out| data.find_of_setting(out));
        Self {
            protocol: found.protocol,
            control: control.number,
            data: data.number,
            setting: data.setting(),
            endpoints,
            packet_bytes: endpoints[1].map_or(1, |endpoint| endpoint.packet_bytes()),
            is_up: false,
            connected: found.protocol != Protocol::Ncm
                || control.find(TransferKind::Interrupt, false).is_none(),
            blocks: ntb::Parameters::default(),
            sequence: 0,
            number: 0,
            tries: 0,
            outgoing: VecDeque::new(),
            sent: 0,
            incoming: Vec::new(),
            received: VecDeque::new(),
            passed: Vec::new(),
        }
    }

    /// The first request.
    pub(crate) fn opening(&mut self) -> Request {
        match self.protocol {
            Protocol::Ecm => self.ask(Step::Setting),
            Protocol::Ncm => self.ask(Step::BlockParameters),
            Protocol::Rndis => self.ask(Step::Say(Command::Initialize)),
        }
    }

    fn ask(&mut self, step: Step) -> Request {
        let purpose = Purpose::Network(step);
        let (control, data) = (u16::from(self.control), u16::from(self.data));
        let nothing = Vec::new();
        let class = CLASS_INTERFACE_OUT;
        match step {
            Step::BlockParameters => {
                Request::asking(purpose, class, GET_BLOCK_PARAMETERS, 0, control, BLOCK_PARAMETERS_BYTES)
            }
            Step::Setting => {
                let setting = u16::from(self.setting);
                Request::sending(purpose, STANDARD_INTERFACE_OUT, SET_INTERFACE, setting, data, nothing)
            }
            Step::PacketFilter => {
                Request::sending(purpose, class, SET_PACKET_FILTER, EVERYTHING, control, nothing)
            }
            Step::Say(command) => {
                (self.number, self.tries) = (self.number + 1, 0);
                let message = command.message(self.number);
                Request::sending(purpose, class, SEND_ENCAPSULATED_COMMAND, 0, control, message)
            }
            Step::Hear(_) => {
                Request::asking(purpose, class, GET_ENCAPSULATED_RESPONSE, 0, control, rndis::ANSWER_BYTES)
            }
        }
    }

    /// A request is over. A device that refuses what it need not know is used all the same.
    pub(crate) fn answered(&mut self, step: Step, result: Result<Vec<u8>, Failure>) -> Next {
        match step {
            Step::BlockParameters => {
                let told = result.ok().and_then(|answer| ntb::Parameters::parse(&answer));
                self.blocks = told.unwrap_or_default();
                self.go_on(Step::Setting)
            }
            Step::Setting => {
                let filter = (self.protocol == Protocol::Ecm).then(|| self.ask(Step::PacketFilter));
                self.open(filter)
            }
            Step::PacketFilter => Next::Nothing,
            Step::Say(command) if result.is_ok() => self.go_on(Step::Hear(command)),
            Step::Say(_) => Next::Nothing,
            Step::Hear(command) => self.heard(command, &result.unwrap_or_default()),
        }
    }

    fn go_on(&mut self, step: Step) -> Next {
        Next::Ask(self.ask(step), Picoseconds::ZERO)
    }

    fn open(&mut self, request: Option<Request>) -> Next {
        self.is_up = true;
        Next::Open(self.endpoints, request)
    }

    fn heard(&mut self, command: Command, answer: &[u8]) -> Next {
        match (command.is_done(self.number, answer), command.next()) {
            // Nobody needs the address.
            (Some(true), Some(next)) => self.go_on(Step::Say(next)),
            (Some(false), Some(next)) if command == Command::Address => self.go_on(Step::Say(next)),
            (Some(true), None) => self.open(None),
            (Some(false), _) => Next::Nothing,
            (None, _) if self.tries < ANSWER_TRIES => {
                self.tries += 1;
                Next::Ask(self.ask(Step::Hear(command)), ANSWER_PAUSE)
            }
            (None, _) => Next::Nothing,
        }
    }

    /// Whether frames reach the device and come from it.
    pub(crate) fn has_link(&self) -> bool {
        self.is_up && self.connected
    }

    /// The device told of itself over its interrupt endpoint.
    pub(crate) fn notified(&mut self, bytes: &[u8]) {
        if bytes.get(..2) == Some(&NETWORK_CONNECTION) {
            self.connected = bytes.get(2) == Some(&1);
        }
    }

    /// A packet of the network passed.
    pub(crate) fn packet_passed(&mut self, packet: PassedPacket) {
        if self.passed.len() < MOST_PASSED {
            self.passed.push(packet);
        }
    }

    /// Takes the packets that passed since the last call.
    pub(crate) fn take_passed(&mut self) -> Vec<PassedPacket> {
        std::mem::take(&mut self.passed)
    }

    /// Queues a frame for the device; false where it is dropped.
    pub(crate) fn send(&mut self, frame: &[u8]) -> bool {
        let fits = FRAME_BYTES.contains(&frame.len()) && self.outgoing.len() < MOST_WAITING;
        if !fits || !self.has_link() {
            return false;
        }
        let transfer = match self.protocol {
            Protocol::Ecm => {
                let mut bytes = frame.to_vec();
                // A byte more where the frame would fill whole packets, so that its last packet ends it (as Linux does).
                bytes.resize(bytes.len() + usize::from(bytes.len().is_multiple_of(self.packet_bytes)), 0);
                Some(bytes)
            }
            Protocol::Ncm => ntb::block(frame, self.sequence, &self.blocks, self.packet_bytes),
            Protocol::Rndis => Some(rndis::transfer(frame, self.packet_bytes)),
        };
        self.sequence = self.sequence.wrapping_add(1);
        self.outgoing.extend(transfer);
        true
    }

    pub(crate) fn has_outgoing(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// The next packet to the device.
    pub(crate) fn packet(&self, data1: bool) -> Packet {
        let rest = self.outgoing.front().and_then(|transfer| transfer.get(self.sent..)).unwrap_or_default();
        Packet::new(data1, &rest[..rest.len().min(self.packet_bytes)])
    }

    /// The device has a packet of so many bytes.
    pub(crate) fn acknowledged(&mut self, bytes: usize) {
        self.sent += bytes;
        if self.outgoing.front().is_none_or(|transfer| self.sent >= transfer.len()) {
            self.outgoing.pop_front();
            self.sent = 0;
        }
    }

    /// A packet from the device; a short one ends its transfer.
    pub(crate) fn received(&mut self, payload: &[u8], max_packet_bytes: usize, now: Picoseconds) {
        self.incoming.extend_from_slice(payload);
        let is_full = match self.protocol {
            Protocol::Ncm => self.incoming.len() >= self.blocks.in_bytes,
            Protocol::Ecm | Protocol::Rndis => self.incoming.len() >= MOST_BYTES,
        };
        if payload.len() < max_packet_bytes || is_full {
            self.transfer_ends(now);
        }
    }

    fn transfer_ends(&mut self, now: Picoseconds) {
        let transfer = std::mem::take(&mut self.incoming);
        let frames = match self.protocol {
            Protocol::Ecm => vec![&transfer[..]],
            Protocol::Ncm => ntb::frames(&transfer),
            Protocol::Rndis => rndis::frames(&transfer),
        };
        let frames = frames.into_iter().filter(|frame| FRAME_BYTES.contains(&frame.len()));
        let room = MOST_WAITING.saturating_sub(self.received.len());
        self.received.extend(frames.take(room).map(|frame| (now, frame.to_vec())));
    }

    pub(crate) fn has_received(&self) -> bool {
        !self.received.is_empty()
    }

    /// Takes the next frame from the device.
    pub(crate) fn take(&mut self) -> Option<(Picoseconds, Vec<u8>)> {
        self.received.pop_front()
    }
}
