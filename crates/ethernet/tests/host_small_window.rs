//! The PC sends to a chip: a peer with a receive buffer of 2048 bytes that its firmware empties now and then, without window
//! scaling, timestamps and selective acknowledgements.

mod host_common;

use ethernet::{Host, HostOptions, Station, TcpState};
use host_common::{LEFT, LEFT_MAC, RIGHT, RIGHT_MAC, Script, ms, options, pattern, us};
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::{
    EthernetAddress, EthernetFrame, EthernetProtocol, EthernetRepr, IpAddress, IpProtocol, Ipv4Packet,
    Ipv4Repr, TcpControl, TcpPacket, TcpRepr, TcpSeqNumber,
};
use units::Picoseconds;

const PORT: u16 = 5001;
const CHIP_PORT: u16 = 49_152;
const CHIP_FIRST: i32 = 7_000;

/// A segment of the PC's.
#[derive(Debug, Clone)]
struct Sent {
    at: Picoseconds,
    start: u32,
    payload: Vec<u8>,
    fin: bool,
}

/// How a chip reads and acknowledges.
#[derive(Debug, Clone, Copy)]
struct Manner {
    buffer: usize,
    /// Bytes that its firmware takes at a time, and how often.
    reads: usize,
    every: Picoseconds,
    /// How late it acknowledges.
    late: Picoseconds,
    /// Acknowledges (and shows its window) whenever the firmware has read.
    tells_reads: bool,
}

/// A chip that only receives.
struct Chip {
    manner: Manner,
    random: u64,
    loss_percent: u64,
    first: u32,
    next: u32,
    unread: usize,
    received: Vec<u8>,
    finished: bool,
    acknowledge_at: Option<Picoseconds>,
    read_at: Picoseconds,
    window_shown: usize,
}

impl Chip {
    fn new(manner: Manner, seed: u64, loss_percent: u64) -> Self {
        Self {
            manner,
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            loss_percent,
            first: 0,
            next: 0,
            unread: 0,
            received: Vec::new(),
            finished: false,
            acknowledge_at: None,
            read_at: manner.every,
            window_shown: manner.buffer,
        }
    }

    /// Marsaglia's xorshift.
    fn loses(&mut self) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % 100 < self.loss_percent
    }

    fn window(&self) -> usize {
        self.manner.buffer - self.unread
    }

    fn segment(&mut self, control: TcpControl) -> Vec<u8> {
        self.window_shown = self.window();
        let number = |n: u32| TcpSeqNumber(n.cast_signed());
        let is_syn = control == TcpControl::Syn;
        let tcp = TcpRepr {
            src_port: CHIP_PORT,
            dst_port: PORT,
            control,
            seq_number: TcpSeqNumber(CHIP_FIRST - i32::from(is_syn)),
            ack_number: (!is_syn).then(|| number(self.next)),
            window_len: self.window_shown as u16,
            window_scale: None,
            max_seg_size: is_syn.then_some(1460),
            sack_permitted: false,
            sack_ranges: [None; 3],
            timestamp: None,
            payload: &[],
        };
        frame_of(&tcp)
    }

    fn take(&mut self, sent: &Sent) {
        if sent.start == self.next {
            let room = self.window().min(sent.payload.len());
            self.received.extend_from_slice(&sent.payload[..room]);
            self.unread += room;
            self.next = self.next.wrapping_add(room as u32);
            if sent.fin && room == sent.payload.len() {
                self.finished = true;
                self.next = self.next.wrapping_add(1);
            }
        }
    }

    fn next_event(&self) -> Picoseconds {
        self.acknowledge_at.map_or(self.read_at, |at| at.min(self.read_at))
    }

    /// Reads and acknowledges what is due; answers what it sends.
    fn advance(&mut self, now: Picoseconds) -> Option<Vec<u8>> {
        let mut speaks = false;
        if self.read_at <= now {
            let taken = self.unread.min(self.manner.reads);
            self.unread -= taken;
            self.read_at = now + self.manner.every;
            speaks = taken > 0 && self.manner.tells_reads;
        }
        if self.acknowledge_at.is_some_and(|at| at <= now) {
            speaks = true;
        }
        if !speaks {
            return None;
        }
        self.acknowledge_at = None;
        Some(self.segment(TcpControl::None))
    }
}

fn frame_of(tcp: &TcpRepr<'_>) -> Vec<u8> {
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
fn sender(options: HostOptions, writes: Vec<(Picoseconds, Vec<u8>)>, nodelay: bool) -> Host {
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

fn introduction() -> Vec<u8> {
    let mut frame = vec![0xFF; 6];
    frame.extend_from_slice(&LEFT_MAC);
    frame.extend_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, 1]);
    frame.extend_from_slice(&LEFT_MAC);
    frame.extend_from_slice(&LEFT.octets());
    frame.extend_from_slice(&[0; 6]);
    frame.extend_from_slice(&RIGHT.octets());
    frame
}

fn parse(at: Picoseconds, frame: &[u8]) -> Option<(TcpControl, Sent)> {
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

/// Opens a connection from the chip and lets both run; answers the chip and what the PC sent.
fn run(mut host: Host, mut chip: Chip, end: Picoseconds) -> (Chip, Vec<Sent>) {
    let delay = us(20);
    let mut sent = Vec::new();
    let mut opened = false;
    let mut to_pc: Vec<(Picoseconds, Vec<u8>)> = vec![(us(1), introduction())];
    to_pc.push((us(100), chip.segment(TcpControl::Syn)));
    let mut to_chip: Vec<(Picoseconds, Sent)> = Vec::new();
    loop {
        let events = to_pc.iter().map(|(at, _)| *at).chain(to_chip.iter().map(|(at, _)| *at));
        let events = events.chain(host.next_event()).chain(opened.then(|| chip.next_event()));
        let Some(now) = events.min().filter(|now| *now <= end) else { break };
        if chip.finished {
            break;
        }
        while let Some(due) = to_pc.iter().position(|(at, _)| *at <= now) {
            host.receive(now, &ethernet::Frame::new(to_pc.remove(due).1));
        }
        while let Some(due) = to_chip.iter().position(|(at, _)| *at <= now) {
            chip.take(&to_chip.remove(due).1);
            let at = now + chip.manner.late;
            chip.acknowledge_at = Some(chip.acknowledge_at.map_or(at, |other| other.min(at)));
        }
        if opened
            && let Some(frame) = chip.advance(now)
            && !chip.loses()
        {
            to_pc.push((now + delay, frame));
        }
        host.advance(now);
        while let Some(frame) = host.take_frame() {
            if frame.bytes[12..14] == [8, 6] && frame.bytes[21] == 1 {
                to_pc.push((now + delay, introduction()));
                continue;
            }
            let Some((control, segment)) = parse(now, &frame.bytes) else { continue };
            if control == TcpControl::Syn && !opened {
                opened = true;
                chip.first = segment.start.wrapping_add(1);
                chip.next = chip.first;
                chip.read_at = now + chip.manner.every;
                let answer = chip.segment(TcpControl::None);
                to_pc.push((now + delay, answer));
                continue;
            }
            if segment.payload.is_empty() && !segment.fin && segment.start == chip.next {
                continue;
            }
            sent.push(segment.clone());
            if !chip.loses() {
                to_chip.push((now + delay, segment));
            }
        }
    }
    (chip, sent)
}

const MANNERS: [Manner; 5] = [
    Manner { buffer: 2048, reads: 2048, every: ms(1), late: us(0), tells_reads: true },
    Manner { buffer: 2048, reads: 2048, every: ms(7), late: ms(40), tells_reads: true },
    Manner { buffer: 2048, reads: 500, every: ms(3), late: us(0), tells_reads: true },
    Manner { buffer: 2048, reads: 2048, every: ms(400), late: us(0), tells_reads: true },
    Manner { buffer: 2048, reads: 700, every: ms(50), late: ms(200), tells_reads: false },
];

#[test]
fn whatever_is_lost_a_chip_with_2_kb_gets_everything() {
    for (n, manner) in MANNERS.into_iter().enumerate() {
        for seed in 1..=60 {
            for loss in [5, 20, 40] {
                let bytes = pattern(0, 9_000 + 613 * seed as usize % 4_000);
                let host = sender(options(false), vec![(ms(1), bytes.clone())], seed % 2 == 0);
                let (chip, sent) = run(host, Chip::new(manner, seed, loss), ms(1_000_000));
                assert!(
                    chip.finished && chip.received == bytes,
                    "manner {n}, seed {seed}, loss {loss} %: {} of {} bytes, {} segments, the last at {:?}",
                    chip.received.len(),
                    bytes.len(),
                    sent.len(),
                    sent.last().map(|sent| sent.at),
                );
            }
        }
    }
}

/// The chip's side by hand: what it acknowledges, and the window that it shows.
struct ByHand {
    host: Host,
    now: Picoseconds,
    first: u32,
}

impl ByHand {
    /// Opens a connection on which the PC sends `bytes` at 1 ms.
    fn open(bytes: usize, window: u16) -> Self {
        let host = sender(options(false), vec![(ms(1), pattern(0, bytes))], true);
        let mut own = Self { host, now: us(1), first: 0 };
        own.host.receive(own.now, &ethernet::Frame::new(introduction()));
        own.says(TcpControl::Syn, 0, window);
        let control = |control: &TcpControl| *control == TcpControl::Syn;
        let answer = own.hears(us(500)).into_iter().find(|(found, _)| control(found)).expect("an answer").1;
        own.first = answer.start.wrapping_add(1);
        own.says(TcpControl::None, 0, window);
        own
    }

    fn says(&mut self, control: TcpControl, acknowledged: u32, window: u16) {
        let is_syn = control == TcpControl::Syn;
        let acknowledgment = TcpSeqNumber(self.first.wrapping_add(acknowledged).cast_signed());
        let tcp = TcpRepr {
            src_port: CHIP_PORT,
            dst_port: PORT,
            control,
            seq_number: TcpSeqNumber(CHIP_FIRST - i32::from(is_syn)),
            ack_number: (!is_syn).then_some(acknowledgment),
            window_len: window,
            window_scale: None,
            max_seg_size: is_syn.then_some(1460),
            sack_permitted: false,
            sack_ranges: [None; 3],
            timestamp: None,
            payload: &[],
        };
        self.host.receive(self.now, &ethernet::Frame::new(frame_of(&tcp)));
    }

    /// Lets time pass; answers what the PC sent.
    fn hears(&mut self, time: Picoseconds) -> Vec<(TcpControl, Sent)> {
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
    fn ranges(&mut self, time: Picoseconds) -> Vec<(i64, u32, usize)> {
        let (start, first) = (self.now, self.first);
        let of = |sent: &Sent| {
            let after = (sent.at - start).ps() / units::PS_PER_MS;
            (after, sent.start.wrapping_sub(first), sent.payload.len())
        };
        self.hears(time).iter().map(|(_, sent)| of(sent)).filter(|(.., bytes)| *bytes > 0).collect()
    }
}

#[test]
fn a_lost_segment_is_repeated_although_the_window_was_closed_meanwhile() {
    let mut chip = ByHand::open(2_000, 2_048);
    assert_eq!(chip.ranges(ms(2)), [(0, 0, 1_024), (0, 1_024, 976)]);
    chip.says(TcpControl::None, 1_024, 0);
    chip.ranges(ms(5));
    chip.says(TcpControl::None, 1_024, 2_048);
    assert_eq!(chip.ranges(ms(2_000)).first().map(|range| (range.1, range.2)), Some((1_024, 976)));
}

#[test]
fn a_closed_window_is_asked_about_until_it_opens_and_the_last_byte_follows() {
    let mut chip = ByHand::open(2_049, 2_048);
    assert_eq!(chip.ranges(ms(2)), [(0, 0, 1_024), (0, 1_024, 1_024)]);
    chip.says(TcpControl::None, 2_048, 0);
    let first = chip.first;
    let start = chip.now;
    let probes: Vec<(i64, u32, usize)> = chip
        .hears(ms(3_500))
        .iter()
        .map(|(_, sent)| {
            let after = (sent.at - start).ps() / units::PS_PER_MS;
            (after, sent.start.wrapping_sub(first), sent.payload.len())
        })
        .collect();
    assert_eq!(probes, [200, 600, 1_400, 3_000].map(|at| (at, 2_047, 0)), "as Linux asks, without data");
    chip.says(TcpControl::None, 2_048, 1_000);
    assert_eq!(chip.ranges(ms(1)), [(0, 2_048, 1)]);
}

#[test]
fn segments_are_half_the_window_of_a_small_peer_at_most() {
    for (window, segment) in [(2_048, 1_024), (1_000, 500), (500, 500), (4_096, 1_460), (2_919, 1_459)] {
        let mut chip = ByHand::open(3_000, window);
        assert_eq!(chip.ranges(ms(2))[0], (0, 0, segment), "window {window}");
    }
}

#[test]
fn what_fits_a_window_that_stays_small_is_sent_after_200_ms() {
    let mut chip = ByHand::open(5_000, 2_048);
    assert_eq!(chip.ranges(ms(2)).len(), 2);
    chip.says(TcpControl::None, 2_048, 600);
    assert_eq!(chip.ranges(ms(1_000)).first(), Some(&(200, 2_048, 600)), "less than a segment waits");
}
