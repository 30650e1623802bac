//! Bluetooth LE connection events: a message waits for an event, its PDUs go out in it until it closes, and what is
//! left waits for the next one. One stage carries the whole message, since an event spans its PDUs. A message that
//! is in the controller's queue before the last PDU of the one before has started goes on in the same event: that
//! PDU says that there is more data.
//!
//! Leaves out: other connections that take events away, channel maps (a loss does not depend on the channel), and
//! changes of the parameters while the connection lasts.

mod advertising;
mod pdus;

pub use advertising::Advertising;
pub use pdus::{Direction, Framing, Phy};

use sim::RandomStream;
use units::Picoseconds;

use super::{Cause, GateClock, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;
use crate::site::Interference;
use advertising::AdvertisingEvents;
use pdus::{INTER_FRAME_SPACE, Pdu, SHORT_PDU_BYTES};

const WAIT: usize = 0;
const AIR: usize = 1;
const FURTHER: usize = 2;
const MISSED: usize = 3;
const SLEEP: usize = 4;
/// Messages over whose phases the budget is averaged.
const BUDGET_MESSAGES: i64 = 16_384;

/// What goes wrong on the air.
#[derive(Debug, Clone, Copy, Default)]
pub struct Losses {
    /// The share of events in which the peripheral does not hear the central, beside those that advertising takes.
    pub missed_events: f64,
    /// The share of PDUs of messages of several chunks that are not received; the event closes with them.
    pub lost_pdus: f64,
    /// Bursts that hit PDUs of any message. What is lost goes again in the next event, until it arrives.
    pub interference: Interference,
}

/// What a controller puts into one connection event at most; without limits it lasts until the next one.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventLimits {
    /// PDUs with data.
    pub pdus: Option<u32>,
    /// How long it lasts.
    pub length: Option<Picoseconds>,
}

/// A connection as both hosts set it up.
#[derive(Debug, Clone, Copy)]
pub struct Connection {
    /// How messages are cut.
    pub framing: Framing,
    /// How much later than the first chunk the controller has the others.
    pub later_chunks: Picoseconds,
    /// Events that the peripheral may sleep through while it has nothing to send.
    pub peripheral_latency: u32,
    /// What a controller puts into one event.
    pub limits: EventLimits,
    /// What goes wrong.
    pub losses: Losses,
    /// What the peripheral does beside the connection.
    pub advertising: Option<Advertising>,
}

/// The events of a connection.
#[derive(Debug)]
pub struct ConnectionEvents {
    clock: GateClock,
    connection: Connection,
    advertising: Option<AdvertisingEvents>,
    /// The message's PDUs, kept for the next message of the same size.
    pdus: Vec<Pdu>,
    payload_bytes: u32,
    /// The next PDU.
    next: usize,
    /// The start of the event that is waited for, or that is under way.
    anchor: Picoseconds,
    state: State,
    /// The event in which the last message ended, as far as it got.
    last_event: Option<Progress>,
    /// With responses: the first event that may carry another message's data.
    answered: Picoseconds,
}

/// How far an event has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    /// PDUs sent in it.
    pdus: u32,
    /// When the last of them started.
    started: Picoseconds,
    /// When the next one may start.
    next_at: Picoseconds,
}

/// What is to happen when the stage is asked next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The peripheral sleeps through some events before it listens.
    Asleep { events: u64, unanswered: bool },
    /// An event starts. Where the one before was missed, the central repeats its empty PDU first: the peripheral's
    /// answer has no more data, and the event closes without ours.
    Anchor { unanswered: bool },
    /// The event of the message before goes on.
    GoesOn(Progress),
    /// An event has ended before the message did.
    Ended { part: usize },
}

/// How an event ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Delivered,
    Lost,
    Closed,
}

impl ConnectionEvents {
    /// A connection whose events start as `clock` says.
    pub fn new(clock: GateClock, connection: Connection) -> Self {
        Self {
            clock,
            connection,
            advertising: connection.advertising.map(AdvertisingEvents::new),
            pdus: Vec::new(),
            payload_bytes: 0,
            next: 0,
            anchor: Picoseconds::ZERO,
            state: State::Anchor { unanswered: false },
            last_event: None,
            answered: Picoseconds::new(i64::MIN / 4),
        }
    }

    fn following(&self, anchor: Picoseconds) -> Picoseconds {
        self.clock.next(anchor + Picoseconds::new(1))
    }

    fn is_missed(&mut self, anchor: Picoseconds, random: &mut RandomStream) -> bool {
        let reserved = self.reserved();
        let away = self.advertising.as_mut().is_some_and(|events| events.covers(anchor, reserved, random));
        let missed = self.connection.losses.missed_events;
        away || (missed > 0.0 && random.chance(missed))
    }

    /// How much of an event the peripheral must have to itself to start it: it counts the PDUs of the chunk that it is
    /// to send, as if they were as short as before a data length update.
    fn reserved(&self) -> Picoseconds {
        let Framing { direction, phy, .. } = self.connection.framing;
        let left = match (direction, self.pdus.get(self.next)) {
            (Direction::Notify, Some(next)) => {
                self.pdus[self.next..].iter().take_while(|pdu| pdu.chunk == next.chunk).count()
            }
            _ => 1,
        };
        Picoseconds::new(phy.exchange(SHORT_PDU_BYTES).ps() * left as i64)
    }

    /// A new message: waits for the first event that it is in time for.
    fn begin(&mut self, visit: &mut Visit<'_>) -> Passage {
        let payload_bytes = visit.load.payload_bytes;
        if self.payload_bytes != payload_bytes {
            (self.payload_bytes, self.pdus) = (payload_bytes, self.connection.framing.pdus(payload_bytes));
        }
        self.next = 0;
        if let Some(progress) = self.last_event.take()
            && visit.arrived <= progress.started
            && self.has_room(progress, self.pdus[0])
            && !self.needs_responses()
        {
            self.state = State::GoesOn(progress);
            return Passage::Stay { part: WAIT, until: progress.next_at };
        }
        self.anchor = self.clock.next(visit.now.max(self.answered));
        let is_write = self.connection.framing.direction != Direction::Notify;
        // Whoever queued behind another message has seen the event before, in which that one went.
        let is_unknown = visit.arrived == visit.entered;
        let before = self.anchor - self.clock.period();
        let unanswered = is_write && is_unknown && self.is_missed(before, visit.random);
        let latency = if is_write && is_unknown { self.connection.peripheral_latency } else { 0 };
        self.state = match latency {
            0 => State::Anchor { unanswered },
            _ => State::Asleep { events: visit.random.below(u64::from(latency) + 1), unanswered },
        };
        Passage::Stay { part: WAIT, until: self.anchor }
    }

    /// The peripheral has no reason to listen yet.
    fn sleep(&mut self, events: u64, unanswered: bool) -> Passage {
        for _ in 0..events {
            self.anchor = self.following(self.anchor);
        }
        self.state = State::Anchor { unanswered };
        Passage::Stay { part: SLEEP, until: self.anchor }
    }

    /// An event starts: it is missed, or carries PDUs.
    fn event(&mut self, unanswered: bool, visit: &mut Visit<'_>) -> Passage {
        if self.is_missed(self.anchor, visit.random) {
            return self.wait(MISSED, unanswered);
        }
        if unanswered {
            return self.wait(MISSED, false);
        }
        let fresh = Progress { pdus: 0, started: self.anchor, next_at: self.anchor };
        self.carry_on(fresh, visit)
    }

    /// Sends what an event has room for, and says what comes then.
    fn carry_on(&mut self, progress: Progress, visit: &mut Visit<'_>) -> Passage {
        let in_queue = visit.now - visit.arrived >= self.connection.later_chunks;
        let (end, at) = self.carry(progress, in_queue, visit.random);
        let part = match end {
            End::Delivered => return Passage::Leave { part: AIR, at },
            End::Lost => MISSED,
            End::Closed => FURTHER,
        };
        self.state = State::Ended { part };
        Passage::Stay { part: AIR, until: at }
    }

    /// Whether the event has room for a PDU; the first one always has it.
    fn has_room(&self, progress: Progress, pdu: Pdu) -> bool {
        let EventLimits { pdus, length } = self.connection.limits;
        let next_event = self.following(self.anchor) - INTER_FRAME_SPACE;
        let limit = length.map_or(next_event, |length| next_event.min(self.anchor + length));
        let fits = progress.next_at + pdu.exchange <= limit && pdus.is_none_or(|most| progress.pdus < most);
        fits || progress.pdus == 0
    }

    /// Sends PDUs until the event closes; says how, and when.
    fn carry(
        &mut self,
        mut progress: Progress,
        all_in_queue: bool,
        random: &mut RandomStream,
    ) -> (End, Picoseconds) {
        let first = self.next;
        loop {
            let at = progress.next_at;
            let pdu = self.pdus[self.next];
            let is_late = pdu.chunk > 0 && !all_in_queue;
            let is_unanswered = self.needs_responses() && pdu.chunk > self.pdus[first].chunk;
            if is_late || is_unanswered || !self.has_room(progress, pdu) {
                return (End::Closed, at);
            }
            if self.is_lost(at + pdu.delivered, pdu, random) {
                return (End::Lost, at);
            }
            self.next += 1;
            progress = Progress { pdus: progress.pdus + 1, started: at, next_at: at + pdu.exchange };
            if self.next == self.pdus.len() {
                self.last_event = Some(progress);
                if self.needs_responses() {
                    // The response comes in the next event, and the host has it when that is over.
                    self.answered = self.following(self.following(self.anchor));
                }
                return (End::Delivered, at + pdu.delivered);
            }
        }
    }

    /// Whether a PDU is lost that would arrive then: to advertising, or on the air. Messages of one chunk never were in
    /// the captures.
    fn is_lost(&mut self, arrival: Picoseconds, pdu: Pdu, random: &mut RandomStream) -> bool {
        let away = self.advertising.as_mut().is_some_and(|events| events.breaks_before(arrival, random));
        let has_chunks = self.pdus.last().is_some_and(|last| last.chunk > 0);
        let lost = self.connection.losses.lost_pdus;
        let interference = self.connection.losses.interference;
        let is_hit = interference.is_some() && random.chance(interference.hit(pdu.exchange));
        away || is_hit || (has_chunks && lost > 0.0 && random.chance(lost))
    }

    fn needs_responses(&self) -> bool {
        self.connection.framing.direction == Direction::WriteWithResponse
    }

    /// The event has ended; what is left waits for another one.
    fn resume(&mut self, part: usize) -> Passage {
        let starts_chunk = self.next > 0 && self.pdus[self.next - 1].ends_chunk;
        if part == FURTHER && self.needs_responses() && starts_chunk {
            // The response comes in the next event, and the host has it when that is over.
            self.anchor = self.following(self.anchor);
        }
        self.wait(part, false)
    }

    fn wait(&mut self, part: usize, unanswered: bool) -> Passage {
        self.anchor = self.following(self.anchor);
        self.state = State::Anchor { unanswered };
        Passage::Stay { part, until: self.anchor }
    }
}

impl Stage for ConnectionEvents {
    fn parts(&self) -> Vec<Part> {
        vec![
            Part::new("wait for the connection event", Cause::Gate),
            Part::new("PDUs on the air", Cause::Air),
            Part::new("wait for a further connection event", Cause::Gate),
            Part::new("missed events and lost PDUs", Cause::Retry),
            Part::new("peripheral sleeps through events", Cause::Gate),
        ]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        self.clock.settle(visit.random);
        if visit.stays == 0 {
            return self.begin(visit);
        }
        match self.state {
            State::Asleep { events, unanswered } => self.sleep(events, unanswered),
            State::Anchor { unanswered } => self.event(unanswered, visit),
            State::GoesOn(progress) => self.carry_on(progress, visit),
            State::Ended { part } => self.resume(part),
        }
    }

    /// Averages the stage's own answers over evenly spaced phases of the events.
    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        let mut clock = GateClock::new(self.clock.name(), self.clock.period());
        clock.lock(Picoseconds::ZERO, 0);
        let mut stage = ConnectionEvents::new(clock, self.connection);
        let mut random = RandomStream::named(0, "budget of connection events");
        let period_ps = self.clock.period().ps();
        let weight = 1.0 / BUDGET_MESSAGES as f64;
        for index in 0..BUDGET_MESSAGES {
            stage.advertising = self.connection.advertising.map(AdvertisingEvents::new);
            (stage.last_event, stage.answered) = (None, Picoseconds::ZERO);
            let entered = Picoseconds::new((2 * index + 1) * (period_ps / (2 * BUDGET_MESSAGES)));
            let (mut now, mut stays) = (entered, 0);
            loop {
                match stage.pass(&mut Visit::alone(now, entered, stays, *load, &mut random)) {
                    Passage::Wait { until } => now = until,
                    Passage::Stay { part, until } => {
                        budget.add_weighted(part, until - now, weight);
                        (now, stays) = (until, stays + 1);
                    }
                    Passage::Leave { part, at } | Passage::Lost { part, at } => {
                        budget.add_weighted(part, at - now, weight);
                        break;
                    }
                }
            }
        }
    }

    fn gates(&mut self) -> Vec<&mut GateClock> {
        vec![&mut self.clock]
    }
}
