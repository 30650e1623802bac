//! A wire that leaves this network: the far end of its one chip's cable is a chip of another [`Lan`]. What is sent comes out as
//! soon as its time on the wire is known, which is before it arrives; what the other end sends goes in with the time of its
//! last bit. Left out: impairments and hops, which are a network's.

use std::collections::VecDeque;

use ethernet::Speed;
use units::Picoseconds;

use super::Lan;

/// A sender pads shorter frames (IEEE 802.3 clause 3).
const SHORTEST_BYTES: usize = 60;

/// A frame on the wire between two boards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireFrame {
    /// The first bit of its preamble.
    pub start: Picoseconds,
    /// The last bit of its check sequence, at either end of a wire without length.
    pub end: Picoseconds,
    /// Its bytes, padded.
    pub bytes: Vec<u8>,
}

/// One end of the wire.
#[derive(Debug, Clone)]
pub(super) struct OpenWire {
    speed: Speed,
    /// The slower one that the chip has agreed to.
    agreed: Option<Speed>,
    /// When the outgoing lane is free.
    free: Picoseconds,
    outgoing: VecDeque<WireFrame>,
    /// What is on its way to the chip, in the order of arrival.
    incoming: VecDeque<WireFrame>,
}

impl OpenWire {
    pub(super) fn send(&mut self, earliest: Picoseconds, mut bytes: Vec<u8>) {
        bytes.resize(bytes.len().max(SHORTEST_BYTES), 0);
        let start = earliest.max(self.free);
        let speed = self.agreed.map_or(self.speed, |agreed| agreed.min(self.speed));
        let end = start + speed.frame_time(bytes.len());
        self.free = end + speed.gap();
        self.outgoing.push_back(WireFrame { start, end, bytes });
    }

    /// The chip has agreed to a speed, or has no link.
    pub(super) fn agree(&mut self, speed: Option<Speed>) {
        self.agreed = speed;
    }

    /// When the next frame has arrived whole.
    pub(super) fn next_arrival(&self) -> Option<Picoseconds> {
        self.incoming.front().map(|frame| frame.end)
    }

    /// The next frame that has arrived by a time.
    pub(super) fn take_arrival(&mut self, by: Picoseconds) -> Option<WireFrame> {
        let is_here = self.next_arrival().is_some_and(|at| at <= by);
        if is_here { self.incoming.pop_front() } else { None }
    }
}

impl Lan {
    /// Takes the chip's cable out of this network: from here on its other end is [`Self::take_outgoing`] and [`Self::expect`].
    ///
    /// # Errors
    /// A sentence, when there is not exactly one chip.
    pub fn open_wire(&mut self) -> Result<(), String> {
        if self.wired.len() != 1 {
            return Err(format!("a wire has one chip at its end, and here are {}", self.wired.len()));
        }
        let (speed, free) = (self.setup.speed, self.now);
        let agreed = self.wired[0].line.speed;
        let (outgoing, incoming) = (VecDeque::new(), VecDeque::new());
        self.open = Some(OpenWire { speed, agreed, free, outgoing, incoming });
        Ok(())
    }

    /// The next frame that the chip put on the open wire.
    pub fn take_outgoing(&mut self) -> Option<WireFrame> {
        self.open.as_mut()?.outgoing.pop_front()
    }

    /// A frame is on the open wire to the chip. Frames come in the order in which they arrive.
    ///
    /// # Panics
    /// When the wire is not open, or the frame has arrived before this network's own time: whoever lets two boards run asks for
    /// that first.
    pub fn expect(&mut self, frame: WireFrame) {
        assert!(frame.end >= self.now, "a frame that arrives at {} came only at {}", frame.end, self.now);
        let open = self.open.as_mut().expect("frames come over a wire that is open");
        open.incoming.push_back(frame);
        self.changed();
    }

    /// How long the shortest frame is on the wire: sooner nothing that this network does is felt at the other end.
    pub fn shortest_frame(&self) -> Picoseconds {
        self.setup.speed.frame_time(SHORTEST_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Passive;
    use crate::{IdealMac, NetworkSetup};

    fn lan() -> Lan {
        let mut lan = Lan::new(&NetworkSetup { pc: None, traffic: Vec::new(), ..NetworkSetup::default() });
        lan.attach("mac", IdealMac::default());
        lan.open_wire().unwrap();
        lan
    }

    #[test]
    fn frames_follow_each_other_with_a_gap_and_short_ones_are_padded() {
        let mut lan = lan();
        let open = lan.open.as_mut().unwrap();
        open.send(Picoseconds::from_ns(1000), vec![1; 14]);
        open.send(Picoseconds::from_ns(1000), vec![2; 60]);
        let [first, second] = [0, 1].map(|_| lan.take_outgoing().unwrap());
        // 72 bytes at 100 Mbit/s, and 96 bits of silence.
        assert_eq!((first.start, first.end), (Picoseconds::from_ns(1000), Picoseconds::from_ns(6760)));
        assert_eq!((second.start, first.bytes.len()), (Picoseconds::from_ns(7720), 60));
        assert_eq!(lan.shortest_frame(), Picoseconds::from_ns(5760));
    }

    #[test]
    fn a_chip_that_agreed_to_10_mbit_per_s_sends_at_that() {
        let mut lan = lan();
        let open = lan.open.as_mut().unwrap();
        open.agree(Some(Speed::Mbps10));
        open.send(Picoseconds::from_ns(1000), vec![1; 60]);
        open.agree(Some(Speed::Mbps1000));
        open.send(Picoseconds::from_ns(1000), vec![2; 60]);
        let ends = [0, 1].map(|_| lan.take_outgoing().unwrap().end);
        // 72 bytes, 96 bits of silence at 10 Mbit/s, and 72 bytes by the cable's 100 Mbit/s.
        assert_eq!(ends, [Picoseconds::from_ns(58_600), Picoseconds::from_ns(68_200 + 5_760)]);
    }

    #[test]
    fn a_frame_is_taken_when_its_last_bit_is_there_and_not_before() {
        let mut lan = lan();
        let (start, end) = (Picoseconds::from_ns(1000), Picoseconds::from_ns(6760));
        lan.expect(WireFrame { start, end, bytes: vec![0xff; 60] });
        assert_eq!(lan.next_event(), Some(end));
        lan.advance(end - Picoseconds::new(1));
        assert_eq!(lan.open.as_ref().unwrap().incoming.len(), 1);
        lan.advance(end);
        assert_eq!((lan.open.as_ref().unwrap().incoming.len(), lan.next_event()), (0, None));
    }

    #[test]
    fn a_wire_takes_one_chip() {
        let mut lan = Lan::new(&NetworkSetup::default());
        assert_eq!(lan.open_wire().unwrap_err(), "a wire has one chip at its end, and here are 0");
    }
}
