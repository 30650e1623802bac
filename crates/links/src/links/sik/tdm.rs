//! The stage of a pair of SiK radios: bytes that come in on one UART wait for a transmit window, go out in packets, and
//! leave on the other UART. One walk over the windows gives the times of all parts.
//!
//! The peer has nothing to say: in its window it sends statistics when they are due, and a packet of no bytes, which
//! gives the rest of the window away. So does the sender when its own window finds it empty; then it has no further
//! chance before the next window, whatever comes in. Lost packets and data in the other direction are left out.

use units::Picoseconds;

use super::rounds::{Rounds, Unknowns, Window};
use super::timing::{STATISTICS_BYTES, Timing};
use crate::budget::Budget;
use crate::stage::{Cause, GateClock, Load, Part, Passage, Stage, Visit};

const UART_IN: usize = 0;
const WAIT: usize = 1;
const EXCHANGE: usize = 2;
const AIR: usize = 3;
const AGAIN: usize = 4;
const UART_OUT: usize = 5;

/// Points over which the budget averages the unknown phases.
const BUDGET_POINTS: i64 = 4_096;
/// No message that fits the sender's buffer needs more.
const MAX_WINDOWS: i64 = 10_000;

/// Until when a message is in which part.
type Timeline = Vec<(usize, i64)>;

/// Two radios that take turns.
#[derive(Debug)]
pub(super) struct TdmRadios {
    timing: Timing,
    clock: GateClock,
    unknowns: Option<Unknowns>,
    timeline: Timeline,
}

impl TdmRadios {
    pub(super) fn new(timing: Timing) -> Self {
        let clock = GateClock::new("half-round", Picoseconds::new(timing.half_round));
        Self { timing, clock, unknowns: None, timeline: Vec::new() }
    }

    fn settle(&mut self, visit: &mut Visit<'_>) -> Unknowns {
        self.clock.settle(visit.random);
        let period = Picoseconds::new(self.timing.statistics_period);
        *self.unknowns.get_or_insert_with(|| Unknowns {
            even_is_own: visit.random.below(2) == 0,
            peer_statistics: visit.random.time_below(period).ps(),
            own_statistics: visit.random.time_below(period).ps(),
        })
    }
}

impl Stage for TdmRadios {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("bytes in on the radio's UART", Cause::Bus),
            Part::new("wait for a transmit window", Cause::Gate),
            Part::new("statistics and packets of no bytes", Cause::Protocol),
            Part::new("packets on the air", Cause::Air),
            Part::new("packets sent again", Cause::Protocol),
            Part::new("bytes out on the other UART", Cause::Bus),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        if visit.stays == 0 {
            let unknowns = self.settle(visit);
            let bit_clock = visit.random.time_below(self.timing.bit_out()).ps();
            let rounds = Rounds::new(&self.timing, &self.clock, unknowns);
            self.timeline.clear();
            let message = Message::new(&self.timing, visit.now, visit.load.payload_bytes, bit_clock);
            message.travel(&rounds, &mut self.timeline);
        }
        let step = visit.stays as usize;
        let (part, until) = self.timeline[step];
        let until = Picoseconds::new(until);
        if step + 1 == self.timeline.len() {
            Passage::Leave { part, at: until }
        } else {
            Passage::Stay { part, until }
        }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let mut timeline = Timeline::new();
        for point in 0..BUDGET_POINTS {
            // A lattice of four dimensions; the factors are odd and far from each other's multiples.
            let share = |factor: i64, period: i64| {
                (i128::from(period) * i128::from(point * factor % BUDGET_POINTS) / i128::from(BUDGET_POINTS))
                    as i64
            };
            let mut clock = self.clock.clone();
            clock.lock(Picoseconds::new(share(1, self.timing.half_round)), 0);
            let unknowns = Unknowns {
                even_is_own: point * 1_571 % BUDGET_POINTS < BUDGET_POINTS / 2,
                peer_statistics: share(2_663, self.timing.statistics_period),
                own_statistics: share(3_367, self.timing.statistics_period),
            };
            let rounds = Rounds::new(&self.timing, &clock, unknowns);
            timeline.clear();
            let bit_clock = self.timing.bit_out().ps() / 2;
            Message::new(&self.timing, Picoseconds::ZERO, load.payload_bytes, bit_clock)
                .travel(&rounds, &mut timeline);
            let mut since = 0;
            for &(part, until) in &timeline {
                budget.add_weighted(part, Picoseconds::new(until - since), 1.0 / BUDGET_POINTS as f64);
                since = until;
            }
        }
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}

/// A message on its way.
struct Message<'a> {
    timing: &'a Timing,
    started: i64,
    payload: i64,
    /// From the first delivery until the bit clock of the receiving radio's UART.
    bit_clock: i64,
    sent: i64,
    /// The bytes of the last packet while it may still go out again.
    last_packet: i64,
    /// When the receiving radio's UART has sent everything that it was given.
    output_ends: i64,
}

impl<'a> Message<'a> {
    fn new(timing: &'a Timing, now: Picoseconds, payload_bytes: u32, bit_clock: i64) -> Self {
        let payload = i64::from(payload_bytes);
        Self { timing, started: now.ps(), payload, bit_clock, sent: 0, last_packet: 0, output_ends: 0 }
    }

    /// Takes the message through as many windows as it needs.
    fn travel(mut self, rounds: &Rounds<'_>, timeline: &mut Timeline) {
        let first = rounds.number(Picoseconds::new(self.started));
        for number in first..first + MAX_WINDOWS {
            self.pass_window(rounds.window(number), timeline);
            if self.sent == self.payload {
                return spend(timeline, UART_OUT, self.output_ends);
            }
        }
        unreachable!("every window that finds bytes takes some along");
    }

    /// What the sender does in one window.
    fn pass_window(&mut self, window: Window, timeline: &mut Timeline) {
        let timing = self.timing;
        let statistics = if window.statistics { timing.occupied(STATISTICS_BYTES) } else { 0 };
        let mut now = match window.own {
            true => window.opens,
            false => window.opens + statistics + timing.delivered(0),
        };
        let mut own_statistics = if window.own { statistics } else { 0 };
        let mut is_first = true;
        while self.sent < self.payload {
            let waiting = self.arrived(now) - self.sent;
            let Some(room) = timing.room(window.opens + timing.window - now) else { return };
            if self.last_packet > 0 && timing.sends_again(waiting) {
                if self.last_packet > room {
                    return;
                }
                now += timing.occupied(self.last_packet);
                self.last_packet = 0;
                continue;
            }
            self.last_packet = 0;
            let bytes = waiting.min(room);
            if bytes > 0 {
                self.spend_until_sent(window, now, is_first, timeline);
                self.send(bytes, now, timeline);
                now += timing.occupied(bytes);
                is_first = false;
            } else if own_statistics > 0 {
                now += std::mem::take(&mut own_statistics);
            } else {
                return;
            }
        }
    }

    fn arrived(&self, now: i64) -> i64 {
        ((now - self.started).max(0) / self.timing.byte_in).min(self.payload)
    }

    fn send(&mut self, bytes: i64, now: i64, timeline: &mut Timeline) {
        let delivered = now + self.timing.delivered(bytes);
        spend(timeline, AIR, delivered);
        self.output_ends = self.output_ends.max(delivered + self.bit_clock) + bytes * self.timing.byte_out;
        self.bit_clock = 0;
        (self.sent, self.last_packet) = (self.sent + bytes, bytes);
    }

    /// Says what the time was spent on before a packet was taken from the buffer.
    fn spend_until_sent(&self, window: Window, now: i64, is_first: bool, timeline: &mut Timeline) {
        if timeline.is_empty() {
            timeline.push((UART_IN, now.min(self.started + self.payload * self.timing.byte_in)));
        }
        if is_first {
            spend(timeline, WAIT, window.opens);
            spend(timeline, EXCHANGE, now);
        } else {
            spend(timeline, AGAIN, now);
        }
    }
}

/// Adds a part that lasts until then, where that is later than what came before.
fn spend(timeline: &mut Timeline, part: usize, until: i64) {
    if timeline.last().is_none_or(|&(_, before)| until > before) {
        timeline.push((part, until));
    }
}
