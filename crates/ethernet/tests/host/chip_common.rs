//! A chip's side of a TCP connection, segment by segment, with a PC that sends.

use ethernet::{Host, HostOptions, Station, TcpState};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, IpAddress, IpProtocol, Ipv4Packet,
    Ipv4Repr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};
use units::Picoseconds;

use crate::common::{LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, Script, us};

pub(crate) const PORT: u16 = 5001;
pub(crate) const CHIP_PORT: u16 = 49_152;
pub(crate) const CHIP_FIRST: i32 = 7_000;

/// A segment of the PC's.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) at: Picoseconds,
    pub(crate) start: u32,
    pub(crate) payload: Vec<u8>,
    pub(crate) fin: bool,
}

pub(crate) fn frame_of(tcp: &TcpRepr<'_>) -> Vec<u8> {
    let ip = Ipv4Repr {
        src_addr: LEFT,
        dst_addr: RIGHT,
        next_header: IpProtocol::Tcp,
        payload_len: tcp.buffer_len(),
        hop_limit: 64,
    };
    let ethernet = EthernetRepr {
        src_addr: EthernetAddress(LEFT_MAC),
        dst_addr: EthernetAddress(RIGHT_MAC),
        ethertype: EthernetProtocol::Ipv4,
    };
    let checksums = ChecksumCapabilities::default();
    let mut bytes = vec![0; 14 + ip.buffer_len() + tcp.buffer_len()];
    let mut frame = EthernetFrame::new_unchecked(&mut bytes);
    ethernet.emit(&mut frame);
    let mut packet = Ipv4Packet::new_unchecked(frame.payload_mut());
    ip.emit(&mut packet, &checksums);
    let mut segment = TcpPacket::new_unchecked(packet.payload_mut());
    tcp.emit(&mut segment, &IpAddress::Ipv4(LEFT), &IpAddress::Ipv4(RIGHT), &checksums);
    bytes
}

/// A PC that sends to whoever connects: the writes of its application, each at its time.
pub(crate) fn sender(options: HostOptions, writes: Vec<(Picoseconds, Vec<u8>)>, nodelay: bool) -> Host {
    let mut host = Host::new(options).expect("a PC");
    let mut listener = None;
    let mut connection = None;
    let mut writes = std::collections::VecDeque::from(writes);
    let mut finished = false;
    host.seat(Script::boxed(move |now, sockets| {
        let listener = *listener.get_or_insert_with(|| sockets.listen(PORT).expect("a free port"));
        if let Some((id, _)) = sockets.accept(listener) {
            sockets.set_nodelay(id, nodelay);
            connection = Some(id);
        }
        let id = connection?;
        if sockets.state(id) != Some(TcpState::Open) {
            return None;
        }
        while let Some((at, bytes)) = writes.front_mut()
            && *at <= now
        {
            let sent = sockets.send(id, bytes);
            bytes.drain(..sent);
            if !bytes.is_empty() {
                return None;
            }
            writes.pop_front();
        }
        if writes.is_empty() && !std::mem::replace(&mut finished, true) {
            sockets.finish(id);
        }
        writes.front().map(|(at, _)| *at)
    }));
    host
}

pub(crate) fn introduction() -> Vec<u8> {
    let mut frame = vec![0xFF; 6];
    frame.extend_from_slice(&LEFT_MAC);
    frame.extend_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 1]);
    frame.extend_from_slice(&LEFT_MAC);
    frame.extend_from_slice(&LEFT.octets());
    frame.extend_from_slice(&[0; 6]);
    frame.extend_from_slice(&RIGHT.octets());
    frame
}

pub(crate) fn parse(at: Picoseconds, frame: &[u8]) -> Option<(TcpControl, Sent)> {
    let frame = EthernetFrame::new_checked(frame).ok()?;
    if frame.ethertype() != EthernetProtocol::Ipv4 {
        return None;
    }
    let packet = Ipv4Packet::new_checked(frame.payload()).ok()?;
    let tcp = TcpPacket::new_checked(packet.payload()).ok()?;
    let repr = TcpRepr::parse(
        &tcp,
        &IpAddress::Ipv4(RIGHT),
        &IpAddress::Ipv4(LEFT),
        &ChecksumCapabilities::default(),
    )
    .ok()?;
    let sent = Sent {
        at,
        start: repr.seq_number.0.cast_unsigned(),
        payload: repr.payload.to_vec(),
        fin: repr.control == TcpControl::Fin,
    };
    Some((repr.control, sent))
}

/// The chip's side by hand: what it acknowledges, and the window that it shows.
pub(crate) struct ByHand {
    pub(crate) host: Host,
    pub(crate) now: Picoseconds,
    pub(crate) first: u32,
    /// The chip's next sequence number.
    pub(crate) sequence: i32,
    /// What its SYN offers.
    pub(crate) scale: Option<u8>,
    pub(crate) segment_bytes: u16,
}

impl ByHand {
    /// A chip that the PC knows the Ethernet address of.
    pub(crate) fn new(host: Host) -> Self {
        let (now, sequence) = (us(1), CHIP_FIRST);
        let mut own = Self { host, now, first: 0, sequence, scale: None, segment_bytes: 1460 };
        own.introduce();
        own
    }

    /// Tells the PC the chip's Ethernet address.
    pub(crate) fn introduce(&mut self) {
        self.host.receive(self.now, &ethernet::Frame::new(introduction()));
    }

    /// Opens a connection to a PC.
    pub(crate) fn open(host: Host, window: u16) -> Self {
        let mut own = Self::new(host);
        own.begin(window);
        own
    }

    /// Opens a connection as it is set.
    pub(crate) fn begin(&mut self, window: u16) {
        self.says(TcpControl::Syn, 0, window);
        let control = |control: &TcpControl| *control == TcpControl::Syn;
        let answer = self.hears(us(500)).into_iter().find(|(found, _)| control(found)).expect("an answer").1;
        self.first = answer.start.wrapping_add(1);
        self.says(TcpControl::None, 0, window);
    }

    pub(crate) fn says(&mut self, control: TcpControl, acknowledged: u32, window: u16) {
        self.says_segment(control, &[], acknowledged, window);
    }

    /// Sends data; the chip's sequence number moves on.
    pub(crate) fn says_data(&mut self, payload: &[u8], acknowledged: u32, window: u16) {
        self.says_segment(TcpControl::Psh, payload, acknowledged, window);
        self.sequence += i32::try_from(payload.len()).expect("a few bytes");
    }

    /// Sends data and the end behind it; the chip's sequence number stays.
    pub(crate) fn says_end(&mut self, payload: &[u8], acknowledged: u32, window: u16) {
        self.says_segment(TcpControl::Fin, payload, acknowledged, window);
    }

    fn says_segment(&mut self, control: TcpControl, payload: &[u8], acknowledged: u32, window: u16) {
        let is_syn = control == TcpControl::Syn;
        let acknowledgment = TcpSeqNumber(self.first.wrapping_add(acknowledged).cast_signed());
        let tcp = TcpRepr {
            src_port: CHIP_PORT,
            dst_port: PORT,
            control,
            seq_number: TcpSeqNumber(self.sequence - i32::from(is_syn)),
            ack_number: (!is_syn).then_some(acknowledgment),
            window_len: window,
            window_scale: self.scale.filter(|_| is_syn),
            max_seg_size: is_syn.then_some(self.segment_bytes),
            sack_permitted: false,
            sack_ranges: [None; 3],
            timestamp: None,
            payload,
        };
        self.host.receive(self.now, &ethernet::Frame::new(frame_of(&tcp)));
    }

    /// Lets time pass; answers what the PC sent.
    pub(crate) fn hears(&mut self, time: Picoseconds) -> Vec<(TcpControl, Sent)> {
        self.now = self.now + time;
        let mut sent = Vec::new();
        while let Some(at) = self.host.next_event().filter(|at| *at <= self.now) {
            self.host.advance(at);
            while let Some(frame) = self.host.take_frame() {
                sent.extend(parse(at, &frame.bytes));
            }
        }
        self.host.advance(self.now);
        sent
    }

    /// Which bytes the PC sent meanwhile, and when after now.
    pub(crate) fn ranges(&mut self, time: Picoseconds) -> Vec<(i64, u32, usize)> {
        let (start, first) = (self.now, self.first);
        let of = |sent: &Sent| {
            let after = (sent.at - start).ps() / units::PS_PER_MS;
            (after, sent.start.wrapping_sub(first), sent.payload.len())
        };
        self.hears(time).iter().map(|(_, sent)| of(sent)).filter(|(.., bytes)| *bytes > 0).collect()
    }
}
