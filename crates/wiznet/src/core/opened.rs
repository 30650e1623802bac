//! What OPEN takes over from a socket's registers. The documents say "set before OPEN" of them; what is written later waits for
//! the next OPEN, with a warning where it would have mattered. Which document says what stands in
//! `docs/explanation/fidelity-wiznet.md`.

use crate::map::{Map, Registers, SocketRegister};

use super::socket::{protocol, status};
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
    pub(crate) address: [u8; 4],
    pub(crate) port: u16,
}

impl Destination {
    /// As Sn_DIPR and Sn_DPORT have it now.
    pub(crate) fn in_registers(registers: &Registers<{ SocketRegister::COUNT }>) -> Self {
        Self { address: registers.address(SocketRegister::Dipr), port: registers.u16(SocketRegister::Dport) }
    }
}

impl Opened {
    fn now(registers: &Registers<{ SocketRegister::COUNT }>) -> Self {
        let mode = registers.u8(SocketRegister::Mr);
        let group = Group {
            hardware_address: registers.hardware_address(SocketRegister::Dhar),
            peer: Destination::in_registers(registers),
            is_of_igmp_version_1: mode & IGMP_VERSION_1 != 0,
        };
        let joins = mode & 0x0F == protocol::UDP && mode & MULTICAST != 0;
        Self {
            port: registers.u16(SocketRegister::Port),
            ip_protocol: registers.u8(SocketRegister::Proto),
            type_of_service: registers.u8(SocketRegister::Tos),
            time_to_live: registers.u8(SocketRegister::Ttl),
            group: joins.then_some(group),
        }
    }
}

impl Core {
    /// OPEN has begun: from here on these registers are as they are now.
    pub(super) fn take_over_registers(&mut self, n: usize) {
        self.sockets[n].opened = Opened::now(&self.sockets[n].registers);
        let wanted = self.sockets[n].protocol();
        let number = self.sockets[n].opened.ip_protocol;
        if wanted == protocol::IPRAW && TCP_AND_UDP.contains(&number) {
            self.warnings.tell(self.now, WarningKind::IpRawProtocol, || {
                format!("Sn_PROTO of socket {n} is {number} in IPRAW mode, which has neither TCP nor UDP; nothing is received")
            });
        }
    }

    /// A command uses what OPEN took over: whether the driver believes that it is something else.
    pub(super) fn heed_late_writes(&mut self, n: usize) {
        let (taken, registers) = (self.sockets[n].opened, &self.sockets[n].registers);
        let map: &Map = &self.facts.map;
        let is_ip_raw = self.sockets[n].status() == status::IPRAW;
        let of = |field, taken: u64| (map.socket_name(field), taken, registers.get(field));
        let pairs = [
            match is_ip_raw {
                true => of(SocketRegister::Proto, u64::from(taken.ip_protocol)),
                false => of(SocketRegister::Port, u64::from(taken.port)),
            },
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

    /// SEND goes to the group of OPEN, whatever the registers say meanwhile.
    pub(super) fn heed_other_destination(&mut self, n: usize, group: &Group) {
        let wanted = Destination::in_registers(&self.sockets[n].registers);
        if wanted != group.peer {
            let [a, b, c, d] = group.peer.address;
            self.warnings.tell(self.now, WarningKind::GroupOfOpen, || {
                format!(
                    "SEND of socket {n} goes to {a}.{b}.{c}.{d}:{}, the group of its OPEN, and not to Sn_DIPR and Sn_DPORT; \
                     SEND_MAC goes there",
                    group.peer.port
                )
            });
        }
    }
}
