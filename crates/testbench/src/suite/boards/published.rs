//! What others measured: a figure with its unit and source, and how it is to be compared.

use units::{PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US};

use super::Quantity;

/// A published figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// As it was published.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// Where it was published.
    pub source: String,
    /// What is to be known of it.
    pub note: Option<String>,
    /// How it is compared.
    pub compare: Compare,
}

/// How a published figure is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    /// The figure itself.
    Absolute,
    /// The figure is how many times that of the row named by `same_but`.
    Ratio,
    /// The cause is compared, not the figure: the setup is another.
    Mechanism,
}

impl Compare {
    /// Names as in suites.
    pub const ALL: [(&'static str, Self); 3] =
        [("absolute", Self::Absolute), ("ratio", Self::Ratio), ("mechanism", Self::Mechanism)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, compare)| *compare == self).expect("every comparison has a name").0
    }
}

/// The unit of a ratio.
pub(super) const TIMES: &str = "x";

/// Units of what is measured, each with what one of it is in the unit that the quantity is kept in.
fn units_of(quantity: Quantity) -> &'static [(&'static str, f64)] {
    match quantity {
        Quantity::Messages => &[("messages/s", 1.0), ("round trips/s", 1.0)],
        Quantity::Requests => &[("requests/s", 1.0)],
        Quantity::Latency => &[
            ("ns", PS_PER_NS as f64),
            ("us", PS_PER_US as f64),
            ("ms", PS_PER_MS as f64),
            ("s", PS_PER_S as f64),
        ],
        Quantity::Bulk => &[
            ("bit/s", 1.0),
            ("kbit/s", 1e3),
            ("Mbit/s", 1e6),
            ("byte/s", 8.0),
            ("kB/s", 8e3),
            ("KiB/s", 8.0 * 1024.0),
            ("MB/s", 8e6),
            ("MiB/s", 8.0 * 1024.0 * 1024.0),
        ],
    }
}

/// The names of the units in which a quantity can be published.
pub(super) fn unit_names(quantity: Quantity) -> Vec<&'static str> {
    units_of(quantity).iter().map(|(name, _)| *name).collect()
}

impl Published {
    /// The figure in the unit in which the quantity is kept, or as a ratio; nothing where its unit is none for that.
    pub fn in_unit_of(&self, quantity: Quantity) -> Option<f64> {
        if self.compare == Compare::Ratio {
            return (self.unit == TIMES).then_some(self.value);
        }
        let (_, factor) = units_of(quantity).iter().find(|(name, _)| *name == self.unit)?;
        Some(self.value * factor)
    }
}
