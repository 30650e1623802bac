//! When what is read arrived at this computer, as its kernel says it. A program is woken some time after that, and the
//! difference would be taken for the board's. Linux stamps on request (SO_TIMESTAMPING); elsewhere nobody does.

use std::io;
use std::net::SocketAddrV4;
use std::time::{Duration, SystemTime};

/// Bytes that were read, and when the last of them arrived by the clock of the system.
pub(super) type Stamped = (usize, Option<SystemTime>);

/// A datagram that was read, with its sender.
pub(super) type StampedFrom = (usize, SocketAddrV4, Option<SystemTime>);

/// A stamp that is older is none of what was just read: somebody has set the clock.
const OLDEST: Duration = Duration::from_secs(1);

/// How long ago that was; nothing where the clock was set meanwhile.
pub(super) fn age(stamp: Option<SystemTime>) -> Option<Duration> {
    let age = SystemTime::now().duration_since(stamp?).ok()?;
    (age <= OLDEST).then_some(age)
}

#[cfg(target_os = "linux")]
mod of_linux {
    use std::io::IoSliceMut;
    use std::os::fd::{AsFd, AsRawFd};

    use nix::cmsg_space;
    use nix::sys::socket::sockopt::Timestamping;
    use nix::sys::socket::{
        ControlMessageOwned, MsgFlags, RecvMsg, SockaddrIn, TimestampingFlag, recvmsg, setsockopt,
    };
    use nix::sys::time::TimeSpec;

    use super::{Duration, SocketAddrV4, Stamped, StampedFrom, SystemTime, io};

    /// Has the kernel stamp what arrives, where it does.
    pub(in super::super) fn enable(socket: &impl AsFd) {
        let wanted =
            TimestampingFlag::SOF_TIMESTAMPING_RX_SOFTWARE | TimestampingFlag::SOF_TIMESTAMPING_SOFTWARE;
        // Without stamps the program's own clock is read.
        let _ = setsockopt(socket, Timestamping, &wanted);
    }

    /// Reads a stream.
    pub(in super::super) fn read(socket: &impl AsRawFd, buffer: &mut [u8]) -> io::Result<Stamped> {
        let mut space = cmsg_space!([TimeSpec; 3]);
        let mut parts = [IoSliceMut::new(buffer)];
        let read: RecvMsg<'_, '_, ()> =
            recvmsg(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::empty())?;
        Ok((read.bytes, stamp(&read)))
    }

    /// Reads a datagram.
    pub(in super::super) fn receive_from(
        socket: &impl AsRawFd,
        buffer: &mut [u8],
    ) -> io::Result<StampedFrom> {
        let mut space = cmsg_space!([TimeSpec; 3]);
        let mut parts = [IoSliceMut::new(buffer)];
        let read: RecvMsg<'_, '_, SockaddrIn> =
            recvmsg(socket.as_raw_fd(), &mut parts, Some(&mut space), MsgFlags::empty())?;
        let from = read.address.ok_or(io::ErrorKind::InvalidData)?;
        Ok((read.bytes, SocketAddrV4::new(from.ip(), from.port()), stamp(&read)))
    }

    fn stamp<S>(read: &RecvMsg<'_, '_, S>) -> Option<SystemTime> {
        let stamps = read.cmsgs().ok()?.find_map(|message| match message {
            ControlMessageOwned::ScmTimestampsns(stamps) => Some(stamps),
            _ => None,
        })?;
        let since_epoch = Duration::from(stamps.system);
        (since_epoch > Duration::ZERO).then(|| SystemTime::UNIX_EPOCH + since_epoch)
    }
}

#[cfg(not(target_os = "linux"))]
mod of_others {
    use std::io::Read;
    use std::net::SocketAddr;

    use mio::net::UdpSocket;

    use super::{Stamped, StampedFrom, io};

    /// Nobody stamps.
    pub(in super::super) fn enable<S>(_: &S) {}

    /// Reads a stream.
    pub(in super::super) fn read<'a, S>(socket: &'a S, buffer: &mut [u8]) -> io::Result<Stamped>
    where
        &'a S: Read,
    {
        let mut socket = socket;
        socket.read(buffer).map(|count| (count, None))
    }

    /// Reads a datagram.
    pub(in super::super) fn receive_from(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<StampedFrom> {
        match socket.recv_from(buffer)? {
            (count, SocketAddr::V4(from)) => Ok((count, from, None)),
            (_, SocketAddr::V6(_)) => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(target_os = "linux")]
pub(super) use of_linux::{enable, read, receive_from};
#[cfg(not(target_os = "linux"))]
pub(super) use of_others::{enable, read, receive_from};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_meanwhile_gives_no_age() {
        let now = SystemTime::now();
        let set_back = now + Duration::from_secs(3600);
        let set_forward = now - Duration::from_secs(3600);
        assert_eq!([age(Some(set_back)), age(Some(set_forward)), age(None)], [None; 3]);
        assert!(age(Some(now)).is_some_and(|age| age <= OLDEST));
    }
}
