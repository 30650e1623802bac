//! Stages: what a message goes through on its way from trigger to done. A stage is a state machine that says
//! how long it holds a frame; the same functions give its closed-form budget.

mod beacon;
mod beacon_on_air;
mod busy_channel;
mod connection;
mod constant;
mod csma;
mod dcf;
mod exposed;
mod gate;
mod hit;
mod neighbours;
mod once;
mod paced_writes;
mod quantiles;
mod scan;
mod shockburst;
mod slot;
mod spi;
mod ticked_slots;
mod when;

pub use beacon::BeaconDelivery;
pub use beacon_on_air::BeaconOnAir;
pub use busy_channel::BusyChannel;
pub use connection::{
    Advertising, Connection, ConnectionEvents, Direction, EventLimits, Framing, Losses, Phy,
};
pub use constant::{Constant, Uniform};
pub use csma::{CsmaCa, CsmaTiming};
pub(crate) use dcf::{ATTEMPTS, aggregated_bytes};
pub use dcf::{Channel, Dcf, PHY_RATES, PhyRate};
pub use exposed::Exposed;
pub use gate::{Gate, GateClock};
pub use hit::Hit;
pub use neighbours::{NeighbourTiming, Neighbours};
pub use once::OncePerBurst;
pub use paced_writes::PacedWrites;
pub use quantiles::Quantiles;
pub use scan::{BackgroundScan, Dwells};
pub use shockburst::{Acknowledgement, Detection};
pub use slot::ReceiverSlot;
pub use spi::SpiBus;
pub use ticked_slots::TickedSlots;
pub use when::When;

pub use crate::site::Interference;
pub use sim::Cause;
use sim::RandomStream;
use units::Picoseconds;

use crate::budget::Budget;

/// A named share of a stage's time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Unique within the link.
    pub name: String,
    /// What the time is spent on.
    pub cause: Cause,
}

impl Part {
    /// A part of a cause.
    pub fn new(name: impl Into<String>, cause: Cause) -> Self {
        Self { name: name.into(), cause }
    }
}

/// What a stage carries: one frame of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// The bytes that the application sends.
    pub payload_bytes: u32,
    /// The payload's share in this frame.
    pub frame_bytes: u32,
    /// The number of the frame among those of the innermost [`Steps::frames`](crate::Steps::frames), from 0.
    pub frame_index: u32,
    /// How many frames those are.
    pub frame_count: u32,
    /// Whether this is the first frame of the whole message.
    pub is_first: bool,
    /// Whether this is the last frame of the whole message.
    pub is_last: bool,
}

impl Load {
    /// A message in one frame.
    pub fn whole(payload_bytes: u32) -> Self {
        Self {
            payload_bytes,
            frame_bytes: payload_bytes,
            frame_index: 0,
            frame_count: 1,
            is_first: true,
            is_last: true,
        }
    }

    /// Frame `index` when this load is cut into frames of at most `limit_bytes`.
    pub(crate) fn cut(&self, limit_bytes: u32, index: u32) -> Self {
        let count = self.frame_bytes.div_ceil(limit_bytes).max(1);
        Self {
            payload_bytes: self.payload_bytes,
            frame_bytes: (self.frame_bytes - index * limit_bytes).min(limit_bytes),
            frame_index: index,
            frame_count: count,
            is_first: self.is_first && index == 0,
            is_last: self.is_last && index + 1 == count,
        }
    }
}

/// A frame in a stage, at one moment.
#[derive(Debug)]
pub struct Visit<'a> {
    /// The virtual time.
    pub now: Picoseconds,
    /// When the frame came into the stage.
    pub entered: Picoseconds,
    /// When the message came to the part of the program in which the stage is: it may have waited for others since.
    pub arrived: Picoseconds,
    /// The message's number.
    pub message: u64,
    /// How often the stage has said [`Passage::Stay`] to this frame so far.
    pub stays: u32,
    /// What is carried.
    pub load: Load,
    /// How often the enclosing [`Attempts`](crate::Attempts) have failed so far for this frame.
    pub failures: u32,
    /// The stage's own random numbers.
    pub random: &'a mut RandomStream,
}

impl<'a> Visit<'a> {
    /// Of a frame that came in at `entered` and is the only one there, at its first attempt.
    pub(crate) fn alone(
        now: Picoseconds,
        entered: Picoseconds,
        stays: u32,
        load: Load,
        random: &'a mut RandomStream,
    ) -> Self {
        Self { now, entered, arrived: entered, message: 0, stays, load, failures: 0, random }
    }
}

/// What a stage does with a frame. `part` is an index into [`Stage::parts`]: what the time until then is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passage {
    /// Ask the stage again at `until`; only then it is known what the time is spent on.
    Wait {
        /// When.
        until: Picoseconds,
    },
    /// Ask the stage again at `until`; after a [`Passage::Wait`] that may have passed.
    Stay {
        /// What the time is spent on.
        part: usize,
        /// When.
        until: Picoseconds,
    },
    /// The frame goes on to the next step at `at`.
    Leave {
        /// What the time is spent on.
        part: usize,
        /// When.
        at: Picoseconds,
    },
    /// The frame is gone at `at`: the enclosing attempts try again, or the message is lost.
    Lost {
        /// What the time is spent on.
        part: usize,
        /// When the sender knows.
        at: Picoseconds,
    },
}

/// A stage of a link.
pub trait Stage: std::fmt::Debug + Send {
    /// What its time is spent on; [`Passage`] refers to these by index.
    fn parts(&self) -> Vec<Part>;

    /// Says how long a frame stays.
    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage;

    /// Adds the mean time per part for a frame that gets through, with every clock phase unknown and uniform.
    fn budget(&self, load: &Load, budget: &mut Budget<'_>);

    /// Adds the mean time per part for a frame that is lost here, where it differs from that of one that gets through.
    fn budget_of_loss(&self, load: &Load, budget: &mut Budget<'_>) {
        self.budget(load, budget);
    }

    /// The probability that [`Self::pass`] answers [`Passage::Lost`].
    fn loss(&self, _load: &Load) -> f64 {
        0.0
    }

    /// How many messages the stage holds that it had no room for when their turn came, beside those that wait in front
    /// of it.
    fn backlog(&self) -> usize {
        0
    }

    /// The gates whose phase a particular run may fix.
    fn gates(&mut self) -> Vec<&mut GateClock> {
        Vec::new()
    }
}
