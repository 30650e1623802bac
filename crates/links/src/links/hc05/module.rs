//! The serial modules: when the sending one reads its buffer, and how its packets cross the air.
//!
//! The first characters go out at once; what follows waits for a timer or for a full buffer. That much was seen on the
//! UARTs of both ends; the firmware itself is closed, so repeats and other delays are drawn as they were measured.

use units::Picoseconds;

use crate::budget::Budget;
use crate::params::Params;
use crate::stage::{Cause, Load, Part, Passage, Stage, Visit};

/// The times of a module at a baud rate.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    pub(super) character_in: i64,
    pub(super) character_out: i64,
    read_timer: i64,
    threshold_bytes: i64,
    last_read_width: i64,
    late_share: f64,
    late_width: i64,
    extra_characters: f64,
    stretch: f64,
    packet_bytes: i64,
    packet_slot_pairs: i64,
    slot_pair: i64,
}

impl Timing {
    pub(super) fn new(baud: i64, params: &Params) -> Self {
        const PS_PER_S: i64 = 1_000_000_000_000;
        let units =
            (i128::from(baud) * i128::from(params.integer("baud_unit_inverse_ns")) + 500_000) / 1_000_000;
        let out = 10 * i128::from(params.integer("baud_unit_inverse_ns")) * 1_000_000 / units;
        Self {
            character_in: 10 * PS_PER_S / baud,
            character_out: out as i64,
            read_timer: params.time("read_timer").ps(),
            threshold_bytes: params.integer("read_threshold_bytes"),
            last_read_width: params.time("last_read_width").ps(),
            late_share: params.number("late_share"),
            late_width: params.time("late_width").ps(),
            extra_characters: params.number("extra_characters"),
            stretch: params.number("stretch"),
            packet_bytes: params.integer("packet_bytes"),
            packet_slot_pairs: params.integer("packet_slot_pairs"),
            slot_pair: params.time("slot_pair").ps(),
        }
    }

    /// Whether the buffer fills before the timer runs out, so that the air is the bottleneck.
    fn streams(&self, load: &Load) -> bool {
        let fills = self.threshold_bytes * self.character_in;
        fills < self.read_timer && i64::from(load.payload_bytes) > self.threshold_bytes
    }

    /// The packets of a stream; each time that the timer runs out it leaves one that is not full.
    fn packets(&self, load: &Load) -> i64 {
        if !self.streams(load) {
            return 0;
        }
        let bytes = i64::from(load.payload_bytes);
        (bytes + self.packet_bytes - 1) / self.packet_bytes + bytes * self.character_in / self.read_timer
    }

    /// Nobody waits for what follows the last packet.
    fn air(&self, packets: i64) -> Picoseconds {
        let slot_pairs = if packets == 0 { 0 } else { (packets - 1) * self.packet_slot_pairs + 1 };
        Picoseconds::new(slot_pairs * self.slot_pair)
    }

    /// What a short message takes of the air where it shares full packets with others.
    fn air_share(&self, load: &Load) -> Picoseconds {
        let full = self.packet_slot_pairs * self.slot_pair;
        Picoseconds::new(i64::from(load.payload_bytes) * full / self.packet_bytes)
    }

    /// The characters that come in before the packet that decides is read.
    pub(super) fn characters_in(&self, load: &Load) -> Picoseconds {
        let count = if self.streams(load) { self.threshold_bytes } else { 1 };
        Picoseconds::new(count * self.character_in)
    }

    /// The characters that go out after the packet that decides has come.
    pub(super) fn characters_out(&self, load: &Load) -> Picoseconds {
        let (bytes, character) = (i64::from(load.payload_bytes), self.character_out);
        if self.streams(load) {
            return Picoseconds::new(bytes * character / self.packets(load));
        }
        let slower = self.stretch * (bytes - 12).max(0) as f64 + self.extra_characters;
        Picoseconds::new((bytes - 1) * character + libm::round(slower * character as f64) as i64)
    }

    /// The width of the wait for the last read of a long stream: reads keep no step with characters that come so
    /// fast, and after a few their phase is anybody's guess.
    pub(super) fn last_read(&self, load: &Load) -> i64 {
        let stream = i64::from(load.payload_bytes) * self.character_in;
        let is_long = stream > 5 * self.read_timer && 20 * self.character_in < self.read_timer;
        if is_long && !self.streams(load) { self.last_read_width } else { 0 }
    }

    /// The probability that the first read, being late, finds the whole message.
    fn whole_at_once(&self, load: &Load) -> f64 {
        let stream = i64::from(load.payload_bytes) * self.character_in;
        self.late_share * ((self.late_width - stream).max(0) as f64 / self.late_width as f64)
    }
}

/// The sending module's wait before it reads its buffer. What has come in by then is read as one.
#[derive(Debug)]
pub(super) struct Reads {
    timing: Timing,
    /// The read that is waited for, or was the last.
    read_at: Picoseconds,
}

impl Reads {
    pub(super) fn new(timing: Timing) -> Self {
        Self { timing, read_at: Picoseconds::new(i64::MIN / 2) }
    }

    /// The read that takes along a message whose first character is there now: one that is due already, or the next.
    fn joined(&mut self, now: Picoseconds, load: &Load) -> Picoseconds {
        let rest = (i64::from(load.payload_bytes) - 1) * self.timing.character_in;
        if now + Picoseconds::new(rest) > self.read_at {
            self.read_at = self.read_at + Picoseconds::new(self.timing.read_timer);
        }
        self.read_at
    }
}

impl Stage for Reads {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("module waits for more characters", Cause::Protocol),
            Part::new("wait for the last read", Cause::Protocol),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        if visit.stays > 0 {
            let wait = visit.random.time_below(Picoseconds::new(self.timing.last_read(&visit.load)));
            return Passage::Leave { part: 1, at: visit.now + wait };
        }
        if self.timing.streams(&visit.load) {
            return Passage::Stay { part: 0, until: visit.now };
        }
        if visit.now <= self.read_at {
            return Passage::Stay { part: 0, until: self.joined(visit.now, &visit.load) };
        }
        let wait = if visit.random.chance(self.timing.whole_at_once(&visit.load)) {
            let stream = i64::from(visit.load.payload_bytes) * self.timing.character_in;
            stream + visit.random.time_below(Picoseconds::new(self.timing.late_width - stream)).ps()
        } else {
            self.timing.read_timer
        };
        self.read_at = visit.now + Picoseconds::new(wait);
        Passage::Stay { part: 0, until: self.read_at }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        budget.add(1, Picoseconds::new(self.timing.last_read(load) / 2));
        if !self.timing.streams(load) {
            let early = self.timing.whole_at_once(load);
            let stream = i64::from(load.payload_bytes) * self.timing.character_in;
            budget.add_weighted(0, Picoseconds::new(self.timing.read_timer), 1.0 - early);
            budget.add_weighted(0, Picoseconds::new((stream + self.timing.late_width) / 2), early);
        }
    }
}

/// What the two modules add to a packet, drawn as it was measured.
#[derive(Debug, Clone)]
pub(super) struct Delays {
    shares: Vec<f64>,
    times: Vec<i64>,
    /// The delay of a packet to which nothing happens.
    line: i64,
}

impl Delays {
    /// # Panics
    /// When the params hold lists that do not fit: they are part of the program.
    pub(super) fn new(params: &Params) -> Self {
        let shares: Vec<f64> =
            params.numbers("tail_percents").iter().map(|percent| percent / 100.0).collect();
        let times: Vec<i64> = params.times("tail").iter().map(|time| time.ps()).collect();
        assert_eq!(shares.len(), times.len(), "every share has its time");
        assert!(shares.first() == Some(&0.0) && shares.last() == Some(&1.0), "the tail covers all messages");
        Self { shares, times, line: params.time("tail_line").ps() }
    }

    fn draw(&self, visit: &mut Visit<'_>) -> i64 {
        let share = visit.random.unit();
        let above = self.shares.partition_point(|&limit| limit <= share);
        let (low, high) = (self.times[above - 1], self.times[above]);
        low + visit.random.time_below(Picoseconds::new(high - low)).ps()
    }

    /// The mean of a function that is straight between the quantiles.
    fn mean(&self, of: impl Fn(i64) -> i64) -> f64 {
        let between = self.times.windows(2).zip(self.shares.windows(2));
        between
            .map(|(times, shares)| (of(times[0]) + of(times[1])) as f64 / 2.0 * (shares[1] - shares[0]))
            .sum()
    }

    fn beyond_line(&self, delay: i64) -> i64 {
        (delay - self.line).max(0)
    }
}

/// The packets of a stream that is faster than the air: each takes its slot pairs, and what may happen to it. The packets
/// of earlier messages go first.
#[derive(Debug)]
pub(super) struct Packets {
    timing: Timing,
    delays: Delays,
    /// When the air is free of earlier messages.
    free_from: Picoseconds,
}

impl Packets {
    pub(super) fn new(timing: Timing, delays: Delays) -> Self {
        Self { timing, delays, free_from: Picoseconds::new(i64::MIN / 2) }
    }
}

impl Stage for Packets {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("packets on the air", Cause::Air),
            Part::new("repeats and pauses of the modules", Cause::Empirical),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let Self { timing, delays, free_from } = self;
        let packets = timing.packets(&visit.load);
        if visit.stays == 0 {
            let start = visit.now.max(*free_from);
            let until = start + timing.air(packets);
            *free_from = if packets > 0 { until } else { start + timing.air_share(&visit.load) };
            return Passage::Stay { part: 0, until };
        }
        let delay: i64 = (0..packets).map(|_| delays.beyond_line(delays.draw(visit))).sum();
        Passage::Leave { part: 1, at: visit.now + Picoseconds::new(delay) }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let Self { timing, delays, .. } = self;
        let packets = timing.packets(load);
        budget.add(0, timing.air(packets));
        let mean = delays.mean(|delay| delays.beyond_line(delay));
        budget.add_weighted(1, Picoseconds::new(libm::round(mean) as i64), packets as f64);
    }
}

/// What happens to the one packet that decides, where the air is not the bottleneck.
#[derive(Debug)]
pub(super) struct LastPacket(pub(super) Timing, pub(super) Delays);

impl Stage for LastPacket {
    fn parts(&self) -> Vec<Part> {
        vec![Part::new("repeats and pauses of the modules", Cause::Empirical)]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        let Self(timing, delays) = self;
        let delay = if timing.streams(&visit.load) { delays.line } else { delays.draw(visit) };
        Passage::Leave { part: 0, at: visit.now + Picoseconds::new(delay) }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let Self(timing, delays) = self;
        let mean = if timing.streams(load) { delays.line as f64 } else { delays.mean(|delay| delay) };
        budget.add(0, Picoseconds::new(libm::round(mean) as i64));
    }
}
