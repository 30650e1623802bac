//! Exchanges: a beacon, or frames and what answers them. Two that begin in the same slot destroy each other.

use units::Picoseconds;

use super::air::{ACCESS_POINT, WifiAir};
use super::frame::{Content, Frame, Way};
use crate::stage::{ATTEMPTS, aggregated_bytes};

/// Frames of one A-MPDU: as many as a block acknowledgement tells of (IEEE 802.11-2016, 9.3.1.9).
const MOST_AGGREGATED: usize = 64;
/// IEEE 802.11-2016, table 19-25: aPPDUMaxTime.
const LONGEST_PPDU: Picoseconds = Picoseconds::from_ns(5_484_000);

/// What one sender puts on the air at once.
#[derive(Debug, Clone)]
pub(super) struct Transmission {
    sender: usize,
    frames: Vec<Frame>,
    /// Which of them are received.
    received: Vec<bool>,
    air: Picoseconds,
}

#[derive(Debug, Clone)]
enum OnAir {
    /// The beacon that was due at a time.
    Beacon(Picoseconds),
    Frames(Vec<Transmission>),
    Acknowledgement,
}

/// What is on the air.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) until: Picoseconds,
    on_air: OnAir,
}

impl Exchange {
    pub(super) fn beacon(due: Picoseconds, until: Picoseconds) -> Self {
        Self { until, on_air: OnAir::Beacon(due) }
    }
}

impl WifiAir {
    /// Everybody but one stops counting slots.
    pub(super) fn freeze(&mut self, but: Option<usize>, at: Picoseconds) {
        for sender in (0..self.senders.len()).filter(|sender| Some(*sender) != but) {
            if let Some(rate) = self.rate(sender) {
                self.senders[sender].freeze(at, self.idle_from, rate);
            }
        }
    }

    /// Whoever's slots are over begins; so does whoever's would be before the first was heard.
    pub(super) fn start(&mut self, at: Picoseconds) {
        let begins = |sender: &usize| {
            let slot = self.rate(*sender).map(|rate| rate.slot());
            self.starts(*sender).zip(slot).is_some_and(|(starts, slot)| starts < at + slot)
        };
        let winners: Vec<usize> = (0..self.senders.len()).filter(begins).collect();
        self.freeze(None, at);
        let is_alone = winners.len() == 1;
        let sent: Vec<Transmission> =
            winners.into_iter().map(|sender| self.transmission(sender, at, is_alone)).collect();
        let longest = sent.iter().map(|one| one.air).max().unwrap_or(Picoseconds::ZERO);
        self.exchange = Some(Exchange { until: at + longest, on_air: OnAir::Frames(sent) });
    }

    fn transmission(&mut self, sender: usize, at: Picoseconds, is_alone: bool) -> Transmission {
        let frames = self.take_frames(sender, at);
        let setup = &self.stations[frames[0].station].setup;
        let bytes: Vec<u32> = frames.iter().map(|frame| frame.mpdu_bytes).collect();
        let (air, error) = (setup.rate.airtime_of_all(&bytes), setup.frame_error);
        let received = frames.iter().map(|_| !self.senders[sender].errs(error) && is_alone).collect();
        Transmission { sender, frames, received, air }
    }

    /// The frame at the head of a queue, and those for the same receiver that may go along.
    fn take_frames(&mut self, sender: usize, at: Picoseconds) -> Vec<Frame> {
        let head = self.senders[sender].queue[0];
        let setup = &self.stations[head.station].setup;
        let (most, most_bytes) = match sender {
            ACCESS_POINT if setup.aggregation.takes_bytes > 0 => {
                (MOST_AGGREGATED, setup.aggregation.takes_bytes)
            }
            ACCESS_POINT => (1, u32::MAX),
            _ => (MOST_AGGREGATED.min(setup.aggregation.frames as usize), u32::MAX),
        };
        let is_data = |frame: &Frame| matches!(frame.content, Content::Data { .. });
        let most = if setup.rate.aggregates() && is_data(&head) { most } else { 1 };
        let (rate, mut bytes, mut taken) = (setup.rate, 0, Vec::new());
        let queue = &mut self.senders[sender].queue;
        let mut place = 0;
        while let Some(frame) = queue.get(place).filter(|_| taken.len() < most.max(1)) {
            if frame.station != head.station || !is_data(frame) && place > 0 || frame.ready > at {
                place += 1;
                continue;
            }
            let more = bytes + aggregated_bytes(frame.mpdu_bytes);
            if !taken.is_empty() && (more > most_bytes || rate.airtime(more) > LONGEST_PPDU) {
                break;
            }
            bytes = more;
            taken.extend(queue.remove(place));
        }
        taken
    }

    pub(super) fn exchange_ends(&mut self) {
        let Some(exchange) = self.exchange.take() else { return };
        let now = exchange.until;
        match exchange.on_air {
            OnAir::Acknowledgement => self.idle_from = now,
            OnAir::Beacon(due) => {
                self.idle_from = now;
                self.announce(due);
            }
            OnAir::Frames(sent) => {
                self.idle_from = now;
                for one in sent {
                    let rate = self.stations[one.frames[0].station].setup.rate;
                    let acknowledgement = match one.frames.len() {
                        1 => rate.acknowledgement(),
                        _ => rate.block_acknowledgement(),
                    };
                    if one.received.contains(&true) {
                        let until = now + acknowledgement;
                        self.exchange = Some(Exchange { until, on_air: OnAir::Acknowledgement });
                        self.came_through(one, until);
                    } else {
                        self.count_use(&one, Picoseconds::ZERO);
                        self.was_not_heard(one, now);
                    }
                }
            }
        }
    }

    /// What a transmission is to the radio of its station.
    fn count_use(&mut self, one: &Transmission, answer: Picoseconds) {
        let used = &mut self.stations[one.frames[0].station].used;
        let (own, others) = match one.sender {
            ACCESS_POINT => (answer, one.air),
            _ => (one.air, answer),
        };
        used.transmit = used.transmit + own;
        used.receive = used.receive + others;
    }

    /// Some of the frames were received: those are acknowledged, the others come again.
    fn came_through(&mut self, one: Transmission, until: Picoseconds) {
        self.count_use(&one, until - self.now);
        self.senders[one.sender].is_through();
        let mut again = Vec::new();
        for (frame, received) in one.frames.into_iter().zip(one.received) {
            if received {
                self.is_through(&frame, until, false);
            } else {
                again.extend(self.once_more(frame, until));
            }
        }
        self.put_back(one.sender, again);
    }

    /// Nobody acknowledged anything.
    fn was_not_heard(&mut self, one: Transmission, now: Picoseconds) {
        let rate = self.stations[one.frames[0].station].setup.rate;
        let from = now + rate.timeout();
        let again: Vec<Frame> =
            one.frames.into_iter().filter_map(|frame| self.once_more(frame, from)).collect();
        if again.is_empty() {
            self.senders[one.sender].is_through();
        } else {
            self.senders[one.sender].failed(from, rate);
        }
        self.put_back(one.sender, again);
    }

    fn put_back(&mut self, sender: usize, frames: Vec<Frame>) {
        for frame in frames.into_iter().rev() {
            self.senders[sender].queue.push_front(frame);
        }
    }

    /// A frame that was not received, for another attempt; nothing where it was the last.
    fn once_more(&mut self, frame: Frame, from: Picoseconds) -> Option<Frame> {
        let frame = Frame { failures: frame.failures + 1, ready: from, ..frame };
        if frame.failures < ATTEMPTS {
            return Some(frame);
        }
        self.is_through(&frame, from, true);
        None
    }

    /// A frame came through, acknowledged until a time, or is given up.
    fn is_through(&mut self, frame: &Frame, until: Picoseconds, is_lost: bool) {
        let station = frame.station;
        self.settle(frame, is_lost);
        match frame.content {
            Content::Data { way: Way::FromStation, .. } if !is_lost => self.heard_of(station, until),
            Content::Data { way: Way::ToStation, .. } => self.was_given(station, until),
            Content::Data { .. } => self.stations[station].was_active(until),
            Content::Awake => self.says_that_it_is_awake(station, until, is_lost),
            Content::Dozes => self.says_that_it_dozes(station, until, is_lost),
            Content::Poll => self.polls(station, until, is_lost),
        }
    }
}
