//! The sending half of the MAC: one frame after another at the link's speed. Half duplex is not told from full: there are no
//! collisions and nothing is deferred.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::{LinkPartner, Sent, Speed};

/// IEEE 802.3 clause 3: the shortest and longest frame without its check sequence.
pub(crate) const SHORTEST_BYTES: usize = 60;
pub(crate) const LONGEST_BYTES: usize = 1514;

/// How many frames may wait: more are refused.
const MOST_WAITING: i64 = 32;
/// How many frames are kept for a caller who does not take them: older ones are lost.
const MOST_UNTAKEN: usize = 1 << 16;

/// The end of a SEND's last frame, which its socket waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Completion {
    pub(crate) at: Picoseconds,
    pub(crate) socket: usize,
    /// Up to where the socket's TX memory is free then.
    pub(crate) boundary: u16,
}

/// The MAC.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Mac {
    /// When the wire is free, the gap after the last frame included.
    wire_free: Picoseconds,
    sent: VecDeque<Sent>,
    completions: VecDeque<Completion>,
    /// Frames that nobody took in time.
    pub(crate) untaken: u64,
    /// How long it has sent with 10 and with 100 Mbit/s, up to the end of the last frame.
    pub(crate) sent_for: [Picoseconds; 2],
}

impl Mac {
    /// From the first bit of the preamble to the last bit of the check sequence.
    pub(crate) fn frame_time(speed: Speed, frame_bytes: usize) -> Picoseconds {
        const PREAMBLE_BYTES: usize = 8;
        const CHECK_SEQUENCE_BYTES: usize = 4;
        let bytes = PREAMBLE_BYTES + frame_bytes.max(SHORTEST_BYTES) + CHECK_SEQUENCE_BYTES;
        Picoseconds::new(bytes as i64 * 8 * bit_ps(speed))
    }

    /// Whether a frame that is handed over now would begin now.
    pub(crate) fn is_idle(&self, now: Picoseconds) -> bool {
        self.wire_free <= now
    }

    pub(crate) fn wire_free(&self) -> Picoseconds {
        self.wire_free
    }

    /// Whether there is room for one more of the chip's own answers.
    pub(crate) fn has_room(&self, now: Picoseconds, link: Option<LinkPartner>) -> bool {
        let longest = Self::frame_time(speed_of(link), LONGEST_BYTES);
        self.wire_free.ps().saturating_sub(now.ps()) < MOST_WAITING * longest.ps()
    }

    /// Sends a frame; the end of its last bit. Without a link the frame is lost, in the time that it would have taken.
    pub(crate) fn transmit(
        &mut self,
        now: Picoseconds,
        link: Option<LinkPartner>,
        mut bytes: Vec<u8>,
    ) -> Picoseconds {
        const GAP_BYTES: i64 = 12;
        let speed = speed_of(link);
        let start = self.wire_free.max(now);
        let end = start + Self::frame_time(speed, bytes.len());
        self.wire_free = end + Picoseconds::new(GAP_BYTES * 8 * bit_ps(speed));
        if link.is_some() {
            let sent_for = &mut self.sent_for[usize::from(speed == Speed::Mbps100)];
            *sent_for = *sent_for + (end - start);
            bytes.resize(bytes.len().max(SHORTEST_BYTES), 0);
            if self.sent.len() >= MOST_UNTAKEN {
                self.sent.pop_front();
                self.untaken += 1;
            }
            self.sent.push_back(Sent { start, bytes });
        }
        end
    }

    /// A socket waits no more.
    pub(crate) fn forget(&mut self, socket: usize) {
        self.completions.retain(|completion| completion.socket != socket);
    }

    /// Has a socket told when a SEND is out.
    pub(crate) fn tell(&mut self, completion: Completion) {
        self.completions.push_back(completion);
    }

    pub(crate) fn next_completion(&self) -> Option<Picoseconds> {
        self.completions.front().map(|completion| completion.at)
    }

    pub(crate) fn take_completion(&mut self, now: Picoseconds) -> Option<Completion> {
        self.next_completion().filter(|&at| at <= now)?;
        self.completions.pop_front()
    }

    pub(crate) fn take_sent(&mut self) -> Option<Sent> {
        self.sent.pop_front()
    }

    /// Frames that have not begun are lost; nobody waits for any. Gives how many were lost.
    pub(crate) fn cut(&mut self, now: Picoseconds) -> u64 {
        let before = self.sent.len();
        self.sent.retain(|sent| sent.start <= now);
        (before - self.sent.len()) as u64
    }

    /// A reset: nothing waits any more.
    pub(crate) fn reset(&mut self) {
        self.completions.clear();
    }
}

fn speed_of(link: Option<LinkPartner>) -> Speed {
    link.map_or(Speed::Mbps100, |link| link.speed)
}

fn bit_ps(speed: Speed) -> i64 {
    match speed {
        Speed::Mbps10 => 100 * units::PS_PER_NS,
        Speed::Mbps100 => 10 * units::PS_PER_NS,
    }
}
