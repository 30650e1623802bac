//! The closed-form budget of a link: the mean time of each part, from the stages' own functions.

use units::Picoseconds;

use crate::stage::Cause;

/// Collects the mean times of one stage, weighted by how often a message passes it.
#[derive(Debug)]
pub struct Budget<'a> {
    parts: &'a mut [f64],
    weight: f64,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(parts: &'a mut [f64], weight: f64) -> Self {
        Self { parts, weight }
    }

    /// Adds a mean time to a part of the stage.
    pub fn add(&mut self, part: usize, time: Picoseconds) {
        self.add_weighted(part, time, 1.0);
    }

    /// Adds a mean time that is spent `times` times on average.
    pub fn add_weighted(&mut self, part: usize, time: Picoseconds, times: f64) {
        self.parts[part] += time.ps() as f64 * times * self.weight;
    }
}

/// A line of a link's budget.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetLine {
    /// The part's name.
    pub name: String,
    /// What the time is spent on.
    pub cause: Cause,
    /// The mean time.
    pub mean: Picoseconds,
}
