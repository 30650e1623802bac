//! What a PC is made of.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use units::Picoseconds;

/// When the PC acknowledges what it receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckPolicy {
    /// As Linux does: at once at first, then 40 ms late or along with the answer once both sides talk in turns.
    Linux,
    /// Each segment at once.
    Immediate,
    /// Always so late, except for every second full segment.
    Delayed(Picoseconds),
}

/// What a router tells hosts to do for their addresses (RFC 4861 section 4.2, RFC 4862).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressConfiguration {
    /// They form an address of the prefix, and are told the DNS server (SLAAC).
    Slaac,
    /// They form an address, and ask a DHCPv6 server for the rest.
    StatelessDhcp,
    /// They ask a DHCPv6 server for an address and for the rest.
    StatefulDhcp,
}

/// A PC.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Its name, which also names its random numbers.
    pub name: String,
    /// Its Ethernet address; must be that of one station.
    pub mac: [u8; 6],
    /// Its IPv4 address.
    pub address: Ipv4Addr,
    /// How many bits of it name the network.
    pub prefix: u8,
    /// Where everything else is reached.
    pub gateway: Option<Ipv4Addr>,
    /// Its address of IPv6 beside the link-local one, and how many bits of it name the network; there is no gateway.
    pub ipv6: Option<(Ipv6Addr, u8)>,
    /// Whether it is the router of that network: it answers router solicitations, and forwards nothing.
    pub ipv6_router: bool,
    /// What it tells hosts as a router.
    pub ipv6_configuration: AddressConfiguration,
    /// Whether it plays every host that is asked for and is no other station: it answers ARP requests for any address of
    /// one host with its own Ethernet address, takes packets for it, and answers them from there. It has up to seven such
    /// addresses at a time. To an address outside its network it speaks as .1 (or .254) of that address's /24.
    pub answers_for_all: bool,
    /// Of its sequence numbers and ports.
    pub seed: u64,
    /// From a frame's last bit on the wire to TCP/IP: card, interrupt, driver.
    pub receive_time: Picoseconds,
    /// From data in a socket to the application that reads it: wake-up and scheduling.
    pub application_time: Picoseconds,
    /// From TCP/IP to the card's first bit on the wire.
    pub send_time: Picoseconds,
    /// How many connections of a listener may be half open, and how many may wait to be accepted; Linux answers neither
    /// more (somaxconn is 4096; most servers ask for 128 or 511).
    pub backlog: usize,
    /// More connections than this are refused silently; those that are over go first.
    pub most_connections: usize,
    /// Whether Nagle's algorithm is on for new connections.
    pub nagle: bool,
    /// When it acknowledges.
    pub ack_policy: AckPolicy,
    /// Bytes that a connection holds for an application that does not read: the whole window. 64240 is what Linux offers at
    /// first (44 segments of 1460) with `tcp_rmem` at its default of 131072; over IPv6 it then offers 64800 (45 of 1440).
    pub receive_buffer_bytes: usize,
    /// Bytes that a connection holds until they are acknowledged.
    pub send_buffer_bytes: usize,
    /// After how long the first SYN is repeated (RFC 6298: 1 s).
    pub initial_rto: Picoseconds,
    /// How often a SYN is repeated at doubled intervals (`tcp_syn_retries`).
    pub syn_retries: u32,
    /// How often it is repeated before that, `initial_rto` apart (`tcp_syn_linear_timeouts`, 4 since Linux 6.5).
    pub linear_syn_retries: u32,
    /// How often the answer to a SYN is repeated (`tcp_synack_retries`).
    pub synack_retries: u32,
    /// Whether it offers TCP timestamps (`tcp_timestamps`).
    pub timestamps: bool,
    /// After how long without an answer a connection that has something to send is given up; Linux with
    /// `tcp_retries2` at 15 takes 924.6 s.
    pub give_up: Picoseconds,
}

/// What Linux offers at first over IPv4 and over IPv6.
const LINUX_WINDOW_BYTES: usize = 64_240;
const LINUX_WINDOW_BYTES_OVER_IPV6: usize = 64_800;

impl HostOptions {
    /// The window of a connection with a peer.
    pub(super) fn window_bytes(&self, peer: IpAddr) -> usize {
        match (self.receive_buffer_bytes, peer) {
            (LINUX_WINDOW_BYTES, IpAddr::V6(_)) => LINUX_WINDOW_BYTES_OVER_IPV6,
            (bytes, _) => bytes,
        }
    }

    /// A desktop with Linux's defaults.
    pub fn new(name: &str, mac: [u8; 6], address: Ipv4Addr, prefix: u8) -> Self {
        Self {
            name: name.to_owned(),
            mac,
            address,
            prefix,
            gateway: None,
            ipv6: None,
            ipv6_router: false,
            ipv6_configuration: AddressConfiguration::Slaac,
            answers_for_all: false,
            seed: 1,
            receive_time: Picoseconds::from_ns(10_000),
            application_time: Picoseconds::from_ns(20_000),
            send_time: Picoseconds::from_ns(5_000),
            backlog: 128,
            most_connections: 4096,
            nagle: true,
            ack_policy: AckPolicy::Linux,
            receive_buffer_bytes: LINUX_WINDOW_BYTES,
            send_buffer_bytes: 65_536,
            initial_rto: Picoseconds::new(units::PS_PER_S),
            syn_retries: 6,
            linear_syn_retries: 4,
            synack_retries: 5,
            timestamps: true,
            give_up: Picoseconds::new(9_246 * units::PS_PER_S / 10),
        }
    }
}
