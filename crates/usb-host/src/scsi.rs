//! The SCSI commands of a disk (SPC-4, SBC-3): the script that runs when one appears, and what the answers mean. How
//! commands travel is in msc.rs.

use units::{PS_PER_MS, Picoseconds};

use crate::msc::{MassStorageReport, Sectors};

const TEST_UNIT_READY: u8 = 0x00;
const REQUEST_SENSE: u8 = 0x03;
const INQUIRY: u8 = 0x12;
const MODE_SENSE_6: u8 = 0x1a;
const READ_CAPACITY_10: u8 = 0x25;
const READ_10: u8 = 0x28;
const WRITE_10: u8 = 0x2a;

const INQUIRY_BYTES: u32 = 36;
const SENSE_BYTES: u32 = 18;
const CAPACITY_BYTES: u32 = 8;
const MODE_BYTES: u32 = 192;
const ALL_MODE_PAGES: u8 = 0x3f;
/// Linux reads a page of memory at the start of a disk to look for partitions.
const FIRST_READ_BYTES: u32 = 4096;
/// A disk that is not ready is asked again so often in quick succession, and then every two seconds, as Linux polls
/// removable media.
const MAX_QUICK_TRIES: u32 = 5;
const QUICK_PAUSE: Picoseconds = Picoseconds::new(10 * PS_PER_MS);
const SLOW_PAUSE: Picoseconds = Picoseconds::new(2_000 * PS_PER_MS);
/// The longest single read or write.
pub(crate) const MAX_SECTORS: u16 = 256;
/// The largest block of any disk, so that lengths stay sensible.
const MAX_BLOCK_BYTES: u32 = 4096;
const DEFAULT_BLOCK_BYTES: u32 = 512;
/// Results that nobody took; the oldest go first.
const MAX_RESULTS: usize = 1024;

/// Which way the data of a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Direction {
    ToDevice,
    FromDevice,
}

/// What a command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Kind {
    Inquiry,
    TestUnitReady,
    Sense,
    Capacity,
    ModeSense,
    /// The read that looks for partitions.
    FirstRead,
    Read(u32),
    Write(u32),
}

/// A command with its data.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Command {
    kind: Kind,
    cdb: [u8; 10],
    cdb_bytes: usize,
    pub(crate) direction: Direction,
    expected_bytes: u32,
    pub(crate) data: Vec<u8>,
}

impl Command {
    fn asking(kind: Kind, cdb: &[u8], expected_bytes: u32) -> Self {
        let mut command = Self {
            kind,
            cdb: [0; 10],
            cdb_bytes: cdb.len(),
            direction: Direction::FromDevice,
            expected_bytes,
            data: Vec::new(),
        };
        command.cdb[..cdb.len()].copy_from_slice(cdb);
        command
    }

    fn transfer(kind: Kind, operation: u8, first: u32, sectors: u16, bytes: u32) -> Self {
        let ([f0, f1, f2, f3], [s0, s1]) = (first.to_be_bytes(), sectors.to_be_bytes());
        Self::asking(kind, &[operation, 0, f0, f1, f2, f3, 0, s0, s1, 0], bytes)
    }

    fn inquiry() -> Self {
        Self::asking(Kind::Inquiry, &[INQUIRY, 0, 0, 0, INQUIRY_BYTES as u8, 0], INQUIRY_BYTES)
    }

    fn test_unit_ready() -> Self {
        Self::asking(Kind::TestUnitReady, &[TEST_UNIT_READY, 0, 0, 0, 0, 0], 0)
    }

    fn sense() -> Self {
        Self::asking(Kind::Sense, &[REQUEST_SENSE, 0, 0, 0, SENSE_BYTES as u8, 0], SENSE_BYTES)
    }

    fn capacity() -> Self {
        Self::asking(Kind::Capacity, &[READ_CAPACITY_10, 0, 0, 0, 0, 0, 0, 0, 0, 0], CAPACITY_BYTES)
    }

    fn mode_sense() -> Self {
        Self::asking(Kind::ModeSense, &[MODE_SENSE_6, 0, ALL_MODE_PAGES, 0, MODE_BYTES as u8, 0], MODE_BYTES)
    }

    pub(crate) fn descriptor_block(&self) -> &[u8] {
        &self.cdb[..self.cdb_bytes]
    }

    pub(crate) fn length_bytes(&self) -> u32 {
        if self.data.is_empty() { self.expected_bytes } else { self.data.len() as u32 }
    }
}

/// What follows a command.
#[derive(Debug, Default)]
pub(crate) struct Then {
    pub(crate) commands: Vec<Command>,
    pub(crate) pause: Option<Picoseconds>,
}

impl From<Command> for Then {
    fn from(command: Command) -> Self {
        Self { commands: vec![command], pause: None }
    }
}

/// What is known of a disk, and what was read from it.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Script {
    pub(crate) report: MassStorageReport,
    pub(crate) results: Vec<Sectors>,
    not_ready: u32,
}

impl Script {
    /// The command that a disk gets first.
    pub(crate) fn first() -> Command {
        Command::inquiry()
    }

    /// Reads sectors; no more than 256.
    pub(crate) fn read(&self, first: u32, sectors: u16) -> Command {
        let sectors = sectors.clamp(1, MAX_SECTORS);
        Command::transfer(Kind::Read(first), READ_10, first, sectors, u32::from(sectors) * self.block_bytes())
    }

    /// Writes sectors; no more than 256, and the last is filled up with zeros.
    pub(crate) fn write(&self, first: u32, data: &[u8]) -> Command {
        let block = self.block_bytes() as usize;
        let sectors = data.len().div_ceil(block).clamp(1, usize::from(MAX_SECTORS));
        let mut command = Command::transfer(Kind::Write(first), WRITE_10, first, sectors as u16, 0);
        command.direction = Direction::ToDevice;
        command.data = data[..data.len().min(sectors * block)].to_vec();
        command.data.resize(sectors * block, 0);
        command
    }

    fn block_bytes(&self) -> u32 {
        match self.report.block_bytes {
            0 => DEFAULT_BLOCK_BYTES,
            bytes => bytes.min(MAX_BLOCK_BYTES),
        }
    }

    /// A command is over; what comes next.
    pub(crate) fn finished(&mut self, command: &Command, ok: bool, data: Vec<u8>, at: Picoseconds) -> Then {
        let next = match (command.kind, ok) {
            (Kind::Inquiry, _) => {
                self.report.name = [8..16, 16..32, 32..36].map(|range| text(data.get(range)));
                Command::test_unit_ready().into()
            }
            (Kind::TestUnitReady, true) => Command::capacity().into(),
            (Kind::TestUnitReady, false) => self.not_ready(),
            (Kind::Capacity, true) => {
                self.take_capacity(&data);
                Command::mode_sense().into()
            }
            (Kind::Capacity, false) => Command::mode_sense().into(),
            (Kind::ModeSense, _) => {
                self.report.write_protected = ok && data.get(2).is_some_and(|flags| flags & 0x80 != 0);
                self.first_read()
            }
            (Kind::FirstRead, _) => {
                self.report.ready = true;
                Then::default()
            }
            (Kind::Read(first), _) => self.keep(Sectors { at, first, data, written: false, ok }),
            (Kind::Write(first), _) => self.keep(Sectors { at, first, data: Vec::new(), written: true, ok }),
            (Kind::Sense, _) => Then::default(),
        };
        match command.kind {
            // The device remembers why a command failed until it is asked (SPC-4 6.39).
            Kind::Sense | Kind::TestUnitReady => next,
            _ if ok => next,
            _ => Then { commands: [vec![Command::sense()], next.commands].concat(), ..next },
        }
    }

    fn not_ready(&mut self) -> Then {
        self.not_ready = self.not_ready.saturating_add(1);
        let pause = if self.not_ready < MAX_QUICK_TRIES { QUICK_PAUSE } else { SLOW_PAUSE };
        Then { commands: vec![Command::sense(), Command::test_unit_ready()], pause: Some(pause) }
    }

    fn take_capacity(&mut self, data: &[u8]) {
        if let [l0, l1, l2, l3, b0, b1, b2, b3, ..] = *data {
            self.report.blocks = u32::from_be_bytes([l0, l1, l2, l3]).saturating_add(1);
            self.report.block_bytes = u32::from_be_bytes([b0, b1, b2, b3]);
        }
    }

    fn first_read(&mut self) -> Then {
        let block = self.block_bytes();
        let sectors = (FIRST_READ_BYTES / block).min(self.report.blocks);
        if sectors == 0 {
            self.report.ready = true;
            return Then::default();
        }
        Command::transfer(Kind::FirstRead, READ_10, 0, sectors as u16, sectors * block).into()
    }

    fn keep(&mut self, sectors: Sectors) -> Then {
        if self.results.len() == MAX_RESULTS {
            self.results.remove(0);
        }
        self.results.push(sectors);
        Then::default()
    }
}

fn text(bytes: Option<&[u8]>) -> String {
    bytes.map(|bytes| String::from_utf8_lossy(bytes).trim().to_string()).unwrap_or_default()
}
