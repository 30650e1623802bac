//! What is known of a chip, in one table: its bus, its reset, its registers, and which bit of which register does what. Only
//! what differs between the chips stands here; what a register does is in `core`.

use units::Picoseconds;

use super::Model;
use super::modes::{Family, Mode};
use crate::map::{Common, Field, Map, Registers, SocketRegister};
use crate::spi::Frame;

/// Of the W5500 (datasheet, INTLEVEL).
pub(super) const CORE_CLOCK_HZ: u64 = 150_000_000;

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
    /// Of the clock that INTLEVEL counts.
    pub(crate) core_clock_hz: u64,
    /// Whether MR.IND selects the indirect parallel bus.
    pub(crate) has_indirect_bus: bool,
    /// Whether Sn_SR reads SOCK_ARP while ARP runs, for CONNECT and for SEND.
    pub(crate) shows_arp: bool,
    /// Whether ARP runs for each SEND whose Sn_DIPR is not that of the one before, be the next hop the same.
    pub(crate) asks_for_each_destination: bool,
    /// Whether PHYCR0 counts from the next reset of the PHY on, by PHYCR1.RST, and not at once.
    pub(crate) phy_mode_waits_for_reset: bool,
    /// Whether PHYDIR and PHYDOR have the low byte at the lower address, unlike all other registers.
    pub(crate) mdio_data_is_low_byte_first: bool,
    /// What keeps a driver from changing the chip's addresses.
    pub(crate) address_lock: Option<AddressLock>,
    /// What switches Wake-on-LAN on.
    pub(crate) wake_on_lan: &'static [Flag<Common>],
    /// What it speaks, and what of that a driver can see and switch.
    pub(crate) protocols: Protocols,
    /// Asks for the hardware address anew before each datagram.
    pub(crate) force_arp: Option<Flag<Common>>,
    /// The same, of a socket.
    pub(crate) force_arp_of_socket: Option<Flag<SocketRegister>>,
    /// Takes Sn_DHAR for the peer's hardware address, and asks for none.
    pub(crate) given_hardware_address: Option<Flag<SocketRegister>>,
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

    /// What a value of Sn_MR opens a socket in; nothing where it is none.
    pub(crate) fn mode(&self, register: u8) -> Option<Mode> {
        let code = register & 0x0F;
        self.protocols.modes.iter().find(|&&(known, _)| known == code).map(|&(_, mode)| mode)
    }
}

/// What a chip speaks, and what of that a driver can see and switch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Protocols {
    /// What the low bits of Sn_MR open a socket in.
    pub(crate) modes: &'static [(u8, Mode)],
    /// What stands before a datagram in a socket's RX memory.
    pub(crate) packet_info: PacketInfo,
    /// Has each segment with data carry PSH, and not only the last of a SEND; without the bit each does.
    pub(crate) force_push: Option<Flag<SocketRegister>>,
    /// What can be switched off that the chip does of its own accord.
    pub(crate) switches: Switches,
    /// Its bits of IR.
    pub(crate) alarms: Alarms,
    /// Its commands without a socket.
    pub(crate) errands: Errands,
}

impl Protocols {
    /// Those of the chips without IPv6.
    pub(super) const OF_IPV4: Self = Self {
        modes: Mode::OF_IPV4,
        packet_info: PacketInfo::AddressFirst,
        force_push: None,
        switches: Switches::OF_MR,
        alarms: Alarms { conflict: 0x80, unreachable: [0x40, 0] },
        errands: Errands { kinds: &[], timeout: 0, advertised: 0 },
    };
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
    /// Multicast, but for that of IPv6 where the MAC filter tells the two apart.
    pub(crate) multicast: Option<Flag<SocketRegister>>,
    pub(crate) multicast_ipv6: Option<Flag<SocketRegister>>,
    /// Whether neither blocks anything while frames to other hardware addresses are taken.
    pub(crate) multicast_needs_mac_filter: bool,
    /// Whether the MAC filter lets multicast through that is mapped from IP alone, and tells IPv4 and IPv6 apart by the address.
    /// Espressif's drivers say so of either chip (esp-eth-drivers 400336a, `add_mac_filter`), and that it was seen on a W5500.
    pub(crate) mac_filter_knows_ip: bool,
    pub(crate) ipv6: Option<Flag<SocketRegister>>,
    /// In UDP mode: broadcast.
    pub(crate) datagrams_to_all: Option<Flag<SocketRegister>>,
    /// In a multicast group: what is sent to the chip alone.
    pub(crate) datagrams_to_one: Option<Flag<SocketRegister>>,
    /// In UDP mode over IPv6: what is sent to the solicited-node address.
    pub(crate) datagrams_to_solicited: Option<Flag<SocketRegister>>,
}

impl Filter {
    pub(super) const NONE: Self = Self {
        strangers: None,
        broadcast: None,
        multicast: None,
        multicast_ipv6: None,
        multicast_needs_mac_filter: false,
        mac_filter_knows_ip: false,
        ipv6: None,
        datagrams_to_all: None,
        datagrams_to_one: None,
        datagrams_to_solicited: None,
    };
}

/// What can be switched off that the chip does of its own accord, for IPv4 and for IPv6.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switches {
    /// Answers to echo requests.
    pub(crate) ping_block: [Option<Flag<Common>>; 2],
    /// Answers to datagrams that no socket takes.
    pub(crate) unreachable_block: [Option<Flag<Common>>; 2],
    /// Answers to segments that no socket takes.
    pub(crate) reset_block: [Option<Flag<Common>>; 2],
    /// Everything that arrives.
    pub(crate) packet_block: [Option<Flag<Common>>; 2],
    /// PPPoE, which OPEN would need.
    pub(crate) pppoe: Option<Flag<Common>>,
    /// Has the interrupt output follow the interrupts; without it the output always does.
    pub(crate) interrupt_enable: Option<Flag<Common>>,
}

impl Switches {
    /// MR.PB and MR.PPPoE, which the older chips have.
    pub(super) const OF_MR: Self = Self {
        ping_block: [Flag::of(Common::Mr, 0x10), None],
        unreachable_block: [None; 2],
        reset_block: [None; 2],
        packet_block: [None; 2],
        pppoe: Flag::of(Common::Mr, 0x08),
        interrupt_enable: None,
    };
}

/// Bits of IR.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alarms {
    /// Another station has the own address.
    pub(crate) conflict: u8,
    /// A peer has no such port; for IPv4 and for IPv6.
    pub(crate) unreachable: [u8; 2],
}

/// The commands without a socket: bits of SLCR, and of SLIR when they are done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Errands {
    pub(crate) kinds: &'static [(u8, Errand)],
    /// The bit of SLIR when nobody has answered.
    pub(crate) timeout: u8,
    /// The bit of SLIR when a router has told of itself unasked.
    pub(crate) advertised: u8,
}

/// A command without a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Errand {
    /// Asks for a hardware address.
    Ask(Family),
    Ping(Family),
    /// Asks whether anybody has an address of IPv6 already.
    Duplicate,
    /// Asks routers to tell of themselves.
    Routers,
    /// Tells everybody the own hardware address. Nobody answers, so that it ends with a timeout (io6Library 7146c1c, wizchip_conf.h).
    Announce,
}

/// How a chip locks its addresses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AddressLock {
    /// They are free until NETLCKR is given the value.
    ShutBy(u8),
    /// They are locked until NETLCKR is given the value, and again by any other.
    OpenedBy(u8),
}

/// What stands before a datagram in a socket's RX memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PacketInfo {
    /// The address, in UDP mode the port, and how many bytes follow.
    AddressFirst,
    /// How many bytes follow, with the family and kind of the address in the upper bits; the address; in UDP mode the port.
    LengthFirst,
}
