//! Impairments of one direction of a cable: what users may ask of it, as plain values and as text such as
//! `loss=1%,delay=10ms,jitter=2ms,rate=1Mbit`.

mod options;
mod process;
mod value;

pub use options::{IMPAIRMENT_OPTIONS, ImpairmentError, ImpairmentOption};
pub(crate) use process::{Process, Verdict};
pub use value::{BitRate, Probability};

use units::Picoseconds;

/// How jitter is distributed around the delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JitterShape {
    /// Evenly from delay - jitter to delay + jitter.
    #[default]
    Uniform,
    /// Normally, with the jitter as standard deviation; never below zero.
    Normal,
}

/// What happens to frames in one direction of a cable. Nothing does by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impairments {
    /// Each frame is lost with this probability.
    pub loss: Probability,
    /// Gilbert and Elliott's bursts: before each frame a burst begins with this probability.
    pub burst_start: Probability,
    /// Before each frame a burst that goes on ends with this probability.
    pub burst_end: Probability,
    /// Within a burst each frame is lost with this probability.
    pub burst_loss: Probability,
    /// The frames of these numbers are lost, counted from 1 from when the impairments were set.
    pub drop: Vec<u64>,
    /// Each frame is late by this.
    pub delay: Picoseconds,
    /// By how much the delay varies. Frames keep their order.
    pub jitter: Picoseconds,
    /// How it varies.
    pub jitter_shape: JitterShape,
    /// Each frame is held back with this probability, so that later ones overtake it.
    pub reorder: Probability,
    /// For how long it is held back.
    pub reorder_by: Picoseconds,
    /// Each frame is followed by a copy with this probability.
    pub duplicate: Probability,
    /// One bit of each frame is flipped with this probability, and the check sequence is right nevertheless.
    pub corrupt: Probability,
    /// Each bit is flipped with this probability, and the check sequence is wrong.
    pub bit_errors: Probability,
    /// Frames leave no faster than this; counted without preamble, gap and check sequence.
    pub rate: Option<BitRate>,
    /// Bytes that may leave at the speed of the cable after silence; none where frames are serialised at the rate.
    pub bucket_bytes: u64,
    /// How many frames may be inside at once.
    pub limit_frames: u64,
}

impl Default for Impairments {
    fn default() -> Self {
        Self {
            loss: Probability::NEVER,
            burst_start: Probability::NEVER,
            burst_end: Probability::per_million(250_000),
            burst_loss: Probability::ALWAYS,
            drop: Vec::new(),
            delay: Picoseconds::ZERO,
            jitter: Picoseconds::ZERO,
            jitter_shape: JitterShape::Uniform,
            reorder: Probability::NEVER,
            reorder_by: Picoseconds::new(10 * units::PS_PER_MS),
            duplicate: Probability::NEVER,
            corrupt: Probability::NEVER,
            bit_errors: Probability::NEVER,
            rate: None,
            bucket_bytes: 0,
            limit_frames: 10_000,
        }
    }
}
