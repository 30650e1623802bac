//! SPI as the four chips speak it: one pure decoder for each, from bytes on MOSI to reads and writes at addresses. A chip
//! drives its registers with it; it serves as well to decode a recorded bus. Levels, clock modes and the parallel buses are
//! left out; a byte is the unit (all four chips take MSB first, in mode 0 or 3).

mod clock;
mod w5100;
mod w5200;
mod w5500;

pub(crate) use clock::{ClockVerdict, judge_clock};

use crate::Model;

/// A run of data bytes that a header opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Burst {
    /// Whether the driver writes.
    pub write: bool,
    /// On the W5500 the block select bits, else 0.
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
        /// On the W5500 the block select bits, else 0.
        block: u8,
        /// Where it was read.
        address: u16,
    },
    /// A data byte to be written to an address.
    Write {
        /// On the W5500 the block select bits, else 0.
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
        /// On the W5500 the block select bits, else 0.
        block: u8,
        /// Where it stands.
        address: u16,
    },
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
enum AfterBurst {
    Header,
    Deaf,
}

/// A header that is complete.
enum Opening {
    Burst(Burst),
    Nonsense,
}

/// The decoder of one chip's frames.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Decoder {
    model: Model,
    phase: Phase,
    header: [u8; 4],
    header_bytes: usize,
}

impl Decoder {
    /// A decoder whose chip is not selected.
    pub fn new(model: Model) -> Self {
        Self { model, phase: Phase::Deselected, header: [0; 4], header_bytes: 0 }
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
            Phase::Data(_) => Ahead::Filler(self.write_filler()),
            Phase::Header => Ahead::Filler(self.header_fillers()[self.header_bytes]),
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
                self.phase = match self.after_burst() {
                    AfterBurst::Header => Phase::Header,
                    AfterBurst::Deaf => Phase::Deaf,
                };
            }
        }
    }

    fn header_byte(&mut self, sent: u8) -> Step {
        self.header[self.header_bytes] = sent;
        self.header_bytes += 1;
        if self.header_bytes < self.header_fillers().len() {
            return Step::Header;
        }
        match self.open() {
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

    fn open(&self) -> Opening {
        let [a, b, c, d] = self.header;
        match self.model {
            Model::W5100 => w5100::open([a, b, c], Some(1)),
            Model::W5100S => w5100::open([a, b, c], None),
            Model::W5200 => w5200::open([a, b, c, d]),
            Model::W5500 => w5500::open([a, b, c]),
        }
    }

    fn header_fillers(&self) -> &'static [u8] {
        match self.model {
            Model::W5100 | Model::W5100S => &w5100::HEADER_FILLERS,
            Model::W5200 => &w5200::HEADER_FILLERS,
            Model::W5500 => &w5500::HEADER_FILLERS,
        }
    }

    fn write_filler(&self) -> u8 {
        match self.model {
            Model::W5100 | Model::W5100S => w5100::WRITE_FILLER,
            Model::W5200 => w5200::WRITE_FILLER,
            Model::W5500 => w5500::WRITE_FILLER,
        }
    }

    fn after_burst(&self) -> AfterBurst {
        match self.model {
            Model::W5500 => w5500::AFTER_BURST,
            Model::W5100 | Model::W5100S | Model::W5200 => AfterBurst::Deaf,
        }
    }
}
