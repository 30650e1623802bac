//! An access over SPI as values: which register or memory, which command, how many bytes. Words are made of it on demand.

use units::Picoseconds;

use crate::Model;
use crate::map::{self, Common, Map, Place, SocketRegister};

/// One access over SPI: what was read or written, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The chip.
    pub model: Model,
    /// The first bit of the transaction (or of this part of it).
    pub start: Picoseconds,
    /// The end of its last bit.
    pub end: Picoseconds,
    /// Whether the driver wrote.
    pub write: bool,
    /// The first address, as the chip's datasheet counts (on the W5500 the offset in its block).
    pub address: u16,
    /// On the W5500 the block select bits, else 0.
    pub block: u8,
    /// The data bytes that moved (at most the first 64 are kept).
    pub data: Vec<u8>,
    /// How many data bytes moved.
    pub bytes: u32,
    /// What stands at the first address.
    pub target: Target,
    /// The command that the driver gave.
    pub command: Option<Command>,
    /// Of SEND: how far the driver moved Sn_TX_WR on since the one before.
    pub send_bytes: Option<u16>,
}

impl Access {
    /// In words, for people: `Sn_CR of socket 0: SEND, 12 bytes`, `GAR to SIPR`, `TX buffer of socket 0 at 0x0010`.
    pub fn meaning(&self) -> String {
        let words = map::meaning(self.model.facts(), self.block, self.address, self.bytes, &self.data);
        match self.send_bytes {
            Some(bytes) => format!("{words}, {bytes} bytes"),
            None => words,
        }
    }

    /// The register at the first address, where there is one.
    pub fn register(&self) -> Option<Register> {
        match self.target {
            Target::Register(register) => Some(register),
            Target::Memory | Target::Reserved => None,
        }
    }

    /// At which byte of the register it begins: 0 is its first.
    pub fn register_byte(&self) -> Option<u8> {
        match self.model.facts().map.place(self.block, self.address) {
            Place::Common(_, byte) | Place::Socket(_, _, byte) => Some(byte),
            _ => None,
        }
    }

    /// Whether the register is one for whose role this holds.
    pub fn has_role(&self, role: Role) -> bool {
        self.register().is_some_and(|register| register.role == role)
    }

    /// Whether the register says if something has come.
    pub fn is_of_news(&self) -> bool {
        self.register().is_some_and(|register| register.tells_news)
    }
}

/// What an access is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A register.
    Register(Register),
    /// A socket's data, to send or received.
    Memory,
    /// Addresses at which nothing is.
    Reserved,
}

/// A register of the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register {
    /// As the chip's datasheet writes it: `Sn_RX_RSR`, `IR2`.
    pub name: &'static str,
    /// The socket that has it; nothing for a common one.
    pub socket: Option<u8>,
    /// What it serves.
    pub role: Role,
    /// Whether it says if something has come.
    pub tells_news: bool,
}

/// What a register serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It takes commands.
    Command,
    /// It says where data is, and how much.
    Pointer,
    /// It says how things stand, or which of that raises an interrupt.
    Status,
    /// Something else.
    Other,
}

/// A command of a socket (W5500 datasheet, 4.2, Sn_CR; the other chips have the same, the W6100 two more).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Command {
    /// No command: what the register reads once the chip has taken the one before.
    Done,
    /// OPEN.
    Open,
    /// LISTEN.
    Listen,
    /// CONNECT.
    Connect,
    /// DISCON.
    Disconnect,
    /// CLOSE.
    Close,
    /// SEND.
    Send,
    /// SEND_MAC: to an address that the driver gives.
    SendMac,
    /// SEND_KEEP: keep-alive.
    SendKeep,
    /// RECV: what was read is given back.
    Receive,
    /// CONNECT6: over IPv6.
    Connect6,
    /// SEND6: over IPv6.
    Send6,
}

impl Command {
    const ALL: [(u8, Self, &'static str); 12] = [
        (0x00, Self::Done, "done"),
        (0x01, Self::Open, "OPEN"),
        (0x02, Self::Listen, "LISTEN"),
        (0x04, Self::Connect, "CONNECT"),
        (0x08, Self::Disconnect, "DISCON"),
        (0x10, Self::Close, "CLOSE"),
        (0x20, Self::Send, "SEND"),
        (0x21, Self::SendMac, "SEND_MAC"),
        (0x22, Self::SendKeep, "SEND_KEEP"),
        (0x40, Self::Receive, "RECV"),
        (0x84, Self::Connect6, "CONNECT6"),
        (0xA0, Self::Send6, "SEND6"),
    ];

    /// The command of a byte in Sn_CR.
    pub fn of(code: u8) -> Option<Self> {
        Self::ALL.iter().find(|(known, ..)| *known == code).map(|(_, command, _)| *command)
    }

    /// As the datasheet writes it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, command, _)| *command == self).map_or("", |(.., name)| name)
    }

    /// Whether the chip sends something.
    pub fn sends(self) -> bool {
        matches!(self, Self::Send | Self::SendMac | Self::SendKeep | Self::Send6)
    }
}

/// What stands at an address, and the command that writing `data` from there gives.
pub(crate) fn values(
    map: &Map,
    block: u8,
    address: u16,
    bytes: u32,
    data: &[u8],
) -> (Target, Option<Command>) {
    let first = map.place(block, address);
    let last = map.place(block, address.wrapping_add(bytes.saturating_sub(1) as u16));
    let command = match (first, last) {
        (Place::Socket(_, register, 0), Place::Socket(_, same, _))
            if register.field == SocketRegister::Cr && same.field == SocketRegister::Cr =>
        {
            let has_ipv6 = map.sockets_have(SocketRegister::Dip6r);
            let is_of_chip =
                |command: &Command| has_ipv6 || !matches!(command, Command::Connect6 | Command::Send6);
            data.first().and_then(|&code| Command::of(code)).filter(is_of_chip)
        }
        _ => None,
    };
    (target(first), command)
}

fn target(place: Place) -> Target {
    match place {
        Place::Common(register, _) => {
            let (role, tells_news) = common_role(register.field);
            Target::Register(Register { name: register.name, socket: None, role, tells_news })
        }
        Place::Socket(socket, register, _) => {
            let (role, tells_news) = socket_role(register.field);
            Target::Register(Register { name: register.name, socket: Some(socket as u8), role, tells_news })
        }
        Place::Memory(..) | Place::SocketMemory(..) => Target::Memory,
        Place::None => Target::Reserved,
    }
}

fn common_role(field: Common) -> (Role, bool) {
    match field {
        Common::Ir | Common::Sir | Common::Ir2 => (Role::Status, true),
        Common::Imr | Common::Simr | Common::Imr2 | Common::Irclr => (Role::Status, false),
        _ => (Role::Other, false),
    }
}

fn socket_role(field: SocketRegister) -> (Role, bool) {
    match field {
        SocketRegister::Cr => (Role::Command, false),
        SocketRegister::RxRsr => (Role::Pointer, true),
        SocketRegister::TxFsr
        | SocketRegister::TxRd
        | SocketRegister::TxWr
        | SocketRegister::RxRd
        | SocketRegister::RxWr => (Role::Pointer, false),
        SocketRegister::Ir => (Role::Status, true),
        SocketRegister::Sr | SocketRegister::Esr | SocketRegister::Imr | SocketRegister::Irclr => {
            (Role::Status, false)
        }
        _ => (Role::Other, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(model: Model, block: u8, address: u16, data: &[u8]) -> (Target, Option<Command>) {
        values(&model.facts().map, block, address, data.len() as u32, data)
    }

    #[test]
    fn a_command_is_one_only_where_its_byte_is_all_that_moves() {
        assert_eq!(of(Model::W5500, 1, 1, &[0x20]).1, Some(Command::Send));
        assert_eq!(of(Model::W5500, 1, 1, &[0x20, 0x00]).1, None, "a burst goes on to Sn_IR");
        assert_eq!(of(Model::W5500, 1, 1, &[0x77]).1, None);
        assert_eq!(of(Model::W5500, 1, 1, &[0xA0]).1, None, "SEND6 is the W6100's");
        assert_eq!(of(Model::W6100, 1, 0x10, &[0xA0]).1, Some(Command::Send6));
        assert_eq!(of(Model::W5500, 1, 3, &[0x20]).1, None, "Sn_SR takes none");
    }

    #[test]
    fn a_register_has_the_name_of_its_chip_and_the_role_of_its_field() {
        let named = |target: Target| match target {
            Target::Register(register) => {
                (register.name, register.socket, register.role, register.tells_news)
            }
            other => panic!("{other:?} is no register"),
        };
        assert_eq!(named(of(Model::W5200, 0, 0x34, &[0]).0), ("IR2", None, Role::Status, true));
        assert_eq!(named(of(Model::W5500, 0, 0x17, &[0]).0), ("SIR", None, Role::Status, true));
        assert_eq!(named(of(Model::W5500, 5, 0x26, &[0; 2]).0), ("Sn_RX_RSR", Some(1), Role::Pointer, true));
        assert_eq!(named(of(Model::W5500, 1, 0x01, &[0]).0), ("Sn_CR", Some(0), Role::Command, false));
        assert_eq!(of(Model::W5500, 2, 0x10, &[0]).0, Target::Memory);
        assert_eq!(of(Model::W5500, 1, 0x3F, &[0]).0, Target::Reserved);
    }

    #[test]
    fn every_command_has_its_own_byte_and_name() {
        for (code, command, name) in Command::ALL {
            assert_eq!((Command::of(code), command.name()), (Some(command), name));
        }
    }
}
