//! All cables in time: a frame enters one, is on it for as long as its bits take, and comes out at the other end.
//! A cable without impairments, hop and tap costs one event a frame.

use sim::{EventQueue, Priority};
use units::Picoseconds;

use crate::cable::{CableState, Lane};
use crate::flight::{Flight, FlightId, Flights, Marks};
use crate::{Cable, DropReason, Frame};

/// The shortest frame without its check sequence (IEEE 802.3 clause 3); a sender pads.
pub(crate) const SHORTEST_BYTES: usize = 60;
/// Destination, source and type.
const HEADER_BYTES: usize = 14;
/// What no sender here puts on a wire: jumbo frames of 9000 bytes and their headers are shorter.
const LONGEST_BYTES: usize = 9216;

/// What happens at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
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
#[derive(Debug, Clone, Default)]
pub(crate) struct Wires {
    pub(crate) now: Picoseconds,
    pub(crate) cables: Vec<CableState>,
    pub(crate) queue: EventQueue<Event>,
    flights: Flights,
}

impl Wires {
    pub(crate) fn add(&mut self, cable: Cable, queue_frames: [usize; 2]) -> usize {
        self.cables.push(CableState::new(cable, queue_frames));
        self.cables.len() - 1
    }

    pub(crate) fn lane(&mut self, cable: usize, side: usize) -> &mut Lane {
        &mut self.cables[cable].lanes[side]
    }

    /// Frames on their way.
    pub(crate) fn in_flight(&self) -> usize {
        self.flights.len()
    }

    pub(crate) fn schedule(&mut self, at: Picoseconds, event: Event) {
        self.queue.push(at, Priority::default(), event);
    }

    /// A frame for the wire: its first bit is on it at `earliest`, or as soon as the wire is free.
    pub(crate) fn transmit(&mut self, cable: usize, side: usize, earliest: Picoseconds, mut frame: Frame) {
        let now = self.now;
        let wire = &mut self.cables[cable];
        let (speed, propagation) = (wire.cable.speed, wire.cable.propagation);
        let lane = &mut wire.lanes[side];
        lane.counters.offer(frame.bytes.len());
        if let Some(reason) = refusal(wire.plugged, lane, now, &frame) {
            return lane.counters.drop(reason);
        }
        if frame.bytes.len() < SHORTEST_BYTES {
            frame.bytes.resize(SHORTEST_BYTES, 0);
        }
        let frame_time = speed.frame_time(frame.bytes.len());
        let start = lane.occupy(now.max(earliest), frame_time + speed.gap());
        let pulls = wire.pulls;
        let flight = Flight { frame, cable, side, pulls, marks: Marks::default() };
        let id = self.flights.insert(flight);
        self.schedule(start + frame_time + propagation, Event::Arrive(id));
    }

    /// A frame whose last bit arrives; nothing where its cable was pulled meanwhile.
    pub(crate) fn arrive(&mut self, id: FlightId) -> Option<Delivery> {
        let Flight { frame, cable, side, pulls, .. } = self.flights.take(id);
        if pulls != self.cables[cable].pulls {
            self.lane(cable, side).counters.drop(DropReason::CablePulled);
            return None;
        }
        Some(Delivery { cable, side, frame })
    }
}

fn refusal(plugged: bool, lane: &mut Lane, now: Picoseconds, frame: &Frame) -> Option<DropReason> {
    match frame.bytes.len() {
        _ if !plugged => Some(DropReason::NoCarrier),
        ..HEADER_BYTES => Some(DropReason::Runt),
        LONGEST_BYTES.. => Some(DropReason::Giant),
        _ if lane.waiting_frames(now) >= lane.queue_frames => Some(DropReason::QueueFull),
        _ => None,
    }
}
