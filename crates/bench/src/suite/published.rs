//! What others measured: a figure or a range with its unit and source, what it is a statistic of, and how it is to be compared.

use units::{PS_PER_MS, PS_PER_NS, PS_PER_S, PS_PER_US, Picoseconds};

use super::row::Quantity;

/// A published figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Published {
    /// As it was published.
    pub amount: Amount,
    /// Its unit.
    pub unit: String,
    /// What of many latencies it is; nothing where the publication does not say, and for rates.
    pub statistic: Option<Statistic>,
    /// Where it was published.
    pub source: String,
    /// What is to be known of it.
    pub note: Option<String>,
    /// How it is compared.
    pub compare: Compare,
    /// What of a latency went where.
    pub parts: Option<Parts>,
    /// How many times the figure of another row it was.
    pub times: Option<Times>,
}

/// The parts of a published latency of which each message opens a connection, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Until the connection is there.
    pub connect: f64,
    /// From then on.
    pub processing: f64,
}

/// A published comparison with another row, beside the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// The other row.
    pub row: String,
    /// How many times its figure.
    pub value: f64,
}

/// How much was published.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// One figure.
    Exact(f64),
    /// Anything between two.
    Between(f64, f64),
    /// Anything up to one.
    AtMost(f64),
}

impl Amount {
    /// The same in a smaller unit.
    fn times(self, factor: f64) -> Self {
        match self {
            Self::Exact(figure) => Self::Exact(figure * factor),
            Self::Between(from, to) => Self::Between(from * factor, to * factor),
            Self::AtMost(most) => Self::AtMost(most * factor),
        }
    }

    /// A measured figure divided by this one; 1 within a range, and beyond it to its nearer end.
    pub fn share(self, measured: f64) -> f64 {
        match self {
            Self::Exact(figure) => measured / figure,
            Self::Between(from, _) if measured < from => measured / from,
            Self::Between(_, most) | Self::AtMost(most) => (measured / most).max(1.0),
        }
    }
}

/// What one figure of many latencies is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Half of them are shorter.
    Median,
    /// Their sum by their number.
    Mean,
}

impl Statistic {
    /// Names as in suites.
    pub const ALL: [(&'static str, Self); 2] = [("median", Self::Median), ("mean", Self::Mean)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, statistic)| *statistic == self).expect("every statistic has a name").0
    }
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

/// The unit in which latencies are kept; a suite writes none that small.
const KEPT: &str = "ps";

/// The names of the units in which a quantity can be published.
pub(super) fn unit_names(quantity: Quantity) -> Vec<&'static str> {
    units_of(quantity).iter().map(|(name, _)| *name).collect()
}

impl Published {
    /// A median as it stands in the entry of a link.
    pub(super) fn median(median: Picoseconds, source: String, note: Option<String>) -> Self {
        Self {
            amount: Amount::Exact(median.ps() as f64),
            unit: KEPT.to_owned(),
            statistic: Some(Statistic::Median),
            source,
            note,
            compare: Compare::Absolute,
            parts: None,
            times: None,
        }
    }

    /// The median in picoseconds, where it stands in the entry of a link.
    pub fn median_ps(&self) -> Option<i64> {
        match self.amount {
            // It was read as a whole number of picoseconds; up to two hours they are exact.
            Amount::Exact(ps) if self.unit == KEPT => Some(ps as i64),
            _ => None,
        }
    }

    /// What was published in the unit in which the quantity is kept, or as a ratio; nothing where its unit is none for that.
    pub fn in_unit_of(&self, quantity: Quantity) -> Option<Amount> {
        if self.compare == Compare::Ratio {
            return (self.unit == TIMES).then_some(self.amount);
        }
        if quantity == Quantity::Latency && self.unit == KEPT {
            return Some(self.amount);
        }
        let (_, factor) = units_of(quantity).iter().find(|(name, _)| *name == self.unit)?;
        Some(self.amount.times(*factor))
    }

    /// Whether it tells of single messages: a range of latencies that is none of means or medians.
    pub fn is_of_single_messages(&self, quantity: Quantity) -> bool {
        quantity == Quantity::Latency
            && self.compare != Compare::Ratio
            && self.statistic.is_none()
            && !matches!(self.amount, Amount::Exact(_))
    }
}
