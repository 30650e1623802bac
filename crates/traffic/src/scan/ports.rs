//! The settings of the scan, declared, and the list of ports as users write it.

use std::net::IpAddr;

use units::{PS_PER_MS, PS_PER_S, Picoseconds};

use crate::options::{self, Values, option, to};
use crate::{Declared, OptionError};
use fields::Field;
use fields::TakesOf::{Count, Duration, Host, Text};

/// First those at which a board is most likely to listen, since whoever answers nothing elsewhere is given up early. Then the
/// ports of the IANA registry's system range, and those that examples and libraries for microcontrollers use.
const USUAL_PORTS: &str = "80,1234,8080,5000,7,23,4242,5001,8000,443,1-1024,1337,1883,2000,2222,2323,3000,3333,4000,4001,\
                           4321,4444,4840,5002-5005,5025,5201,5555,5678,6053,6666,6969,7777,8008,8081-8088,8123,8266,8883,\
                           8888,9000,9090,9100,9999,10000,10001,12345,20000,50000,65432";

/// Likewise of UDP: an echo (RFC 862), TFTP, CoAP, Art-Net, OSC, and those that examples for microcontrollers use.
const USUAL_UDP_PORTS: &str = "7,53,69,161,1234,1337,2000,2323,2390,3000,3333,4000,4210,4242,4321,4444,5000-5005,5555,5683,6000,\
                               6454,6666,7000,7777,8000,8080,8266,8888,9000,9999,10000,10001,12345,20000,30303,50000,54321,65432";
/// What stands for no port at all.
const NONE: &str = "none";

/// The settings of [`super::Client`], declared.
pub const CLIENT_OPTIONS: &[Field] = &[
    to(Host, "Whose ports to look at.", "192.168.1.20"),
    option(
        "ports",
        Text("ports and ranges of ports, joined by commas, or none"),
        USUAL_PORTS,
        "Which TCP ports to knock at.",
        "80,5000-5005",
    ),
    option(
        "udp_ports",
        Text("ports and ranges of ports, joined by commas, or none"),
        USUAL_UDP_PORTS,
        "Which UDP ports get a datagram.",
        "7,5000-5005",
    ),
    option("at_a_time", Count(1, 64), "16", "How many connections are asked for at a time.", "4"),
    option("timeout", Duration, "1s", "How long to wait for an opening or an answer.", "200ms"),
    option("greeting_time", Duration, "50ms", "How long a server may take to speak first.", "1s"),
    option("datagram_time", Duration, "300ms", "How long the answer to a datagram may take.", "1s"),
];

/// The settings of [`super::Client`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Whose ports to look at.
    pub to: IpAddr,
    /// Which TCP ports to knock at.
    pub ports: Vec<u16>,
    /// Which UDP ports get a datagram.
    pub udp_ports: Vec<u16>,
    /// How many connections are asked for at a time.
    pub at_a_time: usize,
    /// How long to wait for an opening or an answer.
    pub timeout: Picoseconds,
    /// How long a server may take to speak first.
    pub greeting_time: Picoseconds,
    /// How long the answer to a datagram may take.
    pub datagram_time: Picoseconds,
}

impl ClientSettings {
    /// The defaults of [`CLIENT_OPTIONS`], for these TCP ports alone.
    pub fn to(to: impl Into<IpAddr>, ports: Vec<u16>) -> Self {
        Self {
            to: to.into(),
            ports,
            udp_ports: Vec::new(),
            at_a_time: 16,
            timeout: Picoseconds::new(PS_PER_S),
            greeting_time: Picoseconds::new(50 * PS_PER_MS),
            datagram_time: Picoseconds::new(300 * PS_PER_MS),
        }
    }
}

impl Declared for ClientSettings {
    const OPTIONS: &'static [Field] = CLIENT_OPTIONS;

    fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        Ok(Self {
            to: values.read("to", fields::text::address)?,
            ports: values.read("ports", ports)?,
            udp_ports: values.read("udp_ports", ports)?,
            at_a_time: values.read("at_a_time", options::parsed)?,
            timeout: values.read("timeout", options::time)?,
            greeting_time: values.read("greeting_time", options::time)?,
            datagram_time: values.read("datagram_time", options::time)?,
        })
    }
}

/// Ports from 1 and ranges of them, each port once and in the order of the text; at least one, unless none is written.
fn ports(text: &str) -> Option<Vec<u16>> {
    if text.trim() == NONE {
        return Some(Vec::new());
    }
    let mut seen = vec![false; usize::from(u16::MAX) + 1];
    let mut found = Vec::new();
    for range in options::list(text, range)? {
        for port in range {
            if !std::mem::replace(&mut seen[usize::from(port)], true) {
                found.push(port);
            }
        }
    }
    Some(found).filter(|found| !found.is_empty())
}

fn range(text: &str) -> Option<std::ops::RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last): (u16, u16) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first > 0 && first <= last).then_some(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_stand_once_and_in_the_order_of_the_text() {
        assert_eq!(ports("80, 5000-5002,80,5001"), Some(vec![80, 5000, 5001, 5002]));
        assert_eq!(ports("65535"), Some(vec![65535]));
        assert_eq!(ports("none"), Some(Vec::new()));
    }

    #[test]
    fn what_is_no_port_is_refused() {
        for text in ["", "0", "5-3", "65536", "a", "1-", "-1", "1-2-3"] {
            assert_eq!(ports(text), None, "{text}");
        }
    }
}
