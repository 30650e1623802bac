//! An access in words.

use std::net::Ipv6Addr;

use super::{Common, Place, Side, SocketRegister};
use crate::Command;
use crate::chips::Facts;

/// What an access of `data` from an address on meant: `Sn_CR of socket 0: SEND`, `GAR to SIPR`, `TX buffer of socket 0 at 0x0010`.
pub(crate) fn meaning(facts: &Facts, block: u8, address: u16, bytes: u32, data: &[u8]) -> String {
    let map = &facts.map;
    let first = map.place(block, address);
    let last = map.place(block, address.wrapping_add(bytes.saturating_sub(1) as u16));
    let name = place_name(first);
    if let (Some(from), Some(to)) = (register_name(first), register_name(last))
        && from != to
    {
        return match first {
            Place::Socket(socket, ..) => format!("{from} to {to} of socket {socket}"),
            _ => format!("{from} to {to}"),
        };
    }
    match value_in_words(facts, first, data) {
        Some(value) => format!("{name}: {value}"),
        None => name,
    }
}

fn register_name(place: Place) -> Option<&'static str> {
    match place {
        Place::Common(register, _) => Some(register.name),
        Place::Socket(_, register, _) => Some(register.name),
        _ => None,
    }
}

fn place_name(place: Place) -> String {
    match place {
        Place::Common(register, 0) => register.name.to_owned(),
        Place::Common(register, index) => format!("{} byte {index}", register.name),
        Place::Socket(socket, register, 0) => format!("{} of socket {socket}", register.name),
        Place::Socket(socket, register, index) => {
            format!("{} byte {index} of socket {socket}", register.name)
        }
        Place::Memory(Side::Transmit, offset) => format!("TX memory at 0x{offset:04X}"),
        Place::Memory(Side::Receive, offset) => format!("RX memory at 0x{offset:04X}"),
        Place::SocketMemory(Side::Transmit, socket, offset) => {
            format!("TX buffer of socket {socket} at 0x{offset:04X}")
        }
        Place::SocketMemory(Side::Receive, socket, offset) => {
            format!("RX buffer of socket {socket} at 0x{offset:04X}")
        }
        Place::None => "reserved".to_owned(),
    }
}

fn value_in_words(facts: &Facts, place: Place, data: &[u8]) -> Option<String> {
    let &first = data.first()?;
    match place {
        Place::Socket(_, register, 0) => match register.field {
            SocketRegister::Cr => Command::of(first).map(|command| command.name().to_owned()),
            SocketRegister::Sr => status_name(first).map(str::to_owned),
            SocketRegister::Ir | SocketRegister::Irclr => Some(bits_in_words(first, &SOCKET_INTERRUPTS)),
            SocketRegister::Mr => facts.mode(first).map(|mode| mode.name().to_owned()),
            _ => number(register.bytes, data),
        },
        Place::Common(register, 0) => match register.field {
            Common::Gar | Common::Subr | Common::Sipr => match *data {
                [a, b, c, d] => Some(format!("{a}.{b}.{c}.{d}")),
                _ => None,
            },
            Common::Llar | Common::Guar | Common::Sub6r | Common::Ga6r => {
                let octets: [u8; 16] = data.try_into().ok()?;
                Some(Ipv6Addr::from(octets).to_string())
            }
            _ => number(register.bytes, data),
        },
        _ => None,
    }
}

fn number(bytes: u8, data: &[u8]) -> Option<String> {
    match (bytes, data) {
        (1, &[value]) => Some(format!("0x{value:02X}")),
        (2, &[high, low]) => Some(u16::from_be_bytes([high, low]).to_string()),
        _ => None,
    }
}

const SOCKET_INTERRUPTS: [(u8, &str); 5] =
    [(0x10, "SENDOK"), (0x08, "TIMEOUT"), (0x04, "RECV"), (0x02, "DISCON"), (0x01, "CON")];

fn bits_in_words(value: u8, names: &[(u8, &str)]) -> String {
    let set: Vec<&str> = names.iter().filter(|(bit, _)| value & bit != 0).map(|&(_, name)| name).collect();
    if set.is_empty() { "none".to_owned() } else { set.join(" ") }
}

/// A socket's status, as the datasheets name it.
pub(crate) fn status_name(status: u8) -> Option<&'static str> {
    Some(match status {
        0x00 => "SOCK_CLOSED",
        0x01 => "SOCK_ARP",
        0x13 => "SOCK_INIT",
        0x14 => "SOCK_LISTEN",
        0x15 => "SOCK_SYNSENT",
        0x16 => "SOCK_SYNRECV",
        0x17 => "SOCK_ESTABLISHED",
        0x18 => "SOCK_FIN_WAIT",
        0x1A => "SOCK_CLOSING",
        0x1B => "SOCK_TIME_WAIT",
        0x1C => "SOCK_CLOSE_WAIT",
        0x1D => "SOCK_LAST_ACK",
        0x22 => "SOCK_UDP",
        0x32 => "SOCK_IPRAW",
        0x33 => "SOCK_IPRAW6",
        0x42 => "SOCK_MACRAW",
        _ => return None,
    })
}
