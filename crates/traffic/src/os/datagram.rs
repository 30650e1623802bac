//! A UDP socket. What the kernel does not take at once waits in a short queue; beyond it datagrams are dropped and counted.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::time::SystemTime;

use mio::net::UdpSocket;
use socket2::{Domain, Protocol, Socket, Type};

use super::stamps;
use crate::IpEndpoint;

/// Datagrams that may wait for the kernel.
const QUEUE_DATAGRAMS: usize = 256;
/// Asked of the kernel, so that a burst finds room while the machine computes; it may give less.
const RECEIVE_BUFFER_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub(super) struct Datagrams {
    socket: UdpSocket,
    waiting: VecDeque<(SocketAddr, Vec<u8>)>,
    wants_room: Option<usize>,
    pub(super) dropped: u64,
}

impl Datagrams {
    pub(super) fn bind(address: Ipv4Addr, port: u16, broadcast: bool) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_nonblocking(true)?;
        socket.set_broadcast(broadcast)?;
        socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
        socket.bind(&SocketAddr::from(SocketAddrV4::new(address, port)).into())?;
        let socket = UdpSocket::from_std(socket.into());
        stamps::enable(&socket);
        Ok(Self { socket, waiting: VecDeque::new(), wants_room: None, dropped: 0 })
    }

    pub(super) fn socket(&mut self) -> &mut UdpSocket {
        &mut self.socket
    }

    pub(super) fn send(&mut self, to: SocketAddrV4, bytes: Vec<u8>) {
        if self.waiting.len() >= QUEUE_DATAGRAMS {
            self.dropped += 1;
            return;
        }
        self.waiting.push_back((to.into(), bytes));
        self.flush();
    }

    pub(super) fn flush(&mut self) {
        while let Some((to, bytes)) = self.waiting.front() {
            match self.socket.send_to(bytes, *to) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Ok(_) => {}
                // A datagram that cannot leave (too long, no route) is lost, as it might be on the way.
                Err(_) => self.dropped += 1,
            }
            self.waiting.pop_front();
        }
    }

    pub(super) fn want_room(&mut self, bytes: usize) {
        self.wants_room = Some(bytes);
    }

    pub(super) fn take_room(&mut self) -> Option<usize> {
        if self.waiting.is_empty() { self.wants_room.take() } else { None }
    }

    /// The next datagram; errors that ICMP messages leave on the socket are passed over.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> Option<(usize, IpEndpoint, Option<SystemTime>)> {
        loop {
            match stamps::receive_from(&self.socket, buffer) {
                Ok((count, from, stamp)) => {
                    return Some((count, IpEndpoint::new(*from.ip(), from.port()), stamp));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(_) => {}
            }
        }
    }
}
