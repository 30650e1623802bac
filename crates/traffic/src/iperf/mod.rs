//! iperf 2 over TCP and UDP, client and server, as Debian's iperf 2.1 and the small ones of embedded stacks speak it.
//!
//! A TCP test is one connection on which the client sends; a head of flags stands first, here always without any. A UDP test is
//! datagrams with a number and a time of sending; the last one has a negative number, and the server answers it with its report.
//! Left out: tests both ways (-d, -r, --full-duplex, --reverse), parallel streams of one client, isochronous and trip-time
//! tests, and the extended report.

mod datagram;
mod tcp;
#[cfg(test)]
mod tests;
mod udp_client;
mod udp_server;

pub use datagram::ServerReport;
pub use tcp::{
    TCP_CLIENT_OPTIONS, TCP_SERVER_OPTIONS, TcpClient, TcpClientSettings, TcpServer, TcpServerSettings,
};
pub use udp_client::{UDP_CLIENT_OPTIONS, UdpClient, UdpClientSettings};
pub use udp_server::{UDP_SERVER_OPTIONS, UdpServer, UdpServerSettings, UdpSession};

/// The port of iperf 2.
pub const PORT: u16 = 5001;
