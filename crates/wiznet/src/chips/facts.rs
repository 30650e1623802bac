//! What is known of a chip, in one table: its bus, its reset, its registers, and which bit of which register does what. Only
//! what differs between the chips stands here; what a register does is in `core`.

use units::Picoseconds;

use super::Model;
use crate::map::{Common, Field, Map, Registers, SocketRegister};
use crate::spi::Frame;

/// What is known of a chip.
#[derive(Debug)]
pub struct Facts {
    /// Whose facts they are.
    pub model: Model,
    /// The name of the chip in board files and commands.
    pub name: &'static str,
    /// What it is, in a line for people.
    pub help: &'static str,
    /// The highest SCK that the chip takes in every case.
    pub highest_sck_hz: u64,
    /// What a driver is told that clocks it faster, the highest limit first.
    pub(crate) clock_limits: &'static [ClockLimit],
    /// How it is spoken to on SPI.
    pub(crate) frame: Frame,
    /// How long the reset pin has to be low.
    pub(crate) shortest_reset: Picoseconds,
    /// From power-up, or the end of reset, to a stable clock: before that the chip does not answer.
    pub(crate) lock_time: Picoseconds,
    /// Whether MR.IND selects the indirect parallel bus.
    pub(crate) has_indirect_bus: bool,
    /// Whether Sn_SR reads SOCK_ARP while ARP runs, for CONNECT and for SEND.
    pub(crate) shows_arp: bool,
    /// Whether ARP runs for each SEND whose Sn_DIPR is not that of the one before, be the next hop the same.
    pub(crate) asks_for_each_destination: bool,
    /// What switches Wake-on-LAN on.
    pub(crate) wake_on_lan: &'static [Flag<Common>],
    /// Asks for the hardware address anew before each datagram.
    pub(crate) force_arp: Option<Flag<Common>>,
    /// What a socket can be told not to take.
    pub(crate) filter: Filter,
    /// Its registers and memories.
    pub(crate) map: Map,
}

impl Facts {
    /// How many bytes of headers go over SPI with so many bytes of data in one access.
    pub fn header_bytes(&self, data_bytes: u32) -> u32 {
        self.frame.header_bytes() * if self.frame.is_of_one_byte { data_bytes } else { 1 }
    }
}

/// An SPI clock above which a datasheet says something else.
#[derive(Debug)]
pub(crate) struct ClockLimit {
    pub(crate) above_hz: u64,
    /// Whether nothing faster is told of at all, or only nothing faster is promised.
    pub(crate) is_absolute: bool,
    pub(crate) told: &'static str,
}

/// Bits of a register that switch something on together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag<F> {
    pub(crate) register: F,
    pub(crate) mask: u8,
}

impl<F> Flag<F> {
    pub(super) const fn of(register: F, mask: u8) -> Option<Self> {
        Some(Self { register, mask })
    }
}

/// Whether a flag is set; one that the chip does not have never is.
pub(crate) fn is_set<F: Field, const COUNT: usize>(
    flag: Option<Flag<F>>,
    registers: &Registers<COUNT>,
) -> bool {
    flag.is_some_and(|flag| registers.u8(flag.register) & flag.mask != 0)
}

/// What a socket can be told not to take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filter {
    /// In MACRAW mode: frames to other hardware addresses.
    pub(crate) strangers: Option<Flag<SocketRegister>>,
    pub(crate) broadcast: Option<Flag<SocketRegister>>,
    pub(crate) multicast: Option<Flag<SocketRegister>>,
    pub(crate) ipv6: Option<Flag<SocketRegister>>,
    /// In UDP mode: broadcast.
    pub(crate) datagrams_to_all: Option<Flag<SocketRegister>>,
    /// In a multicast group: what is sent to the chip alone.
    pub(crate) datagrams_to_one: Option<Flag<SocketRegister>>,
}
