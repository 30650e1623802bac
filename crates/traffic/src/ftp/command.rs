//! A line of a control connection (RFC 959, section 5.3), and the addresses that lines hold.

use std::net::Ipv4Addr;

use crate::Ipv4Endpoint;

/// Telnet commands that clients send before ABOR (RFC 959, section 4.1.3): IAC and the two that follow it.
const TELNET: [u8; 3] = [0xFF, 0xF4, 0xF2];

/// The command in capitals, and what it is about.
pub(super) fn read(line: &[u8]) -> (String, String) {
    let kept: Vec<u8> = line.iter().copied().filter(|byte| !TELNET.contains(byte)).collect();
    let text = String::from_utf8_lossy(&kept);
    let text = text.trim_end_matches(['\r', '\n']);
    let (command, rest) = text.split_once(' ').unwrap_or((text, ""));
    (command.to_ascii_uppercase(), rest.to_owned())
}

/// `h1,h2,h3,h4,p1,p2` (RFC 959, section 4.1.2).
pub(super) fn endpoint(text: &str) -> Option<Ipv4Endpoint> {
    let numbers: Vec<u8> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let [a, b, c, d, high, low] = numbers[..] else { return None };
    usable(Ipv4Endpoint { address: Ipv4Addr::new(a, b, c, d), port: u16::from_be_bytes([high, low]) })
}

/// `|1|address|port|` (RFC 2428, section 2).
pub(super) fn extended_endpoint(text: &str) -> Option<Ipv4Endpoint> {
    let delimiter = text.chars().next()?;
    let parts: Vec<&str> = text.split(delimiter).collect();
    let ["", "1", address, port, ""] = parts[..] else { return None };
    usable(Ipv4Endpoint { address: address.parse().ok()?, port: port.parse().ok()? })
}

fn usable(endpoint: Ipv4Endpoint) -> Option<Ipv4Endpoint> {
    Some(endpoint).filter(|one| one.port > 0 && !one.address.is_unspecified())
}

/// As [`endpoint`] reads it.
pub(super) fn spoken(endpoint: Ipv4Endpoint) -> String {
    let [a, b, c, d] = endpoint.address.octets();
    let [high, low] = endpoint.port.to_be_bytes();
    format!("{a},{b},{c},{d},{high},{low}")
}
