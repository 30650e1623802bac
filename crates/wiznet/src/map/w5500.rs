//! The W5500 (datasheet): 48-byte blocks of registers, chosen by block select bits.

use super::Kind::{ClearByOne, ReadOnly, ReadWrite};
use super::{
    ABSENT, COMMON_SPACE, Common, Locate, Map, Register, SOCKET_SPACE, SocketRegister, index, line, present,
};

pub(super) static MAP: Map = Map {
    common: &COMMON,
    sockets: &SOCKETS,
    common_index: index!(COMMON, COMMON_SPACE),
    socket_index: index!(SOCKETS, SOCKET_SPACE),
    common_present: present!(COMMON),
    socket_present: present!(SOCKETS),
    socket_count: 8,
    memory_bytes: 0x4000,
    locate: Locate::Blocks,
};

#[rustfmt::skip]
const COMMON: [Register<Common>; 21] = [
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
