//! Files of packets: pcap and pcapng, told apart by their first bytes. What both have in common stands here: a packet, its time,
//! and how a file ends that was cut off.

use std::io::{self, Read};

use thiserror::Error;

use crate::link::Link;
use crate::{pcap, pcapng};

const PS_PER_NS: i64 = 1000;
pub(crate) const NS_PER_S: i128 = 1_000_000_000;
/// No recorder keeps more of a packet; Wireshark takes 128 MiB for the longest.
pub(crate) const MOST_BYTES: u32 = 128 << 20;
/// First bytes of gzip (RFC 1952, 2.3.1), xz (its file format, 2.1.1.1), zstd (RFC 8878, 3.1.1) and LZ4 (its frame format).
const COMPRESSED: [[u8; 4]; 4] =
    [[0x1f, 0x8b, 8, 0], [0xfd, b'7', b'z', b'X'], [0x28, 0xb5, 0x2f, 0xfd], [4, 0x22, 0x4d, 0x18]];
/// Gzip's fourth byte holds flags, which may be any.
const COMPRESSED_BYTES: usize = 3;

/// Why packets could not be read.
#[derive(Debug, Error)]
pub enum PacketsError {
    /// It is neither kind of file.
    #[error(
        "is no recording of packets: it has no header of pcap or pcapng; save it as pcapng in Wireshark, or by editcap"
    )]
    Unknown,
    /// It is one, perhaps, but within something else.
    #[error("is compressed; decompress it, and name the recording that was in it")]
    Compressed,
    /// All its packets have something in front that nobody looks behind.
    #[error(
        "has no packet whose IP can be found: its packets are of the link type {0}; record at Ethernet, loopback or \
         any interface of a computer"
    )]
    OtherLink(u16),
    /// The file cannot be read, or breaks its own rules.
    #[error("cannot be read behind packet {after}: {reason}")]
    Broken {
        /// How many packets were read.
        after: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A packet as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    /// From the first packet of the recording; below 0 where packets are not in order.
    pub at_ps: i64,
    /// What stands in front.
    pub link: Link,
    /// Its bytes, or the first of them.
    pub bytes: Vec<u8>,
}

/// Reads a recording; `each` takes every packet in the order of the file. A file that ends in the midst of a packet, as that of a
/// recorder which was stopped, gives what stands before.
///
/// # Errors
/// When the file is no recording, or is broken.
pub fn read(mut file: impl Read, mut each: impl FnMut(Packet)) -> Result<(), PacketsError> {
    let mut magic = [0; 4];
    file.read_exact(&mut magic).map_err(|_| PacketsError::Unknown)?;
    let (mut after, mut clock) = (0, Clock::default());
    let mut take = |nanoseconds: i128, link: Link, bytes: Vec<u8>| {
        after += 1;
        each(Packet { at_ps: clock.ps(nanoseconds), link, bytes });
    };
    let ended = if magic == pcapng::SECTION_HEADER {
        pcapng::read(file, &mut take)
    } else if let Some(kind) = pcap::Kind::of(magic) {
        pcap::read(file, kind, &mut take)
    } else {
        let is_compressed = |known: &[u8; 4]| magic.starts_with(&known[..COMPRESSED_BYTES]);
        return Err(if COMPRESSED.iter().any(is_compressed) {
            PacketsError::Compressed
        } else {
            PacketsError::Unknown
        });
    };
    match ended {
        Ok(()) | Err(Stop::CutOff) => Ok(()),
        Err(Stop::InHeader) => Err(PacketsError::Unknown),
        Err(Stop::Because(reason)) => Err(PacketsError::Broken { after, reason }),
    }
}

/// Why no further packet comes.
pub(crate) enum Stop {
    /// The file ends in the midst of something.
    CutOff,
    /// It ends in the header with which a recording begins.
    InHeader,
    /// It cannot be read, or breaks its own rules.
    Because(String),
}

impl Stop {
    /// The same, where the header was being read.
    pub(crate) fn in_header(self) -> Self {
        match self {
            Self::CutOff => Self::InHeader,
            other => other,
        }
    }

    pub(crate) fn because<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Because(reason.into()))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::CutOff,
            _ => Self::Because(error.to_string()),
        }
    }
}

/// The next bytes of a file, as many as are due. Memory grows only as far as bytes arrive.
pub(crate) fn bytes(file: &mut impl Read, count: u32) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    file.take(u64::from(count)).read_to_end(&mut bytes)?;
    if bytes.len() < count as usize { Err(Stop::CutOff) } else { Ok(bytes) }
}

/// The order of the bytes of numbers, which is that of the computer that recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
}

impl Order {
    /// The number at a place; nothing where there are too few bytes.
    pub(crate) fn u16(self, bytes: &[u8], at: usize) -> Option<u16> {
        let number = bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Big { u16::from_be_bytes(*number) } else { u16::from_le_bytes(*number) })
    }

    pub(crate) fn u32(self, bytes: &[u8], at: usize) -> Option<u32> {
        let number = bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Big { u32::from_be_bytes(*number) } else { u32::from_le_bytes(*number) })
    }

    pub(crate) fn u64(self, bytes: &[u8], at: usize) -> Option<u64> {
        let number = bytes.get(at..)?.first_chunk()?;
        Some(if self == Self::Big { u64::from_be_bytes(*number) } else { u64::from_le_bytes(*number) })
    }
}

/// Counts from the first packet, since picoseconds from 1970 have no room in 64 bits.
#[derive(Debug, Default)]
struct Clock {
    first_ns: Option<i128>,
}

impl Clock {
    fn ps(&mut self, nanoseconds: i128) -> i64 {
        // Half of what there is room for, so that differences of any two have room as well.
        const MOST_NS: i64 = i64::MAX / PS_PER_NS / 2;
        let since = nanoseconds - *self.first_ns.get_or_insert(nanoseconds);
        i64::try_from(since.clamp(i128::from(-MOST_NS), i128::from(MOST_NS))).unwrap_or(MOST_NS) * PS_PER_NS
    }
}
