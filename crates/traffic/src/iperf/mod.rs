//! iperf 2 over TCP and UDP, client and server, as Debian's iperf 2.1 and the small ones of embedded stacks speak it.
//!
//! A TCP test is one connection on which the client sends, or several; a head of flags stands first. It asks the server for the
//! other direction where that is wanted, on the same connection or on one back to the client. A UDP test is datagrams with a
//! number and a time of sending; the last one has a negative number, and the server answers it with its report.
//! Left out: the other direction over UDP, isochronous and trip-time tests, and the extended report.

mod datagram;
#[cfg(test)]
mod direction_tests;
mod head;
mod tcp_client;
mod tcp_server;
#[cfg(test)]
mod tests;
mod udp_client;
mod udp_server;

use fields::Takes;

use crate::bulk::MOST_BLOCK_BYTES;

pub use datagram::ServerReport;
pub use head::Direction;
pub use tcp_client::{TCP_CLIENT_OPTIONS, TcpClient, TcpClientSettings};
pub use tcp_server::{TCP_SERVER_OPTIONS, TcpServer, TcpServerSettings};
pub use udp_client::{UDP_CLIENT_OPTIONS, UdpClient, UdpClientSettings};
pub use udp_server::{UDP_SERVER_OPTIONS, UdpServer, UdpServerSettings, UdpSession};

/// The port of iperf 2.
pub const PORT: u16 = 5001;
/// What a TCP test takes as its block.
const BLOCK: Takes = Takes::Size(1, MOST_BLOCK_BYTES as u64);

fn block_bytes(asked: u32) -> usize {
    (asked as usize).clamp(1, MOST_BLOCK_BYTES)
}
