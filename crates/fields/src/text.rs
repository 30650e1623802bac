//! Values as users write them, where a number alone does not say enough.

use std::net::Ipv4Addr;

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

/// An address with its port, or with the one that is usual.
pub fn endpoint(text: &str, usual_port: u16) -> Option<(Ipv4Addr, u16)> {
    let (address, port) = match text.split_once(':') {
        Some((address, text)) => (address, port(text)?),
        None => (text, usual_port),
    };
    Some((address.parse().ok()?, port))
}
