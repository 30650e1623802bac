//! What OPEN takes over from a socket's registers. The documents say "set before OPEN" of them; what is written later waits for
//! the next OPEN, with a warning where it would have mattered. Which document says what stands in
//! `docs/explanation/fidelity-wiznet.md`.

use std::net::{IpAddr, SocketAddr};

use crate::chips::{Facts, Family, Mode};
use crate::map::{Common, Map, Registers, SocketRegister};

use super::{Core, WarningKind};

/// Sn_MR.MULTI, in UDP.
const MULTICAST: u8 = 0x80;
/// Sn_MR.MC, in a multicast group: version 1 of IGMP, and not 2.
const IGMP_VERSION_1: u8 = 0x20;
/// Protocol numbers that IPRAW does not take (W5200 datasheet, Sn_PROTO).
const TCP_AND_UDP: [u8; 2] = [6, 17];

/// A socket's registers as they were at OPEN.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Opened {
    pub(crate) mode: Mode,
    /// What Sn_PORT was at OPEN, or at CONNECT. In UDP it counts as it stands: drivers write it after OPEN, and DHCP servers
    /// answer them (rschlaikjer/w5500 bc75fd7, WIZnetInterface df957a2 of Mbed).
    pub(crate) port: u16,
    pub(crate) ip_protocol: u8,
    pub(crate) type_of_service: u8,
    pub(crate) time_to_live: u8,
    pub(crate) group: Option<Group>,
}

/// A multicast group that a socket in UDP mode is a member of, from OPEN to CLOSE: none of it can be changed (W5200 datasheet,
/// 5.2.2.2, of both addresses; arduino-libraries/Ethernet, issue 271, of the port).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Group {
    pub(crate) hardware_address: [u8; 6],
    pub(crate) peer: Destination,
    pub(crate) is_of_igmp_version_1: bool,
}

/// Whom a packet is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Destination {
    pub(crate) address: IpAddr,
    pub(crate) port: u16,
}

impl Destination {
    /// As Sn_DIPR, or Sn_DIP6R for IPv6, and Sn_DPORT have it now.
    pub(crate) fn in_registers(registers: &Registers<{ SocketRegister::COUNT }>, is_ipv6: bool) -> Self {
        let address = match is_ipv6 {
            true => registers.ipv6(SocketRegister::Dip6r).into(),
            false => registers.address(SocketRegister::Dipr).into(),
        };
        Self { address, port: registers.u16(SocketRegister::Dport) }
    }
}

impl Opened {
    fn now(facts: &Facts, registers: &Registers<{ SocketRegister::COUNT }>) -> Self {
        let bits = registers.u8(SocketRegister::Mr);
        let mode = facts.mode(bits).unwrap_or_default();
        let joins = bits & MULTICAST != 0;
        let group = match mode {
            Mode::Udp(family) if joins => Some(Group {
                hardware_address: registers.hardware_address(SocketRegister::Dhar),
                peer: Destination::in_registers(registers, family == Family::Ipv6),
                is_of_igmp_version_1: bits & IGMP_VERSION_1 != 0,
            }),
            _ => None,
        };
        Self {
            mode,
            port: registers.u16(SocketRegister::Port),
            ip_protocol: registers.u8(SocketRegister::Proto),
            type_of_service: registers.u8(SocketRegister::Tos),
            time_to_live: registers.u8(SocketRegister::Ttl),
            group,
        }
    }
}

impl Core {
    /// OPEN has begun: from here on these registers are as they are now.
    pub(super) fn take_over_registers(&mut self, n: usize) {
        let opened = Opened::now(self.facts, &self.sockets[n].registers);
        self.sockets[n].opened = opened;
        let number = opened.ip_protocol;
        if matches!(opened.mode, Mode::IpRaw(_)) && TCP_AND_UDP.contains(&number) {
            let name = self.map().socket_name(SocketRegister::Proto).unwrap_or_default();
            self.warnings.tell(self.now, WarningKind::IpRawProtocol, || {
                format!("{name} of socket {n} is {number} in IPRAW mode, which has neither TCP nor UDP; nothing is received")
            });
        }
    }

    /// A command uses what OPEN took over: whether the driver believes that it is something else.
    pub(super) fn heed_late_writes(&mut self, n: usize) {
        let (taken, registers) = (self.sockets[n].opened, &self.sockets[n].registers);
        let map: &Map = &self.facts.map;
        let is_ip_raw = matches!(taken.mode, Mode::IpRaw(_));
        let port = registers.u16(SocketRegister::Port);
        if !is_ip_raw && port != taken.port {
            let name = map.socket_name(SocketRegister::Port).unwrap_or_default();
            return self.warnings.tell(self.now, WarningKind::WrittenAfterOpen, || {
                format!("{name} of socket {n} was changed to {port} after OPEN; it counts, but the datasheets want it before")
            });
        }
        let of = |field, taken: u64| (map.socket_name(field), taken, registers.get(field));
        let protocol = u64::from(taken.ip_protocol);
        let pairs = [
            if is_ip_raw { of(SocketRegister::Proto, protocol) } else { (None, 0, 0) },
            of(SocketRegister::Tos, u64::from(taken.type_of_service)),
            of(SocketRegister::Ttl, u64::from(taken.time_to_live)),
        ];
        let Some((Some(name), before, now)) =
            pairs.into_iter().find(|(name, before, now)| name.is_some() && before != now)
        else {
            return;
        };
        self.warnings.tell(self.now, WarningKind::WrittenAfterOpen, || {
            format!("{name} of socket {n} was changed to {now} after OPEN, which had taken {before}; OPEN it again")
        });
    }

    /// A connection is to begin: whether what it needs was ever set. The chip says no word of it; its peers do not answer.
    pub(super) fn heed_zeros(&mut self, n: usize, command: &str, to: Option<Destination>) {
        let registers = &self.sockets[n].registers;
        let name = |field| self.map().socket_name(field);
        let without_port = registers.get(SocketRegister::Port) == 0;
        let missing = match to {
            _ if without_port => name(SocketRegister::Port).zip(Some("OPEN")),
            Some(to) if to.address.is_unspecified() && to.address.is_ipv4() => {
                name(SocketRegister::Dipr).zip(Some(command))
            }
            Some(to) if to.address.is_unspecified() => name(SocketRegister::Dip6r).zip(Some(command)),
            Some(to) if to.port == 0 => name(SocketRegister::Dport).zip(Some(command)),
            Some(to) if to.address.is_ipv4() && self.common.get(Common::Sipr) == 0 => Some(("SIPR", command)),
            _ => None,
        };
        if let Some((name, before)) = missing {
            self.warnings.tell(self.now, WarningKind::LeftZero, || {
                format!("{command} of socket {n} was given while {name} is zero: no connection comes about; set it before {before}")
            });
        }
    }

    /// SEND goes to the group of OPEN, whatever the registers say meanwhile.
    pub(super) fn heed_other_destination(&mut self, n: usize, group: &Group) {
        let is_ipv6 = group.peer.address.is_ipv6();
        let wanted = Destination::in_registers(&self.sockets[n].registers, is_ipv6);
        if wanted != group.peer {
            self.warnings.tell(self.now, WarningKind::GroupOfOpen, || {
                format!(
                    "SEND of socket {n} goes to {}, the group of its OPEN, and not to Sn_DIPR and Sn_DPORT; \
                     SEND_MAC goes there",
                    SocketAddr::new(group.peer.address, group.peer.port)
                )
            });
        }
    }
}
