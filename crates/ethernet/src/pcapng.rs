//! Captures: what taps saw as a pcapng file, written as it comes. Wireshark shows the virtual time to the nanosecond, the
//! interface of each tapped cable, and who sent what to whom, with what impairments did, as a comment of each packet.
//!
//! Other sources may add interfaces of their own (registers on a bus, for example) on the same time axis.

use std::borrow::Cow;
use std::io::Write;
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::{DataLink, Endianness, PcapError};
use thiserror::Error;
use units::Picoseconds;

use crate::{Direction, Network, Tapped};

/// The link type of Ethernet (tcpdump.org, link-layer header types).
const ETHERNET: u16 = 1;
/// Ten to the power of minus this is the unit of time stamps (option if_tsresol).
const NANOSECONDS: u8 = 9;
/// Bits of the option epb_flags (draft-ietf-opsawg-pcapng, section 4.3.1).
const INBOUND: u32 = 1;
const OUTBOUND: u32 = 2;
const CRC_ERROR: u32 = 1 << 24;

/// A capture could not be written.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// What it is written to failed.
    #[error("{}", reason(.0))]
    Write(#[from] PcapError),
    /// A time stamp before 1970 has no place in the file.
    #[error("a capture has no room for {at}, which is before 1970 with its epoch")]
    BeforeEpoch {
        /// The virtual time.
        at: Picoseconds,
    },
}

impl From<std::io::Error> for CaptureError {
    fn from(error: std::io::Error) -> Self {
        Self::Write(PcapError::IoError(error))
    }
}

/// What the system said, where it was the system: the library has one sentence for all of that.
fn reason(error: &PcapError) -> String {
    match error {
        PcapError::IoError(said) => said.to_string(),
        other => other.to_string(),
    }
}

/// An interface of a capture.
#[derive(Debug, Clone)]
pub struct Interface<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub description: &'a str,
    /// A number of tcpdump.org's list of link-layer header types.
    pub link_type: u16,
    /// Its speed.
    pub bits_per_second: Option<u64>,
}

/// The number of an interface in its capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterfaceId(u32);

/// A packet for a capture.
#[derive(Debug, Clone)]
pub struct Packet<'a> {
    /// When.
    pub at: Picoseconds,
    /// Which way, where there is one.
    pub direction: Option<Direction>,
    /// Whether its check sequence is right.
    pub intact: bool,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// A comment; none where it is empty.
    pub comment: &'a str,
}

/// A capture that is being written.
pub struct Capture<W: Write> {
    writer: PcapNgWriter<W>,
    epoch: Duration,
    interfaces: u32,
    /// The interface of each tap.
    taps: Vec<InterfaceId>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture; virtual zero is `epoch` after 1970-01-01 UTC.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(writer: W, epoch: Duration) -> Result<Self, CaptureError> {
        let options = vec![SectionHeaderOption::UserApplication(Cow::Borrowed("Airwire"))];
        let section = SectionHeaderBlock { endianness: Endianness::Little, options, ..Default::default() };
        let writer = PcapNgWriter::with_section_header(writer, section)?;
        Ok(Self { writer, epoch, interfaces: 0, taps: Vec::new() })
    }

    /// Adds an interface.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add_interface(&mut self, interface: &Interface<'_>) -> Result<InterfaceId, CaptureError> {
        let mut options = vec![
            InterfaceDescriptionOption::IfName(Cow::Borrowed(interface.name)),
            InterfaceDescriptionOption::IfDescription(Cow::Borrowed(interface.description)),
            InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
        ];
        options.extend(interface.bits_per_second.map(InterfaceDescriptionOption::IfSpeed));
        let linktype = DataLink::from(u32::from(interface.link_type));
        self.writer.write_pcapng_block(InterfaceDescriptionBlock { linktype, snaplen: 0, options })?;
        self.interfaces += 1;
        Ok(InterfaceId(self.interfaces - 1))
    }

    /// Writes a packet. A part of a nanosecond is cut off.
    ///
    /// # Errors
    /// When it cannot be written, or is before 1970.
    pub fn write(&mut self, interface: InterfaceId, packet: &Packet<'_>) -> Result<(), CaptureError> {
        let since = packet.at.ps().div_euclid(units::PS_PER_NS);
        let offset = Duration::from_nanos(since.unsigned_abs());
        let timestamp =
            if since < 0 { self.epoch.checked_sub(offset) } else { self.epoch.checked_add(offset) };
        let timestamp = timestamp.ok_or(CaptureError::BeforeEpoch { at: packet.at })?;
        let direction = packet.direction.map_or(0, |direction| match direction {
            Direction::Inbound => INBOUND,
            Direction::Outbound => OUTBOUND,
        });
        let flags = direction | if packet.intact { 0 } else { CRC_ERROR };
        let mut options = vec![EnhancedPacketOption::Flags(flags)];
        if !packet.comment.is_empty() {
            options.push(EnhancedPacketOption::Comment(Cow::Borrowed(packet.comment)));
        }
        self.writer.write_pcapng_block(EnhancedPacketBlock {
            interface_id: interface.0,
            timestamp,
            original_len: u32::try_from(packet.bytes.len()).expect("a packet is shorter than 4 GiB"),
            data: Cow::Borrowed(packet.bytes),
            options,
        })?;
        Ok(())
    }

    /// Writes what the taps of a network saw since the last time; says how many frames.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn drain(&mut self, network: &mut Network) -> Result<u64, CaptureError> {
        for tap in network.taps().skip(self.taps.len()) {
            let tapped = network.tapped_names(tap).zip(network.tapped_speed(tap));
            let Some(((name, other), speed)) = tapped else { break };
            let description = format!("cable {name} - {other} at {speed}, seen at {name}");
            let interface = self.add_interface(&Interface {
                name,
                description: &description,
                link_type: ETHERNET,
                bits_per_second: Some(speed.bits_per_second()),
            })?;
            self.taps.push(interface);
        }
        let mut written = 0;
        while let Some(tapped) = network.take_tapped() {
            let comment = comment(network, &tapped);
            let Tapped { tap, at, direction, intact, bytes, .. } = &tapped;
            let packet =
                Packet { at: *at, direction: Some(*direction), intact: *intact, bytes, comment: &comment };
            // Frames that taps of a network before this one saw have no interface here.
            let Some(&interface) = self.taps.get(tap.0) else { continue };
            self.write(interface, &packet)?;
            written += 1;
        }
        Ok(written)
    }

    /// Hands over what was written to what it is written to, and that to the system.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), CaptureError> {
        self.writer.get_mut().flush().map_err(|error| CaptureError::Write(PcapError::IoError(error)))
    }

    /// What it is written to.
    pub fn get_mut(&mut self) -> &mut W {
        self.writer.get_mut()
    }

    /// Ends the capture.
    pub fn into_inner(self) -> W {
        self.writer.into_inner()
    }
}

/// Who sent it to whom, and what was done to it.
fn comment(network: &Network, tapped: &Tapped) -> String {
    let (name, other) = network.tapped_names(tapped.tap).unwrap_or_default();
    let way = match tapped.direction {
        Direction::Outbound => format!("{name} -> {other}"),
        Direction::Inbound => format!("{other} -> {name}"),
    };
    let words = tapped.marks.words().join("; ");
    if words.is_empty() { way } else { format!("{way}: {words}") }
}
