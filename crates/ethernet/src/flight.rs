//! Frames on their way: where each is kept while events that carry only its number are queued.

use units::Picoseconds;

use crate::{DropReason, Frame};

/// The number of a frame on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlightId(u32);

impl FlightId {
    /// The number by which a hop knows it.
    pub(crate) fn ticket(self) -> u64 {
        u64::from(self.0)
    }

    /// The frame of such a number.
    pub(crate) fn of(ticket: u64) -> Self {
        Self(u32::try_from(ticket).expect("a hop gives back the number that it was given"))
    }
}

/// What was done to a frame on its cable.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// A bit was flipped behind the back of the check sequence.
    pub corrupted: bool,
    /// Bits were flipped and the check sequence is wrong.
    pub bit_errors: bool,
    /// A copy of it follows.
    pub duplicated: bool,
    /// It is such a copy.
    pub copy: bool,
    /// It was held back so that later ones overtake it.
    pub reordered: bool,
    /// It was lost.
    pub lost: Option<DropReason>,
    /// When its last bit had reached the hop of its cable.
    pub at_hop: Option<Picoseconds>,
    /// From when to when that kept it, because its receiver dozed.
    pub kept: Option<(Picoseconds, Picoseconds)>,
}

/// A frame on its way.
#[derive(Debug, Clone)]
pub(crate) struct Flight {
    pub(crate) frame: Frame,
    pub(crate) cable: usize,
    pub(crate) side: usize,
    /// How often the cable had been pulled when the frame entered it.
    pub(crate) pulls: u32,
    pub(crate) marks: Marks,
    /// By how much its first bit was on the wire before anybody knew of it.
    pub(crate) late: Picoseconds,
}

/// All frames on their way.
#[derive(Debug, Clone, Default)]
pub(crate) struct Flights {
    slots: Vec<Option<Flight>>,
    free: Vec<u32>,
}

impl Flights {
    pub(crate) fn insert(&mut self, flight: Flight) -> FlightId {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = Some(flight);
            return FlightId(slot);
        }
        let slot = u32::try_from(self.slots.len()).expect("fewer than 2^32 frames are on their way");
        self.slots.push(Some(flight));
        FlightId(slot)
    }

    pub(crate) fn get(&self, id: FlightId) -> &Flight {
        self.slots[id.0 as usize].as_ref().expect("an event names a frame that is on its way")
    }

    pub(crate) fn get_mut(&mut self, id: FlightId) -> &mut Flight {
        self.slots[id.0 as usize].as_mut().expect("an event names a frame that is on its way")
    }

    pub(crate) fn take(&mut self, id: FlightId) -> Flight {
        let flight = self.slots[id.0 as usize].take().expect("an event names a frame that is on its way");
        self.free.push(id.0);
        flight
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}
