//! Values as users write them, where a number alone does not say enough.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use units::{Bytes, PS_PER_S, Picoseconds};

/// true or false, yes or no.
pub fn flag(text: &str) -> Option<bool> {
    match text {
        "true" | "yes" => Some(true),
        "false" | "no" => Some(false),
        _ => None,
    }
}

/// A time of at most a day, never negative.
pub fn time(text: &str) -> Option<Picoseconds> {
    const LONGEST: Picoseconds = Picoseconds::new(86_400 * PS_PER_S);
    let time: Picoseconds = text.parse().ok()?;
    (Picoseconds::ZERO <= time && time <= LONGEST).then_some(time)
}

/// So many bytes.
pub fn size<T: TryFrom<u64>>(text: &str) -> Option<T> {
    let bytes: Bytes = text.parse().ok()?;
    T::try_from(bytes.get()).ok()
}

/// Bits a second, at least one.
pub fn rate(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale: u64 = match unit.trim_start() {
        "" | "bit/s" => 1,
        "kbit/s" => 1_000,
        "Mbit/s" => 1_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale).filter(|rate| *rate > 0)
}

/// A TCP or UDP port.
pub fn port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port > 0)
}

/// An address of either family; one of IPv6 may stand in brackets.
pub fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    bare.map_or_else(|| text.parse().ok(), |text| text.parse().ok().map(IpAddr::V6))
}

/// An address with its port, or with the one that is usual. Before a port one of IPv6 stands in brackets.
pub fn endpoint(text: &str, usual_port: u16) -> Option<(IpAddr, u16)> {
    if text.parse::<Ipv6Addr>().is_ok() || text.ends_with(']') {
        return Some((address(text)?, usual_port));
    }
    if let Some((bracketed, digits)) = text.rsplit_once("]:") {
        return Some((bracketed.strip_prefix('[')?.parse::<Ipv6Addr>().ok()?.into(), port(digits)?));
    }
    let (address, port) = match text.split_once(':') {
        Some((address, text)) => (address, port(text)?),
        None => (text, usual_port),
    };
    Some((address.parse::<Ipv4Addr>().ok()?.into(), port))
}
