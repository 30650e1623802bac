//! One socket: its registers, its pointers into the memories, and what it is waiting for.

use std::net::{IpAddr, Ipv6Addr};

use units::Picoseconds;

use crate::map::{Map, Registers, SocketRegister};
use crate::tcp::{Connection, Pointers};

use super::opened::{Destination, Opened};

pub(crate) use crate::tcp::interrupt;

/// Values of Sn_SR: TCP's own that matter outside of it, and the others.
pub(crate) mod status {
    use crate::tcp::Status;

    pub(crate) const CLOSED: u8 = Status::Closed as u8;
    /// While ARP runs, on the W5100 and W5200 (W5200 datasheet, p. 32, Sn_SR).
    pub(crate) const ARP: u8 = 0x01;
    pub(crate) const INIT: u8 = Status::Init as u8;
    pub(crate) const SYNSENT: u8 = Status::SynSent as u8;
    pub(crate) const UDP: u8 = 0x22;
    pub(crate) const IPRAW: u8 = 0x32;
    pub(crate) const IPRAW6: u8 = 0x33;
    pub(crate) const MACRAW: u8 = 0x42;
}

/// A command that was written to Sn_CR and has had no effect yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct PendingCommand {
    pub(crate) code: u8,
    pub(crate) due: Picoseconds,
}

/// What a socket wants a hardware address for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Purpose {
    Send,
    Connect,
}

/// A question for a hardware address under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Resolution {
    pub(crate) next_hop: IpAddr,
    /// Where the command's packet goes: what the registers said when it was given.
    pub(crate) destination: Destination,
    pub(crate) purpose: Purpose,
    /// How many more times it is asked.
    pub(crate) retries: u8,
    pub(crate) due: Picoseconds,
}

/// Whom a socket asked last, and the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Neighbour {
    pub(crate) next_hop: IpAddr,
    /// The destination for which it was asked.
    pub(crate) destination: IpAddr,
    pub(crate) hardware_address: [u8; 6],
}

/// A socket.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Socket {
    pub(crate) registers: Registers<{ SocketRegister::COUNT }>,
    pub(crate) pointers: Pointers,
    pub(crate) opened: Opened,
    pub(crate) connection: Connection,
    pub(crate) command: Option<PendingCommand>,
    pub(crate) resolution: Option<Resolution>,
    pub(crate) neighbour: Option<Neighbour>,
    /// The hardware address of the peer in TCP mode.
    pub(crate) peer: [u8; 6],
    /// The own address of a connection over IPv6; over IPv4 it is SIPR.
    pub(crate) source: Option<Ipv6Addr>,
    /// TCP had nothing to send after all (the driver took its memory away); until something changes nobody asks again.
    pub(crate) stalled: bool,
}

impl Socket {
    pub(crate) fn at_reset(map: &Map) -> Self {
        Self {
            registers: Registers::at_reset(map.sockets.registers),
            pointers: Pointers::default(),
            opened: Opened::default(),
            connection: Connection::new(),
            command: None,
            resolution: None,
            neighbour: None,
            peer: [0; 6],
            source: None,
            stalled: false,
        }
    }

    pub(crate) fn mode(&self) -> u8 {
        self.registers.u8(SocketRegister::Mr)
    }

    /// Sn_PORT as it stands.
    pub(crate) fn port(&self) -> u16 {
        self.registers.u16(SocketRegister::Port)
    }

    /// Sn_SR, but for what it shows while ARP runs.
    pub(crate) fn status(&self) -> u8 {
        self.registers.u8(SocketRegister::Sr)
    }

    /// Whether ARP runs for a command.
    pub(crate) fn is_resolving(&self) -> bool {
        self.resolution.is_some()
    }

    pub(crate) fn set_status(&mut self, status: u8) {
        self.registers.set(SocketRegister::Sr, u64::from(status));
    }

    pub(crate) fn raise(&mut self, interrupts: u8) {
        self.registers.raise(SocketRegister::Ir, interrupts);
    }

    /// TCP is at work, or may have a last word to say.
    pub(crate) fn is_tcp(&self) -> bool {
        !matches!(self.status(), status::UDP | status::IPRAW | status::IPRAW6 | status::MACRAW)
    }

    /// Whether TCP has a segment for the wire.
    pub(crate) fn has_segment(&self) -> bool {
        !self.stalled && self.connection.has_segment(&self.pointers)
    }

    /// Back to the beginnings of both memories; the driver's pointers too.
    pub(crate) fn reset_pointers(&mut self) {
        self.pointers = Pointers::default();
        self.registers.set(SocketRegister::TxWr, 0);
        self.registers.set(SocketRegister::RxRd, 0);
    }

    /// How many bytes have been received and not been taken.
    pub(crate) fn received_bytes(&self) -> u16 {
        self.pointers.rx_write.wrapping_sub(self.pointers.rx_read)
    }

    /// Sn_TX_FSR: what is free after the pointer as of the last SEND and before what may still be needed (W5500 datasheet,
    /// Sn_TX_FSR).
    pub(crate) fn free_bytes(&self, size: u16) -> u16 {
        size.saturating_sub(self.pointers.tx_pending_bytes())
    }
}
