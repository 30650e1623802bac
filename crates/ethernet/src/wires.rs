//! All cables in time: a frame enters one, is on it for as long as its bits take, and comes out at the other end.
//!
//! A cable without impairments, hop and tap costs one event a frame. With them a frame goes through stages: it enters
//! (impairments decide), leaves them after their delay, passes the hop once it has arrived there whole, and takes the last
//! piece of wire in turn, so that nothing on a wire is ever faster than its speed.

use sim::{EventQueue, Priority};
use units::Picoseconds;

use crate::cable::{CableState, Lane};
use crate::flight::{Flight, FlightId, Flights, Marks};
use crate::impairment::Verdict;
use crate::tap::{TapId, TapLog, Tapped};
use crate::{Cable, Direction, DropReason, Frame, Hop, HopPassed};

/// The shortest frame without its check sequence (IEEE 802.3 clause 3); a sender pads.
const SHORTEST_BYTES: usize = 60;
/// Destination, source and type.
const HEADER_BYTES: usize = 14;
/// No sender here puts this much on a wire: jumbo frames of 9000 bytes and their headers are shorter.
const TOO_LONG_BYTES: usize = 9217;
/// Frames that wait in front of a hop in one direction, as in the transmit queue of a Linux access point.
const HOP_FRAMES: u32 = 1000;

/// What happens at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// The first bit of a frame is on a cable that does more than carry it.
    Enter(FlightId),
    /// A frame leaves the impairments.
    Leave(FlightId),
    /// The last bit of a frame reaches the hop.
    AtHop(FlightId),
    /// Something happens in a hop.
    Hop(usize),
    /// The first bit of a frame passes the tap at the far end.
    Seen(FlightId),
    /// The first bit of a frame arrives at an end that hears bits.
    Begin(FlightId),
    /// The last bit of a frame arrives at the end of its cable.
    Arrive(FlightId),
    /// A station may have room in the queue of its wire again.
    Room(usize),
    /// A cable is plugged or pulled.
    Plug { cable: usize, plugged: bool },
}

/// A frame that is at the end of its cable.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) cable: usize,
    /// The side that it was sent from.
    pub(crate) side: usize,
    pub(crate) frame: Frame,
}

/// All cables, what is on them, and what happens when.
#[derive(Debug, Default)]
pub(crate) struct Wires {
    pub(crate) now: Picoseconds,
    pub(crate) cables: Vec<CableState>,
    pub(crate) hops: Vec<Box<dyn Hop>>,
    /// For when something in each of them is scheduled.
    hops_due: Vec<Option<Picoseconds>>,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) taps: TapLog,
    flights: Flights,
}

impl Wires {
    pub(crate) fn add(&mut self, cable: Cable, queue_frames: [usize; 2]) -> usize {
        self.cables.push(CableState::new(cable, queue_frames));
        self.cables.len() - 1
    }

    pub(crate) fn snapshot(&self) -> Option<Self> {
        Some(Self {
            now: self.now,
            cables: self.cables.clone(),
            hops: self.hops.iter().map(|hop| hop.snapshot()).collect::<Option<_>>()?,
            hops_due: self.hops_due.clone(),
            queue: self.queue.clone(),
            taps: self.taps.clone(),
            flights: self.flights.clone(),
        })
    }

    pub(crate) fn add_hop(&mut self, hop: Box<dyn Hop>) -> usize {
        self.hops.push(hop);
        self.hops_due.push(None);
        self.hops.len() - 1
    }

    pub(crate) fn lane(&mut self, cable: usize, side: usize) -> &mut Lane {
        &mut self.cables[cable].lanes[side]
    }

    /// Frames on their way.
    pub(crate) fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// Among events of one instant a cable that is pulled comes first, frames follow by the number of their cable and
    /// their side, then hops, and room is last: a tap, which adds events, thus changes the order of no others. Cables beyond the
    /// 125th share the last place.
    pub(crate) fn schedule(&mut self, at: Picoseconds, event: Event) {
        const LAST_PLACE: usize = 250;
        let priority = match event {
            Event::Plug { .. } => 0,
            Event::Room(_) => u8::MAX,
            Event::Hop(_) => u8::MAX - 1,
            Event::Enter(id)
            | Event::Leave(id)
            | Event::AtHop(id)
            | Event::Seen(id)
            | Event::Begin(id)
            | Event::Arrive(id) => {
                let &Flight { cable, side, .. } = self.flights.get(id);
                1 + (2 * cable + side).min(LAST_PLACE) as u8
            }
        };
        self.queue.push(at, Priority(priority), event);
    }

    /// A frame for the wire: its first bit is on it at `earliest`, or as soon as the wire is free.
    pub(crate) fn transmit(&mut self, cable: usize, side: usize, earliest: Picoseconds, frame: Frame) {
        self.put_on(cable, side, earliest.max(self.now), frame);
    }

    /// The same where the first bit may be on it since a time that is past.
    pub(crate) fn put_on(&mut self, cable: usize, side: usize, earliest: Picoseconds, mut frame: Frame) {
        let now = self.now;
        let wire = &mut self.cables[cable];
        let speed = wire.speed();
        let lane = &mut wire.lanes[side];
        lane.counters.offer(frame.bytes.len());
        if let Some(reason) = refusal(wire.plugged, lane, now, &frame) {
            return lane.counters.drop(reason);
        }
        if frame.bytes.len() < SHORTEST_BYTES {
            frame.bytes.resize(SHORTEST_BYTES, 0);
        }
        let frame_time = speed.frame_time(frame.bytes.len());
        let start = lane.occupy(earliest, frame_time + speed.gap());
        let (late, pulls) = ((now - start).max(Picoseconds::ZERO), wire.pulls);
        let id = self.flights.insert(Flight { frame, cable, side, pulls, marks: Marks::default(), late });
        self.schedule(start.max(now), Event::Enter(id));
    }

    /// Where a frame still is on its cable; nothing, and the frame is gone, where the cable was pulled since it entered.
    fn place(&mut self, id: FlightId) -> Option<(usize, usize)> {
        let &Flight { cable, side, pulls, .. } = self.flights.get(id);
        if pulls == self.cables[cable].pulls {
            return Some((cable, side));
        }
        self.flights.take(id);
        self.lane(cable, side).counters.drop(DropReason::CablePulled);
        None
    }

    /// The first bit of a frame is on its cable: its impairments decide.
    pub(crate) fn enter(&mut self, id: FlightId) {
        let Some((cable, side)) = self.place(id) else { return };
        let mut flight = self.flights.take(id);
        let lane = &mut self.cables[cable].lanes[side];
        let verdict = match &mut lane.process {
            Some(process) => process.judge(&mut flight.frame, &mut flight.marks),
            None => Verdict::Passes { copy: None },
        };
        let copy = match verdict {
            Verdict::Passes { copy } => copy,
            Verdict::Lost(reason) => return self.lose(&mut flight, reason, true),
        };
        let copy = copy.map(|frame| {
            lane.counters.duplicated_frames += 1;
            Flight { frame, marks: Marks { copy: true, ..Marks::default() }, ..flight }
        });
        self.hold(flight, true);
        if let Some(copy) = copy {
            self.hold(copy, false);
        }
    }

    /// Keeps a frame for as long as its impairments say; `original` ones are seen by a tap at their sender.
    fn hold(&mut self, mut flight: Flight, original: bool) {
        let now = self.now;
        let lane = &mut self.cables[flight.cable].lanes[flight.side];
        let (mut leaves, mut held_back) = (now, false);
        if let Some(process) = &mut lane.process {
            if lane.inside_frames >= process.limit_frames() {
                return self.lose(&mut flight, DropReason::ImpairmentLimit, original);
            }
            (leaves, held_back) = process.leave_time(now, flight.frame.bytes.len());
        }
        if !held_back {
            leaves = leaves.max(lane.last_leave);
            lane.last_leave = leaves;
        }
        lane.inside_frames += 1;
        flight.marks.reordered |= held_back;
        if original {
            self.tap_sender(&flight);
        }
        let id = self.flights.insert(flight);
        if leaves > now {
            self.schedule(leaves, Event::Leave(id));
        } else {
            self.leave(id);
        }
    }

    /// A frame leaves its impairments.
    pub(crate) fn leave(&mut self, id: FlightId) {
        let Some((cable, side)) = self.place(id) else { return };
        let lane = self.lane(cable, side);
        lane.inside_frames = lane.inside_frames.saturating_sub(1);
        if self.cables[cable].hop.is_none() {
            return self.finish(id, self.now - self.flights.get(id).late);
        }
        let flight = self.flights.get(id);
        let begun = self.now - flight.late;
        let whole = begun + self.cables[cable].speed().frame_time(flight.frame.bytes.len());
        self.schedule(whole.max(self.now), Event::AtHop(id));
    }

    /// A frame is whole at the hop.
    pub(crate) fn at_hop(&mut self, id: FlightId) {
        let Some((cable, side)) = self.place(id) else { return };
        let now = self.now;
        let Some((hop, member)) = self.cables[cable].hop else { return self.finish(id, now) };
        let lane = &mut self.cables[cable].lanes[side];
        let bytes = self.flights.get(id).frame.bytes.len();
        let refused = match lane.hop_frames {
            HOP_FRAMES.. => Some(DropReason::HopQueue),
            _ if self.hops[hop].offer(now, member, direction_from(side), bytes, id.ticket()) => None,
            _ => Some(DropReason::Hop),
        };
        match refused {
            None => {
                lane.hop_frames += 1;
                self.flights.get_mut(id).marks.at_hop = Some(now);
            }
            Some(reason) => {
                let mut flight = self.flights.take(id);
                self.lose(&mut flight, reason, false);
            }
        }
        self.follow_hop(hop);
    }

    /// What is due in a hop happens.
    pub(crate) fn advance_hop(&mut self, hop: usize) {
        self.hops[hop].advance(self.now);
        self.follow_hop(hop);
    }

    /// Takes up what a hop let go, and when it is due next.
    pub(crate) fn follow_hop(&mut self, hop: usize) {
        while let Some(HopPassed { ticket, leaves, kept }) = self.hops[hop].take() {
            self.flights.get_mut(FlightId::of(ticket)).marks.kept = kept;
            self.leave_hop(FlightId::of(ticket), leaves);
        }
        let due = &mut self.hops_due[hop];
        *due = due.filter(|due| *due > self.now);
        if let Some(next) = self.hops[hop].next_event()
            && due.is_none_or(|due| next < due)
        {
            let next = next.max(self.now);
            *due = Some(next);
            self.schedule(next, Event::Hop(hop));
        }
    }

    fn leave_hop(&mut self, id: FlightId, leaves: Option<Picoseconds>) {
        let now = self.now;
        let Some((cable, side)) = self.place(id) else { return };
        let lane = self.lane(cable, side);
        lane.hop_frames = lane.hop_frames.saturating_sub(1);
        match leaves {
            Some(at) => {
                let at = lane.leave_hop(at.max(now));
                self.finish(id, at);
            }
            None => {
                let mut flight = self.flights.take(id);
                self.lose(&mut flight, DropReason::Hop, false);
            }
        }
    }

    /// The last piece of wire, from `earliest` or as soon as it is free.
    fn finish(&mut self, id: FlightId, earliest: Picoseconds) {
        let Flight { frame, cable, side, .. } = self.flights.get(id);
        let (cable, side) = (*cable, *side);
        let wire = &mut self.cables[cable];
        let (speed, propagation) = (wire.speed(), wire.cable.propagation);
        let frame_time = speed.frame_time(frame.bytes.len());
        let lane = &mut wire.lanes[side];
        let start = earliest.max(lane.far_free);
        lane.far_free = start + frame_time + speed.gap();
        let (begin, now) = (start + propagation, self.now);
        let hears_bits = wire.hears_bits[1 - side];
        if wire.tap.is_some_and(|tap| tap.side != side) {
            self.schedule(begin.max(now), Event::Seen(id));
        }
        if hears_bits {
            self.schedule(begin.max(now), Event::Begin(id));
        }
        self.schedule((begin + frame_time).max(now), Event::Arrive(id));
    }

    /// The first bit of a frame passes a tap at its far end.
    pub(crate) fn seen(&mut self, id: FlightId) {
        let flight = self.flights.get(id);
        if flight.pulls == self.cables[flight.cable].pulls {
            record(&mut self.taps, self.now, &self.cables, flight);
        }
    }

    /// A frame whose first bit arrives; nothing where its cable was pulled meanwhile.
    pub(crate) fn begun(&self, id: FlightId) -> Option<Delivery> {
        let &Flight { cable, side, pulls, ref frame, .. } = self.flights.get(id);
        (pulls == self.cables[cable].pulls).then(|| Delivery { cable, side, frame: frame.clone() })
    }

    /// A frame whose last bit arrives; nothing where its cable was pulled meanwhile.
    pub(crate) fn arrive(&mut self, id: FlightId) -> Option<Delivery> {
        self.place(id)?;
        let Flight { frame, cable, side, .. } = self.flights.take(id);
        Some(Delivery { cable, side, frame })
    }

    /// Counts a lost frame, and shows it to a tap that did not see it yet.
    fn lose(&mut self, flight: &mut Flight, reason: DropReason, unseen: bool) {
        self.lane(flight.cable, flight.side).counters.drop(reason);
        flight.marks.lost = Some(reason);
        let tap = self.cables[flight.cable].tap;
        if tap.is_some_and(|tap| unseen || tap.side != flight.side) {
            record(&mut self.taps, self.now, &self.cables, flight);
        }
    }

    fn tap_sender(&mut self, flight: &Flight) {
        if self.cables[flight.cable].tap.is_some_and(|tap| tap.side == flight.side) {
            record(&mut self.taps, self.now, &self.cables, flight);
        }
    }
}

fn record(taps: &mut TapLog, at: Picoseconds, cables: &[CableState], flight: &Flight) {
    let Some(tap) = cables[flight.cable].tap else { return };
    taps.push(Tapped {
        tap: TapId(tap.number),
        at,
        direction: direction_from(usize::from(flight.side != tap.side)),
        bytes: flight.frame.bytes.clone(),
        intact: flight.frame.intact,
        marks: flight.marks,
    });
}

/// The direction of what a side of a cable sends, as seen by side 0.
fn direction_from(side: usize) -> Direction {
    if side == 0 { Direction::Outbound } else { Direction::Inbound }
}

fn refusal(plugged: bool, lane: &mut Lane, now: Picoseconds, frame: &Frame) -> Option<DropReason> {
    match frame.bytes.len() {
        _ if !plugged => Some(DropReason::NoCarrier),
        ..HEADER_BYTES => Some(DropReason::Runt),
        TOO_LONG_BYTES.. => Some(DropReason::Giant),
        _ if lane.waiting_frames(now) >= lane.queue_frames => Some(DropReason::QueueFull),
        _ => None,
    }
}
