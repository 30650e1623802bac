//! Who owns time. Of everything that is simulated together exactly one owns it: whoever executes code, or a [`World`] of its
//! own. All else is passive: it says when something happens to it next, and is brought to a time by its owner.
//!
//! [`World`]: crate::World

use units::Picoseconds;

/// Something that has no time of its own.
pub trait Passive {
    /// When anything happens in it next, unless somebody does something to it before; nothing where nothing ever will.
    fn next_event(&self) -> Option<Picoseconds>;

    /// Lets everything happen that happens by a time, in the order of time. A time before its own changes nothing.
    fn advance(&mut self, at: Picoseconds);
}

/// How a run of an [`Owner`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran<E> {
    /// It has come to its end, or a little beyond it where it cannot be stopped between.
    Through,
    /// It stands before its end, and goes on once it knows what others did meanwhile.
    Waits,
    /// It does not go on.
    Ended(E),
}

/// Something that runs by itself, to a time that it is given. `C` is what it is told meanwhile, such as that it should stop.
pub trait Owner<C: ?Sized> {
    /// How it ends where it does not go on.
    type Ended;

    /// The time up to which it has run.
    fn now(&self) -> Picoseconds;

    /// When it does something next; before, nothing can come of it. Nothing where it never will.
    fn next_event(&mut self) -> Option<Picoseconds>;

    /// Runs to a time.
    fn run_until(&mut self, end: Picoseconds, context: &C) -> Ran<Self::Ended>;
}

impl<C: ?Sized, O: Owner<C>> Owner<C> for &mut O {
    type Ended = O::Ended;

    fn now(&self) -> Picoseconds {
        O::now(self)
    }

    fn next_event(&mut self) -> Option<Picoseconds> {
        O::next_event(self)
    }

    fn run_until(&mut self, end: Picoseconds, context: &C) -> Ran<Self::Ended> {
        O::run_until(self, end, context)
    }
}
