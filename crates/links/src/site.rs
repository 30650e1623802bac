//! Where a radio stands: how often interference destroys a frame that it meets there. What a link does about a lost
//! frame is the link's own: it sends it again, or the message is lost.
//!
//! Left out: fading, distance and bursts that come in groups.

use units::{PS_PER_S, Picoseconds};

use crate::params::Params;
use crate::{Field, Settings, Takes};

/// The setting of every radio that can lose a frame.
pub(crate) const LOSS_SITE: Field = Field {
    name: "loss_site",
    takes: Takes::Choice(&["clean", "office", "crowded"]),
    default: Some("clean"),
    help: "how often interference destroys frames: clean never, office and crowded so often as a link's constants say",
    example: "office",
    alternatives: &[],
};

/// Bursts that come at random and destroy the frame that they meet.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interference {
    bursts_per_second: f64,
}

impl Interference {
    /// So many bursts on average.
    pub fn new(bursts_per_second: f64) -> Self {
        Self { bursts_per_second }
    }

    /// Of the site that is set.
    pub(crate) fn at(settings: &Settings, params: &Params) -> Self {
        match settings.choice(LOSS_SITE.name) {
            "clean" => Self::default(),
            site => Self::new(params.number(&format!("bursts_per_second_{site}"))),
        }
    }

    /// With so many bursts more.
    pub(crate) fn and(self, bursts_per_second: f64) -> Self {
        Self::new(self.bursts_per_second + bursts_per_second)
    }

    pub(crate) fn bursts_per_second(self) -> f64 {
        self.bursts_per_second
    }

    /// Whether there is any.
    pub(crate) fn is_some(self) -> bool {
        self.bursts_per_second > 0.0
    }

    /// The probability that a frame is hit in its time on the air.
    pub(crate) fn hit(self, on_air: Picoseconds) -> f64 {
        -libm::expm1(-self.bursts_per_second * on_air.ps() as f64 / PS_PER_S as f64)
    }

    /// The probability that a frame is lost to this or, independently, with the probability `other`.
    pub(crate) fn hit_or(self, on_air: Picoseconds, other: f64) -> f64 {
        if self.is_some() { 1.0 - (1.0 - other) * (1.0 - self.hit(on_air)) } else { other }
    }
}
