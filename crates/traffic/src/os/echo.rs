//! ICMP echo (RFC 792) through a ping socket, whose kernel filters replies by identifier and may forbid it by group
//! (net.ipv4.ping_group_range), or else through a raw one.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::SystemTime;

use mio::net::UdpSocket;
use socket2::{Domain, Protocol, Socket, Type};

use super::stamps;

const ECHO_REPLY: u8 = 0;
const ECHO_REQUEST: u8 = 8;
const HEADER_BYTES: usize = 8;
/// The least IPv4 header (RFC 791, 3.1), which a raw socket delivers with the message.
const IPV4_HEADER_BYTES: usize = 20;

/// A reply, with the place of its payload in the buffer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) from: Ipv4Addr,
    pub(super) sequence: u16,
    pub(super) payload: std::ops::Range<usize>,
}

#[derive(Debug)]
pub(super) struct EchoSocket {
    socket: UdpSocket,
    raw: bool,
    pub(super) identifier: u16,
}

impl EchoSocket {
    pub(super) fn open(identifier: u16) -> io::Result<Self> {
        let ping = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::ICMPV4));
        let (socket, raw) = match ping {
            Ok(socket) => {
                // A ping socket's identifier is its port; 0 lets the kernel choose, and replies are told as the machine's own.
                socket
                    .bind(&SocketAddr::from(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, identifier)).into())?;
                (socket, false)
            }
            Err(_) => (Socket::new(Domain::IPV4, Type::RAW, Some(Protocol::ICMPV4))?, true),
        };
        socket.set_nonblocking(true)?;
        let socket = UdpSocket::from_std(socket.into());
        stamps::enable(&socket);
        Ok(Self { socket, raw, identifier })
    }

    pub(super) fn socket(&mut self) -> &mut UdpSocket {
        &mut self.socket
    }

    /// Sends a request; one that cannot leave is lost, as it might be on the way.
    pub(super) fn send(&self, to: Ipv4Addr, sequence: u16, payload: &[u8]) -> io::Result<()> {
        let message = request(self.identifier, sequence, payload);
        self.socket.send_to(&message, SocketAddrV4::new(to, 0).into()).map(drop)
    }

    /// The next reply to this identifier.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> Option<(Reply, Option<SystemTime>)> {
        loop {
            match stamps::receive_from(&self.socket, buffer) {
                Ok((count, from, stamp)) => {
                    let identifier = self.raw.then_some(self.identifier);
                    if let Some(reply) = parse(&buffer[..count], *from.ip(), identifier) {
                        return Some((reply, stamp));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(_) => {}
            }
        }
    }
}

fn request(identifier: u16, sequence: u16, payload: &[u8]) -> Vec<u8> {
    let mut message = vec![ECHO_REQUEST, 0, 0, 0];
    message.extend(identifier.to_be_bytes());
    message.extend(sequence.to_be_bytes());
    message.extend(payload);
    let checksum = internet_checksum(&message);
    message[2..4].copy_from_slice(&checksum.to_be_bytes());
    message
}

/// Reads a reply; of a raw socket (`identifier` given) with the IPv4 header before it and of any identifier.
fn parse(bytes: &[u8], from: Ipv4Addr, identifier: Option<u16>) -> Option<Reply> {
    let start = match identifier {
        Some(_) => usize::from(bytes.first()? & 0x0F) * 4,
        None => 0,
    };
    if identifier.is_some() && start < IPV4_HEADER_BYTES {
        return None;
    }
    let message = bytes.get(start..)?;
    let header = message.get(..HEADER_BYTES)?;
    let own = identifier.is_none_or(|own| own == u16::from_be_bytes([header[4], header[5]]));
    if header[0] != ECHO_REPLY || header[1] != 0 || !own {
        return None;
    }
    let sequence = u16::from_be_bytes([header[6], header[7]]);
    Some(Reply { from, sequence, payload: start + HEADER_BYTES..bytes.len() })
}

/// RFC 1071.
fn internet_checksum(bytes: &[u8]) -> u16 {
    let words =
        bytes.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], *pair.get(1).unwrap_or(&0)])));
    let mut sum: u64 = words.map(u64::from).sum();
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_rfc_1071() {
        assert_eq!(!internet_checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), 0xddf2);
    }

    #[test]
    fn a_request_sums_to_zero_and_a_reply_of_another_identifier_is_passed_over() {
        let mut message = request(7, 3, b"odd");
        assert_eq!(internet_checksum(&message), 0);
        message[0] = ECHO_REPLY;
        let from = Ipv4Addr::LOCALHOST;
        assert_eq!(parse(&message, from, None), Some(Reply { from, sequence: 3, payload: 8..11 }));
        let mut packet = vec![0x45; IPV4_HEADER_BYTES];
        packet.extend(&message);
        assert_eq!(parse(&packet, from, Some(7)), Some(Reply { from, sequence: 3, payload: 28..31 }));
        assert_eq!(parse(&packet, from, Some(8)), None);
        assert_eq!(parse(&packet[..25], from, Some(7)), None);
    }
}
