//! Frames on their way out of the PC, each with the moment when the card has it.

use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;

use units::Picoseconds;

use crate::Frame;

/// Frames that wait for the wire; more are dropped and counted.
const MOST_FRAMES: usize = 65_536;

/// Addresses whose last request is remembered.
const MOST_REQUESTS: usize = 1_024;

/// Linux asks for a neighbour once a second (`retrans_time_ms`, arp(7)); smoltcp would five times.
const REQUEST_INTERVAL: Picoseconds = Picoseconds::new(units::PS_PER_S);

/// The way out.
#[derive(Debug)]
pub(super) struct Output {
    send_time: Picoseconds,
    waiting: VecDeque<(Picoseconds, Frame)>,
    requests: BTreeMap<Ipv4Addr, Picoseconds>,
    /// Frames that found the way out full.
    pub(super) dropped: u64,
}

impl Output {
    pub(super) fn new(send_time: Picoseconds) -> Self {
        Self { send_time, waiting: VecDeque::new(), requests: BTreeMap::new(), dropped: 0 }
    }

    /// Sends a frame; an ARP request that comes too soon after the last one for the same address is not sent.
    pub(super) fn send(&mut self, now: Picoseconds, frame: Vec<u8>) {
        if requested(&frame).is_some_and(|address| !self.may_request(now, address)) {
            return;
        }
        if self.waiting.len() >= MOST_FRAMES {
            self.dropped += 1;
            return;
        }
        self.waiting.push_back((now + self.send_time, Frame::new(frame)));
    }

    /// When the next frame leaves.
    pub(super) fn next(&self) -> Option<Picoseconds> {
        self.waiting.front().map(|(at, _)| *at)
    }

    /// The next frame that has left by `now`.
    pub(super) fn take(&mut self, now: Picoseconds) -> Option<Frame> {
        if self.next()? > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, frame)| frame)
    }

    fn may_request(&mut self, now: Picoseconds, address: Ipv4Addr) -> bool {
        if self.requests.get(&address).is_some_and(|last| now < *last + REQUEST_INTERVAL) {
            return false;
        }
        if self.requests.len() >= MOST_REQUESTS {
            self.requests.clear();
        }
        self.requests.insert(address, now);
        true
    }
}

/// The address that an ARP request asks for (RFC 826).
fn requested(frame: &[u8]) -> Option<Ipv4Addr> {
    if frame.get(12..14)? != [0x08, 0x06] || frame.get(20..22)? != [0, 1] {
        return None;
    }
    let target: [u8; 4] = frame.get(38..42)?.try_into().ok()?;
    Some(Ipv4Addr::from(target))
}
