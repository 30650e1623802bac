//! The W5100 (datasheet): one address space, sockets from 0x0400, memories from 0x4000 and 0x6000. Its IR
//! and IMR hold the sockets' bits too.

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
    socket_count: 4,
    memory_bytes: 0x2000,
    locate: Locate::Flat { sockets: 0x0400, transmit: 0x4000, receive: 0x6000 },
};

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
