//! What becomes of data that does not fit the peer's window: Linux's persist timer in place of smoltcp's, which asks at once and
//! with data, and which stops when what it sent got lost.

use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{IpProtocol, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber};
use units::Picoseconds;

use super::ip::{self, Way};
use super::segment::{Segment, Tuple};

/// Linux first asks after its retransmission time-out, at least `TCP_RTO_MIN`, and at most every `TCP_RTO_MAX`.
const FIRST: Picoseconds = Picoseconds::new(200 * units::PS_PER_MS);
const LONGEST: Picoseconds = Picoseconds::new(120 * units::PS_PER_S);

/// Linux's segments are at most half the largest window that it saw, where that is more than `TCP_MSS_DEFAULT`.
const MSS_DEFAULT: u32 = 536;
const MSS_LEAST: u32 = 48;

/// The timer of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Persist {
    waiting: Option<(Picoseconds, Picoseconds)>,
}

impl Persist {
    /// Whether something waits for the window now.
    pub(super) fn note(&mut self, now: Picoseconds, waits: bool) {
        self.waiting = match self.waiting {
            _ if !waits => None,
            None => Some((now + FIRST, FIRST)),
            waiting => waiting,
        };
    }

    /// Whether it is time to ask; then it is the next time twice as late.
    pub(super) fn is_due(&mut self, now: Picoseconds) -> bool {
        let Some((at, interval)) = self.waiting.filter(|(at, _)| *at <= now) else { return false };
        let interval = (interval + interval).min(LONGEST);
        self.waiting = Some((at + interval, interval));
        true
    }

    pub(super) fn at(&self) -> Option<Picoseconds> {
        self.waiting.map(|(at, _)| at)
    }
}

/// The longest segment for a peer that offered this window in its SYN.
pub(super) fn half_window(window: u16) -> u32 {
    let window = u32::from(window);
    let most = if window > MSS_DEFAULT { window / 2 } else { window };
    if window == 0 { u32::MAX } else { most.max(MSS_LEAST) }
}

/// A segment as if from the peer that says nothing but another window.
pub(super) fn window_update(tuple: &Tuple, sequence: u32, acknowledgment: u32, window: u16) -> Vec<u8> {
    let repr = TcpRepr {
        src_port: tuple.remote_port,
        dst_port: tuple.local_port,
        control: TcpControl::None,
        seq_number: TcpSeqNumber(sequence.cast_signed()),
        ack_number: Some(TcpSeqNumber(acknowledgment.cast_signed())),
        window_len: window,
        window_scale: None,
        max_seg_size: None,
        sack_permitted: false,
        sack_ranges: [None; 3],
        timestamp: None,
        payload: &[],
    };
    let way = Way { from: tuple.remote, to: tuple.local };
    ip::frame(way, IpProtocol::Tcp, repr.buffer_len(), |room| {
        repr.emit(
            &mut TcpPacket::new_unchecked(room),
            &way.from.into(),
            &way.to.into(),
            &ChecksumCapabilities::default(),
        );
    })
}

/// An acknowledgement without data at a sequence number that the peer has; it answers with its window.
pub(super) fn probe(acknowledgement: &[u8], sequence: u32) -> Option<Vec<u8>> {
    emptied(acknowledgement, sequence, false)
}

/// A segment without what it carries, at another sequence number, with its end or without.
pub(super) fn emptied(frame: &[u8], sequence: u32, ends: bool) -> Option<Vec<u8>> {
    let segment = Segment::of(frame)?;
    let mut frame = segment.without_payload(frame);
    let way = Way::of(&frame);
    let tcp_at = segment.tcp_at();
    ip::set_length(&mut frame);
    let mut tcp = TcpPacket::new_unchecked(&mut frame[tcp_at..]);
    tcp.set_seq_number(TcpSeqNumber(sequence.cast_signed()));
    tcp.set_psh(false);
    tcp.set_fin(ends);
    tcp.fill_checksum(&way.from.into(), &way.to.into());
    Some(frame)
}
