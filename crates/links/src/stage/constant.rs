//! Stages whose time depends on the load alone, or is drawn evenly from a range.

use units::Picoseconds;

use super::{Cause, Load, Part, Passage, Stage, Visit};
use crate::budget::Budget;

/// A time that is a function of the load: a fixed cost, bytes at a rate, an airtime.
pub struct Constant<F> {
    part: Part,
    time: F,
}

impl Constant<fn(&Load) -> Picoseconds> {
    /// The same time for every frame.
    pub fn fixed(
        name: impl Into<String>,
        cause: Cause,
        time: Picoseconds,
    ) -> Constant<impl Fn(&Load) -> Picoseconds> {
        Constant::of_load(name, cause, move |_| time)
    }
}

impl<F: Fn(&Load) -> Picoseconds> Constant<F> {
    /// A time that depends on the load.
    pub fn of_load(name: impl Into<String>, cause: Cause, time: F) -> Self {
        Self { part: Part::new(name, cause), time }
    }
}

impl<F> std::fmt::Debug for Constant<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Constant").field("part", &self.part).finish_non_exhaustive()
    }
}

impl<F: Fn(&Load) -> Picoseconds + Send> Stage for Constant<F> {
    fn parts(&self) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        Passage::Leave { part: 0, at: visit.now + (self.time)(&visit.load) }
    }

    fn budget(&self, load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, (self.time)(load));
    }
}

/// A time drawn evenly from zero to a width.
#[derive(Debug)]
pub struct Uniform {
    part: Part,
    width: Picoseconds,
}

impl Uniform {
    /// From zero (included) to `width` (excluded).
    pub fn new(name: impl Into<String>, cause: Cause, width: Picoseconds) -> Self {
        Self { part: Part::new(name, cause), width }
    }
}

impl Stage for Uniform {
    fn parts(&self) -> Vec<Part> {
        vec![self.part.clone()]
    }

    fn pass(&mut self, visit: &mut Visit<'_>) -> Passage {
        Passage::Leave { part: 0, at: visit.now + visit.random.time_below(self.width) }
    }

    fn budget(&self, _load: &Load, budget: &mut Budget<'_>) {
        budget.add(0, Picoseconds::new(self.width.ps() / 2));
    }
}
