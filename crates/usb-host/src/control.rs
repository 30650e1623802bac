//! Control transfers (USB 2.0 8.5.3): a queue of requests, the one that is on the bus, and its stages. Which packet
//! comes next is decided here; when it comes, in schedule.rs.

use std::collections::VecDeque;

use units::{PS_PER_S, Picoseconds};

use crate::Want;
use crate::enumerate::Step;
use crate::net;
use crate::wire::Packet;

/// A request is given up when it is not done by then (Linux: USB_CTRL_GET_TIMEOUT).
pub(crate) const REQUEST_TIMEOUT: Picoseconds = Picoseconds::new(5 * PS_PER_S);

const DEVICE_TO_HOST: u8 = 0x80;

/// What a request is for, and so who gets its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Purpose {
    Enumerate(Step),
    /// SET_LINE_CODING of a serial port.
    LineCoding,
    /// SET_CONTROL_LINE_STATE of a serial port, which opens it.
    LineState(usize),
    HidIdle,
    HidReportDescriptor(usize),
    MaxLun,
    MassStorageReset,
    Network(net::Step),
    /// CLEAR_FEATURE (ENDPOINT_HALT) for a pipe.
    ClearHalt(usize),
}

/// A request that waits or runs.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Request {
    pub(crate) setup: [u8; 8],
    data: Vec<u8>,
    pub(crate) purpose: Purpose,
    /// How often it failed before.
    pub(crate) failures: u32,
}

impl Request {
    /// A request without data, or one that sends some.
    pub(crate) fn sending(
        purpose: Purpose,
        kind: u8,
        request: u8,
        value: u16,
        index: u16,
        data: Vec<u8>,
    ) -> Self {
        let length = data.len() as u16;
        Self { setup: setup(kind, request, value, index, length), data, purpose, failures: 0 }
    }

    /// A request that asks for data.
    pub(crate) fn asking(
        purpose: Purpose,
        kind: u8,
        request: u8,
        value: u16,
        index: u16,
        bytes: u16,
    ) -> Self {
        let setup = setup(kind | DEVICE_TO_HOST, request, value, index, bytes);
        Self { setup, data: Vec::new(), purpose, failures: 0 }
    }

    fn length(&self) -> usize {
        usize::from(u16::from_le_bytes([self.setup[6], self.setup[7]]))
    }

    fn asks(&self) -> bool {
        self.setup[0] & DEVICE_TO_HOST != 0
    }
}

fn setup(kind: u8, request: u8, value: u16, index: u16, length: u16) -> [u8; 8] {
    let ([v0, v1], [i0, i1], [l0, l1]) = (value.to_le_bytes(), index.to_le_bytes(), length.to_le_bytes());
    [kind, request, v0, v1, i0, i1, l0, l1]
}

/// Why a request brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The device refused it.
    Stall,
    /// The device did not answer, or not by the rules, three times in a row.
    Protocol,
    /// It was not done in time.
    Timeout,
}

/// A request that is over.
pub(crate) type Finished = (Request, Result<Vec<u8>, Failure>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Stage {
    Setup,
    DataIn,
    DataOut,
    StatusIn,
    StatusOut,
}

#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
struct Active {
    request: Request,
    stage: Stage,
    data1: bool,
    received: Vec<u8>,
    sent: usize,
    deadline: Picoseconds,
}

/// The default pipe.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct ControlPipe {
    queue: VecDeque<Request>,
    active: Option<Active>,
}

impl ControlPipe {
    pub(crate) fn push(&mut self, request: Request) {
        self.queue.push_back(request);
    }

    /// Begins the next request if none is under way.
    pub(crate) fn begin_next(&mut self, now: Picoseconds) {
        if self.active.is_some() {
            return;
        }
        self.active = self.queue.pop_front().map(|request| Active {
            request,
            stage: Stage::Setup,
            data1: false,
            received: Vec::new(),
            sent: 0,
            deadline: now + REQUEST_TIMEOUT,
        });
    }

    pub(crate) fn deadline(&self) -> Option<Picoseconds> {
        self.active.as_ref().map(|active| active.deadline)
    }

    pub(crate) fn want(&self) -> Want {
        match self.active.as_ref().map(|active| active.stage) {
            None => Want::Nothing,
            Some(Stage::Setup) => Want::Setup,
            Some(Stage::DataIn | Stage::StatusIn) => Want::In,
            Some(Stage::DataOut | Stage::StatusOut) => Want::Out,
        }
    }

    /// The packet that the host sends in this stage.
    pub(crate) fn outgoing(&self, max_packet_bytes: usize) -> Packet {
        let Some(active) = &self.active else { return Packet::new(false, &[]) };
        match active.stage {
            Stage::Setup => Packet::new(false, &active.request.setup),
            Stage::DataOut => {
                let rest = &active.request.data[active.sent..];
                Packet::new(active.data1, &rest[..rest.len().min(max_packet_bytes)])
            }
            _ => Packet::new(true, &[]),
        }
    }

    /// The device acknowledged the packet that `outgoing` gave.
    pub(crate) fn acknowledged(&mut self, max_packet_bytes: usize) -> Option<Finished> {
        let length = self.outgoing(max_packet_bytes).payload().len();
        let active = self.active.as_mut()?;
        match active.stage {
            Stage::Setup => {
                active.data1 = true;
                active.stage = match (active.request.length(), active.request.asks()) {
                    (0, _) => Stage::StatusIn,
                    (_, true) => Stage::DataIn,
                    (_, false) => Stage::DataOut,
                };
                None
            }
            Stage::DataOut => {
                active.sent += length;
                active.data1 = !active.data1;
                if active.sent >= active.request.data.len() {
                    active.stage = Stage::StatusIn;
                }
                None
            }
            _ => self.end(Ok(())),
        }
    }

    /// The device sent a data packet.
    pub(crate) fn received(&mut self, packet: &Packet, max_packet_bytes: usize) -> Option<Finished> {
        let active = self.active.as_mut()?;
        if active.stage == Stage::StatusIn {
            return self.end(Ok(()));
        }
        if packet.data1 != active.data1 {
            return None;
        }
        active.data1 = !active.data1;
        active.received.extend_from_slice(packet.payload());
        let (got, asked) = (active.received.len(), active.request.length());
        if got > asked {
            return self.end(Err(Failure::Protocol));
        }
        if got == asked || packet.payload().len() < max_packet_bytes {
            active.stage = Stage::StatusOut;
        }
        None
    }

    /// Ends the request that is under way.
    pub(crate) fn fail(&mut self, failure: Failure) -> Option<Finished> {
        self.end(Err(failure))
    }

    fn end(&mut self, result: Result<(), Failure>) -> Option<Finished> {
        let active = self.active.take()?;
        Some((active.request, result.map(|()| active.received)))
    }
}
