//! A line of a control connection (RFC 959, section 5.3), and the addresses that lines hold.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::IpEndpoint;

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
pub(super) fn endpoint(text: &str) -> Option<IpEndpoint> {
    let numbers: Vec<u8> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let [a, b, c, d, high, low] = numbers[..] else { return None };
    usable(IpEndpoint::new([a, b, c, d], u16::from_be_bytes([high, low])))
}

/// `|1|address|port|`, or with a 2 an address of IPv6 (RFC 2428, section 2).
pub(super) fn extended_endpoint(text: &str) -> Option<IpEndpoint> {
    let delimiter = text.chars().next()?;
    let parts: Vec<&str> = text.split(delimiter).collect();
    let ["", family, address, port, ""] = parts[..] else { return None };
    let address = match family {
        "1" => address.parse::<Ipv4Addr>().ok()?.into(),
        "2" => address.parse::<Ipv6Addr>().ok()?.into(),
        _ => return None,
    };
    usable(IpEndpoint { address, port: port.parse().ok()? })
}

fn usable(endpoint: IpEndpoint) -> Option<IpEndpoint> {
    Some(endpoint).filter(|one| one.port > 0 && !one.address.is_unspecified())
}

/// As [`endpoint`] reads it; nothing for an address of IPv6.
pub(super) fn spoken(endpoint: IpEndpoint) -> Option<String> {
    let IpAddr::V4(address) = endpoint.address else { return None };
    let [a, b, c, d] = address.octets();
    let [high, low] = endpoint.port.to_be_bytes();
    Some(format!("{a},{b},{c},{d},{high},{low}"))
}
