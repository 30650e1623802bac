//! Packets of this computer as they pass, into a pcapng file: those of one address, their headers only. Linux gives them to root,
//! and to programs with CAP_NET_RAW, at a socket of the family AF_PACKET.
//!
//! Left out: what stands in front of IP, IPv6, and packets at a second interface that passes on those of the first.

use std::fs::File;
use std::io;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use thiserror::Error;

/// More are left out: the file would take more than a gigabyte.
#[cfg(target_os = "linux")]
const MOST_PACKETS: u64 = 8_000_000;

/// Why packets cannot be recorded.
#[derive(Debug, Error)]
pub enum RecorderError {
    /// The user may not.
    #[error(
        "packets cannot be recorded by this user: run as root, give the Python program CAP_NET_RAW \
         (sudo setcap cap_net_raw+ep), or record with tcpdump and name its file behind --packets of airwire explain"
    )]
    NotAllowed,
    /// The system cannot.
    #[error(
        "packets are recorded on Linux only; record with tcpdump and name its file behind --packets of airwire explain"
    )]
    NotHere,
    /// The socket failed.
    #[error("packets cannot be recorded: {0}")]
    Socket(#[source] io::Error),
    /// The file failed.
    #[error("the recording of packets cannot be written: {0}")]
    File(#[source] io::Error),
}

/// What a recording has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Recorded {
    /// Packets in the file.
    pub packets: u64,
    /// Packets that are missing: the system had no room for them, or the file is full.
    pub missing: u64,
}

/// A recording under way.
#[derive(Debug)]
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Recorded, RecorderError>>>,
}

impl Recorder {
    /// Records the IPv4 packets from and to an address until [`Self::stop`].
    ///
    /// # Errors
    /// When the user may not, or the file cannot be made.
    pub fn start(file: &Path, address: Ipv4Addr) -> Result<Self, RecorderError> {
        let socket = socket::Packets::open()?;
        let file = File::create(file).map_err(RecorderError::File)?;
        let stop = Arc::new(AtomicBool::new(false));
        let own = Arc::clone(&stop);
        let thread = std::thread::spawn(move || socket.record(file, address, &own));
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Ends the recording; nothing where it has ended before.
    ///
    /// # Errors
    /// When socket or file failed meanwhile.
    pub fn stop(&mut self) -> Result<Recorded, RecorderError> {
        self.stop.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return Ok(Recorded::default()) };
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Whoever does not ask has no use for it.
        let _ = self.stop();
    }
}

#[cfg(not(target_os = "linux"))]
mod socket {
    use super::{AtomicBool, File, Ipv4Addr, Recorded, RecorderError};

    /// Nobody has them.
    pub(super) struct Packets;

    impl Packets {
        pub(super) fn open() -> Result<Self, RecorderError> {
            Err(RecorderError::NotHere)
        }

        pub(super) fn record(self, _: File, _: Ipv4Addr, _: &AtomicBool) -> Result<Recorded, RecorderError> {
            Err(RecorderError::NotHere)
        }
    }
}

#[cfg(target_os = "linux")]
mod socket {
    use std::borrow::Cow;
    use std::io::{BufWriter, IoSliceMut, Write};
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::time::{Duration, Instant, SystemTime};

    use nix::cmsg_space;
    use nix::errno::Errno;
    use nix::sys::socket::sockopt::{RcvBuf, ReceiveTimeout, ReceiveTimestampns, RxqOvfl};
    use nix::sys::socket::{
        AddressFamily, ControlMessageOwned, LinkAddr, MsgFlags, RecvMsg, SockFlag, SockProtocol, SockType,
        recvmsg, setsockopt, socket,
    };
    use nix::sys::time::{TimeSpec, TimeVal};
    use pcap_file::pcapng::PcapNgWriter;
    use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
    use pcap_file::pcapng::blocks::interface_description::{
        InterfaceDescriptionBlock, InterfaceDescriptionOption,
    };
    use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
    use pcap_file::{DataLink, Endianness, PcapError};

    use super::{AtomicBool, File, Ipv4Addr, MOST_PACKETS, Ordering, Recorded, RecorderError, io};

    /// IP and TCP with all their options have 120 bytes.
    const KEPT_BYTES: usize = 128;
    /// Room for a burst while the file is written; the system may give less.
    const BUFFER_BYTES: usize = 8 << 20;
    /// How soon a stop is noticed.
    const LOOK_MS: i64 = 50;
    /// How long packets are still read that had passed before.
    const DRAINED_WITHIN: Duration = Duration::from_millis(500);
    /// A packet that leaves (packet(7)), and the hardware type of loopback (`ARPHRD_LOOPBACK`, netdevice(7)).
    const OUTGOING: u8 = 4;
    const LOOPBACK: u16 = 772;
    /// Ten to the power of minus this is the unit of time stamps (option if_tsresol).
    const NANOSECONDS: u8 = 9;

    /// A socket that sees all IP packets of this computer.
    pub(super) struct Packets {
        socket: OwnedFd,
        /// Of the first packet that counted.
        interface: Option<usize>,
        told: Recorded,
        dropped: u32,
    }

    /// A packet's first bytes, how long it is, and when it passed.
    struct Seen {
        kept: usize,
        bytes: usize,
        at: Duration,
    }

    impl Packets {
        pub(super) fn open() -> Result<Self, RecorderError> {
            let refused = |error: Errno| match error {
                Errno::EPERM | Errno::EACCES => RecorderError::NotAllowed,
                error => RecorderError::Socket(error.into()),
            };
            let flags = SockFlag::SOCK_CLOEXEC;
            let socket = socket(AddressFamily::Packet, SockType::Datagram, flags, SockProtocol::EthAll)
                .map_err(refused)?;
            setsockopt(&socket, ReceiveTimestampns, &true).map_err(refused)?;
            setsockopt(&socket, RxqOvfl, &1).map_err(refused)?;
            setsockopt(&socket, ReceiveTimeout, &TimeVal::new(0, LOOK_MS * 1000)).map_err(refused)?;
            // With less room more is missing, which is told.
            let _ = setsockopt(&socket, RcvBuf, &BUFFER_BYTES);
            Ok(Self { socket, interface: None, told: Recorded::default(), dropped: 0 })
        }

        pub(super) fn record(
            mut self,
            file: File,
            address: Ipv4Addr,
            stop: &AtomicBool,
        ) -> Result<Recorded, RecorderError> {
            let mut writer = begun(BufWriter::new(file)).map_err(of_file)?;
            let mut buffer = [0; KEPT_BYTES];
            let mut ends_at = None;
            // What had passed when somebody said stop still counts, but a busy computer always has more.
            while ends_at.is_none_or(|at| Instant::now() < at) {
                let is_last = stop.load(Ordering::Relaxed);
                if is_last {
                    ends_at.get_or_insert_with(|| Instant::now() + DRAINED_WITHIN);
                }
                match self.receive(&mut buffer, address) {
                    Ok(Some(_)) if self.told.packets == MOST_PACKETS => self.told.missing += 1,
                    Ok(Some(seen)) => {
                        self.told.packets += 1;
                        write(&mut writer, &buffer, &seen).map_err(of_file)?;
                    }
                    Ok(None) => {}
                    Err(Errno::EAGAIN) if is_last => break,
                    Err(Errno::EAGAIN | Errno::EINTR) => {}
                    Err(error) => return Err(RecorderError::Socket(error.into())),
                }
            }
            writer.get_mut().flush().map_err(RecorderError::File)?;
            self.told.missing += u64::from(self.dropped);
            Ok(self.told)
        }

        /// The next packet, if it is one of the address and not one that was seen before.
        fn receive(&mut self, buffer: &mut [u8], address: Ipv4Addr) -> Result<Option<Seen>, Errno> {
            let mut space = cmsg_space!(TimeSpec, u32);
            let mut parts = [IoSliceMut::new(buffer)];
            // With MSG_TRUNC the length is the packet's, not that of what was kept.
            let flags = MsgFlags::MSG_TRUNC;
            let read: RecvMsg<'_, '_, LinkAddr> =
                recvmsg(self.socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
            let (bytes, from, mut at) = (read.bytes, read.address, None);
            for message in read.cmsgs()? {
                match message {
                    ControlMessageOwned::ScmTimestampns(stamp) => at = Some(Duration::from(stamp)),
                    ControlMessageOwned::RxqOvfl(dropped) => self.dropped = dropped,
                    _ => {}
                }
            }
            let kept = bytes.min(buffer.len());
            if !is_of(&buffer[..kept], address) {
                return Ok(None);
            }
            if let Some(from) = from {
                // Loopback shows each packet twice, as it leaves and as it arrives.
                let is_again = from.hatype() == LOOPBACK && from.pkttype() == OUTGOING;
                if is_again || *self.interface.get_or_insert(from.ifindex()) != from.ifindex() {
                    return Ok(None);
                }
            }
            let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            Ok(Some(Seen { kept, bytes, at: at.unwrap_or_else(now) }))
        }
    }

    /// Whether a packet of IPv4 comes from an address or goes to it.
    fn is_of(packet: &[u8], address: Ipv4Addr) -> bool {
        let address = address.octets();
        packet.first().is_some_and(|first| first >> 4 == 4)
            && (packet.get(12..16) == Some(&address[..]) || packet.get(16..20) == Some(&address[..]))
    }

    fn begun<W: Write>(file: W) -> Result<PcapNgWriter<W>, PcapError> {
        let options = vec![SectionHeaderOption::UserApplication(Cow::Borrowed("Airwire"))];
        let section = SectionHeaderBlock { endianness: Endianness::Little, options, ..Default::default() };
        let mut writer = PcapNgWriter::with_section_header(file, section)?;
        let options = vec![InterfaceDescriptionOption::IfTsResol(NANOSECONDS)];
        let (linktype, snaplen) = (DataLink::RAW, KEPT_BYTES as u32);
        writer.write_pcapng_block(InterfaceDescriptionBlock { linktype, snaplen, options })?;
        Ok(writer)
    }

    fn write<W: Write>(writer: &mut PcapNgWriter<W>, buffer: &[u8], seen: &Seen) -> Result<(), PcapError> {
        writer.write_pcapng_block(EnhancedPacketBlock {
            interface_id: 0,
            timestamp: seen.at,
            original_len: u32::try_from(seen.bytes).unwrap_or(u32::MAX),
            data: Cow::Borrowed(&buffer[..seen.kept]),
            options: Vec::new(),
        })?;
        Ok(())
    }

    fn of_file(error: PcapError) -> RecorderError {
        RecorderError::File(match error {
            PcapError::IoError(error) => error,
            other => io::Error::other(other),
        })
    }
}
