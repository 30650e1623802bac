//! The W6100 (ioLibrary, w6100.h and w6100.c, commit 1d2582a): the W5500's blocks and SPI frame, with registers of its own at
//! addresses of their own, IPv6 beside IPv4, and locks that are shut after a reset.

use units::{PS_PER_NS, PS_PER_US, Picoseconds};

use super::Model;
use super::facts::{
    AddressLock, Alarms, ClockLimit, Errand, Errands, Facts, Filter, Flag, PacketInfo, Protocols, Switches,
};
use super::modes::{Family, Mode};
use crate::map::Kind::{ReadOnly, ReadWrite, WriteOnly};
use crate::map::{Common, Layout, Map, Register, SocketRegister, line, table};
use crate::spi::{AfterBurst, Frame, by_block};

/// As on the W5100S, with which it shares pins and PHY.
const HIGHEST_SCK_HZ: u64 = 70_000_000;

pub(super) static FACTS: Facts = Facts {
    model: Model::W6100,
    name: "w6100",
    help: "WIZnet W6100: Ethernet with a TCP/IP stack in hardware, IPv4 and IPv6",
    highest_sck_hz: HIGHEST_SCK_HZ,
    clock_limits: &[ClockLimit {
        above_hz: HIGHEST_SCK_HZ,
        is_absolute: true,
        told: "the W6100 is specified for SPI clocks up to 70 MHz",
    }],
    frame: Frame {
        // Zephyr's driver of the chip skips these.
        header_fillers: &[0x01, 0x02, 0x03],
        write_filler: 0x03,
        is_of_one_byte: false,
        after_burst: AfterBurst::Header,
        open: by_block,
    },
    shortest_reset: Picoseconds::new(580 * PS_PER_NS),
    lock_time: Picoseconds::new(60_300 * PS_PER_US),
    // SYCR1.CLKSEL.
    core_clock_hz: 100_000_000,
    has_indirect_bus: false,
    shows_arp: false,
    asks_for_each_destination: false,
    phy_mode_waits_for_reset: true,
    mdio_data_is_low_byte_first: true,
    address_lock: Some(AddressLock::OpenedBy(0x3A)),
    // NETMR.WOL.
    wake_on_lan: &[Flag { register: Common::Netmr, mask: 0x04 }],
    protocols: PROTOCOLS,
    force_arp: None,
    // Sn_MR2.FARP and Sn_MR2.DHAM.
    force_arp_of_socket: Flag::of(SocketRegister::Mr2, 0x01),
    given_hardware_address: Flag::of(SocketRegister::Mr2, 0x02),
    filter: Filter {
        // Sn_MR: MF, BRDB, MMB, MMB6; BRDB, UNIB, SMB.
        strangers: Flag::of(SocketRegister::Mr, 0x80),
        broadcast: Flag::of(SocketRegister::Mr, 0x40),
        multicast: Flag::of(SocketRegister::Mr, 0x20),
        multicast_ipv6: Flag::of(SocketRegister::Mr, 0x10),
        multicast_needs_mac_filter: true,
        mac_filter_knows_ip: true,
        ipv6: None,
        datagrams_to_all: Flag::of(SocketRegister::Mr, 0x40),
        datagrams_to_one: Flag::of(SocketRegister::Mr, 0x10),
        datagrams_to_solicited: Flag::of(SocketRegister::Mr, 0x20),
    },
    map: MAP,
};

const PROTOCOLS: Protocols = Protocols {
    modes: &[
        (0x0, Mode::Closed),
        (0x1, Mode::Tcp(Family::Ipv4)),
        (0x2, Mode::Udp(Family::Ipv4)),
        (0x3, Mode::IpRaw(Family::Ipv4)),
        // The value of Sn_MR_MACRAW, with which every driver opens; the table above it in w6100.h says 4.
        (0x7, Mode::MacRaw),
        (0x9, Mode::Tcp(Family::Ipv6)),
        (0xA, Mode::Udp(Family::Ipv6)),
        (0xB, Mode::IpRaw(Family::Ipv6)),
        (0xD, Mode::Tcp(Family::Dual)),
        (0xE, Mode::Udp(Family::Dual)),
    ],
    packet_info: PacketInfo::LengthFirst,
    force_push: Flag::of(SocketRegister::Mr, 0x40),
    switches: Switches {
        // NETxMR: PB, UNRB, RSTB. NETMR: IP4B, IP6B. NETMR2.PPPoE. SYCR1.IEN.
        ping_block: [Flag::of(Common::Net4mr, 0x01), Flag::of(Common::Net6mr, 0x01)],
        unreachable_block: [Flag::of(Common::Net4mr, 0x08), Flag::of(Common::Net6mr, 0x08)],
        reset_block: [Flag::of(Common::Net4mr, 0x02), Flag::of(Common::Net6mr, 0x02)],
        packet_block: [Flag::of(Common::Netmr, 0x01), Flag::of(Common::Netmr, 0x02)],
        pppoe: Flag::of(Common::Netmr2, 0x01),
        interrupt_enable: Flag::of(Common::Sycr1, 0x80),
    },
    // IR: IPCONF, UNR4, UNR6.
    alarms: Alarms { conflict: 0x04, unreachable: [0x02, 0x10] },
    errands: Errands {
        kinds: &[
            (0x40, Errand::Ask(Family::Ipv4)),
            (0x20, Errand::Ping(Family::Ipv4)),
            (0x10, Errand::Ask(Family::Ipv6)),
            (0x08, Errand::Ping(Family::Ipv6)),
            (0x04, Errand::Duplicate),
            (0x02, Errand::Routers),
            (0x01, Errand::Announce),
        ],
        timeout: 0x80,
        advertised: 0x01,
    },
};

const MAP: Map = Map::of(table!(COMMON), table!(SOCKETS), 8, 0x4000, Layout::Blocks);

#[rustfmt::skip]
const COMMON: [Register<Common>; 68] = [
    line(Common::Cidr, "CIDR", 0x0000, 2, ReadOnly, 0x6100),
    line(Common::Versionr, "VER", 0x0002, 2, ReadOnly, 0x4661),
    // libogc2 094b250, w6x00if.c, tells the chip from a W6300 by it.
    line(Common::Cidr2, "CIDR2", 0x0004, 1, ReadOnly, 0x10),
    line(Common::Sysr, "SYSR", 0x2000, 1, ReadOnly, 0),
    line(Common::Sycr0, "SYCR0", 0x2004, 1, ReadWrite, 0x80),
    line(Common::Sycr1, "SYCR1", 0x2005, 1, ReadWrite, 0x80),
    line(Common::Tcntr, "TCNTR", 0x2016, 2, ReadOnly, 0),
    line(Common::Tcntclr, "TCNTRCLR", 0x2020, 1, WriteOnly, 0),
    line(Common::Ir, "IR", 0x2100, 1, ReadOnly, 0),
    line(Common::Sir, "SIR", 0x2101, 1, ReadOnly, 0),
    line(Common::Slir, "SLIR", 0x2102, 1, ReadOnly, 0),
    line(Common::Imr, "IMR", 0x2104, 1, ReadWrite, 0),
    line(Common::Irclr, "IRCLR", 0x2108, 1, WriteOnly, 0),
    line(Common::Simr, "SIMR", 0x2114, 1, ReadWrite, 0),
    line(Common::Slimr, "SLIMR", 0x2124, 1, ReadWrite, 0),
    line(Common::Slirclr, "SLIRCLR", 0x2128, 1, WriteOnly, 0),
    line(Common::Slpsr, "SLPSR", 0x212C, 1, ReadWrite, 0),
    line(Common::Slcr, "SLCR", 0x2130, 1, ReadWrite, 0),
    line(Common::Physr, "PHYSR", 0x3000, 1, ReadOnly, 0),
    // As on the W5100S: calibration is done. WIZnetInterface df957a2 of Mbed waits for that bit, and takes it for the link.
    line(Common::Physr1, "PHYSR1", 0x3001, 1, ReadOnly, 0x01),
    line(Common::Phyrar, "PHYRAR", 0x3008, 1, ReadWrite, 0),
    line(Common::Phydir, "PHYDIR", 0x300C, 2, ReadWrite, 0),
    line(Common::Phydor, "PHYDOR", 0x3010, 2, ReadOnly, 0),
    line(Common::Phyacr, "PHYACR", 0x3014, 1, ReadWrite, 0),
    line(Common::Phydivr, "PHYDIVR", 0x3018, 1, ReadWrite, 0x01),
    line(Common::Phycr0, "PHYCR0", 0x301C, 1, WriteOnly, 0),
    line(Common::Phycr1, "PHYCR1", 0x301D, 1, ReadWrite, 0x40),
    line(Common::Net4mr, "NET4MR", 0x4000, 1, ReadWrite, 0),
    line(Common::Net6mr, "NET6MR", 0x4004, 1, ReadWrite, 0),
    line(Common::Netmr, "NETMR", 0x4008, 1, ReadWrite, 0),
    line(Common::Netmr2, "NETMR2", 0x4009, 1, ReadWrite, 0),
    line(Common::Ptimer, "PTMR", 0x4100, 1, ReadWrite, 0x28),
    line(Common::Pmagic, "PMNR", 0x4104, 1, ReadWrite, 0),
    line(Common::Phar, "PHAR", 0x4108, 6, ReadWrite, 0),
    line(Common::Psid, "PSIDR", 0x4110, 2, ReadWrite, 0),
    line(Common::Pmru, "PMRUR", 0x4114, 2, ReadWrite, 0xFFFF),
    line(Common::Shar, "SHAR", 0x4120, 6, ReadWrite, 0),
    line(Common::Gar, "GAR", 0x4130, 4, ReadWrite, 0),
    line(Common::Subr, "SUBR", 0x4134, 4, ReadWrite, 0),
    line(Common::Sipr, "SIPR", 0x4138, 4, ReadWrite, 0),
    line(Common::Llar, "LLAR", 0x4140, 16, ReadWrite, 0),
    line(Common::Guar, "GUAR", 0x4150, 16, ReadWrite, 0),
    line(Common::Sub6r, "SUB6R", 0x4160, 16, ReadWrite, 0),
    line(Common::Ga6r, "GA6R", 0x4170, 16, ReadWrite, 0),
    // The last four bytes of SLDIP6R are SLDIP4R.
    line(Common::Sldip6r, "SLDIP6R", 0x4180, 12, ReadWrite, 0),
    line(Common::Slpipr, "SLDIP4R", 0x418C, 4, ReadWrite, 0),
    line(Common::Slphar, "SLDHAR", 0x4190, 6, ReadOnly, 0),
    line(Common::Pingidr, "PINGIDR", 0x4198, 2, ReadWrite, 0),
    line(Common::Pingseqr, "PINGSEQR", 0x419C, 2, ReadWrite, 0),
    line(Common::Uipr, "UIPR", 0x41A0, 4, ReadOnly, 0),
    line(Common::Uportr, "UPORTR", 0x41A4, 2, ReadOnly, 0),
    line(Common::Uip6r, "UIP6R", 0x41B0, 16, ReadOnly, 0),
    line(Common::Uport6r, "UPORT6R", 0x41C0, 2, ReadOnly, 0),
    line(Common::Intlevel, "INTPTMR", 0x41C5, 2, ReadWrite, 0),
    line(Common::Plr, "PLR", 0x41D0, 1, ReadOnly, 0),
    line(Common::Pfr, "PFR", 0x41D4, 1, ReadOnly, 0),
    line(Common::Vltr, "VLTR", 0x41D8, 4, ReadOnly, 0),
    line(Common::Pltr, "PLTR", 0x41DC, 4, ReadOnly, 0),
    line(Common::Par, "PAR", 0x41E0, 16, ReadOnly, 0),
    line(Common::Icmp6blkr, "ICMP6BLKR", 0x41F0, 1, ReadWrite, 0),
    line(Common::Chplckr, "CHPLCKR", 0x41F4, 1, WriteOnly, 0),
    line(Common::Netlckr, "NETLCKR", 0x41F5, 1, WriteOnly, 0),
    line(Common::Phylckr, "PHYLCKR", 0x41F6, 1, WriteOnly, 0),
    line(Common::Rtr, "RTR", 0x4200, 2, ReadWrite, 0x07D0),
    line(Common::Rcr, "RCR", 0x4204, 1, ReadWrite, 0x08),
    line(Common::Slrtr, "SLRTR", 0x4208, 2, ReadWrite, 0x07D0),
    line(Common::Slrcr, "SLRCR", 0x420C, 1, ReadWrite, 0),
    line(Common::Slhopr, "SLHOPR", 0x420F, 1, ReadWrite, 0x80),
];

#[rustfmt::skip]
const SOCKETS: [Register<SocketRegister>; 30] = [
    line(SocketRegister::Mr, "Sn_MR", 0x0000, 1, ReadWrite, 0),
    line(SocketRegister::Psr, "Sn_PSR", 0x0004, 1, ReadWrite, 0),
    line(SocketRegister::Cr, "Sn_CR", 0x0010, 1, ReadWrite, 0),
    line(SocketRegister::Ir, "Sn_IR", 0x0020, 1, ReadOnly, 0),
    line(SocketRegister::Imr, "Sn_IMR", 0x0024, 1, ReadWrite, 0xFF),
    line(SocketRegister::Irclr, "Sn_IRCLR", 0x0028, 1, WriteOnly, 0),
    line(SocketRegister::Sr, "Sn_SR", 0x0030, 1, ReadOnly, 0),
    line(SocketRegister::Esr, "Sn_ESR", 0x0031, 1, ReadOnly, 0),
    line(SocketRegister::Proto, "Sn_PNR", 0x0100, 1, ReadWrite, 0),
    line(SocketRegister::Tos, "Sn_TOSR", 0x0104, 1, ReadWrite, 0),
    line(SocketRegister::Ttl, "Sn_TTLR", 0x0108, 1, ReadWrite, 0x80),
    line(SocketRegister::Frag, "Sn_FRGR", 0x010C, 2, ReadWrite, 0x4000),
    line(SocketRegister::Mssr, "Sn_MSSR", 0x0110, 2, ReadWrite, 0),
    line(SocketRegister::Port, "Sn_PORTR", 0x0114, 2, ReadWrite, 0),
    line(SocketRegister::Dhar, "Sn_DHAR", 0x0118, 6, ReadWrite, 0),
    line(SocketRegister::Dipr, "Sn_DIPR", 0x0120, 4, ReadWrite, 0),
    line(SocketRegister::Dip6r, "Sn_DIP6R", 0x0130, 16, ReadWrite, 0),
    line(SocketRegister::Dport, "Sn_DPORTR", 0x0140, 2, ReadWrite, 0),
    line(SocketRegister::Mr2, "Sn_MR2", 0x0144, 1, ReadWrite, 0),
    line(SocketRegister::Rtr, "Sn_RTR", 0x0180, 2, ReadWrite, 0),
    line(SocketRegister::Rcr, "Sn_RCR", 0x0184, 1, ReadWrite, 0),
    line(SocketRegister::Kpalvtr, "Sn_KPALVTR", 0x0188, 1, ReadWrite, 0),
    line(SocketRegister::TxbufSize, "Sn_TX_BSR", 0x0200, 1, ReadWrite, 0x02),
    line(SocketRegister::TxFsr, "Sn_TX_FSR", 0x0204, 2, ReadOnly, 0x0800),
    line(SocketRegister::TxRd, "Sn_TX_RD", 0x0208, 2, ReadOnly, 0),
    line(SocketRegister::TxWr, "Sn_TX_WR", 0x020C, 2, ReadWrite, 0),
    line(SocketRegister::RxbufSize, "Sn_RX_BSR", 0x0220, 1, ReadWrite, 0x02),
    line(SocketRegister::RxRsr, "Sn_RX_RSR", 0x0224, 2, ReadOnly, 0),
    line(SocketRegister::RxRd, "Sn_RX_RD", 0x0228, 2, ReadWrite, 0),
    line(SocketRegister::RxWr, "Sn_RX_WR", 0x022C, 2, ReadOnly, 0),
];
