//! SPI as the chips speak it: one pure decoder, which asks the chip's facts what a header is, from bytes on MOSI to reads and
//! writes at addresses. A chip drives its registers with it; it serves as well to decode a recorded bus. Levels, clock modes
//! and the parallel buses are left out; a byte is the unit (all chips take MSB first, in mode 0 or 3).

use crate::Model;
use crate::chips::{Facts, by_model};

/// The SPI modes that the chips take: both sample at the rising edge (W5500 datasheet 2.1).
pub const MODES: [u8; 2] = [0b00, 0b11];

/// A run of data bytes that a header opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Burst {
    /// Whether the driver writes.
    pub write: bool,
    /// On the W5500 and W6100 the block select bits, else 0.
    pub block: u8,
    /// The address of the next data byte.
    pub address: u16,
    /// How many data bytes are to come; nothing when only chip select ends them.
    pub left: Option<u32>,
}

impl Burst {
    fn skip(&mut self, bytes: u32) {
        self.address = self.address.wrapping_add(bytes as u16);
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(bytes);
        }
    }

    fn is_over(&self) -> bool {
        self.left == Some(0)
    }
}

/// What one byte on MOSI was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Part of a header that is not complete yet.
    Header,
    /// The last byte of a header: data follow as told.
    Begin(Burst),
    /// A data byte that was read from an address.
    Read {
        /// On the W5500 and W6100 the block select bits, else 0.
        block: u8,
        /// Where it was read.
        address: u16,
    },
    /// A data byte to be written to an address.
    Write {
        /// On the W5500 and W6100 the block select bits, else 0.
        block: u8,
        /// Where it goes.
        address: u16,
    },
    /// Nothing that the chip takes notice of.
    Ignored,
}

/// What the chip puts on MISO while the next byte is clocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// A byte without meaning.
    Filler(u8),
    /// What stands at an address when the byte before has ended.
    Read {
        /// On the W5500 and W6100 the block select bits, else 0.
        block: u8,
        /// Where it stands.
        address: u16,
    },
}

/// No chip has a longer header than the W5200.
const LONGEST_HEADER: usize = 4;

/// How a chip is spoken to: a header, then data.
#[derive(Debug)]
pub(crate) struct Frame {
    /// What stands on MISO while a header passes, which has as many bytes.
    pub(crate) header_fillers: &'static [u8],
    /// What stands there while data are written.
    pub(crate) write_filler: u8,
    /// Whether a frame has one byte of data, so that several bytes take as many headers.
    pub(crate) is_of_one_byte: bool,
    pub(crate) after_burst: AfterBurst,
    /// What a header says; bytes that it does not have are zero.
    pub(crate) open: fn([u8; LONGEST_HEADER]) -> Opening,
}

impl Frame {
    pub(crate) fn header_bytes(&self) -> u32 {
        self.header_fillers.len() as u32
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Phase {
    Deselected,
    Header,
    Data(Burst),
    /// Until chip select rises.
    Deaf,
}

/// What follows when the last byte of a burst of known length has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterBurst {
    Header,
    Deaf,
}

/// A header that is complete.
pub(crate) enum Opening {
    Burst(Burst),
    Nonsense,
}

/// The decoder of one chip's frames.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Decoder {
    #[serde(with = "by_model")]
    facts: &'static Facts,
    phase: Phase,
    header: [u8; LONGEST_HEADER],
    header_bytes: usize,
}

impl Decoder {
    /// A decoder whose chip is not selected.
    pub fn new(model: Model) -> Self {
        Self { facts: model.facts(), phase: Phase::Deselected, header: [0; LONGEST_HEADER], header_bytes: 0 }
    }

    /// Chip select went low (true) or high. Either begins anew.
    pub fn select(&mut self, selected: bool) {
        self.header_bytes = 0;
        self.phase = if selected { Phase::Header } else { Phase::Deselected };
    }

    /// The burst under way.
    pub fn burst(&self) -> Option<Burst> {
        match self.phase {
            Phase::Data(burst) => Some(burst),
            _ => None,
        }
    }

    /// What the chip answers while the next byte is clocked.
    pub fn ahead(&self) -> Ahead {
        match self.phase {
            Phase::Data(Burst { write: false, block, address, .. }) => Ahead::Read { block, address },
            Phase::Data(_) => Ahead::Filler(self.facts.frame.write_filler),
            Phase::Header => Ahead::Filler(self.facts.frame.header_fillers[self.header_bytes]),
            Phase::Deselected | Phase::Deaf => Ahead::Filler(0),
        }
    }

    /// The next byte on MOSI.
    pub fn byte(&mut self, sent: u8) -> Step {
        match self.phase {
            Phase::Deselected | Phase::Deaf => Step::Ignored,
            Phase::Header => self.header_byte(sent),
            Phase::Data(burst) => {
                self.skip(1);
                let Burst { write, block, address, .. } = burst;
                if write { Step::Write { block, address } } else { Step::Read { block, address } }
            }
        }
    }

    /// Data bytes of the burst under way pass without a look at each.
    pub fn skip(&mut self, bytes: u32) {
        if let Phase::Data(burst) = &mut self.phase {
            burst.skip(bytes);
            if burst.is_over() {
                self.header_bytes = 0;
                self.phase = match self.facts.frame.after_burst {
                    AfterBurst::Header => Phase::Header,
                    AfterBurst::Deaf => Phase::Deaf,
                };
            }
        }
    }

    fn header_byte(&mut self, sent: u8) -> Step {
        self.header[self.header_bytes] = sent;
        self.header_bytes += 1;
        if self.header_bytes < self.facts.frame.header_fillers.len() {
            return Step::Header;
        }
        match (self.facts.frame.open)(self.header) {
            Opening::Burst(burst) => {
                self.phase = Phase::Data(burst);
                Step::Begin(burst)
            }
            Opening::Nonsense => {
                self.phase = Phase::Deaf;
                Step::Ignored
            }
        }
    }
}

/// A header of an operation code and a 16-bit address (W5100 and W5100S datasheets).
pub(crate) fn by_operation(header: [u8; LONGEST_HEADER], data_bytes: Option<u32>) -> Opening {
    const WRITE: u8 = 0xF0;
    const READ: u8 = 0x0F;
    let write = match header[0] {
        WRITE => true,
        READ => false,
        _ => return Opening::Nonsense,
    };
    Opening::Burst(Burst {
        write,
        block: 0,
        address: u16::from_be_bytes([header[1], header[2]]),
        left: data_bytes,
    })
}

/// A header of an offset and a control byte: block, direction, and in the fixed length modes how many bytes follow (W5500
/// datasheet 2.2; ioLibrary, w6100.c).
pub(crate) fn by_block(header: [u8; LONGEST_HEADER]) -> Opening {
    const WRITE_BIT: u8 = 0b100;
    let control = header[2];
    let left = match control & 0b11 {
        0b01 => Some(1),
        0b10 => Some(2),
        0b11 => Some(4),
        _ => None,
    };
    Opening::Burst(Burst {
        write: control & WRITE_BIT != 0,
        block: control >> 3,
        address: u16::from_be_bytes([header[0], header[1]]),
        left,
    })
}
