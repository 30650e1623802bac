//! The chip as its surroundings see it: SPI, two pins, a cable.

use units::Picoseconds;

/// Which chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// Four sockets, 16 KiB, one byte for each SPI transaction.
    W5100,
    /// Four sockets, 16 KiB, bursts.
    W5100S,
    /// Eight sockets, 32 KiB, bursts with a length.
    W5200,
    /// Eight sockets, 32 KiB, bursts with a control byte.
    W5500,
}

/// What is settable of a chip.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which chip.
    pub model: Model,
    /// Where its random numbers (initial sequence numbers, ports) start.
    pub seed: u64,
    /// From the end of reset (or the cable being plugged) to link; auto-negotiation.
    pub link_up_time: Picoseconds,
    /// How long a socket command takes before it has an effect.
    pub command_time: Picoseconds,
}

impl Options {
    /// What the datasheet and measurements say of a chip.
    pub fn of(model: Model) -> Self {
        Self {
            model,
            seed: 1,
            link_up_time: Picoseconds::new(2_000 * units::PS_PER_MS),
            command_time: Picoseconds::new(2 * units::PS_PER_US),
        }
    }
}

/// Bits a second on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speed {
    /// 10 Mbit/s.
    Mbps10,
    /// 100 Mbit/s.
    Mbps100,
}

/// Whether both ends may send at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplex {
    /// In turn.
    Half,
    /// At once.
    Full,
}

/// What the other end of the cable offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkPartner {
    /// Its highest speed.
    pub speed: Speed,
    /// Its duplex.
    pub duplex: Duplex,
}

/// A frame that the chip sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// When the first bit of its preamble is on the wire. Frames never overlap: gap and serialisation are kept.
    pub start: Picoseconds,
    /// From the destination address to the end of the payload, padded to 60 bytes, without the check sequence.
    pub bytes: Vec<u8>,
}

/// One access over SPI, as a person would read it: what was read or written, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The first bit of the transaction (or of this part of it).
    pub start: Picoseconds,
    /// The end of its last bit.
    pub end: Picoseconds,
    /// Whether the driver wrote.
    pub write: bool,
    /// The first address, as the chip's datasheet counts (on the W5500 the offset in its block).
    pub address: u16,
    /// On the W5500 the block select bits, else 0.
    pub block: u8,
    /// The data bytes that moved (at most the first 64 are kept).
    pub data: Vec<u8>,
    /// How many data bytes moved.
    pub bytes: u32,
    /// In words: `Sn_CR of socket 0: SEND`, `TX buffer of socket 0`.
    pub meaning: String,
}

/// Something a user should know of how the chip is treated; each kind is told once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// When it was first seen.
    pub at: Picoseconds,
    /// In one sentence.
    pub sentence: String,
}

/// A chip.
#[derive(Debug, Clone)]
pub struct Chip {
    options: Options,
}

impl Chip {
    /// A chip that is powered up at time zero, without a cable.
    pub fn new(options: Options) -> Self {
        Self { options }
    }

    /// Which chip it is.
    pub fn model(&self) -> Model {
        self.options.model
    }

    /// Its chip select went low (true) or high.
    pub fn select(&mut self, at: Picoseconds, selected: bool) {
        let _ = (at, selected);
    }

    /// A byte went over SPI: its last bit is on the wire at `at`. The answer was decided when the byte before ended, as
    /// on the chip, whose first bit stands on MISO before the clock begins.
    pub fn spi_byte(&mut self, at: Picoseconds, sent: u8, clock_hz: u64) -> u8 {
        let _ = (at, sent, clock_hz);
        0
    }

    /// The answer to the next byte, whose first bit stands on MISO.
    pub fn next_answer(&self) -> u8 {
        0
    }

    /// Bytes back to back, the first of which begins at `start`, in place: what was sent goes in, what was received comes
    /// out. The same as that many [`Self::spi_byte`], except that nothing else may happen in between.
    pub fn spi_burst(&mut self, start: Picoseconds, bytes: &mut [u8], clock_hz: u64) {
        let _ = (start, bytes, clock_hz);
    }

    /// The level of its reset input.
    pub fn set_reset(&mut self, at: Picoseconds, high: bool) {
        let _ = (at, high);
    }

    /// The level of its interrupt output: low while an interrupt stands.
    pub fn interrupt_is_low(&self) -> bool {
        false
    }

    /// A cable is plugged in, or pulled.
    pub fn set_cable(&mut self, at: Picoseconds, partner: Option<LinkPartner>) {
        let _ = (at, partner);
    }

    /// Whether there is a link, and how fast.
    pub fn link(&self) -> Option<LinkPartner> {
        None
    }

    /// A whole frame arrived: its last bit is in at `at`. Frames with a wrong check sequence are told apart, as the MAC
    /// counts and drops them.
    pub fn receive(&mut self, at: Picoseconds, bytes: &[u8], check_sequence_is_right: bool) {
        let _ = (at, bytes, check_sequence_is_right);
    }

    /// When something happens in the chip of its own accord.
    pub fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    /// Lets everything happen that is due up to and including `at`.
    pub fn advance(&mut self, at: Picoseconds) {
        let _ = at;
    }

    /// The next frame for the wire; its start may lie ahead of the present, never behind what was handed out before.
    pub fn take_sent(&mut self) -> Option<Sent> {
        None
    }

    /// Keeps accesses from here on, or no more.
    pub fn record(&mut self, on: bool) {
        let _ = on;
    }

    /// The accesses since the last call.
    pub fn take_accesses(&mut self) -> Vec<Access> {
        Vec::new()
    }

    /// The warnings since the last call.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        Vec::new()
    }
}
