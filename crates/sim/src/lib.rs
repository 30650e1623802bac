//! Virtual time. A [`World`] holds components, plain state machines that receive a message at a point in time
//! and answer with messages for later. The order of events is (time, priority, sequence) and nothing else; time
//! is whole picoseconds; random numbers come from streams named by one seed and a path. The same world and seed
//! give the same events on any machine.
//!
//! Where several things that run by themselves meet, [`Lockstep`] lets them take turns; what has no time of its own is
//! [`Passive`].
//!
//! Nothing here knows boards, chips or links. There are no threads: independent worlds run side by side.
//!
//! ```
//! use sim::{Component, Context, World};
//! use units::Picoseconds;
//!
//! /// Counts down, one message to itself every millisecond.
//! struct Countdown(u32);
//!
//! impl Component for Countdown {
//!     type Message = ();
//!     fn receive(&mut self, (): (), context: &mut Context<'_, ()>) {
//!         self.0 -= 1;
//!         if self.0 > 0 {
//!             context.wake_after(Picoseconds::from_ns(1_000_000), ());
//!         }
//!     }
//! }
//!
//! let mut world = World::new(1);
//! let countdown = world.add("countdown", Countdown(3));
//! world.post(countdown, Picoseconds::ZERO, ());
//! assert_eq!(world.run(), 3);
//! assert_eq!(world.now(), Picoseconds::from_ns(2_000_000));
//! ```

mod agenda;
mod cause;
mod lockstep;
mod passive;
mod queue;
mod random;
mod span;
pub mod state;
mod world;

pub use agenda::Agenda;
pub use cause::Cause;
pub use lockstep::{Lockstep, Taken, Turn, Wire};
pub use passive::{Owner, Passive, Ran};
pub use queue::{EventQueue, Priority};
pub use random::RandomStream;
pub use span::{Span, SpanRecorder};
pub use world::{Component, ComponentId, Context, World};
