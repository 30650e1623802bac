//! Causes of time that show in the exchanges of a client with a peer of which nothing else is known: four times each.
//!
//! Each detector says which shape it saw and what share of the messages' time that is. Some causes make the same shape; a name
//! is given to no more than the shape, and the Python package's `explain` says which causes it leaves open. Exchanges without
//! such a shape give nothing; `tests/stats/outside.rs` holds the detectors to that.

mod back_off;
mod exchanges;
mod grid;
mod hold;
mod late_rest;
mod opening;

pub use exchanges::{Exchange, Exchanges};

use super::finding::Evidence;

/// The shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Answers come on a grid that requests are free of: the later a request, the shorter its wait.
    Grid,
    /// Every answer takes the same long time, whenever its request comes.
    Hold,
    /// Every answer takes the same long time, and every request comes right after an answer: a grid or a hold.
    GridOrHold,
    /// The rest of an answer comes a fixed time after its first byte.
    LateRest,
    /// Few messages take much longer than the others, by times that double.
    BackOff,
    /// Opening connections takes much of the time.
    Opening,
}

impl Shape {
    /// The shape's name outside of Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::Hold => "hold",
            Self::GridOrHold => "grid_or_hold",
            Self::LateRest => "late_rest",
            Self::BackOff => "back_off",
            Self::Opening => "opening",
        }
    }
}

/// A shape that was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Which one.
    pub shape: Shape,
    /// Of the messages' time, from 0 to 1.
    pub share: f64,
    /// The period, the hold or the quantum; of openings their median.
    pub period_ps: f64,
    /// The figures behind it, by name.
    pub evidence: Vec<(&'static str, Evidence)>,
}

impl Seen {
    fn new(shape: Shape, share: f64, period_ps: f64) -> Self {
        Self { shape, share: share.clamp(0.0, 1.0), period_ps, evidence: Vec::new() }
    }

    fn with(mut self, name: &'static str, value: f64) -> Self {
        self.evidence.push((name, Evidence::Number(value)));
        self
    }

    fn with_list(mut self, name: &'static str, values: Vec<f64>) -> Self {
        self.evidence.push((name, Evidence::List(values)));
        self
    }

    /// A figure by its name, where it is a single number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.evidence.iter().find_map(|(key, value)| match value {
            Evidence::Number(number) if *key == name => Some(*number),
            _ => None,
        })
    }
}

/// All shapes of a run, largest share first.
pub fn seen_from_outside(exchanges: &Exchanges) -> Vec<Seen> {
    let mut seen: Vec<Seen> = Vec::new();
    let late_rest = late_rest::find(exchanges);
    // An answer that waits for its rest says nothing of when the peer looks.
    if late_rest.is_none() {
        seen.extend(grid::find(exchanges).or_else(|| hold::find(exchanges)));
    }
    let is_paced = !seen.is_empty();
    seen.extend(late_rest);
    if !is_paced {
        seen.extend(back_off::find(exchanges));
    }
    seen.extend(opening::find(exchanges));
    seen.sort_by(|a, b| b.share.total_cmp(&a.share));
    seen
}
