//! What a board is on its network: its address, whether it has a link, and whom it calls.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use lan::{Call, Transport};
use serde::Serialize;

use super::Board;

/// A board on its network.
#[derive(Debug, Clone, Serialize)]
pub struct NetworkState {
    /// The address that it takes for its own, once it has one.
    pub address: Option<Ipv4Addr>,
    /// The link-local address of IPv6 that it speaks from, or has probed for.
    pub link_local: Option<Ipv6Addr>,
    /// Whether its chip sees a link.
    pub has_link: bool,
    /// An address of its network that nobody has, with the prefix length, such as `192.168.1.2/24`; nothing where the network
    /// file says that there is no PC.
    pub free_address: Option<String>,
    /// Whom it called since it is watched.
    pub calls: Vec<CallEntry>,
}

/// Somebody whom a board called.
#[derive(Debug, Clone, Serialize)]
pub struct CallEntry {
    /// Over TCP or UDP.
    pub over: &'static str,
    /// The other end's address.
    pub address: IpAddr,
    /// The other end's port.
    pub port: u16,
    /// Segments that ask for a connection; or datagrams.
    pub asked: u64,
    /// Bytes of the application.
    pub payload_bytes: u64,
    /// How often the other end accepted, or sent a datagram.
    pub answers: u64,
}

impl From<&Call> for CallEntry {
    fn from(call: &Call) -> Self {
        Self {
            over: match call.over {
                Transport::Tcp => "tcp",
                Transport::Udp => "udp",
            },
            address: call.to.address,
            port: call.to.port,
            asked: call.asked,
            payload_bytes: call.payload_bytes,
            answers: call.answers,
        }
    }
}

impl Board {
    /// Keeps from here on whom the board calls; nothing happens where it has no network.
    pub fn watch_calls(&mut self) {
        if let Some(lan) = self.parts().lan() {
            lan.watch_calls();
        }
    }

    /// What the board is on its network as of now; nothing where it has none.
    pub fn network_state(&mut self) -> Option<NetworkState> {
        let lan = self.parts().lan()?;
        Some(NetworkState {
            address: lan.addresses().find(|address| !address.is_unspecified()),
            link_local: lan.link_local_addresses().next(),
            has_link: lan.attached().any(|device| device.has_link()),
            free_address: lan.free_address().map(|(address, prefix)| format!("{address}/{prefix}")),
            calls: lan.calls().map(CallEntry::from).collect(),
        })
    }
}
