//! A frame, and how long it is on a wire.

use std::fmt;

use units::Picoseconds;

/// A frame from its destination address to the end of its payload: no preamble, no check sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its check sequence is right; a receiver drops the frame otherwise.
    pub intact: bool,
}

impl Frame {
    /// An intact frame.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, intact: true }
    }
}

/// Bits a second on a wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speed {
    /// 10 Mbit/s.
    Mbps10,
    /// 100 Mbit/s.
    Mbps100,
    /// 1 Gbit/s, for PCs and switches.
    Mbps1000,
}

impl Speed {
    /// From the first bit of the preamble to the last bit of the check sequence of a frame of so many bytes; shorter ones are
    /// padded to 60 (IEEE 802.3 clause 3).
    pub fn frame_time(self, frame_bytes: usize) -> Picoseconds {
        const PREAMBLE_BYTES: i64 = 8;
        const CHECK_SEQUENCE_BYTES: i64 = 4;
        const SHORTEST_BYTES: usize = 60;
        let bytes = frame_bytes.max(SHORTEST_BYTES) as i64 + PREAMBLE_BYTES + CHECK_SEQUENCE_BYTES;
        Picoseconds::new(bytes * 8 * self.bit_time().ps())
    }

    /// The silence between two frames: 96 bits.
    pub fn gap(self) -> Picoseconds {
        Picoseconds::new(96 * self.bit_time().ps())
    }

    /// Bits a second.
    pub fn bits_per_second(self) -> u64 {
        match self {
            Self::Mbps10 => 10_000_000,
            Self::Mbps100 => 100_000_000,
            Self::Mbps1000 => 1_000_000_000,
        }
    }

    /// One bit.
    pub fn bit_time(self) -> Picoseconds {
        Picoseconds::from_ns(match self {
            Self::Mbps10 => 100,
            Self::Mbps100 => 10,
            Self::Mbps1000 => 1,
        })
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mbps10 => "10 Mbit/s",
            Self::Mbps100 => "100 Mbit/s",
            Self::Mbps1000 => "1 Gbit/s",
        })
    }
}
