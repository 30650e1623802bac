//! What a socket is opened in, by the low bits of Sn_MR.

use std::net::IpAddr;

/// The mode of a socket.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Mode {
    #[default]
    Closed,
    Tcp(Family),
    Udp(Family),
    IpRaw(Family),
    MacRaw,
    Pppoe,
}

/// Which addresses a socket talks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Family {
    Ipv4,
    Ipv6,
    Dual,
}

impl Family {
    /// Whether an address is of the family.
    pub(crate) fn takes(self, address: IpAddr) -> bool {
        match self {
            Self::Ipv4 => address.is_ipv4(),
            Self::Ipv6 => address.is_ipv6(),
            Self::Dual => true,
        }
    }
}

impl Mode {
    /// The modes of the chips without IPv6 (W5500 datasheet, Sn_MR).
    pub(super) const OF_IPV4: &'static [(u8, Self)] = &[
        (0x0, Self::Closed),
        (0x1, Self::Tcp(Family::Ipv4)),
        (0x2, Self::Udp(Family::Ipv4)),
        (0x3, Self::IpRaw(Family::Ipv4)),
        (0x4, Self::MacRaw),
        (0x5, Self::Pppoe),
    ];

    /// Whether a socket in this mode talks with an address.
    pub(crate) fn takes(self, address: IpAddr) -> bool {
        match self {
            Self::Tcp(family) | Self::Udp(family) | Self::IpRaw(family) => family.takes(address),
            Self::Closed | Self::MacRaw | Self::Pppoe => false,
        }
    }

    /// In words, for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Tcp(Family::Ipv4) => "TCP",
            Self::Tcp(Family::Ipv6) => "TCP6",
            Self::Tcp(Family::Dual) => "TCP dual",
            Self::Udp(Family::Ipv4) => "UDP",
            Self::Udp(Family::Ipv6) => "UDP6",
            Self::Udp(Family::Dual) => "UDP dual",
            Self::IpRaw(Family::Ipv6) => "IPRAW6",
            Self::IpRaw(_) => "IPRAW",
            Self::MacRaw => "MACRAW",
            Self::Pppoe => "PPPoE",
        }
    }
}
