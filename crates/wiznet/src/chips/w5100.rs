//! The W5100 (datasheet): one address space, sockets from 0x0400, memories from 0x4000 and 0x6000. Its IR
//! and IMR hold the sockets' bits too. Each byte of data has an SPI frame of its own: an operation code, a 16-bit address, the
//! byte.

use units::{PS_PER_MS, PS_PER_S, PS_PER_US, Picoseconds};

use super::Model;
use super::facts::{CORE_CLOCK_HZ, ClockLimit, Facts, Filter, Flag, Protocols};
use crate::map::Kind::{ClearByOne, ReadOnly, ReadWrite};
use crate::map::{Common, Layout, Map, Register, SocketRegister, line, table};
use crate::spi::{AfterBurst, Frame, Opening, by_operation};

/// A cycle of SCK takes 70 ns at least (datasheet, SPI timing); Linux' devicetree binding `wiznet,w5x00` rounds that down to
/// 14 MHz.
const HIGHEST_SCK_HZ: u64 = (PS_PER_S / 70_000) as u64;

pub(super) static FACTS: Facts = Facts {
    model: Model::W5100,
    name: "w5100",
    help: "WIZnet W5100: Ethernet with a TCP/IP stack in hardware",
    highest_sck_hz: HIGHEST_SCK_HZ,
    clock_limits: &[ClockLimit {
        above_hz: HIGHEST_SCK_HZ,
        is_absolute: true,
        told: "the W5100 is specified for SPI clocks up to 14.3 MHz",
    }],
    frame: Frame {
        // The chip counts the bytes that it has taken (datasheet, SPI).
        header_fillers: &[0x00, 0x01, 0x02],
        write_filler: 0x03,
        is_of_one_byte: true,
        after_burst: AfterBurst::Deaf,
        open,
    },
    shortest_reset: Picoseconds::new(2 * PS_PER_US),
    lock_time: Picoseconds::new(10 * PS_PER_MS),
    core_clock_hz: CORE_CLOCK_HZ,
    has_indirect_bus: true,
    // As the W5200's datasheet has it of its successor.
    shows_arp: true,
    asks_for_each_destination: true,
    phy_mode_waits_for_reset: false,
    mdio_data_is_low_byte_first: false,
    address_lock: None,
    wake_on_lan: &[],
    protocols: Protocols::OF_IPV4,
    force_arp: None,
    force_arp_of_socket: None,
    given_hardware_address: None,
    filter: Filter { strangers: MAC_FILTER, multicast: MAC_FILTER, ..Filter::NONE },
    map: MAP,
};

/// Sn_MR.MF, which leaves broadcast and the own address only: multicast cannot be blocked by itself.
const MAC_FILTER: Option<Flag<SocketRegister>> = Flag::of(SocketRegister::Mr, 0x40);

fn open(header: [u8; 4]) -> Opening {
    by_operation(header, Some(1))
}

const MAP: Map = Map::of(
    table!(COMMON),
    table!(SOCKETS),
    4,
    0x2000,
    Layout::Flat { sockets: 0x0400, transmit: 0x4000, receive: 0x6000 },
);

#[rustfmt::skip]
const COMMON: [Register<Common>; 16] = [
    line(Common::Mr, "MR", 0x00, 1, ReadWrite, 0),
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
    line(Common::Patr, "PATR", 0x1C, 2, ReadOnly, 0),
    line(Common::Ptimer, "PTIMER", 0x28, 1, ReadWrite, 0x28),
    line(Common::Pmagic, "PMAGIC", 0x29, 1, ReadWrite, 0),
    line(Common::Uipr, "UIPR", 0x2A, 4, ReadOnly, 0),
    line(Common::Uportr, "UPORT", 0x2E, 2, ReadOnly, 0),
];

#[rustfmt::skip]
const SOCKETS: [Register<SocketRegister>; 18] = [
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
    line(SocketRegister::TxFsr, "Sn_TX_FSR", 0x20, 2, ReadOnly, 0x0800),
    line(SocketRegister::TxRd, "Sn_TX_RD", 0x22, 2, ReadOnly, 0),
    line(SocketRegister::TxWr, "Sn_TX_WR", 0x24, 2, ReadWrite, 0),
    line(SocketRegister::RxRsr, "Sn_RX_RSR", 0x26, 2, ReadOnly, 0),
    line(SocketRegister::RxRd, "Sn_RX_RD", 0x28, 2, ReadWrite, 0),
    line(SocketRegister::RxWr, "Sn_RX_WR", 0x2A, 2, ReadOnly, 0),
];
