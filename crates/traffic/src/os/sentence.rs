//! Errors of sockets as sentences that name the peer.

use std::fmt::Display;
use std::io;

/// What went wrong with a connection to `peer`.
pub(super) fn of_connection(error: &io::Error, peer: impl Display) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("connection refused at {peer}"),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionAborted => {
            format!("connection reset by {peer}")
        }
        io::ErrorKind::TimedOut => format!("no answer from {peer}: the connection timed out"),
        io::ErrorKind::HostUnreachable => format!("no route to the host of {peer}"),
        io::ErrorKind::NetworkUnreachable => format!("no route to the network of {peer}"),
        io::ErrorKind::AddrNotAvailable => format!("no local port is free for a connection to {peer}"),
        _ => format!("connection with {peer} failed: {error}"),
    }
}

/// Why a port cannot be had.
pub(super) fn of_port(error: &io::Error, what: &str, port: u16) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("{what} port {port} is in use by another program; choose another port")
        }
        io::ErrorKind::PermissionDenied => {
            format!(
                "{what} port {port} needs rights that this user does not have; choose a port from 1024 up"
            )
        }
        _ => format!("{what} port {port} cannot be opened: {error}"),
    }
}
