//! When an acknowledgement leaves, as Linux decides it. smoltcp acknowledges each segment at once; this holds back what
//! Linux would. The rules and figures are those of Linux's TCP (quick acknowledgements, `TCP_MAX_QUICKACKS` 16,
//! `TCP_DELACK_MIN` and `TCP_ATO_MIN` 40 ms, `TCP_DELACK_MAX` 200 ms, "pingpong" after one answer in time); the recordings
//! of a kernel in tests/host/kernel_acks hold them to it. Every second full segment is acknowledged when the application reads
//! it: that is what the kernel does unless it has room left to widen its window. Left out: compressed acknowledgements of
//! data out of order, memory pressure, and timers that count in 4 ms.

use units::Picoseconds;

use super::AckPolicy;

const MOST_QUICK: u32 = 16;
const ATO_MIN: Picoseconds = Picoseconds::new(40 * units::PS_PER_MS);
const DELAY_MIN: Picoseconds = Picoseconds::new(40 * units::PS_PER_MS);
const DELAY_MAX: Picoseconds = Picoseconds::new(200 * units::PS_PER_MS);
/// What Linux takes for the peer's segment size before it has seen one (`TCP_MSS_DEFAULT`), and the smallest it believes.
const MSS_DEFAULT: u32 = 536;
const MSS_MIN: u32 = 88;
/// Linux's smallest retransmission time-out, which it adds to the round-trip time here (`TCP_RTO_MIN`).
const RTO_MIN: Picoseconds = Picoseconds::new(200 * units::PS_PER_MS);

/// When an acknowledgement that smoltcp made is to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AckTime {
    Now,
    At(Picoseconds),
}

/// A segment with data, as it was taken in.
#[derive(Debug, Clone, Copy)]
pub(super) struct TakenIn {
    pub payload_bytes: u32,
    /// Bytes that the receive queue grew by: none for one out of order or come twice, more than the payload where a gap
    /// was filled.
    pub in_order_bytes: u32,
    pub pushed: bool,
    pub finished: bool,
}

/// Linux adds a quick acknowledgement whenever a segment of at least 128 bytes widens its window. How often that is depends on
/// the memory that a segment takes in its driver; these counts are fitted to the recordings of Linux 6.18 on a veth pair:
/// at the start of a connection, by the peer's segment size, and once a first window of bytes was read.
const LEAST_WIDENING: u32 = 128;
const WIDENINGS: [(u32, u32); 3] = [(1200, 8), (MSS_DEFAULT + 1, 2), (0, 1)];
const WIDENINGS_LATER: u32 = 317;

/// One connection's acknowledgements.
#[derive(Debug, Clone)]
pub(super) struct AckEngine {
    policy: AckPolicy,
    quick: u32,
    /// Answered in time, so that acknowledgements can ride along.
    pingpong: bool,
    /// Linux's estimate of the time between segments; nothing before the first.
    ato: Option<Picoseconds>,
    last_received: Picoseconds,
    scheduled: bool,
    pushed: bool,
    pushed_twice: bool,
    peer_segment_bytes: u32,
    last_short_bytes: u32,
    unacknowledged_bytes: u32,
    window_bytes: u32,
    widened: u32,
    widened_later: u32,
    /// What the application has read, counted up to a little more than a window.
    read_bytes: u32,
    round_trip: Picoseconds,
    decided: AckTime,
}

impl AckEngine {
    pub(super) fn new(policy: AckPolicy, now: Picoseconds, window_bytes: usize) -> Self {
        Self {
            policy,
            quick: 0,
            pingpong: false,
            ato: None,
            last_received: now,
            scheduled: false,
            pushed: false,
            pushed_twice: false,
            peer_segment_bytes: MSS_DEFAULT,
            last_short_bytes: 0,
            unacknowledged_bytes: 0,
            window_bytes: u32::try_from(window_bytes).unwrap_or(u32::MAX),
            widened: 0,
            widened_later: 0,
            read_bytes: 0,
            round_trip: Picoseconds::ZERO,
            decided: AckTime::Now,
        }
    }

    /// The connection opened; so long took the handshake.
    pub(super) fn opened(&mut self, now: Picoseconds, round_trip: Picoseconds) {
        self.last_received = now;
        self.round_trip = round_trip;
    }

    /// Data came in. What it decides holds for the acknowledgement that smoltcp makes of it.
    pub(super) fn take_in(&mut self, now: Picoseconds, segment: TakenIn) {
        if segment.in_order_bytes < segment.payload_bytes {
            self.enter_quick();
            self.decided = AckTime::Now;
            return;
        }
        if segment.payload_bytes > 0 {
            self.unacknowledged_bytes += segment.in_order_bytes;
            self.measure_segment(segment.payload_bytes, segment.pushed);
            self.measure_interval(now);
            self.widen(segment.payload_bytes);
        }
        self.scheduled = true;
        if segment.finished {
            self.pingpong = true;
        }
        self.decided = match self.policy {
            AckPolicy::Immediate => AckTime::Now,
            AckPolicy::Linux | AckPolicy::Delayed(_) if segment.in_order_bytes > segment.payload_bytes => {
                AckTime::Now
            }
            AckPolicy::Delayed(delay) if self.unacknowledged_bytes <= self.peer_segment_bytes => {
                self.sooner(now, now + delay)
            }
            AckPolicy::Delayed(_) => AckTime::Now,
            AckPolicy::Linux => self.decide(now),
        };
    }

    /// When the acknowledgement of what was taken in last leaves.
    pub(super) fn decided(&self) -> AckTime {
        self.decided
    }

    /// A segment with an acknowledgement left.
    pub(super) fn acknowledged(&mut self) {
        if self.scheduled && self.quick > 0 {
            self.quick -= 1;
            if self.quick == 0 {
                self.ato = self.ato.map(|_| ATO_MIN);
            }
        }
        self.scheduled = false;
        self.pushed = false;
        self.pushed_twice = false;
        self.unacknowledged_bytes = 0;
        self.decided = AckTime::Now;
    }

    /// A segment with data left, not one sent again.
    pub(super) fn sent_data(&mut self, now: Picoseconds) {
        if self.ato.is_some_and(|ato| now - self.last_received < ato) {
            self.pingpong = true;
        }
    }

    /// The application read; true when the acknowledgement that is held back leaves now.
    pub(super) fn read(&mut self, bytes: usize, queue_is_empty: bool) -> bool {
        if self.read_bytes <= self.window_bytes {
            self.read_bytes = self.read_bytes.saturating_add(bytes as u32);
        }
        if !self.scheduled || self.policy != AckPolicy::Linux {
            return false;
        }
        self.unacknowledged_bytes > self.peer_segment_bytes
            || (queue_is_empty && (self.pushed_twice || self.pushed && !self.pingpong))
    }

    /// The time of the acknowledgement that is held back has come; it leaves now.
    pub(super) fn timed_out(&mut self) {
        if self.pingpong {
            self.pingpong = false;
            self.ato = Some(ATO_MIN);
        } else {
            self.ato = self.ato.map(|ato| (ato + ato).min(self.retransmission_timeout()));
        }
    }

    fn decide(&mut self, now: Picoseconds) -> AckTime {
        if self.quick > 0 && !self.pingpong {
            return AckTime::Now;
        }
        let mut delay = self.ato.unwrap_or(ATO_MIN);
        if delay > DELAY_MIN {
            delay = delay.min(DELAY_MAX.min(self.round_trip.max(DELAY_MIN)));
        }
        if let AckTime::At(earlier) = self.decided
            && earlier <= now + part(delay, 4)
        {
            return AckTime::Now;
        }
        self.sooner(now, now + delay)
    }

    /// The time that was decided before, if it comes first.
    fn sooner(&self, now: Picoseconds, at: Picoseconds) -> AckTime {
        match self.decided {
            AckTime::At(earlier) if earlier < at && earlier >= now => AckTime::At(earlier),
            _ => AckTime::At(at),
        }
    }

    fn enter_quick(&mut self) {
        self.allow_quick();
        self.pingpong = false;
        self.ato = Some(ATO_MIN);
    }

    fn allow_quick(&mut self) {
        let half_window = (self.window_bytes / (2 * self.peer_segment_bytes)).max(2);
        self.quick = self.quick.max(half_window.min(MOST_QUICK));
    }

    fn widen(&mut self, bytes: u32) {
        if bytes < LEAST_WIDENING {
            return;
        }
        let first = WIDENINGS
            .iter()
            .find(|(least, _)| self.peer_segment_bytes >= *least)
            .map_or(0, |(_, most)| *most);
        let (count, most) = if self.read_bytes > self.window_bytes {
            (&mut self.widened_later, WIDENINGS_LATER)
        } else {
            (&mut self.widened, first)
        };
        if *count < most {
            *count += 1;
            self.quick |= 1;
        }
    }

    fn measure_segment(&mut self, bytes: u32, pushed: bool) {
        let last_short_bytes = std::mem::take(&mut self.last_short_bytes);
        if bytes >= self.peer_segment_bytes {
            self.peer_segment_bytes = bytes;
            self.pushed |= pushed;
            return;
        }
        if bytes >= MSS_DEFAULT || (bytes >= MSS_MIN && !pushed) {
            self.last_short_bytes = bytes;
            if bytes == last_short_bytes {
                self.peer_segment_bytes = bytes;
                return;
            }
        }
        self.pushed_twice |= self.pushed;
        self.pushed = true;
    }

    fn measure_interval(&mut self, now: Picoseconds) {
        let interval = now - self.last_received;
        self.last_received = now;
        let Some(ato) = self.ato else {
            self.allow_quick();
            self.ato = Some(ATO_MIN);
            return;
        };
        if interval <= part(ATO_MIN, 2) {
            self.ato = Some(part(ato, 2) + part(ATO_MIN, 2));
        } else if interval < ato {
            self.ato = Some((part(ato, 2) + interval).min(self.retransmission_timeout()));
        } else if interval > self.retransmission_timeout() {
            self.allow_quick();
        }
    }

    fn retransmission_timeout(&self) -> Picoseconds {
        self.round_trip + RTO_MIN
    }
}

fn part(time: Picoseconds, of: i64) -> Picoseconds {
    Picoseconds::new(time.ps() / of)
}
