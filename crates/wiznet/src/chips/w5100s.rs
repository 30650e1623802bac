//! The W5100S (datasheet): the W5100's map, with a PHY that can be configured, locks, commands without a
//! socket, and a second mode register. Its SPI frame has the W5100's header and any number of data bytes.

use units::{PS_PER_NS, PS_PER_US, Picoseconds};

use super::Model;
use super::facts::{
    AddressLock, CORE_CLOCK_HZ, ClockLimit, Errand, Errands, Facts, Filter, Flag, Protocols, Switches,
};
use super::modes::Family;
use crate::map::Kind::{ClearByOne, ReadOnly, ReadWrite};
use crate::map::{Common, Layout, Map, Register, SocketRegister, line, table};
use crate::spi::{AfterBurst, Frame, Opening, by_operation};

/// Its datasheet.
const HIGHEST_SCK_HZ: u64 = 70_000_000;

pub(super) static FACTS: Facts = Facts {
    model: Model::W5100S,
    name: "w5100s",
    help: "WIZnet W5100S: Ethernet with a TCP/IP stack in hardware",
    highest_sck_hz: HIGHEST_SCK_HZ,
    clock_limits: &[ClockLimit {
        above_hz: HIGHEST_SCK_HZ,
        is_absolute: true,
        told: "the W5100S is specified for SPI clocks up to 70 MHz",
    }],
    frame: Frame {
        // As on the W5100.
        header_fillers: &[0x00, 0x01, 0x02],
        write_filler: 0x03,
        is_of_one_byte: false,
        after_burst: AfterBurst::Deaf,
        open,
    },
    shortest_reset: Picoseconds::new(580 * PS_PER_NS),
    lock_time: Picoseconds::new(60_300 * PS_PER_US),
    core_clock_hz: CORE_CLOCK_HZ,
    // MR has both bits of it from reset on, so that they say nothing where SPI is spoken.
    has_indirect_bus: false,
    shows_arp: false,
    asks_for_each_destination: false,
    phy_mode_waits_for_reset: false,
    mdio_data_is_low_byte_first: false,
    // The vendor's ioLibrary locks addresses with 0x3A and frees them with 0xC5.
    address_lock: Some(AddressLock::ShutBy(0x3A)),
    wake_on_lan: &[Flag { register: Common::Mr, mask: 0x20 }, Flag { register: Common::Mr2, mask: 0x08 }],
    protocols: PROTOCOLS,
    // MR2.FARP.
    force_arp: Flag::of(Common::Mr2, 0x02),
    force_arp_of_socket: None,
    given_hardware_address: None,
    filter: Filter {
        strangers: Flag::of(SocketRegister::Mr, 0x40),
        broadcast: Flag::of(SocketRegister::Mr2, 0x40),
        multicast: Flag::of(SocketRegister::Mr2, 0x20),
        ipv6: Flag::of(SocketRegister::Mr2, 0x10),
        datagrams_to_all: Flag::of(SocketRegister::Mr2, 0x02),
        datagrams_to_one: Flag::of(SocketRegister::Mr2, 0x01),
        ..Filter::NONE
    },
    map: MAP,
};

const PROTOCOLS: Protocols = Protocols {
    switches: Switches {
        // MR2.UDPURB, MR2.NOTCPRST, MR2.IEN.
        unreachable_block: [Flag::of(Common::Mr2, 0x10), None],
        reset_block: [Flag::of(Common::Mr2, 0x20), None],
        interrupt_enable: Flag::of(Common::Mr2, 0x40),
        ..Switches::OF_MR
    },
    errands: Errands {
        kinds: &[(0x01, Errand::Ping(Family::Ipv4)), (0x02, Errand::Ask(Family::Ipv4))],
        timeout: 0x04,
        advertised: 0,
    },
    ..Protocols::OF_IPV4
};

fn open(header: [u8; 4]) -> Opening {
    by_operation(header, None)
}

const MAP: Map = Map::of(
    table!(COMMON),
    table!(SOCKETS),
    4,
    0x2000,
    Layout::Flat { sockets: 0x0400, transmit: 0x4000, receive: 0x6000 },
);

#[rustfmt::skip]
const COMMON: [Register<Common>; 46] = [
    line(Common::Mr, "MR", 0x00, 1, ReadWrite, 0x03),
    line(Common::Gar, "GAR", 0x01, 4, ReadWrite, 0),
    line(Common::Subr, "SUBR", 0x05, 4, ReadWrite, 0),
    line(Common::Shar, "SHAR", 0x09, 6, ReadWrite, 0),
    line(Common::Sipr, "SIPR", 0x0F, 4, ReadWrite, 0),
    line(Common::Ir, "IR", 0x15, 1, ClearByOne, 0),
    line(Common::Imr, "IMR", 0x16, 1, ReadWrite, 0),
    line(Common::Rtr, "RTR", 0x17, 2, ReadWrite, 0x07D0),
    line(Common::Rcr, "RCR", 0x19, 1, ReadWrite, 0x08),
    line(Common::Rmsr, "RMSR", 0x1A, 1, ReadWrite, 0x55),
    line(Common::Tmsr, "TMSR", 0x1B, 1, ReadWrite, 0x55),
    line(Common::Ir2, "IR2", 0x20, 1, ClearByOne, 0),
    line(Common::Imr2, "IMR2", 0x21, 1, ReadWrite, 0),
    line(Common::Ptimer, "PTIMER", 0x28, 1, ReadWrite, 0x28),
    line(Common::Pmagic, "PMAGIC", 0x29, 1, ReadWrite, 0),
    line(Common::Uipr, "UIPR", 0x2A, 4, ReadOnly, 0),
    line(Common::Uportr, "UPORTR", 0x2E, 2, ReadOnly, 0),
    line(Common::Mr2, "MR2", 0x30, 1, ReadWrite, 0x40),
    line(Common::Phar, "PHAR", 0x32, 6, ReadWrite, 0),
    line(Common::Psid, "PSIDR", 0x38, 2, ReadWrite, 0),
    line(Common::Pmru, "PMRUR", 0x3A, 2, ReadWrite, 0xFFFF),
    line(Common::Physr, "PHYSR0", 0x3C, 1, ReadOnly, 0),
    // Calibration is done.
    line(Common::Physr1, "PHYSR1", 0x3D, 1, ReadOnly, 0x01),
    line(Common::Phyar, "PHYAR", 0x3E, 1, ReadOnly, 0x0A),
    line(Common::Phyrar, "PHYRAR", 0x3F, 1, ReadWrite, 0),
    line(Common::Phydir, "PHYDIR", 0x40, 2, ReadWrite, 0),
    line(Common::Phydor, "PHYDOR", 0x42, 2, ReadOnly, 0),
    line(Common::Phyacr, "PHYACR", 0x44, 1, ReadWrite, 0),
    line(Common::Phydivr, "PHYDIVR", 0x45, 1, ReadWrite, 0x01),
    line(Common::Phycr0, "PHYCR0", 0x46, 1, ReadWrite, 0),
    line(Common::Phycr1, "PHYCR1", 0x47, 1, ReadWrite, 0x41),
    line(Common::Slcr, "SLCR", 0x4C, 1, ReadWrite, 0),
    line(Common::Slrtr, "SLRTR", 0x4D, 2, ReadWrite, 0x07D0),
    line(Common::Slrcr, "SLRCR", 0x4F, 1, ReadWrite, 0x08),
    line(Common::Slpipr, "SLPIPR", 0x50, 4, ReadWrite, 0),
    line(Common::Slphar, "SLPHAR", 0x54, 6, ReadOnly, 0xFFFFFFFFFFFF),
    line(Common::Pingseqr, "PINGSEQR", 0x5A, 2, ReadWrite, 0),
    line(Common::Pingidr, "PINGIDR", 0x5C, 2, ReadWrite, 0),
    line(Common::Slimr, "SLIMR", 0x5E, 1, ReadWrite, 0),
    line(Common::Slir, "SLIR", 0x5F, 1, ClearByOne, 0),
    line(Common::Clklckr, "CLKLCKR", 0x70, 1, ReadWrite, 0),
    line(Common::Netlckr, "NETLCKR", 0x71, 1, ReadWrite, 0),
    line(Common::Phylckr, "PHYLCKR", 0x72, 1, ReadWrite, 0),
    line(Common::Versionr, "VERR", 0x80, 1, ReadOnly, 0x51),
    line(Common::Tcntr, "TCNTR", 0x82, 2, ReadOnly, 0),
    line(Common::Tcntclr, "TCNTCLR", 0x88, 1, ReadWrite, 0),
];

#[rustfmt::skip]
const SOCKETS: [Register<SocketRegister>; 26] = [
    line(SocketRegister::Mr, "Sn_MR", 0x00, 1, ReadWrite, 0),
    line(SocketRegister::Cr, "Sn_CR", 0x01, 1, ReadWrite, 0),
    line(SocketRegister::Ir, "Sn_IR", 0x02, 1, ClearByOne, 0),
    line(SocketRegister::Sr, "Sn_SR", 0x03, 1, ReadOnly, 0),
    line(SocketRegister::Port, "Sn_PORT", 0x04, 2, ReadWrite, 0),
    line(SocketRegister::Dhar, "Sn_DHAR", 0x06, 6, ReadWrite, 0xFFFFFFFFFFFF),
    line(SocketRegister::Dipr, "Sn_DIPR", 0x0C, 4, ReadWrite, 0),
    line(SocketRegister::Dport, "Sn_DPORT", 0x10, 2, ReadWrite, 0),
    line(SocketRegister::Mssr, "Sn_MSSR", 0x12, 2, ReadWrite, 0),
    line(SocketRegister::Proto, "Sn_PROTO", 0x14, 1, ReadWrite, 0),
    line(SocketRegister::Tos, "Sn_TOS", 0x15, 1, ReadWrite, 0),
    line(SocketRegister::Ttl, "Sn_TTL", 0x16, 1, ReadWrite, 0x80),
    line(SocketRegister::RxbufSize, "Sn_RXBUF_SIZE", 0x1E, 1, ReadWrite, 0x02),
    line(SocketRegister::TxbufSize, "Sn_TXBUF_SIZE", 0x1F, 1, ReadWrite, 0x02),
    line(SocketRegister::TxFsr, "Sn_TX_FSR", 0x20, 2, ReadOnly, 0x0800),
    line(SocketRegister::TxRd, "Sn_TX_RD", 0x22, 2, ReadOnly, 0),
    line(SocketRegister::TxWr, "Sn_TX_WR", 0x24, 2, ReadWrite, 0),
    line(SocketRegister::RxRsr, "Sn_RX_RSR", 0x26, 2, ReadOnly, 0),
    line(SocketRegister::RxRd, "Sn_RX_RD", 0x28, 2, ReadWrite, 0),
    line(SocketRegister::RxWr, "Sn_RX_WR", 0x2A, 2, ReadOnly, 0),
    line(SocketRegister::Imr, "Sn_IMR", 0x2C, 1, ReadWrite, 0xFF),
    line(SocketRegister::Frag, "Sn_FRAG", 0x2D, 2, ReadWrite, 0x4000),
    line(SocketRegister::Mr2, "Sn_MR2", 0x2F, 1, ReadWrite, 0),
    line(SocketRegister::Kpalvtr, "Sn_KPALVTR", 0x30, 1, ReadWrite, 0),
    line(SocketRegister::Rtr, "Sn_RTR", 0x32, 2, ReadWrite, 0),
    line(SocketRegister::Rcr, "Sn_RCR", 0x34, 1, ReadWrite, 0),
];
