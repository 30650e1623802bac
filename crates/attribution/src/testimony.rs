//! What is known of one board while messages are traced, whoever watched it.

use wiznet::Access;

use super::Interval;
use super::held::Hold;

/// The board's share of the traced messages.
pub struct Testimony {
    /// What it did, in the order of start.
    pub intervals: Vec<Interval>,
    /// When it held answers back.
    pub holds: Vec<Hold>,
    /// Its accesses, in the order of time.
    pub accesses: Vec<Access>,
}
