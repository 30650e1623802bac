//! One socket: its registers, its pointers into the memories, and what it is waiting for.

use units::Picoseconds;

use crate::map::{Map, Registers, SocketRegister};
use crate::tcp::{Connection, Pointers};

/// Values of Sn_SR that TCP does not own.
pub(crate) mod status {
    pub(crate) const CLOSED: u8 = 0x00;
    /// While ARP runs before CONNECT, on the W5100 (datasheet 1.2.3, Sn_SR).
    pub(crate) const ARP: u8 = 0x01;
    pub(crate) const INIT: u8 = 0x13;
    pub(crate) const SYNSENT: u8 = 0x15;
    pub(crate) const UDP: u8 = 0x22;
    pub(crate) const IPRAW: u8 = 0x32;
    pub(crate) const MACRAW: u8 = 0x42;
}

/// Bits of Sn_IR.
pub(crate) mod interrupt {
    pub(crate) const RECV: u8 = 0x04;
    pub(crate) const TIMEOUT: u8 = 0x08;
    pub(crate) const SENDOK: u8 = 0x10;
}

/// The low nibble of Sn_MR.
pub(crate) mod protocol {
    pub(crate) const CLOSED: u8 = 0;
    pub(crate) const TCP: u8 = 1;
    pub(crate) const UDP: u8 = 2;
    pub(crate) const IPRAW: u8 = 3;
    pub(crate) const MACRAW: u8 = 4;
    pub(crate) const PPPOE: u8 = 5;
}

/// A command that was written to Sn_CR and has had no effect yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PendingCommand {
    pub(crate) code: u8,
    pub(crate) due: Picoseconds,
}

/// What a socket wants a hardware address for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Send,
    Connect,
}

/// A question by ARP under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution {
    pub(crate) next_hop: [u8; 4],
    pub(crate) purpose: Purpose,
    /// How many more times it is asked.
    pub(crate) retries: u8,
    pub(crate) due: Picoseconds,
}

/// Whom a socket asked last, and the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Neighbour {
    pub(crate) next_hop: [u8; 4],
    pub(crate) hardware_address: [u8; 6],
}

/// A socket.
#[derive(Debug, Clone)]
pub(crate) struct Socket {
    pub(crate) registers: Registers<{ SocketRegister::COUNT }>,
    pub(crate) pointers: Pointers,
    pub(crate) connection: Connection,
    pub(crate) command: Option<PendingCommand>,
    pub(crate) resolution: Option<Resolution>,
    pub(crate) neighbour: Option<Neighbour>,
    /// The hardware address of the peer in TCP mode.
    pub(crate) peer: [u8; 6],
    /// How many frames of the SEND under way are not on the wire yet.
    pub(crate) frames_to_go: u32,
}

impl Socket {
    pub(crate) fn at_reset(map: &Map) -> Self {
        Self {
            registers: Registers::at_reset(map.sockets),
            pointers: Pointers::default(),
            connection: Connection::new(),
            command: None,
            resolution: None,
            neighbour: None,
            peer: [0; 6],
            frames_to_go: 0,
        }
    }

    pub(crate) fn mode(&self) -> u8 {
        self.registers.u8(SocketRegister::Mr)
    }

    pub(crate) fn protocol(&self) -> u8 {
        self.mode() & 0x0F
    }

    pub(crate) fn status(&self) -> u8 {
        self.registers.u8(SocketRegister::Sr)
    }

    pub(crate) fn set_status(&mut self, status: u8) {
        self.registers.set(SocketRegister::Sr, u64::from(status));
    }

    pub(crate) fn raise(&mut self, interrupts: u8) {
        self.registers.raise(SocketRegister::Ir, interrupts);
    }

    /// TCP is at work, or may have a last word to say.
    pub(crate) fn is_tcp(&self) -> bool {
        !matches!(self.status(), status::UDP | status::IPRAW | status::MACRAW)
    }

    /// Back to the beginnings of both memories; the driver's pointers too.
    pub(crate) fn reset_pointers(&mut self) {
        self.pointers = Pointers::default();
        self.registers.set(SocketRegister::TxWr, 0);
        self.registers.set(SocketRegister::RxRd, 0);
        self.frames_to_go = 0;
    }

    /// How many bytes have been received and not been taken.
    pub(crate) fn received_bytes(&self) -> u16 {
        self.pointers.rx_write.wrapping_sub(self.pointers.rx_read)
    }

    /// Sn_TX_FSR: what is free after the driver's pointer and before what may still be needed (W5500 datasheet, Sn_TX_FSR).
    pub(crate) fn free_bytes(&self, size: u16) -> u16 {
        let used = self.registers.u16(SocketRegister::TxWr).wrapping_sub(self.pointers.tx_acknowledged);
        size.saturating_sub(used)
    }
}
