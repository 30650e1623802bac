//! Disks: bulk-only mass storage (USB Mass Storage Bulk-Only Transport 1.0) with the SCSI commands that Linux sends
//! when a disk appears, and sectors read and written on request.
//!
//! Left out: logical units other than 0, the TEST UNIT READY that Linux repeats every two seconds on removable media,
//! partition tables and file systems.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::Want;
use crate::control::{Purpose, Request};
use crate::scsi::{Command, Direction, Script};
use crate::wire::Packet;

const CLASS_INTERFACE_OUT: u8 = 0x21;
const MASS_STORAGE_RESET: u8 = 0xff;
const GET_MAX_LUN: u8 = 0xfe;
pub(crate) const CLASS: u8 = 8;
pub(crate) const TRANSPARENT_SCSI: u8 = 6;
pub(crate) const BULK_ONLY: u8 = 0x50;

const COMMAND_SIGNATURE: u32 = 0x4342_5355;
const STATUS_SIGNATURE: u32 = 0x5342_5355;
const COMMAND_BYTES: usize = 31;
const STATUS_BYTES: usize = 13;
/// Reset recoveries in all before the host gives the disk up.
const MAX_RECOVERIES: u32 = 4;
/// Commands that may wait.
const MAX_WAITING: usize = 256;

/// What the disk said of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MassStorageReport {
    /// INQUIRY: vendor, product and revision, without the spaces that fill them up.
    pub name: [String; 3],
    /// READ CAPACITY: number of blocks; 0 before it is known, or without a medium.
    pub blocks: u32,
    /// READ CAPACITY: bytes of a block.
    pub block_bytes: u32,
    /// MODE SENSE: whether the medium is write-protected.
    pub write_protected: bool,
    /// Whether the host is through with what it does when a disk appears.
    pub ready: bool,
}

/// Sectors that were asked for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sectors {
    /// When the device confirmed them.
    pub at: Picoseconds,
    /// The first one.
    pub first: u32,
    /// The data that was read; what was written is not repeated.
    pub data: Vec<u8>,
    /// They were written, not read.
    pub written: bool,
    /// The device reported success.
    pub ok: bool,
}

/// Where a command stands (Bulk-Only Transport 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Stage {
    Idle,
    Command,
    Data,
    Status,
    /// The status was refused once, and is asked for again.
    StatusAgain,
    Recovery,
    /// Given up.
    Dead,
}

/// What the host has to do for the transport besides bulk packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Nothing.
    None,
    /// Bulk-Only Mass Storage Reset, then clear both endpoints.
    Reset,
}

/// The host's side of one disk.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct MassStorage {
    pub(crate) interface: u8,
    stage: Stage,
    tag: u32,
    queue: VecDeque<Command>,
    current: Option<Command>,
    received: Vec<u8>,
    sent: usize,
    recoveries: u32,
    /// Nothing begins before.
    hold_until: Option<Picoseconds>,
    pub(crate) script: Script,
}

impl MassStorage {
    pub(crate) fn new(interface: u8) -> Self {
        Self {
            interface,
            stage: Stage::Idle,
            tag: 0,
            queue: VecDeque::new(),
            current: None,
            received: Vec::new(),
            sent: 0,
            recoveries: 0,
            hold_until: None,
            script: Script::default(),
        }
    }

    /// The request that comes before any command.
    pub(crate) fn opening(interface: u8) -> Request {
        Request::asking(Purpose::MaxLun, CLASS_INTERFACE_OUT, GET_MAX_LUN, 0, u16::from(interface), 1)
    }

    /// The request that resets the transport.
    pub(crate) fn reset_request(&self) -> Request {
        let index = u16::from(self.interface);
        Request::sending(
            Purpose::MassStorageReset,
            CLASS_INTERFACE_OUT,
            MASS_STORAGE_RESET,
            0,
            index,
            Vec::new(),
        )
    }

    /// Queues a command; false when too many wait or the disk was given up.
    pub(crate) fn push(&mut self, command: Command) -> bool {
        let room = self.stage != Stage::Dead && self.queue.len() < MAX_WAITING;
        if room {
            self.queue.push_back(command);
        }
        room
    }

    /// When a pause ends that the script made.
    pub(crate) fn held_until(&self) -> Option<Picoseconds> {
        self.hold_until
    }

    /// Ends a pause whose time has come.
    pub(crate) fn hold_over(&mut self, now: Picoseconds) -> bool {
        self.hold_until.take_if(|until| *until <= now).is_some()
    }

    /// Begins the next command if none is under way.
    pub(crate) fn begin_next(&mut self, now: Picoseconds) {
        if self.stage != Stage::Idle || self.hold_until.is_some_and(|until| now < until) {
            return;
        }
        self.current = self.queue.pop_front();
        if self.current.is_some() {
            self.stage = Stage::Command;
            self.tag = self.tag.wrapping_add(1);
            self.received.clear();
            self.sent = 0;
        }
    }

    pub(crate) fn want(&self, out: bool) -> Want {
        let Some(command) = &self.current else { return Want::Nothing };
        match (self.stage, command.direction, out) {
            (Stage::Command, _, true) | (Stage::Data, Direction::ToDevice, true) => Want::Out,
            (Stage::Data, Direction::FromDevice, false) | (Stage::Status | Stage::StatusAgain, _, false) => {
                Want::In
            }
            _ => Want::Nothing,
        }
    }

    pub(crate) fn outgoing(&self, data1: bool, max_packet_bytes: usize) -> Packet {
        match (&self.current, self.stage) {
            (Some(command), Stage::Command) => Packet::new(data1, &self.command_block(command)),
            (Some(command), Stage::Data) => {
                let rest = &command.data[self.sent..];
                Packet::new(data1, &rest[..rest.len().min(max_packet_bytes)])
            }
            _ => Packet::new(data1, &[]),
        }
    }

    fn command_block(&self, command: &Command) -> [u8; COMMAND_BYTES] {
        let mut block = [0; COMMAND_BYTES];
        block[0..4].copy_from_slice(&COMMAND_SIGNATURE.to_le_bytes());
        block[4..8].copy_from_slice(&self.tag.to_le_bytes());
        block[8..12].copy_from_slice(&command.length_bytes().to_le_bytes());
        block[12] = if command.direction == Direction::FromDevice { 0x80 } else { 0 };
        let cdb = command.descriptor_block();
        block[14] = cdb.len() as u8;
        block[15..15 + cdb.len()].copy_from_slice(cdb);
        block
    }

    /// The device acknowledged a packet of so many bytes.
    pub(crate) fn acknowledged(&mut self, bytes: usize) {
        let Some(command) = &self.current else { return };
        match self.stage {
            Stage::Command => {
                self.stage = if command.length_bytes() == 0 { Stage::Status } else { Stage::Data };
            }
            Stage::Data => {
                self.sent += bytes;
                if self.sent >= command.data.len() {
                    self.stage = Stage::Status;
                }
            }
            _ => {}
        }
    }

    /// The device sent a packet.
    pub(crate) fn received(&mut self, payload: &[u8], max_packet_bytes: usize, now: Picoseconds) -> Repair {
        let Some(command) = &self.current else { return Repair::None };
        match self.stage {
            Stage::Data => {
                self.received.extend_from_slice(payload);
                let asked = command.length_bytes() as usize;
                if self.received.len() > asked {
                    return self.recover(now);
                }
                if self.received.len() == asked || payload.len() < max_packet_bytes {
                    self.stage = Stage::Status;
                }
                Repair::None
            }
            Stage::Status | Stage::StatusAgain => self.take_status(payload, now),
            _ => Repair::None,
        }
    }

    fn take_status(&mut self, payload: &[u8], now: Picoseconds) -> Repair {
        let word = |at: usize| payload.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let valid =
            payload.len() == STATUS_BYTES && word(0) == Some(STATUS_SIGNATURE) && word(4) == Some(self.tag);
        match payload.get(12) {
            Some(&status @ 0..=1) if valid => {
                self.finish(status == 0, now);
                Repair::None
            }
            _ => self.recover(now),
        }
    }

    /// An endpoint stalled; it is cleared by now.
    pub(crate) fn stalled(&mut self, now: Picoseconds) -> Repair {
        match self.stage {
            Stage::Data => {
                self.stage = Stage::Status;
                Repair::None
            }
            Stage::Status => {
                self.stage = Stage::StatusAgain;
                Repair::None
            }
            Stage::Command | Stage::StatusAgain => self.recover(now),
            Stage::Idle | Stage::Recovery | Stage::Dead => Repair::None,
        }
    }

    fn recover(&mut self, now: Picoseconds) -> Repair {
        self.finish(false, now);
        self.recoveries += 1;
        if self.recoveries > MAX_RECOVERIES {
            self.stage = Stage::Dead;
            self.queue.clear();
            return Repair::None;
        }
        self.stage = Stage::Recovery;
        Repair::Reset
    }

    /// The transport was reset and its endpoints are clear.
    pub(crate) fn recovered(&mut self) {
        if self.stage == Stage::Recovery {
            self.stage = Stage::Idle;
        }
    }

    fn finish(&mut self, ok: bool, now: Picoseconds) {
        self.stage = Stage::Idle;
        let Some(command) = self.current.take() else { return };
        let then = self.script.finished(&command, ok, std::mem::take(&mut self.received), now);
        if let Some(pause) = then.pause {
            self.hold_until = Some(now + pause);
        }
        for command in then.commands.into_iter().rev() {
            self.queue.push_front(command);
        }
    }
}
