//! What a chip says to its surroundings, and what is settable of it: plain data without behaviour.

use units::Picoseconds;

use crate::Model;

/// What is settable of a chip.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Options {
    /// Which chip.
    pub model: Model,
    /// Where its random numbers (initial sequence numbers, ports) start.
    pub seed: u64,
    /// From the end of reset (or the cable being plugged) to link; auto-negotiation.
    pub link_up_time: Picoseconds,
    /// How long a socket command takes before it has an effect.
    pub command_time: Picoseconds,
    /// How long the chip looks at a received frame before it has an effect.
    pub receive_time: Picoseconds,
    /// Whether SENDOK in TCP mode waits for the peer's acknowledgement, or comes with the last byte on the wire. The
    /// datasheets say no more than that SEND is completed.
    pub send_ok_waits_for_acknowledgement: bool,
}

impl Options {
    /// What the datasheet and measurements say of a chip.
    pub fn of(model: Model) -> Self {
        Self {
            model,
            seed: 1,
            link_up_time: Picoseconds::new(2_000 * units::PS_PER_MS),
            command_time: Picoseconds::from_ns(200),
            receive_time: Picoseconds::new(units::PS_PER_US),
            send_ok_waits_for_acknowledgement: false,
        }
    }
}

/// Bits a second on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Speed {
    /// 10 Mbit/s.
    Mbps10,
    /// 100 Mbit/s.
    Mbps100,
}

/// Whether both ends may send at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Duplex {
    /// In turn.
    Half,
    /// At once.
    Full,
}

/// What the other end of the cable offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LinkPartner {
    /// Its highest speed.
    pub speed: Speed,
    /// Its duplex.
    pub duplex: Duplex,
}

/// A frame that the chip sends.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Sent {
    /// When the first bit of its preamble is on the wire. Frames never overlap: gap and serialisation are kept.
    pub start: Picoseconds,
    /// From the destination address to the end of the payload, padded to 60 bytes, without the check sequence.
    pub bytes: Vec<u8>,
}

/// Something a user should know of how the chip is treated; each kind is told once.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Warning {
    /// When it was first seen.
    pub at: Picoseconds,
    /// In one sentence.
    pub sentence: String,
}

/// What the chip threw away, since it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Dropped {
    /// Received frames with a wrong check sequence.
    pub wrong_check_sequence: u64,
    /// Received frames shorter than 60 or longer than 1514 bytes.
    pub wrong_length: u64,
    /// Frames that arrived or were to be sent while there was no link.
    pub no_link: u64,
    /// Received frames or datagrams for which a buffer had no room.
    pub no_room: u64,
    /// IP fragments, which the chip does not put together.
    pub fragments: u64,
    /// Packets whose header or checksum was wrong.
    pub malformed: u64,
    /// Frames of the chip's own accord (ARP, ICMP, IGMP, RST) for which its transmit queue had no room.
    pub answers: u64,
    /// Frames that the chip sent and nobody took from it.
    pub untaken: u64,
    /// TCP segments that lay ahead of the next expected byte, which the chip does not store.
    pub out_of_order_segments: u64,
    /// TCP segments that reached beyond the free receive memory and were cut.
    pub segments_beyond_window: u64,
    /// TCP segments that brought nothing new, or that the status or their numbers made meaningless.
    pub useless_segments: u64,
}
