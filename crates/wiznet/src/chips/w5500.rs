//! The W5500 (datasheet): 48-byte blocks of registers, chosen by block select bits. Its SPI frame: a 16-bit
//! offset, a control byte (block, write, operation mode), and data until chip select rises or, in the fixed length modes, one,
//! two or four bytes.

use units::{PS_PER_MS, PS_PER_US, Picoseconds};

use super::Model;
use super::facts::{CORE_CLOCK_HZ, ClockLimit, Facts, Filter, Flag, Protocols};
use crate::map::Kind::{ClearByOne, ReadOnly, ReadWrite};
use crate::map::{Common, Layout, Map, Register, SocketRegister, line, table};
use crate::spi::{AfterBurst, Frame, by_block};

/// Guaranteed; 80 MHz in theory (datasheet 5.5.4).
const HIGHEST_SCK_HZ: u64 = 33_300_000;
/// A third of 100 MHz, say, is what the figure is rounded from.
const ROUNDED_HZ: u64 = 100_000;

pub(super) static FACTS: Facts = Facts {
    model: Model::W5500,
    name: "w5500",
    help: "WIZnet W5500: Ethernet with a TCP/IP stack in hardware",
    highest_sck_hz: HIGHEST_SCK_HZ,
    clock_limits: &[
        ClockLimit {
            above_hz: 80_000_000,
            is_absolute: true,
            told: "the W5200 and W5500 are specified for SPI clocks up to 80 MHz",
        },
        ClockLimit {
            above_hz: HIGHEST_SCK_HZ + ROUNDED_HZ,
            is_absolute: false,
            told: "the W5200 and W5500 are guaranteed up to 33.3 MHz only",
        },
    ],
    frame: Frame {
        // As drivers' traces show; the datasheet draws the line as undefined.
        header_fillers: &[0x01, 0x02, 0x03],
        write_filler: 0x03,
        is_of_one_byte: false,
        // With chip select tied low (fixed data length mode) frames of fixed length follow each other without a pause.
        after_burst: AfterBurst::Header,
        open: by_block,
    },
    shortest_reset: Picoseconds::new(500 * PS_PER_US),
    lock_time: Picoseconds::new(PS_PER_MS),
    core_clock_hz: CORE_CLOCK_HZ,
    has_indirect_bus: false,
    shows_arp: false,
    asks_for_each_destination: false,
    phy_mode_waits_for_reset: false,
    mdio_data_is_low_byte_first: false,
    address_lock: None,
    wake_on_lan: &[Flag { register: Common::Mr, mask: 0x20 }],
    protocols: Protocols::OF_IPV4,
    // MR.FARP.
    force_arp: Flag::of(Common::Mr, 0x02),
    force_arp_of_socket: None,
    given_hardware_address: None,
    filter: Filter {
        strangers: Flag::of(SocketRegister::Mr, 0x80),
        broadcast: Flag::of(SocketRegister::Mr, 0x40),
        multicast: Flag::of(SocketRegister::Mr, 0x20),
        mac_filter_knows_ip: true,
        ipv6: Flag::of(SocketRegister::Mr, 0x10),
        datagrams_to_all: Flag::of(SocketRegister::Mr, 0x40),
        datagrams_to_one: Flag::of(SocketRegister::Mr, 0x10),
        ..Filter::NONE
    },
    map: MAP,
};

const MAP: Map = Map::of(table!(COMMON), table!(SOCKETS), 8, 0x4000, Layout::Blocks);

#[rustfmt::skip]
const COMMON: [Register<Common>; 22] = [
    line(Common::Mr, "MR", 0x00, 1, ReadWrite, 0),
    line(Common::Gar, "GAR", 0x01, 4, ReadWrite, 0),
    line(Common::Subr, "SUBR", 0x05, 4, ReadWrite, 0),
    line(Common::Shar, "SHAR", 0x09, 6, ReadWrite, 0),
    line(Common::Sipr, "SIPR", 0x0F, 4, ReadWrite, 0),
    line(Common::Intlevel, "INTLEVEL", 0x13, 2, ReadWrite, 0),
    line(Common::Ir, "IR", 0x15, 1, ClearByOne, 0),
    line(Common::Imr, "IMR", 0x16, 1, ReadWrite, 0),
    line(Common::Sir, "SIR", 0x17, 1, ReadOnly, 0),
    line(Common::Simr, "SIMR", 0x18, 1, ReadWrite, 0),
    line(Common::Rtr, "RTR", 0x19, 2, ReadWrite, 0x07D0),
    line(Common::Rcr, "RCR", 0x1B, 1, ReadWrite, 0x08),
    line(Common::Ptimer, "PTIMER", 0x1C, 1, ReadWrite, 0x28),
    line(Common::Pmagic, "PMAGIC", 0x1D, 1, ReadWrite, 0),
    line(Common::Phar, "PHAR", 0x1E, 6, ReadWrite, 0),
    line(Common::Psid, "PSID", 0x24, 2, ReadWrite, 0),
    line(Common::Pmru, "PMRU", 0x26, 2, ReadWrite, 0xFFFF),
    line(Common::Uipr, "UIPR", 0x28, 4, ReadOnly, 0),
    line(Common::Uportr, "UPORTR", 0x2C, 2, ReadOnly, 0),
    line(Common::Phycfgr, "PHYCFGR", 0x2E, 1, ReadWrite, 0xB8),
    // The datasheet has it as reserved; libogc2 (094b250, lwip/netif/w5500if.c) takes a chip for a W5500 that reads so.
    line(Common::Unnamed, "reserved", 0x37, 2, ReadOnly, 0x7825),
    line(Common::Versionr, "VERSIONR", 0x39, 1, ReadOnly, 0x04),
];

#[rustfmt::skip]
const SOCKETS: [Register<SocketRegister>; 23] = [
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
    line(SocketRegister::Kpalvtr, "Sn_KPALVTR", 0x2F, 1, ReadWrite, 0),
];
