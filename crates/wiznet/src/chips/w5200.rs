//! The W5200 (datasheet): one address space, sockets from 0x4000, memories from 0x8000 and 0xC000. Its IR2
//! is what later chips call SIR, its IMR their SIMR, its IMR2 their IMR. Its SPI frame: a 16-bit address, a bit that says
//! write, a 15-bit length, so many data bytes.

use units::{PS_PER_MS, PS_PER_US, Picoseconds};

use super::Model;
use super::facts::{CORE_CLOCK_HZ, ClockLimit, Facts, Filter, Flag, Protocols};
use crate::map::Kind::{ClearByOne, ReadOnly, ReadWrite};
use crate::map::{Common, Layout, Map, Register, SocketRegister, line, table};
use crate::spi::{AfterBurst, Burst, Frame, Opening};

/// Its datasheet promises 80 MHz, and its maker no more than of the W5500 (Linux, devicetree binding `wiznet,w5x00`).
const HIGHEST_SCK_HZ: u64 = 33_300_000;
/// A third of 100 MHz, say, is what the figure is rounded from.
const ROUNDED_HZ: u64 = 100_000;

pub(super) static FACTS: Facts = Facts {
    model: Model::W5200,
    name: "w5200",
    help: "WIZnet W5200: Ethernet with a TCP/IP stack in hardware",
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
        // As on the W5100, its forebear; the datasheet is silent.
        header_fillers: &[0x00, 0x01, 0x02, 0x03],
        write_filler: 0x03,
        is_of_one_byte: false,
        after_burst: AfterBurst::Deaf,
        open,
    },
    shortest_reset: Picoseconds::new(2 * PS_PER_US),
    lock_time: Picoseconds::new(150 * PS_PER_MS),
    core_clock_hz: CORE_CLOCK_HZ,
    has_indirect_bus: true,
    // Datasheet, p. 32, Sn_SR.
    shows_arp: true,
    asks_for_each_destination: true,
    phy_mode_waits_for_reset: false,
    mdio_data_is_low_byte_first: false,
    address_lock: None,
    wake_on_lan: &[Flag { register: Common::Mr, mask: 0x20 }],
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
    const WRITE_BIT: u16 = 0x8000;
    let length = u16::from_be_bytes([header[2], header[3]]);
    let data_bytes = u32::from(length & !WRITE_BIT);
    if data_bytes == 0 {
        return Opening::Nonsense;
    }
    Opening::Burst(Burst {
        write: length & WRITE_BIT != 0,
        block: 0,
        address: u16::from_be_bytes([header[0], header[1]]),
        left: Some(data_bytes),
    })
}

const MAP: Map = Map::of(
    table!(COMMON),
    table!(SOCKETS),
    8,
    0x4000,
    Layout::Flat { sockets: 0x4000, transmit: 0x8000, receive: 0xC000 },
);

#[rustfmt::skip]
const COMMON: [Register<Common>; 18] = [
    line(Common::Mr, "MR", 0x00, 1, ReadWrite, 0),
    line(Common::Gar, "GAR", 0x01, 4, ReadWrite, 0),
    line(Common::Subr, "SUBR", 0x05, 4, ReadWrite, 0),
    line(Common::Shar, "SHAR", 0x09, 6, ReadWrite, 0),
    line(Common::Sipr, "SIPR", 0x0F, 4, ReadWrite, 0),
    line(Common::Ir, "IR", 0x15, 1, ClearByOne, 0),
    line(Common::Simr, "IMR", 0x16, 1, ReadWrite, 0),
    line(Common::Rtr, "RTR", 0x17, 2, ReadWrite, 0x07D0),
    line(Common::Rcr, "RCR", 0x19, 1, ReadWrite, 0x08),
    line(Common::Patr, "PATR", 0x1C, 2, ReadOnly, 0),
    line(Common::Ppalgo, "PPPALGO", 0x1E, 1, ReadOnly, 0),
    line(Common::Versionr, "VERSIONR", 0x1F, 1, ReadOnly, 0x03),
    line(Common::Ptimer, "PTIMER", 0x28, 1, ReadWrite, 0x28),
    line(Common::Pmagic, "PMAGIC", 0x29, 1, ReadWrite, 0),
    line(Common::Intlevel, "INTLEVEL", 0x30, 2, ReadWrite, 0),
    line(Common::Sir, "IR2", 0x34, 1, ReadOnly, 0),
    line(Common::Phystatus, "PHYSTATUS", 0x35, 1, ReadOnly, 0),
    line(Common::Imr, "IMR2", 0x36, 1, ReadWrite, 0),
];

#[rustfmt::skip]
const SOCKETS: [Register<SocketRegister>; 22] = [
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
    line(SocketRegister::RxbufSize, "Sn_RXMEM_SIZE", 0x1E, 1, ReadWrite, 0x02),
    line(SocketRegister::TxbufSize, "Sn_TXMEM_SIZE", 0x1F, 1, ReadWrite, 0x02),
    line(SocketRegister::TxFsr, "Sn_TX_FSR", 0x20, 2, ReadOnly, 0x0800),
    line(SocketRegister::TxRd, "Sn_TX_RD", 0x22, 2, ReadOnly, 0),
    line(SocketRegister::TxWr, "Sn_TX_WR", 0x24, 2, ReadWrite, 0),
    line(SocketRegister::RxRsr, "Sn_RX_RSR", 0x26, 2, ReadOnly, 0),
    line(SocketRegister::RxRd, "Sn_RX_RD", 0x28, 2, ReadWrite, 0),
    line(SocketRegister::RxWr, "Sn_RX_WR", 0x2A, 2, ReadOnly, 0),
    line(SocketRegister::Imr, "Sn_IMR", 0x2C, 1, ReadWrite, 0xFF),
    line(SocketRegister::Frag, "Sn_FRAG", 0x2D, 2, ReadWrite, 0x4000),
];
