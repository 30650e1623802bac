//! The network: ports, stations and what joins them, in virtual time. Events are in the order (time, cable, sequence), and
//! the stations' own of one instant follow, in the order in which they were added.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::cable::Terminal;
use crate::flight::FlightId;
use crate::switch::{Switch, Way};
use crate::wires::{Delivery, Event, Wires};
use crate::{Cable, DropReason, Frame, Station};

/// Frames that wait for the wire of a port or a station, as in the ring of a network card.
const RING_FRAMES: usize = 256;
/// Frames that wait for each wire of the switch, unless changed.
const SWITCH_QUEUE_FRAMES: usize = 256;
/// Frames that wait at an outer port to be taken.
const ARRIVALS: usize = 65_536;
/// What a station without a cable may send in one go before the rest waits for its next turn.
const UNPLUGGED_FRAMES: usize = 1024;
/// A station that is due again at once has its turn this much later, so that time goes on.
const SHORTEST_TURN: Picoseconds = Picoseconds::from_ns(1);

/// A port for something that is not the network's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortId(pub(crate) usize);

/// A station of the network's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StationId(pub(crate) usize);

/// A port or a station: whatever has a cable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EndId(pub(crate) usize);

impl From<PortId> for EndId {
    fn from(port: PortId) -> Self {
        Self(port.0)
    }
}

impl From<StationId> for EndId {
    fn from(station: StationId) -> Self {
        Self(station.0)
    }
}

/// A frame at an outer port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// When its last bit arrived.
    pub at: Picoseconds,
    /// The frame.
    pub frame: Frame,
}

#[derive(Debug)]
enum Kind {
    Port { arrivals: VecDeque<Arrival>, beginnings: VecDeque<Arrival> },
    Station { station: Box<dyn Station>, wake: Option<Picoseconds>, room_awaited: bool },
}

#[derive(Debug)]
pub(crate) struct End {
    pub(crate) name: String,
    pub(crate) cable: usize,
    /// Which side of its cable it is at.
    pub(crate) side: usize,
    kind: Kind,
}

/// Why there is no direct cable between two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a direct cable needs two ends, each with a cable to the switch")]
pub struct NoDirectCable;

/// Ports and stations around one switch, or two of them on one cable. An id that another network gave may name nothing here:
/// what is done to it does nothing, and what is asked of it is not there.
#[derive(Debug)]
pub struct Network {
    pub(crate) seed: u64,
    pub(crate) ends: Vec<End>,
    pub(crate) wires: Wires,
    pub(crate) switch: Switch,
    /// Whose cable each tap is on.
    pub(crate) taps: Vec<usize>,
}

impl Network {
    /// An empty network; `seed` is that of its impairments.
    pub fn new(seed: u64) -> Self {
        Self { seed, ends: Vec::new(), wires: Wires::default(), switch: Switch::default(), taps: Vec::new() }
    }

    /// Adds an outer port.
    pub fn add_port(&mut self, name: &str, cable: Cable) -> PortId {
        let kind = Kind::Port { arrivals: VecDeque::new(), beginnings: VecDeque::new() };
        PortId(self.add_end(name, cable, kind))
    }

    /// Adds a station. It is told of its link at once.
    pub fn add_station(&mut self, name: &str, cable: Cable, station: Box<dyn Station>) -> StationId {
        let end = self.add_end(name, cable, Kind::Station { station, wake: None, room_awaited: false });
        self.tell_link(end);
        StationId(end)
    }

    fn add_end(&mut self, name: &str, cable: Cable, kind: Kind) -> usize {
        let end = self.ends.len();
        let cable = self.wires.add(cable, [RING_FRAMES, SWITCH_QUEUE_FRAMES]);
        self.wires.cables[cable].terminals[0] = Terminal::End(end);
        self.ends.push(End { name: name.to_owned(), cable, side: 0, kind });
        end
    }

    /// Joins two ends by one cable, without the switch: that of `first` with all that was set for it, at the slower of both
    /// speeds. That of `second` is gone, with its counters; whatever is on the cables at this moment is lost.
    ///
    /// # Errors
    /// When they are the same, or one of them is not there or on a direct cable already.
    pub fn connect_directly(
        &mut self,
        first: impl Into<EndId>,
        second: impl Into<EndId>,
    ) -> Result<(), NoDirectCable> {
        let (first, second) = (first.into().0, second.into().0);
        let cable = |end: usize| self.ends.get(end).map(|end| end.cable);
        let (kept, spare) = cable(first).zip(cable(second)).ok_or(NoDirectCable)?;
        let at_switch = |cable: usize| self.wires.cables[cable].terminals[1] == Terminal::Switch;
        if first == second || !at_switch(kept) || !at_switch(spare) {
            return Err(NoDirectCable);
        }
        for cable in [kept, spare] {
            self.wires.cables[cable].cut();
            self.switch.forget(cable);
        }
        self.wires.cables[spare].terminals = [Terminal::Nothing; 2];
        self.wires.cables[spare].plugged = false;
        let other = self.wires.cables[spare].cable.speed;
        let cable = &mut self.wires.cables[kept];
        cable.cable.speed = cable.cable.speed.min(other);
        cable.terminals = [Terminal::End(first), Terminal::End(second)];
        cable.lanes[1].queue_frames = RING_FRAMES;
        (self.ends[first].side, self.ends[second].side) = (0, 1);
        self.ends[second].cable = kept;
        self.tell_link(first);
        self.tell_link(second);
        Ok(())
    }

    /// A station.
    pub fn station(&self, id: StationId) -> Option<&dyn Station> {
        match &self.ends.get(id.0)?.kind {
            Kind::Station { station, .. } => Some(station.as_ref()),
            Kind::Port { .. } => None,
        }
    }

    /// A station, to change it. Call [`Self::poke`] afterwards.
    pub fn station_mut(&mut self, id: StationId) -> Option<&mut dyn Station> {
        match &mut self.ends.get_mut(id.0)?.kind {
            Kind::Station { station, .. } => Some(station.as_mut()),
            Kind::Port { .. } => None,
        }
    }

    /// Takes up what a station wants to do after it was changed from outside.
    pub fn poke(&mut self, at: Picoseconds, id: StationId) {
        self.advance(at);
        if id.0 < self.ends.len() {
            self.attend(id.0);
        }
    }

    /// A frame at an outer port: the first bit of its preamble is on the wire at `start`, or as soon as the wire is free.
    /// A `start` before the network's own time counts as that.
    pub fn send(&mut self, port: PortId, start: Picoseconds, frame: Frame) {
        let Some(&End { cable, side, .. }) = self.ends.get(port.0) else { return };
        self.wires.transmit(cable, side, start, frame);
    }

    /// A frame at an outer port whose last bits are on the wire only now, as nobody knew of it before: the first one was at
    /// `start`, or as soon as the wire was free.
    pub fn send_begun(&mut self, port: PortId, start: Picoseconds, frame: Frame) {
        let Some(&End { cable, side, .. }) = self.ends.get(port.0) else { return };
        self.wires.put_on(cable, side, start, frame);
    }

    /// A frame for an outer port, from the other end of its cable: as if the switch had sent it on.
    pub fn send_to(&mut self, port: PortId, start: Picoseconds, frame: Frame) {
        let Some(&End { cable, side, .. }) = self.ends.get(port.0) else { return };
        self.wires.transmit(cable, 1 - side, start, frame);
    }

    /// The next frame that arrived at an outer port. Its check sequence may be wrong: whoever takes it drops it.
    pub fn take_arrival(&mut self, port: PortId) -> Option<Arrival> {
        match &mut self.ends.get_mut(port.0)?.kind {
            Kind::Port { arrivals, .. } => arrivals.pop_front(),
            Kind::Station { .. } => None,
        }
    }

    /// Tells of frames for an outer port by their first bit too, from here on ([`Self::take_beginning`]).
    pub fn hear_bits(&mut self, port: PortId) {
        let Some(&End { cable, side, .. }) = self.ends.get(port.0) else { return };
        self.wires.cables[cable].hears_bits[side] = true;
    }

    /// The next frame of which the first bit arrived at an outer port, and when that was.
    pub fn take_beginning(&mut self, port: PortId) -> Option<Arrival> {
        match &mut self.ends.get_mut(port.0)?.kind {
            Kind::Port { beginnings, .. } => beginnings.pop_front(),
            Kind::Station { .. } => None,
        }
    }

    /// Plugs or pulls the cable of a port or a station, now or at a later time. The link is up at once: negotiation takes
    /// no time here.
    pub fn set_plugged(&mut self, at: Picoseconds, end: impl Into<EndId>, plugged: bool) {
        let Some(&End { cable, .. }) = self.ends.get(end.into().0) else { return };
        if at > self.wires.now {
            self.wires.schedule(at, Event::Plug { cable, plugged });
        } else {
            self.plug(cable, plugged);
        }
    }

    /// The network's own time: that of the last call of [`Self::advance`].
    pub fn now(&self) -> Picoseconds {
        self.wires.now
    }

    /// When something happens.
    pub fn next_event(&self) -> Option<Picoseconds> {
        let wake = self.next_wake().map(|(at, _)| at);
        [self.wires.queue.next_time(), wake].into_iter().flatten().min()
    }

    /// Lets everything happen that is due up to and including `at`.
    pub fn advance(&mut self, at: Picoseconds) {
        loop {
            let wake = self.next_wake();
            let queued = self.wires.queue.next_time();
            match (queued, wake) {
                (Some(due), _) if due <= at && wake.is_none_or(|(wake, _)| due <= wake) => {
                    let (due, event) = self.wires.queue.pop().expect("the queue has a next event");
                    self.wires.now = due.max(self.wires.now);
                    self.handle(event);
                }
                (_, Some((due, end))) if due <= at => {
                    self.wires.now = due.max(self.wires.now);
                    self.wake(end);
                }
                _ => break,
            }
        }
        self.wires.now = at.max(self.wires.now);
    }

    /// A copy in the same state; nothing when a station or a hop cannot be copied.
    pub fn snapshot(&self) -> Option<Self> {
        let ends = self.ends.iter().map(End::snapshot).collect::<Option<Vec<_>>>()?;
        let wires = self.wires.snapshot()?;
        let (switch, taps) = (self.switch.clone(), self.taps.clone());
        Some(Self { seed: self.seed, ends, wires, switch, taps })
    }

    fn next_wake(&self) -> Option<(Picoseconds, usize)> {
        let wakes = self.ends.iter().enumerate().filter_map(|(end, state)| match state.kind {
            Kind::Station { wake, .. } => Some((wake?, end)),
            Kind::Port { .. } => None,
        });
        wakes.min()
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Enter(id) => self.wires.enter(id),
            Event::Leave(id) => self.wires.leave(id),
            Event::AtHop(id) => self.wires.at_hop(id),
            Event::Hop(hop) => self.wires.advance_hop(hop),
            Event::Seen(id) => self.wires.seen(id),
            Event::Begin(id) => self.begin(id),
            Event::Arrive(id) => {
                if let Some(delivery) = self.wires.arrive(id) {
                    self.deliver(delivery);
                }
            }
            Event::Room(end) => {
                if let Kind::Station { room_awaited, .. } = &mut self.ends[end].kind {
                    *room_awaited = false;
                }
                self.attend(end);
            }
            Event::Plug { cable, plugged } => self.plug(cable, plugged),
        }
    }

    fn begin(&mut self, id: FlightId) {
        let Some(Delivery { cable, side, frame }) = self.wires.begun(id) else { return };
        let Terminal::End(end) = self.wires.cables[cable].terminals[1 - side] else { return };
        if let Kind::Port { beginnings, .. } = &mut self.ends[end].kind
            && beginnings.len() < ARRIVALS
        {
            beginnings.push_back(Arrival { at: self.wires.now, frame });
        }
    }

    fn deliver(&mut self, Delivery { cable, side, frame }: Delivery) {
        let now = self.wires.now;
        let terminal = self.wires.cables[cable].terminals[1 - side];
        let counters = &mut self.wires.cables[cable].lanes[side].counters;
        let Terminal::End(end) = terminal else {
            return match frame.intact {
                true => {
                    counters.deliver(frame.bytes.len());
                    self.forward(cable, frame);
                }
                false => counters.drop(DropReason::CheckSequence),
            };
        };
        match &mut self.ends[end].kind {
            Kind::Port { arrivals, .. } if arrivals.len() >= ARRIVALS => counters.drop(DropReason::NotTaken),
            Kind::Port { arrivals, .. } => {
                counters.deliver(frame.bytes.len());
                arrivals.push_back(Arrival { at: now, frame });
            }
            Kind::Station { .. } if !frame.intact => counters.drop(DropReason::CheckSequence),
            Kind::Station { station, .. } => {
                counters.deliver(frame.bytes.len());
                station.receive(now, &frame);
                self.attend(end);
            }
        }
    }

    fn forward(&mut self, from: usize, frame: Frame) {
        let start = self.wires.now + self.switch.latency;
        match self.switch.decide(self.wires.now, from, &frame) {
            Way::Nowhere => {}
            Way::To(cable) => self.wires.transmit(cable, 1, start, frame),
            Way::Flood => {
                let others = (0..self.wires.cables.len()).filter(|&cable| {
                    let state = &self.wires.cables[cable];
                    cable != from && state.plugged && state.terminals[1] == Terminal::Switch
                });
                let others: Vec<usize> = others.collect();
                self.switch.counters.flooded_copies += others.len() as u64;
                if let Some((&last, rest)) = others.split_last() {
                    for &cable in rest {
                        self.wires.transmit(cable, 1, start, frame.clone());
                    }
                    self.wires.transmit(last, 1, start, frame);
                }
            }
        }
    }

    fn wake(&mut self, end: usize) {
        let now = self.wires.now;
        if let Kind::Station { station, .. } = &mut self.ends[end].kind {
            station.advance(now);
        }
        self.attend(end);
    }

    /// Takes what a station wants to send as long as there is room for it, and notes when it is due next.
    fn attend(&mut self, end: usize) {
        let now = self.wires.now;
        let End { cable, side, kind, .. } = &mut self.ends[end];
        let Kind::Station { station, wake, room_awaited } = kind else { return };
        let plugged = self.wires.cables[*cable].plugged;
        let waiting = self.wires.lane(*cable, *side).waiting_frames(now);
        let room = if plugged { RING_FRAMES.saturating_sub(waiting) } else { UNPLUGGED_FRAMES };
        let mut taken = 0;
        while taken < room
            && let Some(frame) = station.take_frame()
        {
            self.wires.transmit(*cable, *side, now, frame);
            taken += 1;
        }
        *wake = station.next_event().map(|due| due.max(now + SHORTEST_TURN));
        if taken == room && plugged && !*room_awaited {
            let at = self.wires.lane(*cable, *side).half_begun().unwrap_or(now + SHORTEST_TURN);
            *room_awaited = true;
            self.wires.schedule(at, Event::Room(end));
        }
    }

    fn plug(&mut self, cable: usize, plugged: bool) {
        let state = &mut self.wires.cables[cable];
        if state.plugged == plugged {
            return;
        }
        state.plugged = plugged;
        if !plugged {
            state.cut();
            self.switch.forget(cable);
        }
        for terminal in self.wires.cables[cable].terminals {
            if let Terminal::End(end) = terminal {
                self.tell_link(end);
            }
        }
    }

    fn tell_link(&mut self, end: usize) {
        let now = self.wires.now;
        let link = self.carrier(EndId(end));
        if let Kind::Station { station, .. } = &mut self.ends[end].kind {
            station.link_changed(now, link);
            self.attend(end);
        }
    }
}

impl End {
    fn snapshot(&self) -> Option<Self> {
        let kind = match &self.kind {
            Kind::Port { arrivals, beginnings } => {
                Kind::Port { arrivals: arrivals.clone(), beginnings: beginnings.clone() }
            }
            Kind::Station { station, wake, room_awaited } => {
                Kind::Station { station: station.snapshot()?, wake: *wake, room_awaited: *room_awaited }
            }
        };
        Some(Self { name: self.name.clone(), cable: self.cable, side: self.side, kind })
    }
}
