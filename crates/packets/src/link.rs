//! What stands in front of IP in a recorded packet, by the link type of the recording (the registry of the tcpdump group), and how
//! long it is.

const IPV4: u16 = 0x0800;
/// What stands for IPv4 in PPP (RFC 1332, 2.1).
const IPV4_IN_PPP: u16 = 0x0021;
/// A session of PPP over Ethernet (RFC 2516, 4).
const PPPOE_SESSION: u16 = 0x8864;
/// Customers' tags and those of services, of IEEE 802.1Q, and what switches had for the latter before it.
const TAGS: [u16; 3] = [0x8100, 0x88a8, 0x9100];

/// What stands in front of IP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// Ethernet, with or without VLAN tags and PPPoE.
    Ethernet,
    /// IP without anything in front.
    Raw,
    /// Four bytes of an address family.
    Null,
    /// PPP, with or without its address and control field.
    Ppp,
    /// What Linux gives of all interfaces at once (SLL).
    Cooked,
    /// The same, version 2.
    Cooked2,
    /// Anything else, by its number.
    Other(u16),
}

impl Link {
    /// By the number in the registry.
    pub const fn of(number: u16) -> Self {
        match number {
            1 => Self::Ethernet,
            // Besides 101 and 228 there are the numbers that systems have for it themselves.
            12 | 14 | 101 | 228 => Self::Raw,
            0 | 108 => Self::Null,
            9 | 50 => Self::Ppp,
            113 => Self::Cooked,
            276 => Self::Cooked2,
            other => Self::Other(other),
        }
    }

    /// What is behind the header of the link: a packet of IPv4, or nothing.
    pub(crate) fn internet_packet(self, bytes: &[u8]) -> Option<&[u8]> {
        match self {
            Self::Raw => Some(bytes),
            Self::Null => bytes.get(4..),
            Self::Ppp => behind_ppp(bytes),
            Self::Cooked => behind_type(bytes, 14, 16),
            Self::Cooked2 => behind_type(bytes, 0, 20),
            Self::Ethernet => behind_type(bytes, 12, 14),
            Self::Other(_) => None,
        }
    }
}

/// What stands at a place, by the type that stands at another: IP, or tags and what is behind them.
fn behind_type(bytes: &[u8], type_at: usize, behind_at: usize) -> Option<&[u8]> {
    const PPPOE_BYTES: usize = 6;
    let (mut kind, mut behind) = (u16_at(bytes, type_at)?, bytes.get(behind_at..)?);
    while TAGS.contains(&kind) {
        (kind, behind) = (u16_at(behind, 2)?, behind.get(4..)?);
    }
    match kind {
        IPV4 => Some(behind),
        PPPOE_SESSION => behind_ppp(behind.get(PPPOE_BYTES..)?),
        _ => None,
    }
}

/// PPP in frames like those of HDLC (RFC 1662, 3.1), or without their first two bytes.
fn behind_ppp(bytes: &[u8]) -> Option<&[u8]> {
    const ADDRESS_AND_CONTROL: &[u8] = &[0xff, 0x03];
    let bytes = bytes.strip_prefix(ADDRESS_AND_CONTROL).unwrap_or(bytes);
    if u16_at(bytes, 0)? == IPV4_IN_PPP { bytes.get(2..) } else { None }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|number| u16::from_be_bytes(*number))
}
