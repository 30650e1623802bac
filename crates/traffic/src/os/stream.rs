//! One TCP connection on a non-blocking socket: what waits to be sent, what the machine waits for, and how far each direction
//! has come to its end.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr};
use std::time::{Duration, SystemTime};

use bytes::{Buf, Bytes};
use mio::net::TcpStream;
use socket2::SockRef;

use super::{drained, stamps};

/// The room of a connection's queue in the seat; more is taken too, but `Room` is not told before it has left.
pub const QUEUE_BYTES: usize = 64 * 1024;

/// What the kernel takes of a connection before the peer has room for it. With more, of which Linux takes megabytes, what was
/// written would say little about what has left.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 16 * 1024;

/// How far opening has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Pending,
    Open,
}

/// What a read brought.
#[derive(Debug)]
pub(super) enum Reading {
    Bytes(usize, Option<SystemTime>),
    Nothing,
    End,
}

#[derive(Debug)]
pub(super) struct Stream {
    socket: TcpStream,
    pub(super) peer: SocketAddr,
    pub(super) opening: Opening,
    /// What is left of a block that the kernel has taken in part; it stands before `waiting`.
    block: Bytes,
    waiting: VecDeque<u8>,
    /// Whether there may be something to read: the system says so once, and not again before all of it is read.
    pub(super) readable: bool,
    wanted_room_bytes: Option<usize>,
    pub(super) wants_drained: bool,
    pub(super) held: bool,
    finish: bool,
    send_ended: bool,
    peer_ended: bool,
    /// The system has said that the peer sends no more, which a read has yet to find.
    pub(super) ends: bool,
}

impl Stream {
    pub(super) fn new(socket: TcpStream, peer: SocketAddr, opening: Opening) -> Self {
        stamps::enable(&socket);
        // A kernel without the option takes more, and all else is the same.
        #[cfg(target_os = "linux")]
        let _ = SockRef::from(&socket).set_tcp_notsent_lowat(UNSENT_BYTES);
        Self {
            ends: false,
            socket,
            peer,
            opening,
            block: Bytes::new(),
            waiting: VecDeque::new(),
            readable: true,
            wanted_room_bytes: None,
            wants_drained: false,
            held: false,
            finish: false,
            send_ended: false,
            peer_ended: false,
        }
    }

    pub(super) fn socket(&mut self) -> &mut TcpStream {
        &mut self.socket
    }

    /// Whether a connection that was asked for has come to be, or why not.
    pub(super) fn try_open(&mut self) -> io::Result<bool> {
        if let Some(error) = self.socket.take_error()? {
            return Err(error);
        }
        match self.socket.peer_addr() {
            Ok(_) => {
                self.opening = Opening::Open;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.finish {
            return Ok(());
        }
        // Most finds room in the kernel, and need not be copied before.
        let taken = if self.has_waiting() { 0 } else { self.write(bytes)? };
        self.waiting.extend(&bytes[taken..]);
        Ok(())
    }

    /// The same of bytes that need not be copied in any case.
    pub(super) fn send_block(&mut self, mut bytes: Bytes) -> io::Result<()> {
        if self.finish || self.has_waiting() {
            return self.send(&bytes);
        }
        bytes.advance(self.write(&bytes)?);
        self.block = bytes;
        Ok(())
    }

    /// Gives the kernel what it takes of some bytes: so many.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut taken = 0;
        while self.opening == Opening::Open && taken < bytes.len() {
            match self.socket.write(&bytes[taken..]) {
                Ok(count) => taken += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(taken)
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.finish = true;
        self.flush()
    }

    /// Gives the kernel what it takes.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        if self.opening == Opening::Pending {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        let taken = self.write(&block)?;
        if taken < block.len() {
            self.block = block.slice(taken..);
            return Ok(());
        }
        while !self.waiting.is_empty() {
            match self.socket.write(self.waiting.as_slices().0) {
                Ok(count) => drop(self.waiting.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if self.finish && !self.send_ended {
            self.send_ended = true;
            match self.socket.shutdown(Shutdown::Write) {
                Err(error) if error.kind() != io::ErrorKind::NotConnected => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<Reading> {
        if self.held || self.peer_ended || !self.readable || self.opening == Opening::Pending {
            return Ok(Reading::Nothing);
        }
        match stamps::read(&self.socket, buffer) {
            Ok((0, _)) => {
                self.peer_ended = true;
                Ok(Reading::End)
            }
            Ok((count, stamp)) => Ok(Reading::Bytes(count, stamp)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.readable = false;
                Ok(Reading::Nothing)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Reading::Nothing),
            Err(error) => Err(error),
        }
    }

    pub(super) fn want_room(&mut self, bytes: usize) {
        if bytes == 0 {
            self.wants_drained = true;
        } else {
            self.wanted_room_bytes = Some(bytes);
        }
    }

    /// The room that was asked for, once it is there.
    pub(super) fn take_room(&mut self) -> Option<usize> {
        let wanted = self.wanted_room_bytes?;
        let free = QUEUE_BYTES.saturating_sub(self.block.len() + self.waiting.len());
        let there = self.opening == Opening::Open && (wanted <= free || !self.has_waiting());
        if !there {
            return None;
        }
        self.wanted_room_bytes = None;
        Some(free.max(wanted))
    }

    /// Whether the peer has acknowledged everything, when that was asked for.
    pub(super) fn take_drained(&mut self) -> bool {
        let drained = self.wants_drained
            && self.opening == Opening::Open
            && !self.has_waiting()
            && self
                .socket
                .local_addr()
                .ok()
                .and_then(|local| drained::unacknowledged_bytes(local, self.peer))
                .is_none_or(|bytes| bytes == 0);
        if drained {
            self.wants_drained = false;
        }
        drained
    }

    pub(super) fn is_over(&self) -> bool {
        self.send_ended && self.peer_ended
    }

    pub(super) fn has_unsent(&self) -> bool {
        self.has_waiting() && self.opening == Opening::Open
    }

    fn has_waiting(&self) -> bool {
        !self.block.is_empty() || !self.waiting.is_empty()
    }

    pub(super) fn set_no_delay(&self, on: bool) -> io::Result<()> {
        SockRef::from(&self.socket).set_tcp_nodelay(on)
    }

    /// Makes closing the socket send a reset.
    pub(super) fn reset_on_close(&self) -> io::Result<()> {
        SockRef::from(&self.socket).set_linger(Some(Duration::ZERO))
    }
}
