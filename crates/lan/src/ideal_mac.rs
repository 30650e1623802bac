//! An Ethernet MAC that costs nothing: frames stand in memory that the processor reads and writes as its own. It shows what a
//! TCP/IP stack can do where no bus stands between it and its frames; no such chip exists for the RP2040.
//!
//! Whole frames go in and out, one register access each; `docs/reference/ideal-mac.md` has the registers. Left out:
//! negotiation (a plugged cable is a link at once), flow control, a multicast filter, DMA of its own.

use std::collections::VecDeque;

use ethernet::Speed;
use sim::Passive;
use units::Picoseconds;

use super::device::{NetDevice, SentFrame};

/// Frames that wait for the processor, and those that wait for the wire.
const MOST_FRAMES: usize = 16;
/// The address space of one: registers from 0, the memory of the received frame from 0x1000, that of the frame to be sent from
/// 0x2000.
pub const IDEAL_MAC_BYTES: u32 = 0x1_0000;

const ID: u32 = 0x00;
const CONTROL: u32 = 0x04;
const STATUS: u32 = 0x08;
const MAC_LOW: u32 = 0x0c;
const MAC_HIGH: u32 = 0x10;
const RX_BYTES: u32 = 0x14;
const RX_DONE: u32 = 0x18;
const TX_ROOM: u32 = 0x1c;
const TX_SEND: u32 = 0x20;
const RX_DROPPED: u32 = 0x24;
const RX_DAMAGED: u32 = 0x28;
const TX_REFUSED: u32 = 0x2c;
const RX_MEMORY: u32 = 0x1000;
const TX_MEMORY: u32 = 0x2000;
const MEMORY_BYTES: u32 = 0x800;

/// "IMAC" in memory.
const ID_VALUE: u32 = u32::from_le_bytes(*b"IMAC");
const CONTROL_RECEIVE: u32 = 1;
const CONTROL_INTERRUPT: u32 = 2;
const STATUS_LINK: u32 = 1;
const STATUS_RECEIVED: u32 = 2;

/// Of a frame without its check sequence (IEEE 802.3 clause 3): a header, and the longest without a VLAN tag.
const SENT_BYTES: std::ops::RangeInclusive<usize> = 14..=1514;

/// The MAC.
#[derive(Debug, Clone)]
pub struct IdealMac {
    control: u32,
    address: [u8; 8],
    link: Option<Speed>,
    received: VecDeque<Vec<u8>>,
    dropped: u32,
    damaged: u32,
    /// The frame that is being written.
    memory: Box<[u8; MEMORY_BYTES as usize]>,
    /// When each frame that was sent leaves the wire.
    leaving: VecDeque<Picoseconds>,
    sent: VecDeque<SentFrame>,
    refused: u32,
}

impl Default for IdealMac {
    fn default() -> Self {
        Self {
            control: 0,
            address: [0; 8],
            link: None,
            received: VecDeque::new(),
            dropped: 0,
            damaged: 0,
            memory: Box::new([0; MEMORY_BYTES as usize]),
            leaving: VecDeque::new(),
            sent: VecDeque::new(),
            refused: 0,
        }
    }
}

impl IdealMac {
    /// What the processor reads; nothing where nothing is. Reading has no effects.
    pub fn read(&self, at: Picoseconds, offset: u32, bytes: u8) -> Option<u32> {
        match offset {
            RX_MEMORY..TX_MEMORY => {
                let memory = self.received.front().map_or(&[][..], Vec::as_slice);
                read_memory(memory, offset - RX_MEMORY, bytes)
            }
            TX_MEMORY.. => read_memory(&*self.memory, offset - TX_MEMORY, bytes),
            _ if bytes == 4 => self.register(at, offset),
            _ => None,
        }
    }

    fn register(&self, at: Picoseconds, offset: u32) -> Option<u32> {
        let half = |from: usize| u32::from_le_bytes([0, 1, 2, 3].map(|n| self.address[from + n]));
        Some(match offset {
            ID => ID_VALUE,
            CONTROL => self.control,
            STATUS => {
                let received = if self.received.is_empty() { 0 } else { STATUS_RECEIVED };
                if self.link.is_some() { STATUS_LINK | received } else { received }
            }
            MAC_LOW => half(0),
            MAC_HIGH => half(4),
            RX_BYTES => self.received.front().map_or(0, |frame| frame.len() as u32),
            TX_ROOM => self.room(at) as u32,
            RX_DROPPED => self.dropped,
            RX_DAMAGED => self.damaged,
            TX_REFUSED => self.refused,
            RX_DONE | TX_SEND => 0,
            _ => return None,
        })
    }

    /// What the processor writes; false where nothing can be written.
    pub fn write(&mut self, at: Picoseconds, offset: u32, bytes: u8, value: u32) -> bool {
        if offset >= TX_MEMORY {
            let from = (offset - TX_MEMORY) as usize;
            let memory = self.memory.get_mut(from..from + usize::from(bytes));
            return memory
                .map(|memory| memory.copy_from_slice(&value.to_le_bytes()[..usize::from(bytes)]))
                .is_some();
        }
        if bytes != 4 {
            return false;
        }
        match offset {
            CONTROL => self.set_control(value),
            MAC_LOW => self.address[..4].copy_from_slice(&value.to_le_bytes()),
            MAC_HIGH => self.address[4..].copy_from_slice(&(value & 0xffff).to_le_bytes()),
            RX_DONE => {
                self.received.pop_front();
            }
            TX_SEND => self.send(at, (value >> 16) as usize, (value & 0xffff) as usize),
            _ => return false,
        }
        true
    }

    fn set_control(&mut self, value: u32) {
        self.control = value & (CONTROL_RECEIVE | CONTROL_INTERRUPT);
        if value & CONTROL_RECEIVE == 0 {
            self.received.clear();
        }
    }

    fn room(&self, at: Picoseconds) -> usize {
        let waiting = self.leaving.iter().filter(|&&end| end > at).count();
        MOST_FRAMES - waiting.min(MOST_FRAMES)
    }

    fn send(&mut self, at: Picoseconds, from: usize, bytes: usize) {
        let frame = self.memory.get(from..from + bytes).filter(|_| SENT_BYTES.contains(&bytes));
        let (Some(speed), Some(frame), true) = (self.link, frame, self.room(at) > 0) else {
            self.refused = self.refused.saturating_add(1);
            return;
        };
        while self.leaving.front().is_some_and(|&end| end <= at) {
            self.leaving.pop_front();
        }
        let start = self.leaving.back().map_or(at, |&end| end.max(at));
        self.leaving.push_back(start + speed.frame_time(bytes) + speed.gap());
        self.sent.push_back((start, frame.to_vec()));
    }
}

/// Nothing happens in it but what others do to it.
impl Passive for IdealMac {
    fn next_event(&self) -> Option<Picoseconds> {
        None
    }

    fn advance(&mut self, _: Picoseconds) {}
}

impl NetDevice for IdealMac {
    fn dropped_for_room(&self) -> Option<u64> {
        Some(self.dropped.into())
    }

    fn set_cable(&mut self, _: Picoseconds, speed: Option<Speed>) {
        self.link = speed;
    }

    fn has_link(&self) -> bool {
        self.link.is_some()
    }

    fn takes_frames(&self) -> bool {
        true
    }

    /// While a frame waits and the interrupt is on.
    fn interrupt_is_low(&self) -> bool {
        self.control & CONTROL_INTERRUPT != 0 && !self.received.is_empty()
    }

    fn receive(&mut self, _: Picoseconds, bytes: &[u8], is_intact: bool) {
        let to_group = bytes.first().is_some_and(|first| first & 1 == 1);
        let is_meant = to_group || bytes.get(..6) == Some(&self.address[..6]);
        if self.control & CONTROL_RECEIVE == 0 || !is_meant {
            return;
        }
        if !is_intact || bytes.len() > MEMORY_BYTES as usize {
            self.damaged = self.damaged.saturating_add(1);
        } else if self.received.len() == MOST_FRAMES {
            self.dropped = self.dropped.saturating_add(1);
        } else {
            self.received.push_back(bytes.to_vec());
        }
    }

    fn take_sent(&mut self) -> Option<SentFrame> {
        self.sent.pop_front()
    }

    fn boxed_clone(&self) -> Box<dyn NetDevice> {
        Box::new(self.clone())
    }
}

/// Bytes of a memory of which only a beginning is there; the rest is zero.
fn read_memory(memory: &[u8], from: u32, bytes: u8) -> Option<u32> {
    let end = from + u32::from(bytes);
    let byte = |at: u32| u32::from(memory.get(at as usize).copied().unwrap_or(0));
    (end <= MEMORY_BYTES).then(|| (from..end).rev().fold(0, |value, at| value << 8 | byte(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: [u8; 6] = [2, 0, 0, 0x41, 0x57, 0x50];

    fn us(count: i64) -> Picoseconds {
        Picoseconds::new(count * units::PS_PER_US)
    }

    fn listening() -> IdealMac {
        let mut mac = IdealMac::default();
        mac.set_cable(us(0), Some(Speed::Mbps100));
        assert!(mac.write(us(0), MAC_LOW, 4, 0x4100_0002) && mac.write(us(0), MAC_HIGH, 4, 0x5057));
        assert!(mac.write(us(0), CONTROL, 4, CONTROL_RECEIVE | CONTROL_INTERRUPT));
        mac
    }

    fn frame_to(destination: [u8; 6], bytes: usize) -> Vec<u8> {
        let mut frame: Vec<u8> = (0..bytes).map(|n| n as u8).collect();
        frame[..6].copy_from_slice(&destination);
        frame
    }

    fn read(mac: &IdealMac, offset: u32) -> u32 {
        mac.read(us(0), offset, 4).expect("there is a register")
    }

    #[test]
    fn only_frames_to_the_own_address_and_to_groups_are_taken() {
        let mut mac = listening();
        for (destination, is_taken) in [
            (OWN, true),
            ([0xff; 6], true),
            ([1, 0, 0x5e, 0, 0, 1], true),
            ([2, 0, 0, 0x41, 0x57, 0x51], false),
        ] {
            mac.receive(us(0), &frame_to(destination, 60), true);
            assert_eq!(mac.interrupt_is_low(), is_taken, "{destination:x?}");
            assert!(mac.write(us(0), RX_DONE, 4, 0));
        }
    }

    #[test]
    fn the_frame_that_came_first_stands_in_memory_until_it_is_done_with() {
        let mut mac = listening();
        mac.receive(us(0), &frame_to(OWN, 61), true);
        mac.receive(us(0), &frame_to([0xff; 6], 62), true);
        assert_eq!(read(&mac, RX_BYTES), 61);
        assert_eq!(read(&mac, RX_MEMORY + 8), 0x0b0a_0908);
        assert_eq!(mac.read(us(0), RX_MEMORY + 60, 1), Some(60));
        assert_eq!((read(&mac, RX_MEMORY + 60), mac.read(us(0), RX_MEMORY + 6, 2)), (60, Some(0x0706)));
        mac.write(us(0), RX_DONE, 4, 0);
        assert_eq!((read(&mac, RX_BYTES), read(&mac, RX_MEMORY)), (62, u32::MAX));
        mac.write(us(0), RX_DONE, 4, 0);
        assert_eq!((read(&mac, RX_BYTES), read(&mac, STATUS)), (0, STATUS_LINK));
    }

    #[test]
    fn what_does_not_fit_and_what_is_damaged_is_dropped_and_counted() {
        let mut mac = listening();
        for _ in 0..MOST_FRAMES + 3 {
            mac.receive(us(0), &frame_to(OWN, 60), true);
        }
        mac.receive(us(0), &frame_to(OWN, 60), false);
        assert_eq!((read(&mac, RX_DROPPED), read(&mac, RX_DAMAGED)), (3, 1));
        mac.write(us(0), CONTROL, 4, 0);
        assert_eq!(read(&mac, RX_BYTES), 0);
    }

    #[test]
    fn frames_follow_each_other_on_the_wire_and_a_place_is_free_when_one_has_left() {
        let mut mac = listening();
        mac.write(us(0), TX_MEMORY + 2, 2, 0xbbaa);
        for _ in 0..MOST_FRAMES {
            mac.write(us(0), TX_SEND, 4, 2 << 16 | 1514);
        }
        assert_eq!((mac.read(us(0), TX_ROOM, 4), read(&mac, TX_REFUSED)), (Some(0), 0));
        mac.write(us(0), TX_SEND, 4, 60);
        assert_eq!(read(&mac, TX_REFUSED), 1);
        // 8 + 1514 + 4 bytes and 12 of gap at 80 ns each: 123.04 us.
        let ns = |at: Picoseconds| at.ps() / 1000;
        let starts: Vec<i64> = std::iter::from_fn(|| mac.take_sent()).map(|(at, _)| ns(at)).collect();
        assert_eq!(starts, (0..16).map(|n| 123_040 * n).collect::<Vec<_>>());
        assert_eq!(mac.read(us(123), TX_ROOM, 4), Some(0));
        assert_eq!(mac.read(us(124), TX_ROOM, 4), Some(1));
        mac.write(us(2000), TX_SEND, 4, 2 << 16 | 60);
        let (start, bytes) = mac.take_sent().expect("it is sent");
        assert_eq!((start, bytes.len(), &bytes[..2]), (us(2000), 60, &[0xaa, 0xbb][..]));
    }

    #[test]
    fn frames_that_cannot_be_are_refused() {
        let mut mac = listening();
        for wrong in [0, 13, 1515, 0xffff_ffff, 0x07f0 << 16 | 60] {
            mac.write(us(0), TX_SEND, 4, wrong);
        }
        mac.set_cable(us(0), None);
        mac.write(us(0), TX_SEND, 4, 60);
        assert_eq!((read(&mac, TX_REFUSED), mac.take_sent()), (6, None));
        assert_eq!(read(&mac, STATUS), 0);
    }

    #[test]
    fn registers_are_words_and_where_nothing_is_nothing_answers() {
        let mut mac = listening();
        assert_eq!(mac.read(us(0), ID, 4).map(u32::to_le_bytes), Some(*b"IMAC"));
        for offset in [0x30, 0x1800, 0x2800, 0xfffc] {
            assert_eq!(mac.read(us(0), offset, 4), None, "{offset:#x}");
            assert!(!mac.write(us(0), offset, 4, 0), "{offset:#x}");
        }
        assert_eq!(mac.read(us(0), ID, 1), None);
        assert!(!mac.write(us(0), CONTROL, 2, 0) && !mac.write(us(0), ID, 4, 0));
        assert!(!mac.write(us(0), RX_MEMORY, 4, 0));
    }
}
