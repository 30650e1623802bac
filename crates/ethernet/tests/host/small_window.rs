//! The PC sends to a chip: a peer with a receive buffer of 2048 bytes that its firmware empties now and then, without window
//! scaling, timestamps and selective acknowledgements.

use crate::chip_common::{ByHand, CHIP_FIRST, CHIP_PORT, PORT, Sent, frame_of, introduction, parse, sender};
use crate::common::{ms, options, pattern, us};
use ethernet::{Host, Station};
use smoltcp::wire::{TcpControl, TcpRepr, TcpSeqNumber};
use units::Picoseconds;

/// A connection on which the PC sends so many bytes at 1 ms.
fn open(bytes: usize, window: u16) -> ByHand {
    ByHand::open(sender(options(false), vec![(ms(1), pattern(0, bytes))], true), window)
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

#[test]
fn a_lost_segment_is_repeated_although_the_window_was_closed_meanwhile() {
    let mut chip = open(2_000, 2_048);
    assert_eq!(chip.ranges(ms(2)), [(0, 0, 1_024), (0, 1_024, 976)]);
    chip.says(TcpControl::None, 1_024, 0);
    chip.ranges(ms(5));
    chip.says(TcpControl::None, 1_024, 2_048);
    assert_eq!(chip.ranges(ms(2_000)).first().map(|range| (range.1, range.2)), Some((1_024, 976)));
}

#[test]
fn a_closed_window_is_asked_about_until_it_opens_and_the_last_byte_follows() {
    let mut chip = open(2_049, 2_048);
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
        let mut chip = open(3_000, window);
        assert_eq!(chip.ranges(ms(2))[0], (0, 0, segment), "window {window}");
    }
}

#[test]
fn what_fits_a_window_that_stays_small_is_sent_after_200_ms() {
    let mut chip = open(5_000, 2_048);
    assert_eq!(chip.ranges(ms(2)).len(), 2);
    chip.says(TcpControl::None, 2_048, 600);
    assert_eq!(chip.ranges(ms(1_000)).first(), Some(&(200, 2_048, 600)), "less than a segment waits");
}
