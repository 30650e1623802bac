//! Files of packets: pcap and pcapng, told apart by their first bytes.

use std::io::Read;

use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError};
use thiserror::Error;

/// The block type of a pcapng section header (draft-ietf-opsawg-pcapng, 4.1).
const SECTION_HEADER: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const PS_PER_NS: i64 = 1000;
const NS_PER_S: u128 = 1_000_000_000;
/// Without the option if_tsresol an interface counts microseconds (draft-ietf-opsawg-pcapng, 4.2).
const MICROSECONDS: u8 = 6;

/// Why packets could not be read.
#[derive(Debug, Error)]
pub enum PacketsError {
    /// It is neither kind of file.
    #[error("is no recording of packets: it begins as neither pcap nor pcapng")]
    Unknown,
    /// The file cannot be read, or breaks its own rules.
    #[error("cannot be read behind packet {after}: {reason}")]
    Broken {
        /// How many packets were read.
        after: usize,
        /// What is wrong.
        reason: String,
    },
}

/// What stands in front of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Ethernet, with or without VLAN tags.
    Ethernet,
    /// IP without anything in front.
    Raw,
    /// Four bytes of an address family.
    Null,
    /// What Linux gives of all interfaces at once (SLL).
    Cooked,
    /// The same, version 2.
    Cooked2,
    /// Anything else.
    Other,
}

impl Link {
    fn of(link: DataLink) -> Self {
        match link {
            DataLink::ETHERNET => Self::Ethernet,
            DataLink::RAW | DataLink::IPV4 => Self::Raw,
            DataLink::NULL | DataLink::LOOP => Self::Null,
            DataLink::LINUX_SLL => Self::Cooked,
            DataLink::LINUX_SLL2 => Self::Cooked2,
            _ => Self::Other,
        }
    }
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
    let whole = magic.chain(file);
    if magic == SECTION_HEADER { read_pcapng(whole, &mut each) } else { read_pcap(whole, &mut each) }
}

fn read_pcap(file: impl Read, each: &mut impl FnMut(Packet)) -> Result<(), PacketsError> {
    let mut reader = PcapReader::new(file).map_err(|_| PacketsError::Unknown)?;
    let link = Link::of(reader.header().datalink);
    let (mut after, mut clock) = (0, Clock::default());
    while let Some(packet) = reader.next_packet() {
        let packet = match packet {
            Ok(packet) => packet,
            Err(error) => return ended(&error, after),
        };
        after += 1;
        let at_ps = clock.ps(packet.timestamp.as_nanos());
        each(Packet { at_ps, link, bytes: packet.data.into_owned() });
    }
    Ok(())
}

fn read_pcapng(file: impl Read, each: &mut impl FnMut(Packet)) -> Result<(), PacketsError> {
    let mut reader = PcapNgReader::new(file).map_err(|_| PacketsError::Unknown)?;
    let (mut interfaces, mut after): (Vec<(Link, u8)>, usize) = (Vec::new(), 0);
    let mut clock = Clock::default();
    loop {
        let (number, ticks, bytes) = match reader.next_block() {
            None => return Ok(()),
            Some(Err(error)) => return ended(&error, after),
            Some(Ok(Block::SectionHeader(_))) => {
                interfaces.clear();
                continue;
            }
            Some(Ok(Block::InterfaceDescription(interface))) => {
                interfaces.push((Link::of(interface.linktype), resolution(&interface)));
                continue;
            }
            // The reader takes ticks for nanoseconds, whatever the interface says.
            Some(Ok(Block::EnhancedPacket(packet))) => {
                (packet.interface_id, packet.timestamp.as_nanos(), packet.data.into_owned())
            }
            Some(Ok(_)) => continue,
        };
        after += 1;
        if let Some((link, resolution)) = interfaces.get(number as usize) {
            each(Packet { at_ps: clock.ps(nanoseconds(ticks, *resolution)), link: *link, bytes });
        }
    }
}

/// A recording that was cut off is one; anything else is broken.
fn ended(error: &PcapError, after: usize) -> Result<(), PacketsError> {
    match error {
        PcapError::IncompleteBuffer => Ok(()),
        PcapError::IoError(reason) if reason.kind() == std::io::ErrorKind::UnexpectedEof => Ok(()),
        other => Err(PacketsError::Broken { after, reason: other.to_string() }),
    }
}

fn resolution(interface: &InterfaceDescriptionBlock<'_>) -> u8 {
    let told = interface.options.iter().find_map(|option| match option {
        InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
        _ => None,
    });
    told.unwrap_or(MICROSECONDS)
}

/// Ticks of a resolution: a negative power of two where the highest bit is set, else of ten.
fn nanoseconds(ticks: u128, resolution: u8) -> u128 {
    let power = u32::from(resolution & 0x7f);
    let per_second =
        if resolution & 0x80 == 0 { 10_u128.checked_pow(power) } else { 2_u128.checked_pow(power) };
    per_second.map_or(0, |per_second| ticks.saturating_mul(NS_PER_S) / per_second)
}

/// Counts from the first packet, since picoseconds from 1970 have no room in 64 bits.
#[derive(Debug, Default)]
struct Clock {
    first_ns: Option<u128>,
}

impl Clock {
    fn ps(&mut self, nanoseconds: u128) -> i64 {
        let first = *self.first_ns.get_or_insert(nanoseconds);
        let (since, sign) =
            if nanoseconds < first { (first - nanoseconds, -1) } else { (nanoseconds - first, 1) };
        // Half of what there is room for, so that differences of any two have room as well.
        i64::try_from(since).unwrap_or(i64::MAX).min(i64::MAX / PS_PER_NS / 2) * PS_PER_NS * sign
    }
}
